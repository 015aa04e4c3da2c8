"""What more simulations are worth: `python -m ai.curve --from 50 --to 6400 --deals N --seed S`.

Plays mirrored pairs of guided-N with each doubling of N against its half, and the last against a sixteenth of it. The
scores are kept in a file, so that an interrupted curve carries on.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path

from ai import plots
from ai.arguments import add_common, deals, picture, refuse, whole
from ai.budget import MAX_SIMULATIONS
from ai.json_lines import UnreadableLines, kept
from ai.origin import Origin
from ai.progress import progress
from ai.score_sheet import Pairing, ScoreSheet
from ai.scores import Score, elo_text

NAME = "ai.curve"
SHEET = Path("curve.jsonl")
FAR = 16
"""The last size also plays the one this many times smaller."""

Scores = dict[tuple[int, int], Score]


def sizes(first: int, last: int) -> tuple[int, ...]:
    """Simulations from the first to the last, each twice the one before."""
    found = [first]
    while found[-1] < last:
        found.append(2 * found[-1])
    return tuple(found)


def steps(found: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Which sizes play each other, the larger first: each with its half, and the far pair if there is one."""
    doublings = tuple((2 * size, size) for size in found[:-1])
    far = (found[-1], found[-1] // FAR)
    return (*doublings, far) if far[1] in found and far not in doublings else doublings


def worse(score: Score) -> bool:
    """Whether more simulations are significantly worse: the 95 % interval lies below one half."""
    return score.share + score.margin < 0.5


def better(score: Score) -> bool:
    """Whether they are significantly better."""
    return score.share - score.margin > 0.5


def verdicts(scores: Scores) -> list[str]:
    """What the scores say of doublings, and of the far pair."""
    doublings = {pair: score for pair, score in scores.items() if pair[0] == 2 * pair[1]}
    bad = [f"{more} v {less}" for (more, less), score in doublings.items() if worse(score)]
    lines = [f"significantly worse: {', '.join(bad)}" if bad else "no doubling is significantly worse"]
    for (more, less), score in scores.items():
        if (more, less) not in doublings:
            word = "beat" if better(score) else "do not beat"
            lines.append(f"{more} simulations {word} {less} significantly")
    return lines


def table(scores: Scores) -> str:
    """Every pair of sizes with its share, in Markdown."""
    lines = ["| simulations | against | share | pairs | Elo |", "|---|---|---|---|---|"]
    for (more, less), score in scores.items():
        told = f"{score.share:.3f} ± {score.margin:.3f}"
        lines.append(f"| {more} | {less} | {told} | {len(score.pairs)} | {elo_text(score)} |")
    return "\n".join(lines)


def _arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"python -m {NAME}", description="What more simulations are worth.")
    simulations = whole(1, MAX_SIMULATIONS)
    parser.add_argument("--from", dest="first", type=simulations, default=50, help="default 50")
    parser.add_argument("--to", dest="last", type=simulations, default=6_400, help="default 6400")
    parser.add_argument("--deals", type=deals, default=400, help="of each pair of sizes (default 400)")
    add_common(parser)
    parser.add_argument("--file", type=Path, default=SHEET, help=f"where the scores are kept (default {SHEET})")
    parser.add_argument("--plot", type=picture, metavar="FILE", help="draw the curve (.svg)")
    parsed = parser.parse_args(arguments)
    parsed.sizes = sizes(parsed.first, parsed.last)
    if len(parsed.sizes) < 2 or parsed.sizes[-1] != parsed.last:
        parser.error("--to is --from doubled, once or more often")
    return parsed


def main(arguments: list[str]) -> int:
    """The command line; answers the exit status."""
    parsed = _arguments(arguments)
    origin = Origin.now(NAME, arguments)
    plan = {
        (more, less): Pairing(f"guided-{more}", f"guided-{less}", parsed.rules, parsed.seed)
        for more, less in steps(parsed.sizes)
    }
    pairs = parsed.deals // 2
    scores: Scores = {}
    with ExitStack() as until_played:
        try:
            until_played.enter_context(kept(parsed.file))
            sheet = ScoreSheet.open(parsed.file)
        except (UnreadableLines, OSError) as fault:
            return refuse(fault)
        missing = sum(sheet.missing(pairing, pairs) for pairing in plan.values())
        tell = until_played.enter_context(progress("curve", missing))
        for step, pairing in plan.items():
            scores[step] = sheet.play(pairing, pairs, parsed.threads, origin, tell)
            print(f"  {pairing}: {scores[step]}", flush=True)
    print(table(scores))
    print("\n".join(verdicts(scores)))
    print(f"commits: {sheet.commits_of(dict.fromkeys(plan.values(), pairs))}")
    if parsed.plot:
        plots.draw_curve(scores, parsed.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
