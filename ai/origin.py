"""Where a figure comes from: the command that measured it, the commit it ran at and the time."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

PATIENCE_SECONDS = 10.0

_ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Origin:
    """Of a figure: `command` as typed, `commit` abbreviated, "-dirty" behind it when files were changed, `date` UTC."""

    command: str
    commit: str
    date: str

    @classmethod
    def now(cls, command: str, arguments: list[str]) -> Origin:
        """Of what `python -m command arguments` measures from now on."""
        text = " ".join(["python", "-m", command, *arguments])
        return cls(text, commit(), datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))

    def line(self, **figures: Any) -> str:  # noqa: ANN401 - whatever JSON can hold
        """The figures with their origin, one line of JSON."""
        told = {"command": self.command, "commit": self.commit, "date": self.date}
        return json.dumps(told | figures, ensure_ascii=False) + "\n"


def commit() -> str:
    """The commit of the sources, "unknown" outside a git checkout or where git takes over PATIENCE_SECONDS."""
    if (git := shutil.which("git")) is None:
        return "unknown"
    ask = [git, "-C", str(_ROOT), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        answer = subprocess.run(ask, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)  # noqa: S603 - fixed words
    except subprocess.TimeoutExpired:
        return "unknown"
    return answer.stdout.strip() or "unknown"
