"""The baselines do what they have always done."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from ai.baselines import baseline, now
from ai.budget import Budget
from ai.determinization import information_set
from ai.search import run
from ai.tables import slot_of
from engine.actions import DRAW_FACE_UP, DRAW_PILE, PASS, Action, Play
from engine.cards import CRISP
from engine.deal import Deal, Phase
from engine.errors import GameFinished
from engine.notation import action_text
from engine.rules import Rules
from tests.ai.moments import INTERPRETED, decisions, endgame, scaled, twin_of
from tests.engine.dealing import some_deal


def rules_of_thumb(deal: Deal) -> Action:
    """Greedy once more, as its description reads."""
    assert deal.to_act is not None
    hand = deal.hands[deal.to_act]
    if deal.phase is Phase.DRAW:
        assert deal.face_up is not None
        near = [rank for rank in range(deal.face_up - 1, deal.face_up + 2) if 0 <= rank <= CRISP]
        return DRAW_FACE_UP if any(hand.count(rank) for rank in near) else DRAW_PILE
    plays = [action for action in deal.legal_actions() if isinstance(action, Play)]
    last = [play for play in plays if play.combination.cards == hand]
    if last:
        return last[0]
    standard = [play for play in plays if not play.combination.is_special]
    if deal.round.to_follow is None:
        plain = [play for play in standard if not play.combination.contains_crisp]
        return min(plain or plays, key=lambda play: (-play.combination.size, play.combination.rank))
    if plays:
        return min(standard or plays, key=lambda play: play.combination.rank)
    return PASS


def test_greedy_follows_its_description_at_every_decision() -> None:
    greedy = baseline("greedy")
    for deal in decisions(range(scaled(200, 32))):
        assert greedy(deal, 0) == rules_of_thumb(deal)


@pytest.mark.parametrize(
    ("own", "to_follow", "action"),
    [
        ("1-2-3-7-7", "", "1-2-3"),  # the most cards
        ("1-2-3-5-6-7", "", "1-2-3"),  # of those the lowest rank
        ("2-5-5-5-C-C", "", "5-5"),  # neither special nor Crisps
        ("8-C", "", "8"),
        ("C-C-C", "", "C-C-C"),  # its last cards
        ("5-5-5", "", "5-5-5"),
        ("4-5-5-9", "3", "4"),
        ("4-4-9", "5", "9"),
        ("4-4-4-9", "C", "4-4-4"),  # a special, for no standard combination follows
        ("4-4-4-2-2-2-2", "C", "2-2-2"),
        ("4-4-4-C", "C", "C"),
        ("4-4", "5-5", "pass"),
        ("7-7", "5", "7"),
        ("7-7", "5-5", "7-7"),
    ],
)
def test_greedy_at_the_table(own: str, to_follow: str, action: str) -> None:
    assert action_text(baseline("greedy")(endgame(own, "1-1", to_follow=to_follow), 0)) == action


def test_R28_greedy_saves_runs_with_a_crisp_for_the_end() -> None:
    deal = endgame("1-8-9-C", "2-2", Rules(crisps_in_runs=True))
    assert action_text(baseline("greedy")(deal, 0)) == "1"


def test_random_takes_every_action_equally_often() -> None:
    player = baseline("random")
    rng = random.Random(2)
    for deal in [*decisions(range(3))][::11]:
        actions = list(deal.legal_actions())
        seen = Counter(player(deal, rng.randrange(2**53)) for _ in range(200 * len(actions)))
        assert set(seen) == set(actions)
        chi_square = sum((count - 200) ** 2 / 200 for count in seen.values())
        assert chi_square < len(actions) + 5 * (2 * len(actions)) ** 0.5


def test_textbook_takes_the_most_visited_action() -> None:
    for number, deal in enumerate(decisions(range(6))):
        if number % (40 if INTERPRETED else 8) == 0:
            tallies = run(information_set(now(deal)), Budget(simulations=200), seed=number).tallies
            chosen = tallies[slot_of(baseline("textbook-200")(deal, number))]
            assert chosen.visits == max(tally.visits for tally in tallies.values())


@pytest.mark.jit
def test_the_clairvoyant_alone_looks_at_hidden_cards() -> None:
    rng, differs = random.Random(8), Counter[str]()
    for number, deal in enumerate(decisions(range(24))):
        if number % 6 or len(deal.legal_actions()) < 3:
            continue
        twin = twin_of(deal, rng)
        for name in ("random", "greedy", "textbook-100", "clairvoyant-100"):
            differs[name] += baseline(name)(deal, number) != baseline(name)(twin, number)
    assert differs["clairvoyant-100"] > 10
    assert differs.total() == differs["clairvoyant-100"]


@pytest.mark.parametrize("name", ["", "textbook", "textbook-", "textbook-x", "greedy-3", "level-1", "clairvoyant--1"])
def test_an_unknown_baseline_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no baseline is called"):
        baseline(name)


def test_a_search_out_of_bounds_is_refused() -> None:
    with pytest.raises(ValueError, match="simulations is 1 to 100000"):
        baseline("textbook-100001")


def test_R20_nobody_acts_in_an_ended_deal() -> None:
    ended = list(some_deal(3))[-1][0]
    for name in ("random", "greedy", "textbook-5", "clairvoyant-5"):
        with pytest.raises(GameFinished):
            baseline(name)(ended, 1)
