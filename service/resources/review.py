"""Looking back: an ended deal's analysis, and a finished game's whole record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from flask import Response
from flask.views import MethodView
from flask_smorest import Blueprint

from service import analysis, examples, illustrations
from service.answers import JSON, json_response
from service.documented import Access, Answer, documented
from service.gate import opened, opens
from service.limits import ADVICE, limited
from service.media_types import preferred
from service.parsing import accepts
from service.records import about_json, deals_json, game_record
from service.resources.history import deal_number
from service.schemas.review import AnalysisSchema, GameRecordSchema
from service.stream_formats import NDJSON
from service.wiring import ports

if TYPE_CHECKING:
    from typing import Any

blueprint = Blueprint(
    "review",
    __name__,
    description="What would have been better in an ended deal; a finished game whole.",
)

_LINES: dict[str, Any] = {NDJSON: {"schema": {}, "examples": {"the game": {"value": examples.lines()}}}}


@blueprint.route("/v1/games/<game_id>/deals/<number>/analysis")
class Analysis(MethodView):
    """One ended deal, reviewed."""

    @documented(
        "analyseDeal",
        access=Access.OPTIONAL,
        answers={
            200: Answer("Every decision, and a summary.", AnalysisSchema, {"the first deal": illustrations.analysis()})
        },
        problems=("unknown_deal", "deal_in_progress", "search_busy", "rate_limited"),
    )
    @limited(ADVICE)
    @opens(Access.OPTIONAL)
    @accepts()
    def get(self, number: str) -> Response:
        """Review an ended deal.

        Each decision is searched from what its seat knew at the time: the best action, its chance to win the deal, and
        that of what was played. The first request takes about a second; later ones find the result.
        """
        return json_response(analysis.analysis(ports(), opened(), deal_number(number)))


@blueprint.route("/v1/games/<game_id>/record")
class GameRecord(MethodView):
    """One finished game."""

    @documented(
        "getGameRecord",
        access=Access.OPTIONAL,
        answers={200: Answer("The game, whole.", GameRecordSchema, {"the game": examples.whole()}, also=_LINES)},
        problems=("deal_in_progress", "wrong_phase"),
    )
    @opens(Access.OPTIONAL)
    @accepts()
    def get(self) -> Response:
        """Get the record of a finished game.

        Its settings, how it ended, and every deal's record. With `Accept: application/x-ndjson` the first line tells of
        the game and each further line is a deal's record. `python -m service.verify` reads both.
        """
        record = game_record(ports(), opened())
        about, deals = about_json(record), deals_json(record)
        headers = {"Vary": "Accept"}
        if preferred(JSON, NDJSON) != NDJSON:
            return json_response({**about, "deals": deals}, headers=headers)
        lines = [orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in (about, *deals)]
        return Response(b"".join(lines), 200, headers, content_type=NDJSON)
