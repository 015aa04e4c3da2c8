"""How far a measurement is shows on a terminal; test_arena.py sees that nothing shows elsewhere."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

from tests.running import ROOT

COMMAND = [sys.executable, "-m", "ai.arena", "greedy", "random", "--deals", "16"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "120"}


def test_a_terminal_sees_rate_and_remaining_time() -> None:
    ours, theirs = pty.openpty()
    done = subprocess.run(
        COMMAND, cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=theirs, timeout=100, check=True
    )
    os.close(theirs)
    shown = b""
    try:
        while some := os.read(ours, 65536):
            shown += some
    except OSError:  # the other end is closed: everything has been read
        pass
    os.close(ours)
    assert b"greedy v random" in shown
    assert b"pairs/s" in shown
    assert b"8/8" in shown
    assert b"pairs/s" not in done.stdout
