"""The table option crisps_in_runs (R28)."""

from __future__ import annotations

import pytest

from engine.actions import ACTIONS
from engine.deal import Deal
from engine.errors import NotACombination
from engine.notation import action_text, play_of
from engine.rules import Rules
from tests.engine.dealing import act, deck_with, some_deal

RUNS = Rules(crisps_in_runs=True)
DECK = deck_with("7 8 8 9 9 C C 1 1 2 2 3", "4 4 4 5 5 5 5 8 9 C C 3")


def plays_of(deal: Deal) -> set[str]:
    return {action_text(action) for action in deal.legal_actions()}


def test_R28_the_crisp_is_the_rank_above_the_ninth_in_sequences_and_stairs() -> None:
    with_option = plays_of(Deal.start(RUNS, DECK, 0))
    without = plays_of(Deal.start(Rules(), DECK, 0))
    assert with_option - without == {"7-8-9-C", "8-9-C", "9-9-C-C", "8-8-9-9-C-C"}
    assert without < with_option


def test_R28_a_run_that_contains_a_crisp_may_be_followed_by_any_special() -> None:
    after, _ = act(Deal.start(RUNS, DECK, 0), "8-9-C")
    assert plays_of(after) == {"8-9-C", "4-4-4", "5-5-5", "5-5-5-5", "pass"}


def test_R28_a_run_below_the_crisp_may_not_be_followed_by_a_special() -> None:
    after, _ = act(Deal.start(RUNS, DECK, 0), "7-8-9")
    assert plays_of(after) == {"8-9-C", "pass"}


@pytest.mark.parametrize("text", ["C-1-2", "9-C-1", "C-C-1-1", "8-C-C", "7-9-C"])
def test_R28_the_crisp_does_not_wrap_or_stand_in_for_another_rank(text: str) -> None:
    with pytest.raises(NotACombination):
        play_of(text, crisps_in_runs=True)


def test_R28_without_the_option_no_action_above_106_is_ever_legal() -> None:
    for seed in range(24):
        for deal, _ in some_deal(seed, Rules()):
            assert not any(action in ACTIONS[107:] for action in deal.legal_actions())
