"""Trains the computer player's networks from nothing: `python -m ai.training FOLDER`.

The folder gets `weights.npz` at the end, a checkpoint from which the same command carries on after an interruption, and
`log.jsonl` with strength and errors over time; `log.svg` draws them where matplotlib is installed. Equal arguments make
equal bytes on the same kind of processor.

With `--exploit` the networks learn to beat the shipped one, or that of `--against FILE`, which plays by itself, without
any search, and stays as it is: how much they win tells how far its play can be exploited. `--from-frozen` begins as its
copy.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ai import plots
from ai.arguments import add_threads, refuse, whole
from ai.evaluation import UnusableWeights, Weights, load, save, shipped
from ai.json_lines import UnreadableLines, kept, read_lines
from ai.learning import ForeignCheckpoint, Plan, Progress, Training, exploiting
from ai.progress import progress
from ai.scores import Score
from ai.trials import GREEDY, pair_scores

CHECKPOINT = "checkpoint.npz"
LOG = "log.jsonl"
PLOT = "log.svg"
WEIGHTS = "weights.npz"

_BEGINNING = b'{"deals": '
"""Of every line of the log."""

TRIAL_PAIRS = 1_000
TRIAL_SEED = 20_261_130
FINAL_PAIRS = 20_000
FINAL_SEED = 7_201_954


@dataclass(slots=True)
class Report:
    """Sums over the rounds since the last line of the log."""

    rounds: int = 0
    seconds: float = 0.0
    decisions: int = 0
    error: float = 0.0
    world_error: float = 0.0

    def add(self, progress: Progress, seconds: float) -> None:
        """Takes in one more round, which took so long."""
        self.rounds += 1
        self.seconds += seconds
        self.decisions += progress.decisions
        self.error += progress.error * progress.decisions
        self.world_error += progress.world_error * progress.decisions

    def line(self, training: Training, seconds: float) -> dict[str, Any]:
        """The log's next line: how far, how long, mean squared errors, and the share of deals won.

        Deals against greedy, or against the frozen network if there is one.
        """
        score = score_of(training, TRIAL_PAIRS, TRIAL_SEED)
        return {
            "deals": training.rounds * training.plan.round_deals,
            "seconds": round(seconds, 1),
            "error": round(self.error / max(1, self.decisions), 5),
            "world_error": round(self.world_error / max(1, self.decisions), 5),
            opponent_of(training.plan): round(score.share, 4),
            "margin": round(score.margin, 4),
        }


def opponent_of(plan: Plan) -> str:
    """Against whom a training's strength is measured."""
    return "frozen" if plan.rival else "greedy"


def score_of(training: Training, pairs: int, seed: int) -> Score:
    """What the network so far scores, without any search, against `opponent_of` its plan."""
    opponent = training.rival.actions if training.plan.rival else GREEDY
    return Score(tuple(pair_scores(training.blended.actions, opponent, pairs, seed).tolist()))


def logged(log: Path) -> list[dict[str, Any]]:
    """The lines of a training's log, as `read_lines` tells them. Raises UnreadableLines, OSError."""
    lines = read_lines(log, _BEGINNING)
    if not all({"deals", "seconds"} <= line.keys() for line in lines):
        raise UnreadableLines(f"{log} was not written by a training")
    return lines


