"""Shares, intervals, Elo and the sequential test: against figures worked out by hand and by simulation."""

from __future__ import annotations

import math
import random
import time

import pytest

from ai.scores import Score, Sequential, Verdict, elo, elo_text

EXAMPLE = Score((1.0, 0.5, 0.5, 0.0, 1.0, 1.0, 0.5, 0.5))


def test_the_interval_takes_pairs_as_clusters() -> None:
    assert EXAMPLE.share == 0.625
    assert math.isclose(EXAMPLE.margin, 1.96 * math.sqrt(0.875 / 7 / 8))
    assert str(EXAMPLE) == "0.6250 ± 0.2450 (8 pairs)"
    assert Score((0.5,)).margin == math.inf


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("pairs", [2, 3, 7, 300])
def test_pairs_that_all_came_to_the_same_leave_room_for_what_was_not_seen(value: float, pairs: int) -> None:
    score = Score((value,) * pairs)
    assert (score.variance, score.margin) == (0.0, 3 / pairs)


def test_looking_after_every_pair_takes_no_time_to_speak_of() -> None:
    test, scores = Sequential(0.500, 0.501), (1.0, 0.5, 0.0) * 400
    begin = time.process_time()
    assert all(test.verdict(Score(scores[:n])) is Verdict.OPEN for n in range(len(scores)))
    assert time.process_time() - begin < 2  # a tenth of a second; half a minute where each pair asks for the share


def test_elo_is_zero_at_one_half_and_four_hundred_at_ten_to_one() -> None:
    assert elo(0.5) == 0.0
    assert elo(10 / 11) == pytest.approx(400)
    assert elo(0.3) == pytest.approx(-elo(0.7))
    assert (elo(0.0), elo(1.0)) == (-math.inf, math.inf)
    assert elo_text(EXAMPLE) == "+89 Elo (-85 to +330)"
    assert elo_text(Score((0.5,))) == "+0 Elo (-inf to +inf)"
    assert elo_text(Score((1.0,))) == "+inf Elo (-inf to +inf)"
    assert elo_text(Score((1.0,) * 30)) == "+inf Elo (+382 to +inf)"


def verdicts(share: float, runs: int) -> list[Verdict]:
    rng = random.Random(int(1000 * share))
    test = Sequential(0.50, 0.56)
    found = []
    for _ in range(runs):
        scores: tuple[float, ...] = ()
        verdict = Verdict.OPEN
        while verdict is Verdict.OPEN and len(scores) < 2000:
            scores = (*scores, ((rng.random() < share) + (rng.random() < share)) / 2)
            verdict = test.verdict(Score(scores)) if len(scores) % 10 == 0 else Verdict.OPEN
        found.append(verdict)
    return found


@pytest.mark.parametrize(("share", "right"), [(0.50, Verdict.WORSE), (0.56, Verdict.BETTER)])
def test_a_sequential_test_is_seldom_wrong(share: float, right: Verdict) -> None:
    found = verdicts(share, 60)
    assert found.count(right) >= 52  # 57 are to be expected; below 52 once in 200 times at most
    assert Verdict.OPEN not in found


def test_nothing_is_known_after_a_few_pairs() -> None:
    test = Sequential(0.5, 0.6)
    assert test.verdict(Score((1.0,) * 19)) is Verdict.OPEN
    assert test.verdict(Score((0.5, 0.5, 1.0, 0.0) * 5)) is Verdict.OPEN
    assert test.verdict(Score((1.0, 0.5) * 20)) is Verdict.BETTER
    assert test.verdict(Score((0.0, 0.5) * 20)) is Verdict.WORSE


@pytest.mark.parametrize(("value", "verdict"), [(0.0, Verdict.WORSE), (0.5, Verdict.WORSE), (1.0, Verdict.BETTER)])
def test_pairs_that_all_come_to_the_same_end_a_test(value: float, verdict: Verdict) -> None:
    assert Sequential(0.50, 0.53).verdict(Score((value,) * 60)) is verdict
