"""What the search finds where the right answer is known."""

from __future__ import annotations

import pytest

from ai.baselines import baseline
from ai.policy import Budget, search
from engine.actions import DRAW_FACE_UP, DRAW_PILE, Play
from engine.deal import Deal, Phase
from engine.notation import action_of
from engine.rules import Rules
from tests.ai.moments import decisions, endgame, mover, scaled
from tests.ai.naive import winning_actions

ENDGAMES = [
    ("9-9-2", "8-8-1", ""),
    ("3-7-7", "5-5-9", ""),
    ("1-4-4-8", "6-6-9", ""),
    ("2-3-4-9", "5-5-C", ""),
    ("6-6-9", "2-2-7", "2-2"),
    ("5-5-5-1", "9-8-8", "C"),
    ("1-2-2-9", "C-3-3", "1"),
]


@pytest.mark.parametrize(("own", "others", "to_follow"), ENDGAMES)
def test_a_clairvoyant_finds_a_forced_win_where_there_is_one(own: str, others: str, to_follow: str) -> None:
    deal = endgame(own, others, to_follow=to_follow)
    winning = winning_actions(deal)
    chosen = baseline(f"clairvoyant-{scaled(20_000, 2000)}")(deal, 5)
    assert not winning or chosen in winning


def test_the_endgames_are_neither_all_won_nor_all_lost() -> None:
    found = [winning_actions(endgame(own, others, to_follow=follow)) for own, others, follow in ENDGAMES]
    actions = [len(endgame(own, others, to_follow=follow).legal_actions()) for own, others, follow in ENDGAMES]
    assert any(found)
    assert any(0 < len(winning) < count for winning, count in zip(found, actions, strict=True))


@pytest.mark.parametrize(
    ("own", "rules"),
    [("7-7-7", Rules()), ("2-2-3-3", Rules()), ("8-9-C", Rules(crisps_in_runs=True))],
)
def test_R20_the_last_cards_are_played_when_they_can_be(own: str, rules: Rules) -> None:
    result = search(mover(endgame(own, "1-1-2-2-9", rules)), Budget(simulations=400), seed=2)
    assert result.best == action_of(own, crisps_in_runs=True)
    assert result.win_probability == 1.0


def test_R20_following_with_the_last_cards_wins() -> None:
    result = search(mover(endgame("4-4", "9", to_follow="3-3")), Budget(simulations=200), seed=2)
    assert result.best == action_of("4-4")
    assert result.win_probability == 1.0


def test_R18_both_draws_are_weighed() -> None:
    deal: Deal = next(deal for deal in decisions(range(8)) if deal.phase is Phase.DRAW)
    result = search(mover(deal), Budget(simulations=300), seed=1)
    assert {value.action for value in result.actions} == {DRAW_FACE_UP, DRAW_PILE}
    assert all(value.visits >= 20 for value in result.actions)


@pytest.mark.parametrize(("low", "high"), [("3", "7"), ("5", "6"), ("1", "8")])
def test_hidden_cards_are_weighed_by_their_chances(low: str, high: str) -> None:
    # The other seat holds one of five unseen cards and wins with it exactly when it follows the card that is led.
    deal = endgame(f"{low}-{high}", "4")
    seen = mover(deal)
    assert seen.unseen().size == 5
    result = search(seen, Budget(simulations=scaled(20_000, 1500)), seed=3)
    for value in result.actions:
        assert isinstance(value.action, Play)
        led = value.action.combination.rank
        exact = sum(rank < led for rank in seen.unseen()) / 5
        assert value.average == pytest.approx(exact, abs=0.06)


def test_a_proven_loss_is_told_as_one() -> None:
    result = search(mover(endgame("1-3", "9")), Budget(simulations=scaled(20_000, 1500)), seed=3)
    assert result.win_probability < 0.06