@dataclass(slots=True)
class Run:
    """A training with its folder: checkpoint and log every `every` rounds, one line of progress for each.

    `seconds` is how long its rounds took so far, the log's trials of strength left out.
    """

    training: Training
    folder: Path
    every: int
    seconds: float = 0.0
    report: Report = field(default_factory=Report)

    @classmethod
    def begin(cls, plan: Plan, folder: Path, every: int, rival: Weights | None) -> Run:
        """From the folder's checkpoint, or from nothing. Raises ForeignCheckpoint, UnreadableLines, OSError."""
        log = folder / LOG
        lines = logged(log)
        if (folder / CHECKPOINT).exists():
            training = Training.resume(plan, folder / CHECKPOINT, rival)
        else:
            training = Training.start(plan, rival)
        lines = [line for line in lines if line["deals"] <= training.rounds * plan.round_deals]
        log.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return cls(training, folder, every, lines[-1]["seconds"] if lines else 0.0)

    def finish(self, threads: Executor) -> None:
        """Plays the rounds that are left and writes the weights."""
        plan = self.training.plan
        with progress("training", plan.rounds - self.training.rounds, "rounds") as advance:
            while not self.training.is_over:
                begin = time.perf_counter()
                round_played = self.training.play_round(threads)
                self.report.add(round_played, time.perf_counter() - begin)
                advance(1)
                played = self.training.rounds
                if played == plan.rounds or played % self.every == 0:
                    self._note()
        save(self.training.blended, self.folder / WEIGHTS)
        lines = logged(self.folder / LOG)
        if lines and plots.available():
            plots.draw_training(lines, self.folder / PLOT)

    def _note(self) -> None:
        self.seconds += self.report.seconds
        line = self.report.line(self.training, self.seconds)
        rounds_each_second = self.report.rounds / max(self.report.seconds, 1e-9)
        self.report = Report()
        with (self.folder / LOG).open("a") as log:
            log.write(json.dumps(line) + "\n")
        self.training.save(self.folder / CHECKPOINT)
        plan = self.training.plan
        rate = rounds_each_second * plan.round_deals
        left = (plan.rounds - self.training.rounds) / max(rounds_each_second, 1e-9)
        print(
            f"{line['deals']:>11,} deals  {rate:>7,.0f}/s  {left / 60:>5.1f} min left  "
            f"error {line['error']:.4f} {line['world_error']:.4f}  "
            f"v {opponent_of(self.training.plan)} {line[opponent_of(self.training.plan)]:.3f} ± {line['margin']:.3f}",
            flush=True,
        )


def _arguments(arguments: list[str]) -> argparse.Namespace:
    alone, exploit = Plan(), exploiting(shipped(), copies=False)
    parser = argparse.ArgumentParser(prog="python -m ai.training", description="Trains the networks from nothing.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--exploit", action="store_true", help="learn to beat a network that stays as it is")
    parser.add_argument(
        "--against", type=Path, metavar="FILE", help="that network; with --exploit (default the shipped one)"
    )
    parser.add_argument("--from-frozen", action="store_true", help="begin as a copy of it; with --exploit")
    deals = f"in whole rounds of {alone.round_deals}; default {alone.deals}, with --exploit {exploit.deals}"
    parser.add_argument("--deals", type=whole(1), help=deals)
    parser.add_argument("--seed", type=whole(0), default=alone.seed, help=f"default {alone.seed}")
    add_threads(parser, "weights")
    parser.add_argument("--every", type=whole(1), default=100, help="rounds between two checkpoints (default 100)")
    parsed = parser.parse_args(arguments)
    if (parsed.from_frozen or parsed.against) and not parsed.exploit:
        parser.error("--against and --from-frozen go with --exploit")
    return parsed


def _frozen(parsed: argparse.Namespace) -> Weights | None:
    """What is to be exploited. Raises UnusableWeights, OSError."""
    if not parsed.exploit:
        return None
    return load(parsed.against) if parsed.against else shipped()


def main(arguments: list[str]) -> int:
    """The command line; answers the exit status."""
    parsed = _arguments(arguments)
    with ExitStack() as until_trained:
        try:
            rival = _frozen(parsed)
            plan = exploiting(rival, copies=parsed.from_frozen) if rival else Plan()
            plan = replace(plan, deals=plan.deals if parsed.deals is None else parsed.deals, seed=parsed.seed)
            parsed.folder.mkdir(parents=True, exist_ok=True)
            until_trained.enter_context(kept(parsed.folder / LOG))
            run = Run.begin(plan, parsed.folder, parsed.every, rival)
        except (ForeignCheckpoint, UnreadableLines, UnusableWeights, OSError) as fault:
            return refuse(fault)
        run.finish(until_trained.enter_context(ThreadPoolExecutor(parsed.threads)))
    if parsed.exploit:
        print(f"best response v the frozen network: {score_of(run.training, FINAL_PAIRS, FINAL_SEED)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
