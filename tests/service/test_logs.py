"""The log: one object a line, with what helps to find a request again and nothing that is secret."""

from __future__ import annotations

import io
import json
import logging
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
import structlog
from gunicorn.config import Config as GunicornConfig

from service import logs
from service.config import Config
from tests.asking import Api, app
from tests.service.probe_api import probe_app

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask

__all__ = ["app"]  # a fixture

TOKEN = "Xh3_k-0123456789abcdefghijklmnopqrstuvwxyzA"
SEED = "5e" * 32
LINE = {"method", "route", "status", "ms", "event", "level", "at", "request_id"}
Lines = list[dict[str, Any]]


@pytest.fixture(name="stderr")
def _stderr(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., io.StringIO]]:
    """Call it to log from here on as some settings say, to the text it answers; undone at the end.

    Not before the test itself begins: pytest puts its own standard error in place then.
    """
    stream = io.StringIO()
    root, before = logging.getLogger(), structlog.get_config()
    level = root.level

    def configure(**settings: str) -> io.StringIO:
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setattr(root, "handlers", [])
        logs.configure(Config.from_env({"LOG_FORMAT": "json", **settings}))
        return stream

    yield configure
    root.setLevel(level)
    structlog.configure(**before)


@pytest.fixture(name="logged")
def _logged(stderr: Callable[..., io.StringIO]) -> Callable[..., Lines]:
    """Call it to log from here on as some settings say; each call answers the lines since the last."""

    def read(**settings: str) -> Lines:
        stream = stderr(**settings)
        lines = [json.loads(line) for line in stream.getvalue().splitlines()]
        stream.seek(0)
        stream.truncate()
        return lines

    return read


def test_each_answer_is_one_line_with_where_and_who(app: Flask, logged: Callable[..., Lines]) -> None:
    logged()
    table = Api(app).table()
    table.view(1)
    table.view()
    created, seat, public = logged()
    assert set(created) == LINE | {"game_id"}
    assert set(seat) == set(public) == LINE | {"game_id", "viewer"}
    assert (created["method"], created["route"], created["status"]) == ("POST", "/v1/games", 201)
    assert {line["game_id"] for line in (created, seat, public)} == {table.game_id}
    assert (seat["route"], seat["viewer"], public["viewer"]) == ("/v1/games/<game_id>", 1, "public")
    assert seat["level"] == "info"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", seat["at"])
    assert 0 < seat["ms"] < 60_000


def test_a_request_is_found_by_the_id_it_was_answered_with(app: Flask, logged: Callable[..., Lines]) -> None:
    logged()
    answer = app.test_client().get("/nope")
    (line,) = logged()
    assert line["request_id"] == answer.headers["X-Request-Id"]
    assert (line["route"], line["status"], line["problem"]) == ("other", 404, "not_found")


def test_what_was_sent_is_not_repeated(app: Flask, logged: Callable[..., Lines]) -> None:
    logged()
    client = app.test_client()
    hidden = ["hush-path", "hush-query", "hush-body", "hush-header", "HUSH"]
    client.get("/hush-path?ticket=hush-query")
    client.get("/v1/games/hush-path/history?ticket=hush-query", headers={"Authorization": "Bearer hush-header"})
    client.post("/v1/games", json={"hush-body": ["7", "7"]}, headers={"User-Agent": "hush-header"})
    client.open("/healthz", method="HUSH")
    lines = logged()
    assert len(lines) >= 3
    text = json.dumps(lines)
    assert [word for word in hidden if word in text] == []
    assert not any("game_id" in line for line in lines)


def test_a_mistake_of_ours_is_told_with_its_traceback_and_without_values(logged: Callable[..., Lines]) -> None:
    logged()

    def fail() -> None:
        hand = ["hush", "hush"]
        raise ZeroDivisionError(len(hand))

    answer = probe_app(fail).test_client().get("/raise")
    mistake, line = logged()
    assert (mistake["level"], mistake["logger"]) == ("error", "service.problems")
    assert mistake["request_id"] == line["request_id"] == answer.headers["X-Request-Id"]
    assert "ZeroDivisionError: 2" in mistake["exception"]
    assert "hush" not in mistake["exception"]
    assert (line["status"], line["problem"]) == (500, "internal_error")


def failure_whose_name_is_as_long_as_a_token_is() -> Exception:
    try:
        int(TOKEN)
    except ValueError as error:
        return error
    raise AssertionError


@pytest.mark.parametrize("form", ["json", "text"])
def test_secrets_and_queries_in_texts_are_blotted_out(stderr: Callable[..., io.StringIO], form: str) -> None:
    stream = stderr(LOG_FORMAT=form)
    logging.getLogger("somewhere").error("GET /v1/games/x/events?ticket=abc by %s", TOKEN)
    logs.log.warning("odd", reason=f"seed {SEED}")
    logging.getLogger("somewhere").error("oh", exc_info=failure_whose_name_is_as_long_as_a_token_is())
    text = stream.getvalue()
    assert text.count("[...]") == 4
    assert not any(secret in text for secret in (TOKEN, SEED, "abc"))
    assert "/v1/games/x/events" in text
    assert "Traceback" in text
    assert failure_whose_name_is_as_long_as_a_token_is.__name__ in text


def test_less_serious_lines_than_asked_for_are_left_out(app: Flask, logged: Callable[..., Lines]) -> None:
    logged()
    client = app.test_client()
    for path in ("/healthz", "/metrics", "/nope"):
        client.get(path)
    assert [line["route"] for line in logged(LOG_LEVEL="debug")] == ["other"]
    client.get("/healthz")
    assert "/healthz" in [line.get("route") for line in logged(LOG_LEVEL="warning")]
    client.get("/nope")
    logging.getLogger("somewhere").info("hello")
    assert logged() == []


def test_what_libraries_compile_or_look_up_is_not_told(logged: Callable[..., Lines]) -> None:
    logged(LOG_LEVEL="debug")
    for name in ("numba.core.byteflow", "flask-limiter", "werkzeug"):
        logging.getLogger(name).info("hello")
        logging.getLogger(name).debug("hello")
        logging.getLogger(name).warning("oh")
    assert [line["event"] for line in logged()] == ["oh"] * 3


def test_gunicorn_writes_in_the_same_form(logged: Callable[..., Lines]) -> None:
    logged()
    logger = logs.GunicornLogger(GunicornConfig())
    logger.setup(logger.cfg)  # as a reload does
    logger.info("Booting worker with pid: %d", 12)
    (line,) = logged()
    assert (line["event"], line["level"], line["logger"]) == ("Booting worker with pid: 12", "info", "gunicorn.error")


def test_nothing_is_written_until_somebody_serves(app: Flask, capsys: pytest.CaptureFixture[str]) -> None:
    app.test_client().get("/nope")
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""
