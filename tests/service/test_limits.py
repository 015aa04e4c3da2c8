"""Rate limits: on creating games and asking advice, for each client, and never on play."""

from __future__ import annotations

import secrets
import socket
import time
from typing import TYPE_CHECKING

import pytest

from service.app import create_app
from service.limits import KEY_PREFIX, _network
from service.metrics import REGISTRY
from tests.advised import FEW
from tests.asking import Api
from tests.running import store_config
from tests.service.probe_api import probe_app
from tests.stored import raw
from tests.strictly import check_answer

if TYPE_CHECKING:
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from service.embedded import EmbeddedStore
    from tests.unreliable import UnreliableProxy

GAMES, ADVICE = 3, 2


def anybody() -> str:
    """An address no other test uses, so that each starts with a full allowance."""
    return "10." + ".".join(str(number) for number in secrets.token_bytes(3))


@pytest.fixture(name="limited")
def _limited(valkey: EmbeddedStore) -> FlaskClient:
    config = store_config(valkey.url, games_per_minute=GAMES, advice_per_minute=ADVICE)
    return create_app(config).test_client()


def create(client: FlaskClient, address: str) -> TestResponse:
    answer = client.post("/v1/games", json={}, environ_base={"REMOTE_ADDR": address})
    check_answer(client.application, answer)
    return answer


@pytest.fixture(autouse=True)
def _within_a_minute() -> None:
    """The windows are whole minutes: none ends while a test counts."""
    left = 60 - time.time() % 60
    if left < 8:
        time.sleep(left)


def test_the_allowance_is_told_and_counts_down(limited: FlaskClient) -> None:
    address = anybody()
    for left in (2, 1, 0):
        answer = create(limited, address)
        assert answer.status_code == 201
        assert (answer.headers["RateLimit-Limit"], answer.headers["RateLimit-Remaining"]) == (str(GAMES), str(left))
        assert 1 <= int(answer.headers["RateLimit-Reset"]) <= 61


def test_beyond_it_the_answer_says_when_to_come_back(limited: FlaskClient) -> None:
    address = anybody()
    for _ in range(GAMES):
        create(limited, address)
    answer = create(limited, address)
    assert answer.status_code == 429
    body = answer.get_json()
    assert (body["code"], body["status"]) == ("rate_limited", 429)
    assert 1 <= int(answer.headers["Retry-After"]) <= 61
    assert body["retry_after"] == int(answer.headers["Retry-After"])
    assert answer.headers["RateLimit-Remaining"] == "0"


def test_each_client_has_an_allowance_of_its_own(limited: FlaskClient) -> None:
    first, second = anybody(), anybody()
    statuses = [create(limited, first).status_code for _ in range(GAMES + 1)]
    assert statuses == [201] * GAMES + [429]
    assert create(limited, second).status_code == 201


def test_two_processes_count_together(valkey: EmbeddedStore) -> None:
    config = store_config(valkey.url, games_per_minute=GAMES)
    clients = [create_app(config).test_client() for _ in range(2)]
    address = anybody()
    statuses = [create(clients[number % 2], address).status_code for number in range(GAMES + 2)]
    assert statuses == [201] * GAMES + [429] * 2


def test_advice_on_games_and_on_positions_is_one_allowance_apart_from_games(limited: FlaskClient) -> None:
    address = {"REMOTE_ADDR": anybody()}
    paths = ["/v1/suggestions", f"/v1/games/{'0' * 32}/suggestions", "/v1/suggestions"]
    answers = [limited.post(path, json=FEW, environ_base=address) for path in paths]
    assert [answer.status_code for answer in answers[: ADVICE + 1]] == [422, 401, 429]
    analysis = limited.get(f"/v1/games/{'0' * 32}/deals/1/analysis", environ_base=address)
    assert analysis.status_code == 429
    assert create(limited, address["REMOTE_ADDR"]).status_code == 201


def test_play_is_never_limited_and_not_even_counted(valkey: EmbeddedStore) -> None:
    app = create_app(store_config(valkey.url, games_per_minute=1, advice_per_minute=1))
    table = Api(app).table().deal()
    for number in range(60):
        answer = table.act(number % 2, "play", {"cards": ["C", "C", "C", "C"]})
        assert answer.status_code in {409, 422}
        assert "RateLimit-Limit" not in answer.headers
        assert "RateLimit-Limit" not in table.api.get(table.path).headers
    table.do(0, "resign")


def test_without_the_settings_nothing_is_counted(valkey: EmbeddedStore) -> None:
    client, address = create_app(store_config(valkey.url)).test_client(), anybody()
    answers = [create(client, address) for _ in range(20)]
    assert {answer.status_code for answer in answers} == {201}
    assert not [name for name, _ in answers[0].headers if name.startswith("RateLimit")]


def test_what_is_counted_ends_with_its_minute_and_names_nobody(limited: FlaskClient, valkey: EmbeddedStore) -> None:
    address = anybody()
    create(limited, address)
    store = raw(valkey)
    keys = list(store.scan_iter(match=f"{KEY_PREFIX}:*", count=1000))
    assert keys
    assert all(0 < store.ttl(key) <= 61 for key in keys if store.exists(key))
    assert not any(address.encode() in key for key in keys)


def test_the_address_behind_trusted_proxies_counts(valkey: EmbeddedStore) -> None:
    proxy = anybody()
    for proxies, expected in ((0, 429), (1, 201)):
        config = store_config(valkey.url, games_per_minute=GAMES, trusted_proxies=proxies)
        client = create_app(config).test_client()
        statuses = []
        for _ in range(GAMES + 1):
            headers = {"X-Forwarded-For": anybody()}
            answer = client.post("/v1/games", json={}, headers=headers, environ_base={"REMOTE_ADDR": proxy})
            statuses.append(answer.status_code)
        assert statuses == [201] * GAMES + [expected]


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", "unknown"),
        ("nonsense", "unknown"),
    ],
)
def test_an_ipv6_client_is_its_network(address: str, network: str) -> None:
    assert _network(address) == network


def test_a_store_that_cannot_count_lets_pass_and_is_noted() -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))  # bound but not listening: connecting is refused
        url = f"redis://127.0.0.1:{reserved.getsockname()[1]}"
        client = probe_app(REDIS_URL=url, ADVICE_PER_MINUTE="1").test_client()
        before = REGISTRY.get_sample_value("crisps_rate_limit_failures_total") or 0
        answers = [client.post("/v1/suggestions", json={}) for _ in range(3)]
    assert {answer.status_code for answer in answers} == {422}  # judged, not counted
    assert REGISTRY.get_sample_value("crisps_rate_limit_failures_total") == before + 3


def test_beyond_the_allowance_a_store_that_has_gone_since_counting_changes_no_answer(
    unreliable: UnreliableProxy,
) -> None:
    client, address = create_app(store_config(unreliable.url, games_per_minute=1)).test_client(), anybody()
    assert create(client, address).status_code == 201
    unreliable.lose_replies_to = b"TTL"  # asks when the minute is over
    answer = client.post("/v1/games", json={}, environ_base={"REMOTE_ADDR": address})
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "60")
