"""Advice from the computer, on a game or on any position, and how strong its levels are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask.views import MethodView
from flask_smorest import Blueprint

from service import examples, illustrations, suggestions, usecases
from service.answers import json_response
from service.documented import Access, Answer, documented
from service.gate import check_version_if_told, opened, opens
from service.limits import ADVICE, limited
from service.parsing import accepts
from service.schemas.requests import rules_of
from service.schemas.suggestions import LevelsSchema, PositionRequestSchema, SuggestionRequestSchema, SuggestionSchema
from service.wiring import ports

if TYPE_CHECKING:
    from flask import Response

blueprint = Blueprint(
    "advice",
    __name__,
    description="What the computer would do, with each action's chance to win; asking changes nothing.",
)

_TEXT = "Every legal action, best first."


@blueprint.route("/v1/games/<game_id>/suggestions")
class GameSuggestions(MethodView):
    """Advice to the seat to act."""

    @documented(
        "suggestActions",
        access=Access.SEAT,
        answers={200: Answer(_TEXT, SuggestionSchema, {"reproducible": illustrations.suggestion(9)})},
        problems=("version_conflict", "game_finished", "wrong_phase", "not_your_turn", "search_busy", "rate_limited"),
        headers=("If-Match",),
        examples={
            "reproducible": illustrations.BUDGET,
            "by default": examples.NOTHING,
            "as long as a level": illustrations.LEVEL_BUDGET,
            "so long": illustrations.TIME_BUDGET,
        },
    )
    @limited(ADVICE)
    @opens(Access.SEAT)
    @accepts(SuggestionRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Ask what to do.

        Only for the token's own seat, in its turn, and from what that seat may know: its hand, and what the other
        seat's actions in this deal tell of its hand. `actions` ranks all that is legal, `best` comes first. Without a
        budget the computer thinks as long as level 4 does for a move. The game is not changed, and nobody is told.
        """
        check_version_if_told(body)
        game = opened()
        result = usecases.suggest(ports(), game, suggestions.budget_of(body), body["seed"])
        hosted = game.hosted
        return json_response(
            suggestions.suggestion_json(result, hosted.game.to_act, hosted.game.rules.edition, hosted.version)
        )


@blueprint.route("/v1/suggestions")
class PositionSuggestions(MethodView):
    """Advice on a described position."""

    @documented(
        "suggestForPosition",
        access=Access.OPEN,
        answers={
            200: Answer(
                _TEXT,
                SuggestionSchema,
                {
                    "position": illustrations.suggestion(None, history=False),
                    "with its history": illustrations.suggestion(None),
                },
            )
        },
        problems=("search_busy", "rate_limited"),
        examples={"position": examples.position(), "with its history": examples.position_with_history()},
    )
    @limited(ADVICE)
    @accepts(PositionRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Ask what to do in a position of your own.

        For a real table or another site; nothing is stored. A position that cannot occur is refused with everything
        that is wrong with it. With `history` the advice also uses what the opponent's actions tell.

        From a view of this service: `own_known` is `known` of the own seat and `opponent_known` that of the other one,
        `to_follow` is `to_follow.cards`, and `history` the deal's events as the seat sees them, from `dealt` on.
        """
        observation = suggestions.observation_of(body)
        result = usecases.advise(ports(), observation, suggestions.budget_of(body), body["seed"])
        return json_response(
            suggestions.suggestion_json(result, observation.seat, rules_of(body).edition, version=None)
        )


@blueprint.route("/v1/levels")
class Levels(MethodView):
    """The computer's levels."""

    @documented(
        "getLevels",
        access=Access.OPEN,
        answers={200: Answer("The levels, weakest first.", LevelsSchema, {"levels": suggestions.levels_json()})},
    )
    @accepts()
    def get(self) -> Response:
        """List the computer's levels.

        With measured strength and typical time for one action.
        """
        return json_response(suggestions.levels_json())
