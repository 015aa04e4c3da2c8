"""Described positions: every one that occurs is accepted, impossible ones are refused with their fields named.

CRISPS_LAW_DEALS sets the number of deals whose positions are described (default 48).
"""

from __future__ import annotations

import dataclasses
import os
from typing import Any

import pytest

from engine.cards import Edition, Hand
from engine.deal import Deal, Phase
from engine.errors import InconsistentPosition
from engine.notation import action_text
from engine.observation import observe
from engine.position import Position, observation_of
from engine.rules import Rules
from tests.engine.dealing import act, deck_with, some_deal
from tests.engine.describing import BLIND, POSITIONS, action_seat, cards, described

CRISPS = deck_with("C C C C 1 1 1 1 2 2 2 2", "5 5 5 5 6 6 6 6 7 7 7 7", draw="3 4 3 4")
SKIP = Rules(automatic_turn_skip=True)
DEALS = int(os.environ.get("CRISPS_LAW_DEALS", "48"))
FOUR = ("hand", "opponent_hand_size", "played", "draw_pile")


def faults_of(position: Position) -> list[tuple[str, str]]:
    with pytest.raises(InconsistentPosition) as refusal:
        observation_of(position)
    assert all(field and detail for field, detail in refusal.value.faults)
    return refusal.value.faults


def case(base: str, fields: str, **changes: Any) -> Any:
    """A row of the table: an occurring position, what is changed in it, the fields that are then wrong."""
    told = ",".join(f"{name}={value}" for name, value in changes.items())
    return pytest.param(POSITIONS[base], changes, set(fields.split()), id=f"{base}: {told}")


