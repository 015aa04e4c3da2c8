"""The scores of mirrored pairs in a file of JSON lines, so that an interrupted measurement carries on where it was.

A line holds a few consecutive pairs of one pairing (players, rules, seed), with the command, commit and time they come
from.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from ai.arguments import rules_of
from ai.json_lines import UnreadableLines, add_line, read_lines
from ai.origin import Origin
from ai.pairs import Entrant, compile_for, play_pairs
from ai.scores import Score

LINE_PAIRS = 8


@dataclass(frozen=True, slots=True)
class Pairing:
    """Who plays whom: `rules` are the names of table options, in the order of ai.arguments.OPTIONS."""

    first: str
    second: str
    rules: tuple[str, ...]
    seed: int

    def __str__(self) -> str:
        return f"{self.first} v {self.second}"


@dataclass(slots=True)
class ScoreSheet:
    """The scores by pairing, each from its pair 0 on, as far as they have been played."""

    file: Path
    scores: dict[Pairing, list[float]] = field(default_factory=dict)
    commits: dict[Pairing, list[str]] = field(default_factory=dict)
    """Where each pair was played."""

    @classmethod
    def open(cls, file: Path) -> ScoreSheet:
        """The sheet in a file, empty if there is none. Raises UnreadableLines, OSError."""
        sheet = cls(file)
        for number, line in enumerate(read_lines(file), 1):
            try:
                sheet._take_in(line)
            except (ValueError, KeyError, TypeError):
                raise UnreadableLines(f"{file}, line {number}: no scores of pairs") from None
        return sheet

    def score(self, pairing: Pairing, pairs: int) -> Score:
        """What the pairing's first pairs came to, all there are if they are fewer."""
        return Score(tuple(self.scores.get(pairing, ())[:pairs]))

    def missing(self, pairing: Pairing, pairs: int) -> int:
        """How many of the pairing's first pairs have not been played."""
        return max(0, pairs - len(self.scores.get(pairing, ())))

    def commits_of(self, plan: Mapping[Pairing, int]) -> str:
        """The commits at which the first pairs of these pairings were played, comma between them."""
        some = {commit for pairing, pairs in plan.items() for commit in self.commits.get(pairing, ())[:pairs]}
        return ", ".join(sorted(some))

    def play(self, pairing: Pairing, pairs: int, threads: int, origin: Origin, tell: Callable[[int], None]) -> Score:
        """Plays what is missing of the first pairs; answers their score. `tell` hears how many more are there."""
        if self.missing(pairing, pairs):
            first, second, rules = Entrant(pairing.first), Entrant(pairing.second), rules_of(pairing.rules)
            compile_for((first, second), rules)
            begin = len(self.scores.get(pairing, ()))
            played = play_pairs(first, second, rules, pairs, pairing.seed, threads, begin)
            for scores in _lines(played):
                line = origin.line(**_told(pairing), begin=len(self.scores.get(pairing, ())), scores=scores)
                add_line(self.file, line)
                self._take_in(json.loads(line))
                tell(len(scores))
        return self.score(pairing, pairs)

    def _take_in(self, line: dict[str, Any]) -> None:
        pairing = Pairing(line["first"], line["second"], tuple(line["rules"]), line["seed"])
        known = self.scores.setdefault(pairing, [])
        scores = line["scores"]
        if line["begin"] != len(known) or not set(scores) <= {0.0, 0.5, 1.0}:
            raise ValueError(line)
        commits = [str(line["commit"])] * len(scores)
        known += scores
        self.commits.setdefault(pairing, []).extend(commits)


def _told(pairing: Pairing) -> dict[str, Any]:
    return {
        "first": pairing.first,
        "second": pairing.second,
        "rules": list(pairing.rules),
        "seed": pairing.seed,
    }


def _lines(scores: Iterator[float]) -> Iterator[list[float]]:
    while some := list(islice(scores, LINE_PAIRS)):
        yield some
