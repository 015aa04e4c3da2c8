"""An ended deal reviewed: for each decision the best action by what its seat knew then, and what another one cost.

Every decision is searched with the same number of simulations, so that a whole deal takes about as long as BUDGET_MS
on one core by the levels' measured times, and with seed 0: the same deal gives the same analysis, and `POST
/v1/suggestions` the same figures for each of its positions. The slot is given back after every few decisions, so that a
deal's analysis holds up other advice for a moment only; due moves have a slot of their own.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from ai.budget import Budget
from ai.levels import LEVELS
from engine.actions import PASS, Draw, Play
from engine.deal import Deal
from engine.events import Drew, Passed, Played
from engine.observation import observe
from service import usecases
from service.errors import SearchBusy
from service.store import KeyRecord
from service.suggestions import ADVICE_LEVEL
from service.views import Json, action_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ai.policy import SearchResult
    from engine.actions import Action
    from engine.cards import Seat
    from engine.rules import Rules
    from service.hosted import LoggedEvent
    from service.opening import Opened, Ports
    from service.usecases import DealRecord

SEED = 0
BUDGET_MS = 700.0
"""About how long the searches of a deal may take together."""
TURN_SECONDS = 0.25
"""About how long its searches keep a slot at a time."""
WAIT_SECONDS = 4.0
"""How long the searches of a deal may wait for slots together; then the process is too busy."""
KEPT_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Decision:
    """What a seat chose at a moment of a deal; `version` is that of the choice's event."""

    version: int
    seat: Seat
    deal: Deal
    action: Action


def analysis(ports: Ports, opened: Opened, number: int) -> bytes:
    """The analysis of an ended deal, as JSON; found again for a day. Raises UnknownDeal, DealInProgress, SearchBusy."""
    head = usecases.deal_head(ports, opened, number)
    # Named after the deal's promise as well: a game may expire, and its id come again with the same idempotency key.
    game_id, name = opened.hosted.game_id, f"analysis-{number}-{head.shuffle.commitment}"
    stored = ports.store.record(game_id, name)
    if stored is not None:
        return stored
    record = usecases.record_of(ports, opened, head)
    made = orjson.dumps(_analysed(ports, opened, record))
    return ports.store.settle(game_id, KeyRecord(name, made, KEPT_SECONDS))


def decisions(rules: Rules, record: DealRecord) -> Iterator[Decision]:
    """Everything that the seats chose in an ended deal, in order; automatic passes and draws are no choices."""
    head = record.head
    deal = Deal.start(rules, head.shuffle.deck(), head.starter, head.number)
    for logged in record.events:
        action = _chosen(logged)
        if action is not None:
            assert deal.to_act is not None  # noqa: S101 - somebody chose
            yield Decision(logged.version, deal.to_act, deal, action)
            deal, _ = deal.apply(deal.to_act, action)


def _chosen(logged: LoggedEvent) -> Action | None:
    match logged.event:
        case Played(_, combination):
            return Play(combination)
        case Passed(_, automatic=False):
            return PASS
        case Drew(_, source) if source is not None:
            return Draw(source)
        case _:
            return None


def budget_for(count: int) -> Budget:
    """What each of so many decisions is searched with: that of the level that advises, or less."""
    level = LEVELS[ADVICE_LEVEL]
    share = min(1.0, BUDGET_MS / (max(count, 1) * level.typical_ms))
    return Budget(simulations=max(1, int(level.budget.most * share)))


def _analysed(ports: Ports, opened: Opened, record: DealRecord) -> Json:
    rules = opened.hosted.game.rules
    made = tuple(decisions(rules, record))
    budget, waited = budget_for(len(made)), 0.0
    reviewed: list[Json] = []
    while len(reviewed) < len(made):
        left = made[len(reviewed) :]
        seen = (observe(decision.deal, decision.seat) for decision in left)
        begin = time.monotonic()
        results = usecases.advise_on_some(ports, seen, budget, SEED, TURN_SECONDS)
        waited += time.monotonic() - begin - sum(result.elapsed_ms for result in results) / 1000
        if waited > WAIT_SECONDS:
            raise SearchBusy
        reviewed += map(_reviewed, left, results)
    return {
        "game": opened.hosted.game_id,
        "number": record.head.number,
        "winner": record.head.winner,
        "decisions": reviewed,
        "seats": [summary(seat, reviewed) for seat in (0, 1)],
        "search": {"simulations": budget.simulations, "seed": SEED},
    }


def _reviewed(decision: Decision, result: SearchResult) -> Json:
    edition = decision.deal.rules.edition
    played = next(one for one in result.actions if one.action == decision.action)
    return {
        "version": decision.version,
        "seat": decision.seat,
        "best": action_json(result.best, edition),
        "win_probability": result.win_probability,
        "played": action_json(decision.action, edition),
        "played_win_probability": played.win_probability,
        # a little visited action may look better than the best by chance; that is no gain
        "loss": max(0.0, result.win_probability - played.win_probability),
    }


def summary(seat: Seat, reviewed: list[Json]) -> Json:
    """How well a seat decided, by its reviewed decisions."""
    losses = [one["loss"] for one in reviewed if one["seat"] == seat]
    agreed = sum(one["played"] == one["best"] for one in reviewed if one["seat"] == seat)
    return {
        "seat": seat,
        "decisions": len(losses),
        "best_chosen": agreed,
        "average_loss": sum(losses) / len(losses) if losses else 0.0,
    }
