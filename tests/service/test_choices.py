"""The computer's choices in a record can be computed again, and others do not pass for them."""

from __future__ import annotations

import copy
import random
from typing import Any

import orjson
import pytest

from ai.policy import LEVELS, choose_action
from engine.observation import observe
from engine.rules import Rules
from service import hosted, views
from service.choices import ChoiceCheck
from service.hosted import SearchTrace, SeatKind, SeatSettings, Settings
from service.verify import RecordError, verify_deal
from tests.recorded import ALL_RULES, NOW, rules_id


def played_by_the_computer(rules: Rules, level: int, *, honestly: bool = True) -> dict[str, Any]:
    """The record of a deal between a person of random actions and the computer, or somebody who says to be it."""
    seats = (SeatSettings(SeatKind.HUMAN), SeatSettings(SeatKind.AI, level=level))
    chance = random.Random(level)
    settings = Settings(rules, seats, 0, deal_seeds=(chance.randbytes(32),))
    change = hosted.deal(hosted.create("game-1", settings, NOW).hosted, "", NOW)
    events = [*change.events]
    while change.ended is None:
        game, deal = change.hosted, change.hosted.game.deal
        assert deal is not None
        assert deal.to_act is not None
        action, trace = chance.choice(list(deal.legal_actions())), None
        if deal.to_act == 1:
            choice = choose_action(observe(deal, 1), LEVELS[level], game.search_seed())
            trace = SearchTrace(choice.result.simulations, game.search_seed(), level)
            action = choice.action if honestly else action
        change = hosted.act(game, deal.to_act, action, NOW, trace)
        events += change.events
    told = events[: change.ended.last - change.ended.first + 1]
    record: dict[str, Any] = orjson.loads(orjson.dumps(views.record_json(change.hosted, change.ended, told)))
    return record


def searches(record: dict[str, Any]) -> list[int]:
    return [index for index, event in enumerate(record["events"]) if "search" in event]


@pytest.mark.parametrize("rules", ALL_RULES[:8], ids=rules_id)
@pytest.mark.parametrize("level", [1, 3])
def test_every_choice_of_the_computer_is_found_again_slips_included(rules: Rules, level: int) -> None:
    record, check = played_by_the_computer(rules, level), ChoiceCheck()
    verify_deal(record, check)
    assert check.count == len(searches(record)) > 0


def test_a_seed_that_somebody_picked_is_refused() -> None:
    record = played_by_the_computer(ALL_RULES[0], 1)
    for index in searches(record):
        picked = copy.deepcopy(record)
        picked["events"][index]["search"]["seed"] ^= 1
        with pytest.raises(RecordError) as caught:
            verify_deal(picked, ChoiceCheck())
        assert caught.value.pointer == f"/events/{index}/search/seed"


def test_somebody_else_s_actions_do_not_pass_for_the_computer_s() -> None:
    record = played_by_the_computer(ALL_RULES[0], 3, honestly=False)
    verify_deal(record)
    with pytest.raises(RecordError, match=r"chooses .* there with what its seat knew"):
        verify_deal(record, ChoiceCheck())


@pytest.mark.parametrize("simulations", [0, 100_001])
def test_a_budget_that_no_search_has_is_refused(simulations: int) -> None:
    record = played_by_the_computer(ALL_RULES[0], 1)
    first = searches(record)[0]
    record["events"][first]["search"]["simulations"] = simulations
    with pytest.raises(RecordError) as caught:
        verify_deal(record, ChoiceCheck())
    assert caught.value.pointer == f"/events/{first}/search/simulations"
