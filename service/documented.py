"""What an operation promises, declared where it is written: the outermost decorator of every view method."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from marshmallow import Schema
from marshmallow.fields import Field, Nested

from service.answers import JSON, PROBLEM_JSON
from service.fields import ResponseSchema, StrictInteger, StrictList, StrictString, Variants
from service.parsing import accepted_by
from service.problems import KINDS, by_status

View = TypeVar("View", bound=Callable[..., Any])
Shape = type[Schema] | Variants

BEARER = "bearerAuth"


class Access(enum.Enum):
    """Who may call an operation, and what that may be refused with; `security` is OpenAPI's form of it."""

    OPEN = ()
    OPTIONAL = ("invalid_token", "unknown_game", "store_unavailable")
    SEAT = ("missing_token", "invalid_token", "unknown_game", "store_unavailable")

    @property
    def security(self) -> list[dict[str, list[str]]]:
        """OpenAPI's security requirement."""
        if self is Access.OPEN:
            return []
        return [{BEARER: []}] if self is Access.SEAT else [{}, {BEARER: []}]


@dataclass(frozen=True, slots=True)
class Answer:
    """One successful answer of an operation.

    `examples` maps a short name to a body; `headers` names components of HEADERS; `also` holds other media
    types as OpenAPI writes them: `{"text/event-stream": {"schema": {}}}`. Without `shape` it has no body.
    """

    description: str
    shape: Shape | None = None
    examples: Mapping[str, Any] = field(default_factory=dict)
    headers: tuple[str, ...] = ()
    also: Mapping[str, Any] = field(default_factory=dict)

    def as_openapi(self) -> dict[str, Any]:
        """The response object, schemas not yet resolved."""
        content = {JSON: _media(self.shape, self.examples)} if self.shape else {}
        return _response(self.description, {**content, **self.also}, self.headers)


class FlawSchema(ResponseSchema):
    """One thing wrong with a request: at a JSON pointer into the body, or in a query parameter or header."""

    pointer = StrictString(metadata={"description": "RFC 6901 pointer into the body; the whole body is ''."})
    parameter = StrictString(metadata={"description": "Name of the query parameter or header."})
    detail = StrictString(required=True, metadata={"description": "What is wrong there, in words."})


class ProblemSchema(ResponseSchema):
    """A refusal (RFC 9457); programs go by `code`."""

    type = StrictString(
        required=True, metadata={"description": "Leads to a page about the code.", "format": "uri-reference"}
    )
    title = StrictString(required=True, metadata={"description": "The same for every problem of the code."})
    status = StrictInteger(required=True, metadata={"description": "The HTTP status."})
    detail = StrictString(required=True, metadata={"description": "What is wrong this time, for people to read."})
    instance = StrictString(required=True, metadata={"description": "The request's path.", "format": "uri-reference"})
    code = StrictString(required=True, metadata={"description": "For programs; stable.", "enum": sorted(KINDS)})
    errors = StrictList(Nested(FlawSchema), metadata={"description": "With code invalid_request."})
    current_version = StrictInteger(metadata={"description": "The game's version, where it helps."})
    retry_after = StrictInteger(metadata={"description": "Seconds to wait; the same as Retry-After."})


def _key_pattern(least: int) -> str:
    """Of an Idempotency-Key with that many characters at least: visible ones, in quotes (RFC 9651, 3.3.3) or bare."""
    return rf'^("([!#-\[\]-~]|\\["\\]){{{least},255}}"|[!#-~][!-~]{{{least - 1},254}})$'


