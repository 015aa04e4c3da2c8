"""What can be done with hosted games, as plain functions: no Flask here, and no rule of the game either."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.actions import PLAYS
from engine.errors import NotYourTurn
from engine.events import Reason
from engine.observation import observe
from service import auth, codec, hosted, metrics, store
from service.errors import (
    ClientGone,
    DeadlineNotReached,
    DealInProgress,
    Refused,
    UnknownDeal,
)
from service.hosted import SeatKind
from service.opening import GAME_ID_BYTES, Opened, Outcome, Ports, events_of
from service.replies import ai_change, commit_and_reply, commit_only
from service.slots import Urgency

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ai.policy import Budget, SearchResult
    from engine.actions import Action
    from engine.cards import Rank, Seat
    from engine.game import Game
    from engine.observation import Observation
    from service.auth import SeatToken
    from service.hosted import DealHead, HostedGame, LoggedEvent, Settings
    from service.store import KeyRecord

__all__ = [
    "Creation",
    "DealRecord",
    "GameIdTaken",
    "Origin",
    "Page",
    "advise",
    "advise_on_some",
    "ai_move",
    "claim",
    "create_game",
    "deal",
    "deal_head",
    "deal_record",
    "history",
    "play",
    "record_of",
    "resign",
    "suggest",
    "take_action",
]


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


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a new game's id and its tokens come from, and what is recorded of its creation.

    `token` answers the token of a seat, None where that seat's is not made now.
    """

    game_id: str
    token: Callable[[Seat | None], str | None]
    record: Callable[[HostedGame], KeyRecord] | None = None


class GameIdTaken(Exception):
    """There is, or lately was, a game of this id."""


def create_game(ports: Ports, settings: Settings, origin: Origin | None = None) -> Creation:
    """A new game, with one token for each human seat, or a single one without a seat when there is none.

    Id and tokens are random without an origin. Raises GameIdTaken.
    """
    if origin is None:
        origin = Origin(secrets.token_hex(GAME_ID_BYTES), lambda _: auth.new_token())
    humans = [seat for seat, one in enumerate(settings.seats) if one.kind is SeatKind.HUMAN]
    made = ((seat, origin.token(seat)) for seat in (humans or (None,)))
    tokens = tuple(auth.SeatToken(seat, token) for seat, token in made if token is not None)
    change = hosted.create(origin.game_id, settings, ports.clock())
    new = store.NewGame(
        game_id=change.hosted.game_id,
        state=codec.encode_game(change.hosted),
        access=auth.access_of(tokens),
        events=[codec.encode_event(event) for event in change.events],
        ttl_seconds=ports.active_ttl_seconds,
        key=None if origin.record is None else origin.record(change.hosted),
    )
    if not ports.store.create(new):
        raise GameIdTaken(origin.game_id)
    metrics.game_created()
    return Creation(change.hosted, tokens)


def deal(ports: Ports, opened: Opened, client_seed: str) -> Outcome:
    """Shuffle and deal the next deal. Raises GameFinished, WrongPhase, VersionConflict (a race was lost)."""
    change = hosted.deal(opened.hosted, client_seed, ports.clock())
    return commit_and_reply(ports, opened, change)


def play(ports: Ports, opened: Opened, cards: Sequence[Rank]) -> Outcome:
    """Lead or follow with cards. Raises the engine's refusals in API.md's order, VersionConflict."""
    game = opened.hosted.game
    game.check_phase(PLAYS[0])
    return take_action(ports, opened, game.play_of(_seat_to_act(opened), cards))


def take_action(ports: Ports, opened: Opened, action: Action) -> Outcome:
    """An action of the viewer's seat. Raises the engine's refusals in API.md's order, VersionConflict."""
    opened.hosted.game.check_phase(action)
    change = hosted.act(opened.hosted, _seat_to_act(opened), action, ports.clock())
    return commit_and_reply(ports, opened, change)


def resign(ports: Ports, opened: Opened) -> Outcome:
    """The other seat wins the game. Raises GameFinished, NotYourTurn (a token without a seat), VersionConflict."""
    opened.hosted.game.check_running()
    if opened.viewer is None:
        raise NotYourTurn("this token has no seat that could resign", "R21")
    change = hosted.concede(opened.hosted, opened.viewer, Reason.RESIGNATION, ports.clock())
    return commit_and_reply(ports, opened, change)


