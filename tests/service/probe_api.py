"""An application with a few operations that exist only to be asked: they show how the shell treats any view."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, request
from flask.views import MethodView
from flask_smorest import Blueprint
from marshmallow import fields, validate

from service.answers import json_response
from service.app import create_app
from service.config import Config
from service.documented import Access, Answer, documented
from service.errors import MissingToken
from service.fields import (
    OneOf,
    QueryInteger,
    QueryNumber,
    QuerySchema,
    RequestSchema,
    ResponseSchema,
    StrictBoolean,
    StrictInteger,
    StrictList,
    StrictString,
    Variants,
)
from service.parsing import accepts

if TYPE_CHECKING:
    from collections.abc import Callable


class ProbeHumanSchema(RequestSchema):
    """A person."""

    kind = StrictString(required=True, validate=validate.Equal("human"))
    name = StrictString(load_default=None, validate=validate.Length(1, 40))


class ProbeAiSchema(RequestSchema):
    """The computer."""

    kind = StrictString(required=True, validate=validate.Equal("ai"))
    level = StrictInteger(load_default=3, validate=validate.Range(1, 5))


SEAT = Variants("ProbeSeat", "kind", {"human": ProbeHumanSchema, "ai": ProbeAiSchema}, "Who sits there.")


class ProbeBodySchema(RequestSchema):
    """One member of each type."""

    version = StrictInteger()
    leader = StrictInteger(load_default=None, validate=validate.OneOf([0, 1]))
    option = StrictBoolean()
    cards = StrictList(StrictString())
    seats = StrictList(OneOf(SEAT))
    guest = OneOf(SEAT, load_default=None)
    inner = fields.Nested(ProbeHumanSchema)


class ProbeQuerySchema(QuerySchema):
    """Query parameters."""

    after = QueryInteger(validate=validate.Range(0), metadata={"description": "Versions above this."})
    wait = QueryNumber(validate=validate.Range(0, 25), metadata={"description": "Seconds to wait."})


class ProbeAnswerSchema(ResponseSchema):
    """What the probe understood."""

    body = fields.Dict(required=True)
    query = fields.Dict(required=True)


blueprint = Blueprint("probe", __name__, url_prefix="/probe", description="Shows what was understood.")


def needs_token(view: Callable[..., Response]) -> Callable[..., Response]:
    """Refuse before anything of the body is read."""

    @wraps(view)
    def checking(*args: Any, **kwargs: Any) -> Response:
        if "Authorization" not in request.headers:
            raise MissingToken
        return view(*args, **kwargs)

    return checking


@blueprint.route("/<game_id>")
class Probe(MethodView):
    """An operation as the game's are written."""

    @documented(
        "probeEverything",
        access=Access.SEAT,
        changes=True,
        problems=("not_your_turn",),
        headers=("Last-Event-ID",),
        answers={
            200: Answer("Understood.", ProbeAnswerSchema, {"empty": {"body": {}, "query": {}}}, headers=("ETag",))
        },
        examples={"two": {"seats": [{"kind": "ai"}, {"kind": "human", "name": "Ann"}]}},
    )
    @needs_token
    @accepts(ProbeBodySchema, ProbeQuerySchema)
    def post(self, game_id: str, body: dict[str, Any], query: dict[str, Any]) -> Response:
        """Answer what was understood.

        Nothing is stored.
        """
        assert game_id
        return json_response({"body": body, "query": query})

    @documented(
        "probeNothing",
        answers={
            200: Answer("A seat.", SEAT, also={"text/event-stream": {"schema": {}}}),
            304: Answer("Unchanged."),
        },
    )
    @accepts()
    def get(self, game_id: str) -> Response:
        """Answer an AI seat."""
        assert game_id
        return json_response({"kind": "ai", "level": 3})


def probe_app(raising: Callable[[], None] | None = None, **settings: str) -> Flask:
    """The service's application with the probe, and GET /raise for what `raising` does."""
    app = create_app(Config.from_env(settings))
    app.extensions["flask-smorest"]["apis"][""]["ext_obj"].register_blueprint(blueprint)
    if raising is not None:

        def view() -> Response:
            raising()
            return json_response({})

        app.add_url_rule("/raise", view_func=view)
    return app
