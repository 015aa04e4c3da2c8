"""The answers that show a game: a view, and what an action led to. Plain dicts go straight to bytes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from service import replies
from service.answers import bare_response, json_response
from service.errors import SearchBusy, VersionConflict
from service.gate import check_version, is_known, once_of, opened, tag_of
from service.retries import Answer
from service.views import events_json, game_json
from service.wiring import ports

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flask import Response

    from engine.cards import Seat
    from service.hosted import HostedGame
    from service.opening import Opened, Outcome, Ports


def view_response(hosted: HostedGame, viewer: Seat | None) -> Response:
    """A game as the viewer may know it; 304 for a client that has this version of it already."""
    tag = tag_of(hosted, viewer)
    headers = {"ETag": tag, "Vary": "Authorization", "Cache-Control": "private, no-cache"}
    return bare_response(304, headers) if is_known(tag) else json_response(game_json(hosted, viewer), headers=headers)


def changed(body: Mapping[str, Any], act: Callable[[Ports, Opened], Outcome]) -> Response:
    """The answer to an action of the current request, which `act` takes unless its idempotency key has a record.

    Raises IdempotencyKeyReused, VersionRequired, VersionConflict, and what `act` raises.
    """
    game, once = opened(), once_of(_answer)
    if once is None:
        check_version(body)
        return outcome_response(act(ports(), game))
    game = replace(game, once=once)
    if game.record is None:
        check_version(body)
        try:
            return outcome_response(act(ports(), game))
        except (VersionConflict, SearchBusy) as refusal:
            # a repeat may have come first; if it is what keeps the slots busy, it will have in a moment
            patience = replies.PATIENCE_SECONDS if isinstance(refusal, SearchBusy) else 0.0
            game = replies.look_again(ports(), game, patience)
            if game.record is None:
                raise
    return outcome_response(replies.repeat(ports(), game))


def outcome_response(outcome: Outcome) -> Response:
    """The game after an action of the current request, and what happened since the version acted on."""
    answer = outcome.answer or _answer(outcome)
    return json_response(answer.body, answer.status, {"ETag": answer.tag})


def _answer(outcome: Outcome) -> Answer:
    viewer = opened().viewer
    hosted = outcome.hosted
    body: dict[str, Any] = {
        "game": game_json(hosted, viewer),
        "events": events_json(outcome.events, viewer, hosted.game.rules),
    }
    return Answer(200, tag_of(hosted, viewer), orjson.dumps(body))
