"""Files of JSON lines that grow while something long is measured, and survive its interruption.

Lines are only ever added; a last one that an interruption has torn is taken off again. Every line of a
measurement begins with its origin (origin.py), so the end of another file is told apart and left alone.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from os import SEEK_END
from pathlib import Path
from typing import Any

_BEGINNING = b'{"command"'


class UnreadableLines(ValueError):
    """The file holds something else."""


class LinesInUse(OSError):
    """Another measurement is adding to the file."""


@contextmanager
def kept(file: Path) -> Iterator[None]:
    """Keeps the file from every other measurement that asks; there is one then. Raises LinesInUse, OSError.

    Two that carry on with one file would both play what is missing, and leave lines that nobody can read together.
    """
    with file.open("ab") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LinesInUse(f"{file} is in use by another measurement") from None
        yield


def read_lines(file: Path, beginning: bytes = _BEGINNING) -> list[dict[str, Any]]:
    """What the lines hold, which begin like this, none if there was no file; there is one then.

    Raises UnreadableLines; OSError, also where lines can be read but not added.
    """
    file.open("ab").close()
    text = file.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    torn = text[len(whole) :]
    if torn[: len(beginning)] != beginning[: len(torn)]:
        raise UnreadableLines(f"{file} ends with something that was not measured here")
    foreign = UnreadableLines(f"{file} holds something else than lines of JSON")
    try:
        lines = [json.loads(line) for line in whole.splitlines()]
    except ValueError:
        raise foreign from None
    if not all(isinstance(line, dict) for line in lines):
        raise foreign
    if torn:
        with file.open("rb+") as stream:
            stream.truncate(len(whole))
    return lines


def add_line(file: Path, line: str) -> None:
    """Adds a line, which ends with a line feed, as a line of its own whatever the file ends with. Raises OSError."""
    with file.open("a+b") as stream:
        size = stream.seek(0, SEEK_END)
        stream.seek(max(0, size - 1))
        stream.write(b"\n" * (stream.read(1) not in {b"", b"\n"}) + line.encode())
