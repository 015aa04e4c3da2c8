"""How a change gets into the store, what the computer replies to it, and what a repeated request is answered.

A human action that hands the turn to the computer makes two commits or more: the action's own, which is durable
before anything is searched, and one for each of the computer's actions. Whoever dies in between leaves an action of
the computer due; ai-move completes it, or the repeated request with its key: retries.py tells what can come between.
"""

from __future__ import annotations

import logging
import secrets
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.events import GameEnded
from engine.observation import observe
from service import codec, hosted, metrics, store
from service.errors import SearchBusy, StoreUnavailable, UnknownGame, VersionConflict
from service.hosted import SearchTrace
from service.opening import Opened, Outcome, Ports, events_of, open_game
from service.slots import Urgency

if TYPE_CHECKING:
    from service.hosted import Change, HostedGame
    from service.retries import Once
    from service.store import KeyRecord

_log = logging.getLogger(__name__)

PATIENCE_SECONDS = 0.25
"""How long a repeated request waits for the first before it takes over: about five searches."""
LOOK_SECONDS = 0.02


def _reply_is_due(game: HostedGame) -> bool:
    return game.ai_reply is hosted.AiReply.AUTO and game.ai_to_act is not None


def commit_and_reply(ports: Ports, opened: Opened, change: Change) -> Outcome:
    """Store a human's change, then let the computer make its due actions where the game says so."""
    if not _reply_is_due(change.hosted):
        return commit_only(ports, opened, change)
    _commit(ports, change, None if opened.once is None else opened.once.pending())
    return _reply(ports, Outcome(change.hosted, change.events), opened.once)


def commit_only(ports: Ports, opened: Opened, change: Change) -> Outcome:
    """Store a change that answers the request."""
    return _commit_last(ports, Outcome(change.hosted, change.events), change, opened.once)


def _commit_last(ports: Ports, outcome: Outcome, change: Change, once: Once | None) -> Outcome:
    """Store the change that leads to `outcome`, and with it the answer; the outcome with the answer that counts."""
    if once is None:
        _commit(ports, change)
        return outcome
    answer = once.answer(outcome)
    kept = _commit(ports, change, once.settled(answer))
    return replace(outcome, answer=answer if kept is None else once.checked(kept).answer)


class _NotNow(Exception):
    """No slot was free for the computer's reply, and it is too early to answer without it."""


def _reply(ports: Ports, outcome: Outcome, once: Once | None, *, may_give_up: bool = True) -> Outcome:
    """Let the computer make its due actions; the record, if there is one, is pending before and settled after.

    Raises _NotNow unless it may give up; StoreUnavailable and UnknownGame only with a record, whose repeat finds out
    what has become of it.
    """
    while _reply_is_due(outcome.hosted):
        try:
            change = ai_change(ports, outcome.hosted)
        except SearchBusy:
            if not may_give_up:
                raise _NotNow from None
            break  # the action itself is stored, so it answers 200; ai-move carries on
        except Exception:  # noqa: BLE001 - whatever it was, the human action is stored and answers 200
            _log.exception("game %s: the computer's search failed; its action stays due", outcome.hosted.game_id)
            break
        try:
            outcome = _continued(ports, outcome, change, once)
        except (StoreUnavailable, UnknownGame):
            if once is None:
                break  # likewise
            raise
        if outcome.answer is not None:
            return outcome
    return outcome if once is None else _settle(ports, outcome, once)


def _continued(ports: Ports, outcome: Outcome, reply: Change, once: Once | None) -> Outcome:
    """The outcome with the computer's reply, or with what somebody else has done meanwhile, perhaps not to the end."""
    after = Outcome(reply.hosted, outcome.events + reply.events)
    try:
        if not _reply_is_due(after.hosted):
            return _commit_last(ports, after, reply, once)
        _commit(ports, reply)
    except VersionConflict:
        return _catch_up(ports, outcome, once)
    return after


def _settle(ports: Ports, outcome: Outcome, once: Once) -> Outcome:
    """The outcome with its answer recorded, or with the answer that somebody else has recorded."""
    kept = ports.store.settle(outcome.hosted.game_id, once.settled(once.answer(outcome)))
    return replace(outcome, answer=once.checked(kept).answer)


def _catch_up(ports: Ports, outcome: Outcome, once: Once | None = None) -> Outcome:
    """The outcome together with what others have done since, and the answer if one is recorded by now."""
    game_id = outcome.hosted.game_id
    now = open_game(ports, game_id, None, None if once is None else once.name)
    missing = now.hosted.version - outcome.hosted.version
    events = outcome.events + (events_of(ports, game_id, outcome.hosted.version, missing) if missing else ())
    answer = None if once is None or now.record is None else once.checked(now.record).answer
    return Outcome(now.hosted, events, answer)


