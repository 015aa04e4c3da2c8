"""The list of all problem codes, for programs and as a page."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from service.problems import KINDS
from tests.service.probe_api import probe_app


def test_the_list_holds_every_code_once_by_status_and_each_leads_to_its_own_page() -> None:
    client = probe_app().test_client()
    listed = client.get("/problems").get_json()["problems"]
    assert [(one["status"], one["code"]) for one in listed] == sorted(
        (kind.status, kind.code) for kind in KINDS.values()
    )
    assert [client.get(one["type"]).get_json() for one in listed] == listed


def test_the_list_is_a_page_for_browsers_whose_links_lead_on() -> None:
    client = probe_app().test_client()
    answer = client.get("/problems", headers={"Accept": "text/html,*/*;q=0.8"})
    assert answer.content_type == "text/html; charset=utf-8"
    assert answer.headers["Vary"] == "Accept"
    links = re.findall(r'href="([^"]+)"', answer.text)
    assert {link for link in links if link.startswith("problems/")} == {f"problems/{code}" for code in KINDS}
    for link in {urljoin("/problems", one) for one in links}:
        assert client.get(link).status_code == 200, link
