"""Reading requests strictly: what two JSON readers might understand differently is refused.

A body is JSON (RFC 8259) in UTF-8, declared as `application/json`; an empty one counts as `{}`. The order of
refusals is 415, 413, 400, 422, and a 422 names every flaw of body and query at once.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar
from urllib.parse import parse_qsl

from flask import request
from gunicorn.http.errors import UnsupportedTransferCoding
from marshmallow import Schema, ValidationError
from werkzeug.exceptions import RequestEntityTooLarge

from service.errors import Flaw, InvalidRequest, MalformedJson, PayloadTooLarge, UnsupportedMediaType
from service.fields import QuerySchema
from service.flaws import MOST_FLAWS, flaws_in, flaws_in_query

View = TypeVar("View", bound=Callable[..., Any])

MAX_DEPTH = 32
# Digits of the largest double: longer integers are out of every reader's range, and int() refuses
# texts of over 4,300 digits with a ValueError.
MAX_DIGITS = 309
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"?|([\[{])|[\]}]', re.DOTALL)


def check_transfer_coding() -> None:
    """Refuse a transfer coding besides chunked: the server passes what it does not decode on as if it were the body.

    Raises UnsupportedTransferCoding (RFC 9112, section 6.1).
    """
    coding = request.environ.get("HTTP_TRANSFER_ENCODING")
    if coding is not None and coding.lower() != "chunked":
        raise UnsupportedTransferCoding(coding)


def read_body() -> Any:  # noqa: ANN401 - any JSON value
    """The current request's body as a JSON value; `{}` when it is empty.

    Raises UnsupportedMediaType, PayloadTooLarge, MalformedJson, in this order. The bytes stay available
    through `request.get_data()`.
    """
    _check_media_type()
    raw = _read_bytes()
    return parse_json(raw) if raw else {}


def _read_bytes() -> bytes:
    try:
        raw = request.get_data(cache=True)
    except RequestEntityTooLarge:
        raise _too_large() from None
    # Werkzeug cuts a chunked body at the limit and says nothing.
    at_limit = len(raw) == request.max_content_length
    if at_limit and request.content_length is None and request.environ["wsgi.input"].read(1):
        raise _too_large()
    return raw


def _too_large() -> PayloadTooLarge:
    return PayloadTooLarge(f"The body may have {request.max_content_length} bytes at most.")


def _check_media_type() -> None:
    """Refuse a body that does not declare itself to be JSON in UTF-8 without content coding."""
    environ = request.environ
    if environ.get("CONTENT_TYPE") == "application/json" and "HTTP_CONTENT_ENCODING" not in environ:
        return
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    coding = request.headers.get("Content-Encoding", "identity").lower()
    if request.mimetype == "application/json" and charset in {"utf-8", "utf8"} and coding == "identity":
        return
    # Without a length the body comes in chunks, and only reading tells whether there is one.
    if request.content_length or (request.content_length is None and request.stream.read(1)):
        raise UnsupportedMediaType


def parse_json(raw: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """One JSON text as Python values, or MalformedJson.

    Refused beside what the grammar refuses: duplicate member names, NaN and infinities, numbers beyond a
    double's range, nesting beyond MAX_DEPTH, a byte order mark, unpaired surrogates.
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise MalformedJson("The body is not UTF-8.") from None
    _check_depth(text)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise MalformedJson(f"{error.msg} (line {error.lineno}, column {error.colno}).") from None
    if "\\u" in text:
        _check_surrogates(value)
    return value


def _check_depth(text: str) -> None:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for match in _BRACKET.finditer(text):
        if match[0][0] != '"':
            depth += 1 if match[1] else -1
        if depth > MAX_DEPTH:
            raise MalformedJson(f"The body is nested deeper than {MAX_DEPTH} levels.")


def _check_surrogates(value: Any) -> None:  # noqa: ANN401
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise MalformedJson("The body has an unpaired surrogate, which is not a character.") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise MalformedJson("The body has an object with a repeated member name.")
    return members


def _integer(digits: str) -> int:
    return int(digits) if len(digits) <= MAX_DIGITS else _out_of_range()


def _float(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _out_of_range()


def _constant(name: str) -> NoReturn:
    raise MalformedJson(f"JSON has no {name}.")


def _out_of_range() -> NoReturn:
    raise MalformedJson("The body has a number beyond the range of a double.")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant)


def _load_query(schema: Schema) -> tuple[Any, list[Flaw]]:
    # request.args fails on bytes that are not UTF-8 and hides repetitions.
    text = request.query_string.decode("utf-8", "replace")
    pairs = parse_qsl(text, keep_blank_values=True, errors="replace")
    names = [name for name, _ in pairs]
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        return None, [Flaw("Given more than once.", parameter=name) for name in repeated]
    try:
        return schema.load(dict(pairs)), []
    except ValidationError as error:
        return None, flaws_in_query(error.messages_dict)


def _load_body(schema: Schema) -> tuple[Any, list[Flaw]]:
    try:
        return schema.load(read_body()), []
    except ValidationError as error:
        return None, flaws_in(error.messages)


def accepts(body: type[Schema] | None = None, query: type[Schema] | None = None) -> Callable[[View], View]:
    """Give a view what the request says, as keyword arguments `body` and `query` for the schemas named.

    Decorators above this one run before anything is read. Unknown query parameters are refused always;
    a body is read only where a schema awaits one.
    """
    body_schema = body() if body else None
    query_schema = (query or QuerySchema)()
    unasked: Mapping[str, Any] = query_schema.load({})  # the same each time; loading takes a while

    def decorate(view: View) -> View:
        @functools.wraps(view)
        def reading(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - a view's own
            flaws: list[Flaw] = []
            if body_schema is not None:
                kwargs["body"], flaws = _load_body(body_schema)
            parameters, more = _load_query(query_schema) if request.query_string else (dict(unasked), [])
            if flaws or more:
                raise InvalidRequest([*flaws, *more][:MOST_FLAWS])
            if query is not None:
                kwargs["query"] = parameters
            return view(*args, **kwargs)

        reading.__accepts__ = {"body": body, "query": query}  # type: ignore[attr-defined]
        return reading  # type: ignore[return-value]

    return decorate


def accepted_by(view: Callable[..., Any]) -> Mapping[str, type[Schema] | None]:
    """The schemas a view was given by `accepts`; raises TypeError where it was not."""
    try:
        return view.__accepts__  # type: ignore[attr-defined,no-any-return]
    except AttributeError:
        raise TypeError(f"{view.__qualname__} does not say what it accepts") from None
