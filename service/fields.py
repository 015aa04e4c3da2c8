"""marshmallow fields and schemas that take a JSON value for what it is: no text for a number, no 1 for true.

Each documents itself through apispec like the marshmallow field it extends. `allow_none=True`, or
`load_default=None`, makes any of them nullable.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from marshmallow import EXCLUDE, RAISE, Schema, ValidationError, fields

from service.flaws import UNKNOWN_MEMBER, UNKNOWN_PARAMETER

if TYPE_CHECKING:
    from collections.abc import Mapping

# The integers that every JSON reader keeps exactly (RFC 8259, section 6).
MAX_INTEGER = 2**53 - 1
_MOST_DIGITS = len(f"-{MAX_INTEGER}")


class RequestSchema(Schema):
    """A body or a part of one; members it does not name are refused."""

    class Meta:
        """marshmallow's options."""

        unknown = RAISE

    error_messages = {"unknown": UNKNOWN_MEMBER, "type": "Must be an object."}  # noqa: RUF012 - marshmallow's name


class QuerySchema(Schema):
    """An operation's query parameters; others, and repeated ones, are refused."""

    class Meta:
        """marshmallow's options."""

        unknown = RAISE

    error_messages = {"unknown": UNKNOWN_PARAMETER}  # noqa: RUF012


class ResponseSchema(Schema):
    """An answer or a part of one; clients must expect members that are added later."""

    class Meta:
        """marshmallow's options."""

        unknown = EXCLUDE


class StrictInteger(fields.Integer):
    """An integer as JSON Schema has it: 7 and 7.0, within ±(2^53 - 1); not "7", 7.5 or true."""

    default_error_messages = {  # noqa: RUF012
        "invalid": "Must be an integer.",
        "too_large": f"Must lie within ±{MAX_INTEGER}.",
    }

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:  # noqa: ANN401, ARG002
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.make_error("invalid")
        if not abs(value) <= MAX_INTEGER:  # so put, it refuses NaN too
            raise self.make_error("too_large")
        if value != int(value):
            raise self.make_error("invalid")
        return int(value)


class StrictBoolean(fields.Boolean):
    """true or false; not 1, "yes" or the like."""

    default_error_messages = {"invalid": "Must be true or false."}  # noqa: RUF012

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:  # noqa: ANN401, ARG002
        if not isinstance(value, bool):
            raise self.make_error("invalid")
        return value


class StrictString(fields.String):
    """A JSON string."""

    default_error_messages = {"invalid": "Must be a string."}  # noqa: RUF012


class StrictList(fields.List[Any]):
    """A JSON array."""

    default_error_messages = {"invalid": "Must be an array."}  # noqa: RUF012


class QueryInteger(fields.Integer):
    """An integer written in decimal digits in the query string."""

    default_error_messages = StrictInteger.default_error_messages

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:  # noqa: ANN401, ARG002
        if not re.fullmatch(r"-?[0-9]+", value, re.ASCII):
            raise self.make_error("invalid")
        if len(value) > _MOST_DIGITS or abs(int(value)) > MAX_INTEGER:
            raise self.make_error("too_large")
        return int(value)


class QueryNumber(fields.Float):
    """A number in the query string, written as JSON writes numbers."""

    default_error_messages = {"invalid": "Must be a number."}  # noqa: RUF012

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> float:  # noqa: ANN401, ARG002
        if not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?", value):
            raise self.make_error("invalid")
        number = float(value)
        if not math.isfinite(number):
            raise self.make_error("invalid")
        return number


class Variants:
    """Objects of several shapes that a member's value tells apart: OpenAPI's oneOf with a discriminator.

    `name` is the component's name in the document; `schemas` maps each value of the member `by` to the
    schema of that shape, which names the member itself (a StrictString that must equal the value).
    """

    def __init__(self, name: str, by: str, schemas: Mapping[str, type[Schema]], description: str = "") -> None:
        self.name = name
        self.by = by
        self.schemas = dict(schemas)
        self.description = description
        self._instances = {value: schema() for value, schema in self.schemas.items()}

    def __deepcopy__(self, memo: object) -> Variants:
        return self

    def load(self, value: Any) -> Any:  # noqa: ANN401 - any JSON value comes in, any loaded shape goes out
        """The value loaded by the schema of its shape; raises ValidationError."""
        if not isinstance(value, dict):
            raise ValidationError("Must be an object.")
        if self.by not in value:
            raise ValidationError({self.by: ["Missing data for required field."]})
        shape = value[self.by]
        if not isinstance(shape, str) or shape not in self._instances:
            raise ValidationError({self.by: [f"Must be one of: {', '.join(self.schemas)}."]})
        return self._instances[shape].load(value)


class OneOf(fields.Field[Any]):
    """A member whose value is one of several shapes."""

    def __init__(self, variants: Variants, **kwargs: Any) -> None:  # noqa: ANN401 - marshmallow's options
        super().__init__(**kwargs)
        self.variants = variants

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:  # noqa: ANN401, ARG002
        return self.variants.load(value)
