"""What importing the service loads: a worker that only answers needs no search, and no terminal."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.running import ROOT

# Kernels are loaded when the first search is asked for. rich itself is not named: structlog loads it where it finds it.
NEVER = {
    "ai.plots",
    "ai.policy",
    "ai.progress",
    "flask_openapi3",
    "flask_openapi3_redoc",
    "llvmlite",
    "matplotlib",
    "numba",
    "numpy",
    "pydantic",
    "service.play",
    "service.screen",
}


@pytest.mark.parametrize("module", ["service.app", "service.worker"])
def test_what_is_served_loads_no_kernels_plots_or_terminal(module: str) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    loaded = set(done.stdout.split())
    assert module in loaded
    assert loaded & NEVER == set()
