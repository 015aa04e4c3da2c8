"""Pages of other origins may use the API, and see everything that a program sees."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import pytest

from service.cors import EXPOSED
from tests.service.probe_api import probe_app

if TYPE_CHECKING:
    from flask.testing import FlaskClient

PAGE = "https://game.example"
OTHER = "https://other.example"
LISTED = f"{PAGE}, http://localhost:3000"
# every kind of answer: done, pages and files, unknown path, wrong method, our mistake, doubled slash
PATHS = [
    "/healthz",
    "/docs",
    "/docs/start.js",
    "/openapi.json",
    "/nope",
    "/raise",
    "/v1/games/x/play",
    "//",
    "/metrics",
]


@functools.cache
def client(**settings: str) -> FlaskClient:
    def fail() -> None:
        raise ZeroDivisionError

    return probe_app(fail, **settings).test_client()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "POST"])
def test_every_answer_may_be_read_by_any_page_unless_told_otherwise(path: str, method: str) -> None:
    headers = client().open(path, method=method, headers={"Origin": PAGE}).headers
    assert headers.getlist("Access-Control-Allow-Origin") == ["*"]
    assert "Access-Control-Allow-Credentials" not in headers
    exposed = {name.strip() for name in headers["Access-Control-Expose-Headers"].split(",")}
    assert {"ETag", "Location", "Retry-After", "X-Request-Id", "RateLimit-Remaining"} <= exposed == set(EXPOSED)


@pytest.mark.parametrize("path", PATHS)
def test_listed_origins_are_named_and_others_are_not(path: str) -> None:
    asked = client(CORS_ORIGINS=LISTED)
    for origin in (PAGE, "http://localhost:3000"):
        headers = asked.get(path, headers={"Origin": origin}).headers
        assert headers.getlist("Access-Control-Allow-Origin") == [origin]
        assert "Origin" in headers["Vary"]
    for origin in (OTHER, "null", f"{PAGE}.evil.example", PAGE.upper(), ""):
        headers = asked.get(path, headers={"Origin": origin}).headers
        assert "Access-Control-Allow-Origin" not in headers
        assert "Origin" in headers["Vary"]


@pytest.mark.parametrize("path", PATHS)
def test_an_answer_to_no_origin_says_that_it_depends_on_the_origin(path: str) -> None:
    assert "Origin" in client(CORS_ORIGINS=PAGE).get(path).headers["Vary"]


@pytest.mark.parametrize("path", PATHS)
def test_with_any_origin_allowed_an_answer_does_not_depend_on_it(path: str) -> None:
    asked = client()
    plain, named = asked.get(path).headers, asked.get(path, headers={"Origin": PAGE}).headers
    assert "Origin" not in plain.get("Vary", "")
    assert plain["Access-Control-Allow-Origin"] == named["Access-Control-Allow-Origin"] == "*"


def test_none_switches_it_off() -> None:
    headers = client(CORS_ORIGINS="none").get("/healthz", headers={"Origin": PAGE}).headers
    assert not [name for name, _ in headers if name.startswith("Access-Control")]


@pytest.mark.parametrize("path", [*PATHS, "/v1/games", "/v1/games/0/events"])
@pytest.mark.parametrize("settings", [{}, {"CORS_ORIGINS": LISTED}])
def test_a_preflight_succeeds_whatever_the_path(path: str, settings: dict[str, str]) -> None:
    asking = {
        "Origin": PAGE,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,idempotency-key,if-match,last-event-id",
    }
    answer = client(**settings).options(path, headers=asking)
    assert (answer.status_code, answer.data) == (204, b"")
    assert "Content-Type" not in answer.headers
    assert answer.headers["Access-Control-Allow-Origin"] == (PAGE if settings else "*")
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]
    allowed = {name.strip().lower() for name in answer.headers["Access-Control-Allow-Headers"].split(",")}
    assert set(asking["Access-Control-Request-Headers"].split(",")) <= allowed
    assert int(answer.headers["Access-Control-Max-Age"]) > 0
    assert answer.headers["X-Request-Id"]


def test_a_preflight_from_elsewhere_allows_nothing() -> None:
    asking = {"Origin": OTHER, "Access-Control-Request-Method": "POST"}
    headers = client(CORS_ORIGINS=LISTED).options("/v1/games", headers=asking).headers
    assert not [name for name, _ in headers if name.startswith("Access-Control")]
    assert headers["Vary"] == "Origin"


def test_an_options_request_that_is_no_preflight_tells_the_methods() -> None:
    answer = client().options("/healthz", headers={"Origin": PAGE})
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS"
    assert client().options("/nope", headers={"Origin": PAGE}).status_code == 404
