"""Games as they happen: live streams, and tickets for those who cannot send a token."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flask import Response, request
from flask.views import MethodView
from flask_smorest import Blueprint

from service import examples, tickets
from service.answers import JSON, json_response
from service.clients import connection_of_request, give_up_when_unanswered, is_closed
from service.documented import Access, Answer, documented
from service.errors import NotAcceptable, StreamsBusy
from service.gate import opened, opens
from service.listeners import Ending
from service.media_types import preferred
from service.parsing import accepts
from service.schemas.streams import MESSAGE, EventsQuerySchema, TicketRequestSchema, TicketSchema
from service.stopping import STOPPING
from service.stream_formats import FORMATS, NDJSON, SSE, Format
from service.streams import Stream, end_of
from service.views import time_text
from service.wiring import live, ports

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.opening import Opened


blueprint = Blueprint("events", __name__, description="A game as it happens, without asking again and again.")
ticket_blueprint = Blueprint("tickets", __name__, description="Streams for browsers, whose EventSource sends no token.")

SEND_SECONDS = 20.0
"""A client that takes nothing for so long while there is something to send is given up."""

_VERSION = re.compile(r"0|[1-9][0-9]{0,15}", re.ASCII)
_HEADERS = {
    "Cache-Control": "no-store, no-transform",
    "Vary": "Accept, Authorization",
    "X-Accel-Buffering": "no",  # nginx would collect what is meant to arrive now
}


def _media(form: Format, unit: str) -> dict[str, Any]:
    """A media type of OpenAPI's whose every unit is one message."""
    schema = {
        "type": "string",
        "description": f"{unit} is one message in JSON, of the shape that `contentSchema` tells.",
        "contentMediaType": JSON,
        "contentSchema": MESSAGE,
    }
    return {"schema": schema, "examples": {"begin": {"value": examples.stream(form)}}}


@blueprint.route("/v1/games/<game_id>/events")
class Events(MethodView):
    """A game's live events."""

    @documented(
        "streamEvents",
        access=Access.OPTIONAL,
        answers={
            200: Answer(
                "Live messages, until the game ends.",
                also={
                    SSE: _media(FORMATS[SSE], "The `data` of each event"),
                    NDJSON: _media(FORMATS[NDJSON], "Each line that is not empty"),
                },
            )
        },
        problems=("not_acceptable", "streams_busy"),
        headers=("Last-Event-ID",),
    )
    @opens(Access.OPTIONAL)
    @accepts(query=EventsQuerySchema)
    def get(self, query: dict[str, Any]) -> Response:
        """Follow a game live.

        The first message is `{"type": "snapshot", "version": N, "game": GameView, "presence": [true, false]}`, then the
        events above N come, each once and in order, as the token's seat may know them or the public may. With a version
        in `Last-Event-ID` or `after` that the game has reached, the events above it come at once, without a snapshot
        (above 0: all there are); any other, or a `Last-Event-ID` that is no version, gets a snapshot.
        `{"type": "presence", "seat": 1, "online": true}` tells that the other seat came or went. Every 5 seconds a
        comment (SSE) or an empty line (ndjson) shows that the stream is alive.

        It ends after `game_ended`. A stream that has not told that event ends with
        `{"type": "stream_ended", "reason": "stopping"}`: come back and resume. The reasons are `game_finished` (it was
        over already: there is nothing more to come), `stopping` (the service is), `too_slow` (the client is),
        `store_unavailable`, `unreadable` (by this version of the service) and `game_gone`. Without either it was cut.
        A browser's EventSource cannot send a token; it shows a ticket (`POST …/stream-ticket`).
        """
        form = _form()
        cursor = _cursor(query)
        if request.method == "HEAD":
            _viewed(opened(), query, use_up=False)
            return Response(b"", 200, _HEADERS, content_type=form.media_type)
        if STOPPING.is_set():  # not 503, after which a browser's EventSource would not come back
            _viewed(opened(), query, use_up=False)
            return Response(end_of(form, Ending.STOPPING), 200, _HEADERS, content_type=form.media_type)
        place = live().places.take()
        if place is None:
            raise StreamsBusy
        try:
            stream = Stream(ports(), live().fanout, _viewed(opened(), query), cursor, form, _client())
        except BaseException:
            place.free()
            raise
        response = Response(iter(stream), 200, _HEADERS, content_type=form.media_type)
        # Also when the client is gone before the first byte, which is when a generator's own end would not run.
        response.call_on_close(stream.close)
        response.call_on_close(place.free)
        return response


@ticket_blueprint.route("/v1/games/<game_id>/stream-ticket")
class StreamTicket(MethodView):
    """A pass for one stream."""

    @documented(
        "issueStreamTicket",
        access=Access.SEAT,
        answers={200: Answer("The ticket, shown this once.", TicketSchema, {"a ticket": examples.TICKET})},
        examples={"a ticket": examples.NOTHING},
    )
    @opens(Access.SEAT)
    @accepts(TicketRequestSchema)
    def post(self, body: dict[str, Any]) -> Response:  # noqa: ARG002 - it is empty
        """Get a ticket for a live stream.

        For a browser's EventSource, which cannot send a token: `GET …/events?ticket=TICKET` follows the game as the
        token's seat. It opens one stream, within 30 seconds. When that stream ends, get another one and resume with
        `after`. It changes nothing in the game.
        """
        game = opened()
        ticket = tickets.issue(live().commands, game.hosted.game_id, game.viewer)
        expires_at = ports().clock() + 1000 * tickets.TICKET_SECONDS
        return json_response({"ticket": ticket, "expires_at": time_text(expires_at)})


def _form() -> Format:
    """What the Accept header asks for; SSE for a client that does not mind. Raises NotAcceptable."""
    found = preferred(SSE, NDJSON)
    if found is None:
        raise NotAcceptable
    return FORMATS[found]


def _cursor(query: dict[str, Any]) -> int | None:
    """The version to resume after; None for a Last-Event-ID that is none of ours, even beside an `after`."""
    told = request.headers.get("Last-Event-ID")
    if told is not None:
        return int(told) if _VERSION.fullmatch(told) else None
    after: int | None = query.get("after")
    return after


def _viewed(game: Opened, query: dict[str, Any], *, use_up: bool = True) -> Opened:
    """The game as the ticket's seat sees it, where there is a ticket. Raises InvalidToken, StoreUnavailable."""
    if "ticket" not in query:
        return game
    viewer = tickets.redeem(live().commands, game.hosted.game_id, query["ticket"], use_up=use_up)
    return replace(game, viewer=viewer)


def _client() -> Callable[[], bool]:
    """Whether the client has gone; it also gives writing to it an end."""
    connection = connection_of_request()
    if connection is None:
        return lambda: False
    give_up_when_unanswered(connection)
    connection.settimeout(SEND_SECONDS)
    return lambda: is_closed(connection)
