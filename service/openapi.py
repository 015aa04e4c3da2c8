"""The OpenAPI document: made by flask-smorest and apispec from the views, once, and kept in memory."""

from __future__ import annotations

import hashlib
from functools import cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any

import orjson
import yaml
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from apispec.ext.marshmallow.schema_resolver import SchemaResolver
from flask_smorest import Api
from flask_smorest.spec.plugins import FlaskPlugin
from marshmallow import RAISE, Schema

from service import __version__, problems
from service.documented import BEARER, HEADERS, PARAMETERS
from service.fields import MAX_INTEGER, OneOf, QueryInteger, QuerySchema, RequestSchema, StrictInteger, Variants

if TYPE_CHECKING:
    from flask import Flask
    from werkzeug.routing import Rule

PATH_PARAMETERS: dict[str, dict[str, Any]] = {
    "game_id": {"description": "The game's id, as creating it answered.", "schema": {"type": "string", "minLength": 1}},
    "code": {
        "description": "The code of a problem.",
        "schema": {"type": "string", "enum": sorted(problems.KINDS)},
    },
    "number": {
        "description": "Number of a deal of this game, from 1.",
        "schema": {"type": "integer", "minimum": 1, "maximum": 197},
    },
}

_INTEGER_BOUNDS = {"minimum": -MAX_INTEGER, "maximum": MAX_INTEGER}


class _Converter(OpenAPIConverter):
    """apispec's converter, which also knows Variants and closes requests but not answers."""

    def init_attribute_functions(self) -> None:
        super().init_attribute_functions()  # type: ignore[no-untyped-call]
        # Before field2nullable, which comes last and wraps what the others made.
        self.attribute_functions.insert(-1, self.variants2properties)
        self.attribute_functions.insert(-1, self.integers2properties)

    def variants2properties(self, field: Any, **_: Any) -> dict[str, Any]:  # noqa: ANN401 - apispec's signature
        """The reference that stands for a OneOf member."""
        return self.resolve_nested_schema(field.variants) if isinstance(field, OneOf) else {}

    def integers2properties(self, field: Any, ret: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401
        """The bounds that every integer of a request has, where it has no closer ones."""
        asked = isinstance(getattr(field, "root", None), RequestSchema | QuerySchema)
        if not asked or "enum" in ret or not isinstance(field, StrictInteger | QueryInteger):
            return {}
        return {name: bound for name, bound in _INTEGER_BOUNDS.items() if name not in ret}

    def resolve_nested_schema(self, schema: Any) -> dict[str, Any]:  # noqa: ANN401 - apispec's signature
        """A reference to the component of a schema or of Variants, made when first asked for."""
        if not isinstance(schema, Variants):
            reference: dict[str, Any] = super().resolve_nested_schema(schema)  # type: ignore[no-untyped-call]
            return reference
        if schema.name not in self.spec.components.schemas:
            references = {by: self.resolve_nested_schema(shape) for by, shape in schema.schemas.items()}
            component: dict[str, Any] = {"description": schema.description} if schema.description else {}
            component["oneOf"] = list(references.values())
            mapping = {by: reference["$ref"] for by, reference in references.items()}
            component["discriminator"] = {"propertyName": schema.by, "mapping": mapping}
            self.spec.components.schema(schema.name, component)
        return {"$ref": f"#/components/schemas/{schema.name}"}

    def schema2jsonschema(self, schema: Schema) -> dict[str, Any]:
        """The schema as JSON Schema, described by the first paragraph of its docstring."""
        described: dict[str, Any] = super().schema2jsonschema(schema)  # type: ignore[no-untyped-call]
        if schema.unknown == RAISE:
            described["additionalProperties"] = False
        text = (type(schema).__doc__ or "").strip().split("\n\n")[0]
        described["description"] = " ".join(text.split())
        return described


class _Resolver(SchemaResolver):
    def resolve_schema_dict(self, schema: Any) -> Any:  # noqa: ANN401 - apispec's signature
        """As ever, and what a string holds (JSON Schema's contentSchema) as well."""
        if isinstance(schema, dict) and "contentSchema" in schema:
            schema["contentSchema"] = self.resolve_schema_dict(schema["contentSchema"])
        return super().resolve_schema_dict(schema)  # type: ignore[no-untyped-call]


class _Plugin(MarshmallowPlugin):
    Converter = _Converter
    Resolver = _Resolver


class _Paths(FlaskPlugin):
    def rule_to_params(self, rule: Rule) -> list[dict[str, Any]]:
        return [{**found, **PATH_PARAMETERS.get(found["name"], {})} for found in super().rule_to_params(rule)]


class CrispsApi(Api):
    """flask-smorest with our problems, our components, and none of its own pages and defaults."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def __init__(self, app: Flask) -> None:
        app.config.update(API_TITLE="Crisps!", API_VERSION=__version__, OPENAPI_VERSION="3.1.0")
        options: dict[str, Any] = {
            "info": {"description": _guide(), "license": {"name": "MIT", "identifier": "MIT"}},
            "servers": [{"url": "/"}],
            "flask_plugin": _Paths(),
            "marshmallow_plugin": _Plugin(),
        }
        super().__init__(app, spec_kwargs=options)
        self.spec.components.security_scheme(
            BEARER,
            {"type": "http", "scheme": "bearer", "description": "A seat's token, as creating the game answered."},
        )

    def _register_error_handlers(self) -> None:
        problems.register(self._app)

    def _register_responses(self) -> None:
        """Problems are declared per operation (documented.py); here only the examples they refer to."""
        for code, kind in problems.KINDS.items():
            self.spec.components.example(code, {"summary": kind.title, "value": problems.example(code)}, lazy=True)

    def _register_etag_headers(self) -> None:
        for name, header in HEADERS.items():
            self.spec.components.header(name, header, lazy=True)
        for name, parameter in PARAMETERS.items():
            self.spec.components.parameter(name, "header", parameter, lazy=True)

    def _register_pagination_header(self) -> None:
        """There are no pages here."""


def _guide() -> str:
    """How a game runs, for newcomers; Markdown (CommonMark and tables)."""
    return resources.files("service").joinpath("pages/guide.md").read_text(encoding="utf-8")


class Document:
    """An Api's finished document; its forms are made when first asked for and kept."""

    def __init__(self, api: Api) -> None:
        self._api = api

    @cached_property
    def content(self) -> dict[str, Any]:
        """The document as plain values."""
        # Read back from JSON: no shared parts (anchors in YAML), no types of apispec's.
        plain: dict[str, Any] = orjson.loads(orjson.dumps(self._api.spec.to_dict()))
        return plain

    @cached_property
    def as_json(self) -> bytes:
        """The document in JSON."""
        return orjson.dumps(self.content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)

    @cached_property
    def as_yaml(self) -> bytes:
        """The document in YAML."""
        dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
        text = yaml.dump(self.content, Dumper=dumper, sort_keys=False, allow_unicode=True, width=110)
        return text.encode()


def entity_tag(data: bytes) -> str:
    """A strong ETag value for these bytes, without the quotes."""
    return hashlib.sha256(data).hexdigest()[:32]
