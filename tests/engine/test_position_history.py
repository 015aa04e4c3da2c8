"""A described position with the history that led to it: each checks the other."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from engine.deal import Deal
from engine.errors import InconsistentPosition
from engine.events import Passed
from engine.observation import Observation, observe
from engine.position import observation_of
from engine.rules import Rules
from tests.engine.dealing import act, some_deal
from tests.engine.describing import DECK, POSITIONS, action_seat, cards, described


def test_a_position_with_its_history_becomes_exactly_what_the_seat_sees() -> None:
    for seed in range(0, 48, 5):
        for deal, action in some_deal(seed):
            if action is not None:
                seen = observe(deal, action_seat(deal))
                assert observation_of(described(deal), seen.events) == seen


@pytest.mark.parametrize("events", [None, ()])
def test_without_a_history_there_are_no_events(events: tuple[()] | None) -> None:
    assert observation_of(POSITIONS["third answer"], events).events is None


def third_answer() -> Observation:
    deal, _ = act(Deal.start(Rules(), DECK, 0), "1", "pass", "draw_pile", "1", "4", "pass", "face_up", "5-5")
    return observe(deal, action_seat(deal))


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"hand": cards("1 2 2 3 3 4 4 5 6 7 7 8")}, {"hand"}),
        ({"opponent_known": cards("6")}, {"opponent_known"}),
        ({"own_known": cards("7")}, {"own_known"}),
        ({"face_up": cards("C")[0]}, {"face_up"}),
        ({"played": cards("1 1 5 5 5"), "to_follow": cards("5 5")}, {"played"}),
    ],
)
def test_a_history_that_leads_elsewhere_names_the_fields_that_differ(changes: dict[str, Any], fields: set[str]) -> None:
    position = dataclasses.replace(POSITIONS["third answer"], **changes)
    with pytest.raises(InconsistentPosition) as refusal:
        observation_of(position, third_answer().events)
    assert {field for field, _ in refusal.value.faults} == fields


def test_every_field_is_compared_with_the_history() -> None:
    with pytest.raises(InconsistentPosition) as refusal:
        observation_of(POSITIONS["first draw"], (third_answer().events or ())[:1])
    fields = {field for field, _ in refusal.value.faults}
    assert fields == {"phase", "hand", "played"}
    with pytest.raises(InconsistentPosition) as refusal:
        observation_of(POSITIONS["late lead"], (third_answer().events or ())[:1])
    assert {field for field, _ in refusal.value.faults} >= {"opponent_hand_size", "face_up", "draw_pile"}


def test_a_history_at_whose_end_the_other_seat_acts_is_no_history_of_this_position() -> None:
    with pytest.raises(InconsistentPosition) as refusal:
        observation_of(POSITIONS["first answer"], observe(Deal.start(Rules(), DECK, 0), 1).events)
    assert [field for field, _ in refusal.value.faults] == ["history"]


def test_an_impossible_event_is_named_by_its_place_beside_the_wrong_fields() -> None:
    events = list(third_answer().events or ())
    events[1] = Passed(0)
    position = dataclasses.replace(POSITIONS["third answer"], draw_pile=8)
    with pytest.raises(InconsistentPosition) as refusal:
        observation_of(position, events)
    assert {field for field, _ in refusal.value.faults} == {"draw_pile", "history/1"}
    with pytest.raises(InconsistentPosition) as refusal:
        observation_of(dataclasses.replace(position, seat=5), events)
    assert {field for field, _ in refusal.value.faults} == {"draw_pile", "seat"}
