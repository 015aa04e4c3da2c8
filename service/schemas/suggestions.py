"""What asking for advice, the advice itself and the computer's levels look like."""

from __future__ import annotations

from marshmallow import fields, validate

from ai.budget import MAX_SEED, MAX_SIMULATIONS, MAX_TIME_MS
from ai.levels import LEVELS
from engine.actions import Source
from engine.deal import HAND_SIZE, MAX_DRAWS, Phase
from service.fields import (
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
    a_kind,
    a_level,
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


class BudgetSchema(RequestSchema):
    """How long to think; whichever limit ends first counts, with none of them that of level 4."""

    simulations = StrictInteger(
        validate=validate.Range(1, MAX_SIMULATIONS),
        metadata={"description": "The advice depends on nothing else, so it can be repeated."},
    )
    time_ms = StrictInteger(
        validate=validate.Range(1, MAX_TIME_MS),
        metadata={"description": f"At most so many milliseconds, and {MAX_SIMULATIONS} simulations."},
    )
    seed = StrictInteger(
        load_default=0,
        validate=validate.Range(0, MAX_SEED),
        metadata={"description": "The same seed and simulations give the same advice."},
    )
    level = StrictInteger(
        validate=validate.Range(1, max(LEVELS)),
        metadata={"description": "Think with this level's simulations, unless `simulations` says how many."},
    )


class SuggestionRequestSchema(BudgetSchema):
    """What to think about is the game; how long may be said."""

    version = StrictInteger(metadata={"description": "Refuse (412) unless the game is at this version."})


class ToldEventSchema(RequestSchema):
    """What all events say; these members are not needed."""

    version = StrictInteger(metadata={"description": "Not used."})
    at = StrictString(metadata={"description": "Not used."})
    search = fields.Dict(metadata={"description": "As a deal's record has it; not used."})


class ToldDealtSchema(ToldEventSchema):
    """The deal began."""

    type = constant("dealt")
    seat = Nothing()
    number = a_count("Of the deal.", 1, required=True)
    starter = a_seat("Who led its first round.", required=True)
    commitment = StrictString(metadata={"description": "Not used."})
    face_up = a_card("The card turned up first; null where none was.", required=True, allow_none=True)
    hands = by_seat(some_cards(allow_none=True), "The seat's own; null for the other.")


class ToldPlayedSchema(ToldEventSchema):
    """A seat led or followed."""

    type = constant("played")
    seat = a_seat("Who played.", required=True)
    cards = some_cards("In any order.", 1, required=True)
    kind = a_kind()


class ToldPassedSchema(ToldEventSchema):
    """A seat passed."""

    type = constant("passed")
    seat = a_seat("Who passed.", required=True)
    automatic = StrictBoolean(required=True, metadata={"description": "Whether by automatic_turn_skip."})


class ToldDrewSchema(ToldEventSchema):
    """Both seats drew."""

    type = constant("drew")
    seat = a_seat("Who chose the source; null under no_face_up_draw.", required=True, allow_none=True)
    source = one_of(Source, "What it chose.", required=True, allow_none=True)
    drawn = by_seat(a_card(allow_none=True), "What each seat drew; null for a card that this seat could not see.")
    face_up = a_card("The newly revealed card, if there is one.", required=True, allow_none=True)


TOLD_EVENT = Variants(
    "ToldEvent",
    "type",
    {"dealt": ToldDealtSchema, "played": ToldPlayedSchema, "passed": ToldPassedSchema, "drew": ToldDrewSchema},
    "An event of the deal being played, as GET …/history shows it to the seat.",
)


class PositionRequestSchema(BudgetSchema):
    """A position as the seat to act knows it, at any table, and how long to think."""

    rules = fields.Nested(NewRulesSchema, metadata={"description": "What is left out is as in the boxed base game."})
    phase = StrictString(
        load_default=Phase.PLAY,
        validate=validate.OneOf([Phase.PLAY, Phase.DRAW]),
        metadata={"description": "Whether cards are to be played or a draw is to be chosen."},
    )
    seat = a_seat("Whose position it is.", load_default=0)
    hand = some_cards("Cards of the seat to act.", required=True)
    own_known = some_cards("Those of them that it took from the face-up place.", load_default=list)
    opponent_hand_size = StrictInteger(
        required=True,
        metadata={"description": "Cards in the other hand.", "minimum": 1, "maximum": HAND_SIZE + MAX_DRAWS},
    )
    opponent_known = some_cards("Cards of the opponent's that it took from the face-up place.", load_default=list)
    played = some_cards("All cards played in this deal, those on the table included.", required=True)
    face_up = a_card("The card both may choose to draw; null when there is none.", load_default=None)
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

    action = OneOf(ACTION, required=True, metadata={"description": "As the view's legal_actions show it."})
    win_probability = a_share("Chance to win this deal with it.")
    visits = a_count("Simulations that tried it.", required=True)


class SearchSchema(ResponseSchema):
    """How the advice was found."""

    simulations = a_count("How many there were.", required=True)
    elapsed_ms = fields.Float(
        required=True, validate=validate.Range(0), metadata={"description": "How long they took, in milliseconds."}
    )
    seed = a_count("The request's.", required=True)


class SuggestionSchema(ResponseSchema):
    """Every legal action, best first."""

    version = a_count("The game's; null for a described position.", 1, required=True, allow_none=True)
    seat = a_seat("Whom it advises.", required=True)
    win_probability = a_share(
        "Chance to win this deal with the best action, against an opponent of equal strength "
        "unless its play in this deal is that of a beginner."
    )
    best = OneOf(ACTION, required=True, metadata={"description": "The first of `actions`."})
    actions = StrictList(
        fields.Nested(ActionValueSchema),
        required=True,
        validate=validate.Length(1),
        metadata={"description": "Every legal action, the advised one first: the one that was tried most."},
    )
    search = fields.Nested(SearchSchema, required=True, metadata={"description": "How it was found."})


class LevelSchema(ResponseSchema):
    """A level of the computer's, with what was measured of it."""

    level = a_level("For `level` when creating a game.")
    name = StrictString(required=True, metadata={"description": "In a word."})
    simulations = StrictInteger(required=True, allow_none=True, metadata={"description": "Budget for one action."})
    typical_ms = fields.Float(
        required=True,
        metadata={
            "description": "Typical time of the search for one action on one core. "
            "A move in a game takes half as long again, whatever the hand."
        },
    )
    strength = fields.Dict(
        keys=fields.String(),
        values=fields.Float(validate=validate.Range(0, 1)),
        required=True,
        metadata={"description": "Share of deals won, by opponent."},
    )


class LevelsSchema(ResponseSchema):
    """The computer's levels, weakest first."""

    levels = StrictList(fields.Nested(LevelSchema), required=True, metadata={"description": "Weakest first."})
    default = a_level("Where creating a game names none.")
