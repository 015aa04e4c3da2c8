"""Certain wins: what is called certain wins against every hand and every reply, and a slow twin finds no more."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ai.baselines import now
from ai.certain import MOST_CARDS, certain_play, whole_hand
from ai.determinization import determinize, information_set
from ai.tables import action_of, tables, thermometer
from ai.world import NOTHING, WORLD, world_of
from engine.actions import PASS, Play
from engine.cards import FULL_DECK, Hand
from engine.combinations import CATALOGUE, Combination, can_follow
from engine.deal import MAX_DRAWS, Deal, Phase
from engine.observation import Observation
from engine.rules import Rules
from tests.ai.moments import deal_of, decisions, endgame, mover, scaled

T = tables()


def certain(seen: Observation) -> Play | None:
    world = np.zeros(WORLD, dtype=np.int64)
    determinize(information_set(seen), world, 1)
    slot = certain_play(T, world)
    if slot == NOTHING:
        return None
    action = action_of(slot)
    assert isinstance(action, Play)
    return action


def late(deals: int) -> list[Deal]:
    """Decisions after the last draw, and the last ones before it."""
    found = [deal for deal in decisions(range(deals)) if deal.phase is Phase.PLAY and deal.draws >= MAX_DRAWS - 1]
    assert found
    return found


def plays_of(seen: Observation, hand: Hand, to_follow: Combination | None) -> list[Combination]:
    most = len(CATALOGUE) if seen.now.rules.crisps_in_runs else 104
    fits = [one for one in CATALOGUE[:most] if one.cards.common(hand) == one.cards]
    return fits if to_follow is None else [one for one in fits if can_follow(to_follow, one)]


def is_answerable(seen: Observation, play: Combination) -> bool:
    """Whether some hand could follow, found by trying to put every combination together."""
    most = len(CATALOGUE) if seen.now.rules.crisps_in_runs else 104
    free = seen.opponent_hand_size - seen.opponent_known.size
    for reply in CATALOGUE[:most]:
        if can_follow(play, reply):
            missing = reply.cards - reply.cards.common(seen.opponent_known)
            if missing.size <= free and missing.common(seen.unseen()) == missing:
                return True
    return False


def runs_out(seen: Observation, hand: Hand, to_follow: Combination | None) -> bool:
    """Whether the hand can be played to its end, nobody being able to answer before the last play."""
    plays = plays_of(seen, hand, to_follow)
    if any(play.cards == hand for play in plays):
        return True
    if seen.now.draw_pile or seen.now.face_up is not None:
        return False
    return any(runs_out(seen, hand - play.cards, None) for play in plays if not is_answerable(seen, play))


def test_a_slow_twin_finds_the_same_wins_and_no_more() -> None:
    found = 0
    for deal in late(scaled(60, 6)):
        seen = mover(deal)
        if seen.hand.size <= min(MOST_CARDS, 8):
            expected = runs_out(seen, seen.hand, seen.now.to_follow)
            assert (certain(seen) is not None) == expected
            found += expected
    assert found > 0


def test_whole_hands_are_the_combinations_of_the_catalogue() -> None:
    rng = random.Random(3)
    hands = [play.cards for play in CATALOGUE] + [
        Hand.of(sorted(rng.sample([rank for rank in range(10) for _ in range(4)], rng.randint(1, 8))))
        for _ in range(scaled(3000, 300))
    ]
    worlds = [world_of(Deal.start(rules, tuple(FULL_DECK), 0)) for rules in (Rules(), Rules(crisps_in_runs=True))]
    for number, hand in enumerate(hands):
        plays = [play for play in CATALOGUE[: (104, 121)[number % 2]] if play.cards == hand]
        found = whole_hand(T, worlds[number % 2], thermometer(hand))
        assert (found == NOTHING) == (not plays)
        assert found == NOTHING or action_of(found) == Play(plays[0])


def test_what_is_certain_wins_against_every_reply_of_any_hand() -> None:
    rng = random.Random(4)
    tried = 0
    for deal in late(scaled(80, 8)):
        if certain(mover(deal)) is None:
            continue
        for _ in range(3):
            world = np.zeros(WORLD, dtype=np.int64)
            determinize(information_set(mover(deal)), world, rng.getrandbits(40))
            assert wins(deal_of(world, mover(deal).now), rng)
            tried += 1
    assert tried > 0


def wins(deal: Deal, rng: random.Random) -> bool:
    seat = deal.to_act
    while (turn := deal.to_act) is not None:
        if turn == seat:
            play = certain(now(deal))
            assert play is not None, "a certain win stays certain"
            deal, _ = deal.apply(turn, play)
        else:
            deal, _ = deal.apply(turn, rng.choice(list(deal.legal_actions())))
    return deal.winner == seat


@pytest.mark.parametrize(
    ("own", "others", "to_follow", "is_certain"),
    [
        ("5-5-5", "1-2-3-4", "", True),  # the last cards
        ("C-C-C-C-1", "1-2-3-4-5", "", True),  # nothing follows four Crisps
        ("C-1", "2-3-4-5-6", "", False),  # a triple may follow a Crisp
        ("1-9-9", "2-3-4", "8-8", False),
        ("1-2", "5-6-7", "", False),
    ],
)
def test_what_can_be_answered_is_not_certain(own: str, others: str, to_follow: str, *, is_certain: bool) -> None:
    assert (certain(now(endgame(own, others, to_follow=to_follow))) is not None) == is_certain


def test_draw_choices_are_left_alone_and_long_hands_but_for_one_play() -> None:
    for deal in decisions(range(scaled(10, 2))):
        world, hand = world_of(deal), mover(deal).hand
        if deal.phase is Phase.DRAW:
            assert certain_play(T, world) == NOTHING
        elif hand.size > MOST_CARDS:
            assert certain_play(T, world) == whole_hand(T, world, thermometer(hand))


def test_a_pass_is_never_certain() -> None:
    slots = {certain_play(T, world_of(deal)) for deal in late(scaled(30, 3))} - {NOTHING}
    assert PASS not in {action_of(slot) for slot in slots}
