"""A player's decisions with what it expected and what came of them, kept in a file as far as they have been played.

A line holds one deal (or mirrored pair) of two players. It holds the search's averages, which no correction changes;
what was told follows from them (chances.py), so that a sheet stays good when the corrections are fitted anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ai.arguments import rules_of
from ai.chances import corrected, correction
from ai.json_lines import UnreadableLines, add_line, read_lines
from ai.origin import Origin
from ai.pairs import Entrant, dealt, in_order, origin_of, play_deal
from ai.players import Expecting, expecting
from ai.reliability import DECISION, FOLLOW, KINDS, Decisions
from engine.actions import Action
from engine.cards import Seat
from engine.deal import MAX_DRAWS, Deal, Phase

MOST_DEALS = 10_000_000

Row = tuple[int, int, float, bool]
"""Draws left, kind, average, won."""


@dataclass(slots=True)
class Listener:
    """A player that notes what it expects wherever it has a choice."""

    player: Expecting
    noted: list[tuple[Seat, int, int, float]] = field(default_factory=list)

    def __call__(self, deal: Deal, seed: int) -> Action:
        """Its action."""
        value = self.player(deal, seed)
        if deal.to_act is not None and len(deal.legal_actions()) > 1:
            self.noted.append((deal.to_act, MAX_DRAWS - deal.draws, _kind(deal), value.average))
        return value.action


def _kind(deal: Deal) -> int:
    if deal.phase is Phase.DRAW:
        return KINDS.index("draw")
    return KINDS.index("lead" if deal.round.to_follow is None else "follow")


@dataclass(frozen=True, slots=True)
class Watched:
    """Whose decisions are noted, and whom it plays; `rules` are the names of table options.

    Against itself both seats are noted; against another player each deal is played twice with the seats swapped.
    """

    player: str
    opponent: str
    rules: tuple[str, ...]
    seed: int

    def rows(self, number: int) -> list[Row]:
        """The player's decisions in the deal of this number."""
        deal, origin = dealt(rules_of(self.rules), self.seed, number), origin_of(self.seed, number)
        rows = []
        for seat in (0,) if self.player == self.opponent else (0, 1):
            listener = Listener(expecting(self.player))
            one = Entrant(self.player, listener)
            other = one if self.player == self.opponent else Entrant(self.opponent)
            winner = play_deal(deal, (one, other) if seat == 0 else (other, one), origin)
            rows += [(left, kind, average, who == winner) for who, left, kind, average in listener.noted]
        return rows

    def told(self) -> dict[str, Any]:
        """For a line of JSON."""
        return {"player": self.player, "opponent": self.opponent, "rules": list(self.rules), "seed": self.seed}


@dataclass(slots=True)
class DecisionSheet:
    """The decisions deal by deal, from number 0 on, as far as they have been played; without a file kept in memory."""

    watched: Watched
    file: Path | None = None
    deals: list[list[Row]] = field(default_factory=list)

    @classmethod
    def open(cls, watched: Watched, file: Path | None) -> DecisionSheet:
        """What the file, if there is one, holds of these players. Raises UnreadableLines, OSError."""
        sheet = cls(watched, file)
        for number, line in enumerate(read_lines(file) if file else (), 1):
            try:
                if {name: line[name] for name in watched.told()} == watched.told():
                    sheet._take_in(line["number"], line["rows"])
            except (ValueError, KeyError, TypeError):
                raise UnreadableLines(f"{file}, line {number}: no decisions") from None
        return sheet

    @property
    def count(self) -> int:
        """How many decisions there are."""
        return sum(map(len, self.deals))

    def play(self, decisions: int, threads: int, origin: Origin, tell: Callable[[int], None]) -> None:
        """Plays on until there are at least so many, of whole deals. `tell` hears how many more are there."""
        count = self.count
        if count >= decisions:
            return
        for rows in in_order(self.watched.rows, range(len(self.deals), MOST_DEALS), threads):
            if self.file:
                add_line(self.file, origin.line(**self.watched.told(), number=len(self.deals), rows=rows))
            self._take_in(len(self.deals), rows)
            tell(len(rows))
            count += len(rows)
            if count >= decisions:
                return

    def decisions(self, least: int) -> Decisions:
        """The first deals' decisions (DECISION), as many deals as hold at least so many, with what is told of them."""
        found: list[tuple[int, int, int, float, float, bool]] = []
        for number, rows in enumerate(self.deals):
            for left, kind, average, won in rows:
                told = corrected(average, correction(left, follows=kind == FOLLOW))
                found.append((number, left, kind, average, told, won))
            if len(found) >= least:
                break
        return np.array(found, dtype=DECISION)

    def _take_in(self, number: int, rows: list[Any]) -> None:
        if number != len(self.deals):
            raise ValueError(number)
        self.deals.append([(int(left), int(kind), float(average), bool(won)) for left, kind, average, won in rows])
