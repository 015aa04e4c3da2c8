"""The page at /reference/plain is made once, and each request finds its own address in it."""

from __future__ import annotations

import re
from typing import Any

from flask import Flask, template_rendered

from tests.service.probe_api import probe_app

PLACEHOLDERS = re.compile("[\ue000-\uf8ff]")


def page(app: Flask, **headers: str) -> Any:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return app.test_client().get("/reference/plain", headers=named)


def test_the_page_is_rendered_once_whoever_asks() -> None:
    app, rendered = probe_app(), []

    def note(_sender: Flask, template: Any, **_: Any) -> None:
        rendered.append(template.name)

    with template_rendered.connected_to(note, app):
        tags = {page(app, Host=f"{name}.example").headers["ETag"] for name in "abcabc"}
        for tag in tags:
            known = [page(app, Host=f"{name}.example", If_None_Match=tag).status_code for name in "abc"]
            assert sorted(known) == [200, 200, 304]  # each address has a page of its own
    assert len(tags) == 3
    assert rendered == ["plain_reference.html"]


def test_commands_and_links_are_those_of_the_address_that_was_asked() -> None:
    app = probe_app(TRUSTED_PROXIES="1")
    plain = page(app, Host="crisps.example").text
    below = page(app, Host="crisps.example", X_Forwarded_Prefix="/a&b", X_Forwarded_Proto="https").text
    assert "curl -X POST http://crisps.example/v1/games " in plain
    assert "curl -X POST https://crisps.example/a&amp;b/v1/games " in below
    assert 'href="/docs/plain_reference.css"' in plain
    assert 'href="/a&amp;b/docs/plain_reference.css"' in below
    assert plain == page(app, Host="crisps.example").text
    for text in (plain, below):
        assert PLACEHOLDERS.search(text) is None
    assert len(re.findall(r'href="/', below)) == len(re.findall(r'href="/a&amp;b/', below)) == 6


def test_an_address_in_the_page_is_escaped() -> None:
    for header in ("Host", "X_Forwarded_Prefix"):
        text = page(probe_app(TRUSTED_PROXIES="1"), **{header: '/x"><script>'}).text
        assert "<script" not in text
        assert 'x">' not in text
