"""Deals verify together as a game, in each form that they come in; deals that do not make one game are refused."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from engine.rules import Rules
from service import verify
from service.verify import RecordError
from tests.recorded import ALL_RULES, game_of, play_a_game, rules_id

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("rules", ALL_RULES, ids=rules_id)
def test_a_whole_game_verifies_as_an_object_and_as_lines(rules: Rules) -> None:
    deals = list(game_of(rules))
    about = {"id": "game-1", "rules": deals[0]["rules"], "winner": deals[-1]["winner"]}
    for document in ({**about, "deals": deals}, [about, *deals], deals):
        assert list(verify.verify(document))[-1].startswith(f"game: {len(deals)} deals make one game")


def wrong_games() -> dict[str, Callable[[list[dict[str, Any]]], object]]:
    return {
        "a deal is missing": lambda deals: [deals[0], *deals[2:]],
        "the first deal is missing": lambda deals: deals[1:],
        "a deal comes twice": lambda deals: [deals[0], *deals],
        "deals in another order": lambda deals: [deals[1], deals[0], *deals[2:]],
        "a deal of another game": lambda deals: [deals[0], {**deals[1], "game": "game-2"}, *deals[2:]],
        "another winner": lambda deals: {"winner": 1 - deals[-1]["winner"], "deals": deals},
        "another first leader": lambda deals: {"first_leader": 1 - deals[0]["starter"], "deals": deals},
        "other rules": lambda deals: [{"rules": {**deals[0]["rules"], "points_to_win": 1}}, *map(without_rules, deals)],
        "a wrong score": lambda deals: {"seats": [{"score": 9}, {"score": 9}], "deals": deals},
        "a deal before was cut short": lambda deals: [play_a_game(Rules(), 1, resign_after=3)[0], *deals[1:]],
        "a wrong deal inside": lambda deals: [*deals[:-1], {**deals[-1], "client_seed": "other"}],
    }


def without_rules(deal: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in deal.items() if name != "rules"}


@pytest.mark.parametrize("what", wrong_games())
def test_deals_that_do_not_make_one_game_are_refused(what: str) -> None:
    deals = [copy.deepcopy(deal) for deal in game_of(Rules())]
    with pytest.raises(RecordError):
        list(verify.verify(wrong_games()[what](deals)))
