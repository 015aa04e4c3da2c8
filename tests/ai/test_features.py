"""The rows that are on for a decision, against a slow reading of the observation itself."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from ai import features as f
from ai.tables import IntArray, slot_of
from ai.world import world_of
from engine.actions import ACTIONS, Action, Draw, Play, Source, index_of
from engine.cards import RANKS, Hand
from engine.combinations import CATALOGUE, Combination, Kind, followers
from engine.events import Passed, Played
from engine.observation import Observation
from tests.ai.moments import T, decisions, mover, scaled, twin_of
from tests.engine.dealing import some_deal

R = f.rows_of_slots()
KINDS = list(Kind)


def rows(world: IntArray, memory: IntArray, action: Action) -> list[int]:
    room = np.zeros(f.MOST_ROWS, dtype=np.int64)
    count = f.decision_rows(T, R, world, memory, slot_of(action), room)
    return [int(row) for row in room[:count]]


def counted(block: int, cards: Hand) -> set[int]:
    return {block + 4 * rank + n for rank in range(RANKS) for n in range(cards.count(rank))}


def left_by(seen: Observation, action: Action) -> tuple[Hand, Hand, Hand]:
    own, known, others = seen.hand, seen.own_known, seen.opponent_known
    match action:
        case Play(combination):
            return own - combination.cards, known - known.common(combination.cards), others
        case Draw(source):
            assert seen.now.face_up is not None
            if source is Source.FACE_UP:
                return own.plus_rank(seen.now.face_up), known.plus_rank(seen.now.face_up), others
            return own, known, others.plus_rank(seen.now.face_up)
        case _:
            return own, known, others


def answers(seen: Observation, combination: Combination) -> int:
    cards = seen.unseen() + seen.opponent_known
    room = seen.opponent_hand_size
    options = followers(combination, crisps_in_runs=seen.now.rules.crisps_in_runs)
    return sum(cards.contains(c.cards) and c.size <= room for c in options)


def passed_on(seen: Observation) -> dict[tuple[int, Kind], int]:
    found: dict[tuple[int, Kind], int] = {}
    events = seen.events or ()
    for before, event in pairwise(events):
        if isinstance(event, Passed) and not event.automatic:
            assert isinstance(before, Played)
            if not before.combination.is_special:
                found[event.seat, before.combination.kind] = before.combination.index
    return found


def naive_rows(seen: Observation, action: Action) -> set[int]:
    now, rules = seen.now, seen.now.rules
    own, known, others = left_by(seen, action)
    made = counted(f.OWN_HAND, own) | counted(f.OWN_KNOWN, known) | counted(f.OTHER_KNOWN, others)
    made |= counted(f.UNSEEN, seen.unseen())
    made |= {f.OTHER_SIZE + seen.opponent_hand_size, f.OWN_SIZE + own.size, f.ALWAYS}
    made.add(f.LIES + (RANKS if now.face_up is None else now.face_up))
    made.add(f.DRAWS_MADE + (12 - now.draw_pile - (now.face_up is not None)) // 2)
    made.add(f.FOLLOWS + (len(CATALOGUE) if now.to_follow is None else now.to_follow.index))
    flags = (rules.crisps_in_runs, rules.no_face_up_draw, rules.automatic_turn_skip)
    made |= {f.OPTIONS + place for place, flag in enumerate(flags) if flag}
    for (seat, _), index in passed_on(seen).items():
        made.add((f.OWN_PASSED if seat == seen.seat else f.OTHER_PASSED) + index)
    made.add(f.ACTION + index_of(action))
    if isinstance(action, Play):
        combination = action.combination
        made |= {f.TOP + combination.rank, f.KIND + KINDS.index(combination.kind)}
        made.add(f.ANSWERS + min(answers(seen, combination), 5))
    return made


def test_the_rows_are_those_that_the_observation_tells() -> None:
    for deal in decisions(range(scaled(40, 2))):
        seen = mover(deal)
        memory = f.memory_of(seen)
        for action in seen.legal_actions():
            on = rows(world_of(deal), memory, action)
            assert len(on) == len(set(on))
            assert set(on) == naive_rows(seen, action)


def test_no_row_depends_on_a_card_that_the_seat_cannot_see() -> None:
    rng, differing = random.Random(3), 0
    for deal in decisions(range(scaled(40, 2))):
        seen = mover(deal)
        action = rng.choice(list(seen.legal_actions()))
        memory, twin = f.memory_of(seen), twin_of(deal, rng)
        differing += twin.hands != deal.hands
        assert rows(world_of(deal), memory, action) == rows(world_of(twin), memory, action)
    assert differing


def test_memory_kept_on_the_way_is_memory_read_from_the_events() -> None:
    kept = np.zeros(2, dtype=np.int64)
    remembered = 0
    for seed in range(scaled(60, 3)):
        kept[:] = 0
        for deal, action in some_deal(seed):
            if action is not None:
                assert kept.tolist() == f.memory_of(mover(deal)).tolist()
                remembered += int(kept.any())
                f.remember(R, world_of(deal), kept, slot_of(action))
    assert remembered > 20


def test_a_position_without_a_past_has_an_empty_memory() -> None:
    for deal in decisions(range(4)):
        assert not f.memory_of(replace(mover(deal), events=None)).any()


@pytest.mark.parametrize("place", range(len(ACTIONS)))
def test_every_action_has_a_row_of_its_own(place: int) -> None:
    assert int(R.action[slot_of(ACTIONS[place])]) == f.ACTION + place
