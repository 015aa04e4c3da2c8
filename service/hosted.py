"""A game as the service hosts it: the engine's game plus its seats, its clock and the secret seeds of its deals.

Pure and immutable like the engine: every change answers the next HostedGame and the events that led there.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from engine.deal import Phase
from engine.events import DealEnded, Event, Reason
from engine.game import Game
from engine.shuffle import SEED_BYTES, Shuffle

if TYPE_CHECKING:
    from engine.actions import Action
    from engine.cards import Seat
    from engine.rules import Rules

SEED_BITS = 53
"""Search seeds are whole numbers that every JSON reader keeps exact."""


class SeatKind(StrEnum):
    """Who sits there."""

    HUMAN = "human"
    AI = "ai"


class AiReply(StrEnum):
    """Whether the computer's due actions are made inside the request that hands it the turn, or on demand."""

    AUTO = "auto"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class SeatSettings:
    """One seat: a human with or without a name, or the computer at a level (1 to 5)."""

    kind: SeatKind
    name: str | None = None
    level: int | None = None


SeatPair: TypeAlias = tuple[SeatSettings, SeatSettings]


@dataclass(frozen=True, slots=True)
class Created:
    """The first event of every game."""

    rules: Rules
    seats: SeatPair
    first_leader: Seat


@dataclass(frozen=True, slots=True)
class SearchTrace:
    """What an AI's choice can be computed again from, once its deal has ended."""

    simulations: int
    seed: int
    level: int


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """An event with its version, its time (milliseconds since 1970, UTC), and what only the service adds to it.

    `commitment` accompanies a Dealt, `search` an action that the computer chose.
    """

    version: int
    at: int
    event: Created | Event
    commitment: str | None = None
    search: SearchTrace | None = None


@dataclass(frozen=True, slots=True)
class DealHead:
    """What is kept of an ended deal beside its events, which have the versions `first` to `last`.

    `winner` is None for a deal that a resignation or the clock cut short.
    """

    number: int
    starter: Seat
    winner: Seat | None
    shuffle: Shuffle
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class HostedGame:
    """A game at one version.

    `deal_seeds` are the seeds the creator set, by deal, None for secret random ones; `promise` is the seed of the next
    deal while the game waits for it; `shuffle` and `dealt_at` (the version of its Dealt) belong to the deal being
    played. `turn_deadline` is in milliseconds since 1970, None without a clock or while no human is to act.
    """

    game_id: str
    version: int
    game: Game
    seats: SeatPair
    ai_reply: AiReply
    turn_seconds: int | None = None
    turn_deadline: int | None = None
    deal_seeds: tuple[bytes, ...] | None = field(default=None, repr=False)
    promise: bytes | None = field(default=None, repr=False)
    shuffle: Shuffle | None = field(default=None, repr=False)
    dealt_at: int | None = None

    @property
    def ai_to_act(self) -> Seat | None:
        """The computer's seat when its action is due, else None."""
        seat = self.game.to_act
        return seat if seat is not None and self.seats[seat].kind is SeatKind.AI else None

    def search_seed(self) -> int:
        """The seed for the computer's due choice: fixed by the deal's secret seed, so nobody can pick or foresee it.

        HMAC-SHA-256(key = the deal's seed, message = "search" and the number of actions so far), its first 53 bits.
        """
        if self.shuffle is None or self.game.deal is None:
            raise ValueError("no deal is being played")
        message = f"search{len(self.game.deal.history)}".encode()
        digest = hmac.digest(self.shuffle.seed, message, "sha256")
        return int.from_bytes(digest[:8], "big") >> (64 - SEED_BITS)


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a hosted game: what it is now, what happened, and the deal that ended with it."""

    hosted: HostedGame
    events: tuple[LoggedEvent, ...]
    ended: DealHead | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """What a game is created with; `first_leader` None draws the seat at random (R22)."""

    rules: Rules
    seats: SeatPair
    first_leader: Seat | None = None
    ai_reply: AiReply = AiReply.AUTO
    turn_seconds: int | None = None
    deal_seeds: tuple[bytes, ...] | None = None


def create(game_id: str, settings: Settings, now: int) -> Change:
    """A new game waiting for its first deal, at version 1. A game between two computers is always manual."""
    leader = secrets.randbelow(2) if settings.first_leader is None else settings.first_leader
    has_human = any(seat.kind is SeatKind.HUMAN for seat in settings.seats)
    hosted = HostedGame(
        game_id=game_id,
        version=1,
        game=Game(settings.rules, leader),
        seats=settings.seats,
        ai_reply=settings.ai_reply if has_human else AiReply.MANUAL,
        turn_seconds=settings.turn_seconds,
        deal_seeds=settings.deal_seeds,
    )
    created = LoggedEvent(1, now, Created(settings.rules, settings.seats, leader))
    return Change(replace(hosted, promise=_next_seed(hosted)), (created,))


def deal(hosted: HostedGame, client_seed: str, now: int) -> Change:
    """Shuffle with the promised seed and deal. Raises GameFinished, WrongPhase."""
    hosted.game.check_deal_is_due()
    assert hosted.promise is not None  # noqa: S101 - true of every game that waits for a deal
    shuffle = Shuffle(hosted.promise, client_seed)
    game, (dealt,) = hosted.game.start_deal(shuffle.deck())
    version = hosted.version + 1
    deadline = _deadline(hosted, game, now)
    dealing = replace(
        hosted, version=version, game=game, promise=None, shuffle=shuffle, dealt_at=version, turn_deadline=deadline
    )
    return Change(dealing, (LoggedEvent(version, now, dealt, shuffle.commitment),))


def act(hosted: HostedGame, seat: Seat, action: Action, now: int, search: SearchTrace | None = None) -> Change:
    """A seat's action and all that follows from it. Raises what Game.apply raises."""
    game, events = hosted.game.apply(seat, action)
    logged = [LoggedEvent(version, now, event) for version, event in enumerate(events, hosted.version + 1)]
    if search is not None:
        logged[0] = replace(logged[0], search=search)
    return _settle(hosted, game, tuple(logged), now)


