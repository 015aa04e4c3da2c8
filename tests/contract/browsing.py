"""A browser's pages at the table, what they ask for, and what they complain of.

CRISPS_SCREENSHOTS names a folder to keep pictures in. CHROMIUM is the browser's path.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.running import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import (
        Browser,
        ConsoleMessage,
        Locator,
        Page,
        Position,
        Request,
        Response,
        Route,
        ViewportSize,
    )

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SCREENSHOTS = os.environ.get("CRISPS_SCREENSHOTS")
WAIT_MS = 20_000
MOST_TURNS = 400
DESKTOP: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 360, "height": 740}
# Of a card in the hand: there it is seen whatever lies beside it.
CORNER: Position = {"x": 18, "y": 45}
AXE = ROOT / "node_modules/axe-core/axe.min.js"

# What Chromium itself says of a request that a test has cut off.
CUT = re.compile(r"net::ERR_(?:INTERNET_DISCONNECTED|FAILED|NETWORK_CHANGED|NETWORK_IO_SUSPENDED)")


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=WAIT_MS)
        yield browser
        browser.close()


@dataclass
class Guest:
    """Somebody at a page of the table, in a browser context of their own."""

    page: Page
    home: str
    asked: list[Request] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    @classmethod
    def come(cls, browser: Browser, home: str, size: ViewportSize | None = None, **wishes: Any) -> Guest:
        """A guest in a fresh context, without movement unless it is wished."""
        wishes = {"reduced_motion": "reduce", **wishes}
        context = browser.new_context(viewport=size or DESKTOP, **wishes)
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        guest = cls(page, home)
        page.route(lambda url: not url.startswith((f"{home}/", "data:")), guest._refuse)
        page.on("request", lambda request: guest.asked.append(request))  # noqa: PLW0108 - Playwright marks what it is given
        page.on("console", guest._on_console)
        page.on("pageerror", lambda error: guest.complaints.append(str(error)))
        page.on("response", guest._on_response)
        return guest

    def _refuse(self, route: Route) -> None:
        self.foreign.append(route.request.url)
        route.abort()

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)

    def _on_response(self, answer: Response) -> None:
        if answer.status >= 400:
            self.complaints.append(f"{answer.status} {answer.url}")

    def open(self, address: str = "/play") -> None:
        """Open the table, or a link to it."""
        self.page.goto(address if address.startswith("http") else self.home + address)

    def picture(self, name: str) -> None:
        """Keep what the page looks like now, where that is wanted."""
        if SCREENSHOTS:
            self.page.screenshot(path=Path(SCREENSHOTS) / f"table-{name}.png")

    def at(self, name: str) -> Locator:
        """A control by its name in the page."""
        return self.page.locator(f'[data-focus="{name}"]')

    def start(self, points: int = 1, level: str = "Beginner", against: str = "The computer") -> None:
        """Choose a game on the start page and begin it."""
        page = self.page
        page.get_by_role("radio", name=against).check()
        if against == "The computer":
            page.get_by_role("radio", name=level).check()
        page.get_by_text("Edition, options and length").click()
        page.get_by_label("Points to win").fill(str(points))
        self.at("start").click()
        self.at("deal").or_(page.locator("#invitation")).first.wait_for()

    def over(self) -> bool:
        """Whether the game is."""
        return self.page.locator(".finished").count() > 0

    def wait_for_turn(self) -> None:
        """Until something is to be done here, or the game is over."""
        self.page.locator(".status.yours, [data-focus=deal]:enabled, .finished").first.wait_for()

    def act(self) -> None:
        """Do by clicks what comes to hand: deal, draw, follow, lead or pass."""
        page = self.page
        before = self.version()
        if self.at("deal").count():
            self.at("deal").click()
        elif page.locator(".source").count():
            page.locator(".source").last.click()
        else:
            while not self.at("play").is_enabled() and self.choose():
                pass
            (self.at("play") if self.at("play").is_enabled() else self.at("pass")).click()
        self.moved_on(before)

    def choose(self) -> bool:
        """Click a card that can be part of a legal play; whether there is one."""
        card = self.page.locator('.hand li:not([aria-disabled="true"]):not([aria-selected="true"])').first
        if not card.count():
            return False
        card.click(position=CORNER)
        return True

    def tab_to(self, selector: str) -> None:
        """Press Tab until a control has the focus."""
        for _ in range(80):
            if self.page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{selector} cannot be reached by Tab")

    def act_by_keys(self) -> None:
        """Do by keys what comes to hand: deal, draw, follow, lead or pass."""
        press = self.page.keyboard.press
        before = self.version()
        if self.at("deal").count():
            press("d")
        elif self.page.locator(".source").count():
            press("f")
        else:
            press("Home")
            for _ in range(self.page.locator(".hand li").count()):
                if self.page.locator(".hand li:focus").get_attribute("aria-disabled") is None:
                    press("Space")
                if self.at("play").is_enabled():
                    break
                press("ArrowRight")
            press("Enter" if self.at("play").is_enabled() else "p")
        self.moved_on(before)

    def version(self) -> int:
        """The game's version that the table shows."""
        return int(self.page.locator("#table").get_attribute("data-version") or 0)

    def moved_on(self, before: int) -> None:
        """Until the table shows a later version, and nothing is under way."""
        shows = "before => Number(document.getElementById('table')?.dataset.version) > before"
        self.page.wait_for_function(shows, arg=before)

    def axe(self) -> list[str]:
        """What axe-core finds serious or critical on the page as it is."""
        self.page.evaluate(AXE.read_text())
        found = self.page.evaluate("() => axe.run()")
        return [
            f"{one['id']}: {node['target']} {node['failureSummary']}"
            for one in found["violations"]
            if one["impact"] in {"serious", "critical"}
            for node in one["nodes"]
        ]

    def unasked_for(self, document: dict[str, Any]) -> list[str]:
        """Requests that are neither the page's files nor operations of the document."""
        patterns = {re.compile(re.sub(r"\{[^}]*\}", "[^/]+", path)): ways for path, ways in document["paths"].items()}
        found = []
        for request in self.asked:
            path = request.url.removeprefix(self.home).split("?")[0].split("#")[0]
            if re.fullmatch(r"/play(?:/[\w.-]+)?|/docs/favicon\.svg", path) and request.method == "GET":
                continue
            if not any(one.fullmatch(path) and request.method.lower() in ways for one, ways in patterns.items()):
                found.append(f"{request.method} {request.url}")
            if request.method == "POST" and not re.fullmatch(r"[0-9a-f-]{36}", request.headers["idempotency-key"]):
                found.append(f"no key: {request.url}")
        return found


def asked(url: str, body: dict[str, Any] | None = None, token: str | None = None) -> Any:
    """What a program's POST answers; without a body its GET."""
    headers = {"Content-Type": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(url, None if body is None else json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for a file of tests."""
    with chromium() as running:
        yield running


@pytest.fixture
def guest(browser: Browser, service_url: str) -> Iterator[Guest]:
    """Somebody at a desktop."""
    come = Guest.come(browser, service_url)
    yield come
    come.page.context.close()


@pytest.fixture(scope="session")
def document(service_url: str) -> dict[str, Any]:
    """The service's OpenAPI document."""
    found: dict[str, Any] = asked(f"{service_url}/openapi.json")
    return found
