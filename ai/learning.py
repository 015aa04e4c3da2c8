"""How weights are made: self-play from nothing, or play against a frozen network, in rounds; equal plans, equal bytes.

A round is played and learned from by WORKERS workers, each with a generator and a copy of the weights of its own; their
mean is where the next round begins. How many threads share the work therefore changes nothing but the time it takes. A
checkpoint holds everything that the next round depends on.
"""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ai.evaluation import Network, Weights, arrays_of, empty_weights, stored_arrays
from ai.features import rows_of_slots
from ai.tables import tables
from ai.training_kernels import Course, Work, empty_work, train
from ai.vectors import DEPTH, WIDTH

WORKERS = 2
"""Part of the plan, not of the machine: another number makes other weights."""

_ROWS_ON = 48
"""About how many rows are on at once: what the first weights are scaled by."""


class ForeignCheckpoint(ValueError):
    """The checkpoint belongs to another plan, or is something else."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a training does; equal plans make equal weights on the same kind of processor.

    Exploration and step size start at their first value and fall with the root of the deals played, `slowing` deals
    being where that begins to tell; the last `cooling` part of all rounds takes the step size down to its last value.
    Until then nothing depends on `deals`, so a training can be made longer or shorter while it runs. The weights that
    come out are the mean over about the last `blend` rounds.

    `rival` is the digest of the weights that play one seat of each deal and stay as they are, "" for self-play;
    `copies` whether the learner begins as their copy instead of at random.
    """

    deals: int = 8_000_000
    seed: int = 1
    round_deals: int = 4_000
    exploration: tuple[float, float] = (0.10, 0.02)
    rate: tuple[float, float] = (1e-2, 3e-4)
    slowing: int = 1_000_000
    cooling: float = 0.3
    trust: float = 0.5
    world_trust: float = 0.9
    base: int = 8
    rival: str = ""
    copies: bool = False

    @property
    def rounds(self) -> int:
        """How many rounds there are."""
        return max(1, self.deals // self.round_deals)

    @property
    def hot(self) -> int:
        """How many rounds there are before the cooling."""
        return int(self.rounds * (1 - self.cooling))

    @property
    def blend(self) -> int:
        """Over how many rounds about the mean is taken."""
        return min(50, max(1, self.rounds // 40))

    def course(self, number: int) -> Course:
        """How round `number`, 0 to rounds - 1, plays and learns."""
        slowed = (1 + number * self.round_deals / self.slowing) ** -0.5
        exploration = max(self.exploration[0] * slowed, self.exploration[1])
        rate = self.rate[0] * slowed
        if number >= self.hot:
            rate *= (self.rate[1] / rate) ** ((number - self.hot) / max(1, self.rounds - 1 - self.hot))
        return Course(exploration, rate, self.trust, self.world_trust, self.base, int(bool(self.rival)))

    def begins_as(self, plan: Plan, rounds: int) -> bool:
        """Whether so many rounds of another plan are as good as the same rounds of this one."""
        if self == plan:
            return True
        same_but_longer = replace(plan, deals=self.deals) == self and self.blend == plan.blend
        return same_but_longer and rounds <= min(self.hot, plan.hot)


def exploiting(rival: Weights, *, copies: bool) -> Plan:
    """The plan by which a best response to these weights is learned, in base deals only.

    What begins as their copy knows much already, so it explores less and takes smaller steps.
    """
    plan = Plan(deals=3_000_000, base=16, rival=digest_of(rival), copies=copies)
    return replace(plan, exploration=(0.05, 0.02), rate=(3e-3, 1e-4)) if copies else plan


def digest_of(weights: Weights) -> str:
    """A short digest of every weight."""
    digest = hashlib.sha256()
    for name, array in arrays_of(weights).items():
        digest.update(name.encode() + b"\0" + array.tobytes())
    return digest.hexdigest()[:16]


@dataclass(slots=True)
class Progress:
    """What one round came to: mean squared errors of both networks, and decisions."""

    decisions: int
    error: float
    world_error: float


@dataclass(slots=True)
class Training:
    """A training under way: after `rounds` rounds `weights` are the latest, `blended` the mean to keep.

    `rival` plays one seat of each deal if the plan tells of one, and is never changed.
    """

    plan: Plan
    weights: Weights
    blended: Weights
    states: list[int]
    rounds: int = 0
    rival: Weights = field(default_factory=empty_weights)
    _work: list[tuple[Weights, Work]] = field(
        default_factory=lambda: [(empty_weights(), empty_work()) for _ in range(WORKERS)]
    )

    @classmethod
    def start(cls, plan: Plan, rival: Weights | None = None) -> Training:
        """From random weights, or from the rival's. Raises ValueError: it is not the plan's rival."""
        draw = np.random.Generator(np.random.PCG64(plan.seed))
        weights = Weights(*(_first_weights(network, draw) for network in empty_weights()))
        chosen = _rival_of(plan, rival)
        if plan.copies:
            _copy(chosen, weights)
        blended = empty_weights()
        _copy(weights, blended)
        states = [int(state) for state in draw.integers(2**62, size=WORKERS)]
        return cls(plan, weights, blended, states, rival=chosen)

    @property
    def is_over(self) -> bool:
        """Whether every round of the plan has been played."""
        return self.rounds >= self.plan.rounds

    def play_round(self, threads: Executor) -> Progress:
        """One more round."""
        course = self.plan.course(self.rounds)
        share = self.plan.round_deals // WORKERS

        def worker(number: int) -> tuple[int, int, float, float]:
            weights, work = self._work[number]
            _copy(self.weights, weights)
            rival, state = self.rival.actions, self.states[number]
            return train(weights, rival, tables(), rows_of_slots(), course, work, share, state)

        done = list(threads.map(worker, range(WORKERS)))
        self.states = [state for state, *_ in done]
        self._take_mean()
        self.rounds += 1
        self._blend()
        decisions = sum(one[1] for one in done)
        return Progress(decisions, sum(one[2] for one in done) / decisions, sum(one[3] for one in done) / decisions)

    def _take_mean(self) -> None:
        parts = [arrays_of(weights) for weights, _ in self._work]
        for name, array in arrays_of(self.weights).items():
            total = parts[0][name].copy()
            for part in parts[1:]:
                total += part[name]
            array[:] = total / np.float32(len(parts))

    def _blend(self) -> None:
        latest = np.float32(1 / min(self.rounds, self.plan.blend))
        news = arrays_of(self.weights)
        for name, array in arrays_of(self.blended).items():
            array[:] = array + latest * (news[name] - array)

    def save(self, file: Path) -> None:
        """Writes a checkpoint; the file is complete or untouched."""
        arrays: dict[str, Any] = {f"latest_{name}": array for name, array in arrays_of(self.weights).items()}
        arrays |= {f"blended_{name}": array for name, array in arrays_of(self.blended).items()}
        arrays |= {f"deck_{number}": work.deck for number, (_, work) in enumerate(self._work)}
        head = {"plan": asdict(self.plan), "states": self.states, "rounds": self.rounds}
        part = file.with_suffix(".part")
        with part.open("wb") as stream:
            np.savez(stream, allow_pickle=False, head=np.array(json.dumps(head)), **arrays)
        part.replace(file)

    @classmethod
    def resume(cls, plan: Plan, file: Path, rival: Weights | None = None) -> Training:
        """The training that a checkpoint holds whose plan begins as this one.

        Raises ForeignCheckpoint; OSError; ValueError: it is not the plan's rival.
        """
        chosen = _rival_of(plan, rival)
        with stored_arrays(file, ForeignCheckpoint(f"{file} is no checkpoint of a training")) as stored:
            head = json.loads(str(stored["head"]))
            if not plan.begins_as(_plan_of(head["plan"]), head["rounds"]):
                raise ForeignCheckpoint(f"{file} belongs to another plan")
            weights, blended = empty_weights(), empty_weights()
            training = cls(plan, weights, blended, head["states"], head["rounds"], chosen)
            for prefix, target in (("latest", weights), ("blended", blended)):
                for name, array in arrays_of(target).items():
                    array[:] = stored[f"{prefix}_{name}"]
            for number, (_, work) in enumerate(training._work):
                work.deck[:] = stored[f"deck_{number}"]
        return training


def _plan_of(stored: dict[str, Any]) -> Plan:
    """A plan as JSON tells it. Raises ForeignCheckpoint: it tells of something else."""
    try:
        told: dict[str, Any] = {n: tuple(value) if isinstance(value, list) else value for n, value in stored.items()}
        return Plan(**told)
    except TypeError:
        raise ForeignCheckpoint("the checkpoint's plan is of another version") from None


def _rival_of(plan: Plan, rival: Weights | None) -> Weights:
    """What plays against the learner; nothing but zeros, and unused, in self-play."""
    if (digest_of(rival) if rival else "") != plan.rival:
        raise ValueError("the plan is about another rival")
    return rival or empty_weights()


def _first_weights(network: Network, draw: np.random.Generator) -> Network:
    """Random weights that keep the layers' sums near one; no bias."""
    scales = {"first": _ROWS_ON**-0.5, "second": (2 / WIDTH) ** 0.5, "last": DEPTH**-0.5}
    for name, scale in scales.items():
        array = getattr(network, name)
        array[:] = draw.normal(0.0, scale, array.shape)
    network.first[-1] = 0.0
    return network


def _copy(source: Weights, target: Weights) -> None:
    arrays = arrays_of(source)
    for name, array in arrays_of(target).items():
        array[:] = arrays[name]
