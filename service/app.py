"""The one place where real things are chosen and wired: settings and a store become a WSGI application."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from flask import Flask, Response
from flask.json.provider import JSONProvider
from werkzeug.middleware.proxy_fix import ProxyFix

from service import cors, docs, headers, limits, observed, parsing, table
from service.answers import bare_response
from service.openapi import CrispsApi, Document
from service.resources import actions, advice, events, games, history, meta, operations, review
from service.wiring import Services, attach

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flask_smorest import Blueprint

    from service.config import Config
    from service.store import GameStore

# In the order in which the document lists them.
BLUEPRINTS = (
    games.blueprint,
    actions.blueprint,
    events.blueprint,
    events.ticket_blueprint,
    history.blueprint,
    review.blueprint,
    advice.blueprint,
    meta.blueprint,
    operations.blueprint,
)

# What the process type for streams serves.
STREAMING = (events.blueprint, meta.blueprint, operations.blueprint)


class _Json(JSONProvider):
    def dumps(self, obj: Any, **_: Any) -> str:  # noqa: ANN401 - any plain structure
        return orjson.dumps(obj).decode()

    def loads(self, s: str | bytes, **_: Any) -> Any:  # noqa: ANN401 - any JSON value
        return orjson.loads(s)


class Application(Flask):
    """Flask, answering OPTIONS without a body."""

    json_provider_class = _Json

    def make_default_options_response(self) -> Response:
        """204 and the methods the path has."""
        allowed = super().make_default_options_response().headers["Allow"]
        return bare_response(204, {"Allow": allowed})

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """The function itself: no view here is a coroutine, and asking takes its time in every request."""
        return func


def create_app(config: Config, store: GameStore | None = None, blueprints: Sequence[Blueprint] = BLUEPRINTS) -> Flask:
    """An application for these settings; without a store it connects to REDIS_URL's when first needed.

    With some of the blueprints only it has no pages: they would tell of the others, and use them.
    """
    app = Application("service", static_folder=None, template_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = config.max_body_bytes
    # A doubled slash is an unknown path, not a redirect to an HTML page.
    app.url_map.merge_slashes = False
    if config.trusted_proxies:
        hops = config.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops, x_prefix=hops)  # type: ignore[method-assign]
    attach(app, Services(config, store, searches=advice.blueprint in blueprints))
    observed.register(app)  # its hook comes last, and sees what leaves
    headers.register(app)
    cors.register(app, config)
    app.before_request(parsing.check_transfer_coding)
    limits.register(app, config)
    api = CrispsApi(app)
    for blueprint in blueprints:
        api.register_blueprint(blueprint)
    if blueprints is BLUEPRINTS:
        docs.register(app, Document(api))
        table.register(app)
    return app
