"""Whether the chances that the search tells come true.

    python -m ai.calibration PLAYER OPPONENT --decisions N --seed S [--threads 2] [--rules …] [--plot FILE] [--fit]

Plays deals and notes, wherever PLAYER has a choice, the chance to win that it tells for the action it takes, and who
won in the end (decision_sheet.py). PLAYER is level-K or guided-N, OPPONENT anybody (players.py). With --fit it prints
the constants of chances.py that would fit these deals best.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ai import plots
from ai.arguments import add_common, picture, refuse, rules_of, whole, writable
from ai.decision_sheet import DecisionSheet, Watched
from ai.json_lines import UnreadableLines, add_line, kept
from ai.origin import Origin
from ai.pairs import Entrant, compile_for
from ai.players import expecting
from ai.progress import progress
from ai.reliability import KINDS, Decisions, Reliability, fit, reliability
from engine.deal import MAX_DRAWS

NAME = "ai.calibration"
PLAYER = "level-4"


def groups(decisions: Decisions) -> Iterator[tuple[str, Decisions]]:
    """Parts of the decisions to look at by themselves, with their names: by draws left, by kind, the uncertain."""
    for left in range(MAX_DRAWS, -1, -1):
        yield f"{left} draws left", decisions[decisions["draws_left"] == left]
    for kind, name in enumerate(KINDS):
        yield name, decisions[decisions["kind"] == kind]
    yield "not certain", decisions[(decisions["told"] > 0) & (decisions["told"] < 1)]


def finite(items: list[tuple[str, Any]]) -> dict[str, Any]:
    """Members for JSON, which has no infinite numbers: null in their place."""
    return {name: None if value == math.inf else value for name, value in items}


def _print(found: Reliability, decisions: Decisions) -> None:
    print("  told           decisions  mean told  share won")
    for one in found.bins:
        print(f"  {one.low:.1f} to {one.low + 0.1:.1f} {one.count:>14,}     {one.told:.4f}  {one.won}")
    print(f"  told {found.told:.4f} on average, won {found.won}")
    print(f"  Brier score {found.brier}")
    print(f"  expected calibration error {found.error}, by chance alone about {found.by_chance:.4f}")
    print("  part           decisions  mean told  share won           calibration error")
    for name, some in groups(decisions):
        if len(some):
            part = reliability(some)
            print(f"  {name:<12} {part.count:>11,}     {part.told:.4f}  {part.won}   {part.error}")


def _arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"python -m {NAME}", description="Whether told chances come true.")
    parser.add_argument("player", nargs="?", default=PLAYER, help=f"default {PLAYER}")
    parser.add_argument("opponent", nargs="?", default=PLAYER, help=f"default {PLAYER}")
    parser.add_argument("--decisions", type=whole(1), default=10_000, help="at least so many (default 10000)")
    add_common(parser)
    parser.add_argument("--fit", action="store_true", help="print the constants of chances.py that fit best")
    parser.add_argument("--file", type=Path, help="keep the decisions there, and carry on with those that are there")
    parser.add_argument("--plot", type=picture, metavar="FILE", help="draw the reliability diagram (.svg)")
    parser.add_argument("--json", type=writable, metavar="FILE", help="append the result as a line of JSON")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """The command line; answers the exit status."""
    parsed = _arguments(arguments)
    origin = Origin.now(NAME, arguments)
    watched = Watched(parsed.player, parsed.opponent, parsed.rules, parsed.seed)
    title = f"{watched.player} v {watched.opponent}"
    try:
        expecting(watched.player)
        compile_for((Entrant(watched.player), Entrant(watched.opponent)), rules_of(watched.rules))
    except ValueError as unknown:
        return refuse(unknown)
    with ExitStack() as until_played:
        try:
            if parsed.file:
                until_played.enter_context(kept(parsed.file))
            sheet = DecisionSheet.open(watched, parsed.file)
        except (UnreadableLines, OSError) as fault:
            return refuse(fault)
        missing = max(0, parsed.decisions - sheet.count)
        tell = until_played.enter_context(progress(title, missing, "decisions"))
        sheet.play(parsed.decisions, parsed.threads, origin, tell)
    decisions = sheet.decisions(parsed.decisions)
    found = reliability(decisions)
    print(f"{title}: {found.count:,} decisions of {found.deals:,} deals")
    _print(found, decisions)
    if parsed.json:
        add_line(parsed.json, origin.line(**watched.told(), **asdict(found, dict_factory=finite)))
    if parsed.plot:
        plots.draw_reliability(found, title, parsed.plot)
    if parsed.fit:
        try:
            slope, offset, each_slope, each_offset, following = fit(decisions)
        except ValueError as reason:
            return refuse(reason)
        print(f"LAST = Correction({slope:.3f}, {offset:.3f})")
        print(f"EACH_DRAW = Correction({each_slope:.3f}, {each_offset:.3f})")
        print(f"FOLLOWING = Correction(0.0, {following:.3f})")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
