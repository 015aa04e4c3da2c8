"""What holds at every moment of every deal, over all option combinations.

CRISPS_LAW_DEALS sets the number of deals (default 300).
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator

import pytest

from engine.actions import ACTIONS, Draw, index_of
from engine.cards import FULL_DECK, Hand
from engine.deal import Deal, Phase
from engine.errors import CrispsError
from engine.events import Dealt, Drew, Passed, Played
from engine.history import replay
from engine.observation import redact, view_deal
from tests.engine.dealing import some_deal

DEALS = int(os.environ.get("CRISPS_LAW_DEALS", "300"))
PARTS = 6


def deals(part: int) -> Iterator[tuple[list[Deal], list[int]]]:
    """Each deal's moments, and the numbers of the actions between them."""
    for seed in range(1000 + part, 1000 + DEALS, PARTS):
        course = list(some_deal(seed))
        yield [deal for deal, _ in course], [index_of(action) for _, action in course if action is not None]


every_part = pytest.mark.parametrize("part", range(PARTS))


@every_part
def test_forty_cards_are_conserved_and_each_is_in_one_place(part: int) -> None:
    for moments, _ in deals(part):
        for deal in moments:
            face_up = () if deal.face_up is None else (deal.face_up,)
            everywhere = [*deal.hands[0], *deal.hands[1], *deal.played, *deal.set_aside, *face_up, *deal.draw_pile]
            assert len(everywhere) == 40
            assert Hand.of(everywhere) == FULL_DECK
            assert all(deal.hands[seat].contains(deal.known[seat]) for seat in (0, 1))
            assert deal.known[0].size + deal.known[1].size <= deal.draws


@every_part
def test_an_action_is_legal_exactly_if_it_can_be_applied_and_failure_changes_nothing(part: int) -> None:
    for moments, _ in deals(part):
        for deal in moments[::6]:
            legal = list(deal.legal_actions())
            before = (hash(deal), repr(deal))
            for action in ACTIONS:
                for seat in (0, 1):
                    if seat == deal.to_act and action in legal:
                        after, events = deal.apply(seat, action)
                        assert after.history == (*deal.history, index_of(action))
                        assert events
                    else:
                        with pytest.raises(CrispsError):
                            deal.apply(seat, action)
            assert (hash(deal), repr(deal)) == before
            assert bool(legal) == (deal.to_act is not None)


@every_part
def test_R19_bounds_of_draws_turns_and_hands_hold_and_a_deal_ends(part: int) -> None:
    for moments, numbers in deals(part):
        last = moments[-1]
        assert (last.phase, last.to_act) == (Phase.FINISHED, None)
        assert last.winner is not None
        assert not last.hands[last.winner]
        assert last.draws <= 6
        turns = [event for event in last.events() if isinstance(event, Played | Passed)]
        assert len(turns) <= 68
        assert sum(isinstance(ACTIONS[number], Draw) for number in numbers) <= 6
        assert max(hand.size for deal in moments for hand in deal.hands) <= 18


@every_part
def test_the_events_told_again_are_those_that_happened(part: int) -> None:
    for moments, numbers in deals(part):
        told: tuple[object, ...] = (moments[0].dealt(),)
        for deal, number in zip(moments, numbers, strict=False):
            assert deal.events() == told
            assert deal.to_act is not None
            told += deal.apply(deal.to_act, ACTIONS[number])[1]
        assert moments[-1].events() == told


@every_part
def test_R25_redacted_events_never_show_a_hidden_card(part: int) -> None:
    for moments, _ in deals(part):
        for event in moments[-1].events():
            for viewer in (0, 1, None):
                seen = redact(event, viewer)
                assert redact(seen, viewer) == seen
                if isinstance(seen, Dealt):
                    assert all((seen.hands[seat] is None) == (seat != viewer) for seat in (0, 1))
                elif isinstance(seen, Drew):
                    assert all((seen.drawn[seat] is None) == (seat not in {viewer, seen.taker}) for seat in (0, 1))
                else:
                    assert seen == event


@every_part
def test_events_applied_to_nothing_but_themselves_give_the_view(part: int) -> None:
    for moments, _ in deals(part):
        for deal in moments[:: len(moments) // 4 + 1]:
            for viewer in (0, 1, None):
                events = [redact(event, viewer) for event in deal.events()]
                assert replay(deal.rules, viewer, events) == view_deal(deal, viewer)


@every_part
def test_R17_the_leader_of_a_round_is_the_seat_that_did_not_end_the_one_before(part: int) -> None:
    for moments, _ in deals(part):
        for before, after in itertools.pairwise(moments):
            if after.round.number > before.round.number and before.phase is Phase.PLAY:
                passed = [event for event in after.events() if isinstance(event, Passed)]
                assert after.round.leader == 1 - passed[-1].seat
