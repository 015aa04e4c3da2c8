"""The document says what the views declare, and its page needs nothing from elsewhere."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from flask import Flask, Response
from flask.views import MethodView

from service import __version__
from service.answers import json_response
from service.documented import Answer, documented
from service.parsing import accepts
from service.problems import KINDS
from tests.service.probe_api import probe_app

if TYPE_CHECKING:
    from collections.abc import Iterator

METHODS = {"get", "put", "post", "delete", "patch", "head", "options", "trace"}


@pytest.fixture(name="app", scope="module")
def _app() -> Flask:
    return probe_app()


@pytest.fixture(name="document", scope="module")
def _document(app: Flask) -> dict[str, Any]:
    answer = app.test_client().get("/openapi.json")
    assert answer.content_type == "application/json"
    document: dict[str, Any] = json.loads(answer.data)
    return document


def operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in document["paths"].values():
        yield from (operation for method, operation in path.items() if method in METHODS)


# ---------------------------------------------------------------------------------- the document
@pytest.mark.check
def test_the_document_is_valid_openapi_3_1(document: dict[str, Any]) -> None:
    from openapi_spec_validator import OpenAPIV31SpecValidator

    OpenAPIV31SpecValidator(document).validate()


def test_the_document_says_whose_it_is(document: dict[str, Any]) -> None:
    assert document["openapi"] == "3.1.0"
    assert document["servers"] == [{"url": "/"}]
    assert document["info"]["version"] == __version__
    assert document["info"]["license"] == {"name": "MIT", "identifier": "MIT"}


def test_yaml_and_json_say_the_same(app: Flask, document: dict[str, Any]) -> None:
    answer = app.test_client().get("/openapi.yaml")
    assert answer.content_type == "application/yaml"
    assert yaml.safe_load(answer.data) == document
    assert not re.search(rb"[:-] [&*]id\d", answer.data)


def test_every_operation_is_named_described_tagged_and_says_who_may_call_it(document: dict[str, Any]) -> None:
    found = list(operations(document))
    names = [operation["operationId"] for operation in found]
    assert {"getHealth", "getReadiness", "probeEverything", "probeNothing"} <= set(names)
    assert len(names) == len(set(names))
    tags = {tag["name"] for tag in document["tags"]}
    for operation in found:
        assert operation["summary"]
        assert operation["description"]
        assert set(operation["tags"]) <= tags
        assert "security" in operation


def test_security_is_none_optional_or_a_bearer_token(document: dict[str, Any]) -> None:
    assert document["components"]["securitySchemes"]["bearerAuth"]["scheme"] == "bearer"
    assert document["paths"]["/healthz"]["get"]["security"] == []
    assert document["paths"]["/probe/{game_id}"]["post"]["security"] == [{"bearerAuth": []}]


def test_every_problem_is_declared_with_its_media_type_and_an_example_of_its_code(document: dict[str, Any]) -> None:
    operation = document["paths"]["/probe/{game_id}"]["post"]
    declared: dict[str, str] = {}
    for status, response in operation["responses"].items():
        for media_type, media in response["content"].items():
            if media_type == "application/problem+json":
                assert media["schema"] == {"$ref": "#/components/schemas/Problem"}
                declared.update(dict.fromkeys(media["examples"], status))
    assert declared == {
        "malformed_json": "400",
        "missing_token": "401",
        "invalid_token": "401",
        "unknown_game": "404",
        "not_your_turn": "409",
        "version_conflict": "412",
        "payload_too_large": "413",
        "unsupported_media_type": "415",
        "idempotency_key_reused": "422",
        "invalid_request": "422",
        "version_required": "428",
        "internal_error": "500",
        "store_unavailable": "503",
    }
    for problem in declared:
        assert document["components"]["examples"][problem]["value"]["code"] == problem
    assert document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"] == sorted(KINDS)
    assert set(operation["responses"]["401"]["headers"]) == {"WWW-Authenticate"}
    assert set(operation["responses"]["503"]["headers"]) == {"Retry-After"}


def test_an_operation_lists_its_parameters_headers_and_examples(document: dict[str, Any]) -> None:
    path = document["paths"]["/probe/{game_id}"]
    operation = path["post"]
    named = {parameter.get("name", parameter.get("$ref")) for parameter in operation["parameters"]}
    headers = {f"#/components/parameters/{name}" for name in ("If-Match", "Idempotency-Key", "Last-Event-ID")}
    assert named == {"after", "wait"} | headers
    assert path["parameters"][0]["description"]
    assert operation["requestBody"]["required"] is False
    assert set(operation["requestBody"]["content"]["application/json"]["examples"]) == {"two"}
    assert operation["responses"]["200"]["headers"] == {"ETag": {"$ref": "#/components/headers/ETag"}}
    assert set(path["get"]["responses"]["200"]["content"]) == {"application/json", "text/event-stream"}
    assert "content" not in path["get"]["responses"]["304"]


def test_several_shapes_are_one_of_with_a_discriminator(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    reference = {"$ref": "#/components/schemas/ProbeSeat"}
    assert schemas["ProbeSeat"] == {
        "description": "Who sits there.",
        "oneOf": [{"$ref": "#/components/schemas/ProbeHuman"}, {"$ref": "#/components/schemas/ProbeAi"}],
        "discriminator": {
            "propertyName": "kind",
            "mapping": {"human": "#/components/schemas/ProbeHuman", "ai": "#/components/schemas/ProbeAi"},
        },
    }
    body = schemas["ProbeBody"]["properties"]
    assert body["seats"]["items"] == reference
    assert body["guest"]["anyOf"] == [reference, {"type": "null"}]
    got = document["paths"]["/probe/{game_id}"]["get"]["responses"]["200"]["content"]["application/json"]
    assert got["schema"] == reference


def test_requests_are_closed_and_answers_open(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for name in ("ProbeBody", "ProbeHuman", "ProbeAi"):
        assert schemas[name]["additionalProperties"] is False
    for name in ("ProbeAnswer", "Problem", "Flaw", "Health"):
        assert "additionalProperties" not in schemas[name]


def test_types_bounds_and_null_are_documented(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    assert schemas["ProbeAi"]["properties"]["level"] == {
        "type": "integer",
        "default": 3,
        "minimum": 1,
        "maximum": 5,
    }
    version = {"type": "integer", "minimum": -(2**53 - 1), "maximum": 2**53 - 1}
    assert schemas["ProbeBody"]["properties"]["version"] == version
    after = document["paths"]["/probe/{game_id}"]["post"]["parameters"][0]
    assert after["schema"] == {"type": "integer", "minimum": 0, "maximum": 2**53 - 1}
    assert "maximum" not in schemas["Problem"]["properties"]["status"]
    assert schemas["ProbeHuman"]["properties"]["name"]["type"] == ["string", "null"]
    assert schemas["ProbeBody"]["properties"]["leader"]["enum"] == [0, 1, None]


def test_nothing_is_in_the_document_that_no_operation_uses(document: dict[str, Any]) -> None:
    text = json.dumps(document)
    for section, components in document["components"].items():
        if section != "securitySchemes":
            for name in components:
                assert f'"#/components/{section}/{name}"' in text
    assert "Pagination" not in text
    assert "DEFAULT_ERROR" not in text


def test_the_document_does_not_depend_on_the_settings(document: dict[str, Any]) -> None:
    other = probe_app(MAX_BODY_BYTES="4096", TRUSTED_PROXIES="2", PORT="9000")
    assert other.test_client().get("/openapi.json").json == document


def test_a_view_must_say_what_it_accepts_and_may_name_only_what_exists() -> None:
    class Silent(MethodView):
        def get(self) -> Response:
            """Answer nothing."""
            return json_response({})

    answers = {200: Answer("Nothing.")}
    with pytest.raises(TypeError, match="does not say what it accepts"):
        documented("silent", answers=answers)(Silent.get)
    with pytest.raises(KeyError, match="no_such_code"):
        documented("silent", answers=answers, problems=("no_such_code",))(accepts()(Silent.get))
    with pytest.raises(KeyError, match="No-Such-Header"):
        documented("silent", answers=answers, headers=("No-Such-Header",))(accepts()(Silent.get))


# ---------------------------------------------------------------------------------- the pages
PAGES = [
    "/",
    "/openapi.json",
    "/openapi.yaml",
    "/docs",
    "/reference",
    "/reference/plain",
    "/docs/plain.css",
    "/docs/swagger-ui.css",
    "/docs/swagger-ui-bundle.js",
    "/docs/redoc.js",
]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_known_already_is_not_sent_again(app: Flask, path: str) -> None:
    client = app.test_client()
    first = client.get(path)
    assert first.status_code == 200
    again = client.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    assert client.get(path, headers={"If-None-Match": '"other"'}).data == first.data


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_page_does_not_ask_which_version_is_meant(app: Flask, path: str, method: str) -> None:
    client = app.test_client()
    first = client.open(path, method=method)
    for tag in ('"x"', "*", first.headers["ETag"]):
        answer = client.open(path, method=method, headers={"If-Match": tag})
        assert (answer.status_code, answer.data) == (200, first.data)
        known = {"If-Match": tag, "If-None-Match": first.headers["ETag"]}
        assert client.open(path, method=method, headers=known).status_code == 304


@pytest.mark.parametrize("page", ["/docs", "/reference"])
def test_the_page_names_no_other_host_and_runs_no_inline_script(app: Flask, page: str) -> None:
    answer = app.test_client().get(page)
    assert not re.search(r"""(?:src|href|data-document)=["'](?!/(?!/))""", answer.text)
    assert not re.search(r"<script(?![^>]* src=)", answer.text)
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["connect-src"] == "'self'"