IMPOSSIBLE = [
    # the seat, the phase and what lies in the middle
    case("first lead", "seat", seat=2),
    case("first lead", "seat", seat=-1),
    case("first lead", "phase", phase=Phase.AWAITING_DEAL),
    case("first lead", "phase", phase=Phase.FINISHED),
    case("late lead", "phase", phase=Phase.DRAW),
    case("blind lead", "phase", phase=Phase.DRAW),
    case("first lead", "face_up", face_up=None),
    case("late lead", "draw_pile", face_up=5),
    case("first lead", "draw_pile", draw_pile=10),
    case("first lead", "draw_pile", draw_pile=12),
    case("first lead", "draw_pile", draw_pile=13),
    case("first lead", "draw_pile", draw_pile=0),
    case("first lead", "draw_pile", draw_pile=-1),
    case("first lead", "face_up draw_pile", draw_pile=12, face_up=None),
    case("late lead", "face_up draw_pile", draw_pile=2),
    case("late lead", "face_up", draw_pile=1),
    case("blind lead", "face_up", face_up=3),
    case("blind lead", "draw_pile", draw_pile=9),
    case("blind lead", "draw_pile", draw_pile=14),
    case("blind lead", "draw_pile", draw_pile=-2),
    case("first lead", "face_up draw_pile", rules=BLIND),
    case("blind lead", "face_up draw_pile", rules=Rules()),
    # ranks and copies
    case("first lead", "hand", hand=(10, *cards("1 1 1 2 2 3 3 4 4 5 7"))),
    case("first lead", "hand", hand=(-1, *cards("1 1 1 2 2 3 3 4 4 5 7"))),
    case("first lead", "hand", hand=cards("1 1 1 1 1 3 3 4 4 5 7 7")),
    case("first lead", "face_up", face_up=10),
    case("first answer", "played to_follow", played=(10,), to_follow=(10,)),
    case("third answer", "opponent_known", opponent_known=(11,)),
    case("third answer", "own_known", own_known=(11,)),
    case("first lead", "hand face_up", hand=cards("9 9 9 9 2 3 3 4 4 5 7 7")),
    case("first answer", "hand played", hand=cards("1 1 1 1 6 7 8 8 9 9 C C")),
    case("second lead", "hand played", hand=cards("1 1 1 1 2 3 3 4 4 5 7 9"), own_known=cards("9")),
    case("third answer", "hand played", hand=cards("5 5 5 1 2 2 3 3 4 4 9 7")),
    case("second lead", "face_up hand", hand=cards("5 5 5 5 2 3 3 4 4 7 9 7"), own_known=cards("9")),
    case("third answer", "opponent_known hand", hand=cards("9 9 9 9 1 2 2 3 3 4 4 7"), opponent_known=cards("9")),
    # hands
    case("first lead", "hand opponent_hand_size played draw_pile", hand=()),
    case("late lead", "hand opponent_hand_size played draw_pile", hand=cards("1 2 2 3 3 4 4 4 5 5 6 6 7 7 8 8 9 9 C")),
    case("late lead", "hand own_known opponent_hand_size played draw_pile", hand=()),
    case("late lead", "opponent_hand_size hand played draw_pile", opponent_hand_size=0),
    case("late lead", "opponent_hand_size opponent_known hand played draw_pile", opponent_hand_size=-1),
    case("late lead", "opponent_hand_size hand played draw_pile", opponent_hand_size=19),
    case("first lead", "opponent_hand_size hand played draw_pile", opponent_hand_size=13),
    case("first lead", "hand opponent_hand_size played draw_pile", hand=cards("1 1 1 2 2 3 3 4 4 5 7 7 8")),
    case("first lead", "hand opponent_hand_size played draw_pile", hand=cards("1 1 1 2 2 3 3 4 4 5 7")),
    case("first answer", "opponent_hand_size hand played draw_pile", opponent_hand_size=12),
    case("first lead", "hand", hand=cards("1 1 1 2 2 3 3 4 4 5 7 7 8"), opponent_hand_size=11),
    case("first lead", "opponent_hand_size", hand=cards("1 1 1 2 2 3 3 4 4 5 7"), opponent_hand_size=13),
    case("first answer", "opponent_hand_size", hand=cards("4 5 5 6 6 7 8 8 9 9 C"), opponent_hand_size=12),
    # sizes and draws
    case("first lead", " ".join(FOUR), played=cards("1")),
    case("second lead", " ".join(FOUR), draw_pile=7),
    case("second lead", " ".join(FOUR), draw_pile=11, own_known=()),
    case("second lead", " ".join(FOUR), played=()),
    case("third answer", " ".join(FOUR), played=cards("5 5 1 1 4 6")),
    # what is known
    case("second lead", "own_known", own_known=cards("8")),
    case("second lead", "own_known", own_known=cards("9 9")),
    case("first lead", "own_known", own_known=cards("1")),
    case("first lead", "opponent_known", opponent_known=cards("8")),
    case("second lead", "own_known opponent_known", own_known=cards("9"), opponent_known=cards("8")),
    case("third answer", "own_known", own_known=cards("9 1 2"), opponent_known=()),
    case("blind lead", "own_known", own_known=cards("1")),
    case("blind lead", "opponent_known", opponent_known=cards("8")),
    case("blind lead", "own_known opponent_known", own_known=cards("1"), opponent_known=cards("8")),
    case("late lead", "opponent_known", own_known=(), opponent_known=cards("5 5 6 6 8 8 9")),
    # what is to be followed
    case("first answer", "to_follow", to_follow=cards("2")),
    case("third answer", "to_follow", to_follow=cards("5 4")),
    case("third answer", "to_follow", to_follow=cards("5 5 5")),
    case("third answer", "to_follow", to_follow=cards("1 5")),
    case("third answer", "to_follow", to_follow=(7, 5)),
    case("first draw", "to_follow", to_follow=cards("1")),
    # the course of play
    case("first lead", "played", hand=cards("1 1 2 2 3 3 4 4 5 7 7"), played=cards("1")),
    case("first lead", "played", opponent_hand_size=11, played=cards("8")),
    case("first answer", "played to_follow", hand=cards("4 5 5 6 6 7 8 8 9 9 C"), played=cards("C 1")),
    case("first answer", "played to_follow", opponent_hand_size=9, played=cards("1 2 3")),
    case("first answer", "played to_follow", opponent_hand_size=10, played=cards("1 8")),
    case(
        "first answer", "played to_follow",
        hand=cards("4 5 5 6 6 7 8 8 9 9 C"), opponent_hand_size=10, played=cards("1 1 2"), to_follow=cards("1"),
    ),
    case(
        "first answer", "played to_follow",
        hand=cards("4 5 5 6 6 7 8 8 9 C"), opponent_hand_size=9, played=cards("2 2 1 1 1"), to_follow=cards("1 1 1"),
    ),
    case("first draw", "hand", hand=cards("1 1 1 2 2 3 3 4 4 5 7 7"), opponent_hand_size=11, played=cards("8")),
    case("first draw", "played", hand=cards("1 1 1 2 2 3 3 4 4 5"), played=cards("7 8")),
    case("second lead", "hand", hand=cards("1 1 1 2 2 3 3 4 4 5 7 7 9"), opponent_hand_size=12),
    case("second lead", "played", hand=cards("1 1 2 2 3 3 4 4 5 7 9"), played=cards("1 7")),
    case(
        "second lead", "played",
        hand=cards("1 1 2 2 3 3 4 4 5 7 7 9"), opponent_hand_size=10, played=cards("1 5 5 6"),
    ),
    case("blind lead", "played", hand=cards("1 1 2 2 3 3 4 4 5 7 8"), played=cards("1 7")),
]  # fmt: skip


