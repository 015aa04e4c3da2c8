"""What can be done with hosted games, as plain functions: no Flask here, and no rule of the game either.

A human action that hands the turn to the computer makes two commits: the action's own, which is durable before anything
is searched, and one for each computer's action. Whoever dies in between leaves an action of the computer due; `ai_move`
completes it.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.actions import PLAYS
from engine.errors import NotYourTurn
from engine.events import Reason
from engine.observation import observe
from service import auth, codec, hosted, store
from service.errors import DealInProgress, SearchBusy, StoreUnavailable, UnknownDeal, UnknownGame, VersionConflict
from service.hosted import SearchTrace, SeatKind
from service.slots import SearchSlots, Urgency

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ai.policy import Budget, SearchResult
    from engine.actions import Action
    from engine.cards import Rank, Seat
    from engine.game import Game
    from engine.observation import Observation
    from service.auth import SeatToken
    from service.hosted import Change, DealHead, HostedGame, LoggedEvent, Settings
    from service.store import GameStore

_log = logging.getLogger(__name__)

GAME_ID_BYTES = 16
_GAME_ID = re.compile(rf"[0-9a-f]{{{2 * GAME_ID_BYTES}}}", re.ASCII)


def now_in_milliseconds() -> int:
    """The time in milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Ports:
    """What the use cases need of the world outside: a store, search slots, a clock, and how long games are kept."""

    store: GameStore
    slots: SearchSlots
    active_ttl_seconds: int
    finished_ttl_seconds: int
    clock: Callable[[], int] = now_in_milliseconds


@dataclass(frozen=True, slots=True)
class Opened:
    """A game as one request sees it; `viewer` is the seat of the request's token, None for the public."""

    hosted: HostedGame
    viewer: Seat | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an action led to: the game now, and every event since the version that was acted on."""

    hosted: HostedGame
    events: tuple[LoggedEvent, ...]


@dataclass(frozen=True, slots=True)
class Creation:
    """A new game and its tokens, which are told this once."""

    hosted: HostedGame
    tokens: tuple[SeatToken, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """Some of a game's events; `next_after` continues where it ends, None at the end."""

    events: tuple[LoggedEvent, ...]
    next_after: int | None


@dataclass(frozen=True, slots=True)
class DealRecord:
    """An ended deal: its head and all its events, unredacted."""

    head: DealHead
    events: tuple[LoggedEvent, ...]


def create_game(ports: Ports, settings: Settings) -> Creation:
    """A new game, with one token for each human seat, or a single one without a seat when there is none."""
    humans = [seat for seat, one in enumerate(settings.seats) if one.kind is SeatKind.HUMAN]
    tokens = tuple(auth.SeatToken(seat, auth.new_token()) for seat in (humans or (None,)))
    change = hosted.create(secrets.token_hex(GAME_ID_BYTES), settings, ports.clock())
    new = store.NewGame(
        game_id=change.hosted.game_id,
        state=codec.encode_game(change.hosted),
        access=auth.access_of(tokens),
        events=[codec.encode_event(event) for event in change.events],
        ttl_seconds=ports.active_ttl_seconds,
    )
    if not ports.store.create(new):
        raise RuntimeError("a random game id of 128 bits came twice")
    return Creation(change.hosted, tokens)


def open_game(ports: Ports, game_id: str, token: str | None) -> Opened:
    """The game as the token's seat sees it, without a token as the public does. Raises UnknownGame, InvalidToken."""
    # The store's keys are made of the id: what no game was ever given does not get near them.
    loaded = ports.store.load(game_id) if _GAME_ID.fullmatch(game_id) else None
    if loaded is None:
        raise UnknownGame
    viewer = None if token is None else auth.seat_of(loaded.game.access, token)
    return Opened(codec.decode_game(game_id, loaded.game.version, loaded.game.state), viewer)


def check_version(opened: Opened, version: int) -> None:
    """Raises VersionConflict: the game is at another version."""
    if version != opened.hosted.version:
        raise VersionConflict(opened.hosted.version)


def deal(ports: Ports, opened: Opened, client_seed: str) -> Outcome:
    """Shuffle and deal the next deal. Raises GameFinished, WrongPhase, VersionConflict (a race was lost)."""
    change = hosted.deal(opened.hosted, client_seed, ports.clock())
    return _commit_and_reply(ports, change)


def play(ports: Ports, opened: Opened, cards: Sequence[Rank]) -> Outcome:
    """Lead or follow with cards. Raises the engine's refusals in API.md's order, VersionConflict."""
    game = opened.hosted.game
    game.check_phase(PLAYS[0])
    return take_action(ports, opened, game.play_of(_seat_to_act(opened), cards))


def take_action(ports: Ports, opened: Opened, action: Action) -> Outcome:
    """An action of the viewer's seat. Raises the engine's refusals in API.md's order, VersionConflict."""
    opened.hosted.game.check_phase(action)
    change = hosted.act(opened.hosted, _seat_to_act(opened), action, ports.clock())
    return _commit_and_reply(ports, change)


def resign(ports: Ports, opened: Opened) -> Outcome:
    """The other seat wins the game. Raises GameFinished, NotYourTurn (a token without a seat), VersionConflict."""
    opened.hosted.game.check_running()
    if opened.viewer is None:
        raise NotYourTurn("this token has no seat that could resign", "R21")
    change = hosted.concede(opened.hosted, opened.viewer, Reason.RESIGNATION, ports.clock())
    return _commit_and_reply(ports, change)


