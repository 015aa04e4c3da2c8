"""The bodies and query parameters of the games' operations, and what they mean to the use cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marshmallow import fields, validate

from ai.levels import DEFAULT_LEVEL, LEVELS
from engine.actions import Source
from engine.rules import MAX_POINTS_TO_WIN, Rules
from engine.shuffle import MAX_CLIENT_SEED, SEED_BYTES
from service.errors import Flaw, InvalidRequest
from service.fields import (
    OneOf,
    QueryInteger,
    QuerySchema,
    RequestSchema,
    StrictInteger,
    StrictList,
    StrictString,
    Variants,
)
from service.hosted import AiReply, SeatKind, SeatSettings, Settings
from service.schemas.members import NewRulesSchema, Written, a_seat, constant, one_of, some_cards

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.cards import Edition, Rank

MAX_DEALS = 2 * MAX_POINTS_TO_WIN - 1

# Names end up in logs, terminals and tables: no line breaks and other control characters, and none that turn the
# direction of writing around or are not seen at all. A pattern has no names for them that every reader of JSON Schema
# understands, and no notation for those beyond U+FFFF: these are not looked for.
_HIDDEN = r"\u0000-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB"
# What belongs into names, joined emoji among them, but does not make one: spaces, joiners, selectors, fillers.
_BLANK = (
    r"\u0020\u00A0\u034F\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180D\u180F\u2000-\u200A\u200C\u200D\u202F\u205F"
    r"\u2800\u3000\u3164\uFE00-\uFE0F\uFFA0"
)
_NAME = f"[{_BLANK}]*[^{_HIDDEN}{_BLANK}][^{_HIDDEN}]*"
_NAME_FLAW = "Must have a visible character, and no control or hidden characters."
_SEED = f"[0-9A-Fa-f]{{{2 * SEED_BYTES}}}"


class NewHumanSeatSchema(RequestSchema):
    """A seat for a person, who gets a token for it."""

    kind = constant(SeatKind.HUMAN)
    name = StrictString(
        load_default=None,
        validate=[validate.Length(1, 40), Written(f"({_NAME})?", _NAME_FLAW)],  # an empty one is too short
        metadata={
            "description": "Shown to both seats. At least one visible character; no control characters, none that turn "
            "the direction of writing around, no unseen ones but joiners. The pattern is all that is checked.",
            "pattern": f"^{_NAME}$",
        },
    )


class NewAiSeatSchema(RequestSchema):
    """A seat for the computer."""

    kind = constant(SeatKind.AI)
    level = StrictInteger(
        load_default=DEFAULT_LEVEL,
        validate=validate.Range(1, max(LEVELS)),
        metadata={"description": "How strong it plays; GET /v1/levels has measured figures."},
    )


NEW_SEAT = Variants("NewSeat", "kind", {"human": NewHumanSeatSchema, "ai": NewAiSeatSchema}, "Who is to sit there.")


class GameRequestSchema(RequestSchema):
    """How a game is to be played; everything is optional."""

    seats = StrictList(
        OneOf(NEW_SEAT),
        validate=validate.Length(equal=2),
        metadata={
            "description": "Seat 0 and seat 1.",
            "default": [{"kind": "human", "name": None}, {"kind": "ai", "level": DEFAULT_LEVEL}],
        },
    )
    rules = fields.Nested(NewRulesSchema, metadata={"description": "What is left out is as in the boxed base game."})
    first_leader = a_seat("Who leads the first deal; null: drawn at random.", load_default=None)
    ai_reply = one_of(
        AiReply,
        "Whether the computer's due actions are made inside the request that hands it the turn, or by ai-move. "
        "Games between two computers are always manual.",
        load_default=AiReply.AUTO,
    )
    turn_seconds = StrictInteger(
        load_default=None,
        validate=validate.Range(5, 604_800),
        metadata={"description": "Time for each action of a person; null: no clock."},
    )
    deal_seeds = StrictList(
        StrictString(validate=Written(_SEED, "Must be 64 hexadecimal digits."), metadata={"pattern": f"^{_SEED}$"}),
        load_default=None,
        validate=validate.Length(1, MAX_DEALS),
        metadata={"description": "The secret seeds of the deals, for reproducible games; null: random ones."},
    )


class ActionRequestSchema(RequestSchema):
    """An action that needs nothing said but the version it acts on, here or in If-Match."""

    version = StrictInteger(metadata={"description": "Version of the game that this acts on; or say it in If-Match."})


class DealRequestSchema(ActionRequestSchema):
    """How to shuffle."""

    client_seed = StrictString(
        load_default="",
        validate=validate.Length(max=MAX_CLIENT_SEED),
        metadata={"description": "Mixed into the shuffle after its promise, so that neither side can choose the deck."},
    )


class PlayRequestSchema(ActionRequestSchema):
    """The cards to lead or follow with, in any order."""

    cards = some_cards("Labels of the game's edition.", 1, required=True)


class DrawChoiceRequestSchema(ActionRequestSchema):
    """Where to draw from."""

    source = one_of(
        Source, "`face_up`: the card everybody sees. `draw_pile`: the unseen top of the pile.", required=True
    )


class HistoryQuerySchema(QuerySchema):
    """Which events."""

    after = QueryInteger(
        load_default=0, validate=validate.Range(0), metadata={"description": "Versions above this one."}
    )
    limit = QueryInteger(
        load_default=100, validate=validate.Range(1, 1000), metadata={"description": "At most so many events."}
    )


def rules_of(body: dict[str, Any]) -> Rules:
    """The rules that a body asks for, those of the base game where it says nothing."""
    return Rules(**body.get("rules", {}))


def settings_of(body: dict[str, Any]) -> Settings:
    """What GameRequestSchema's body asks for."""
    seats = body.get("seats") or [{"kind": SeatKind.HUMAN}, {"kind": SeatKind.AI, "level": DEFAULT_LEVEL}]
    first, second = (SeatSettings(SeatKind(one["kind"]), one.get("name"), one.get("level")) for one in seats)
    seeds = body["deal_seeds"]
    return Settings(
        rules=rules_of(body),
        seats=(first, second),
        first_leader=body["first_leader"],
        ai_reply=body["ai_reply"],
        turn_seconds=body["turn_seconds"],
        deal_seeds=None if seeds is None else tuple(bytes.fromhex(seed) for seed in seeds),
    )


def ranks_of(labels: Iterable[str], edition: Edition, pointer: str) -> tuple[Rank, ...]:
    """The ranks that labels stand for.

    Raises InvalidRequest: at `pointer`/i for each label that the edition does not print.
    """
    ranks, flaws = known_ranks(labels, edition, pointer)
    if flaws:
        raise InvalidRequest(flaws)
    return ranks


def known_ranks(labels: Iterable[str], edition: Edition, pointer: str) -> tuple[tuple[Rank, ...], list[Flaw]]:
    """The ranks of the labels that the edition prints, and a flaw for each of the others."""
    printed = edition.labels
    labels = tuple(labels)
    flaws = [
        Flaw(f"The {edition} edition has no card {label!r}.", pointer=f"{pointer}/{index}")
        for index, label in enumerate(labels)
        if label not in printed
    ]
    return tuple([edition.rank(label) for label in labels if label in printed]), flaws
