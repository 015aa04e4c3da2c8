"""Mirrored pairs: fair by construction, and the interval that goes with them."""

from __future__ import annotations

import json
import time
from datetime import datetime
from pathlib import Path

import pytest

from ai.arena import main
from ai.pairs import Entrant, in_order, play_pairs
from ai.players import player_of
from ai.scores import Score, Verdict
from engine.rules import Rules
from tests.engine.dealing import ALL_RULES, name_of

SEARCHING = [
    pytest.param(name, marks=pytest.mark.jit) for name in ("guided-20", "uniform-20", "misled-5", "level-1", "level-5")
]


@pytest.mark.parametrize("name", ["random", "greedy", "textbook-20", "clairvoyant-20", "net", *SEARCHING])
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
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "opponent", "least"),
    [("net", "random", 0.9), ("guided-100", "textbook-500", 0.6), ("level-4", "greedy", 0.85)],
)
def test_what_was_learned_beats_what_was_not_in_a_hundred_pairs(name: str, opponent: str, least: float) -> None:
    score = Score(tuple(play_pairs(Entrant(name), Entrant(opponent), Rules(), 100, seed=1)))
    assert score.share > least


@pytest.mark.jit
@pytest.mark.parametrize("rules", ALL_RULES[1:], ids=name_of)
def test_what_was_learned_holds_under_every_option(rules: Rules) -> None:
    score = Score(tuple(play_pairs(Entrant("guided-30"), Entrant("greedy"), rules, 20, seed=1)))
    assert score.share > 0.7


@pytest.mark.jit
def test_seeing_the_cards_helps() -> None:
    score = Score(tuple(play_pairs(Entrant("clairvoyant-400"), Entrant("textbook-400"), Rules(), 20, seed=1)))
    assert score.share > 0.5


def test_the_same_seed_gives_the_same_scores() -> None:
    scores = [list(play_pairs(Entrant("greedy"), Entrant("random"), Rules(), 12, seed)) for seed in (5, 5, 6)]
    assert scores[0] == scores[1]
    assert scores[0] != scores[2]


@pytest.mark.jit
def test_threads_change_nothing_but_the_time() -> None:
    scores = []
    for threads in (1, 3):
        first, second = Entrant("guided-5"), Entrant("random")
        scores.append((list(play_pairs(first, second, Rules(), 7, 5, threads)), first.decisions, second.decisions))
    assert scores[0] == scores[1]


def test_the_command_prints_share_interval_and_times(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--deals", "8", "--seed", "2", "--rules", "crisps_in_runs,no_face_up_draw"]
    assert main(["greedy", "random", *options]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    lines = printed.out.splitlines()
    assert lines[0].startswith("greedy v random: ")
    assert "(4 pairs)" in lines[0]
    assert "Elo" in lines[0]
    assert "ms a decision" in lines[1]


def test_the_command_appends_its_result_to_a_file(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    options = ["--deals", "8", "--rules", "no_face_up_draw", "--json", str(file)]
    for seed in ("2", "3"):
        assert main(["greedy", "random", *options, "--seed", seed]) == 0
    first, second = (json.loads(line) for line in file.read_text().splitlines())
    assert first["command"] == f"python -m ai.arena greedy random {' '.join(options)} --seed 2"
    assert (first["rules"], first["seed"], second["seed"]) == (["no_face_up_draw"], 2, 3)
    assert first["won"] + first["split"] + first["lost"] == first["pairs"] == 4
    assert first["share"] == (first["won"] + first["split"] / 2) / 4
    assert set(first["milliseconds"]) == {"greedy", "random"}
    assert first["commit"]
    assert datetime.fromisoformat(first["date"]).tzinfo


@pytest.mark.jit
def test_the_command_stops_when_enough_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["greedy", "random", "--deals", "400", "--test", "0.5", "0.6"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "200 pairs" not in lines[0]
    assert lines[1].endswith(Verdict.BETTER)
    assert "ended by the test" in lines[2]


@pytest.mark.parametrize("name", ["nobody", "level-6", "level-x", "textbook-0", "guided-0", "net-1", "guided"])
def test_the_command_refuses_unknown_players(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["greedy", name]) == 2
    assert capsys.readouterr().err


@pytest.mark.parametrize("name", ["nobody", "lvl-5", "guided"])
def test_who_writes_a_name_wrong_is_told_every_player(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["greedy", name]) == 2
    told = capsys.readouterr().err
    assert name in told
    assert all(player in told for player in ("greedy", "clairvoyant-N", "net:FILE", "misled-N", "level-5"))


@pytest.mark.parametrize("options", [["--deals", "1"], ["--deals", "7"], ["--rules", "wild_cards"], ["--json", "/"]])
def test_the_command_refuses_impossible_options(options: list[str]) -> None:
    with pytest.raises(SystemExit):
        main(["greedy", "random", *options])


@pytest.mark.parametrize("bounds", ["0.6 0.5", "0.5 0.5", "0 0.5", "0.5 1", "50 53", "nan 0.5", "0.5 nan", "-0.1 0.5"])
def test_shares_that_cannot_be_told_apart_are_refused(bounds: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["greedy", "random", "--deals", "4", "--test", *bounds.split()])
    assert exit_.value.code == 2
    assert "--test" in capsys.readouterr().err


def test_a_player_that_is_given_plays_under_its_name() -> None:
    given, greedy = Entrant("somebody", player_of("greedy")), Entrant("greedy")
    scores = [list(play_pairs(one, Entrant("random"), Rules(), 6, 5, threads=2)) for one in (given, greedy)]
    assert scores[0] == scores[1]
    assert given.decisions == greedy.decisions > 0


def test_levels_are_players() -> None:
    assert callable(player_of("level-2"))


def test_numbers_are_worked_on_a_few_ahead_and_answered_in_order() -> None:
    begun: list[int] = []

    def work(number: int) -> int:
        begun.append(number)
        time.sleep(0.01 * (number % 3))
        return number

    answers = in_order(work, range(5, 100), threads=2)
    assert [next(answers) for _ in range(20)] == list(range(5, 25))
    assert max(begun) < 5 + 20 + 8
    answers.close()  # type: ignore[attr-defined]
    so_far = len(begun)
    time.sleep(0.05)
    assert len(begun) == so_far
    assert list(in_order(work, range(3), threads=4)) == [0, 1, 2]
