"""The start page, the document, and three pages to read it by; everything comes from here, nothing from elsewhere."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from flask import Blueprint, Flask, Response, current_app, render_template, request

from service.answers import JSON
from service.errors import NotFound
from service.openapi import Document, entity_tag
from service.plain_reference import PlainReference

_KEY = "crisps-document"
_PLAIN = "crisps-plain-reference"
_YAML = "application/yaml"
_HTML = "text/html; charset=utf-8"

# Swagger UI sets style attributes and draws its icons from data: URLs; scripts come from files only.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

# Redoc searches in a worker that it makes itself.
REDOC_POLICY = f"{POLICY}; worker-src blob:"

PLAIN_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_SCRIPT = "text/javascript; charset=utf-8"
_STYLE = "text/css; charset=utf-8"

# name -> (package, path in it, media type)
_FILES = {
    "swagger-ui.css": ("flask_swagger_ui", "dist/swagger-ui.css", _STYLE),
    "swagger-ui-bundle.js": ("flask_swagger_ui", "dist/swagger-ui-bundle.js", _SCRIPT),
    "start.js": ("service", "pages/start.js", _SCRIPT),
    "redoc.js": ("flask_openapi3_redoc", "templates/redoc/js/redoc.standalone.js", _SCRIPT),
    "start_redoc.js": ("service", "pages/start_redoc.js", _SCRIPT),
    "redoc.css": ("service", "pages/redoc.css", _STYLE),
    "plain_reference.css": ("service", "pages/plain_reference.css", _STYLE),
    "plain.css": ("service", "pages/plain.css", _STYLE),
    "favicon.svg": ("service", "pages/favicon.svg", "image/svg+xml"),
}

# The only thing that Redoc would ask of another host.
_REDOC_LOGO = b"https://cdn.redoc.ly/redoc/logo-mini.svg"

blueprint = Blueprint("docs", __name__, template_folder="pages")


def register(app: Flask, document: Document) -> None:
    """Serve the document and its pages; `document` is read at the first request for it."""
    app.extensions[_KEY] = document
    app.extensions[_PLAIN] = PlainReference(document)
    app.register_blueprint(blueprint)


def document() -> Document:
    """The current application's document."""
    found: Document = current_app.extensions[_KEY]
    return found


@blueprint.get("/")
def home() -> Response:
    """Where somebody begins who has only the address."""
    return _page(PLAIN_POLICY, render_template("home.html"))


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
    return _page(
        POLICY, render_template("docs.html", style="swagger-ui.css", scripts=("swagger-ui-bundle.js", "start.js"))
    )


@blueprint.get("/reference")
def reference() -> Response:
    """Redoc on the document."""
    return _page(REDOC_POLICY, render_template("redoc.html", style="redoc.css", scripts=("redoc.js", "start_redoc.js")))


@blueprint.get("/reference/plain")
def plain_reference() -> Response:
    """The document as one page without a script."""
    kept: PlainReference = current_app.extensions[_PLAIN]
    where = request.url_root.rstrip("/"), request.root_path.rstrip("/")
    return _page(PLAIN_POLICY, kept.page(*where), kept.tag(*where))


@blueprint.get("/docs/<name>")
def docs_file(name: str) -> Response:
    """A script, style or picture of the page."""
    if name not in _FILES:
        raise NotFound
    return page_response(_read(name), _FILES[name][2])


@cache
def _read(name: str) -> bytes:
    package, path, _ = _FILES[name]
    data = _folder(package).joinpath(path).read_bytes()
    if name == "redoc.js":
        logo = _folder(package).joinpath("templates/redoc/images/redoc.svg").read_bytes()
        data = data.replace(_REDOC_LOGO, b"data:image/svg+xml;base64," + b64encode(logo))
    return data


def _folder(package: str) -> Path:
    # not imported: only its files are wanted, and its modules may want another web framework
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(name=package)
    return Path(spec.submodule_search_locations[0])


def _page(policy: str, html: str | bytes, tag: str | None = None) -> Response:
    page = page_response(html.encode() if isinstance(html, str) else html, _HTML, tag)
    page.headers["Content-Security-Policy"] = policy
    return page


def page_response(data: bytes, media_type: str, tag: str | None = None) -> Response:
    """An answer that browsers keep and ask about (ETag, `tag` or the data's), 304 when they have it already."""
    response = Response(data, content_type=media_type)
    response.headers["Cache-Control"] = "no-cache"
    response.set_etag(entity_tag(data) if tag is None else tag)
    # If-Match is about the game that a request acts on; a page cannot be acted on.
    response.make_conditional({name: value for name, value in request.environ.items() if name != "HTTP_IF_MATCH"})
    return response
