"""Child processes that do not outlive the process that started them."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PR_SET_PDEATHSIG = 1  # linux/prctl.h
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def start_child(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    stdout: int | None = None,
    keep_open: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a program in a process group of its own, so that a terminal's Ctrl-C reaches only the starter.

    On Linux the child gets SIGTERM when the thread that called this ends, however it ends: call it from the
    main thread. `keep_open` are file descriptors the child inherits. OSError: the program cannot be run.
    """
    parent = os.getpid()

    def before_exec() -> None:
        if _LIBC is not None:
            _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
            if os.getppid() != parent:  # it ended before the signal was asked for
                os._exit(1)

    return subprocess.Popen(  # noqa: S603 - our own programs, no shell
        command,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        env=env,
        pass_fds=keep_open,
        start_new_session=True,
        preexec_fn=before_exec,  # noqa: PLW1509 - one system call, and the starter has a single thread
    )


def stop_child(child: subprocess.Popen[bytes], seconds: float) -> int:
    """Ask a child to end, wait, and end it by force when `seconds` have passed; its exit code."""
    if child.poll() is None:
        child.terminate()
    try:
        return child.wait(seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()
