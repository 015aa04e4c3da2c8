"""Games: creating and viewing them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import request
from flask.views import MethodView
from flask_smorest import Blueprint

from service import examples
from service.answers import json_response
from service.documented import Access, Answer, documented
from service.gate import opened, opens, tag_of
from service.parsing import accepts
from service.resources.shown import view_response
from service.schemas.requests import GameRequestSchema, settings_of
from service.schemas.views import CreationSchema, GameViewSchema
from service.usecases import create_game
from service.views import game_json
from service.wiring import ports

if TYPE_CHECKING:
    from flask import Response

blueprint = Blueprint("games", __name__, description="Creating games and looking at them.")


@blueprint.route("/v1/games")
class Games(MethodView):
    """All games; they are found by their ids only."""

    @documented(
        "createGame",
        access=Access.OPEN,
        answers={
            201: Answer(
                "Created, waiting for its first deal.",
                CreationSchema,
                {"created": examples.creation()},
                headers=("Location", "ETag"),
            )
        },
        problems=("store_unavailable",),
        examples={"defaults": examples.NOTHING, "chosen": examples.CREATE},
    )
    @accepts(GameRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:
        """Create a game.

        Without anything said: a person (seat 0) against the computer at level 3, base rules, first leader at random.
        The answer shows one token for each person's seat, this once; a game between two computers has one token
        without a seat, which may deal and ask for ai-move.
        """
        creation = create_game(ports(), settings_of(body))
        game = creation.hosted
        tokens = [{"seat": one.seat, "token": one.token} for one in creation.tokens]
        headers = {"Location": f"{request.root_path}/v1/games/{game.game_id}", "ETag": tag_of(game, None)}
        return json_response({"game": game_json(game, None), "tokens": tokens}, 201, headers)


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
                    "to act": examples.view(7),
                    "public": examples.view(7, None),
                    "awaiting the deal": examples.view(1),
                    "finished": examples.view(8),
                },
                headers=("ETag",),
            ),
            304: Answer("Still the version that If-None-Match names.", headers=("ETag",)),
        },
        headers=("If-None-Match",),
    )
    @opens(Access.OPTIONAL)
    @accepts()
    def get(self) -> Response:
        """View a game.

        With a token as its seat sees it, without one as the public does.
        """
        game = opened()
        return view_response(game.hosted, game.viewer)
