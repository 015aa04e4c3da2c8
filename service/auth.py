"""Seat tokens: 256 random bits, told once, kept only as hashes."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from service.errors import InvalidToken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.cards import Seat

TOKEN_BYTES = 32


@dataclass(frozen=True, slots=True)
class SeatToken:
    """A token and the seat it stands for; `seat` None is the token of a game between two computers."""

    seat: Seat | None
    token: str


def new_token() -> str:
    """A fresh token: 256 bits as 43 URL-safe characters."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def access_of(tokens: Sequence[SeatToken]) -> bytes:
    """The stored form of tokens: seats and SHA-256 hashes. The tokens' 256 bits need no salt or stretching."""
    return orjson.dumps([[one.seat, _hash(one.token)] for one in tokens])


def with_token(access: bytes, one: SeatToken) -> bytes:
    """The stored form with a seat's token in it; as it was if that is there already."""
    entries = orjson.loads(access)
    entry = [one.seat, _hash(one.token)]
    return access if entry in entries else orjson.dumps([*entries, entry])


def seat_of(access: bytes, token: str) -> Seat | None:
    """The seat a token stands for. Raises InvalidToken: it is none of this game's.

    Every hash is compared in constant time.
    """
    digest = _hash(token)
    found: list[Seat | None] = [seat for seat, kept in orjson.loads(access) if hmac.compare_digest(kept, digest)]
    if not found:
        raise InvalidToken
    return found[0]


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
