"""The front door: complete answers, honest refusals, the same answer every time, and nobody kept waiting."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError
from itertools import islice, product
from pathlib import Path

import pytest

from ai.advice import root_values, some_world
from ai.baselines import now
from ai.budget import MAX_SEED
from ai.compiled import compilations
from ai.determinization import information_set
from ai.evaluation import shipped
from ai.policy import DEFAULT_LEVEL, LEVELS, Budget, Level, SearchResult, choose_action, is_warm, search, warm_up
from ai.proof import MOST_TRIED, proven_action
from ai.tables import action_of, tables
from ai.world import NOTHING
from engine.actions import index_of
from engine.cards import other
from engine.errors import NotYourTurn
from engine.observation import Observation, observe
from tests.ai.moments import INTERPRETED, decisions, mover, opening, scaled
from tests.ai.self_play import late_decisions
from tests.engine.dealing import ALL_RULES, some_deal
from tests.engine.twins import twins

ROOT = Path(__file__).parents[2]


def figures(result: SearchResult) -> list[tuple[int, int, float]]:
    return [(index_of(value.action), value.visits, value.win_probability) for value in result.actions]


def test_every_legal_action_is_answered_best_first() -> None:
    n = scaled(100, 4)
    for number, deal in enumerate(decisions(range(32))):
        if number % (140 if INTERPRETED else 7):
            continue
        seen = mover(deal)
        result = search(seen, Budget(n), seed=number)
        assert {value.action for value in result.actions} == set(seen.legal_actions())
        assert len(result.actions) == len(seen.legal_actions())
        order = [(-value.visits, -value.win_probability, index_of(value.action)) for value in result.actions]
        assert order == sorted(order)
        assert sum(value.visits for value in result.actions) == result.simulations
        assert result.simulations == n or len(result.actions) == 1
        assert all(0.0 <= value.win_probability <= 1.0 for value in result.actions)
        assert result.best == result.actions[0].action
        assert result.win_probability == result.actions[0].win_probability


def test_actions_that_no_simulation_tried_get_the_networks_value() -> None:
    seen = opening()
    values = {action_of(slot): value for slot, value in root_values(shipped(), seen).items()}
    result = search(seen, Budget(simulations=1), seed=1)
    unvisited = [value for value in result.actions if not value.visits]
    assert len(unvisited) == len(seen.legal_actions()) - 1
    assert all(value.average == values[value.action] for value in unvisited)


@pytest.mark.parametrize("rules", ALL_RULES, ids=repr)
def test_the_same_knowledge_and_seed_give_the_same_answer(rules: object) -> None:
    seen = opening(3, rules)  # type: ignore[arg-type]
    n = scaled(150, 4)
    first = figures(search(seen, Budget(n), seed=9))
    assert figures(search(seen, Budget(n), seed=9)) == first
    assert figures(search(seen, Budget(n, time_ms=5000), seed=9)) == first
    assert figures(search(seen, Budget(n), seed=10)) != first


def test_hidden_cards_change_nothing() -> None:
    rng = random.Random(6)
    budget = Budget(scaled(60, 4))
    differing = 0
    for number, deal in enumerate(decisions(range(16))):
        if number % (160 if INTERPRETED else 8) == 0:
            twin = twins(deal, deal.to_act, rng)
            differing += twin.deck != deal.deck
            assert figures(search(now(deal), budget, 1)) == figures(search(now(twin), budget, 1))
            assert figures(search(mover(deal), budget, 1)) == figures(search(mover(twin), budget, 1))
    assert differing


_ELSEWHERE = """
import json, sys
from ai.policy import Budget, search
from engine.actions import index_of
from tests.ai.moments import decisions, mover
seen = [mover(deal) for deal in decisions(range(SEED, SEED + 1))][NUMBER]
found = search(seen, Budget(simulations=20), seed=6)
print(json.dumps([[index_of(v.action), v.visits, v.win_probability] for v in found.actions]))
"""


@pytest.mark.jit
@pytest.mark.parametrize(("seed", "number"), [(0, 0), (0, 12), (1, 26)])  # nothing done yet, a past, a proof
@pytest.mark.parametrize("interpreted", ["0", "1"])
def test_another_process_gives_the_same_answer_compiled_or_not(interpreted: str, seed: int, number: int) -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": interpreted, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", _ELSEWHERE.replace("SEED", str(seed)).replace("NUMBER", str(number))],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = [mover(deal) for deal in decisions(range(seed, seed + 1))][number]
    assert len(seen.legal_actions()) > 1
    here = search(seen, Budget(simulations=20), seed=6)
    assert json.loads(done.stdout) == [list(figure) for figure in figures(here)]


def long_wins(few: int) -> Iterator[Observation]:
    """What a seat sees that has a win which takes more than so many moments to prove."""
    for deal in late_decisions(range(200)):
        seen = mover(deal)
        room = some_world(information_set(seen))
        if proven_action(tables(), room, few) == NOTHING != proven_action(tables(), room, MOST_TRIED):
            yield seen


@pytest.mark.jit
def test_what_a_search_found_in_its_time_is_found_with_its_simulations() -> None:
    some = list(islice(long_wins(20), 10))
    assert len(some) == 10
    for seen in some:
        timed = search(seen, Budget(time_ms=2), seed=1)
        assert figures(search(seen, Budget(timed.simulations), seed=1)) == figures(timed)
        assert timed.win_probability == 1.0
        assert figures(search(seen, Budget(20), seed=1))[0][2] == 1.0


@pytest.mark.jit
def test_what_a_level_without_slips_chose_is_found_with_its_simulations() -> None:
    strong = [level for level in LEVELS.values() if not level.slip]
    some = list(islice(long_wins(min(level.budget.most for level in strong)), 4))
    assert len(some) == 4
    for seen, level in product(some, strong):
        chosen = choose_action(seen, level, 3, spares=False).result
        assert figures(search(seen, Budget(chosen.simulations), seed=3)) == figures(chosen)


@pytest.mark.jit
def test_weak_levels_see_short_wins_only() -> None:
    beginner = LEVELS[1]
    told = [choose_action(seen, beginner, 1).result.win_probability for seen in long_wins(beginner.budget.most)]
    assert min(told) < 1.0


def test_searches_in_parallel_do_not_disturb_each_other() -> None:
    seeds = list(range(12))
    seen = opening(5)
    alone = [figures(search(seen, Budget(simulations=scaled(600, 3)), seed=seed)) for seed in seeds]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda seed: search(seen, Budget(simulations=scaled(600, 3)), seed=seed), seeds))
    assert [figures(result) for result in together] == alone


@pytest.mark.jit
@pytest.mark.skipif(INTERPRETED, reason="interpreted kernels hold the lock like any Python code")
def test_other_threads_run_during_a_search() -> None:
    warm_up()
    seen = opening()
    turns, done = 0, threading.Event()

    def think() -> None:
        search(seen, Budget(simulations=100_000), seed=1)
        done.set()

    thread = threading.Thread(target=think)
    thread.start()
    while not done.is_set():
        turns += 1
    thread.join()
    assert turns > 10_000  # a search that kept the lock would leave a handful


@pytest.mark.jit
@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_nothing_is_compiled_once_warm() -> None:
    warm_up()
    before = compilations()
    assert before > 0
    for number, deal in enumerate(decisions(range(16))):
        if number % 9 == 0:
            budgets = (Budget(simulations=20), Budget(time_ms=1), Budget(simulations=20, time_ms=1))
            for seed, budget in enumerate((*budgets, Budget(simulations=1))):
                search(mover(deal), budget, seed * MAX_SEED // 4)
                search(now(deal), budget, seed)
            choose_action(mover(deal), Level(1, "any", Budget(simulations=20), 0.2, 0.0, {}), seed=number)
    assert compilations() == before


def test_warming_up_is_known_to_have_happened() -> None:
    warm_up()
    assert is_warm()


def test_a_process_starts_cold() -> None:
    program = "from ai.policy import is_warm; raise SystemExit(is_warm())"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=60, check=False
    )
    assert done.returncode == 0


def test_time_ends_a_search_before_its_simulations_do() -> None:
    result = search(opening(), Budget(simulations=100_000, time_ms=1), seed=1)
    assert 0 < result.simulations < 100_000
    assert sum(value.visits for value in result.actions) == result.simulations


@pytest.mark.parametrize(
    ("simulations", "time_ms"), [(None, None), (0, None), (100_001, None), (None, 0), (None, 5001), (-1, 5)]
)
def test_a_budget_out_of_bounds_is_refused(simulations: int | None, time_ms: int | None) -> None:
    with pytest.raises(ValueError, match=r"simulations|time_ms"):
        Budget(simulations=simulations, time_ms=time_ms)


def test_the_bounds_themselves_are_budgets() -> None:
    assert Budget(1).most == 1
    assert Budget(100_000, 5000).most == 100_000
    assert Budget(time_ms=1).most == 100_000


@pytest.mark.parametrize("seed", [-1, MAX_SEED + 1])
def test_a_seed_out_of_bounds_is_refused(seed: int) -> None:
    with pytest.raises(ValueError, match="seed"):
        search(opening(), Budget(simulations=1), seed)


def test_a_proof_has_no_negative_number_of_moments() -> None:
    with pytest.raises(ValueError, match="0 or more"):
        search(opening(), Budget(simulations=5), proof=-1)


def test_the_largest_seed_is_a_seed() -> None:
    assert search(opening(), Budget(simulations=5), MAX_SEED).seed == MAX_SEED


def test_only_the_seat_to_act_gets_advice() -> None:
    deal = next(deal for deal in decisions(range(1)))
    assert deal.to_act is not None
    with pytest.raises(NotYourTurn):
        search(observe(deal, other(deal.to_act)), Budget(simulations=1))
    with pytest.raises(NotYourTurn):
        search(observe(list(some_deal(0))[-1][0], 0), Budget(simulations=1))


def test_there_are_five_levels_and_the_third_is_the_default() -> None:
    assert list(LEVELS) == [1, 2, 3, 4, 5]
    assert all(level.number == number for number, level in LEVELS.items())
    assert DEFAULT_LEVEL == 3
    assert len({level.name for level in LEVELS.values()}) == 5
    assert all(level.budget.time_ms is None for level in LEVELS.values()), "a level's choice can be computed again"
    with pytest.raises(FrozenInstanceError):
        LEVELS[1].slip = 0.0  # type: ignore[misc]


def test_strong_levels_take_the_best_action() -> None:
    level = Level(9, "any", Budget(scaled(100, 3)), 0.0, 0.0, {})
    for deal in [*decisions(range(4))][:: 40 if INTERPRETED else 2]:
        choice = choose_action(mover(deal), level, seed=3)
        assert choice.action == choice.result.best


@pytest.mark.jit
def test_weak_levels_slip_now_and_then_and_seldom_far() -> None:
    level = Level(9, "any", Budget(simulations=300), 0.05, 0.0, {})
    slips, losses = 0, []
    for number, deal in enumerate(decisions(range(24))):
        if number % 6 or len(deal.legal_actions()) < 3:
            continue
        choice = choose_action(mover(deal), level, seed=number)
        assert choose_action(mover(deal), level, seed=number).action == choice.action
        slips += choice.action != choice.result.best
        losses.append(choice.result.actions[0].average - choice.value.average)
    assert 0.1 < slips / len(losses) < 0.9
    assert sum(losses) / len(losses) < 0.1