@pytest.mark.parametrize(("base", "changes", "fields"), IMPOSSIBLE)
def test_an_impossible_position_is_refused_and_its_wrong_fields_are_named(
    base: Position, changes: dict[str, Any], fields: set[str]
) -> None:
    assert {field for field, _ in faults_of(dataclasses.replace(base, **changes))} == fields


def test_there_are_more_than_sixty_kinds_of_impossible_positions() -> None:
    assert len(IMPOSSIBLE) > 60


def test_each_field_is_named_when_several_are_wrong() -> None:
    wrong = dataclasses.replace(
        POSITIONS["third answer"],
        hand=cards("1 1 1 1 1"),
        opponent_hand_size=0,
        draw_pile=6,
        to_follow=cards("C"),
        seat=3,
    )
    fields = {field for field, _ in faults_of(wrong)}
    assert fields >= {"seat", "hand", "opponent_hand_size", "draw_pile", "to_follow"}


def test_details_name_cards_by_the_labels_of_the_edition() -> None:
    classic = dataclasses.replace(POSITIONS["first lead"], rules=Rules(edition=Edition.CLASSIC), hand=(9,) * 5)
    assert ("hand", "5 cards Q: there are 4") in faults_of(classic)


def test_cards_that_do_not_add_up_are_told_by_their_sum() -> None:
    wrong = dataclasses.replace(POSITIONS["first lead"], played=cards("1 8"))
    told = "hand, opponent_hand_size and played have to be 24 cards together after 0 draws (two cards each), but are 26"
    assert ("played", told) in faults_of(wrong)


def test_R27_a_turn_that_would_have_been_skipped_cannot_occur() -> None:
    deal, _ = act(Deal.start(Rules(), CRISPS, 0), "C-C-C-C")
    position = described(deal)
    assert observation_of(position).seat == 1
    faults = faults_of(dataclasses.replace(position, rules=SKIP))
    assert [field for field, _ in faults] == ["to_follow"]


def test_R24_known_cards_may_be_left_out() -> None:
    position = POSITIONS["second lead"]
    assert position.own_known == cards("9")
    assert observation_of(dataclasses.replace(position, own_known=())).own_known == Hand()


@pytest.mark.parametrize("part", range(4))
def test_every_position_that_occurs_is_accepted_and_becomes_what_its_seat_sees(part: int) -> None:
    accepted = 0
    for seed in range(2000 + part, 2000 + DEALS, 4):
        for deal, action in some_deal(seed):
            if action is not None:
                seen, told = observe(deal, action_seat(deal)), observation_of(described(deal))
                same = ("viewer", "phase", "to_act", "hand", "hand_sizes", "known", "face_up", "draw_pile", "played")
                assert all(getattr(told.now, name) == getattr(seen.now, name) for name in same)
                assert told.now.to_follow == seen.now.to_follow
                assert list(told.legal_actions()) == list(deal.legal_actions())
                assert (told.events, told.seat, told.hand, told.unseen()) == (None, seen.seat, seen.hand, seen.unseen())
                accepted += 1
    assert accepted > 4 * DEALS  # some 22 decisions in each of a quarter of them


def test_a_position_from_a_real_table_is_accepted() -> None:
    position = Position(
        hand=cards("1 2 2 4 6 6 7 9 C C"),
        opponent_hand_size=8,
        opponent_known=cards("3"),
        played=cards("1 2 3 3 4 5 5 5"),
        face_up=cards("4")[0],
        draw_pile=9,
        to_follow=cards("5 5"),
    )
    seen = observation_of(position)
    assert [action_text(action) for action in seen.legal_actions()] == ["6-6", "C-C", "pass"]
    assert (position.draws, seen.now.round.number, seen.now.hand_sizes, seen.now.to_act) == (1, 2, (10, 8), 0)
    mirrored = observation_of(dataclasses.replace(position, seat=1))
    assert (mirrored.now.hand_sizes, mirrored.now.to_act, mirrored.now.viewer) == ((8, 10), 1, 1)
