"""What has happened in a game: its events, and the records of ended deals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from flask.views import MethodView
from flask_smorest import Blueprint

from service import examples, usecases
from service.answers import json_response
from service.documented import Access, Answer, documented
from service.errors import UnknownDeal
from service.gate import opened, opens
from service.parsing import accepts
from service.schemas.events import DealRecordSchema, HistorySchema
from service.schemas.requests import HistoryQuerySchema
from service.views import events_json, record_json
from service.wiring import ports

if TYPE_CHECKING:
    from flask import Response

blueprint = Blueprint("history", __name__, description="All events, and ended deals whole, for anybody to check.")

_NUMBER = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)


def deal_number(text: str) -> int:
    """The number of a deal in a path. Raises UnknownDeal: no deal can have it."""
    if not _NUMBER.fullmatch(text):
        raise UnknownDeal
    return int(text)


@blueprint.route("/v1/games/<game_id>/history")
class History(MethodView):
    """A game's events."""

    @documented(
        "getHistory",
        access=Access.OPTIONAL,
        answers={200: Answer("Events in order.", HistorySchema, {"with limit=5": examples.history()})},
    )
    @opens(Access.OPTIONAL)
    @accepts(query=HistoryQuerySchema)
    def get(self, query: dict[str, Any]) -> Response:
        """List a game's events.

        As the token's seat may know them, without a token as the public may. In pages: go on with `after` set to the
        page's `next_after` until that is null.
        """
        game = opened()
        page = usecases.history(ports(), game, query["after"], query["limit"])
        events = events_json(page.events, game.viewer, game.hosted.game.rules)
        return json_response({"events": events, "next_after": page.next_after})


@blueprint.route("/v1/games/<game_id>/deals/<number>")
class DealRecord(MethodView):
    """One ended deal."""

    @documented(
        "getDealRecord",
        access=Access.OPTIONAL,
        answers={200: Answer("The ended deal, whole.", DealRecordSchema, {"the first deal": examples.record()})},
        problems=("unknown_deal", "deal_in_progress"),
    )
    @opens(Access.OPTIONAL)
    @accepts()
    def get(self, number: str) -> Response:
        """Get the record of an ended deal.

        Deck, seeds and all events unredacted: anybody can compute the shuffle and the computer's choices again.
        """
        game = opened()
        record = usecases.deal_record(ports(), game, deal_number(number))
        return json_response(record_json(game.hosted, record.head, record.events))
