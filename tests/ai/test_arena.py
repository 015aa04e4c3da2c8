"""Mirrored pairs: fair by construction, and the interval that goes with them."""

from __future__ import annotations

import math

import pytest

from ai.arena import Entrant, Score, main, play_pairs, player_of
from engine.rules import Rules
from tests.engine.dealing import ALL_RULES, name_of


@pytest.mark.parametrize("name", ["random", "greedy", "textbook-20", "clairvoyant-20", "level-1"])
def test_a_player_against_itself_scores_one_half_in_every_pair(name: str) -> None:
    scores = list(play_pairs(Entrant(name), Entrant(name), Rules(), 3, seed=3))
    assert scores == [0.5] * 3


@pytest.mark.parametrize("rules", ALL_RULES, ids=name_of)
def test_greedy_beats_random_under_every_option(rules: Rules) -> None:
    score = Score(tuple(play_pairs(Entrant("greedy"), Entrant("random"), rules, 30, seed=1)))
    assert score.share > 0.7


@pytest.mark.jit
def test_the_search_beats_greedy() -> None:
    score = Score(tuple(play_pairs(Entrant("textbook-600"), Entrant("greedy"), Rules(), 15, seed=1)))
    assert score.share > 0.6


@pytest.mark.jit
def test_seeing_the_cards_helps() -> None:
    score = Score(tuple(play_pairs(Entrant("clairvoyant-400"), Entrant("textbook-400"), Rules(), 20, seed=1)))
    assert score.share > 0.5


def test_the_same_seed_gives_the_same_scores() -> None:
    scores = [list(play_pairs(Entrant("greedy"), Entrant("random"), Rules(), 12, seed)) for seed in (5, 5, 6)]
    assert scores[0] == scores[1]
    assert scores[0] != scores[2]


def test_the_interval_takes_pairs_as_clusters() -> None:
    score = Score((1.0, 0.5, 0.5, 0.0, 1.0, 1.0, 0.5, 0.5))
    assert score.share == 0.625
    assert math.isclose(score.margin, 1.96 * math.sqrt(0.875 / 7 / 8))
    assert str(score) == "0.6250 ± 0.2450 (8 pairs)"
    assert Score((0.5,)).margin == math.inf


def test_the_command_prints_share_interval_and_times(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--deals", "8", "--seed", "2", "--rules", "crisps_in_runs,no_face_up_draw"]
    assert main(["greedy", "random", *options]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("greedy v random: ")
    assert lines[0].endswith("(4 pairs)")
    assert "ms a decision" in lines[1]


@pytest.mark.parametrize("name", ["nobody", "level-6", "level-x", "textbook-0"])
def test_the_command_refuses_unknown_players(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["greedy", name]) == 2
    assert capsys.readouterr().err


@pytest.mark.parametrize("options", [["--deals", "1"], ["--rules", "wild_cards"]])
def test_the_command_refuses_impossible_options(options: list[str]) -> None:
    with pytest.raises(SystemExit):
        main(["greedy", "random", *options])


def test_levels_are_players() -> None:
    assert callable(player_of("level-2"))
