"""A browser shows the documentation of the probe API and asks nobody else for anything."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug.serving import make_server

from tests.service.probe_api import probe_app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

METHODS = {"get", "put", "post", "delete", "patch"}


@pytest.fixture(name="app", scope="module")
def _app() -> Flask:
    return probe_app()


@pytest.fixture(name="address")
def _address(app: Flask) -> Iterator[str]:
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join(10)
    server.server_close()


@pytest.mark.check
def test_a_browser_shows_every_operation_and_asks_no_other_host(address: str, app: Flask) -> None:
    from playwright.sync_api import sync_playwright

    document: dict[str, Any] = app.test_client().get("/openapi.json").get_json()
    operations = [method for path in document["paths"].values() for method in path if method in METHODS]
    asked: list[str] = []
    said: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(f"{address}/docs")
        page.wait_for_selector("#operations-service-getHealth", timeout=30_000)
        shown = page.locator(".opblock").count()
        page.click("#operations-service-getHealth")
        page.click("#operations-service-getHealth .try-out__btn")
        page.click("#operations-service-getHealth .execute")
        page.wait_for_selector("#operations-service-getHealth .live-responses-table tbody .response-col_status")
        answered = page.inner_text("#operations-service-getHealth .live-responses-table tbody .response-col_status")
        browser.close()
    assert shown == len(operations)
    assert answered.startswith("200")
    assert said == []
    assert {url for url in asked if not url.startswith((address, "data:", "blob:"))} == set()
