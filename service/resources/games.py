"""Games: creating and viewing them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson
from flask import request
from flask.views import MethodView
from flask_smorest import Blueprint

from service import examples, founding, retries
from service.answers import json_response
from service.clients import client_has_gone
from service.documented import Access, Answer, documented
from service.gate import bearer_token, check_version, idempotency_key, once_of, opened, opens, tag_of
from service.limits import GAMES, limited
from service.parsing import accepts
from service.resources.shown import view_response
from service.retries import Answer as RecordedAnswer
from service.schemas.requests import ActionRequestSchema, GameRequestSchema, settings_of
from service.schemas.streams import LONGEST_WAIT_SECONDS, GameQuerySchema
from service.schemas.views import CreationSchema, GameViewSchema
from service.views import game_json
from service.wiring import live, ports

if TYPE_CHECKING:
    from flask import Response

    from service.founding import Founded
    from service.hosted import HostedGame

blueprint = Blueprint("games", __name__, description="**Begin here.** Create a game, look at it, play again.")

_NEW = Answer(
    "Created, waiting for its first deal.",
    CreationSchema,
    {"against the computer": examples.creation(computer=True), "two people": examples.creation()},
    headers=("Location", "ETag"),
)


@blueprint.route("/v1/games")
class Games(MethodView):
    """All games; they are found by their ids only."""

    @documented(
        "createGame",
        access=Access.OPEN,
        answers={201: _NEW},
        problems=("store_unavailable", "idempotency_key_reused", "rate_limited"),
        headers=("Creation-Key",),
        examples={
            "against the computer": examples.COMPUTER,
            "the game of these examples": examples.OUR_GAME,
            "two people with a clock": examples.CLOCK,
            "by default": examples.NOTHING,
        },
    )
    @limited(GAMES)
    @accepts(GameRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Create a game.

        Everything may be left out: then a person (seat 0) plays against the computer at level 3 by the base rules, and
        who leads first is drawn at random.

        The answer shows one token for each person's seat, this once; a game between two computers has one token
        without a seat, which may deal and ask for ai-move.

        A repeat with the same Idempotency-Key answers the same game and tokens. The key is a secret then, with at least
        16 characters: whoever knows it can have the tokens.
        """
        secret = retries.secret_in(idempotency_key())
        settings = settings_of(body)
        if secret is None:
            return founded_response(founding.create(ports(), settings, _created))
        digest = retries.body_digest(request.get_data())
        return founded_response(founding.create_once(ports(), settings, secret, digest, _created))


@blueprint.route("/v1/games/<game_id>")
class Game(MethodView):
    """One game."""

    @documented(
        "getGame",
        access=Access.OPTIONAL,
        answers={
            200: Answer(
                "The view of the token's seat, or the public one.",
                GameViewSchema,
                {
                    "to follow": examples.view(9),
                    "to choose a draw": examples.view(11),
                    "in public": examples.view(9, None),
                    "between deals": examples.view(17),
                    "finished": examples.view(18),
                },
                headers=("ETag",),
            ),
            304: Answer("Still the version that If-None-Match names.", headers=("ETag",)),
        },
        headers=("If-None-Match",),
    )
    @opens(Access.OPTIONAL)
    @accepts(query=GameQuerySchema)
    def get(self, query: dict[str, Any]) -> Response:
        """View a game.

        With a token as its seat sees it, without one as the public does. With `wait` the answer comes when the version
        passes `version`, at the latest after so many seconds, and then shows the game as it is; at once when the
        service has no place for another one that waits.
        """
        game = opened()
        if query["wait"]:
            seconds, version = min(query["wait"], LONGEST_WAIT_SECONDS), query.get("version", game.hosted.version)
            game = live().wait(ports(), game, version, seconds, client_has_gone)
        return view_response(game.hosted, game.viewer)


@blueprint.route("/v1/games/<game_id>/rematch")
class Rematch(MethodView):
    """The game after a finished one."""

    @documented(
        "rematchGame",
        access=Access.SEAT,
        answers={
            201: replace(_NEW, examples={"the first to ask": examples.rematch(0)}),
            200: Answer(
                "Created before: the game now, and the same token as ever.",
                CreationSchema,
                {"the other one": examples.rematch(1)},
                headers=("Location", "ETag"),
            ),
        },
        changes=True,
        problems=("wrong_phase", "not_your_turn"),
        examples={"again": examples.REMATCH},
    )
    @opens(Access.SEAT)
    @accepts(ActionRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Play again: the next game with the same seats and rules, the other seat starting.

        Only for a finished game with a person in it. Each seat asks for itself: both get the same game, each its own
        token, which the old token leads to. It may be asked again.
        """
        once = once_of(lambda _: _rematch(opened().hosted, created=False))
        game = replace(opened(), once=once)
        if game.record is None:
            check_version(body)
        return founded_response(founding.rematch(ports(), game, bearer_token() or "", _rematch))


def _created(game: HostedGame) -> RecordedAnswer:
    return RecordedAnswer(201, tag_of(game, None), orjson.dumps(game_json(game, None)))


def _rematch(game: HostedGame, created: bool) -> RecordedAnswer:  # noqa: FBT001 - what founding tells
    return replace(_created(game), status=201 if created else 200)


def founded_response(founded: Founded) -> Response:
    """A new game and the tokens of whoever asked for it."""
    location = f"{request.root_path}/v1/games/{founded.game_id}"
    headers = {"Location": location, "ETag": founded.answer.tag}
    return json_response(founded.body(), founded.answer.status, headers)
