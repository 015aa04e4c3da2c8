"""Who is stronger: mirrored pairs of deals between two players, with an interval for the result.

    python -m ai.arena A B --deals N --seed S [--rules crisps_in_runs,no_face_up_draw] [--threads 2] [--test 0.50 0.53]
                           [--json FILE]

With a test it ends as soon as one of two shares is ruled out (scores.py). The file gets a line of JSON more. Players:
random, greedy, textbook-N, clairvoyant-N (baselines.py), net, net:FILE, guided-N, uniform-N, misled-N, level-K
(players.py).
"""

from __future__ import annotations

import argparse
import sys

from ai.arguments import add_common, deals, refuse, rules_of, whole, writable
from ai.json_lines import add_line
from ai.origin import Origin
from ai.pairs import Entrant, compile_for, play_pairs
from ai.progress import progress
from ai.scores import Score, Sequential, Verdict, elo_text

NAME = "ai.arena"


def _arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"python -m {NAME}", description="Mirrored pairs of deals.")
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--deals", type=deals, default=400, help="two for each pair (default 400)")
    add_common(parser)
    parser.add_argument("--test", type=float, nargs=2, metavar=("LOW", "HIGH"), help="stop when one share is ruled out")
    parser.add_argument("--every", type=whole(0), default=0, help="also print every so many pairs")
    parser.add_argument("--json", type=writable, metavar="FILE", help="append the result as a line of JSON")
    parsed = parser.parse_args(arguments)
    if parsed.test and not 0 < parsed.test[0] < parsed.test[1] < 1:
        parser.error("--test takes two shares of deals, the lower first: 0 < LOW < HIGH < 1")
    return parsed


def main(arguments: list[str]) -> int:
    """The command line; answers the exit status."""
    parsed = _arguments(arguments)
    origin = Origin.now(NAME, arguments)
    try:
        first, second = Entrant(parsed.first), Entrant(parsed.second)
    except ValueError as unknown:
        return refuse(unknown)
    rules, pairs = rules_of(parsed.rules), parsed.deals // 2
    compile_for((first, second), rules)
    test = Sequential(*parsed.test) if parsed.test else None
    score, verdict = Score(()), Verdict.OPEN
    with progress(f"{first.name} v {second.name}", pairs) as advance:
        for one in play_pairs(first, second, rules, pairs, parsed.seed, parsed.threads):
            score = Score((*score.pairs, one))
            advance(1)
            if parsed.every and len(score.pairs) % parsed.every == 0:
                print(f"  {score}", flush=True)
            verdict = test.verdict(score) if test else Verdict.OPEN
            if verdict is not Verdict.OPEN:
                break
    print(f"{first.name} v {second.name}: {score}, {elo_text(score)}")
    if test:
        print(f"  {test.low} or {test.high}: {verdict}")
    stopped = len(score.pairs) < pairs
    if stopped:
        print("  ended by the test: share and Elo lean towards its verdict, and their intervals are too narrow")
    for entrant in (first, second):
        print(f"  {entrant.name}: {entrant.milliseconds:.3f} ms a decision over {entrant.decisions}")
    if parsed.json:
        times = {entrant.name: round(entrant.milliseconds, 4) for entrant in (first, second)}
        line = origin.line(
            first=first.name,
            second=second.name,
            rules=list(parsed.rules),
            seed=parsed.seed,
            **score.summary(),
            milliseconds=times,
            verdict=verdict if test else None,
            stopped_early=stopped,
        )
        add_line(parsed.json, line)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
