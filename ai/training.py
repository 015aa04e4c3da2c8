"""Trains the computer player's networks from nothing: `python -m ai.training FOLDER`.

The folder gets `weights.npz` at the end, a checkpoint from which the same command carries on after an interruption, and
`log.jsonl` with strength and errors over time; `log.svg` draws them where matplotlib is installed. Equal arguments make
equal bytes on the same kind of processor.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ai import plots
from ai.evaluation import save
from ai.learning import ForeignCheckpoint, Plan, Progress, Training
from ai.scores import Score
from ai.trials import GREEDY, pair_scores

CHECKPOINT = "checkpoint.npz"
LOG = "log.jsonl"
PLOT = "log.svg"
WEIGHTS = "weights.npz"

TRIAL_PAIRS = 1_000
TRIAL_SEED = 20_261_130


@dataclass(slots=True)
class Report:
    """Sums over the rounds since the last line of the log."""

    decisions: int = 0
    error: float = 0.0
    world_error: float = 0.0

    def add(self, progress: Progress) -> None:
        """Takes in one more round."""
        self.decisions += progress.decisions
        self.error += progress.error * progress.decisions
        self.world_error += progress.world_error * progress.decisions

    def line(self, training: Training, seconds: float) -> dict[str, Any]:
        """The log's next line: how far, how long, mean squared errors, and the share of deals won against greedy."""
        score = Score(tuple(pair_scores(training.blended.actions, GREEDY, TRIAL_PAIRS, TRIAL_SEED).tolist()))
        return {
            "deals": training.rounds * training.plan.round_deals,
            "seconds": round(seconds, 1),
            "error": round(self.error / max(1, self.decisions), 5),
            "world_error": round(self.world_error / max(1, self.decisions), 5),
            "greedy": round(score.share, 4),
            "margin": round(score.margin, 4),
        }


@dataclass(slots=True)
class Run:
    """A training with its folder: checkpoint and log every `every` rounds, one line of progress for each."""

    training: Training
    folder: Path
    every: int
    seconds: float = 0.0
    report: Report = field(default_factory=Report)

    @classmethod
    def begin(cls, plan: Plan, folder: Path, every: int) -> Run:
        """From the folder's checkpoint, or from nothing. Raises ForeignCheckpoint, OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / LOG
        if not (folder / CHECKPOINT).exists():
            log.unlink(missing_ok=True)
            return cls(Training.start(plan), folder, every)
        training = Training.resume(plan, folder / CHECKPOINT)
        lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        lines = [line for line in lines if line["deals"] <= training.rounds * plan.round_deals]
        log.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return cls(training, folder, every, lines[-1]["seconds"] if lines else 0.0)

    def finish(self, threads: Executor) -> None:
        """Plays the rounds that are left and writes the weights."""
        while not self.training.is_over:
            begin = time.perf_counter()
            self.report.add(self.training.play_round(threads))
            self.seconds += time.perf_counter() - begin
            played = self.training.rounds
            if played == self.training.plan.rounds or played % self.every == 0:
                self._note()
        save(self.training.blended, self.folder / WEIGHTS)
        if plots.available():
            lines = (self.folder / LOG).read_text().splitlines()
            plots.draw_training([json.loads(line) for line in lines], self.folder / PLOT)

    def _note(self) -> None:
        line = self.report.line(self.training, self.seconds)
        self.report = Report()
        with (self.folder / LOG).open("a") as log:
            log.write(json.dumps(line) + "\n")
        self.training.save(self.folder / CHECKPOINT)
        rate = line["deals"] / max(self.seconds, 1e-9)
        left = (self.training.plan.deals - line["deals"]) / max(rate, 1e-9)
        print(
            f"{line['deals']:>11,} deals  {rate:>7,.0f}/s  {left / 60:>5.1f} min left  "
            f"error {line['error']:.4f} {line['world_error']:.4f}  "
            f"v greedy {line['greedy']:.3f} ± {line['margin']:.3f}",
            flush=True,
        )


def _arguments(arguments: list[str]) -> argparse.Namespace:
    plan = Plan()
    parser = argparse.ArgumentParser(prog="python -m ai.training", description="Trains the networks from nothing.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--deals", type=int, default=plan.deals, help=f"default {plan.deals}")
    parser.add_argument("--seed", type=int, default=plan.seed)
    parser.add_argument("--threads", type=int, default=2, help="changes the time it takes, never the weights")
    parser.add_argument("--every", type=int, default=100, help="rounds between two checkpoints (default 100)")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """The command line; answers the exit status."""
    parsed = _arguments(arguments)
    plan = replace(Plan(), deals=parsed.deals, seed=parsed.seed)
    try:
        run = Run.begin(plan, parsed.folder, parsed.every)
    except ForeignCheckpoint as foreign:
        print(foreign, file=sys.stderr)
        return 2
    with ThreadPoolExecutor(parsed.threads) as threads:
        run.finish(threads)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
