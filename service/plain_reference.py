"""The document as one plain page: no script, so that it reads anywhere and prints."""

from __future__ import annotations

import json
import re
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from flask import current_app, render_template
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from service.answers import JSON, PROBLEM_JSON
from service.openapi import entity_tag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.openapi import Document

Json = dict[str, Any]

WIDTH = 84
"""Characters that a line of an example may have before it is broken into several."""

# html is off: what looks like markup in a description is shown as it is.
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
# Stand in the page for what each request has of its own; private characters (Unicode), which no document needs.
_URL, _ROOT = "\ue000", "\ue001"
_NAME = re.compile(r"(&#34;(?:[^&]|&(?!#34;))*&#34;)(?=: )")


class PlainReference:
    """The page of a document, rendered when first asked for and kept; what depends on a request is put in then."""

    def __init__(self, document: Document) -> None:
        self._document = document

    @cached_property
    def _rendered(self) -> tuple[bytes, str]:
        page = _rendered(self._document.content).encode()
        return page, entity_tag(page)

    def tag(self, url: str, root: str) -> str:
        """The page's ETag value, without the quotes; parameters as of `page`."""
        return entity_tag("\n".join((self._rendered[1], url, root)).encode())

    def page(self, url: str, root: str) -> bytes:
        """The page's HTML: commands ask the service at `url`, links lead to its pages below the path `root`."""
        page, _ = self._rendered
        for placeholder, text in ((_URL, url), (_ROOT, root)):
            page = page.replace(placeholder.encode(), str(escape(text)).encode())
        return page


def _rendered(document: Json) -> str:
    """The page with placeholders, operations grouped by tag in the document's order."""
    operations: dict[str, list[Json]] = {tag["name"]: [] for tag in document["tags"]}
    for operation in _operations(document):
        operations[operation["tags"][0]].append(operation)
    guide, headings = _guide(document["info"]["description"])
    links = current_app.url_map.bind("")
    return render_template(
        "plain_reference.html",
        document=document,
        operations=operations,
        guide=guide,
        headings=headings,
        pretty=pretty,
        markdown=markdown,
        command=_command,
        link=lambda endpoint, **values: _ROOT + links.build(endpoint, values),
    )


def markdown(text: str) -> Markup:
    """A description's Markdown as HTML."""
    return Markup(_MARKDOWN.render(text))  # noqa: S704 - made of the document, HTML in it escaped


def pretty(value: Any) -> Markup:  # noqa: ANN401 - any JSON value
    """A JSON value to be read by people: what fits stays on one line. Text is shown as it is."""
    text = value if isinstance(value, str) else "".join(_lines(value, 0))
    return Markup(_NAME.sub(r"<b>\1</b>", str(escape(text))))  # noqa: S704 - escaped first


def _lines(value: Any, depth: int) -> Iterator[str]:  # noqa: ANN401
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or len(flat) + 2 * depth <= WIDTH:
        yield flat
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    items = value.items() if isinstance(value, dict) else (("", one) for one in value)
    yield opening
    for index, (name, inner) in enumerate(items):
        yield f"{',' if index else ''}\n{'  ' * (depth + 1)}"
        if isinstance(value, dict):
            yield f"{json.dumps(name)}: "
        yield from _lines(inner, depth + 1)
    yield f"\n{'  ' * depth}{closing}"


def _guide(text: str) -> tuple[Markup, tuple[tuple[str, str], ...]]:
    """The introduction, its headings with ids, and those: id and heading."""
    tokens = _MARKDOWN.parse(text)
    headings = []
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            name = "guide-" + re.sub(r"[^a-z0-9]+", "-", inline.content.lower())
            opening.attrSet("id", name)
            headings.append((name, inline.content))
    shown: str = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    return Markup(shown), tuple(headings)  # noqa: S704 - as in markdown


def _command(operation: Json, example: Any) -> str:  # noqa: ANN401 - a request's body
    """The command that sends an example."""
    path = operation["path"].replace("{game_id}", "GAME").replace("{number}", "1")
    token = (
        "" if {} in operation["security"] or not operation["security"] else " \\\n  -H 'Authorization: Bearer TOKEN'"
    )
    body = json.dumps(example, ensure_ascii=False)
    return f"curl -X {operation['method']} {_URL}{path}{token} \\\n  -H 'Content-Type: {JSON}' \\\n  -d '{body}'"


def _operations(document: Json) -> Iterator[Json]:
    """Every operation with its method and path, its parameters' references followed, its problems apart."""
    for path, item in document["paths"].items():
        shared = item.get("parameters", [])
        for method, operation in item.items():
            if method == "parameters":
                continue
            parameters = [_followed(document, parameter) for parameter in [*shared, *operation.get("parameters", [])]]
            answers = {
                status: answer
                for status, answer in operation["responses"].items()
                if PROBLEM_JSON not in answer.get("content", {})
            }
            problems = {
                status: list(answer["content"][PROBLEM_JSON]["examples"])
                for status, answer in operation["responses"].items()
                if status not in answers
            }
            made = {"path": path, "method": method.upper(), "parameters": parameters}
            yield {**operation, **made, "answers": answers, "problems": problems}


def _followed(document: Json, parameter: Json) -> Json:
    if "$ref" not in parameter:
        return parameter
    found: Json = document["components"]["parameters"][parameter["$ref"].rpartition("/")[2]]
    return found
