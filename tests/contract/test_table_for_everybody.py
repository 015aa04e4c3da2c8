"""The table for everybody: what axe-core finds, the keys, what is said, and how soon it is there."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.contract.browsing import DESKTOP, MOST_TURNS, PHONE, Guest, asked

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ViewportSize

pytestmark = [pytest.mark.check, pytest.mark.timeout(300)]

FIRST_LOAD_BYTES = 150_000
INTERACTIVE_SECONDS = 1.0
# When, since the page was asked for, a control is there.
READY = """(() => {
    const look = () => document.querySelector(CONTROL) ? (window.readyAt = performance.now()) : setTimeout(look, 5);
    look();
})()"""


class Look:
    """What axe-core finds wherever one looks."""

    def __init__(self, guest: Guest, name: str) -> None:
        self.found: dict[str, list[str]] = {}
        self._guest = guest
        self._name = name

    def __call__(self, what: str) -> None:
        if what not in self.found:
            self._guest.picture(f"{what}-{self._name}")
            self.found[what] = self._guest.axe()


def look_at_a_deal(guest: Guest, look: Look) -> None:
    """See a lead, a follow and a draw choice, and in the end be asked to lead or follow."""
    for _ in range(MOST_TURNS):
        guest.wait_for_turn()
        if guest.at("deal").count():
            look("between" if look.found.keys() & {"lead", "follow"} else "deal")
        elif guest.page.locator(".source").count():
            look("draw")
        else:
            look("follow" if guest.at("pass").is_enabled() else "lead")
            if look.found.keys() >= {"draw", "follow", "lead"}:
                return
        guest.act()
    raise AssertionError("no deal shows all of it")


def look_into_windows(guest: Guest, look: Look) -> None:
    """See the advice, the help, a question, the end and the review."""
    guest.at("advice").click()
    guest.page.locator(".rating").first.wait_for()
    look("advice")
    guest.at("help").click()
    guest.page.locator("dialog kbd").first.wait_for()
    look("help")
    guest.at("close").click()
    guest.at("resign").click()
    look("question")
    guest.at("yes").click()
    guest.at("review").click()
    guest.page.locator("svg.chart").wait_for()
    guest.at("check-shuffle").click()
    guest.page.locator(".verdict").wait_for()
    look("review")
    guest.at("close").click()
    look("over")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_axe_finds_nothing_serious(browser: Browser, service_url: str, scheme: str, size: ViewportSize) -> None:
    guest = Guest.come(browser, service_url, size, color_scheme=scheme)
    look = Look(guest, f"{scheme}-{size['width']}")
    guest.open()
    guest.page.locator(".level").first.wait_for()
    guest.page.get_by_text("Edition, options and length").click()
    look("start")
    guest.page.get_by_text("Edition, options and length").click()
    guest.start(points=9)
    look_at_a_deal(guest, look)
    look_into_windows(guest, look)
    guest.page.context.close()
    assert {what: problems for what, problems in look.found.items() if problems} == {}
    assert look.found.keys() >= {"start", "deal", "lead", "follow", "draw", "advice", "help", "review", "over"}


def test_single_letters_can_be_switched_off(guest: Guest) -> None:
    guest.open()
    guest.start()
    guest.at("help").click()
    guest.page.locator("#shortcuts").uncheck()
    guest.at("close").click()
    guest.page.keyboard.press("d")
    guest.page.wait_for_timeout(300)
    assert guest.at("deal").count() == 1


def test_what_happens_is_said(guest: Guest) -> None:
    guest.open()
    guest.start()
    guest.act()
    said = guest.page.get_by_role("status").first
    assert "Deal 1" in (said.text_content() or "")


@pytest.mark.parametrize("entry", ["start", "game"])
def test_the_first_load_is_light_and_soon_interactive(browser: Browser, service_url: str, entry: str) -> None:
    address = "/play"
    if entry == "game":
        made = asked(f"{service_url}/v1/games", {})
        address = f"/play#{made['game']['id']}:{made['tokens'][0]['token']}"
    control = ".level label" if entry == "start" else "[data-focus=deal]:enabled"
    times = []
    for _ in range(5):
        guest = Guest.come(browser, service_url)
        wire: list[int] = []
        session = guest.page.context.new_cdp_session(guest.page)
        session.send("Network.enable")
        session.on("Network.loadingFinished", lambda told, wire=wire: wire.append(int(told["encodedDataLength"])))
        guest.page.add_init_script(READY.replace("CONTROL", json.dumps(control)))
        guest.open(address)
        times.append(guest.page.wait_for_function("() => window.readyAt").json_value() / 1000)
        guest.page.wait_for_load_state("networkidle" if entry == "start" else "load")
        assert 20_000 < sum(wire) < FIRST_LOAD_BYTES
        guest.page.context.close()
    crowd = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))  # that share the processors with it
    assert min(times) < INTERACTIVE_SECONDS * crowd
