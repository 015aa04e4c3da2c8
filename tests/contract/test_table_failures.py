"""The table when something fails: the network, an answer, a stream, a wish."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.contract.browsing import Guest
from tests.contract.client import connected
from tests.contract.listening import Follower
from tests.contract.processes import own_service
from tests.contract.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Route

    from tests.contract.client import Client

pytestmark = [pytest.mark.check, pytest.mark.timeout(300)]

UNREACHABLE = "The service does not answer. Look again in a moment."
SIGN_IN: dict[str, Any] = {"status": 200, "content_type": "text/html", "body": "<h1>Sign in</h1>"}
PART: dict[str, Any] = {"status": 200, "content_type": "application/json", "body": '{"game": {"id": "'}
ENDED = 'data: {"type": "stream_ended", "reason": "stopping"}\n\n'


@pytest.fixture(name="client")
def _client(service_url: str) -> Iterator[Client]:
    with connected(service_url) as client:
        yield client


def sit(guest: Guest, table: Table, seat: int = 0) -> None:
    """Take a seat of a game that a program plays the other seat of."""
    guest.open(f"/play#{table.path.rpartition('/')[2]}:{table.tokens[seat]}")
    guest.page.locator("#table").wait_for()


def act(table: Table, seat: int) -> None:
    """A seat's program deals, plays the first play that is legal for it, or passes."""
    table.client.close()  # it may have been idle for longer than connections are kept
    view = table.view(seat)
    if view["deal"] is None:
        table.act("deal", seat=seat)
        return
    table.version = view["version"]
    action = view["legal_actions"][0]
    if action["type"] == "play":
        table.act("play", {"cards": action["cards"]}, seat)
    else:
        table.act("pass", seat=seat)


def test_a_cut_while_playing_sends_the_play_once_it_is_over(guest: Guest) -> None:
    guest.open()
    guest.start(points=3)
    guest.act()
    guest.wait_for_turn()
    while not guest.choose():  # drawing, or a round that no card follows
        guest.act()
        guest.wait_for_turn()
    before = guest.version()
    guest.page.context.set_offline(True)
    guest.at("play" if guest.at("play").is_enabled() else "pass").click()
    guest.page.wait_for_timeout(500)
    assert guest.version() == before
    guest.page.context.set_offline(False)
    guest.moved_on(before)
    assert guest.page.locator(".alerts .problem").count() == 0


