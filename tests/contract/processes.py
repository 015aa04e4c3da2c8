"""A whole service with its processes laid open, to be killed piece by piece; Linux only, for it reads /proc.

The service gets SIGTERM when the test's process ends, however it ends, so nothing is left behind.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.running import ANNOUNCEMENT, ROOT, STOP_SECONDS, eventually

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PR_SET_PDEATHSIG = 1  # linux/prctl.h
START_SECONDS = 240.0
"""Bounds a hang only: the first start after a change of the kernels compiles them, which may take minutes."""
_LIBC = ctypes.CDLL(None)


@dataclass(frozen=True)
class Process:
    """A process; the moment it started keeps apart those that get the same number one after the other."""

    pid: int
    parent: int
    started: int
    command: str

    @property
    def alive(self) -> bool:
        """Whether it still runs; one that has ended and was not waited for does not."""
        now = _read(self.pid)
        return now is not None and now.started == self.started

    def kill(self) -> None:
        """End it as a crash would."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)


def _read(pid: int) -> Process | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return None
    # the name in parentheses may hold blanks and parentheses itself
    state, parent, *rest = stat.rpartition(")")[2].split()
    return None if state in {"Z", "X"} else Process(pid, int(parent), int(rest[17]), command)


def processes() -> list[Process]:
    """All processes of this machine that run."""
    found = (_read(int(entry.name)) for entry in Path("/proc").iterdir() if entry.name.isdecimal())
    return [process for process in found if process is not None]


def children_of(pid: int) -> list[Process]:
    """The processes that a process has started itself."""
    return [process for process in processes() if process.parent == pid]


class OwnService:
    """`python -m service` on a data folder, always at the same address once it was started."""

    def __init__(self, folder: Path, **environ: str) -> None:
        self.folder = folder
        self.url = ""
        self._environ = environ
        self._popen: subprocess.Popen[bytes] | None = None
        self._seen: set[Process] = set()

    @property
    def log(self) -> str:
        """What the service wrote to standard error, for assertions' messages."""
        return (self.folder / "service.log").read_text(errors="replace")

    def start(self) -> None:
        """Start it and wait until it listens; an AssertionError quotes its log."""
        parent = os.getpid()
        out, log = self.folder / "service.out", self.folder / "service.log"
        port = self.url.rpartition(":")[2] or "0"

        def before_exec() -> None:
            _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
            if os.getppid() != parent:
                os._exit(1)

        inherited = {name: value for name, value in os.environ.items() if name not in {"REDIS_URL", "HOST"}}
        self.folder.mkdir(parents=True, exist_ok=True)
        with out.open("wb") as output, log.open("ab") as errors:
            self._popen = subprocess.Popen(
                [sys.executable, "-m", "service"],
                cwd=ROOT,
                env={**inherited, "PORT": port, "DATA_DIR": str(self.folder / "data"), **self._environ},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                preexec_fn=before_exec,  # noqa: PLW1509 - two system calls, no lock is taken
            )
        popen = self._popen
        eventually(lambda: bool(ANNOUNCEMENT.match(out.read_text())) or popen.poll() is not None, START_SECONDS)
        found = ANNOUNCEMENT.match(out.read_text())
        if found is None:
            popen.kill()
            popen.wait()
            raise AssertionError(f"the service did not start:\n{self.log}")
        self.url = found[1]

    def stop(self) -> None:
        """Stop it if it runs; whatever of it does not end by itself, ever seen, is ended by force."""
        if self._popen is None:
            return
        self.everything()
        self._popen.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(STOP_SECONDS)
        for process in self._seen:
            if process.alive:
                process.kill()
        self._popen.wait(STOP_SECONDS)

    @property
    def pid(self) -> int:
        """The process that `python -m service` is: the supervisor."""
        assert self._popen is not None
        return self._popen.pid

    def store(self) -> Process:
        """The embedded store."""
        return self._child("valkey-server", "redis-server")

    def server(self) -> Process:
        """The HTTP server that starts the workers."""
        return self._child("service.server")

    def workers(self) -> list[Process]:
        """The processes that answer requests."""
        return children_of(self.server().pid)

    def everything(self) -> list[Process]:
        """Every process of the service, children before their parents."""
        table = processes()
        found: list[Process] = [process for process in table if process.pid == self.pid]
        for process in found:  # grows while it is walked
            found += [child for child in table if child.parent == process.pid]
        self._seen.update(found)
        return found[::-1]

    def kill_all(self) -> None:
        """Every process at once; then there is nothing left."""
        victims = self.everything()
        for victim in victims:  # first none may act on the others' end
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim.pid, signal.SIGSTOP)
        for victim in victims:
            victim.kill()
        self.wait()
        assert eventually(lambda: not any(victim.alive for victim in victims))

    def wait(self) -> int:
        """Wait for the supervisor's end; its exit code."""
        assert self._popen is not None
        return self._popen.wait(STOP_SECONDS)

    def _child(self, *names: str) -> Process:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            for child in children_of(self.pid):
                if any(name in child.command for name in names):
                    return child
            time.sleep(0.02)
        raise AssertionError(f"no {names[0]} runs:\n{self.log}")


@contextlib.contextmanager
def own_service(folder: Path, **environ: str) -> Iterator[OwnService]:
    """A service of one's own, stopped afterwards; settings as keywords in capitals."""
    service = OwnService(folder, **environ)
    service.start()
    try:
        yield service
    finally:
        service.stop()


def without_orphans(everything: list[Process]) -> Mapping[int, str]:
    """Those of some processes that still run, by number, once they had a generous time to end."""
    eventually(lambda: not any(process.alive for process in everything))
    return {process.pid: process.command for process in everything if process.alive}
