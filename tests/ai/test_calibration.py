"""The calibration command: whose decisions it notes, that they can be had again, and what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from ai.calibration import groups, main
from ai.decision_sheet import DecisionSheet, Watched
from ai.origin import Origin
from ai.pairs import Entrant, dealt, origin_of, play_deal
from ai.players import expecting, player_of
from engine.actions import Action
from engine.cards import Seat
from engine.deal import Deal
from engine.rules import Rules
from tests.ai.moments import decisions

ORIGIN = Origin("python -m something", "0123abcd", "2026-01-01T00:00:00Z")
PLAYER = "guided-16"

pytestmark = pytest.mark.jit


def quiet(_more: int) -> None:
    pass


def test_a_player_that_tells_what_it_expects_plays_the_same() -> None:
    for name in (PLAYER, "level-1"):
        for number, deal in enumerate([*decisions(range(8))][::31]):
            value = expecting(name)(deal, number)
            assert value.action == player_of(name)(deal, number)
            assert 0.0 <= value.win_probability <= 1.0


def test_every_choice_is_noted_with_what_came_of_it() -> None:
    noted = Watched(PLAYER, PLAYER, (), 1).rows(3)
    choices: list[Seat] = []

    def watched(deal: Deal, seed: int) -> Action:
        if deal.to_act is not None and len(deal.legal_actions()) > 1:
            choices.append(deal.to_act)
        return player_of(PLAYER)(deal, seed)

    entrant = Entrant(PLAYER, watched)
    winner = play_deal(dealt(Rules(), 1, 3), (entrant, entrant), origin_of(1, 3))
    assert [won for *_, won in noted] == [seat == winner for seat in choices]
    assert set(choices) == {0, 1}, "both seats are the player's"


def test_against_another_player_its_own_decisions_are_noted_on_either_seat() -> None:
    left = [left for left, *_ in Watched(PLAYER, "greedy", (), 1).rows(2)]
    assert sum(later > earlier for earlier, later in pairwise(left)) == 1, "two deals, one after the other"


def test_threads_and_repetition_change_nothing() -> None:
    sheets = [DecisionSheet(Watched(PLAYER, PLAYER, (), 4)) for _ in range(2)]
    told: list[int] = []
    for sheet, threads in zip(sheets, (1, 2), strict=True):
        sheet.play(100, threads, ORIGIN, told.append)
    one, two = (sheet.decisions(100) for sheet in sheets)
    assert one.tobytes() == two.tobytes()
    assert len(one) >= 100
    assert sum(told) == len(one) + len(two)
    parts = dict(groups(one))
    uncertain = parts.pop("not certain")
    assert sum(map(len, parts.values())) == 2 * len(one)
    assert uncertain.tolist() == [row for row in one.tolist() if 0 < row[4] < 1]
    assert 0 < len(uncertain) < len(one)


def test_an_interrupted_sheet_carries_on_where_it_was(tmp_path: Path) -> None:
    watched, file = Watched(PLAYER, "greedy", (), 4), tmp_path / "decisions.jsonl"
    alone = DecisionSheet(watched)
    alone.play(120, 1, ORIGIN, quiet)
    DecisionSheet.open(watched, file).play(60, 1, ORIGIN, quiet)
    file.write_bytes(file.read_bytes()[:-7])
    other = DecisionSheet.open(replace(watched, seed=5), file)
    assert other.count == 0
    other.play(1, 1, ORIGIN, quiet)
    sheet = DecisionSheet.open(watched, file)
    assert 0 < sheet.count < 100
    sheet.play(120, 1, ORIGIN, quiet)
    assert sheet.deals == DecisionSheet.open(watched, file).deals == alone.deals
    assert sheet.decisions(50).tolist() == alone.decisions(50).tolist()
    assert len(sheet.decisions(50)) < len(sheet.decisions(120))


@pytest.mark.parametrize("text", ["something else\n", "[]\n", '{"command": 1}\n'])
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(text)
    assert main([PLAYER, "greedy", "--file", str(file)]) == 2
    assert file.read_text() == text


def test_the_command_prints_the_table_and_appends_the_figures(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "figures.jsonl"
    for _ in range(2):
        assert main([PLAYER, "greedy", "--decisions", "60", "--seed", "9", "--json", str(file)]) == 0
    text = capsys.readouterr().out
    first, second = (json.loads(line) for line in file.read_text().splitlines())
    assert first["error"] == second["error"]
    assert f"calibration error {first['error']['value']:.4f}" in text
    assert f"Brier score {first['brier']['value']:.4f}" in text
    assert sum(one["count"] for one in first["bins"]) == first["count"] >= 60
    assert (first["player"], first["opponent"], first["seed"]) == (PLAYER, "greedy", 9)
    assert first["command"].startswith(f"python -m ai.calibration {PLAYER} greedy")


def test_what_a_single_deal_cannot_tell_is_null_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "figures.jsonl"
    assert main([PLAYER, "greedy", "--decisions", "1", "--json", str(file)]) == 0

    def refuse(name: str) -> None:
        raise AssertionError(name)

    told = json.loads(file.read_text(), parse_constant=refuse)
    assert told["error"]["margin"] is None


def test_the_constants_are_fitted_where_there_are_enough_decisions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([PLAYER, "greedy", "--decisions", "300", "--fit"]) == 0
    assert "EACH_DRAW = Correction(" in capsys.readouterr().out
    assert main([PLAYER, "greedy", "--decisions", "40", "--fit"]) == 2
    assert "no higher chance" in capsys.readouterr().err
    assert main([PLAYER, "greedy", "--decisions", "1", "--fit"]) == 2
    assert "too few decisions" in capsys.readouterr().err


@pytest.mark.parametrize("names", [["greedy"], ["textbook-10"], ["level-6"], ["guided-0"], ["level-1", "nobody"]])
def test_players_that_do_not_exist_or_tell_nothing_are_refused(
    names: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*names, "--decisions", "5"]) == 2
    assert capsys.readouterr().err


@pytest.mark.parametrize("options", [["--decisions", "0"], ["--threads", "0"], ["--json", "/"], ["--plot", "x.png"]])
def test_impossible_options_are_refused(options: list[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(options)
    assert exit_.value.code == 2
