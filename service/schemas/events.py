"""What events, a history and an ended deal's record look like."""

from __future__ import annotations

from marshmallow import fields, validate

from engine.actions import Source
from engine.cards import CARDS
from engine.events import Reason
from engine.shuffle import ALGORITHM, MAX_CLIENT_SEED
from service.fields import OneOf, ResponseSchema, StrictBoolean, StrictList, StrictString, Variants
from service.hosted import SeatKind
from service.schemas.members import (
    Nothing,
    a_card,
    a_count,
    a_kind,
    a_level,
    a_name,
    a_seat,
    by_seat,
    constant,
    one_of,
    some_cards,
    the_rules,
)


class SearchTraceSchema(ResponseSchema):
    """What a choice of the computer's can be computed again from."""

    simulations = a_count("How many there were.", required=True)
    seed = a_count("The search's own seed.", required=True)
    level = a_level()


class EventSchema(ResponseSchema):
    """What all events say."""

    version = a_count("The game's version after it.", 1, required=True)
    at = fields.DateTime(required=True, metadata={"description": "RFC 3339, in UTC."})


class NobodysEventSchema(EventSchema):
    """An event that no seat has caused by itself."""

    seat = Nothing(required=True)


class ActedEventSchema(EventSchema):
    """An action that the computer may have chosen."""

    search = fields.Nested(
        SearchTraceSchema, metadata={"description": "In an ended deal's record, when the computer chose it."}
    )


class HumanSeatSettingsSchema(ResponseSchema):
    """A person's seat."""

    seat = a_seat(required=True)
    kind = constant(SeatKind.HUMAN)
    name = a_name()


class AiSeatSettingsSchema(ResponseSchema):
    """A seat of the computer's."""

    seat = a_seat(required=True)
    kind = constant(SeatKind.AI)
    level = a_level()


SEAT_SETTINGS = Variants(
    "SeatSettings", "kind", {"human": HumanSeatSettingsSchema, "ai": AiSeatSettingsSchema}, "Who sits there."
)


class CreatedEventSchema(NobodysEventSchema):
    """The game was created."""

    type = constant("created")
    rules = the_rules()
    seats = by_seat(OneOf(SEAT_SETTINGS), "Seat 0 and seat 1.")
    first_leader = a_seat("Who leads the first deal.", required=True)


class DealtEventSchema(NobodysEventSchema):
    """A deal began."""

    type = constant("dealt")
    number = a_count("Within the game, from 1.", 1, required=True)
    starter = a_seat("Who leads its first round.", required=True)
    commitment = StrictString(required=True, metadata={"description": "SHA-256 of the shuffle's secret seed, in hex."})
    face_up = a_card("The card turned up first; null where none is.", required=True, allow_none=True)
    hands = by_seat(some_cards(allow_none=True), "The hands dealt; null where the viewer may not know one.")


class PlayedEventSchema(ActedEventSchema):
    """A seat led or followed."""

    type = constant("played")
    seat = a_seat("Who played.", required=True)
    cards = some_cards("Ascending.", 1, required=True)
    kind = a_kind()


class PassedEventSchema(ActedEventSchema):
    """A seat passed, which ended the round."""

    type = constant("passed")
    seat = a_seat("Who passed.", required=True)
    automatic = StrictBoolean(
        required=True, metadata={"description": "Whether the seat was passed over (automatic_turn_skip)."}
    )


class DrewEventSchema(ActedEventSchema):
    """Both seats drew a card."""

    type = constant("drew")
    seat = a_seat("Who chose the source; null under no_face_up_draw.", required=True, allow_none=True)
    source = one_of(Source, "What it chose.", required=True, allow_none=True)
    drawn = by_seat(a_card(allow_none=True), "What each seat drew; null where the viewer may not know the card.")
    face_up = a_card("The newly revealed card, if there is one.", required=True, allow_none=True)


class DealEndedEventSchema(NobodysEventSchema):
    """A seat played its last card and scored."""

    type = constant("deal_ended")
    number = a_count("Within the game, from 1.", 1, required=True)
    winner = a_seat("Who won the deal, and a point.", required=True)


class GameEndedEventSchema(NobodysEventSchema):
    """The game has a winner."""

    type = constant("game_ended")
    winner = a_seat("Who won the game.", required=True)
    reason = one_of(
        Reason,
        "`points`: enough deals were won. `resignation`: the other seat gave up. `time`: its time had run out.",
        required=True,
    )


EVENT = Variants(
    "Event",
    "type",
    {
        "created": CreatedEventSchema,
        "dealt": DealtEventSchema,
        "played": PlayedEventSchema,
        "passed": PassedEventSchema,
        "drew": DrewEventSchema,
        "deal_ended": DealEndedEventSchema,
        "game_ended": GameEndedEventSchema,
    },
    "Something that happened; each makes the game's version one higher.",
)


class HistorySchema(ResponseSchema):
    """Some of a game's events in order."""

    events = StrictList(OneOf(EVENT), required=True, metadata={"description": "In the order of their versions."})
    next_after = a_count("Continue with ?after= this; null at the end.", required=True, allow_none=True)


class DealRecordSchema(ResponseSchema):
    """An ended deal whole, so that anybody can compute its shuffle and the computer's choices again."""

    game = StrictString(required=True, metadata={"description": "The game's id."})
    rules = the_rules()
    number = a_count("Within the game, from 1.", 1, required=True)
    starter = a_seat("Who led its first round.", required=True)
    winner = a_seat("Who won the deal; null when the game ended in the middle of it.", required=True, allow_none=True)
    deck = StrictList(
        a_card(),
        required=True,
        validate=validate.Length(equal=CARDS),
        metadata={
            "description": "Top first: 12 cards of seat 0, 12 of seat 1, 4 set aside, 12 to draw (the first face up)."
        },
    )
    seed = StrictString(required=True, metadata={"description": "The secret seed, in hex."})
    client_seed = StrictString(
        required=True,
        validate=validate.Length(max=MAX_CLIENT_SEED),
        metadata={"description": "What the deal request mixed in; empty: nothing."},
    )
    commitment = StrictString(required=True, metadata={"description": "SHA-256 of the secret seed, in hex."})
    algorithm = StrictString(
        required=True,
        validate=validate.Equal(ALGORITHM),
        metadata={"description": 'How the seeds become a deck; see "Fair shuffle" above.'},
    )
    events = StrictList(OneOf(EVENT), required=True, metadata={"description": "Unredacted."})
