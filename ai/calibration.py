"""Whether the chances that the search tells come true.

    python -m ai.calibration PLAYER OPPONENT --decisions N --seed S [--threads 2] [--rules …] [--plot FILE] [--fit]

Plays deals and notes, wherever PLAYER has a choice, the chance to win that it tells for the action it takes, and who
won in the end. Against itself both seats are noted; against another player each deal is played twice with the seats
swapped. PLAYER is level-K or guided-N, OPPONENT anybody (players.py). With --fit it prints the constants of chances.py
that would fit these deals best.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ai.arguments import add_common, picture, refuse, rules_of, whole, writable
from ai.chances import BY_DRAWS_LEFT, Correction
from ai.origin import Origin
from ai.pairs import Entrant, compile_for, dealt, in_order, origin_of, play_deal
from ai.players import Expecting, expecting
from ai.progress import progress
from ai.reliability import DECISION, KINDS, Decisions, Reliability, fit, reliability
from engine.actions import Action
from engine.cards import Seat
from engine.deal import MAX_DRAWS, Deal, Phase
from engine.rules import Rules

NAME = "ai.calibration"
PLAYER = "level-4"
MOST_DEALS = 10_000_000


@dataclass(slots=True)
class Listener:
    """A player that notes what it expects wherever it has a choice."""

    player: Expecting
    noted: list[tuple[Seat, int, int, float, float]] = field(default_factory=list)

    def __call__(self, deal: Deal, seed: int) -> Action:
        """Its action."""
        value = self.player(deal, seed)
        if deal.to_act is not None and len(deal.legal_actions()) > 1:
            told = (MAX_DRAWS - deal.draws, _kind(deal), value.average, value.win_probability)
            self.noted.append((deal.to_act, *told))
        return value.action


def _kind(deal: Deal) -> int:
    if deal.phase is Phase.DRAW:
        return KINDS.index("draw")
    return KINDS.index("lead" if deal.round.to_follow is None else "follow")


def noted_in(player: str, opponent: str, rules: Rules, number: int, seed: int) -> Decisions:
    """The player's decisions (DECISION) in the deal of this number."""
    deal, origin = dealt(rules, seed, number), origin_of(seed, number)
    rows = []
    for seat in (0,) if player == opponent else (0, 1):
        listener = Listener(expecting(player))
        one = Entrant(player, listener)
        other = one if player == opponent else Entrant(opponent)
        winner = play_deal(deal, (one, other) if seat == 0 else (other, one), origin)
        rows += [(number, *told, who == winner) for who, *told in listener.noted]
    return np.array(rows, dtype=DECISION)


def play(
    player: str, opponent: str, rules: Rules, decisions: int, seed: int, threads: int, tell: Callable[[int], None]
) -> Decisions:
    """At least so many decisions of the player's, of whole deals."""
    found: list[Decisions] = []
    count = 0
    deals: Iterator[Decisions] = in_order(
        lambda number: noted_in(player, opponent, rules, number, seed), range(MOST_DEALS), threads
    )
    for noted in deals:
        found.append(noted)
        count += len(noted)
        tell(len(noted))
        if count >= decisions:
            break
    return np.concatenate(found)


def corrections(decisions: Decisions) -> tuple[Correction, ...]:
    """The constants of chances.py that fit these decisions best. Raises ValueError: there are too few."""
    fitted = []
    for left in range(len(BY_DRAWS_LEFT)):
        some = decisions[decisions["draws_left"] == left]
        slope, offset = fit(some["average"], some["won"])
        fitted.append(Correction(round(slope, 3), round(offset, 3)))
    return tuple(fitted)


def groups(decisions: Decisions) -> Iterator[tuple[str, Decisions]]:
    """Parts of the decisions to look at by themselves, with their names: by draws left and by kind."""
    for left in range(MAX_DRAWS, -1, -1):
        yield f"{left} draws left", decisions[decisions["draws_left"] == left]
    for kind, name in enumerate(KINDS):
        yield name, decisions[decisions["kind"] == kind]


def _print(found: Reliability, decisions: Decisions) -> None:
    print("  told           decisions  mean told  share won")
    for one in found.bins:
        print(f"  {one.low:.1f} to {one.low + 0.1:.1f} {one.count:>14,}     {one.told:.4f}  {one.won}")
    print(f"  told {found.told:.4f} on average, won {found.won}")
    print(f"  Brier score {found.brier}, expected calibration error {found.error}")
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
    parser.add_argument("--plot", type=picture, metavar="FILE", help="draw the reliability diagram (.svg)")
    parser.add_argument("--json", type=writable, metavar="FILE", help="append the result as a line of JSON")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """The command line; answers the exit status."""
    parsed = _arguments(arguments)
    origin = Origin.now(NAME, arguments)
    player, opponent, rules = parsed.player, parsed.opponent, rules_of(parsed.rules)
    try:
        expecting(player)
        compile_for((Entrant(player), Entrant(opponent)), rules)
    except ValueError as unknown:
        return refuse(unknown)
    with progress(f"{player} v {opponent}", parsed.decisions, "decisions") as tell:
        decisions = play(player, opponent, rules, parsed.decisions, parsed.seed, parsed.threads, tell)
    found = reliability(decisions)
    print(f"{player} v {opponent}: {found.count:,} decisions of {found.deals:,} deals")
    _print(found, decisions)
    if parsed.json:
        told: dict[str, Any] = {"player": player, "opponent": opponent, "rules": list(parsed.rules)}
        with parsed.json.open("a", encoding="utf-8") as stream:
            stream.write(origin.line(**told, seed=parsed.seed, **asdict(found)))
    if parsed.plot:
        from ai import plots  # noqa: PLC0415 - matplotlib need not be installed

        plots.draw_reliability(found, f"{player} v {opponent}", parsed.plot)
    if parsed.fit:
        try:
            fitted = corrections(decisions)
        except ValueError as few:
            return refuse(few)
        print("BY_DRAWS_LEFT = (")
        for correction in fitted:
            print(f"    Correction({correction.slope}, {correction.offset}),")
        print(")")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
