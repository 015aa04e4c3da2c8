"""Text and back: labels, hands, decks, combinations, actions, positions."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from engine.actions import ACTIONS, DRAW_FACE_UP, DRAW_PILE, PASS
from engine.cards import CARDS, EMPTY, Edition, Hand
from engine.combinations import CATALOGUE
from engine.errors import CrispsError, InvalidDeck, NotACombination, UnreadableNotation
from engine.notation import (
    action_of,
    action_text,
    cards_text,
    deck_of,
    hand_of,
    play_of,
    position_of,
    position_text,
    ranks_of,
)
from tests.engine.dealing import shuffled

both = pytest.mark.parametrize("edition", Edition)


@both
def test_every_action_survives_the_round_trip(edition: Edition) -> None:
    texts = [action_text(action, edition) for action in ACTIONS]
    assert len(set(texts)) == 124
    assert [action_of(text, edition, crisps_in_runs=True) for text in texts] == list(ACTIONS)


@both
def test_every_combination_survives_the_round_trip(edition: Edition) -> None:
    for combination in CATALOGUE:
        assert play_of(cards_text(combination.cards, edition), edition, crisps_in_runs=True) is combination


@both
def test_hands_decks_and_positions_survive_the_round_trip(edition: Edition) -> None:
    rng = random.Random(3)
    for _ in range(200):
        deck = shuffled(rng)
        assert deck_of(cards_text(deck, edition), edition) == ranks_of(cards_text(deck, edition), edition) == deck
        hand = Hand.of(deck[: rng.randrange(CARDS)])
        assert hand_of(cards_text(hand, edition), edition) == hand
        to_follow = rng.choice([None, *CATALOGUE])
        text = position_text(hand, to_follow, edition)
        assert position_of(text, edition, crisps_in_runs=True) == (hand, to_follow)


def test_dashes_and_blanks_separate_alike() -> None:
    assert hand_of(" 2 - 2  3-3 ") == hand_of("2-2-3-3") == hand_of("3 2\n3 2")
    assert hand_of("") == hand_of(" ") == EMPTY
    assert ranks_of("C-1") == (9, 0), "the order is kept"


def test_words_stand_for_pass_and_draws() -> None:
    assert [action_of(word) for word in ("pass", "face_up", " draw_pile ")] == [PASS, DRAW_FACE_UP, DRAW_PILE]


def test_a_position_is_one_line() -> None:
    assert position_text(hand_of("2-2-C"), play_of("5-5")) == "2-2-C > 5-5"
    assert position_text(hand_of("C"), None) == "C > ."
    assert position_text(hand_of("10-Q", Edition.CLASSIC), None, Edition.CLASSIC) == "10-Q > ."


@pytest.mark.parametrize(
    ("read", "text", "error"),
    [
        (ranks_of, "1-x", UnreadableNotation),
        (ranks_of, "10", UnreadableNotation),
        (ranks_of, "1,2", UnreadableNotation),
        (hand_of, "5-5-5-5-5", InvalidDeck),
        (deck_of, "1-2-3", InvalidDeck),
        (play_of, "1-2", NotACombination),
        (play_of, "8-9-C", NotACombination),
        (action_of, "PASS", UnreadableNotation),
        (action_of, "", NotACombination),
        (position_of, "1-2-3", UnreadableNotation),
        (position_of, "1-2-3 > 1-2", NotACombination),
        (position_of, "1-2-3 >", NotACombination),
        (position_of, "0 > .", UnreadableNotation),
    ],
)
def test_what_cannot_be_read_is_refused(read: Callable[[str], object], text: str, error: type[CrispsError]) -> None:
    with pytest.raises(error):
        read(text)
