"""What operators and puzzled developers ask: the metrics, and what a problem's code means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Response
from flask.views import MethodView
from flask_smorest import Blueprint
from jinja2 import Environment, PackageLoader
from marshmallow.fields import Nested

from service import metrics
from service.answers import JSON, json_response
from service.docs import PLAIN_POLICY
from service.documented import Access, Answer, documented
from service.errors import NotFound
from service.fields import ResponseSchema, StrictInteger, StrictList, StrictString
from service.media_types import preferred
from service.parsing import accepts
from service.problems import KINDS, by_status
from service.wiring import services

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from service.problems import ProblemKind

blueprint = Blueprint("operations", __name__, description="Figures for Prometheus, and what each problem code means.")

HTML = "text/html"
_PLAIN = "text/plain"
_PAGES = Environment(loader=PackageLoader("service", "pages"), autoescape=True)
SHOWN_CODES = ("not_your_turn", "version_conflict")
"""What the document's examples of the list hold of it."""

_SHOWN_METRICS = 'crisps_requests_total{method="POST",route="/v1/games",status="201"} 42.0\n'


class ProblemTypeSchema(ResponseSchema):
    """What all problems of one code have in common."""

    type = StrictString(required=True, metadata={"description": "Leads here.", "format": "uri-reference"})
    code = StrictString(required=True, metadata={"description": "For programs; stable."})
    title = StrictString(required=True, metadata={"description": "What it is in a few words."})
    status = StrictInteger(required=True, metadata={"description": "The HTTP status."})
    detail = StrictString(required=True, metadata={"description": "What is said where nothing more precise is known."})


def _described(kind: ProblemKind) -> dict[str, Any]:
    return {
        "type": kind.type_uri,
        "code": kind.code,
        "title": kind.title,
        "status": kind.status,
        "detail": kind.detail,
    }


class ProblemTypesSchema(ResponseSchema):
    """Every code that an answer's `code` may be."""

    problems = StrictList(
        Nested(ProblemTypeSchema), required=True, metadata={"description": "By status, then by code."}
    )


def _listed(codes: Iterable[str]) -> dict[str, Any]:
    return {"problems": [_described(kind) for kinds in by_status(codes).values() for kind in kinds]}


def _page(kind: ProblemKind) -> str:
    return _PAGES.get_template("problem.html").render(kind=kind)


def _list_page(codes: Iterable[str]) -> str:
    return _PAGES.get_template("problems.html").render(statuses=by_status(codes))


def _answer(described: dict[str, Any], page: Callable[[], str]) -> Response:
    """What is described, or a page about it, as the client prefers."""
    if preferred(JSON, HTML) == HTML:
        answer = Response(page(), content_type=f"{HTML}; charset=utf-8")
        answer.headers["Content-Security-Policy"] = PLAIN_POLICY
    else:
        answer = json_response(described)
    answer.headers["Vary"] = "Accept"
    answer.headers["Cache-Control"] = "no-cache"
    return answer


@blueprint.route("/metrics")
class Metrics(MethodView):
    """/metrics."""

    @documented(
        "getMetrics",
        access=Access.OPEN,
        answers={
            200: Answer(
                "Figures of all processes together.",
                also={_PLAIN: {"schema": {}, "examples": {"one": {"value": _SHOWN_METRICS}}}},
            )
        },
        problems=("not_found",),
    )
    @accepts()
    def get(self) -> Response:
        """Figures for Prometheus.

        In its text format; nothing in them is about a game or a person. Not found where METRICS is off.
        """
        if services().config.metrics == "off":
            raise NotFound
        return Response(metrics.exposition(), content_type=metrics.CONTENT_TYPE)


@blueprint.route("/problems")
class ProblemTypes(MethodView):
    """All codes of problems."""

    @documented(
        "listProblemTypes",
        access=Access.OPEN,
        answers={
            200: Answer(
                "The codes; the examples show two of them.",
                ProblemTypesSchema,
                {"two of them": _listed(SHOWN_CODES)},
                also={HTML: {"schema": {}, "examples": {"two of them": {"value": _list_page(SHOWN_CODES)}}}},
            )
        },
    )
    @accepts()
    def get(self) -> Response:
        """List all problem codes.

        Every value that the `code` of a problem may have, with its status; a page for browsers, JSON for programs.
        """
        return _answer(_listed(KINDS), lambda: _list_page(KINDS))


@blueprint.route("/problems/<code>")
class ProblemType(MethodView):
    """One code of problems."""

    @documented(
        "getProblemType",
        access=Access.OPEN,
        answers={
            200: Answer(
                "What the code means.",
                ProblemTypeSchema,
                {"version_conflict": _described(KINDS["version_conflict"])},
                also={
                    HTML: {"schema": {}, "examples": {"version_conflict": {"value": _page(KINDS["version_conflict"])}}}
                },
            )
        },
        problems=("not_found",),
    )
    @accepts()
    def get(self, code: str) -> Response:
        """Look up a problem's code.

        Where the `type` of every problem leads; a page for browsers, JSON for programs.
        """
        if code not in KINDS:
            raise NotFound
        kind = KINDS[code]
        return _answer(_described(kind), lambda: _page(kind))
