"""What a live stream tells, and what is asked for it."""

from __future__ import annotations

from marshmallow import fields, validate

from service.fields import (
    QueryInteger,
    QueryNumber,
    QuerySchema,
    RequestSchema,
    ResponseSchema,
    StrictBoolean,
    StrictString,
    Variants,
)
from service.listeners import Ending
from service.schemas.events import EVENT
from service.schemas.members import a_count, a_seat, by_seat, constant, one_of
from service.schemas.views import GameViewSchema

LONGEST_WAIT_SECONDS = 25.0


class EventsQuerySchema(QuerySchema):
    """Where a stream begins, and who asks for it."""

    after = QueryInteger(
        validate=validate.Range(0),
        metadata={
            "description": "Resume with the events above this version, from the very first on with 0; "
            "Last-Event-ID wins over it."
        },
    )
    ticket = StrictString(
        validate=validate.Length(1, 200),
        metadata={"description": "A stream ticket instead of a token, for browsers' EventSource."},
    )


class GameQuerySchema(QuerySchema):
    """Whether to wait for a later version."""

    wait = QueryNumber(
        load_default=0.0,
        validate=validate.Range(0),
        metadata={
            "description": "Seconds to wait at most until the version passes `version`; more than 25 count as 25."
        },
    )
    version = QueryInteger(
        validate=validate.Range(0), metadata={"description": "The version known already; the current one by default."}
    )


class TicketRequestSchema(RequestSchema):
    """Nothing needs to be said."""


class SnapshotSchema(ResponseSchema):
    """The game as it is; the events above its version follow."""

    type = constant("snapshot")
    version = a_count("The game's.", 1, required=True)
    game = fields.Nested(GameViewSchema, required=True, metadata={"description": "As the stream's viewer sees it."})
    presence = by_seat(
        StrictBoolean(), "Whether somebody follows the game from that seat now; the computer always does."
    )


class PresenceSchema(ResponseSchema):
    """The other seat came or went. Not an event of the game: it has no version."""

    type = constant("presence")
    seat = a_seat("Who came or went.", required=True)
    online = StrictBoolean(required=True, metadata={"description": "true: came, false: went."})


class StreamEndedSchema(ResponseSchema):
    """The stream ends without having told `game_ended`; a new one resumes after the last version seen."""

    type = constant("stream_ended")
    reason = one_of(
        Ending,
        "`game_finished`: the game was over already, there is nothing more to come. Else come back and resume. "
        "`stopping`: the service restarts or stops. `too_slow`: the client fell behind what happens. "
        "`store_unavailable`: what happened cannot be read now. `unreadable`: nor can it be by this version of the "
        "service. `game_gone`: the game is no longer stored.",
        required=True,
    )


MESSAGE = Variants(
    "StreamMessage",
    "type",
    {
        "snapshot": SnapshotSchema,
        **EVENT.schemas,
        "presence": PresenceSchema,
        "stream_ended": StreamEndedSchema,
    },
    "What a stream tells.",
)


class TicketSchema(ResponseSchema):
    """A pass for one stream."""

    ticket = StrictString(required=True, metadata={"description": "For `?ticket=`, once."})
    expires_at = fields.DateTime(required=True, metadata={"description": "RFC 3339, in UTC."})
