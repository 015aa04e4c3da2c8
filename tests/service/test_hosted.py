"""Hosted games: promises and seeds, the clock, what is kept of an ended deal, the seeds of searches."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest

from engine.cards import other
from engine.deal import Phase
from engine.errors import GameFinished, NotYourTurn, WrongPhase
from engine.events import DealEnded, Dealt, GameEnded, Reason
from engine.rules import Rules
from engine.shuffle import Shuffle
from service import hosted
from service.hosted import AiReply, Created, HostedGame, SearchTrace, Settings
from tests.played import (
    FIRST_AGAINST_AI,
    HUMANS,
    MACHINES,
    NOW,
    SECOND_AGAINST_AI,
    Course,
    begin,
    carry_on,
    courses,
    every_rules,
    settings_of,
)

SEEDS = (bytes(range(32)), bytes(32), b"\xff" * 32)


def games(settings: Settings, count: int = 4) -> list[list[Course]]:
    return [list(courses(settings, random.Random(number))) for number in range(count)]


# --------------------------------------------------------------------------------------------- creating
def test_a_new_game_waits_for_its_first_deal_at_version_1() -> None:
    change = hosted.create("a" * 32, settings_of(Rules(), first_leader=1), NOW)
    now = change.hosted
    assert (now.version, now.game.phase, now.game.next_starter()) == (1, Phase.AWAITING_DEAL, 1)
    (created,) = change.events
    assert (created.version, created.at, created.event) == (1, NOW, Created(Rules(), HUMANS, 1))
    assert change.ended is None


def test_R22_without_a_first_leader_either_seat_may_lead() -> None:
    settings = replace(settings_of(Rules()), first_leader=None)
    assert {hosted.create("a" * 32, settings, NOW).hosted.game.first_leader for _ in range(64)} == {0, 1}


def test_a_game_between_two_computers_is_always_manual() -> None:
    for seats, expected in ((MACHINES, AiReply.MANUAL), (FIRST_AGAINST_AI, AiReply.AUTO), (HUMANS, AiReply.AUTO)):
        settings = replace(settings_of(Rules(), seats), ai_reply=AiReply.AUTO)
        assert hosted.create("a" * 32, settings, NOW).hosted.ai_reply is expected


# ------------------------------------------------------------------------------------- promises and seeds
def test_a_deal_is_shuffled_with_the_seed_that_was_promised() -> None:
    for course, after in zip(*2 * [iter(consecutive_deals())], strict=True):
        promise = course.hosted.promise
        assert promise is not None
        shuffle = after.hosted.shuffle
        assert shuffle is not None
        assert shuffle.seed == promise
        assert after.hosted.promise is None
        deal = after.hosted.game.deal
        assert deal is not None
        assert deal.deck == Shuffle(promise, shuffle.client_seed).deck()
        assert after.events[-1].commitment == Shuffle(promise).commitment
        assert after.hosted.dealt_at == after.hosted.version


def consecutive_deals() -> list[Course]:
    """Before and after each deal of a few games, in turn."""
    found: list[Course] = []
    for game in games(settings_of(Rules())):
        for before, after in itertools.pairwise(game):
            if isinstance(after.events[-1].event, Dealt):
                found += (before, after)
    assert len(found) > 20
    return found


def test_a_client_seed_is_mixed_in_after_the_promise() -> None:
    waiting = begin(settings_of(Rules()), random.Random(1)).hosted
    decks = {hosted.deal(waiting, client_seed, NOW).hosted.game.deal.deck for client_seed in ("", "a", "b")}  # type: ignore[union-attr]
    assert len(decks) == 3
    assert len({hosted.deal(waiting, seed, NOW).events[0].commitment for seed in ("", "a", "b")}) == 1


def test_seeds_that_were_set_are_used_in_order_and_then_random_ones() -> None:
    for game in games(replace(settings_of(Rules(points_to_win=3)), deal_seeds=SEEDS)):
        used = [
            game[index].hosted.shuffle for index in range(len(game)) if isinstance(game[index].events[-1].event, Dealt)
        ]
        seeds = [shuffle.seed for shuffle in used if shuffle is not None]
        assert tuple(seeds[:3]) == SEEDS
        assert len(set(seeds)) == len(seeds)


def test_a_promise_is_made_exactly_while_the_game_waits_for_a_deal() -> None:
    for rules in every_rules(2)[::5]:
        for course in courses(settings_of(rules), random.Random(5)):
            now = course.hosted
            assert (now.promise is not None) == (now.game.phase is Phase.AWAITING_DEAL)
            assert (now.shuffle is not None) == (now.game.deal is not None) == (now.dealt_at is not None)


def test_two_games_promise_different_seeds() -> None:
    promises = {hosted.create("a" * 32, settings_of(Rules()), NOW).hosted.promise for _ in range(8)}
    assert len(promises) == 8


def test_secret_seeds_do_not_show_where_a_game_is_printed() -> None:
    waiting = hosted.create("a" * 32, replace(settings_of(Rules()), deal_seeds=SEEDS), NOW).hosted
    dealt = hosted.deal(waiting, "", NOW).hosted
    for game in (waiting, dealt):
        shown = repr(replace(game, game=replace(game.game, deal=None)))
        assert not any(repr(seed) in shown for seed in SEEDS)


# ---------------------------------------------------------------------------------------------- the clock
@pytest.mark.parametrize("seats", [HUMANS, FIRST_AGAINST_AI, SECOND_AGAINST_AI, MACHINES])
def test_a_deadline_runs_exactly_while_a_person_is_to_act(seats: hosted.SeatPair) -> None:
    for course in courses(settings_of(Rules(points_to_win=2), seats, turns=60), random.Random(6)):
        now = course.hosted
        if now.game.to_act is None or now.ai_to_act is not None:
            assert now.turn_deadline is None
        else:
            assert now.turn_deadline == course.events[-1].at + 60_000


def test_without_a_clock_there_is_no_deadline() -> None:
    assert all(course.hosted.turn_deadline is None for course in courses(settings_of(Rules()), random.Random(7)))


# ------------------------------------------------------------------------------------------------- events
def test_versions_grow_by_one_with_every_event() -> None:
    for rules in every_rules(2)[::3]:
        *_, last = courses(settings_of(rules, FIRST_AGAINST_AI), random.Random(8))
        assert [logged.version for logged in last.events] == list(range(1, last.hosted.version + 1))
        assert isinstance(last.events[-1].event, GameEnded)


def test_a_change_leaves_the_game_it_came_from_as_it_was() -> None:
    course = begin(settings_of(Rules()), random.Random(9))
    for _ in range(30):
        before = repr(course.hosted)
        after = carry_on(course, random.Random(10))
        assert repr(course.hosted) == before
        course = after


def test_only_the_action_itself_carries_the_trace_of_its_search() -> None:
    rules = Rules(no_face_up_draw=True)
    for course in courses(settings_of(rules, MACHINES), random.Random(11)):
        now = course.hosted
        if now.game.deal is None or now.game.to_act is None:
            continue
        for action in now.game.deal.legal_actions():
            change = hosted.act(now, now.game.to_act, action, NOW, SearchTrace(1, 2, 3))
            assert [logged.search for logged in change.events] == [
                SearchTrace(1, 2, 3),
                *[None] * (len(change.events) - 1),
            ]


def test_what_the_engine_refuses_is_refused() -> None:
    waiting = begin(settings_of(Rules()), random.Random(12)).hosted
    dealt = hosted.deal(waiting, "", NOW).hosted
    assert dealt.game.deal is not None
    with pytest.raises(WrongPhase):
        hosted.deal(dealt, "", NOW)
    with pytest.raises(NotYourTurn):
        hosted.act(dealt, 1, next(iter(dealt.game.deal.legal_actions())), NOW)
    over = hosted.concede(dealt, 0, Reason.TIME, NOW).hosted
    with pytest.raises(GameFinished):
        hosted.deal(over, "", NOW)
    with pytest.raises(GameFinished):
        hosted.concede(over, 0, Reason.TIME, NOW)


# -------------------------------------------------------------------------------------------- ended deals
def test_the_head_of_an_ended_deal_names_its_events_and_its_shuffle() -> None:
    for game in games(settings_of(Rules(), FIRST_AGAINST_AI)):
        last = game[-1]
        assert list(last.heads) == list(range(1, last.hosted.game.deals + 1))
        for number, head in last.heads.items():
            dealt, ended = last.events[head.first - 1], last.events[head.last - 1]
            assert isinstance(dealt.event, Dealt)
            assert ended.event == DealEnded(number, head.winner if head.winner is not None else -1)
            assert (dealt.event.number, dealt.event.starter, dealt.commitment) == (
                head.number,
                head.starter,
                head.shuffle.commitment,
            )


@pytest.mark.parametrize("loser", [0, 1])
def test_a_deal_that_is_given_up_has_no_winner_and_ends_before_the_game_does(loser: int) -> None:
    for course in games(settings_of(Rules(points_to_win=2)), 1)[0]:
        now = course.hosted
        if now.game.winner is not None:
            continue
        change = hosted.concede(now, loser, Reason.RESIGNATION, NOW)
        after = change.hosted
        assert [logged.event for logged in change.events] == [GameEnded(other(loser), Reason.RESIGNATION)]
        assert (after.promise, after.shuffle, after.turn_deadline, after.game.deal) == (None, None, None, None)
        assert after.game.scores == now.game.scores
        if now.game.deal is None:
            assert change.ended is None
        else:
            assert change.ended is not None
            assert (change.ended.winner, change.ended.first, change.ended.last) == (None, now.dealt_at, now.version)
            assert change.ended.shuffle == now.shuffle


# ------------------------------------------------------------------------------------------- search seeds
def test_every_action_has_a_search_seed_of_its_own_that_can_be_had_again() -> None:
    seen: dict[tuple[object, int], int] = {}
    for course in courses(settings_of(Rules(), MACHINES), random.Random(13)):
        now = course.hosted
        if now.game.deal is None:
            with pytest.raises(ValueError, match="no deal"):
                now.search_seed()
            continue
        seed = now.search_seed()
        assert 0 <= seed < 2**53
        assert seed == now.search_seed() == replace(now, version=now.version + 1).search_seed()
        seen[now.shuffle, len(now.game.deal.history)] = seed
    assert len(set(seen.values())) == len(seen) > 40


def test_search_seeds_follow_from_the_secret_seed_alone() -> None:
    waiting = begin(settings_of(Rules()), random.Random(14)).hosted

    def first(game: HostedGame, client_seed: str) -> int:
        return hosted.deal(game, client_seed, NOW).hosted.search_seed()

    assert first(waiting, "") == first(waiting, "x")
    assert first(waiting, "") != first(replace(waiting, promise=bytes(32)), "")
    assert first(replace(waiting, promise=bytes(range(32))), "") == 2_850_518_770_813_962  # by openssl dgst -mac HMAC
