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

blueprint = Blueprint(
    "actions",
    __name__,
    description="What changes a game, each at the version it names; the answers show the game after it.",
)

_IN_TURN = ("game_finished", "wrong_phase", "not_your_turn")


def _answers(shown: dict[str, examples.Json]) -> dict[int, Answer]:
    text = "Done: the game now, and every event since the version acted on."
    return {200: Answer(text, ActionAnswerSchema, shown, headers=("ETag",))}


@blueprint.route("/v1/games/<game_id>/deal")
class Dealing(MethodView):
    """The next deal."""

    @documented(
        "dealCards",
        access=Access.SEAT,
        answers=_answers({"dealt": examples.answer(1, 2)}),
        problems=("game_finished", "wrong_phase"),
        changes=True,
        examples={"with a seed of yours": examples.DEAL, "without": examples.DEAL_PLAINLY},
    )
    @opens(Access.SEAT)
    @accepts(DealRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Shuffle and deal the next deal.

        In phase `awaiting_deal`, the first time and after each ended deal; any token of the game will do. The view's
        `next_deal` has promised the shuffle; `client_seed` is mixed in. Where the computer leads, its lead is in the
        answer.
        """
        return changed(body, lambda ports, game: usecases.deal(ports, game, body["client_seed"]))


@blueprint.route("/v1/games/<game_id>/play")
class Playing(MethodView):
    """A lead, or what follows it."""

    @documented(
        "playCards",
        access=Access.SEAT,
        answers=_answers(
            {
                "the other person is next": examples.answer(2, 3),
                "the computer has replied": examples.computer_reply(),
                "a follow": examples.answer(9, 10),
                "the last cards": examples.answer(15, 17),
            }
        ),
        problems=(*_IN_TURN, "cards_not_in_hand", "not_a_combination", "does_not_follow"),
        changes=True,
        examples={"a lead": examples.LEAD, "a follow": examples.FOLLOW, "the last cards": examples.LAST_CARDS},
    )
    @opens(Access.SEAT)
    @accepts(PlayRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Lead or follow with cards.

        In phase `play`, when the view's `to_act` is your seat: send the cards of one of its `legal_actions` of type
        `play`, in any order. The seat that plays its last card wins the deal at once. Against the computer the answer
        has its reply already; see the example.
        """
        ranks = ranks_of(body["cards"], opened().hosted.game.rules.edition, "/cards")
        return changed(body, lambda ports, game: usecases.play(ports, game, ranks))


@blueprint.route("/v1/games/<game_id>/pass")
class Passing(MethodView):
    """The end of a round."""

    @documented(
        "passTurn",
        access=Access.SEAT,
        answers=_answers({"passed": examples.answer(6, 7)}),
        problems=(*_IN_TURN, "leader_may_not_pass"),
        changes=True,
        examples={"pass": examples.PASS},
    )
    @opens(Access.SEAT)
    @accepts(ActionRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Pass, which ends the round.

        In phase `play`, when your seat is to act and does not lead, able to play or not. While there are cards to draw
        the other seat chooses from where (phase `draw`), and leads the next round.
        """
        return changed(body, lambda ports, game: usecases.take_action(ports, game, PASS))


@blueprint.route("/v1/games/<game_id>/draw-choice")
class DrawChoice(MethodView):
    """Where the seat that did not pass draws from."""

    @documented(
        "chooseDraw",
        access=Access.SEAT,
        answers=_answers({"an unseen card": examples.answer(7, 8, 1), "the face-up card": examples.answer(11, 12)}),
        problems=_IN_TURN,
        changes=True,
        examples={"an unseen card": examples.DRAW_UNSEEN, "the face-up card": examples.DRAW_FACE_UP},
    )
    @opens(Access.SEAT)
    @accepts(DrawChoiceRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Choose the face-up card or the top of the draw pile.

        In phase `draw`, after a pass: only for the seat that did not pass, which then leads. The other seat takes the
        other card. What is drawn from the pile only its owner sees.
        """
        return changed(body, lambda ports, game: usecases.take_action(ports, game, Draw(body["source"])))


@blueprint.route("/v1/games/<game_id>/ai-move")
class AiMove(MethodView):
    """The computer's due action."""

    @documented(
        "makeAiMove",
        access=Access.SEAT,
        answers=_answers({"its move": examples.computer_move()}),
        problems=(*_IN_TURN, "search_busy"),
        changes=True,
        examples={"its move": examples.AI_MOVE},
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
        answers=_answers({"resigned": examples.answer(17, 18, 1)}),
        problems=("game_finished", "not_your_turn"),
        changes=True,
        examples={"resign": examples.RESIGN},
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
        answers=_answers({"won on time": examples.claimed()}),
        changes=True,
        problems=("game_finished", "not_your_turn", "deadline_not_reached"),
        examples={"claim": examples.CLAIM},
    )
    @opens(Access.SEAT)
    @accepts(ActionRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Win on time, once the view's `turn_deadline` has passed.

        Only for the seat that waits, in games with `turn_seconds`. Until it does, the other seat may still act. In a
        game without `turn_seconds` there is no deadline to wait for: it is always refused, with
        `deadline_not_reached`.
        """
        return changed(body, usecases.claim)
