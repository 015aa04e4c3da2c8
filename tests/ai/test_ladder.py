"""Ladder and curve: what they play, what they conclude, and that they carry on."""

from __future__ import annotations

from pathlib import Path

import pytest

from ai import curve, ladder
from ai.baselines import BASELINES
from ai.levels import LEVELS
from ai.players import player_of
from ai.rating import ratings
from ai.scores import Score
from tests.ai.moments import scaled

EVEN, WORSE, BETTER = Score((0.5,) * 50 + (0.0, 1.0)), Score((0.0, 0.0, 0.5) * 20), Score((1.0, 1.0, 0.5) * 20)


def test_every_baseline_and_level_stands_on_one_ladder() -> None:
    plan = ladder.pairings(400, 7, ())
    names = {name for pairing in plan for name in (pairing.first, pairing.second)}
    assert {name.partition("-")[0] for name in names} == {*BASELINES, "level"}
    assert {name for name in names if name.startswith("level")} == {f"level-{number}" for number in LEVELS}
    assert all(callable(player_of(name)) for name in names)
    assert set(ratings({(one.first, one.second): EVEN for one in plan}, ladder.ANCHOR, samples=2)) == names
    assert len(plan) == len(ladder.RUNGS)
    assert set(plan.values()) == {200, 100}
    assert min(ladder.pairings(2, 7, ()).values()) == 1


def test_the_ladder_prints_scale_and_shares_and_carries_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ladder, "RUNGS", (("greedy", "random", 1), ("textbook-20", "greedy", 2)))
    file = tmp_path / "ladder.jsonl"
    for deals in (scaled(20, 4), scaled(40, 8)):
        assert ladder.main(["--deals", str(deals), "--seed", "3", "--file", str(file)]) == 0
    played = file.read_bytes()
    first = capsys.readouterr().out
    assert ladder.main(["--deals", str(scaled(40, 8)), "--seed", "3", "--file", str(file)]) == 0
    second = capsys.readouterr().out
    assert file.read_bytes() == played
    assert first.endswith(second)
    assert "| greedy | 0 | 0 to 0 |" in second
    assert f"({scaled(20, 4)} pairs)" in second
    assert f"({scaled(10, 2)} pairs)" in second


def test_sizes_double() -> None:
    assert curve.sizes(50, 6_400) == (50, 100, 200, 400, 800, 1_600, 3_200, 6_400)
    assert curve.steps(curve.sizes(50, 6_400))[-3:] == ((3_200, 1_600), (6_400, 3_200), (6_400, 400))
    assert curve.steps((5, 10)) == ((10, 5),)


def test_a_doubling_that_loses_is_named() -> None:
    assert curve.verdicts({(2, 1): BETTER, (4, 2): EVEN}) == ["no doubling is significantly worse"]
    told = curve.verdicts({(32, 16): WORSE, (16, 8): EVEN, (32, 2): WORSE})
    assert told == ["significantly worse: 32 v 16", "32 simulations do not beat 2 significantly"]
    assert curve.verdicts({(32, 16): EVEN, (32, 2): BETTER})[1] == "32 simulations beat 2 significantly"


@pytest.mark.jit
def test_the_curve_prints_every_doubling(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "curve.jsonl"
    options = ["--from", "1", "--to", "4", "--deals", "4", "--file", str(file)]
    assert curve.main(options) == 0
    text = capsys.readouterr().out
    assert "| 2 | 1 | 0." in text
    assert "| 4 | 2 | 0." in text
    assert "significantly worse" in text
    played = file.read_bytes()
    assert curve.main(options) == 0
    assert file.read_bytes() == played


@pytest.mark.parametrize("main", [curve.main, ladder.main])
def test_a_file_of_something_else_is_refused(main: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("something else")
    assert callable(main)
    assert main(["--file", str(file)]) == 2
    assert str(file) in capsys.readouterr().err
    assert file.read_text() == "something else"


@pytest.mark.parametrize("sizes", [("50", "50"), ("50", "120"), ("100", "50"), ("0", "50"), ("100", "200000")])
def test_sizes_that_do_not_double_are_refused(sizes: tuple[str, str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        curve.main(["--from", sizes[0], "--to", sizes[1]])
    assert exit_.value.code == 2
