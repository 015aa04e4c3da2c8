"""The computer's replies on a real store: when they come, who wins a race, what a crash leaves."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from engine.deal import Phase
from engine.errors import GameFinished, NotYourTurn, WrongPhase
from engine.events import Dealt, GameEnded, Reason
from engine.observation import observe
from engine.rules import Rules
from service import codec, usecases
from service.errors import SearchBusy, StoreUnavailable, UnknownGame, VersionConflict
from service.hosted import AiReply
from service.opening import Opened, Outcome, Ports
from service.slots import Urgency
from tests.played import FIRST_AGAINST_AI, HUMANS, MACHINES, settings_of
from tests.service.held import InterruptedStore, at_play, auto, held, ports, reopened, some_action, versions
from tests.stored import contents, raw

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.embedded import EmbeddedStore
    from service.hosted import SeatPair

__all__ = ["held", "ports"]  # fixtures


# -------------------------------------------------------------------------------------- the computer's reply
def test_the_computer_replies_inside_the_request_that_hands_it_the_turn(ports: Ports, held: InterruptedStore) -> None:
    creation, opened = at_play(ports, auto(FIRST_AGAINST_AI))
    held.interrupt(99, list)
    outcome = usecases.take_action(ports, opened, some_action(opened))
    assert outcome.hosted.ai_to_act is None
    assert len(held.commits) > 1
    assert versions(outcome) == list(range(opened.hosted.version + 1, outcome.hosted.version + 1))
    assert {logged.event.seat for logged in outcome.events if logged.search} == {1}  # type: ignore[union-attr]
    assert reopened(ports, creation, 0).hosted == outcome.hosted


def test_the_computer_leads_inside_the_deal_request(ports: Ports) -> None:
    creation = usecases.create_game(ports, auto(FIRST_AGAINST_AI, leader=1))
    outcome = usecases.deal(ports, reopened(ports, creation, 0), "")
    assert outcome.hosted.game.to_act == 0
    assert isinstance(outcome.events[0].event, Dealt)
    assert outcome.events[1].search is not None


@pytest.mark.parametrize("seats", [FIRST_AGAINST_AI, MACHINES])
def test_a_manual_computer_waits_to_be_asked_and_takes_one_action(ports: Ports, seats: SeatPair) -> None:
    settings = replace(auto(seats, leader=1), ai_reply=AiReply.MANUAL)
    creation, opened = at_play(ports, settings)
    assert opened.hosted.ai_to_act == 1
    version = opened.hosted.version
    outcome = usecases.ai_move(ports, opened)
    assert outcome.events[0].search is not None
    assert sum(logged.search is not None for logged in outcome.events) == 1
    assert versions(outcome)[0] == version + 1
    assert reopened(ports, creation, creation.tokens[0].seat).hosted == outcome.hosted


def test_the_computers_choice_can_be_computed_again_from_its_trace(ports: Ports) -> None:
    from ai import policy

    creation = usecases.create_game(ports, settings_of(Rules(points_to_win=1), MACHINES))
    outcome = usecases.deal(ports, reopened(ports, creation, None), "")
    for _ in range(12):
        before = outcome.hosted
        assert before.game.deal is not None
        assert before.ai_to_act is not None
        outcome = usecases.ai_move(ports, Opened(before, None))
        trace = outcome.events[0].search
        assert trace is not None
        assert trace.seed == before.search_seed()
        seen = observe(before.game.deal, before.ai_to_act)
        chosen = policy.choose_action(seen, policy.LEVELS[trace.level], trace.seed)
        assert before.game.apply(before.ai_to_act, chosen.action)[1] == tuple(one.event for one in outcome.events)
        if outcome.hosted.game.deal is None:
            break


def test_a_move_without_a_choice_takes_as_long_as_any_other(ports: Ports) -> None:
    """Else its time would tell what the hand does not hold; R24 has what the other seat may know of it."""
    from ai.levels import LEVELS

    creation = usecases.create_game(ports, settings_of(Rules(points_to_win=1), MACHINES))
    outcome = usecases.deal(ports, reopened(ports, creation, None), "")
    forced = 0
    while outcome.hosted.game.deal is not None:
        before = outcome.hosted
        assert before.game.deal is not None
        begin = time.monotonic()
        outcome = usecases.ai_move(ports, Opened(before, None))
        seconds = time.monotonic() - begin
        trace = outcome.events[0].search
        assert trace is not None
        level = LEVELS[trace.level]
        assert trace.simulations == level.budget.simulations
        assert seconds >= level.least_ms / 1000
        forced += len(list(before.game.deal.legal_actions())) == 1
    assert forced


def test_ai_move_is_refused_when_no_computer_is_to_act(ports: Ports) -> None:
    creation, opened = at_play(ports, auto(FIRST_AGAINST_AI))
    with pytest.raises(NotYourTurn):
        usecases.ai_move(ports, opened)
    ended = usecases.resign(ports, opened)
    with pytest.raises(GameFinished):
        usecases.ai_move(ports, replace(opened, hosted=ended.hosted))
    waiting = usecases.create_game(ports, auto(FIRST_AGAINST_AI))
    with pytest.raises(WrongPhase):
        usecases.ai_move(ports, reopened(ports, waiting, 0))
    assert creation.hosted.game_id != waiting.hosted.game_id


# ------------------------------------------------------------------------------------------ no slot, a crash
def test_without_a_free_slot_the_action_stands_and_the_reply_stays_due(ports: Ports) -> None:
    creation, opened = at_play(ports, auto(FIRST_AGAINST_AI))
    with ports.slots.taken(Urgency.MOVE):
        outcome = usecases.take_action(ports, opened, some_action(opened))
        assert outcome.hosted.ai_to_act == 1
        assert versions(outcome) == [opened.hosted.version + 1]
        with pytest.raises(SearchBusy):
            usecases.ai_move(ports, reopened(ports, creation, 0))
    due = reopened(ports, creation, 0)
    assert due.hosted == outcome.hosted
    assert usecases.ai_move(ports, due).hosted.version > due.hosted.version


def _fail(*_: object) -> None:
    raise ZeroDivisionError


def test_a_failing_search_leaves_the_reply_due(ports: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    from ai import policy

    _, opened = at_play(ports, auto(FIRST_AGAINST_AI))
    with monkeypatch.context() as patch:
        patch.setattr(policy, "choose_action", _fail)
        outcome = usecases.take_action(ports, opened, some_action(opened))
    assert outcome.hosted.ai_to_act == 1
    assert usecases.ai_move(ports, replace(opened, hosted=outcome.hosted)).events[0].search is not None


class Killed(BaseException):
    """The process ends here."""


def _die() -> None:
    raise Killed


def test_who_dies_before_the_reply_leaves_the_action_stored_and_the_reply_due(
    ports: Ports, held: InterruptedStore
) -> None:
    creation, opened = at_play(ports, auto(FIRST_AGAINST_AI))
    held.interrupt(2, _die)
    action = some_action(opened)
    with pytest.raises(Killed):
        usecases.take_action(ports, opened, action)
    held.interrupt(99, list)
    due = reopened(ports, creation, 0)
    assert due.hosted.version == opened.hosted.version + 1
    assert due.hosted.ai_to_act == 1
    outcome = usecases.ai_move(ports, due)
    assert versions(outcome)[0] == due.hosted.version + 1
    assert outcome.hosted == reopened(ports, creation, 0).hosted


def test_who_dies_before_the_first_commit_leaves_nothing(ports: Ports, held: InterruptedStore) -> None:
    creation, opened = at_play(ports, auto(FIRST_AGAINST_AI))
    before = contents(held, creation.hosted.game_id)
    held.interrupt(1, _die)
    with pytest.raises(Killed):
        usecases.take_action(ports, opened, some_action(opened))
    assert contents(held, creation.hosted.game_id) == before


# -------------------------------------------------------------------------------------------------- races
def test_of_two_writers_one_is_told_the_version_of_the_other(ports: Ports, held: InterruptedStore) -> None:
    creation, opened = at_play(ports, auto(HUMANS))
    usecases.take_action(ports, opened, some_action(opened))
    before = contents(held, creation.hosted.game_id)
    attempts: list[Callable[[], Outcome]] = [
        lambda: usecases.take_action(ports, opened, some_action(opened)),
        lambda: usecases.resign(ports, opened),
    ]
    for attempt in attempts:
        with pytest.raises(VersionConflict) as refused:
            attempt()
        assert refused.value.current_version == opened.hosted.version + 1
    assert contents(held, creation.hosted.game_id) == before


def test_who_is_overtaken_during_the_reply_answers_with_what_the_other_did(
    ports: Ports, held: InterruptedStore
) -> None:
    creation, opened = at_play(ports, auto(FIRST_AGAINST_AI))

    def overtake() -> None:
        held.before = {}
        usecases.ai_move(ports, reopened(ports, creation, 0))

    held.interrupt(2, overtake)
    outcome = usecases.take_action(ports, opened, some_action(opened))
    assert versions(outcome) == list(range(opened.hosted.version + 1, outcome.hosted.version + 1))
    assert outcome.hosted == reopened(ports, creation, 0).hosted
    assert sum(logged.search is not None for logged in outcome.events) >= 1
    assert outcome.hosted.ai_to_act is None
    stored = held.events(creation.hosted.game_id, opened.hosted.version, 100)
    assert [codec.decode_event(version, event) for version, event in stored] == list(outcome.events)


def _lose_the_store() -> None:
    raise StoreUnavailable


def test_a_store_that_is_lost_before_the_reply_leaves_the_action_answered_and_the_reply_due(
    ports: Ports, held: InterruptedStore
) -> None:
    creation, opened = at_play(ports, auto(FIRST_AGAINST_AI))
    held.interrupt(2, _lose_the_store)
    outcome = usecases.take_action(ports, opened, some_action(opened))
    assert outcome.hosted == reopened(ports, creation, 0).hosted
    assert outcome.hosted.ai_to_act == 1
    assert versions(outcome) == [opened.hosted.version + 1]


def test_a_game_that_was_given_up_during_the_reply_is_answered_as_it_is(ports: Ports, held: InterruptedStore) -> None:
    creation, opened = at_play(ports, auto(FIRST_AGAINST_AI))
    held.interrupt(2, lambda: usecases.resign(ports, reopened(ports, creation, 0)))
    outcome = usecases.take_action(ports, opened, some_action(opened))
    assert outcome.hosted.game.phase is Phase.FINISHED
    assert outcome.events[-1].event == GameEnded(1, Reason.RESIGNATION)


def test_an_action_on_a_game_that_expired_meanwhile_is_on_an_unknown_game(
    ports: Ports, held: InterruptedStore, valkey: EmbeddedStore
) -> None:
    creation, opened = at_play(ports, auto(HUMANS))
    held.interrupt(1, lambda: raw(valkey).delete(f"crisps:{{{creation.hosted.game_id}}}"))
    with pytest.raises(UnknownGame):
        usecases.take_action(ports, opened, some_action(opened))
    assert held.load(creation.hosted.game_id) is None
