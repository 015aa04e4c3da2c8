"""The networks: vector code against plain sums, the shared first layer against the whole sum, and the weight file."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from ai import vectors
from ai.compiled import kernel
from ai.evaluation import (
    FORMAT,
    WON,
    UnusableWeights,
    Weights,
    arrays_of,
    best_of,
    empty_scratch,
    empty_weights,
    evaluate,
    forward,
    load,
    save,
    win_chance,
    world_logit,
)
from ai.features import MOST_ROWS, decision_rows, memory_of, rows_of_slots
from ai.tables import action_of
from ai.vectors import DEPTH, WIDTH, FloatArray, IntArray
from ai.world import legal, world_of
from ai.world_features import world_rows
from engine.actions import Play
from tests.ai.moments import INTERPRETED, T, decisions, mover, scaled, twin_of
from tests.running import ROOT

R = rows_of_slots()


def some_weights(seed: int) -> Weights:
    """Random weights of the size that training begins with."""
    draw = np.random.default_rng(seed)
    weights = empty_weights()
    for name, array in arrays_of(weights).items():
        array[:] = draw.normal(0, 0.15 if "first" in name else 0.2, array.shape)
    return weights


@kernel
def vector_code(
    table: FloatArray, rows: IntArray, weights: FloatArray, floats: FloatArray, wide: FloatArray, out: FloatArray
) -> float:
    """Runs each of the vector functions once; `floats` [4, DEPTH], `wide` [3, WIDTH]."""
    vectors.sum_rows(wide[0], table, rows, 3, len(rows), wide[1])
    value = vectors.deep_layers(wide[1], weights, floats[0], floats[1], out)
    vectors.learn_last(out, floats[0], floats[1], 0.25, 0.01, floats[2])
    vectors.learn_second(wide[1], weights, floats[2], 0.01, wide[2])
    vectors.move_rows(table, rows, 5, wide[2])
    return float(value)


@pytest.mark.jit
@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_compiled_and_interpreted_vector_code_give_the_same_bits() -> None:
    draw = np.random.default_rng(5)
    shapes = ((60, WIDTH), (WIDTH, DEPTH), (4, DEPTH), (3, WIDTH), (DEPTH,))
    table, weights, floats, wide, out = (draw.normal(size=shape).astype(np.float32) for shape in shapes)
    rows = draw.permutation(60)[:20]
    twins = [array.copy() for array in (table, weights, floats, wide, out)]
    value = vector_code(table, rows, weights, floats, wide, out)
    same = vector_code.py_func(twins[0], rows, *twins[1:])  # type: ignore[attr-defined]
    assert np.float32(value) == same
    for array, twin in zip((table, weights, floats, wide, out), twins, strict=True):
        assert array.tobytes() == twin.tobytes()


def test_values_are_those_of_the_whole_network() -> None:
    net = some_weights(1).actions
    s = empty_scratch()
    rows = np.zeros(MOST_ROWS, dtype=np.int64)
    for deal in decisions(range(scaled(30, 2))):
        world, memory = world_of(deal), memory_of(mover(deal))
        legal(T, world, s.words)
        found = evaluate(net, T, R, world, memory, s)
        assert {action_of(slot) for slot in s.slots[:found]} == set(deal.legal_actions())
        for slot, logit in zip(s.slots[:found].tolist(), s.logits[:found].tolist(), strict=True):
            action = action_of(slot)
            if isinstance(action, Play) and action.combination.cards == mover(deal).hand:
                assert logit == WON
                continue
            count = decision_rows(T, R, world, memory, slot, rows)
            hidden = np.maximum(net.first[rows[:count]].sum(axis=0, dtype=np.float64), 0)
            deep = np.maximum(hidden @ net.second + net.second_bias, 0)
            assert logit == pytest.approx(float(deep @ net.last + net.last_bias[0]), abs=1e-3)


def test_a_world_is_judged_by_the_whole_network_and_by_both_hands() -> None:
    net = some_weights(2).worlds
    s = empty_scratch()
    differing = 0
    for number, deal in enumerate(decisions(range(scaled(20, 2)))):
        world = world_of(deal)
        value = world_logit(net, R, world, s)
        rows = np.zeros(MOST_ROWS, dtype=np.int64)
        count = world_rows(R, world, rows)
        assert len(set(rows[:count].tolist())) == count
        assert value == forward(net, rows, count, s)
        hidden = np.maximum(net.first[rows[:count]].sum(axis=0, dtype=np.float64), 0)
        deep = np.maximum(hidden @ net.second + net.second_bias, 0)
        assert value == pytest.approx(float(deep @ net.last + net.last_bias[0]), abs=1e-3)
        twin = twin_of(deal, np.random.RandomState(number))  # type: ignore[arg-type]  # it has shuffle
        differing += world_logit(net, R, world_of(twin), s) != value
    assert differing > 10


def test_a_play_of_the_last_cards_is_certain_to_win() -> None:
    assert win_chance(WON) == 1.0


def test_of_equal_values_the_first_is_best() -> None:
    assert best_of(np.array([0.5, 2.0, 2.0, 1.0], dtype=np.float32), 4) == 1


def test_weights_come_back_from_their_file_and_equal_weights_make_equal_bytes(tmp_path: Path) -> None:
    weights = some_weights(3)
    files = [tmp_path / "a.npz", tmp_path / "b.npz"]
    for file in files:
        save(weights, file)
    assert files[0].read_bytes() == files[1].read_bytes()
    stored = arrays_of(load(files[0]))
    assert all(array.tobytes() == stored[name].tobytes() for name, array in arrays_of(weights).items())


def test_the_shipped_weights_are_those_of_the_results_and_not_large() -> None:
    content = (ROOT / "ai" / "weights.npz").read_bytes()
    assert len(content) <= 1_000_000
    assert f"sha256 `{sha256(content).hexdigest()[:8]}" in (ROOT / "ai" / "RESULTS.md").read_text()


@pytest.mark.parametrize("fault", ["format", "shape", "number", "missing", "text"])
def test_a_file_that_is_no_weight_file_is_refused(tmp_path: Path, fault: str) -> None:
    file = tmp_path / "weights.npz"
    arrays: dict[str, object] = {"format": np.int64(FORMAT), **arrays_of(some_weights(4))}
    match fault:
        case "format":
            arrays["format"] = np.int64(FORMAT + 1)
        case "shape":
            arrays["worlds_last"] = np.zeros(DEPTH + 1, dtype=np.float32)
        case "number":
            arrays["actions_last_bias"] = np.array([np.nan], dtype=np.float32)
        case "missing":
            del arrays["actions_second"]
    np.savez(file, **arrays)  # type: ignore[arg-type]
    if fault == "text":
        file.write_text("no weights")
    with pytest.raises(UnusableWeights):
        load(file)


def test_a_missing_file_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.npz")
