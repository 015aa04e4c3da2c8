"""Proven wins: a slow prover finds the same ones, and the strongest level never lets one go."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest

from ai.advice import some_world
from ai.baselines import now
from ai.certain import certain_play
from ai.determinization import determinize, information_set
from ai.policy import LEVELS, Level, choose_action
from ai.proof import MOST_TRIED, proven_action
from ai.tables import action_of, tables
from ai.world import NOTHING
from engine.actions import Action, Play
from engine.cards import Hand
from engine.deal import Deal
from engine.observation import Observation
from engine.rules import Rules
from tests.ai.moments import endgame, mover, scaled
from tests.ai.proving import Prover, TooLong, knowledge_of, proven_wins, wins_against
from tests.ai.self_play import late_decisions
from tests.engine.dealing import ALL_RULES

PROVEN = int(os.environ.get("CRISPS_PROVEN_WINS", "12"))
"""How many positions with a proven win the strongest level is asked about."""

PATIENCE = 3_000


def found(seen: Observation, most: int = MOST_TRIED) -> Action | None:
    slot = proven_action(tables(), some_world(information_set(seen)), most)
    return None if slot == NOTHING else action_of(slot)


def decided(deals: range, rules: Rules | None = None) -> Iterator[tuple[Deal, list[Action]]]:
    """Choices after the last draw and the actions that are proven to win there, where the prover has the patience."""
    for deal in late_decisions(deals, rules):
        try:
            yield deal, proven_wins(mover(deal), PATIENCE)
        except TooLong:
            continue


def choices(wanted: int, first: int = 0) -> Iterator[tuple[Deal, list[Action]]]:
    """So many choices, of every option combination, of which some but not all actions are proven to win."""
    number, left = first, wanted
    while left:
        for deal, wins in decided(range(number, number + 1), ALL_RULES[number % 8]):
            if left and 0 < len(wins) < len(deal.legal_actions()):
                left -= 1
                yield deal, wins
        number += 1


def is_found_at_once(seen: Observation) -> bool:
    return certain_play(tables(), some_world(information_set(seen))) != NOTHING


def test_the_slow_prover_finds_the_same_wins_and_no_more() -> None:
    verdicts, proven, knowing = set(), 0, 0
    for number in range(8):
        for deal, wins in decided(range(number, number + 1), ALL_RULES[number]):
            seen = mover(deal)
            action = found(seen)
            assert action in wins if wins else action is None
            verdicts.add(bool(wins))
            if wins and not is_found_at_once(seen):
                proven += 1
                knowing += bool(seen.opponent_known)
    assert verdicts == {True, False}
    assert proven > knowing > 0


def test_of_the_other_hand_only_the_size_is_read() -> None:
    proven, rng = 0, random.Random(3)
    for deal in late_decisions(range(scaled(20, 4))):
        seen = mover(deal)
        if not is_found_at_once(seen) and (action := found(seen)):
            known, world = information_set(seen), some_world(information_set(seen))
            for _ in range(3):
                determinize(known, world, rng.getrandbits(60))
                assert action_of(proven_action(tables(), world, MOST_TRIED)) == action
            proven += 1
    assert proven


def test_many_cards_are_played_at_once() -> None:
    deal = endgame("2-2-3-3-4-4-5-5-6-6-7-7", "8", to_follow="1-1-2-2-3-3-4-4-5-5-6-6")
    action = found(mover(deal))
    assert isinstance(action, Play)
    assert action.combination.cards == deal.hands[0]


def test_pools_stand_for_the_hands_that_they_allow() -> None:
    verdicts = set()
    for deal, wins in decided(range(5)):
        knows = knowledge_of(mover(deal))
        if knows.own.size + knows.size <= 8 and knows.size <= 4:
            prover = Prover(deal.rules.crisps_in_runs)
            hands = frozenset(knows.hands())
            assert deal.hands[1 - (deal.to_act or 0)] in hands
            assert wins_against(knows, hands, deal.round.to_follow, prover) == bool(wins)
            verdicts.add(bool(wins))
    assert verdicts == {True, False}


@pytest.mark.jit
@pytest.mark.parametrize(("number", "place"), [(662, 1), (1039, 5), (1091, 1), (326, 3)])
def test_a_win_with_many_answers_is_found(number: int, place: int) -> None:
    """Plain depth-first search took more than 30,000 decisions for each."""
    rules = ALL_RULES[number % 8]
    seen = mover(next(islice(late_decisions(range(number, number + 1), rules), place, None)))
    wins = proven_wins(seen)
    assert found(seen) in wins
    few = [found(seen, most) for most in range(0, MOST_TRIED, 100)]
    least = few.index(found(seen))
    assert few == [None] * least + [found(seen)] * (len(few) - least)
    assert least > 0


@pytest.mark.jit
@pytest.mark.timeout(120 + 3 * PROVEN)
def test_the_strongest_level_wins_whenever_a_win_is_proven() -> None:
    level = LEVELS[max(LEVELS)]
    missed, unanswerable, uncertain = [], 0, 0
    for number, (deal, wins) in enumerate(choices(PROVEN)):
        unanswerable += is_found_at_once(mover(deal))
        choice = choose_action(mover(deal), level, number)
        uncertain += choice.result.win_probability != 1.0
        if choice.action not in wins:
            missed.append((mover(deal), choice.action, wins))
    told = f"{unanswerable} by plays without an answer; {uncertain} not told as certain, {len(missed)} missed"
    print(f"{PROVEN} proven wins, {told}")  # noqa: T201
    assert not missed
    assert not uncertain


@pytest.mark.jit
@pytest.mark.timeout(120 + PROVEN)
def test_a_proven_win_is_played_to_its_end_against_any_hand_that_answers_at_random() -> None:
    rng, level = random.Random(8), LEVELS[max(LEVELS)]
    for deal, _ in choices(max(1, PROVEN // 4), first=500):
        seen = mover(deal)
        hands = sorted(knowledge_of(seen).hands(), key=lambda hand: hand.packed)
        for hand in rng.sample(hands, min(2, len(hands))):
            assert wins_through(with_other_hand(deal, hand), rng, level)


def with_other_hand(deal: Deal, hand: Hand) -> Deal:
    hands = (deal.hands[0], hand) if deal.to_act == 0 else (hand, deal.hands[1])
    return replace(deal, hands=hands, history=())


def wins_through(deal: Deal, rng: random.Random, level: Level) -> bool:
    seat = deal.to_act
    while deal.to_act is not None:
        if deal.to_act == seat:
            action = choose_action(now(deal), level, 1).action
        else:
            action = rng.choice(list(deal.legal_actions()))
        deal, _ = deal.apply(deal.to_act, action)
    return deal.winner == seat
