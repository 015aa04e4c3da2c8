"""The documentation pages in a real browser that can reach nothing but the service.

CRISPS_SCREENSHOTS names a folder to keep pictures in. CHROMIUM is the browser's path.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from tests.contract.browsing import AXE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import ConsoleMessage, Page, Response, Route

pytestmark = pytest.mark.check

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SCREENSHOTS = os.environ.get("CRISPS_SCREENSHOTS")
WAIT_MS = 30_000


class Visit:
    """A page, what it asked of others than the service, and what it complained of."""

    def __init__(self, page: Page, home: str) -> None:
        self.page = page
        self.foreign: list[str] = []
        self.complaints: list[str] = []
        self._home = home
        page.set_default_timeout(WAIT_MS)
        page.route("**/*", self._let_through)
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("requestfailed", lambda request: self.complaints.append(f"{request.url}: {request.failure}"))
        page.on("response", self._on_response)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)

    def _on_response(self, answer: Response) -> None:
        if answer.status >= 400:
            self.complaints.append(f"{answer.status} {answer.url}")

    def _let_through(self, route: Route) -> None:
        # data: and blob: stay within the page
        if route.request.url.startswith((f"{self._home}/", "data:", "blob:")):
            route.continue_()
        else:
            self.foreign.append(route.request.url)
            route.abort()

    def picture(self, name: str) -> None:
        """Keep what the page looks like now, where that is wanted."""
        if SCREENSHOTS:
            self.page.screenshot(path=Path(SCREENSHOTS) / f"{name}.png", full_page=True)


@pytest.fixture(name="visit")
def _visit(service_url: str) -> Iterator[Visit]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=WAIT_MS)
        yield Visit(browser.new_page(viewport={"width": 1280, "height": 900}), service_url)
        browser.close()


def test_a_game_can_be_created_from_the_documentation(visit: Visit, service_url: str) -> None:
    page = visit.page
    page.goto(f"{service_url}/docs")
    operation = page.locator("#operations-games-createGame")
    operation.locator(".opblock-summary-control").click()
    operation.get_by_role("button", name="Try it out").click()
    # a key that the page fills in would be everybody's, and with it the game
    assert operation.get_by_placeholder("Idempotency-Key").input_value() == ""
    operation.get_by_role("button", name="Execute").click()
    answer = operation.locator(".live-responses-table")
    answer.locator(".response-col_status", has_text="201").first.wait_for()
    assert '"tokens"' in answer.locator(".response-col_description .microlight").first.inner_text()
    visit.picture("docs-created")
    assert (visit.foreign, visit.complaints) == ([], [])


def test_every_operation_is_on_the_page(visit: Visit, service_url: str) -> None:
    page = visit.page
    page.goto(f"{service_url}/docs")
    page.locator(".opblock").first.wait_for()
    document = page.request.get(f"{service_url}/openapi.json").json()
    operations = [one for path in document["paths"].values() for one in path.values() if "operationId" in one]
    shown = page.locator(".opblock").evaluate_all("blocks => blocks.map(block => block.id.split('-').at(-1))")
    assert sorted(shown) == sorted(one["operationId"] for one in operations)
    visit.picture("docs")
    assert (visit.foreign, visit.complaints) == ([], [])


@pytest.mark.parametrize("width", [1440, 360])
def test_every_operation_and_the_whole_guide_is_in_redoc(visit: Visit, service_url: str, width: int) -> None:
    page = visit.page
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{service_url}/reference")
    page.get_by_role("heading", name="Crisps!").wait_for()
    document = page.request.get(f"{service_url}/openapi.json").json()
    names = [one["operationId"] for path in document["paths"].values() for one in path.values() if "operationId" in one]
    shown = page.locator("[data-section-id]").evaluate_all("parts => parts.map(part => part.dataset.sectionId)")
    assert {f"operation/{name}" for name in names} <= set(shown)
    for heading in re.findall(r"^#+ (.+)$", document["info"]["description"], re.MULTILINE):
        assert page.get_by_role("heading", name=heading).count()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    visit.picture(f"redoc-{width}")
    assert (visit.foreign, visit.complaints) == ([], [])


def test_redoc_finds_and_shows_an_operation_with_its_example(visit: Visit, service_url: str) -> None:
    page = visit.page
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{service_url}/reference")
    page.get_by_placeholder("Search").press_sequentially("draw pile")
    page.locator("[data-role='search:results']").get_by_text("Choose the face-up card").click()
    operation = page.locator("[id='operation/chooseDraw']")
    operation.get_by_text('"source": "draw_pile"', exact=True).wait_for()
    assert operation.evaluate("part => Math.abs(part.getBoundingClientRect().top) < innerHeight")
    visit.picture("redoc-operation")
    assert (visit.foreign, visit.complaints) == ([], [])


def test_the_plain_reference_can_be_read_without_any_script(visit: Visit, service_url: str) -> None:
    page = visit.page
    page.goto(f"{service_url}/reference/plain")
    assert page.locator("script").count() == 0
    page.get_by_role("link", name="/v1/games/{game_id}/play").click()
    heading = page.get_by_role("heading", name="POST /v1/games/{game_id}/play")
    assert heading.evaluate("heading => Math.abs(heading.getBoundingClientRect().top) < innerHeight")
    visit.picture("plain-reference")
    assert (visit.foreign, visit.complaints) == ([], [])


PARTS = (".skip", "nav", ".guide", "#createGame", "#chooseDraw", "#getHistory", "#problem-rate_limited", "#GameView")
"""One of everything on the page, which repeats a few forms often: on all of it axe takes ten times as long."""


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 360)])
def test_the_plain_reference_is_for_everybody_by_day_and_night_on_a_desk_and_a_phone(
    visit: Visit, service_url: str, scheme: Literal["light", "dark"], width: int
) -> None:
    page = visit.page
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{service_url}/reference/plain#chooseDraw")
    visit.picture(f"plain-reference-{scheme}-{width}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate(AXE.read_text())  # what the page's policy lets no script element do
    found = page.evaluate("parts => axe.run({include: parts})", [[one] for one in PARTS])["violations"]
    serious = [one for one in found if one["impact"] in {"serious", "critical"}]
    assert [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in serious] == []
    assert (visit.foreign, visit.complaints) == ([], [])
