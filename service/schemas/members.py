"""Members that several shapes have: cards, seats, names of things; whatever is a fixed set comes from the engine."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

from marshmallow import ValidationError, fields, validate

from ai.levels import LEVELS
from engine.cards import CARDS, Edition
from engine.combinations import Kind
from engine.rules import MAX_POINTS_TO_WIN
from service.fields import RequestSchema, ResponseSchema, StrictBoolean, StrictInteger, StrictList, StrictString

if TYPE_CHECKING:
    from marshmallow.fields import Field

E = TypeVar("E", bound=StrEnum)

LABELS = tuple(dict.fromkeys(label for edition in Edition for label in edition.labels))
"""Every label that some edition prints (R1)."""

POINTS = validate.Range(1, MAX_POINTS_TO_WIN)


class Written:
    """A validator: the whole string has the form that a regular expression tells."""

    def __init__(self, pattern: str, error: str) -> None:
        self._pattern = re.compile(pattern, re.ASCII)
        self._error = error

    def __call__(self, value: str) -> str:
        """Answers the value; raises ValidationError."""
        if not self._pattern.fullmatch(value):
            raise ValidationError(self._error)
        return value


class Nothing(fields.Raw):
    """A member that is there for the sake of its neighbours' form: always null."""

    default_error_messages = {"invalid": "Must be null."}  # noqa: RUF012 - marshmallow's name

    def __init__(self, *, required: bool = False) -> None:
        super().__init__(required=required, allow_none=True, metadata={"enum": [None], "description": "Always null."})

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:  # noqa: ANN401, ARG002
        raise self.make_error("invalid")


def one_of(enum: type[E], description: str = "", **options: Any) -> fields.Enum[E]:  # noqa: ANN401 - a field's own
    """A string that names a member of an enumeration."""
    return fields.Enum(enum, by_value=StrictString(), **_described(description, options))


def constant(value: str) -> StrictString:
    """The member that tells a shape from others."""
    told = {"description": f"Always `{value}`: it tells this shape from others."}
    return StrictString(required=True, validate=validate.Equal(value), metadata=told)


def a_card(description: str = "", **options: Any) -> StrictString:  # noqa: ANN401
    """A card's label in some edition."""
    return StrictString(validate=validate.OneOf(LABELS), **_described(description, options))


def some_cards(description: str = "", least: int = 0, **options: Any) -> StrictList:  # noqa: ANN401
    """Cards, at most as many as there are."""
    return StrictList(a_card(), validate=validate.Length(least or None, CARDS), **_described(description, options))


def a_seat(description: str = "Seat 0 or seat 1.", **options: Any) -> StrictInteger:  # noqa: ANN401
    """A seat, 0 or 1 (R2)."""
    return StrictInteger(validate=validate.OneOf([0, 1]), **_described(description, options))


def a_count(description: str = "", least: int = 0, **options: Any) -> StrictInteger:  # noqa: ANN401
    """A number of something."""
    return StrictInteger(validate=validate.Range(least), **_described(description, options))


def by_seat(inner: Field[Any], description: str = "") -> StrictList:
    """Two values, that of seat 0 first."""
    return StrictList(inner, required=True, validate=validate.Length(equal=2), **_described(description, {}))


def a_kind() -> fields.Enum[Kind]:
    """The kind of some cards that were played together (R6-R9)."""
    return one_of(Kind, "What the cards are.", required=True)


def a_level(description: str = "The computer's level, 1 the weakest.") -> StrictInteger:
    """One of the computer's levels."""
    return StrictInteger(required=True, validate=validate.Range(1, max(LEVELS)), **_described(description, {}))


def a_name(description: str = "What the person is called; null: not told.") -> StrictString:
    """A person's name."""
    return StrictString(required=True, allow_none=True, **_described(description, {}))


def a_share(description: str = "") -> fields.Float:
    """A probability."""
    return fields.Float(required=True, validate=validate.Range(0, 1), **_described(description, {}))


def _described(description: str, options: dict[str, Any]) -> dict[str, Any]:
    return {**options, "metadata": {"description": description}} if description else options


_POINTS = "Deals that a seat has to win to win the game."
_EDITION = "Which labels the cards carry: `boxed` 1 to 9 and C, `classic` 2 to 10 and Q. The ten ranks are the same."
_RUNS = "The Crisp is the tenth rank of sequences and stairs."
_DRAW = "Nothing is turned up; both draw unseen cards after a pass."
_SKIP = "A seat passes by itself when no hand that it could hold in public knowledge can follow."


class NewRulesSchema(RequestSchema):
    """The settings of a game; what is missing is as in the boxed base game."""

    edition = one_of(Edition, _EDITION, load_default=Edition.BOXED)
    crisps_in_runs = StrictBoolean(load_default=False, metadata={"description": _RUNS})
    no_face_up_draw = StrictBoolean(load_default=False, metadata={"description": _DRAW})
    automatic_turn_skip = StrictBoolean(load_default=False, metadata={"description": _SKIP})
    points_to_win = StrictInteger(load_default=3, validate=POINTS, metadata={"description": _POINTS})


class RulesSchema(ResponseSchema):
    """The settings of a game."""

    edition = one_of(Edition, _EDITION, required=True)
    crisps_in_runs = StrictBoolean(required=True, metadata={"description": _RUNS})
    no_face_up_draw = StrictBoolean(required=True, metadata={"description": _DRAW})
    automatic_turn_skip = StrictBoolean(required=True, metadata={"description": _SKIP})
    points_to_win = StrictInteger(required=True, validate=POINTS, metadata={"description": _POINTS})


def the_rules() -> fields.Nested:
    """The settings of a game."""
    return fields.Nested(RulesSchema, required=True, metadata={"description": "The game's settings."})