def look_again(ports: Ports, opened: Opened, seconds: float = 0.0) -> Opened:
    """The game of a request with an idempotency key, and its record, as they are now, or once there is a record.

    The latter for so many seconds. Raises UnknownGame.
    """
    assert opened.once is not None  # noqa: S101 - callers have one
    deadline = time.monotonic() + seconds
    while True:
        now = open_game(ports, opened.hosted.game_id, None, opened.once.name)
        if now.record is not None or time.monotonic() >= deadline:
            return replace(opened, hosted=now.hosted, record=now.record)
        time.sleep(LOOK_SECONDS)


def repeat(ports: Ports, opened: Opened) -> Outcome:
    """What a request is answered whose key has a record: the recorded answer, carried on to where none is recorded.

    Raises IdempotencyKeyReused, UnknownGame.
    """
    assert opened.once is not None  # noqa: S101 - callers have looked
    begin = time.monotonic()
    while opened.record is not None:
        record = opened.once.checked(opened.record)
        if record.answer is not None:
            return Outcome(opened.hosted, (), record.answer)
        waited = time.monotonic() - begin
        if waited > PATIENCE_SECONDS:
            once = replace(opened.once, after=record.after)
            missing = opened.hosted.version - record.after
            events = events_of(ports, opened.hosted.game_id, record.after, missing)
            # The slots may be busy with this very reply: it is given up only after as long as a search may wait.
            with suppress(_NotNow):
                last = waited > ports.slots.wait_seconds
                return _reply(ports, Outcome(opened.hosted, events), once, may_give_up=last)
        time.sleep(LOOK_SECONDS)  # whoever sent it first may still be at work
        opened = look_again(ports, opened)
    raise VersionConflict(opened.hosted.version)  # a record of 24 hours ago, gone while we looked


def ai_change(ports: Ports, game: HostedGame) -> Change:
    """The computer's due action, not stored yet. Raises SearchBusy."""
    seat, running = game.ai_to_act, game.game.deal
    assert seat is not None  # noqa: S101 - callers have checked
    assert running is not None  # noqa: S101
    number = game.seats[seat].level
    assert number is not None  # noqa: S101 - every computer's seat has a level
    from ai import policy  # noqa: PLC0415 - Numba takes a while to load

    level, seed = policy.LEVELS[number], game.search_seed()
    # Not given up when the client goes: the move is the game's, and others may be waiting for it.
    with ports.slots.taken(Urgency.MOVE):
        begin = time.monotonic()
        choice = policy.choose_action(observe(running, seat), level, seed, spares=False)
    # A forced move takes as long as any other: neither answers and events nor metrics tell which it was.
    time.sleep(max(0.0, begin + level.least_ms / 1000 - time.monotonic()))
    metrics.searched(Urgency.MOVE.label, number, time.monotonic() - begin)
    trace = SearchTrace(choice.result.simulations, seed, number)
    return hosted.act(game, seat, choice.action, ports.clock(), trace)


def _commit(ports: Ports, change: Change, key: KeyRecord | None = None) -> bytes | None:
    """Store a change; the record that stays instead of `key`'s, None where there is none.

    Raises VersionConflict, UnknownGame (it expired meanwhile), StoreUnavailable.
    """
    after = change.hosted
    finished = after.game.winner is not None
    # a turn that may take longer than a game is kept must be there to be claimed
    kept_seconds = ports.active_ttl_seconds + (0 if after.turn_deadline is None else after.turn_seconds or 0)
    commit = store.Commit(
        game_id=after.game_id,
        request_id=secrets.token_hex(8),
        expected_version=after.version - len(change.events),
        state=codec.encode_game(after),
        events=[codec.encode_event(event) for event in change.events],
        ttl_seconds=ports.finished_ttl_seconds if finished else kept_seconds,
        ended_deals={} if change.ended is None else {change.ended.number: codec.encode_head(change.ended)},
        key=key,
    )
    match ports.store.commit(commit):
        case store.Committed(_, kept):
            if finished:
                _count_end(change)
            return kept
        case store.Conflict(current):
            raise VersionConflict(current)
        case _:
            raise UnknownGame


def _count_end(change: Change) -> None:
    for logged in change.events:
        if isinstance(logged.event, GameEnded):
            metrics.game_finished(logged.event.reason)
