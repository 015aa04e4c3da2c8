"""What every test can ask for: see running.py. Before parallel workers start, the kernels are compiled once."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

pytest_plugins = ("tests.running",)


def pytest_configure(config: pytest.Config) -> None:
    """Fill the kernels' cache, so that workers and the services they start load it instead of compiling it each."""
    if getattr(config.option, "numprocesses", None) and not os.environ.get("NUMBA_DISABLE_JIT"):
        from ai import policy

        policy.warm_up()
