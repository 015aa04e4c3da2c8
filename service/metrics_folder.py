"""The private folder in which the processes of one service keep their metrics: fresh at each start, gone at the end.

A service that was killed leaves its folder behind; the next one to start takes it away. Which one still belongs to
somebody tells a lock that the service and its workers hold while any of them lives.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""What prometheus_client finds the folder by; it looks when it is imported, so this has to be set before."""
PREFIX: Final = "crisps-metrics-"
_UNLOCKED: Final = "crisps-new-"
SHARED_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - the folders in it are private


@contextmanager
def metrics_folder(parent: Path | None = None) -> Iterator[Path]:
    """A new folder for this service, removed by the process that made it and by none of its forks."""
    if parent is None:
        # the figures are written at each request: not to a disk where that can be helped
        parent = SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else Path(tempfile.gettempdir())
    _sweep(parent)
    owner = os.getpid()
    made = Path(tempfile.mkdtemp(prefix=_UNLOCKED, dir=parent))
    lock = os.open(made / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    folder = made.rename(parent / made.name.replace(_UNLOCKED, PREFIX))  # only now others may look at it
    try:
        yield folder
    finally:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def _sweep(parent: Path) -> None:
    for left in parent.glob(f"{PREFIX}*"):
        with suppress(OSError):  # another user's, or another start is sweeping too
            lock = os.open(left / "lock", os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(lock)
