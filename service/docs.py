"""The start page, the document, and two pages to read it by; everything comes from here, nothing from elsewhere."""

from __future__ import annotations

from functools import cache
from importlib import resources

from flask import Blueprint, Flask, Response, current_app, render_template, request

from service.answers import JSON
from service.errors import NotFound
from service.openapi import Document, entity_tag
from service.reference import Reference

_KEY = "crisps-document"
_REFERENCE = "crisps-reference"
_YAML = "application/yaml"
_HTML = "text/html; charset=utf-8"

# Swagger UI sets style attributes and draws its icons from data: URLs; scripts come from files only.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

PLAIN_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_SCRIPT = "text/javascript; charset=utf-8"

# name -> (package, path in it, media type)
_FILES = {
    "swagger-ui.css": ("flask_swagger_ui", "dist/swagger-ui.css", "text/css; charset=utf-8"),
    "swagger-ui-bundle.js": ("flask_swagger_ui", "dist/swagger-ui-bundle.js", _SCRIPT),
    "start.js": ("service", "pages/start.js", _SCRIPT),
    "reference.css": ("service", "pages/reference.css", "text/css; charset=utf-8"),
    "plain.css": ("service", "pages/plain.css", "text/css; charset=utf-8"),
    "favicon.svg": ("service", "pages/favicon.svg", "image/svg+xml"),
}

blueprint = Blueprint("docs", __name__, template_folder="pages")


def register(app: Flask, document: Document) -> None:
    """Serve the document and its page; `document` is read at the first request for it."""
    app.extensions[_KEY] = document
    app.extensions[_REFERENCE] = Reference(document)
    app.register_blueprint(blueprint)


def document() -> Document:
    """The current application's document."""
    found: Document = current_app.extensions[_KEY]
    return found


@blueprint.get("/")
def home() -> Response:
    """Where somebody begins who has only the address."""
    page = page_response(render_template("home.html").encode(), _HTML)
    page.headers["Content-Security-Policy"] = PLAIN_POLICY
    return page


@blueprint.get("/openapi.json")
def openapi_json() -> Response:
    """The document in JSON."""
    return page_response(document().as_json, JSON)


@blueprint.get("/openapi.yaml")
def openapi_yaml() -> Response:
    """The document in YAML (RFC 9512)."""
    return page_response(document().as_yaml, _YAML)


@blueprint.get("/docs")
def docs() -> Response:
    """Swagger UI on the document."""
    page = page_response(render_template("docs.html").encode(), _HTML)
    page.headers["Content-Security-Policy"] = POLICY
    return page


@blueprint.get("/reference")
def reference() -> Response:
    """The document as one page without a script."""
    kept: Reference = current_app.extensions[_REFERENCE]
    where = request.url_root.rstrip("/"), request.root_path.rstrip("/")
    page = page_response(kept.page(*where), _HTML, kept.tag(*where))
    page.headers["Content-Security-Policy"] = PLAIN_POLICY
    return page


@blueprint.get("/docs/<name>")
def docs_file(name: str) -> Response:
    """A script, style or picture of the page."""
    if name not in _FILES:
        raise NotFound
    return page_response(_read(name), _FILES[name][2])


@cache
def _read(name: str) -> bytes:
    package, path, _ = _FILES[name]
    return resources.files(package).joinpath(path).read_bytes()


def page_response(data: bytes, media_type: str, tag: str | None = None) -> Response:
    """An answer that browsers keep and ask about (ETag, `tag` or the data's), 304 when they have it already."""
    response = Response(data, content_type=media_type)
    response.headers["Cache-Control"] = "no-cache"
    response.set_etag(entity_tag(data) if tag is None else tag)
    # If-Match is about the game that a request acts on; a page cannot be acted on.
    response.make_conditional({name: value for name, value in request.environ.items() if name != "HTTP_IF_MATCH"})
    return response