def test_the_start_page_leads_on_and_shows_its_own_address(app: Flask) -> None:
    answer = app.test_client().get("/", base_url="https://crisps.example/")
    assert "<pre>curl -X POST https://crisps.example/v1/games</pre>" in answer.text
    links = set(re.findall(r'href="([^"]+)"', answer.text))
    assert {"/docs", "/reference", "/reference/plain", "/openapi.json"} <= links
    assert "<script" not in answer.text
    assert "Shreesh Bhat" in answer.text
    forged = app.test_client().get("/", headers={"Host": 'x"><script>'})
    assert "<script" not in forged.text


def test_the_plain_page_tells_every_operation_and_schema_and_has_no_script(
    app: Flask, document: dict[str, Any]
) -> None:
    answer = app.test_client().get("/reference/plain")
    for operation in operations(document):
        assert f'<section id="{operation["operationId"]}" class="operation">' in answer.text
    for name in document["components"]["schemas"]:
        assert f'<section id="{name}" class="schema">' in answer.text
    links = set(re.findall(r'href="#([^"]+)"', answer.text))
    assert links
    assert links <= set(re.findall(r' id="([^"]+)"', answer.text))
    assert "<script" not in answer.text
    assert "script-src" not in answer.headers["Content-Security-Policy"]
    assert "If-Match" in answer.text
    assert "Undefined" not in answer.text


@pytest.mark.parametrize("page", ["/", "/docs", "/reference", "/reference/plain"])
def test_every_file_the_page_names_is_served(app: Flask, page: str) -> None:
    client = app.test_client()
    named = re.findall(r"""(?:src|href)="(/[^"]+)\"""", client.get(page).text)
    assert len(named) >= 4
    for path in named:
        assert client.get(path).status_code == 200, path


@pytest.mark.parametrize("name", ["nope.js", "..%2fapp.py", "index.html", ".", "%2e%2e"])
def test_no_other_file_is_served(app: Flask, name: str) -> None:
    assert app.test_client().get(f"/docs/{name}").status_code == 404


def test_behind_a_prefix_the_page_names_files_below_it() -> None:
    client = probe_app(TRUSTED_PROXIES="1").test_client()
    text = client.get("/docs", headers={"X-Forwarded-Prefix": "/crisps"}).text
    assert 'data-document="/crisps/openapi.json"' in text
    assert 'src="/crisps/docs/start.js"' in text
