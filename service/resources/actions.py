"""What changes a game: each at the version that the request says it acts on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask.views import MethodView
from flask_smorest import Blueprint

from engine.actions import PASS, Draw
from service import examples, usecases
from service.documented import Access, Answer, documented
from service.gate import opened, opens
from service.parsing import accepts
from service.resources.shown import changed
from service.schemas.requests import (
    ActionRequestSchema,
    DealRequestSchema,
    DrawChoiceRequestSchema,
    PlayRequestSchema,
    ranks_of,
)
from service.schemas.views import ActionAnswerSchema

if TYPE_CHECKING:
    from flask import Response

blueprint = Blueprint("actions", __name__, description="Dealing, playing, passing, drawing, resigning.")

_IN_TURN = ("game_finished", "wrong_phase", "not_your_turn")


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
        problems=("game_finished", "wrong_phase"),
        changes=True,
        examples={"plain": examples.NOTHING, "with a seed": examples.DEAL},
    )
    @opens(Access.SEAT)
    @accepts(DealRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Shuffle and deal the next deal.

        Any token of the game will do. The view's `next_deal` has promised the shuffle; `client_seed` is mixed in.
        """
        return changed(body, lambda ports, game: usecases.deal(ports, game, body["client_seed"]))


@blueprint.route("/v1/games/<game_id>/play")
class Playing(MethodView):
    """A lead, or what follows it."""

    @documented(
        "playCards",
        access=Access.SEAT,
        answers=_answers(examples.answer(2, 4)),
        problems=(*_IN_TURN, "cards_not_in_hand", "not_a_combination", "does_not_follow"),
        changes=True,
        examples={"a pair": examples.PLAY},
    )
    @opens(Access.SEAT)
    @accepts(PlayRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Lead or follow with cards.

        They have to form one of the view's `legal_actions`; their order does not matter.
        """
        ranks = ranks_of(body["cards"], opened().hosted.game.rules.edition, "/cards")
        return changed(body, lambda ports, game: usecases.play(ports, game, ranks))


@blueprint.route("/v1/games/<game_id>/pass")
class Passing(MethodView):
    """The end of a round."""

    @documented(
        "passTurn",
        access=Access.SEAT,
        answers=_answers(examples.answer(4, 6)),
        problems=(*_IN_TURN, "leader_may_not_pass"),
        changes=True,
        examples={"plain": examples.NOTHING},
    )
    @opens(Access.SEAT)
    @accepts(ActionRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Pass, which ends the round.

        Whoever does not lead may always pass; then both seats draw while there are cards to draw.
        """
        return changed(body, lambda ports, game: usecases.take_action(ports, game, PASS))


@blueprint.route("/v1/games/<game_id>/draw-choice")
class DrawChoice(MethodView):
    """Where the seat that did not pass draws from."""

    @documented(
        "chooseDraw",
        access=Access.SEAT,
        answers=_answers(examples.answer(5, 6)),
        problems=_IN_TURN,
        changes=True,
        examples={"the face-up card": examples.DRAW_CHOICE},
    )
    @opens(Access.SEAT)
    @accepts(DrawChoiceRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Choose the face-up card or the top of the draw pile.

        The seat that passed takes the other one.
        """
        return changed(body, lambda ports, game: usecases.take_action(ports, game, Draw(body["source"])))


@blueprint.route("/v1/games/<game_id>/ai-move")
class AiMove(MethodView):
    """The computer's due action."""

    @documented(
        "makeAiMove",
        access=Access.SEAT,
        answers=_answers(examples.answer(5, 6)),
        problems=(*_IN_TURN, "search_busy"),
        changes=True,
        examples={"plain": examples.NOTHING},
    )
    @opens(Access.SEAT)
    @accepts(ActionRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Let the computer take its one due action.

        Any token of the game will do. Needed with `ai_reply` manual, and when an automatic reply could not be made.
        """
        return changed(body, usecases.ai_move)


@blueprint.route("/v1/games/<game_id>/resign")
class Resigning(MethodView):
    """The end of a game before its time."""

    @documented(
        "resignGame",
        access=Access.SEAT,
        answers=_answers(examples.answer(7, 8)),
        problems=("game_finished", "not_your_turn"),
        changes=True,
        examples={"plain": examples.NOTHING},
    )
    @opens(Access.SEAT)
    @accepts(ActionRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Give up: the other seat wins the game.

        Possible at any time before the end, also when the other seat is to act.
        """
        return changed(body, usecases.resign)


@blueprint.route("/v1/games/<game_id>/claim")
class Claiming(MethodView):
    """The end of a game whose clock has run down."""

    @documented(
        "claimGame",
        access=Access.SEAT,
        answers=_answers(examples.claimed()),
        changes=True,
        problems=("game_finished", "not_your_turn", "deadline_not_reached"),
        examples={"plain": examples.NOTHING},
    )
    @opens(Access.SEAT)
    @accepts(ActionRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Win on time, once the view's `turn_deadline` has passed.

        Only for the seat that waits, in games with `turn_seconds`. Until it does, the other seat may still act.
        """
        return changed(body, usecases.claim)
