"""Answers compared with what the operation promises: not a member more, not a member less."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import orjson
from marshmallow import RAISE, Schema, fields

from service.answers import JSON, PROBLEM_JSON
from service.fields import OneOf, Variants

if TYPE_CHECKING:
    from flask import Flask
    from werkzeug.test import TestResponse

    from service.documented import Shape


def check_answer(app: Flask, answer: TestResponse) -> None:
    """Fails unless the answer has a status, headers and a body that the operation's declaration allows."""
    responses = _promised(app, answer)
    assert str(answer.status_code) in responses, f"undocumented status {answer.status_code}: {answer.text}"
    promise = responses[str(answer.status_code)]
    for name in promise.get("headers", {}):
        assert name in answer.headers
    content = promise.get("content", {})
    if not content:
        assert answer.data == b""
        return
    media_type = PROBLEM_JSON if answer.status_code >= 400 else JSON
    assert answer.content_type == media_type
    if answer.request.method == "HEAD":
        assert answer.data == b""
        return
    body = orjson.loads(answer.data)
    check_shape(content[media_type]["schema"], body)
    if answer.status_code >= 400:
        assert body["code"] in content[media_type]["examples"], f"undocumented code {body['code']}"
        assert body["status"] == answer.status_code


def check_shape(shape: Shape, value: Any) -> None:
    """Fails (ValidationError) unless a value has exactly the members of a response's schema, all the way down."""
    loader = _strict_variants(shape) if isinstance(shape, Variants) else _strict(shape)
    loader.load(value)


def _promised(app: Flask, answer: TestResponse) -> dict[str, Any]:
    request = answer.request
    endpoint, _ = app.url_map.bind("localhost").match(request.path, request.method)
    view: Any = app.view_functions[endpoint]
    method = getattr(view.view_class, "get" if request.method == "HEAD" else request.method.lower())
    responses: dict[str, Any] = method._apidoc["manual_doc"]["responses"]
    return responses


@cache
def _strict(schema: type[Schema]) -> Schema:
    made = schema(unknown=RAISE)
    _tighten(made)
    return made


def _strict_variants(variants: Variants) -> Variants:
    tightened = Variants(variants.name, variants.by, variants.schemas)
    tightened._instances = {value: _strict(schema) for value, schema in variants.schemas.items()}
    return tightened


def _tighten(schema: Schema) -> None:
    for member in schema.fields.values():
        _tighten_field(member)


def _tighten_field(member: fields.Field[Any]) -> None:
    if isinstance(member, fields.List):
        _tighten_field(member.inner)
    elif isinstance(member, fields.Nested):
        member.unknown = RAISE
        _tighten(member.schema)
    elif isinstance(member, OneOf):
        member.variants = _strict_variants(member.variants)