def test_an_answer_that_is_lost_is_asked_for_again_with_the_same_key(guest: Guest) -> None:
    keys: list[str] = []

    def lose_the_first(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        answer = route.fetch()  # the service does it
        if len(keys) == 1:
            route.abort()
        else:
            route.fulfill(response=answer)

    guest.open()
    guest.start()
    guest.page.route("**/deal", lose_the_first)
    guest.act()
    assert len(keys) == 2
    assert keys[0] == keys[1]
    assert guest.page.locator(".hand li").count() == 12
    assert guest.page.locator(".log .dealt").count() == 1


def test_without_streams_it_looks_in_by_itself(browser: Browser, service_url: str) -> None:
    ann = Guest.come(browser, service_url)
    ann.page.route("**/stream-ticket", lambda route: route.abort())
    ann.open()
    with ann.page.expect_request("**?wait=*"):
        ann.start(against="A friend, by link")
    bob = Guest.come(browser, service_url)
    bob.open(ann.page.locator("#invitation").input_value())
    bob.at("deal").click()
    ann.page.locator(".hand li").first.wait_for()
    for guest in (ann, bob):
        guest.page.context.close()


def test_what_is_refused_is_told_in_words(guest: Guest) -> None:
    guest.open("/play#nobody")
    assert "no longer kept" in guest.page.locator(".problem").inner_text()
    guest.start()
    guest.page.route("**/deal", lambda route: route.fulfill(status=503, json={"code": "not_your_turn"}))
    guest.at("deal").click()
    guest.page.locator(".alerts .problem").wait_for()
    assert guest.page.locator(".alerts").inner_text().strip() == "It is not your turn."
    guest.at("forgive").click()
    assert guest.page.locator(".alerts .problem").count() == 0


def test_where_all_streams_are_taken_it_looks_in_now_and_then(browser: Browser, tmp_path: Path) -> None:
    small = {"WORKERS": "1", "THREADS": "4", "SEARCH_SLOTS": "1", "STREAMS_PER_WORKER": "1"}
    with own_service(tmp_path, **small) as own, connected(own.url) as client:
        other = Follower(own.url, Table(client).path)
        assert other.tell()["type"] == "snapshot"
        table = Table(client, first_leader=0)
        guest = Guest.come(browser, own.url)
        sit(guest, table)
        guest.page.wait_for_timeout(2000)
        guest.asked.clear()
        guest.page.wait_for_timeout(8000)
        assert 3 <= len(guest.asked) <= 16, [request.url for request in guest.asked]
        began = time.monotonic()
        act(table, 1)
        guest.page.locator(".hand li").first.wait_for()
        assert time.monotonic() - began < 5
        guest.act()
        began = time.monotonic()
        act(table, 1)
        guest.wait_for_turn()
        assert time.monotonic() - began < 3
        guest.page.context.close()
        other.leave()


def test_streams_that_end_at_once_are_not_asked_for_again_and_again(guest: Guest, client: Client) -> None:
    guest.page.route("**/events?*", lambda route: route.fulfill(content_type="text/event-stream", body=ENDED))
    table = Table(client)
    sit(guest, table)
    guest.asked.clear()
    guest.page.wait_for_timeout(5000)
    assert len(guest.asked) <= 8, [request.url for request in guest.asked]
    act(table, 1)
    guest.page.locator(".hand li").first.wait_for()


@pytest.mark.parametrize("cut", [False, True])
def test_a_view_that_cannot_be_read_is_read_as_soon_as_it_can(guest: Guest, client: Client, cut: bool) -> None:
    table = Table(client, first_leader=1)
    table.act("deal")
    with guest.page.expect_response("**/events?*"):
        sit(guest, table)
    before = guest.version()
    guest.page.route(f"**{table.path}", lambda route: route.abort())
    act(table, 1)
    guest.page.locator(".alerts .problem").wait_for()
    assert guest.version() == before
    if cut:
        guest.page.context.set_offline(True)
        guest.page.locator(".banner .warn").wait_for()
        with guest.page.expect_request("**/events?*") as resumed:
            guest.page.context.set_offline(False)
        assert f"after={before}&" in resumed.value.url
    guest.page.unroute(f"**{table.path}")
    guest.moved_on(before)
    guest.page.locator(".status.yours").wait_for()
    assert guest.page.locator(".alerts .problem").count() == 0
    assert guest.page.locator(".log .played").count() == 1
    guest.act()


@pytest.mark.parametrize(("most", "answer"), [(1, SIGN_IN), (1, PART), (9, SIGN_IN)], ids=["sign-in", "part", "always"])
def test_an_answer_that_is_none_keeps_nobody_busy(
    guest: Guest, client: Client, answer: dict[str, Any], most: int
) -> None:
    keys: list[str] = []

    def replace(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        given = route.fetch()  # the service does it
        route.fulfill(**answer) if len(keys) <= most else route.fulfill(response=given)

    table = Table(client, first_leader=0)
    table.act("deal")
    sit(guest, table)
    guest.wait_for_turn()
    guest.page.route(f"**{table.path}/play", replace)
    guest.act()
    assert len(keys) == min(most + 1, 5)
    assert len(set(keys)) == 1
    alerts = [one.strip() for one in guest.page.locator(".alerts").all_inner_texts()]
    assert alerts == [UNREACHABLE if most > 1 else ""]
    guest.page.unroute(f"**{table.path}/play")
    assert guest.page.locator(".log .played").count() == 1
    act(table, 1)
    guest.page.locator(".log .theirs:not(.dealt)").first.wait_for()
    guest.wait_for_turn()
    told = client.want(200, "GET", f"{table.path}/history")["events"]
    assert [event["seat"] for event in told if event["type"] == "played"].count(0) == 1