def claim(ports: Ports, opened: Opened) -> Outcome:
    """The waiting seat wins on time.

    Raises GameFinished, DeadlineNotReached (also where no clock runs), NotYourTurn (not the waiting seat's token),
    VersionConflict.
    """
    game = opened.hosted
    game.game.check_running()
    if game.turn_deadline is None:
        raise Refused(DeadlineNotReached("No clock is running in this game."), game.version)
    late = game.game.to_act
    if opened.viewer is None or late is None or opened.viewer == late:
        raise NotYourTurn("only the seat that waits for the other one may claim")
    if ports.clock() < game.turn_deadline:
        raise Refused(DeadlineNotReached("The other seat still has time."), game.version)
    return commit_and_reply(ports, opened, hosted.concede(game, late, Reason.TIME, ports.clock()))


def ai_move(ports: Ports, opened: Opened) -> Outcome:
    """The computer's one due action. Raises GameFinished, WrongPhase, NotYourTurn, SearchBusy, VersionConflict."""
    opened.hosted.game.check_deal_is_running()
    if opened.hosted.ai_to_act is None:
        raise NotYourTurn("no action of the computer is due")
    return commit_only(ports, opened, ai_change(ports, opened.hosted))


def suggest(ports: Ports, opened: Opened, budget: Budget, seed: int) -> SearchResult:
    """Advice for the viewer's seat. Raises GameFinished, WrongPhase, NotYourTurn, SearchBusy."""
    opened.hosted.game.check_deal_is_running()
    seat = _seat_to_act(opened)
    running = opened.hosted.game.deal
    assert running is not None  # noqa: S101 - just checked
    return advise(ports, observe(running, seat), budget, seed)


def advise(ports: Ports, observation: Observation, budget: Budget, seed: int) -> SearchResult:
    """Advice for an observation, wherever it comes from. Raises SearchBusy, ClientGone."""
    return advise_on_some(ports, [observation], budget, seed, 0.0)[0]


def advise_on_some(
    ports: Ports, observations: Iterable[Observation], budget: Budget, seed: int, seconds: float
) -> list[SearchResult]:
    """Advice for the first of these observations, and for those after it that are begun within `seconds`.

    They wait for one slot together. Raises SearchBusy, ClientGone.
    """
    from ai import policy  # noqa: PLC0415 - Numba takes a while to load, and most of the service does without

    level = next((level.number for level in policy.LEVELS.values() if level.budget == budget), 0)
    results = []
    try:
        with ports.slots.taken(Urgency.ADVICE, ports.gone):
            deadline = time.monotonic() + seconds
            for observation in observations:
                results.append(policy.search(observation, budget, seed, ports.gone))
                metrics.searched(Urgency.ADVICE.label, level)
                if time.monotonic() >= deadline:
                    break
    except policy.SearchStopped:
        metrics.search_refused(Urgency.ADVICE.label, "gone")
        raise ClientGone from None
    return results


def history(ports: Ports, opened: Opened, after: int, limit: int) -> Page:
    """Up to `limit` events with versions above `after`, unredacted: whoever shows them redacts them."""
    found = events_of(ports, opened.hosted.game_id, after, limit + 1)
    events = found[:limit]
    return Page(events, events[-1].version if len(found) > limit else None)


def deal_head(ports: Ports, opened: Opened, number: int) -> DealHead:
    """The head of an ended deal's record. Raises UnknownDeal, DealInProgress."""
    running = opened.hosted.game.deal
    if running is not None and running.number == number:
        raise DealInProgress
    stored = ports.store.deal_head(opened.hosted.game_id, number)
    if stored is None:
        raise UnknownDeal
    return codec.decode_head(stored)


def deal_record(ports: Ports, opened: Opened, number: int) -> DealRecord:
    """The record of an ended deal. Raises UnknownDeal, DealInProgress."""
    return record_of(ports, opened, deal_head(ports, opened, number))


def record_of(ports: Ports, opened: Opened, head: DealHead) -> DealRecord:
    """The record that a head belongs to."""
    events = events_of(ports, opened.hosted.game_id, head.first - 1, head.last - head.first + 1)
    return DealRecord(head, events)


def _seat_to_act(opened: Opened) -> Seat:
    game: Game = opened.hosted.game
    game.check_running()
    if opened.viewer is None or opened.viewer != game.to_act:
        raise NotYourTurn("this token's seat is not to act")
    return opened.viewer
