"""What is a combination, and what may follow what (R6-R15, R28)."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from engine.cards import COPIES, CRISP, RANKS, Edition, Hand
from engine.combinations import (
    BASE_COMBINATIONS,
    CATALOGUE,
    Combination,
    Kind,
    can_follow,
    combination_of,
    followers,
    leads,
)
from engine.errors import NotACombination
from engine.notation import hand_of, play_of
from tests.engine import naive

BASE = CATALOGUE[:BASE_COMBINATIONS]


def combination(text: str) -> Combination:
    return play_of(text, crisps_in_runs=True)


def may_follow(previous: str, following: str) -> bool:
    return can_follow(combination(previous), combination(following))


def test_there_are_104_combinations_in_the_base_game() -> None:
    assert Counter(c.kind for c in BASE) == {
        Kind.SINGLE: 10,
        Kind.PAIR: 10,
        Kind.SEQUENCE: 28,
        Kind.STAIR: 36,
        Kind.TRIPLE: 10,
        Kind.QUAD: 10,
    }
    assert BASE_COMBINATIONS == len(leads()) == 104


def test_R28_there_are_121_combinations_with_crisps_in_runs() -> None:
    counts = Counter(c.kind for c in leads(crisps_in_runs=True))
    assert (counts[Kind.SEQUENCE], counts[Kind.STAIR], counts.total()) == (36, 45, 121)
    assert len({c.cards for c in CATALOGUE}) == 121


def test_544_ordered_pairs_of_the_base_game_may_follow() -> None:
    assert sum(can_follow(one, two) for one in BASE for two in BASE) == 544
    assert sum(len(followers(one)) for one in BASE) == 544


@pytest.mark.parametrize("runs", [False, True])
def test_followers_are_those_that_can_follow_in_order(runs: bool) -> None:
    for previous in leads(crisps_in_runs=runs):
        expected = tuple(c for c in leads(crisps_in_runs=runs) if can_follow(previous, c))
        assert followers(previous, crisps_in_runs=runs) == expected


@pytest.mark.parametrize("runs", [False, True])
def test_catalogue_and_can_follow_agree_with_the_rules_written_a_second_time(runs: bool) -> None:
    options = naive.Options(crisps_in_runs=runs, no_face_up_draw=False, automatic_turn_skip=False)
    assert {tuple(c.cards) for c in leads(crisps_in_runs=runs)} == set(naive.combinations(options))
    for one, two in itertools.product(leads(crisps_in_runs=runs), repeat=2):
        assert can_follow(one, two) == naive.follows(tuple(one.cards), tuple(two.cards), options), (one, two)


def test_every_combination_knows_its_place_kind_size_and_rank() -> None:
    for place, c in enumerate(CATALOGUE):
        assert (c.index, c.size, c.rank) == (place, c.cards.size, max(c.cards))
        assert c.length == sum(count > 0 for count in c.cards.counts)
        assert set(c.cards.counts) <= {0, c.kind.copies}
        assert c.contains_crisp == (c.cards.count(CRISP) > 0)
        assert combination_of(c.cards, crisps_in_runs=True) is c


@pytest.mark.parametrize(("text", "kind"), [("4", "single"), ("C", "single"), ("4-4", "pair"), ("C-C", "pair")])
def test_R6_one_card_is_a_single_and_two_of_a_rank_are_a_pair(text: str, kind: str) -> None:
    assert (combination(text).kind, combination(text).length) == (kind, 1)


def test_R7_a_sequence_has_three_or_more_consecutive_ranks() -> None:
    made = play_of("3-4-5")
    assert (made.kind, made.length, made.size, made.rank) == (Kind.SEQUENCE, 3, 3, 4)
    assert play_of("1-2-3-4-5-6-7-8-9").length == 9


def test_R8_a_stair_has_two_or_more_consecutive_ranks_of_exactly_two_cards() -> None:
    made = play_of("2-2-3-3")
    assert (made.kind, made.length, made.size, made.rank) == (Kind.STAIR, 2, 4, 2)
    assert play_of("1-1-2-2-3-3-4-4-5-5-6-6-7-7-8-8-9-9").size == 18


@pytest.mark.parametrize("text", ["7-8-9-C", "8-9-C", "9-9-C-C", "1-2-3-4-5-6-7-8-9-C"])
def test_R7_R8_a_run_has_no_crisp_unless_crisps_in_runs_is_on(text: str) -> None:
    with pytest.raises(NotACombination):
        play_of(text)
    assert play_of(text, crisps_in_runs=True).needs_crisps_in_runs


def test_R9_triples_and_quads_may_be_of_crisps() -> None:
    assert play_of("C-C-C").kind is Kind.TRIPLE
    assert play_of("C-C-C-C").kind is Kind.QUAD
    assert play_of("1-1-1").kind is Kind.TRIPLE


def test_R10_triples_and_quads_are_special_and_the_others_standard() -> None:
    assert {kind for kind in Kind if kind.is_special} == {Kind.TRIPLE, Kind.QUAD}
    assert all(c.is_special == (c.kind in {Kind.TRIPLE, Kind.QUAD}) for c in CATALOGUE)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1-2",
        "1-3",
        "1-2-4",
        "1-1-2",
        "1-1-3-3",
        "1-1-2-2-4-4",
        "1-2-3-3",
        "1-1-2-2-3",
        "1-1-1-2-2-2",
        "1-1-1-1-2-2-2-2",
        "1-1-1-2",
        "1-9-C",
        "1-2-C",
        "1-1-C-C",
        "8-9-C-1",
    ],
)
def test_R10_nothing_else_is_a_combination(text: str) -> None:
    with pytest.raises(NotACombination):
        play_of(text, crisps_in_runs=True)


def test_R10_of_all_small_multisets_only_the_catalogue_is_a_combination() -> None:
    known = {c.cards for c in CATALOGUE}
    for size in range(6):
        for cards in itertools.combinations_with_replacement(range(RANKS), size):
            if max(Counter(cards).values(), default=0) <= COPIES:
                hand = Hand.of(cards)
                try:
                    found = combination_of(hand, crisps_in_runs=True)
                except NotACombination:
                    assert hand not in known
                else:
                    assert found.cards == hand


@pytest.mark.parametrize(
    ("previous", "following", "allowed"),
    [
        ("4", "4", True),
        ("4", "5", True),
        ("4", "3", False),
        ("9", "C", True),
        ("C", "C", True),
        ("C", "9", False),
        ("4-4", "4-4", True),
        ("4-4", "3-3", False),
        ("4-4", "5", False),
        ("4", "5-5", False),
        ("3-4-5", "3-4-5", True),
        ("3-4-5", "4-5-6", True),
        ("3-4-5", "2-3-4", False),
        ("3-4-5", "3-4-5-6", False),
        ("3-4-5-6", "7-8-9", False),
        ("2-2-3-3", "2-2-3-3", True),
        ("2-2-3-3", "8-8-9-9", True),
        ("2-2-3-3", "3-3-4-4-5-5", False),
        ("2-2-3-3", "2-3-4-5", False),
    ],
)
def test_R12_standard_follows_standard_of_same_kind_and_length_at_equal_or_higher_rank(
    previous: str, following: str, allowed: bool
) -> None:
    assert may_follow(previous, following) is allowed


@pytest.mark.parametrize("special", ["1-1-1", "9-9-9", "C-C-C", "1-1-1-1", "C-C-C-C"])
def test_R13_any_special_may_follow_a_single_crisp_or_a_pair_of_crisps(special: str) -> None:
    assert may_follow("C", special)
    assert may_follow("C-C", special)


@pytest.mark.parametrize("standard", ["9", "9-9", "1-2-3", "8-8-9-9", "1-2-3-4-5-6-7-8-9"])
def test_R13_no_special_may_follow_a_standard_combination_without_a_crisp(standard: str) -> None:
    assert not any(c.is_special for c in followers(combination(standard), crisps_in_runs=True))


@pytest.mark.parametrize("run", ["8-9-C", "9-9-C-C", "1-2-3-4-5-6-7-8-9-C"])
@pytest.mark.parametrize("special", ["1-1-1", "4-4-4-4"])
def test_R13_R28_a_special_may_follow_a_run_with_a_crisp(run: str, special: str) -> None:
    assert may_follow(run, special)


@pytest.mark.parametrize(
    ("previous", "following", "allowed"),
    [
        ("3-3-3", "4-4-4", True),
        ("3-3-3", "3-3-3", False),
        ("3-3-3", "2-2-2", False),
        ("7-7-7", "4-4-4-4", True),
        ("C-C-C", "1-1-1-1", True),
        ("4-4-4-4", "5-5-5-5", True),
        ("4-4-4-4", "3-3-3-3", False),
        ("4-4-4-4", "C-C-C", False),
    ],
)
def test_R14_special_follows_special_if_larger_or_of_equal_size_and_strictly_higher(
    previous: str, following: str, allowed: bool
) -> None:
    assert may_follow(previous, following) is allowed


def test_R15_standard_never_follows_special() -> None:
    assert not any(can_follow(s, c) for s in CATALOGUE if s.is_special for c in CATALOGUE if not c.is_special)


def test_R15_after_a_triple_of_crisps_only_a_quad_and_after_a_quad_of_crisps_nothing() -> None:
    after_triple = followers(combination("C-C-C"), crisps_in_runs=True)
    assert [c.kind for c in after_triple] == [Kind.QUAD] * 10
    assert followers(combination("C-C-C-C"), crisps_in_runs=True) == ()


def test_R15_a_low_triple_does_not_follow_a_triple_of_crisps_although_it_contains_one() -> None:
    assert not may_follow("C-C-C", "1-1-1")


def test_R28_a_run_with_a_crisp_is_the_highest_of_its_length() -> None:
    assert may_follow("7-8-9", "8-9-C")
    assert may_follow("8-9-C", "8-9-C")
    assert not may_follow("8-9-C", "7-8-9")


def test_kinds_tell_copies_and_shortest_length() -> None:
    assert [(kind.copies, kind.min_length) for kind in Kind] == [(1, 1), (2, 1), (1, 3), (2, 2), (3, 1), (4, 1)]


def test_the_classic_labels_name_the_same_combinations() -> None:
    for c in CATALOGUE:
        text = "-".join(Edition.CLASSIC.label(rank) for rank in c.cards)
        assert play_of(text, Edition.CLASSIC, crisps_in_runs=True) is c
    assert hand_of("10-Q", Edition.CLASSIC) == hand_of("9-C")
