"""Real stores and real servers for tests: nothing in this suite pretends to be Valkey or gunicorn.

Fixtures: `valkey` (one server for the run), `store` (a GameStore on it), `game_id` (fresh), `own_valkey` (a server
for one test, to be broken), `unreliable` (a proxy before a store). `running_service()` runs `python -m service`.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from service.config import Config
from service.connections import connect
from service.embedded import EmbeddedStore
from service.redis_store import RedisGameStore
from tests.unreliable import UnreliableProxy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 240.0  # a cold start compiles the kernels
STOP_SECONDS = 30.0
ANNOUNCEMENT = re.compile(r"Crisps! service at (http://\S+) ")


def eventually(holds: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Whether something becomes true within a generous time."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def store_config(url: str, **settings: object) -> Config:
    """A Config for tests, at a store's URL."""
    environ = {name.upper(): str(value) for name, value in settings.items()}
    return Config.from_env({"REDIS_URL": url, "STORE_TIMEOUT_SECONDS": "10", **environ})


@contextlib.contextmanager
def embedded_store(folder: Path, appendfsync: str = "everysec") -> Iterator[EmbeddedStore]:
    """The embedded store on a folder, running, and stopped afterwards."""
    running = EmbeddedStore(folder, appendfsync)
    running.start()
    try:
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedStore]:
    """A store for the whole run; tests keep apart by fresh game ids."""
    with embedded_store(tmp_path_factory.mktemp("valkey")) as running:
        yield running


@pytest.fixture(scope="session")
def store(valkey: EmbeddedStore) -> Iterator[RedisGameStore]:
    """A GameStore on `valkey`."""
    client = connect(store_config(valkey.url))
    yield RedisGameStore(client)
    client.close()


@pytest.fixture
def game_id() -> str:
    """An id no game has yet."""
    return secrets.token_urlsafe(12)


@pytest.fixture
def own_valkey(tmp_path: Path) -> Iterator[EmbeddedStore]:
    """A store for one test, which may break it. Every write is forced to disk."""
    with embedded_store(tmp_path / "own", "always") as running:
        yield running


@dataclass
class RunningService:
    """A whole service as `python -m service` starts it."""

    process: subprocess.Popen[str]
    url: str
    log: Path
    announcement: str
    data_dir: Path
    output: list[str] = field(default_factory=list)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and wait for the end; the exit code."""
        self.process.send_signal(number)
        return self.process.wait(STOP_SECONDS)


def start_service(
    folder: Path,
    environ: Mapping[str, str] | None = None,
    prefix: Sequence[str] = (),
    module: str = "service",
) -> RunningService:
    """Start `python -m service`, or another module, on a free port and wait until it listens.

    If it does not, an AssertionError quotes its log.
    `prefix` is a command that runs the command after it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "service.log"
    data_dir = folder / "data"
    inherited = {name: value for name, value in os.environ.items() if name not in ("REDIS_URL", "HOST")}
    with log.open("ab") as errors:
        process = subprocess.Popen(
            [*prefix, sys.executable, "-m", module],
            cwd=ROOT,
            env={**inherited, "PORT": "0", "DATA_DIR": str(data_dir), **(environ or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    output: list[str] = []
    spoke = threading.Event()

    def read() -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                output.append(line)
                spoke.set()
        spoke.set()

    threading.Thread(target=read, daemon=True).start()
    spoke.wait(START_SECONDS)
    found = ANNOUNCEMENT.match(output[0]) if output else None
    if found is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOP_SECONDS if not process.stdout or process.stdout.closed else 0)
        process.kill()
        code = process.wait()
        raise AssertionError(f"the service ended with code {code}:\n{''.join(output)}\n{log.read_text()}")
    return RunningService(process, found[1], log, output[0], data_dir, output)


@contextlib.contextmanager
def running_service(
    folder: Path,
    environ: Mapping[str, str] | None = None,
    prefix: Sequence[str] = (),
    module: str = "service",
) -> Iterator[RunningService]:
    """A whole service, stopped afterwards, by force if it does not stop by itself."""
    service = start_service(folder, environ, prefix, module)
    try:
        yield service
    finally:
        if service.process.poll() is None:
            service.process.terminate()
        try:
            service.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            service.process.kill()
            service.process.wait()


@pytest.fixture(scope="session")
def service_url() -> Iterator[str]:
    """The URL of one whole service for the run."""
    with tempfile.TemporaryDirectory(prefix="crisps-test-") as folder, running_service(Path(folder)) as service:
        yield service.url


@pytest.fixture
def unreliable(valkey: EmbeddedStore) -> Iterator[UnreliableProxy]:
    """A proxy before `valkey` that can be told to misbehave."""
    with tempfile.TemporaryDirectory(prefix="crisps-test-") as folder:
        proxy = UnreliableProxy(Path(folder), valkey.socket_path)
        yield proxy
        proxy.close()
