"""The folder's fixtures: see tests/asking.py and tests/advised.py."""

from tests.advised import following
from tests.asking import api, app

__all__ = ["api", "app", "following"]
