"""What a whole game's record and an ended deal's analysis look like."""

from __future__ import annotations

from marshmallow import fields

from engine.events import Reason
from service.fields import OneOf, ResponseSchema, StrictBoolean, StrictList, StrictString
from service.schemas.events import DealRecordSchema
from service.schemas.members import a_count, a_seat, a_share, by_seat, one_of, the_rules
from service.schemas.views import ACTION, SEAT_VIEW


class GameRecordSchema(ResponseSchema):
    """A finished game whole, so that anybody can verify it."""

    game = StrictString(required=True, metadata={"description": "The game's id."})
    created_at = fields.DateTime(required=True, metadata={"description": "RFC 3339, in UTC."})
    ended_at = fields.DateTime(required=True, metadata={"description": "RFC 3339, in UTC."})
    rules = the_rules()
    seats = by_seat(OneOf(SEAT_VIEW), "With their final scores.")
    first_leader = a_seat("Who led the first deal.", required=True)
    seeded = StrictBoolean(required=True, metadata={"description": "Whether the creator set the deals' seeds."})
    turn_seconds = a_count("Time for each action; null without a clock.", 1, required=True, allow_none=True)
    winner = a_seat("Who won the game.", required=True)
    reason = one_of(Reason, "What ended the game.", required=True)
    deals = StrictList(
        fields.Nested(DealRecordSchema), required=True, metadata={"description": "Every deal's record, in order."}
    )


class ReviewedDecisionSchema(ResponseSchema):
    """What a seat chose, beside what was best by what it knew then."""

    version = a_count("Of the event that tells of the choice.", 1, required=True)
    seat = a_seat("Who chose.", required=True)
    best = OneOf(
        ACTION,
        required=True,
        metadata={
            "description": "What the search would have chosen: the action tried most. The chance of another may be "
            "estimated a little higher; `loss` is 0 then."
        },
    )
    win_probability = a_share("Chance to win the deal with the best action, as a suggestion tells it.")
    played = OneOf(ACTION, required=True, metadata={"description": "What was chosen."})
    played_win_probability = a_share("The same with what was played.")
    loss = a_share("What the best action would have added; 0 where nothing.")


class SeatSummarySchema(ResponseSchema):
    """How a seat has chosen in a deal."""

    seat = a_seat("Whose summary it is.", required=True)
    decisions = a_count("What it chose; automatic passes do not count.", required=True)
    best_chosen = a_count("How often the best action.", required=True)
    average_loss = a_share("Per decision; 0 without any.")


class AnalysisSearchSchema(ResponseSchema):
    """How each decision was searched; POST /v1/suggestions with these gives the same."""

    simulations = a_count("For each decision.", 1, required=True)
    seed = a_count("Of every search.", required=True)


class AnalysisSchema(ResponseSchema):
    """An ended deal reviewed from what each seat knew at the time."""

    game = StrictString(required=True, metadata={"description": "The game's id."})
    number = a_count("Within the game, from 1.", 1, required=True)
    winner = a_seat("Who won the deal; null when the game ended in the middle of it.", required=True, allow_none=True)
    decisions = StrictList(
        fields.Nested(ReviewedDecisionSchema),
        required=True,
        metadata={"description": "In order; automatic passes left out."},
    )
    seats = by_seat(fields.Nested(SeatSummarySchema), "A summary for each seat.")
    search = fields.Nested(
        AnalysisSearchSchema, required=True, metadata={"description": "With these POST /v1/suggestions finds the same."}
    )