def ai_move(ports: Ports, opened: Opened) -> Outcome:
    """The computer's one due action. Raises GameFinished, WrongPhase, NotYourTurn, SearchBusy, VersionConflict."""
    opened.hosted.game.check_deal_is_running()
    if opened.hosted.ai_to_act is None:
        raise NotYourTurn("no action of the computer is due")
    change = _ai_change(ports, opened.hosted)
    _commit(ports, change)
    return Outcome(change.hosted, change.events)


def suggest(ports: Ports, opened: Opened, budget: Budget, seed: int) -> SearchResult:
    """Advice for the viewer's seat. Raises GameFinished, WrongPhase, NotYourTurn, SearchBusy."""
    opened.hosted.game.check_deal_is_running()
    seat = _seat_to_act(opened)
    running = opened.hosted.game.deal
    assert running is not None  # noqa: S101 - just checked
    return advise(ports, observe(running, seat), budget, seed)


def advise(ports: Ports, observation: Observation, budget: Budget, seed: int) -> SearchResult:
    """Advice for an observation, wherever it comes from. Raises SearchBusy."""
    from ai import policy  # noqa: PLC0415 - Numba takes a while to load, and most of the service does without

    with ports.slots.taken(Urgency.ADVICE):
        return policy.search(observation, budget, seed)


def history(ports: Ports, opened: Opened, after: int, limit: int) -> Page:
    """Up to `limit` events with versions above `after`, unredacted: whoever shows them redacts them."""
    found = _events(ports, opened.hosted.game_id, after, limit + 1)
    events = found[:limit]
    return Page(events, events[-1].version if len(found) > limit else None)


def deal_record(ports: Ports, opened: Opened, number: int) -> DealRecord:
    """The record of an ended deal. Raises UnknownDeal, DealInProgress."""
    running = opened.hosted.game.deal
    if running is not None and running.number == number:
        raise DealInProgress
    stored = ports.store.deal_head(opened.hosted.game_id, number)
    if stored is None:
        raise UnknownDeal
    head = codec.decode_head(stored)
    events = _events(ports, opened.hosted.game_id, head.first - 1, head.last - head.first + 1)
    return DealRecord(head, events)


def _events(ports: Ports, game_id: str, after: int, limit: int) -> tuple[LoggedEvent, ...]:
    stored = ports.store.events(game_id, after, limit)
    return tuple(codec.decode_event(version, event) for version, event in stored)


def _seat_to_act(opened: Opened) -> Seat:
    game: Game = opened.hosted.game
    game.check_running()
    if opened.viewer is None or opened.viewer != game.to_act:
        raise NotYourTurn("this token's seat is not to act")
    return opened.viewer


def _commit_and_reply(ports: Ports, change: Change) -> Outcome:
    """Store a human's change, then let the computer make its due actions where the game says so."""
    _commit(ports, change)
    outcome = Outcome(change.hosted, change.events)
    while outcome.hosted.ai_reply is hosted.AiReply.AUTO and outcome.hosted.ai_to_act is not None:
        try:
            reply = _ai_change(ports, outcome.hosted)
        except SearchBusy:
            return outcome  # the action itself is stored, so it answers 200; ai-move carries on
        except Exception:  # noqa: BLE001 - whatever it was, the human action is stored and answers 200
            _log.exception("game %s: the computer's search failed; its action stays due", outcome.hosted.game_id)
            return outcome
        try:
            outcome = _continued(ports, outcome, reply)
        except (StoreUnavailable, UnknownGame):
            return outcome  # likewise
    return outcome


def _continued(ports: Ports, outcome: Outcome, reply: Change) -> Outcome:
    """The outcome with the computer's reply, or with what somebody else has done meanwhile, perhaps not to the end."""
    try:
        _commit(ports, reply)
    except VersionConflict:
        return _catch_up(ports, outcome)
    return Outcome(reply.hosted, outcome.events + reply.events)


def _catch_up(ports: Ports, outcome: Outcome) -> Outcome:
    """The outcome together with what others have done since."""
    game_id = outcome.hosted.game_id
    current = open_game(ports, game_id, None).hosted
    missing = current.version - outcome.hosted.version
    return Outcome(current, outcome.events + _events(ports, game_id, outcome.hosted.version, missing))


def _ai_change(ports: Ports, game: HostedGame) -> Change:
    seat, running = game.ai_to_act, game.game.deal
    assert seat is not None  # noqa: S101 - callers have checked
    assert running is not None  # noqa: S101
    number = game.seats[seat].level
    assert number is not None  # noqa: S101 - every computer's seat has a level
    from ai import policy  # noqa: PLC0415 - as in advise

    level, seed = policy.LEVELS[number], game.search_seed()
    with ports.slots.taken(Urgency.MOVE):
        choice = policy.choose_action(observe(running, seat), level, seed)
    trace = SearchTrace(choice.result.simulations, seed, number)
    return hosted.act(game, seat, choice.action, ports.clock(), trace)


def _commit(ports: Ports, change: Change) -> None:
    """Store a change. Raises VersionConflict, UnknownGame (it expired meanwhile), StoreUnavailable."""
    after = change.hosted
    finished = after.game.winner is not None
    commit = store.Commit(
        game_id=after.game_id,
        request_id=secrets.token_hex(8),
        expected_version=after.version - len(change.events),
        state=codec.encode_game(after),
        events=[codec.encode_event(event) for event in change.events],
        ttl_seconds=ports.finished_ttl_seconds if finished else ports.active_ttl_seconds,
        ended_deals={} if change.ended is None else {change.ended.number: codec.encode_head(change.ended)},
    )
    match ports.store.commit(commit):
        case store.Conflict(current):
            raise VersionConflict(current)
        case store.UnknownGame():
            raise UnknownGame
