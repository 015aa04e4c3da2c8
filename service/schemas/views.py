"""What a view of a game, an action's answer and a new game look like."""

from __future__ import annotations

from marshmallow import fields

from engine.actions import Source
from engine.deal import Phase
from service.fields import OneOf, ResponseSchema, StrictBoolean, StrictList, StrictString, Variants
from service.hosted import SeatKind
from service.schemas.events import EVENT
from service.schemas.members import (
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


class PlayActionSchema(ResponseSchema):
    """Lead or follow with these cards."""

    type = constant("play")
    cards = some_cards("Ascending.", 1, required=True)
    kind = a_kind()


class PassActionSchema(ResponseSchema):
    """End the round."""

    type = constant("pass")


class DrawActionSchema(ResponseSchema):
    """Draw from here; the other seat draws from the other source."""

    type = constant("draw")
    source = one_of(
        Source, "`face_up`: the card everybody sees. `draw_pile`: the unseen top of the pile.", required=True
    )


ACTION = Variants(
    "Action",
    "type",
    {"play": PlayActionSchema, "pass": PassActionSchema, "draw": DrawActionSchema},
    "What a seat can do in its turn.",
)


class HumanSeatViewSchema(ResponseSchema):
    """A person's seat."""

    seat = a_seat(required=True)
    kind = constant(SeatKind.HUMAN)
    name = a_name()
    score = a_count("Deals won.", required=True)


class AiSeatViewSchema(ResponseSchema):
    """A seat of the computer's."""

    seat = a_seat(required=True)
    kind = constant(SeatKind.AI)
    level = a_level()
    score = a_count("Deals won.", required=True)


SEAT_VIEW = Variants("SeatView", "kind", {"human": HumanSeatViewSchema, "ai": AiSeatViewSchema}, "Who sits there.")


class CombinationSchema(ResponseSchema):
    """Cards that were played together."""

    kind = a_kind()
    cards = some_cards("Ascending.", 1, required=True)
    rank = a_card("The highest of them.", required=True)
    length = a_count("Ranks spanned.", 1, required=True)
    size = a_count("Number of cards.", 1, required=True)


class TablePlaySchema(ResponseSchema):
    """A lead, or what followed it."""

    seat = a_seat("Who played it.", required=True)
    cards = some_cards("Ascending.", 1, required=True)


class RoundSchema(ResponseSchema):
    """A lead and what followed it; in phase draw the round that the pass has ended."""

    number = a_count("Within the deal, from 1.", 1, required=True)
    leader = a_seat("Who leads it.", required=True)
    plays = StrictList(
        fields.Nested(TablePlaySchema), required=True, metadata={"description": "In order, the lead first."}
    )


class DealViewSchema(ResponseSchema):
    """The deal being played, as the viewer may know it."""

    number = a_count("Within the game, from 1.", 1, required=True)
    starter = a_seat("Who led its first round.", required=True)
    commitment = StrictString(required=True, metadata={"description": "SHA-256 of the shuffle's secret seed, in hex."})
    hand = some_cards("The viewer's, ascending; null in the public view.", required=True, allow_none=True)
    hand_sizes = by_seat(a_count(), "Cards in each hand.")
    known = by_seat(some_cards(), "Cards that everybody knows to be in each hand, taken from the face-up place.")
    face_up = a_card("The card both may choose to draw; null when there is none.", required=True, allow_none=True)
    draw_pile = a_count("Face-down cards left to draw.", required=True)
    played = some_cards("All cards played in this deal, those on the table included.", required=True)
    round = fields.Nested(RoundSchema, required=True, metadata={"description": "What lies on the table."})
    to_follow = fields.Nested(
        CombinationSchema,
        required=True,
        allow_none=True,
        metadata={"description": "The latest play of the round; null when leading or drawing."},
    )


class LastDealSchema(ResponseSchema):
    """The latest deal that was played to its end."""

    number = a_count("Within the game, from 1.", 1, required=True)
    winner = a_seat("Who won it.", required=True)


class NextDealSchema(ResponseSchema):
    """The deal that the game waits for, promised before anybody can influence it."""

    number = a_count("Within the game, from 1.", 1, required=True)
    starter = a_seat("Who will lead it.", required=True)
    commitment = StrictString(required=True, metadata={"description": "SHA-256 of the secret seed, in hex."})


class GameViewSchema(ResponseSchema):
    """A game at one version, as the viewer may know it."""

    id = StrictString(required=True, metadata={"description": "For the paths of this game."})
    version = a_count("Grows by one with every event; the next action names it.", 1, required=True)
    phase = one_of(
        Phase,
        "What the game waits for. `awaiting_deal`: a deal, by any seat. `play`: cards or a pass. "
        "`draw`: a draw choice. `finished`: nothing.",
        required=True,
    )
    rules = the_rules()
    seeded = StrictBoolean(required=True, metadata={"description": "Whether the creator set the deals' seeds."})
    seats = by_seat(OneOf(SEAT_VIEW), "Seat 0 and seat 1.")
    viewer = a_seat("Whose view this is; null: the public's.", required=True, allow_none=True)
    to_act = a_seat("Whose action is due; null: nobody's.", required=True, allow_none=True)
    turn_deadline = fields.DateTime(
        required=True,
        allow_none=True,
        metadata={"description": "Until when the seat to act has time; null without a clock."},
    )
    winner = a_seat("Who won the game; null before.", required=True, allow_none=True)
    deal = fields.Nested(
        DealViewSchema,
        required=True,
        allow_none=True,
        metadata={"description": "What is being played; null between deals."},
    )
    legal_actions = StrictList(
        OneOf(ACTION),
        required=True,
        metadata={"description": "Everything that the viewer may do now; empty when it is not to act."},
    )
    last_deal = fields.Nested(
        LastDealSchema, required=True, allow_none=True, metadata={"description": "Null before a deal has been won."}
    )
    next_deal = fields.Nested(
        NextDealSchema,
        required=True,
        allow_none=True,
        metadata={"description": "The deal that is due, promised; null but in phase awaiting_deal."},
    )


class ActionAnswerSchema(ResponseSchema):
    """The game after an action, and every event since the version acted on."""

    game = fields.Nested(
        GameViewSchema,
        required=True,
        metadata={"description": "As the token's seat sees it when all this has happened."},
    )
    events = StrictList(
        OneOf(EVENT), required=True, metadata={"description": "As the viewer may know them, the computer's included."}
    )


class SeatTokenSchema(ResponseSchema):
    """A token, told this once."""

    seat = a_seat("null: a game between two computers.", required=True, allow_none=True)
    token = StrictString(required=True, metadata={"description": "For `Authorization: Bearer TOKEN`; keep it."})


class CreationSchema(ResponseSchema):
    """A new game and its seats' tokens."""

    game = fields.Nested(GameViewSchema, required=True, metadata={"description": "The public view."})
    tokens = StrictList(
        fields.Nested(SeatTokenSchema),
        required=True,
        metadata={"description": "One for each person's seat; of a rematch that of who asks."},
    )
