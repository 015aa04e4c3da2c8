"""A finished game whole: what it was created with, every deal's record, how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import WrongPhase
from engine.events import GameEnded
from service import codec
from service.errors import DealInProgress, UnknownGame
from service.usecases import DealRecord
from service.views import Json, record_json, rules_json, seats_json, time_text

if TYPE_CHECKING:
    from service.hosted import HostedGame, LoggedEvent
    from service.opening import Opened, Ports

PAGE = 2000
"""Events read in one round trip: about half a megabyte."""


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game, its first and last event, and its deals in order."""

    hosted: HostedGame
    created: LoggedEvent
    ended: LoggedEvent
    deals: tuple[DealRecord, ...]


def game_record(ports: Ports, opened: Opened) -> GameRecord:
    """The record of a finished game. Raises DealInProgress, WrongPhase (it waits for a deal), UnknownGame (expired)."""
    now = opened.hosted
    if now.game.deal is not None:
        raise DealInProgress("This game is still being played; its record opens when it ends.")
    if now.game.winner is None:
        raise WrongPhase("the game is not finished")
    events = _all_events(ports, now)
    heads = [codec.decode_head(stored) for stored in ports.store.deal_heads(now.game_id).values()]
    if len(events) != now.version or len(heads) != now.game.deals:
        raise UnknownGame
    deals = tuple(DealRecord(head, events[head.first - 1 : head.last]) for head in heads)
    return GameRecord(now, events[0], events[-1], deals)


def _all_events(ports: Ports, now: HostedGame) -> tuple[LoggedEvent, ...]:
    events: list[LoggedEvent] = []
    while len(events) < now.version:
        page = ports.store.events(now.game_id, len(events), PAGE)
        if not page:
            break
        events += [codec.decode_event(version, stored) for version, stored in page]
    return tuple(events)


def about_json(record: GameRecord) -> Json:
    """What is told of the game beside its deals."""
    now, ended = record.hosted, record.ended.event
    assert isinstance(ended, GameEnded)  # noqa: S101 - the last event of every finished game
    return {
        "game": now.game_id,
        "created_at": time_text(record.created.at),
        "ended_at": time_text(record.ended.at),
        "rules": rules_json(now.game.rules),
        "seats": seats_json(now.seats, now.game.scores),
        "first_leader": now.game.first_leader,
        "seeded": now.deal_seeds is not None,
        "turn_seconds": now.turn_seconds,
        "winner": ended.winner,
        "reason": ended.reason,
    }


def deals_json(record: GameRecord) -> list[Json]:
    """The records of the deals."""
    return [record_json(record.hosted, deal.head, deal.events) for deal in record.deals]
