"""What the service says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from service import __version__
from service.resources import meta
from tests.service.probe_api import probe_app

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(name="_forgotten")
def forgotten() -> Iterator[None]:
    meta.commit.cache_clear()
    yield
    meta.commit.cache_clear()


@pytest.mark.usefixtures("_forgotten")
def test_health_tells_version_and_the_commit_it_was_built_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRISPS_COMMIT", "0123abc")
    answer = probe_app().test_client().get("/healthz")
    assert answer.get_json() == {"status": "ok", "version": __version__, "commit": "0123abc"}
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.usefixtures("_forgotten")
def test_without_the_variable_git_is_asked_and_may_know_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CRISPS_COMMIT", raising=False)
    found = meta.commit()
    assert found == "unknown" or (len(found) == 40 and int(found, 16))


@pytest.mark.usefixtures("_forgotten")
def test_without_git_the_commit_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CRISPS_COMMIT", raising=False)
    monkeypatch.setenv("PATH", "")
    assert meta.commit() == "unknown"


def test_head_and_a_second_look_are_answered_alike() -> None:
    client = probe_app().test_client()
    assert client.head("/healthz").headers["Content-Length"] == client.get("/healthz").headers["Content-Length"]
