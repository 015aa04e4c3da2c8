"""The fair shuffle: vectors, commitment, and every order equally likely (R3)."""

from __future__ import annotations

import hashlib
import hmac
import itertools
from collections import Counter

import pytest

from engine import shuffle
from engine.cards import FULL_DECK
from engine.errors import InvalidDeck
from engine.notation import deck_of, ranks_of
from engine.shuffle import MAX_CLIENT_SEED, Shuffle, checked_deck, commitment_of

SEED = bytes(range(32))
COMMITMENT = "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
DECK = "2 5 8 2 9 5 8 3 5 9 2 5 8 C 6 1 4 C 6 4 4 9 1 3 3 C 1 3 7 7 7 C 6 6 2 1 4 7 8 9"
DECK_WITH_CRISPS = "6 9 6 C 3 4 6 7 1 2 8 4 8 8 8 5 1 4 3 2 7 9 5 2 4 C 9 1 7 3 3 C 5 5 2 9 7 1 6 C"


def test_R3_the_published_seed_gives_the_published_decks_and_commitment() -> None:
    assert Shuffle(SEED).deck() == ranks_of(DECK)
    assert Shuffle(SEED, "crisps").deck() == ranks_of(DECK_WITH_CRISPS)
    assert Shuffle(SEED).commitment == Shuffle(SEED, "crisps").commitment == commitment_of(SEED) == COMMITMENT


def by_hand(seed: bytes, client_seed: str) -> list[int]:
    """The algorithm as API.md tells it, with the words one by one."""

    def word(number: int) -> int:
        block = hmac.new(seed, (number // 8).to_bytes(8, "big") + client_seed.encode("utf-8"), hashlib.sha256).digest()
        return int.from_bytes(block[number % 8 * 4 :][:4], "big")

    deck, numbers = [rank for rank in range(10) for _ in range(4)], itertools.count()
    for k in range(39, 0, -1):
        drawn = word(next(numbers))
        while drawn >= 2**32 - 2**32 % (k + 1):
            drawn = word(next(numbers))
        deck[k], deck[drawn % (k + 1)] = deck[drawn % (k + 1)], deck[k]
    return deck


@pytest.mark.parametrize("client_seed", ["", "crisps", "ünïcödé", "é" * 64, "😀" * 64, " ", "\x00"])
def test_R3_any_seed_and_client_seed_shuffle_as_documented(client_seed: str) -> None:
    for number in range(20):
        seed = hashlib.sha256(f"{number}".encode()).digest()
        assert list(Shuffle(seed, client_seed).deck()) == by_hand(seed, client_seed)


def test_R3_words_that_would_favour_a_position_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = [2**32 - 2**32 % (k + 1) for k in range(39, 0, -1)]
    too_high = [limit for limit in limits if limit < 2**32]
    assert len(too_high) == 39 - 5, "only 32, 16, 8, 4 and 2 positions divide the range of a word"
    plain = iter([k % 7 for k in range(39)])
    words: list[int] = []
    for limit in limits:
        if limit < 2**32:
            words += [limit, 2**32 - 1]
        words.append(next(plain))
    monkeypatch.setattr(shuffle, "_words", lambda *_: iter([k % 7 for k in range(39)]))
    unskipped = Shuffle(SEED).deck()
    monkeypatch.setattr(shuffle, "_words", lambda *_: iter(words))
    assert Shuffle(SEED).deck() == unskipped


def test_R3_the_highest_word_that_is_not_skipped_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    highest = [2**32 - 2**32 % (k + 1) - 1 for k in range(39, 0, -1)]  # = k, modulo k + 1: nothing is swapped
    monkeypatch.setattr(shuffle, "_words", lambda *_: iter(highest))
    assert Shuffle(SEED).deck() == tuple(FULL_DECK)


def test_R3_every_rank_lies_in_every_position_about_equally_often() -> None:
    decks = 4000
    seen = Counter(
        (place, rank)
        for number in range(decks)
        for place, rank in enumerate(Shuffle(number.to_bytes(32, "big")).deck())
    )
    expected = decks / 10
    chi_square = sum((seen[place, rank] - expected) ** 2 / expected for place in range(40) for rank in range(10))
    assert chi_square < 360 + 6 * (2 * 360) ** 0.5  # 40 · 9 degrees of freedom; the seeds are fixed, so is the sum


def test_R3_seed_and_client_seed_both_change_the_deck() -> None:
    decks = {Shuffle(seed, client).deck() for seed in (SEED, bytes(32)) for client in ("", "a", "b")}
    assert len(decks) == 6


@pytest.mark.parametrize("seed", [b"", bytes(31), bytes(33)])
def test_a_seed_has_32_bytes(seed: bytes) -> None:
    with pytest.raises(InvalidDeck) as refusal:
        Shuffle(seed)
    assert refusal.value.clause == "R3"


def test_a_client_seed_has_at_most_64_characters_not_bytes() -> None:
    assert len(Shuffle(SEED, "€" * MAX_CLIENT_SEED).deck()) == 40
    with pytest.raises(InvalidDeck):
        Shuffle(SEED, "a" * (MAX_CLIENT_SEED + 1))


def test_a_client_seed_that_utf8_cannot_encode_is_refused() -> None:
    with pytest.raises(InvalidDeck):
        Shuffle(SEED, "\ud800")


def test_R1_a_deck_is_the_forty_cards() -> None:
    deck = deck_of(DECK)
    assert checked_deck(deck) is deck
    for wrong in (deck[:39], (*deck, 0), (*deck[:39], 3), ()):
        with pytest.raises(InvalidDeck):
            checked_deck(wrong)
