"""What changes a game: each at the version that the request says it acts on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask.views import MethodView
from flask_smorest import Blueprint

from engine.actions import PASS, Draw
from service import examples, usecases
from service.documented import Access, Answer, documented
from service.gate import check_version, opened, opens
from service.parsing import accepts
from service.resources.shown import outcome_response
from service.schemas.requests import (
    ActionRequestSchema,
    DealRequestSchema,
    DrawChoiceRequestSchema,
    PlayRequestSchema,
    ranks_of,
)
from service.schemas.views import ActionAnswerSchema
from service.wiring import ports

if TYPE_CHECKING:
    from flask import Response

blueprint = Blueprint("actions", __name__, description="Dealing, playing, passing, drawing, resigning.")

_REFUSALS = ("version_required", "version_conflict", "game_finished")
_IN_TURN = (*_REFUSALS, "wrong_phase", "not_your_turn")


def _answers(example: examples.Json) -> dict[int, Answer]:
    text = "Done: the game now, and every event since the version acted on."
    return {200: Answer(text, ActionAnswerSchema, {"done": example}, headers=("ETag",))}


@blueprint.route("/v1/games/<game_id>/deal")
class Dealing(MethodView):
    """The next deal."""

    @documented(
        "dealCards",
        access=Access.SEAT,
        answers=_answers(examples.answer(1, 2)),
        problems=(*_REFUSALS, "wrong_phase"),
        headers=("If-Match",),
        examples={"plain": examples.NOTHING, "with a seed": examples.DEAL},
    )
    @opens(Access.SEAT)
    @accepts(DealRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Shuffle and deal the next deal.

        Any token of the game will do. The view's `next_deal` has promised the shuffle; `client_seed` is mixed in.
        """
        check_version(body)
        return outcome_response(usecases.deal(ports(), opened(), body["client_seed"]))


@blueprint.route("/v1/games/<game_id>/play")
class Playing(MethodView):
    """A lead, or what follows it."""

    @documented(
        "playCards",
        access=Access.SEAT,
        answers=_answers(examples.answer(2, 4)),
        problems=(*_IN_TURN, "cards_not_in_hand", "not_a_combination", "does_not_follow"),
        headers=("If-Match",),
        examples={"a pair": examples.PLAY},
    )
    @opens(Access.SEAT)
    @accepts(PlayRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Lead or follow with cards.

        They have to form one of the view's `legal_actions`; their order does not matter.
        """
        game = opened()
        ranks = ranks_of(body["cards"], game.hosted.game.rules.edition, "/cards")
        check_version(body)
        return outcome_response(usecases.play(ports(), game, ranks))


@blueprint.route("/v1/games/<game_id>/pass")
class Passing(MethodView):
    """The end of a round."""

    @documented(
        "passTurn",
        access=Access.SEAT,
        answers=_answers(examples.answer(4, 6)),
        problems=(*_IN_TURN, "leader_may_not_pass"),
        headers=("If-Match",),
        examples={"plain": examples.NOTHING},
    )
    @opens(Access.SEAT)
    @accepts(ActionRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Pass, which ends the round.

        Whoever does not lead may always pass; then both seats draw while there are cards to draw.
        """
        check_version(body)
        return outcome_response(usecases.take_action(ports(), opened(), PASS))


@blueprint.route("/v1/games/<game_id>/draw-choice")
class DrawChoice(MethodView):
    """Where the seat that did not pass draws from."""

    @documented(
        "chooseDraw",
        access=Access.SEAT,
        answers=_answers(examples.answer(5, 6)),
        problems=_IN_TURN,
        headers=("If-Match",),
        examples={"the face-up card": examples.DRAW_CHOICE},
    )
    @opens(Access.SEAT)
    @accepts(DrawChoiceRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Choose the face-up card or the top of the draw pile.

        The seat that passed takes the other one.
        """
        check_version(body)
        return outcome_response(usecases.take_action(ports(), opened(), Draw(body["source"])))


@blueprint.route("/v1/games/<game_id>/ai-move")
class AiMove(MethodView):
    """The computer's due action."""

    @documented(
        "makeAiMove",
        access=Access.SEAT,
        answers=_answers(examples.answer(5, 6)),
        problems=(*_IN_TURN, "search_busy"),
        headers=("If-Match",),
        examples={"plain": examples.NOTHING},
    )
    @opens(Access.SEAT)
    @accepts(ActionRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Let the computer take its one due action.

        Any token of the game will do. Needed with `ai_reply` manual, and when an automatic reply could not be made.
        """
        check_version(body)
        return outcome_response(usecases.ai_move(ports(), opened()))


@blueprint.route("/v1/games/<game_id>/resign")
class Resigning(MethodView):
    """The end of a game before its time."""

    @documented(
        "resignGame",
        access=Access.SEAT,
        answers=_answers(examples.answer(7, 8)),
        problems=(*_REFUSALS, "not_your_turn"),
        headers=("If-Match",),
        examples={"plain": examples.NOTHING},
    )
    @opens(Access.SEAT)
    @accepts(ActionRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Give up: the other seat wins the game.

        Possible at any time before the end, also when the other seat is to act.
        """
        check_version(body)
        return outcome_response(usecases.resign(ports(), opened()))
