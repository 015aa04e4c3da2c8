"""The document as one plain page: no script, so that it reads anywhere and prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from flask import render_template

if TYPE_CHECKING:
    from collections.abc import Iterator


def reference_page(document: dict[str, Any]) -> str:
    """The page's HTML, operations grouped by tag in the document's order."""
    tags: dict[str, list[dict[str, Any]]] = {tag["name"]: [] for tag in document["tags"]}
    for operation in _operations(document):
        tags[operation["tags"][0]].append(operation)
    return render_template("reference.html", document=document, tags=tags, pretty=pretty)


def pretty(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """A JSON value as indented text."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every operation with its method and path, its parameters' references followed."""
    for path, item in document["paths"].items():
        shared = item.get("parameters", [])
        for method, operation in item.items():
            if method == "parameters":
                continue
            parameters = [_followed(document, parameter) for parameter in [*shared, *operation.get("parameters", [])]]
            yield {**operation, "path": path, "method": method.upper(), "parameters": parameters}


def _followed(document: dict[str, Any], parameter: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in parameter:
        return parameter
    found: dict[str, Any] = document["components"]["parameters"][parameter["$ref"].rpartition("/")[2]]
    return found
