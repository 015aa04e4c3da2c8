"""Runs the embedded store and the HTTP server side by side, and stops them in the right order."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import sys
import time
from typing import TYPE_CHECKING, Final

from service.children import start_child, stop_child
from service.embedded import EmbeddedStore

if TYPE_CHECKING:
    import subprocess
    from types import FrameType

    from service.config import Config

ENDING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)
FORWARDED: Final = (*ENDING, signal.SIGHUP, signal.SIGUSR1, signal.SIGTTIN, signal.SIGTTOU)
# gunicorn ends its workers by force after the graceful timeout; this is for gunicorn itself
MARGIN_SECONDS: Final = 5.0


class Supervisor:
    """Two children: the store, started again whenever it ends, and the server, whose end is the end of all.

    SIGTERM and a first Ctrl-C let requests finish (the store stops after the server); SIGQUIT or a second
    Ctrl-C stop at once; SIGHUP starts new workers. If this process is killed, both children get SIGTERM
    (Linux). It also works as process 1 of a container.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._signals: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._deadline = float("inf")

    def run(self) -> int:
        """Serve until a signal or the server's end; the exit code. May raise EmbeddedStoreError."""
        for number in ENDING:
            signal.signal(number, _leave)  # until there is a server to forward it to
        store = EmbeddedStore(self._config.data_dir, self._config.appendfsync)
        store.start()
        try:
            for number in (*FORWARDED, signal.SIGCHLD):
                signal.signal(number, self._note)
            server = start_child(
                [sys.executable, "-m", "service.server", f"games in {store.data_dir} (embedded store)"],
                env={**os.environ, "REDIS_URL": store.url},
            )
            try:
                self._watch(store, server)
            finally:
                stop_child(server, self._config.graceful_timeout_seconds + MARGIN_SECONDS)
                _end_group(server)
        finally:
            store.stop()
        code = server.returncode
        return code if code >= 0 else 128 - code

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self._signals.put(number)

    def _watch(self, store: EmbeddedStore, server: subprocess.Popen[bytes]) -> None:
        """Return when the server has ended."""
        children = {server.pid: server}
        while server.poll() is None:
            if store.server is not None:
                children[store.server.pid] = store.server
            if os.getpid() == 1:
                _reap(children)
            pause = store.keep_running()
            if time.monotonic() > self._deadline:
                _end_group(server)
            with contextlib.suppress(queue.Empty):
                self._forward(self._signals.get(timeout=1.0 if pause is None else min(pause, 1.0)), server)

    def _forward(self, number: int, server: subprocess.Popen[bytes]) -> None:
        if number == signal.SIGCHLD:
            return  # it was only to wake up
        if number in ENDING:
            first = self._deadline == float("inf")
            if first:
                self._deadline = time.monotonic() + self._config.graceful_timeout_seconds + MARGIN_SECONDS
            # to gunicorn SIGINT means at once; the first Ctrl-C shall let requests finish
            if number == signal.SIGINT and first:
                number = signal.SIGTERM
        server.send_signal(number)


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _end_group(leader: subprocess.Popen[bytes]) -> None:
    """End whatever is left of a child and its children, by force."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader.pid, signal.SIGKILL)


def _reap(children: dict[int, subprocess.Popen[bytes]]) -> None:
    """Collect the processes that have ended; to process 1 the system also gives those it never started."""
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            child = children.pop(pid, None)
            if child is not None:
                child.returncode = os.waitstatus_to_exitcode(status)
