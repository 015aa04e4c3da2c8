"""What the measuring commands are asked on their command lines, and what they refuse."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from ai import plots
from engine.cards import Edition
from engine.rules import Rules

OPTIONS = ("crisps_in_runs", "no_face_up_draw", "automatic_turn_skip")


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """Reads a whole number of these bounds."""

    def read(text: str) -> int:
        bounds = f"at least {least}" if most is None else f"{least} to {most}"
        if not text.isdecimal() or int(text) < least or (most is not None and int(text) > most):
            raise argparse.ArgumentTypeError(f"a whole number, {bounds}, not {text!r}")
        return int(text)

    return read


def deals(text: str) -> int:
    """Reads how many deals are to be played in mirrored pairs: an even number, 2 or more."""
    found = whole(2)(text)
    if found % 2:
        raise argparse.ArgumentTypeError(f"an even number, for deals are played in pairs, not {text}")
    return found


def options_of(text: str) -> tuple[str, ...]:
    """Reads the names of table options, comma between them, into the order of OPTIONS."""
    told = [option for option in text.split(",") if option]
    if unknown := sorted(set(told) - set(OPTIONS)):
        raise argparse.ArgumentTypeError(f"no such option: {', '.join(unknown)}")
    return tuple(option for option in OPTIONS if option in told)


def rules_of(options: tuple[str, ...]) -> Rules:
    """The rules of a table with these options."""
    return Rules(Edition.BOXED, *(option in options for option in OPTIONS))


def writable(text: str) -> Path:
    """Reads the name of a file that can be written to, now and not only after hours; it exists then."""
    file = Path(text)
    try:
        file.open("a", encoding="utf-8").close()
    except OSError as fault:
        raise argparse.ArgumentTypeError(f"{text} cannot be written: {fault.strerror}") from None
    return file


def picture(text: str) -> Path:
    """Reads the name of a file that a plot can be written to. Refuses where matplotlib is missing."""
    if not plots.available():
        raise argparse.ArgumentTypeError("plots need matplotlib: install the extra `training`")
    if not text.endswith(".svg"):
        raise argparse.ArgumentTypeError(f"a plot is an .svg file, not {text!r}")
    return writable(text)


def add_common(parser: argparse.ArgumentParser, seed: int = 1) -> None:
    """Adds what every measurement can be asked: --seed, --rules and --threads."""
    parser.add_argument("--seed", type=whole(0), default=seed, help=f"default {seed}")
    parser.add_argument("--rules", type=options_of, default=(), help=f"comma between them: {', '.join(OPTIONS)}")
    add_threads(parser, "figures")


def add_threads(parser: argparse.ArgumentParser, what: str) -> None:
    """Adds --threads, two by default where there are two cores; `what` is what they never change."""
    text = f"changes the time it takes, never the {what}"
    parser.add_argument("--threads", type=whole(1, 64), default=min(2, os.cpu_count() or 1), help=text)


def refuse(reason: object) -> int:
    """Tells why a command does nothing; answers its exit status."""
    print(reason, file=sys.stderr)
    return 2
