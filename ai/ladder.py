"""Where every player stands: baselines and levels on one scale, `python -m ai.ladder --deals N --seed S`.

Plays mirrored pairs between neighbours and some farther apart, and fits one Elo scale to all of them (rating.py) on
which greedy has 0. The scores are kept in a file, so that an interrupted ladder carries on and a longer one uses them.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path

from ai import plots
from ai.arguments import add_common, deals, picture, refuse
from ai.json_lines import UnreadableLines, kept
from ai.origin import Origin
from ai.progress import progress
from ai.rating import Rating, expected, ratings
from ai.score_sheet import Pairing, ScoreSheet
from ai.scores import Score

NAME = "ai.ladder"
ANCHOR = "greedy"
SHEET = Path("ladder.jsonl")

RUNGS: tuple[tuple[str, str, int], ...] = (
    ("greedy", "random", 1),
    ("level-1", "random", 1),
    ("level-1", "greedy", 1),
    ("level-2", "greedy", 1),
    ("level-2", "level-1", 1),
    ("textbook-1000", "greedy", 1),
    ("textbook-1000", "level-2", 1),
    ("level-3", "level-2", 1),
    ("level-3", "textbook-1000", 1),
    ("textbook-10000", "textbook-1000", 2),
    ("textbook-10000", "level-3", 2),
    ("level-4", "level-3", 1),
    ("level-4", "textbook-10000", 2),
    ("level-5", "level-4", 2),
    ("level-5", "textbook-10000", 2),
    ("clairvoyant-10000", "textbook-10000", 2),
    ("level-5", "clairvoyant-10000", 2),
)
"""Who plays whom, and what part of the deals: a half where a deal takes long. New ones come last: seeds go by place."""

Scores = dict[tuple[str, str], Score]


def pairings(deals: int, seed: int, rules: tuple[str, ...]) -> dict[Pairing, int]:
    """Every pairing and its pairs, at least one, each with a seed of its own from `seed` on: no two share decks."""
    return {Pairing(a, b, rules, seed + place): max(1, deals // 2 // part) for place, (a, b, part) in enumerate(RUNGS)}


def play(sheet: ScoreSheet, plan: dict[Pairing, int], threads: int, origin: Origin) -> Scores:
    """The plan's scores by players, once what is missing of them has been played."""
    scores: Scores = {}
    missing = sum(sheet.missing(pairing, pairs) for pairing, pairs in plan.items())
    with progress("ladder", missing) as tell:
        for pairing, pairs in plan.items():
            score = sheet.play(pairing, pairs, threads, origin, tell)
            print(f"  {pairing}: {score}", flush=True)
            scores[pairing.first, pairing.second] = score
    return scores


def table(scale: dict[str, Rating], scores: Scores) -> str:
    """The scale and, for each pairing, what the scale expects beside what came of it; both in Markdown."""
    lines = ["| player | Elo | 95 % interval |", "|---|---|---|"]
    lines += [f"| {name} | {one.elo:.0f} | {one.low:.0f} to {one.high:.0f} |" for name, one in scale.items()]
    lines += ["", "| A | B | share of A | pairs | by the scale |", "|---|---|---|---|---|"]
    for (first, second), score in scores.items():
        told = f"{score.share:.3f} ± {score.margin:.3f}"
        by_scale = expected(scale[first], scale[second])
        lines.append(f"| {first} | {second} | {told} | {len(score.pairs)} | {by_scale:.3f} |")
    return "\n".join(lines)


def _arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"python -m {NAME}", description="One scale for baselines and levels.")
    parser.add_argument("--deals", type=deals, default=400, help="of a pairing, some play half of it (default 400)")
    add_common(parser)
    parser.add_argument("--file", type=Path, default=SHEET, help=f"where the scores are kept (default {SHEET})")
    parser.add_argument("--plot", type=picture, metavar="FILE", help="draw the scale (.svg)")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """The command line; answers the exit status."""
    parsed = _arguments(arguments)
    origin = Origin.now(NAME, arguments)
    plan = pairings(parsed.deals, parsed.seed, parsed.rules)
    with ExitStack() as until_played:
        try:
            until_played.enter_context(kept(parsed.file))
            sheet = ScoreSheet.open(parsed.file)
        except (UnreadableLines, OSError) as fault:
            return refuse(fault)
        scores = play(sheet, plan, parsed.threads, origin)
    scale = ratings(scores, ANCHOR)
    print(table(scale, scores))
    print(f"\ncommits: {sheet.commits_of(plan)}")
    if parsed.plot:
        plots.draw_scale(scale, parsed.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