def concede(hosted: HostedGame, seat: Seat, reason: Reason, now: int) -> Change:
    """The game lost by `seat` through resignation or time. Raises GameFinished."""
    game, (ended,) = hosted.game.concede(seat, reason)
    return _settle(hosted, game, (LoggedEvent(hosted.version + 1, now, ended),), now)


def _settle(hosted: HostedGame, game: Game, events: tuple[LoggedEvent, ...], now: int) -> Change:
    """The hosted game after events; closes the deal that ended with them and promises the next one."""
    changed = replace(hosted, version=events[-1].version, game=game, turn_deadline=_deadline(hosted, game, now))
    if game.deal is not None:
        return Change(changed, events)
    head = None
    if hosted.game.deal is not None:
        assert hosted.shuffle is not None  # noqa: S101 - true of every game with a deal on the table
        assert hosted.dealt_at is not None  # noqa: S101
        endings = [logged for logged in events if isinstance(logged.event, DealEnded)]
        last = endings[0].version if endings else hosted.version
        winner = game.last_deal.winner if endings and game.last_deal else None
        running = hosted.game.deal
        head = DealHead(running.number, running.starter, winner, hosted.shuffle, hosted.dealt_at, last)
    seed = None if game.phase is Phase.FINISHED else _next_seed(changed)
    settled = replace(changed, promise=seed, shuffle=None, dealt_at=None)
    return Change(settled, events, head)


def _next_seed(hosted: HostedGame) -> bytes:
    seeds = hosted.deal_seeds or ()
    return seeds[hosted.game.deals] if hosted.game.deals < len(seeds) else secrets.token_bytes(SEED_BYTES)


def _deadline(hosted: HostedGame, game: Game, now: int) -> int | None:
    """When the time of the person to act in `game` ends; None without a clock, or while no person is to act."""
    seat = game.to_act
    if hosted.turn_seconds is None or seat is None or hosted.seats[seat].kind is SeatKind.AI:
        return None
    return now + 1000 * hosted.turn_seconds
