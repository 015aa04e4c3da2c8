"""Ranks, labels and hands (R1)."""

from __future__ import annotations

import random
from collections import Counter
from math import comb

import pytest

from engine.cards import CARDS, COPIES, CRISP, EMPTY, FULL_DECK, RANKS, Edition, Hand, other
from engine.errors import CardsNotInHand, InvalidDeck, UnreadableNotation
from tests.engine.dealing import shuffled


def some_hands(number: int) -> list[Hand]:
    rng = random.Random(number)
    return [Hand.of(shuffled(rng)[: rng.randrange(CARDS + 1)]) for _ in range(number)]


def test_R1_there_are_forty_cards_four_of_each_of_ten_ranks_and_the_crisp_is_highest() -> None:
    assert Counter(FULL_DECK) == dict.fromkeys(range(10), 4)
    assert (len(FULL_DECK), RANKS, COPIES, max(FULL_DECK)) == (40, 10, 4, CRISP)


def test_R1_the_boxed_edition_prints_1_to_9_and_C() -> None:
    assert "".join(Edition.BOXED.labels) == "123456789C"


def test_R1_the_classic_edition_prints_2_to_10_and_Q() -> None:
    assert Edition.CLASSIC.labels == ("2", "3", "4", "5", "6", "7", "8", "9", "10", "Q")


@pytest.mark.parametrize("edition", Edition)
def test_R1_labels_and_ranks_are_inverse(edition: Edition) -> None:
    assert [edition.rank(edition.label(rank)) for rank in range(RANKS)] == list(range(RANKS))
    assert edition.rank(edition.labels[CRISP]) == CRISP


@pytest.mark.parametrize(
    ("edition", "label"),
    [
        (Edition.BOXED, "10"),
        (Edition.BOXED, "Q"),
        (Edition.BOXED, "0"),
        (Edition.BOXED, ""),
        (Edition.BOXED, "c"),
        (Edition.BOXED, "01"),
        (Edition.BOXED, "\uff11"),
        (Edition.CLASSIC, "1"),
        (Edition.CLASSIC, "C"),
        (Edition.CLASSIC, "11"),
    ],
)
def test_R1_a_label_that_the_edition_does_not_print_is_unreadable(edition: Edition, label: str) -> None:
    with pytest.raises(UnreadableNotation) as refusal:
        edition.rank(label)
    assert refusal.value.clause == "R1"


def test_R2_there_are_two_seats_each_across_from_the_other() -> None:
    assert (other(0), other(1)) == (1, 0)


def test_a_hand_counts_and_lists_its_cards_ascending() -> None:
    hand = Hand.of([9, 0, 3, 9, 0, 9, 0, 0])
    assert list(hand) == [0, 0, 0, 0, 3, 9, 9, 9]
    assert hand.counts == (4, 0, 0, 1, 0, 0, 0, 0, 0, 3)
    assert [hand.count(rank) for rank in range(RANKS)] == list(hand.counts)
    assert (hand.size, len(hand), bool(hand), bool(EMPTY), len(EMPTY)) == (8, 8, True, False, 0)
    assert repr(hand) == "Hand(0-0-0-0-3-9-9-9)"


def test_hands_agree_with_multisets_in_every_operation() -> None:
    hands = some_hands(60)
    for one in hands:
        assert Hand.of(one) == Hand.from_counts(one.counts) == one
        assert one.size == sum(one.counts) == len(list(one))
        for two in hands:
            mine, theirs = Counter(one), Counter(two)
            assert one.contains(two) == (theirs <= mine)
            assert Counter(one.common(two)) == mine & theirs
            if theirs <= mine:
                assert Counter(one - two) == mine - theirs
            if max((mine + theirs).values(), default=0) <= COPIES:
                assert Counter(one + two) == mine + theirs


def test_taking_away_what_is_not_there_is_refused() -> None:
    with pytest.raises(CardsNotInHand):
        _ = Hand.of([1, 1, 2]) - Hand.of([2, 2])
    with pytest.raises(CardsNotInHand):
        _ = EMPTY - Hand.of([0])


def test_R1_a_fifth_card_of_a_rank_is_refused() -> None:
    four = Hand.of([5] * 4)
    with pytest.raises(InvalidDeck):
        _ = four + four
    with pytest.raises(InvalidDeck):
        four.plus_rank(5)
    with pytest.raises(InvalidDeck):
        Hand.of([5] * 5)
    with pytest.raises(InvalidDeck):
        Hand.from_counts([5, *[0] * 9])
    assert Counter(four.plus_rank(6)) == {5: 4, 6: 1}


@pytest.mark.parametrize("rank", [-1, 10, 255])
def test_R1_a_rank_outside_0_to_9_is_refused(rank: int) -> None:
    with pytest.raises(InvalidDeck):
        Hand.of([rank])


@pytest.mark.parametrize("counts", [[0] * 9, [0] * 11, [-1, *[0] * 9], [9] * 10])
def test_counts_that_are_no_hand_are_refused(counts: list[int]) -> None:
    with pytest.raises(InvalidDeck):
        Hand.from_counts(counts)


def test_choices_are_kept_when_the_hand_holds_what_they_take() -> None:
    hand = Hand.of([1, 1, 2])
    choices = [(Hand.of(cards).packed, cards) for cards in ([1], [1, 1], [1, 1, 1], [2, 2], [1, 2], [3], [])]
    assert hand.holding(choices) == [[1], [1, 1], [1, 2], []]


def test_hands_of_the_same_cards_are_equal_and_hash_alike() -> None:
    assert {Hand.of([1, 2]), Hand.of([2, 1])} == {Hand.of([1, 2])}


def test_there_are_182005_hands_of_twelve_cards() -> None:
    ways = [1] + [0] * 12
    for _ in range(RANKS):
        ways = [sum(ways[size - taken] for taken in range(min(size, COPIES) + 1)) for size in range(13)]
    assert ways[12] == 182_005
    inclusion_exclusion = sum((-1) ** k * comb(10, k) * comb(12 - 5 * k + 9, 9) for k in range(3))
    assert inclusion_exclusion == ways[12]
