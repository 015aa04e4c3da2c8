"""What operators see of a running service with two workers: right figures, and never a card, a token or a seed."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from tests.contract import scripted
from tests.contract.client import Client, Unanswered
from tests.contract.processes import OwnService, own_service
from tests.running import eventually
from tests.service.test_metrics import samples, value

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.contract.scripted import Played

GAMES = 4
REQUEST_LINE = {"method", "route", "status", "ms", "event", "level", "at", "request_id"}
MAY_BE_MISSING = {"game_id", "viewer", "problem"}
# Two labels side by side, however they are set apart: "7", "7" or 7-7 or ['C', 'C'].
CARDS = re.compile(r"""(["'])([1-9CQ]|10)\1\s*,\s*(["'])([1-9CQ]|10)\3|\b[1-9CQ](?:-[1-9CQ]){2,}\b""")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnService]:
    folder = tmp_path_factory.mktemp("operations")
    with own_service(folder, WORKERS="2", LOG_LEVEL="debug", LOG_FORMAT="json") as running:
        yield running


@pytest.fixture(scope="module")
def played(service: OwnService) -> list[Played]:
    """Some games at once, so that both workers have their share."""

    def play(number: int) -> Played:
        with closing(Client(service.url)) as client:
            return scripted.play(client, number)

    with ThreadPoolExecutor(GAMES) as pool:
        return list(pool.map(play, range(GAMES)))


def figures(service: OwnService) -> dict[Any, float]:
    with closing(Client(service.url)) as client:
        return samples(client.ask("GET", "/metrics").body.decode())


def lines(service: OwnService) -> list[dict[str, Any]]:
    """The log's lines in JSON; the store's own are in a form of its own."""
    return [json.loads(line) for line in service.log.splitlines() if line.startswith("{")]


def log_of(service: OwnService, count: int) -> list[dict[str, Any]]:
    """The lines of requests to games, once there are so many."""

    def requests() -> list[dict[str, Any]]:
        return [line for line in lines(service) if line["event"] == "request" and line["route"] != "/metrics"]

    assert eventually(lambda: len(requests()) >= count), service.log
    return requests()


def test_the_counts_of_two_workers_are_right(service: OwnService, played: list[Played]) -> None:
    found, statuses = figures(service), [status for game in played for status in game.statuses]
    by_status = {
        status: sum(
            count
            for (name, labels), count in found.items()
            if name == "crisps_requests_total"
            and ("status", str(status)) in labels
            and ("route", "/metrics") not in labels
        )
        for status in set(statuses)
    }
    assert by_status == {status: statuses.count(status) for status in set(statuses)}
    assert {200, 201, 401, 404, 412, 422} <= set(statuses)
    assert value(found, "crisps_games_total", state="created") == GAMES
    assert value(found, "crisps_games_total", state="finished") == GAMES
    assert value(found, "crisps_games_ended_total", reason="points") == GAMES
    assert value(found, "crisps_store_calls_total", operation="create") == GAMES
    assert (
        value(found, "crisps_search_queue", kind="move") == value(found, "crisps_search_slots_busy", kind="move") == 0
    )
    assert value(found, "crisps_search_seconds_count", kind="move") == value(
        found, "crisps_searches_total", kind="move", level="2"
    )


def test_neither_log_nor_metrics_hold_a_card_a_token_or_a_seed(service: OwnService, played: list[Played]) -> None:
    with closing(Client(service.url)) as client:
        told = client.ask("GET", "/metrics").body.decode()
    log_of(service, sum(len(game.statuses) for game in played))
    for text in (service.log, told):
        assert [secret for game in played for secret in game.secrets if secret in text] == []
        assert str(scripted.SEED) not in text
        assert CARDS.search(text) is None
        assert [one for game in played for hand in game.hands for one in written(hand) if one in text] == []
        assert not re.search(r"\b(hand|cards|deck|seed|token)\b", text)
    assert not [game.game_id for game in played if game.game_id in told]


def written(hand: list[str]) -> list[str]:
    """A hand or deck as it might get into a text; too few cards would be found anywhere."""
    texts = [json.dumps(hand), str(hand), *(mark.join(hand) for mark in ("", " ", ",", ", ", "-"))]
    return [text for text in texts if len(hand) > 5]


def test_what_is_searched_for_would_be_found() -> None:
    assert "1, 2, 2, 4, C, C" in written(["1", "2", "2", "4", "C", "C"])
    for leak in ('{"hand":["7","7"]}', "['C', 'C', '1']", "played 5-5-6-6"):
        assert CARDS.search(leak)


def test_each_request_has_one_line_of_nothing_but_known_fields(service: OwnService, played: list[Played]) -> None:
    told = log_of(service, sum(len(game.statuses) for game in played))
    assert len(told) == sum(len(game.statuses) for game in played)
    assert len({line["request_id"] for line in told}) == len(told)
    for line in told:
        assert set(line) >= REQUEST_LINE
        assert set(line) <= REQUEST_LINE | MAY_BE_MISSING
        assert line["status"] < 400 or line["problem"]
    for game in played:
        assert sum(line.get("game_id") == game.game_id for line in told) == len(game.statuses) - 2


def test_gunicorn_writes_the_same_form(service: OwnService, played: list[Played]) -> None:
    assert played
    assert any(line.get("logger") == "gunicorn.error" for line in lines(service))
    assert "Traceback" not in service.log


def test_what_a_killed_worker_counted_stays_counted_and_what_it_held_does_not(
    service: OwnService, played: list[Played]
) -> None:
    assert played
    before, victims = figures(service), service.workers()
    for victim in victims:
        victim.kill()
    assert eventually(lambda: len({one.pid for one in service.workers()} - {one.pid for one in victims}) == 2)
    assert eventually(lambda: _answers(service))
    after = figures(service)
    for (name, labels), count in before.items():
        if name.endswith(("_total", "_count")) and ("route", "/metrics") not in labels:
            assert after[name, labels] >= count, (name, labels)
    assert value(after, "crisps_games_total", state="created") == GAMES
    assert value(after, "crisps_streams_open") == 0


def _answers(service: OwnService) -> bool:
    try:
        with closing(Client(service.url)) as client:
            return client.ask("GET", "/healthz").status == 200
    except Unanswered:
        return False


@pytest.mark.slow
def test_metrics_can_be_switched_off_and_limits_on(tmp_path: Path) -> None:
    with (
        own_service(tmp_path, METRICS="off", GAMES_PER_MINUTE="2", WORKERS="2", LOG_FORMAT="text") as service,
        closing(Client(service.url)) as client,
    ):
        assert client.ask("GET", "/metrics").status == 404
        answers = [client.ask("POST", "/v1/games", {}) for _ in range(6)]
        assert {answer.status for answer in answers} == {201, 429}
        limited = next(answer for answer in answers if answer.status == 429)
        assert int(limited.headers["retry-after"]) >= 1
        assert limited.json["code"] == "rate_limited"
        assert "request" in service.log
        assert '{"' not in service.log
