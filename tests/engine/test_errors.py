"""The tree of errors: what they are, and that each defends a clause."""

from __future__ import annotations

import re

import pytest

from engine import errors
from engine.errors import CrispsError, HistoryFault, IllegalAction, InconsistentPosition


def all_errors(error: type[CrispsError]) -> set[type[CrispsError]]:
    return {error}.union(*(all_errors(child) for child in error.__subclasses__()))


def test_the_docstring_draws_the_whole_tree() -> None:
    assert errors.__doc__ is not None
    drawn = re.findall(r"^([ │├└─]*)(\w+)(?: |$)", errors.__doc__.split("\n\n", 1)[1], re.MULTILINE)
    assert {name for _, name in drawn} == {error.__name__ for error in all_errors(CrispsError)}
    path: list[str] = []
    for lines, name in drawn:
        depth = len(lines) // 4
        path[depth:] = [name]
        error = getattr(errors, name)
        assert error.__name__ == name
        assert depth == 0 or error.__bases__ == (getattr(errors, path[depth - 1]),)


@pytest.mark.parametrize("error", sorted(all_errors(IllegalAction) - {IllegalAction}, key=str))
def test_every_refusal_names_the_clause_that_it_defends(error: type[CrispsError]) -> None:
    assert re.fullmatch(r"R\d+", error("why").clause)
    assert error("why", "R1").clause == "R1"
    assert error("why").detail == "why" == str(error("why"))


def test_an_inconsistent_position_lists_its_faults() -> None:
    error = InconsistentPosition([("hand", "empty"), ("played", "too many")])
    assert error.faults == [("hand", "empty"), ("played", "too many")]
    assert str(error) == "hand: empty; played: too many"


def test_a_fault_of_the_history_tells_the_place_of_the_event() -> None:
    error = HistoryFault(3, "out of turn")
    assert (error.index, error.faults) == (3, [("history/3", "out of turn")])
