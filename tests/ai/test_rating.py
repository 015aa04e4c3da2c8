"""One scale from many pairings: places are found again, intervals hold them, and gaps in the plan are refused."""

from __future__ import annotations

import itertools
import random

import pytest

from ai.rating import Rating, expected, ratings
from ai.scores import Score, elo


def drawn(places: dict[str, float], pairs: int, seed: int) -> dict[tuple[str, str], Score]:
    """Scores of every pairing of players with these places in Elo points."""
    rng = random.Random(seed)
    scores = {}
    for first, second in itertools.combinations(places, 2):
        share = 1 / (1 + 10 ** ((places[second] - places[first]) / 400))
        deals = [rng.random() < share for _ in range(2 * pairs)]
        scores[first, second] = Score(tuple((a + b) / 2 for a, b in zip(deals[::2], deals[1::2], strict=True)))
    return scores


def test_places_are_found_again_within_their_intervals() -> None:
    places = {"a": 0.0, "b": 150.0, "c": 400.0, "d": -120.0}
    found = ratings(drawn(places, 1_500, 1), "a", samples=100)
    assert list(found) == ["c", "b", "a", "d"]
    assert found["a"] == Rating(0.0, 0.0, 0.0)
    for name, one in found.items():
        assert one.low <= one.elo <= one.high
        assert one.elo == pytest.approx(places[name], abs=25)
        assert one.high - one.low < 60


def test_more_pairs_make_narrower_intervals() -> None:
    widths = []
    for pairs in (100, 1_600):
        one = ratings(drawn({"a": 0.0, "b": 100.0}, pairs, 2), "a", samples=200)["b"]
        widths.append(one.high - one.low)
    assert widths[0] / widths[1] == pytest.approx(4, rel=0.4)


def test_two_players_are_as_far_apart_as_their_share_says() -> None:
    score = Score((1.0,) * 500 + (0.5,) * 300 + (0.0,) * 200)
    found = ratings({("b", "a"): score}, "a", samples=2)
    assert found["b"].elo == pytest.approx(elo(score.share), abs=0.5)
    assert expected(found["b"], found["a"]) == pytest.approx(score.share, abs=0.001)


def test_who_loses_every_deal_has_a_place_too() -> None:
    found = ratings({("a", "b"): Score((1.0,) * 50), ("a", "c"): Score((0.5,) * 50)}, "a", samples=20)
    assert found["c"].elo == pytest.approx(0, abs=1e-6)
    assert -1500 < found["b"].elo < -600


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_pairs_that_all_came_to_the_same_leave_a_width(value: float) -> None:
    found = [ratings({("b", "a"): Score((value,) * pairs)}, "a", samples=200)["b"] for pairs in (1, 20, 2_000)]
    assert all(one.low <= one.elo <= one.high for one in found)
    widths = [one.high - one.low for one in found]
    assert widths[0] > widths[-1] or value != 0.5, "a share near one half is known ever better"
    assert min(widths) > 0


@pytest.mark.parametrize(
    "scores", [{("b", "c"): Score((0.5,))}, {("a", "b"): Score((0.5,)), ("c", "d"): Score((0.5,))}]
)
def test_players_without_a_connection_to_the_anchor_are_refused(scores: dict[tuple[str, str], Score]) -> None:
    with pytest.raises(ValueError, match=r"played nobody|not connected with a: c, d"):
        ratings(scores, "a")
