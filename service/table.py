"""The table at /play: a page that plays by the public API. Files of a folder, as they are; nothing is built."""

from __future__ import annotations

from functools import cache
from importlib import resources

from flask import Blueprint, Flask, Response

from service.answers import bare_response
from service.docs import page_response
from service.errors import NotFound

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

PAGE = "index.html"

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}

blueprint = Blueprint("table", __name__)


def register(app: Flask) -> None:
    """Serve the table beside the API."""
    app.register_blueprint(blueprint)


@cache
def files() -> dict[str, tuple[bytes, str]]:
    """What there is to serve: by name its bytes and media type."""
    found = {}
    for file in resources.files("service").joinpath("pages/play").iterdir():
        media_type = _TYPES.get(file.name[file.name.rfind(".") :])
        if media_type is not None:
            found[file.name] = (file.read_bytes(), media_type)
    return found


@blueprint.get("/play")
def page() -> Response:
    """The table."""
    response = _answer(PAGE)
    response.headers["Content-Security-Policy"] = POLICY
    return response


@blueprint.get("/play/")
def folder() -> Response:
    """The page names its files and the API from where it is: one place only."""
    return bare_response(308, {"Location": "../play"})


@blueprint.get("/play/<name>")
def file(name: str) -> Response:
    """A module, style or picture of the table."""
    if name == PAGE or name not in files():
        raise NotFound
    return _answer(name)


def _answer(name: str) -> Response:
    return page_response(*files()[name])
