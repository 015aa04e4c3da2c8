"""Stream tickets: what a browser's EventSource, which cannot send headers, shows instead of a seat token.

A ticket opens one stream, once, within TICKET_SECONDS. The store has only its hash, and the seat it stands for.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Final

import orjson

from service.auth import new_token
from service.errors import InvalidToken
from service.redis_store import game_key

if TYPE_CHECKING:
    from engine.cards import Seat
    from service.live_store import LiveStore

TICKET_SECONDS: Final = 30
_TICKET = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)


def issue(store: LiveStore, game_id: str, viewer: Seat | None) -> str:
    """A new ticket for this viewer of a game. Raises StoreUnavailable."""
    ticket = new_token()
    store.keep(_key(game_id, ticket), orjson.dumps(viewer), TICKET_SECONDS)
    return ticket


def redeem(store: LiveStore, game_id: str, ticket: str, *, use_up: bool = True) -> Seat | None:
    """The viewer that a ticket stands for, which is worth nothing afterwards. Raises InvalidToken, StoreUnavailable."""
    kept = None
    if _TICKET.fullmatch(ticket):
        key = _key(game_id, ticket)
        kept = store.take(key) if use_up else store.look(key)
    if kept is None:
        raise InvalidToken("The ticket is none of this game's, was used before, or is too old.")
    viewer: Seat | None = orjson.loads(kept)
    return viewer


def _key(game_id: str, ticket: str) -> str:
    return f"{game_key(game_id)}:ticket:{hashlib.sha256(ticket.encode()).hexdigest()}"
