"""Where a figure comes from: told where git knows it, never an obstacle where it does not."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from ai import origin

SCRIPTS = {"that is silent": "exit 128", "that takes long": "exec sleep 30", "that answers": "echo 0123456789ab-dirty"}


@pytest.mark.parametrize("kind", SCRIPTS)
def test_the_commit_is_what_git_says_or_unknown(kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    git = tmp_path / "git"
    git.write_text(f"#!/bin/sh\n{SCRIPTS[kind]}\n")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(origin, "PATIENCE_SECONDS", 0.3)
    begin = time.monotonic()
    assert origin.commit() == ("0123456789ab-dirty" if kind == "that answers" else "unknown")
    assert time.monotonic() - begin < 20


def test_without_git_the_commit_is_unknown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert origin.commit() == "unknown"
