"""What a store of games is asked and answers: the GameStore protocol. redis_store.py keeps it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game as it lies in the store at one version. What its bytes mean, codec.py and auth.py know."""

    version: int
    state: bytes
    access: bytes


@dataclass(frozen=True, slots=True)
class Loaded:
    """What one load answers: the game, and the record of the idempotency key asked for, if there is one."""

    game: StoredGame
    record: bytes | None = None


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """What to remember under an idempotency key; `name` is a digest and may hold no braces.

    `replaces` is the one value that it may replace. Where there is none: in a commit it replaces whatever is there, in
    `settle` nothing.
    """

    name: str
    value: bytes
    ttl_seconds: int
    replaces: bytes = b""


@dataclass(frozen=True, slots=True)
class NewGame:
    """A game to create; its events get the versions 1 to len(events)."""

    game_id: str
    state: bytes
    access: bytes
    events: Sequence[bytes]
    ttl_seconds: int
    key: KeyRecord | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """What one action does to a game at `expected_version`; events get the versions after it.

    `request_id` is new for each action and the same for each attempt to commit it. `ended_deals` maps the
    numbers of deals that the action ends to the heads of their records.
    """

    game_id: str
    request_id: str
    expected_version: int
    state: bytes
    events: Sequence[bytes]
    ttl_seconds: int
    ended_deals: Mapping[int, bytes] = field(default_factory=dict)
    key: KeyRecord | None = None


@dataclass(frozen=True, slots=True)
class Committed:
    """The commit took place, by this attempt or by an earlier one with the same request id.

    `record` is what is remembered under its key instead of what it brought, None where that is there.
    """

    version: int
    record: bytes | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """The game is at another version than expected; nothing was changed."""

    current_version: int


@dataclass(frozen=True, slots=True)
class UnknownGame:
    """No game has this id, or it has expired; nothing was changed."""


class GameStore(Protocol):
    """What the use cases need of a store; without an answer in time, StoreUnavailable is raised."""

    def load(self, game_id: str, key: str | None = None) -> Loaded | None:
        """The game, and with a key's name that key's record, in one round trip; None: no such game.

        The record is read after the game: without a record the game shows no trace of that key's request.
        """

    def create(self, game: NewGame) -> bool:
        """True once the game is stored; False when the id is taken, or its record is there; nothing is changed then."""

    def commit(self, commit: Commit) -> Committed | Conflict | UnknownGame:
        """Store an action if the game is still at the expected version; of racing commits one succeeds."""

    def record(self, game_id: str, name: str) -> bytes | None:
        """What is remembered under a key's name, also when the game is gone; None: nothing."""

    def settle(self, game_id: str, key: KeyRecord) -> bytes:
        """Remember this unless something other than `key.replaces` is; what is remembered now."""

    def admit(self, game_id: str, known: bytes, access: bytes) -> bool:
        """Replace a game's token hashes if they still are `known`; whether they were."""

    def events(self, game_id: str, after: int, limit: int) -> list[tuple[int, bytes]]:
        """Events with versions above `after`, at most `limit` (>= 1), as (version, bytes), ascending."""

    def deal_head(self, game_id: str, number: int) -> bytes | None:
        """The head of an ended deal's record, or None: no such game or deal, or it has not ended."""

    def deal_heads(self, game_id: str) -> dict[int, bytes]:
        """The heads of all ended deals by number, ascending; empty also for an unknown game."""

    def rest(self) -> None:
        """Give up the connections that nobody uses now; the next ones to use them connect again."""

    def check(self) -> None:
        """Return if the store can keep games safely now; else raise StoreUnavailable, `reason` saying why."""