# Components that operations name; the document holds those that are named.
HEADERS: Mapping[str, dict[str, Any]] = {
    "ETag": {
        "description": 'The version shown and, after a dot, to whom: `"11.0"`, in public `"11.p"`. For If-Match.',
        "schema": {"type": "string"},
    },
    "Location": {
        "description": "Path of what was created.",
        "schema": {"type": "string", "format": "uri-reference"},
    },
    "RateLimit-Limit": {"description": "Requests a minute.", "schema": {"type": "integer", "minimum": 1}},
    "RateLimit-Remaining": {"description": "Left in this minute.", "schema": {"type": "integer", "minimum": 0}},
    "RateLimit-Reset": {"description": "Seconds left of this minute.", "schema": {"type": "integer", "minimum": 0}},
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 0}},
    "WWW-Authenticate": {"description": "The scheme: Bearer.", "schema": {"type": "string"}},
}
PARAMETERS: Mapping[str, dict[str, Any]] = {
    "If-Match": {
        "description": 'ETag of any view of the version acted on, such as `"11.0"`; or give `version` in the body.',
        "schema": {"type": "string"},
    },
    "If-None-Match": {
        "description": "ETag of the view known already: 304 if it is still current.",
        "schema": {"type": "string"},
    },
    "Idempotency-Key": {
        "description": "Anything new, such as a random UUID. A repeat with the same key gets the first answer again, "
        "for 24 hours. Requests are compared by path, token and JSON body, not by If-Match: use a new key each time.",
        "schema": {"type": "string", "pattern": _key_pattern(1)},
    },
    "Creation-Key": {
        "name": "Idempotency-Key",
        "description": "A secret of 16 to 255 characters, such as a random UUID, for the tokens follow from it: a "
        "repeat with the same key answers the same game and tokens, for 24 hours.",
        "schema": {"type": "string", "pattern": _key_pattern(16)},
    },
    "Last-Event-ID": {
        "description": "Version of the last event seen; wins over `after`.",
        "schema": {"type": "string"},
    },
}
_CHANGING_PARAMETERS = ("If-Match", "Idempotency-Key")
_CHANGING_PROBLEMS = ("version_required", "version_conflict", "idempotency_key_reused")
_BODY_PROBLEMS = ("malformed_json", "payload_too_large", "unsupported_media_type")
_ALWAYS = ("invalid_request", "internal_error")
_PROBLEM_HEADERS = {
    401: ("WWW-Authenticate",),
    429: ("Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"),
    503: ("Retry-After",),
}


def documented(  # noqa: PLR0913 - keyword arguments that each are one part of an operation object
    operation_id: str,
    *,
    answers: Mapping[int, Answer],
    access: Access = Access.OPEN,
    changes: bool = False,
    problems: Iterable[str] = (),
    headers: Iterable[str] = (),
    examples: Mapping[str, Any] | None = None,
) -> Callable[[View], View]:
    """Declare an operation; its summary and description are the method's docstring.

    `changes` stands for an operation that changes a game at a version; `problems` are codes beyond those
    that follow from access, body and `changes`; `headers` name PARAMETERS; `examples` are request bodies by
    name. Raises TypeError for a view without `accepts`, KeyError for an unknown code or header.
    """

    def declare(view: View) -> View:
        accepted = accepted_by(view)
        body, query = accepted["body"], accepted["query"]
        parameters: list[Any] = [{"in": "query", "schema": query}] if query else []
        parameters += [_known(PARAMETERS, name) for name in headers]
        parameters += _CHANGING_PARAMETERS if changes else ()
        codes = {*_ALWAYS, *access.value, *problems}
        codes.update(_BODY_PROBLEMS if body else (), _CHANGING_PROBLEMS if changes else ())
        operation: dict[str, Any] = {
            "operationId": operation_id,
            "security": access.security,
            "responses": {str(status): answer.as_openapi() for status, answer in answers.items()},
        }
        for status, response in _problem_responses(codes).items():
            operation["responses"][status] = response
        if parameters:
            operation["parameters"] = parameters
        if body:
            operation["requestBody"] = {
                "required": any(member.required for member in _members(body)),
                "content": {JSON: _media(body, examples or {})},
            }
        if "\n\n" not in (view.__doc__ or "").strip():
            operation["description"] = (view.__doc__ or operation_id).strip()
        view._apidoc = {"manual_doc": operation}  # type: ignore[attr-defined] # noqa: SLF001 - flask-smorest's
        return view

    return declare


def _problem_responses(codes: Iterable[str]) -> dict[str, dict[str, Any]]:
    responses = {}
    for status, kinds in by_status(codes).items():
        # An example given as a string is the name of a component.
        media = {"schema": ProblemSchema, "examples": {kind.code: kind.code for kind in kinds}}
        text = "; ".join(f"{kind.title} (`{kind.code}`)" for kind in kinds)
        responses[str(status)] = _response(text, {PROBLEM_JSON: media}, _PROBLEM_HEADERS.get(status, ()))
    return responses


def _response(description: str, content: Mapping[str, Any], headers: Iterable[str]) -> dict[str, Any]:
    response: dict[str, Any] = {"description": description}
    if content:
        response["content"] = dict(content)
    named = {name: _known(HEADERS, name) for name in headers}
    if named:
        response["headers"] = named
    return response


def _media(shape: Shape, examples: Mapping[str, Any]) -> dict[str, Any]:
    media: dict[str, Any] = {"schema": shape}
    if examples:
        media["examples"] = {name: {"value": value} for name, value in examples.items()}
    return media


def _known(components: Mapping[str, Any], name: str) -> str:
    components[name]
    return name


def _members(schema: type[Schema]) -> Iterable[Field[Any]]:
    return schema().fields.values()
