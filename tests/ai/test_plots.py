"""Pictures: the same figures make the same bytes, and those that are kept show what was measured."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from ai import calibration, curve, ladder, plots, training
from ai.rating import ratings
from ai.reliability import DECISION, reliability
from ai.scores import Score
from tests.running import ROOT

SCORES = Score((1.0, 0.5, 0.0, 1.0))
LOG = [
    {"deals": 100 * k, "seconds": 1, "error": 0.1 / k, "world_error": 0.2 / k, "greedy": 0.5 + 0.1 * k, "margin": 0.1}
    for k in (1, 2, 3)
]
TOLD = np.array([(k % 7, 1, 1, 0.01 * k, 0.01 * k, k % 2) for k in range(100)], dtype=DECISION)
DRAWINGS: dict[str, tuple[Callable[[Path], None], str]] = {
    "training": (lambda file: plots.draw_training(LOG, file), ">million deals<"),
    "ladder": (lambda file: plots.draw_scale(ratings({("me", "greedy"): SCORES}, "greedy", 9), file), "greedy = 0"),
    "curve": (lambda file: plots.draw_curve({(4, 2): SCORES, (2, 1): SCORES}, file), "simulations"),
    "calibration": (lambda file: plots.draw_reliability(reliability(TOLD, 9), "me", file), "chance told"),
}


@pytest.mark.check
@pytest.mark.parametrize("name", DRAWINGS)
def test_equal_figures_make_equal_pictures(name: str, tmp_path: Path) -> None:
    draw, label = DRAWINGS[name]
    files = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for file in files:
        draw(file)
    assert files[0].read_bytes() == files[1].read_bytes()
    text = files[0].read_text()
    assert label in text
    assert "date" not in text.lower()
    assert ET.fromstring(text).tag.endswith("svg")
    assert len(text) < 60_000


MEASURING: dict[str, tuple[Callable[[list[str]], int], str, str]] = {
    "calibration": (calibration.main, "guided-2 greedy --decisions 20 --plot plot.svg", "guided-2 v greedy"),
    "curve": (curve.main, "--from 2 --to 4 --deals 4 --plot plot.svg", "simulations"),
    "ladder": (ladder.main, "--deals 2 --plot plot.svg", "greedy = 0"),
    "training": (training.main, ". --deals 4000", "deals"),
}


@pytest.mark.check
@pytest.mark.jit
@pytest.mark.parametrize("name", MEASURING)
def test_a_command_draws_what_it_measured(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ladder, "RUNGS", (("greedy", "random", 1), ("level-1", "greedy", 1)))
    command, options, label = MEASURING[name]
    assert command(options.split()) == 0
    (file,) = tmp_path.glob("*.svg")
    assert label in file.read_text()


def test_pictures_that_are_kept_are_small_and_carry_no_date() -> None:
    kept = sorted((ROOT / "ai/plots").glob("*.svg"))
    assert kept
    for file in kept:
        assert file.stat().st_size < 100_000
        assert "date" not in file.read_text().lower()
