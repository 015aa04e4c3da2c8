"""Whether played cards can be parted into rounds: against every way of playing, and by hand."""

from __future__ import annotations

import random

import pytest

from engine import course
from engine.cards import Hand
from engine.combinations import leads
from engine.course import LATE, Course
from engine.deal import Deal, Phase
from engine.notation import hand_of, play_of
from tests.engine import naive
from tests.engine.dealing import some_deal


def ends(text: str, seat: int, number: int, counts: tuple[int, int], latest: str | None = None) -> bool:
    search = Course(crisps_in_runs=False)
    if latest is None:
        return search.can_end(seat, number, hand_of(text), counts)
    return search.can_end_with(play_of(latest), seat, number, hand_of(text), counts)


@pytest.mark.parametrize(
    ("text", "seat", "number", "counts", "latest", "possible"),
    [
        ("1", 0, 1, (1, 0), None, True),
        ("1", 1, 1, (1, 0), None, False),
        ("1", 0, 2, (1, 0), None, False),
        ("1-2", 1, 1, (1, 1), None, True),
        ("1-2", 1, 1, (0, 2), None, False),
        ("1-2", 1, 2, (0, 2), None, True),
        ("1-2", 1, 1, (1, 1), "1", False),
        ("1-2", 1, 1, (1, 1), "2", True),
        ("1-2-3", 0, 1, (3, 0), None, True),
        ("1-2-3", 0, 1, (2, 1), None, True),
        ("1-2-3", 0, 2, (2, 1), None, True),
        ("1-2-3", 1, 3, (0, 3), None, True),
        ("1-2-3", 1, 4, (0, 3), None, False),
        ("1-1-1-C", 0, 1, (3, 1), "1-1-1", True),
        ("1-1-1-9", 0, 1, (3, 1), "1-1-1", False),
        ("1-1-1-9", 0, 2, (3, 1), "1-1-1", False),
        ("1-1-1-9", 0, 2, (4, 0), "1-1-1", True),
        ("1-1-2-2-3-3-4-4-5-5-6-6", 0, 1, (12, 0), None, False),
        ("1-1-2-2-3-3-4-4-5-5-6-6", 0, 2, (12, 0), None, True),
        ("1-1-2-2-3-3-4-4-5-5-6-6-9", 0, 2, (13, 0), None, False),
        ("1-2-3-4-5-6", 0, LATE, (6, 0), None, False),
        ("1-2-3-4-5-6-7", 0, LATE, (7, 0), None, True),
        ("1-2-3-4-5-6-7-8-9", 0, LATE, (9, 0), None, True),
    ],
)
def test_rounds_can_be_told_apart_by_hand(
    text: str, seat: int, number: int, counts: tuple[int, int], latest: str | None, possible: bool
) -> None:
    assert ends(text, seat, number, counts, latest) is possible


def every_course(cards: int, rounds: int) -> set[tuple[tuple[int, ...], int, int, tuple[int, int], tuple[int, ...]]]:
    """All (played, seat, round, counts, latest play) of at most so many cards 8, 9 and C, by playing forwards."""
    options = naive.Options(crisps_in_runs=False, no_face_up_draw=True, automatic_turn_skip=False)
    choices = [play for play in naive.combinations(options) if min(play) >= 7 and len(play) <= cards]
    found: set[tuple[tuple[int, ...], int, int, tuple[int, int], tuple[int, ...]]] = set()
    ahead: list[tuple[tuple[int, ...], int, int, tuple[int, int], tuple[int, ...]]] = [
        ((), seat, 1, (0, 0), ()) for seat in (0, 1)
    ]
    while ahead:
        played, seat, number, counts, latest = ahead.pop()
        for play in choices:
            total = tuple(sorted((*played, *play)))
            fits = len(total) <= cards and max(map(total.count, play)) <= 4
            if fits and (not latest or naive.follows(latest, play, options)):
                added = (counts[0] + len(play) * (seat == 0), counts[1] + len(play) * (seat == 1))
                state = (total, seat, number, added, play)
                if state not in found:
                    found.add(state)
                    ahead.append((total, 1 - seat, number, added, play))
                    if number < rounds:
                        ahead.append((total, seat, number + 1, added, ()))
    return found


def test_the_search_finds_exactly_what_playing_forwards_finds() -> None:
    cards, rounds = 5, 3
    found = every_course(cards, rounds)
    reached = {(state[0], state[1], state[2], state[3]) for state in found}
    hands = [hand for size in range(1, cards + 1) for hand in naive.hands_of([(7, 4), (8, 4), (9, 4)], size)]
    agreed = {True: 0, False: 0}
    for hand in hands:
        for number in range(1, rounds + 1):
            for own in range(len(hand) + 1):
                for seat in (0, 1):
                    counts = (own, len(hand) - own)
                    search = Course(crisps_in_runs=False)
                    possible = search.can_end(seat, number, Hand.of(hand), counts)
                    assert search.looked_at <= course.LIMIT
                    assert possible == ((hand, seat, number, counts) in reached), (hand, seat, number, counts)
                    agreed[possible] += 1
    assert min(agreed.values()) > 300


def test_the_latest_play_is_found_exactly_too() -> None:
    found = every_course(4, 2)
    for played, seat, number, counts, latest in found:
        play = next(c for c in leads() if tuple(c.cards) == latest)
        assert Course(crisps_in_runs=False).can_end_with(play, seat, number, Hand.of(played), counts)


def test_a_search_that_takes_too_long_is_given_up_and_answers_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    cards, counts = hand_of("1-2-2-3-3-4-5-6-7-8-9-9"), (2, 10)
    assert not ends("1-2-2-3-3-4-5-6-7-8-9-9", 0, 1, counts)
    search = Course(crisps_in_runs=False)
    monkeypatch.setattr(course, "LIMIT", 0)
    assert search.can_end(0, 3, cards, (6, 6))
    assert search.looked_at == 1


def test_every_course_that_was_played_is_possible() -> None:
    rng = random.Random(0)
    for seed in rng.sample(range(3000, 4000), 24):
        for deal, action in some_deal(seed):
            if deal.round.plays and deal.phase is Phase.PLAY and action is not None:
                assert possible(deal)


def possible(deal: Deal) -> bool:
    seat, play = deal.round.plays[-1]
    dealt = 12 + deal.draws
    counts = (dealt - deal.hands[0].size, dealt - deal.hands[1].size)
    number = min(deal.round.number, LATE)
    return Course(deal.rules.crisps_in_runs).can_end_with(play, seat, number, deal.played, counts)
