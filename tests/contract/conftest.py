"""The folder's fixtures: see also tests/asking.py and tests/advised.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.advised import following
from tests.asking import api, app
from tests.contract.browsing import browser, document, guest
from tests.contract.interrupted import Process

if TYPE_CHECKING:
    from service.embedded import EmbeddedStore

__all__ = ["api", "app", "browser", "document", "following", "guest", "other", "process"]


@pytest.fixture
def process(valkey: EmbeddedStore) -> Process:
    """A service in this process whose calls of the store can be interrupted."""
    return Process(valkey)


@pytest.fixture
def other(valkey: EmbeddedStore) -> Process:
    """Another one on the same store."""
    return Process(valkey)
