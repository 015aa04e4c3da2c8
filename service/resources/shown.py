"""The answers that show a game: a view, and what an action led to. Plain dicts go straight to bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from service.answers import bare_response, json_response
from service.gate import is_known, opened, tag_of
from service.views import events_json, game_json

if TYPE_CHECKING:
    from flask import Response

    from engine.cards import Seat
    from service.hosted import HostedGame
    from service.usecases import Outcome


def view_response(hosted: HostedGame, viewer: Seat | None) -> Response:
    """A game as the viewer may know it; 304 for a client that has this version of it already."""
    tag = tag_of(hosted, viewer)
    headers = {"ETag": tag, "Vary": "Authorization", "Cache-Control": "private, no-cache"}
    return bare_response(304, headers) if is_known(tag) else json_response(game_json(hosted, viewer), headers=headers)


def outcome_response(outcome: Outcome) -> Response:
    """The game after an action of the current request, and what happened since the version acted on."""
    viewer = opened().viewer
    hosted = outcome.hosted
    body: dict[str, Any] = {
        "game": game_json(hosted, viewer),
        "events": events_json(outcome.events, viewer, hosted.game.rules),
    }
    return json_response(body, headers={"ETag": tag_of(hosted, viewer)})
