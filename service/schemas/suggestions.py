"""What asking for advice, the advice itself and the computer's levels look like."""

from __future__ import annotations

from marshmallow import fields, validate

from engine.actions import Source
from engine.combinations import Kind
from engine.deal import HAND_SIZE, MAX_DRAWS, Phase
from service.fields import (
    MAX_INTEGER,
    OneOf,
    RequestSchema,
    ResponseSchema,
    StrictBoolean,
    StrictInteger,
    StrictList,
    StrictString,
    Variants,
)
from service.schemas.members import (
    NewRulesSchema,
    Nothing,
    a_card,
    a_count,
    a_seat,
    a_share,
    by_seat,
    constant,
    one_of,
    some_cards,
)
from service.schemas.views import ACTION

# A deal has at most 68 plays and passes, 6 draws, and its beginning.
MAX_EVENTS = 75
MAX_SIMULATIONS = 100_000


class BudgetSchema(RequestSchema):
    """How long to think; whichever limit ends first counts, with none of them that of level 4."""

    simulations = StrictInteger(
        validate=validate.Range(1, MAX_SIMULATIONS),
        metadata={"description": "The advice depends on nothing else, so it can be repeated."},
    )
    time_ms = StrictInteger(
        validate=validate.Range(1, 5_000),
        metadata={"description": f"At most so many milliseconds, and {MAX_SIMULATIONS} simulations."},
    )
    seed = StrictInteger(
        load_default=0,
        validate=validate.Range(0, MAX_INTEGER),
        metadata={"description": "The same seed and simulations give the same advice."},
    )
    level = StrictInteger(
        validate=validate.Range(1, 5),
        metadata={"description": "Think with this level's simulations, unless `simulations` says how many."},
    )


class SuggestionRequestSchema(BudgetSchema):
    """What to think about is the game; how long may be said."""

    version = StrictInteger(metadata={"description": "Refuse (412) unless the game is at this version."})


class ToldEventSchema(RequestSchema):
    """What all events say; these members are not needed."""

    version = StrictInteger()
    at = StrictString()
    search = fields.Dict(metadata={"description": "As a deal's record has it; not used."})


class ToldDealtSchema(ToldEventSchema):
    """The deal began."""

    type = constant("dealt")
    seat = Nothing()
    number = a_count(least=1, required=True)
    starter = a_seat(required=True)
    commitment = StrictString()
    face_up = a_card(required=True, allow_none=True)
    hands = by_seat(some_cards(allow_none=True), "The seat's own; null for the other.")


class ToldPlayedSchema(ToldEventSchema):
    """A seat led or followed."""

    type = constant("played")
    seat = a_seat(required=True)
    cards = some_cards(least=1, required=True)
    kind = one_of(Kind, required=True)


class ToldPassedSchema(ToldEventSchema):
    """A seat passed."""

    type = constant("passed")
    seat = a_seat(required=True)
    automatic = StrictBoolean(required=True)


class ToldDrewSchema(ToldEventSchema):
    """Both seats drew."""

    type = constant("drew")
    seat = a_seat(required=True, allow_none=True)
    source = one_of(Source, required=True, allow_none=True)
    drawn = by_seat(a_card(allow_none=True), "null for a card that the seat could not see.")
    face_up = a_card(required=True, allow_none=True)


TOLD_EVENT = Variants(
    "ToldEvent",
    "type",
    {"dealt": ToldDealtSchema, "played": ToldPlayedSchema, "passed": ToldPassedSchema, "drew": ToldDrewSchema},
    "An event of the deal being played, as GET …/history shows it to the seat.",
)


class PositionRequestSchema(BudgetSchema):
    """A position as the seat to act knows it, at any table, and how long to think."""

    rules = fields.Nested(NewRulesSchema)
    phase = StrictString(load_default=Phase.PLAY, validate=validate.OneOf([Phase.PLAY, Phase.DRAW]))
    seat = a_seat("Whose position it is.", load_default=0)
    hand = some_cards("Cards of the seat to act.", required=True)
    own_known = some_cards("Those of them that it took from the face-up place.", load_default=list)
    opponent_hand_size = StrictInteger(required=True, metadata={"minimum": 1, "maximum": HAND_SIZE + MAX_DRAWS})
    opponent_known = some_cards("Cards of the opponent's that it took from the face-up place.", load_default=list)
    played = some_cards("All cards played in this deal, those on the table included.", required=True)
    face_up = a_card("null when there is none.", load_default=None)
    draw_pile = StrictInteger(
        required=True,
        metadata={"description": "Face-down cards left to draw.", "minimum": 0, "maximum": 2 * MAX_DRAWS},
    )
    to_follow = some_cards("The latest play of the round; null or [] when leading or drawing.", load_default=None)
    history = StrictList(
        OneOf(TOLD_EVENT),
        load_default=None,
        validate=validate.Length(1, MAX_EVENTS),
        metadata={"description": "The deal's events from `dealt` on, as this seat saw them; they refine the advice."},
    )


class ActionValueSchema(ResponseSchema):
    """A legal action and what the search thinks of it."""

    action = OneOf(ACTION, required=True)
    win_probability = a_share("Chance to win this deal with it.")
    visits = a_count("Simulations that tried it.", required=True)


class SearchSchema(ResponseSchema):
    """How the advice was found."""

    simulations = a_count(required=True)
    elapsed_ms = fields.Float(required=True, validate=validate.Range(0))
    seed = a_count(required=True)


class SuggestionSchema(ResponseSchema):
    """Every legal action, best first."""

    version = a_count("The game's; null for a described position.", 1, required=True, allow_none=True)
    seat = a_seat("Whom it advises.", required=True)
    win_probability = a_share("Chance to win this deal with the best action, against an equal opponent.")
    best = OneOf(ACTION, required=True)
    actions = StrictList(fields.Nested(ActionValueSchema), required=True, validate=validate.Length(1))
    search = fields.Nested(SearchSchema, required=True)


class LevelSchema(ResponseSchema):
    """A level of the computer's; every figure was measured."""

    level = StrictInteger(required=True, validate=validate.Range(1, 5))
    name = StrictString(required=True)
    simulations = StrictInteger(required=True, allow_none=True, metadata={"description": "Budget for one action."})
    typical_ms = fields.Float(required=True, metadata={"description": "Typical time for one action on one core."})
    strength = fields.Dict(
        keys=fields.String(),
        values=fields.Float(validate=validate.Range(0, 1)),
        required=True,
        metadata={"description": "Share of deals won, by opponent."},
    )


class LevelsSchema(ResponseSchema):
    """The computer's levels, weakest first."""

    levels = StrictList(fields.Nested(LevelSchema), required=True)
    default = StrictInteger(required=True, validate=validate.Range(1, 5))
