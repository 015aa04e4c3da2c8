"""`kernel`: the one way a function becomes compiled code, and where compiled code is kept.

Numba stamps a cached kernel with the contents of its own file only, so a change in a file it calls into would go
unnoticed. The cache therefore lives in a folder named by a digest of every source file that kernels depend on.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])

_HERE = Path(__file__).resolve().parent

KERNELS: list[Any] = []
"""Every kernel that was made, in order: Numba dispatchers, plain functions under NUMBA_DISABLE_JIT=1."""


def sources_digest(folders: Iterable[Path]) -> str:
    """A short digest of the Python files of these folders, names included."""
    digest = hashlib.sha256()
    for folder in folders:
        for file in sorted(folder.glob("*.py")):
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def writable_folder(candidates: Iterable[Path]) -> Path | None:
    """The first candidate that can be made and written to; None when there is none."""
    for folder in candidates:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return None


def _cache_folder() -> Path | None:
    asked_for = os.environ.get("NUMBA_CACHE_DIR")
    places = [Path(asked_for)] if asked_for else []
    places.append(_HERE / "__pycache__")
    caches, home = os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME")
    if Path(caches).is_absolute():
        places.append(Path(caches, "crisps"))
    elif home:
        places.append(Path(home, ".cache", "crisps"))
    digest = sources_digest((_HERE, _HERE.parent / "engine"))
    return writable_folder(place / f"kernels-{digest}" for place in places)


CACHE_FOLDER = _cache_folder()
"""Where compiled kernels are kept between processes; None: nowhere is writable, each process compiles for itself."""

if CACHE_FOLDER is not None:
    numba.config.CACHE_DIR = str(CACHE_FOLDER)  # type: ignore[attr-defined]  # it has no types


def kernel(function: F) -> F:
    """The function as compiled code that releases the GIL; its annotations are for readers and mypy only."""
    compiled = numba.njit(nogil=True, cache=CACHE_FOLDER is not None)(function)
    KERNELS.append(compiled)
    return cast("F", compiled)


def compilations() -> int:
    """How many versions of kernels have been compiled or loaded in this process so far."""
    return sum(len(getattr(compiled, "signatures", ())) for compiled in KERNELS)
