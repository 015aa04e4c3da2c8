"""The table when something fails: the network, an answer, a stream, a wish."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract.browsing import CORNER, Guest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

pytestmark = [pytest.mark.check, pytest.mark.timeout(300)]


def test_a_cut_while_playing_sends_the_play_once_it_is_over(guest: Guest) -> None:
    guest.open()
    guest.start(points=3)
    guest.act()
    guest.wait_for_turn()
    while guest.page.locator(".source").count():
        guest.act()
        guest.wait_for_turn()
    before = guest.version()
    guest.page.locator('.hand li:not([aria-disabled="true"])').first.click(position=CORNER)
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
    ann.start(against="A friend, by link")
    bob = Guest.come(browser, service_url)
    bob.open(ann.page.locator("#invitation").input_value())
    with ann.page.expect_request("**?wait=*"):
        bob.at("deal").wait_for()
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
