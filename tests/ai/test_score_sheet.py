"""Scores of pairs in a file: an interruption loses at most a few pairs, and nothing that is not ours is touched."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ai import calibration, curve, ladder
from ai.arguments import rules_of
from ai.json_lines import LinesInUse, UnreadableLines, add_line, kept
from ai.origin import Origin
from ai.pairs import Entrant, play_pairs
from ai.score_sheet import LINE_PAIRS, Pairing, ScoreSheet

ORIGIN = Origin("python -m something", "0123abcd", "2026-01-01T00:00:00Z")
PAIRING = Pairing("greedy", "random", ("crisps_in_runs",), 4)


def quiet(_more: int) -> None:
    pass


def play(sheet: ScoreSheet, pairs: int, pairing: Pairing = PAIRING) -> list[int]:
    told: list[int] = []
    sheet.play(pairing, pairs, 1, ORIGIN, told.append)
    return told


def test_a_sheet_holds_what_the_arena_would_play(tmp_path: Path) -> None:
    sheet = ScoreSheet.open(tmp_path / "sheet.jsonl")
    assert sum(play(sheet, 20)) == 20
    alone = play_pairs(Entrant("greedy"), Entrant("random"), rules_of(("crisps_in_runs",)), 20, 4)
    assert sheet.score(PAIRING, 20).pairs == tuple(alone)
    assert sheet.commits_of({PAIRING: 20}) == "0123abcd"


def test_only_commits_of_pairs_that_are_used_are_told(tmp_path: Path) -> None:
    sheet = ScoreSheet.open(tmp_path / "sheet.jsonl")
    for commit, pairing, pairs in (
        ("first", PAIRING, 4),
        ("second", PAIRING, 6),
        ("third", replace(PAIRING, seed=5), 2),
    ):
        sheet.play(pairing, pairs, 1, replace(ORIGIN, commit=commit), quiet)
    assert sheet.commits_of({PAIRING: 4}) == "first"
    assert sheet.commits_of({PAIRING: 6}) == "first, second"
    assert sheet.commits_of({PAIRING: 4, replace(PAIRING, seed=5): 2}) == "first, third"


def test_a_line_begins_on_a_line_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    add_line(file, "{}\n")
    add_line(file, "{}\n")
    assert file.read_text() == "{}\n{}\n"
    file.write_text("{}\ntorn")
    add_line(file, "{}\n")
    assert file.read_text() == "{}\ntorn\n{}\n"


def test_two_measurements_do_not_share_a_file(tmp_path: Path) -> None:
    file = tmp_path / "sheet.jsonl"
    with kept(file), pytest.raises(LinesInUse, match=str(file)), kept(file):
        pass
    with kept(file):
        assert sum(play(ScoreSheet.open(file), 2)) == 2


@pytest.mark.parametrize("main", [calibration.main, curve.main, ladder.main])
def test_a_command_refuses_a_file_that_another_one_is_adding_to(
    main: Callable[[list[str]], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "sheet.jsonl"
    with kept(file):
        assert main(["--file", str(file)]) == 2
    assert f"{file} is in use" in capsys.readouterr().err
    assert file.read_bytes() == b""


@pytest.mark.parametrize("torn", [0, 1, 30, 200])
def test_an_interrupted_sheet_carries_on_where_it_was(tmp_path: Path, torn: int) -> None:
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    play(ScoreSheet.open(whole), 3 * LINE_PAIRS)
    lines = whole.read_bytes().splitlines(keepends=True)
    cut.write_bytes(lines[0] + lines[1][:torn])
    sheet = ScoreSheet.open(cut)
    assert sheet.missing(PAIRING, 3 * LINE_PAIRS) == 2 * LINE_PAIRS
    assert sum(play(sheet, 3 * LINE_PAIRS)) == 2 * LINE_PAIRS
    assert cut.read_bytes() == whole.read_bytes()


def test_more_pairs_use_those_that_are_there_and_fewer_play_nothing(tmp_path: Path) -> None:
    file = tmp_path / "sheet.jsonl"
    play(ScoreSheet.open(file), 10)
    sheet = ScoreSheet.open(file)
    assert play(sheet, 6) == []
    assert len(sheet.score(PAIRING, 6).pairs) == 6
    assert sum(play(sheet, 13)) == 3
    assert ScoreSheet.open(file).scores == sheet.scores


def test_other_rules_and_seeds_are_other_scores(tmp_path: Path) -> None:
    file = tmp_path / "sheet.jsonl"
    sheet = ScoreSheet.open(file)
    others = [Pairing("greedy", "random", (), 4), Pairing("greedy", "random", ("crisps_in_runs",), 5)]
    for pairing in (PAIRING, *others):
        assert sum(play(sheet, 2, pairing)) == 2
    assert ScoreSheet.open(file).scores == sheet.scores
    assert len(sheet.scores) == 3


@pytest.mark.parametrize(
    "text",
    [
        "something else",
        "something else\n",
        "[]\n",
        "{}\n",
        json.dumps({"first": "a", "second": "b", "rules": [], "seed": 1, "begin": 1, "scores": [1], "commit": ""})
        + "\n",
        json.dumps({"first": "a", "second": "b", "rules": [], "seed": 1, "begin": 0, "scores": [2], "commit": ""})
        + "\n",
    ],
)
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(text)
    with pytest.raises(UnreadableLines):
        ScoreSheet.open(file)
    assert file.read_text() == text


@pytest.mark.parametrize("name", ["", "nowhere/sheet.jsonl"])
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_played(tmp_path: Path, name: str) -> None:
    with pytest.raises(OSError, match=str(tmp_path)):
        ScoreSheet.open(tmp_path / name)
