"""Seat tokens: hard to guess, told once, compared in constant time, never stored."""

from __future__ import annotations

import hashlib
import hmac
import json
import string
from typing import TYPE_CHECKING

import pytest

from service import auth
from service.auth import SeatToken
from service.errors import InvalidToken

if TYPE_CHECKING:
    from collections.abc import Callable

TOKENS = (SeatToken(0, "first"), SeatToken(1, "second"))


def test_a_token_is_256_random_bits_that_a_header_can_carry() -> None:
    tokens = {auth.new_token() for _ in range(1000)}
    assert len(tokens) == 1000
    assert {len(token) for token in tokens} == {43}
    assert set("".join(tokens)) <= set(string.ascii_letters + string.digits + "-_")


def test_each_token_stands_for_its_seat() -> None:
    access = auth.access_of(TOKENS)
    assert [auth.seat_of(access, one.token) for one in TOKENS] == [0, 1]


def test_the_token_of_a_game_between_computers_stands_for_no_seat() -> None:
    assert auth.seat_of(auth.access_of((SeatToken(None, "both"),)), "both") is None


@pytest.mark.parametrize("token", ["", "firs", "first ", "First", "firstfirst", "\udc80", "ä", "x" * 10_000, "null"])
def test_anything_else_is_nobodys_token(token: str) -> None:
    with pytest.raises(InvalidToken):
        auth.seat_of(auth.access_of(TOKENS), token)


def test_what_is_stored_is_seats_and_hashes_whatever_the_tokens() -> None:
    access = auth.access_of(TOKENS)
    assert json.loads(access) == [[one.seat, hashlib.sha256(one.token.encode()).hexdigest()] for one in TOKENS]
    fresh = tuple(SeatToken(seat, auth.new_token()) for seat in (0, 1))
    stored = auth.access_of(fresh)
    assert len(stored) == len(access)
    assert not any(one.token.encode() in stored for one in fresh)


def test_a_hash_is_not_a_token() -> None:
    access = auth.access_of(TOKENS)
    with pytest.raises(InvalidToken):
        auth.seat_of(access, json.loads(access)[0][1])


@pytest.mark.parametrize("token", ["first", "second", "neither", ""])
def test_every_hash_is_compared_in_constant_time_whichever_fits(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[int, int]] = []
    compare: Callable[[str, str], bool] = hmac.compare_digest

    def counting(one: str, other: str) -> bool:
        compared.append((len(one), len(other)))
        return compare(one, other)

    monkeypatch.setattr(hmac, "compare_digest", counting)
    try:
        auth.seat_of(auth.access_of(TOKENS), token)
    except InvalidToken:
        assert token not in {"first", "second"}
    assert compared == [(64, 64)] * 2
