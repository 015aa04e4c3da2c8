"""The fair shuffle: a secret seed promised by its hash, mixed with the client's seed (R3).

Algorithm `hmac-sha256-fisher-yates-1`. The words are the big-endian 32-bit numbers of
HMAC-SHA-256(key = seed, message = 8-byte big-endian counter 0, 1, … followed by the client seed in UTF-8). The deck
starts as four of each rank, ascending; for k = 39 … 1 positions k and word mod (k + 1) are swapped, where words
of 2^32 - (2^32 mod (k + 1)) and above are skipped so that every position is equally likely.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from engine.cards import CARDS, FULL_DECK, Hand, Rank
from engine.errors import InvalidDeck

ALGORITHM = "hmac-sha256-fisher-yates-1"
SEED_BYTES = 32
MAX_CLIENT_SEED = 64
_WORDS = 2**32

Deck: TypeAlias = tuple[Rank, ...]
"""40 ranks, index 0 = top: [0:12] seat 0, [12:24] seat 1, [24:28] set aside, [28:40] face-up card and draw pile."""


@dataclass(frozen=True, slots=True)
class Shuffle:
    """One deal's secret seed and the client seed (at most 64 characters) that was mixed in after the promise.

    Raises InvalidDeck: a seed that is not 32 bytes, a client seed that is too long or not encodable as UTF-8.
    """

    seed: bytes
    client_seed: str = ""

    def __post_init__(self) -> None:
        if len(self.seed) != SEED_BYTES:
            raise InvalidDeck(f"the seed of a shuffle has {SEED_BYTES} bytes, not {len(self.seed)}", "R3")
        if len(self.client_seed) > MAX_CLIENT_SEED:
            raise InvalidDeck(f"a client seed has at most {MAX_CLIENT_SEED} characters", "R3")
        try:
            self.client_seed.encode()
        except UnicodeEncodeError:
            raise InvalidDeck("a client seed is text that UTF-8 can encode", "R3") from None

    @property
    def commitment(self) -> str:
        """SHA-256 of the seed in hex: what is promised before the deal."""
        return commitment_of(self.seed)

    def deck(self) -> Deck:
        """The 40 cards in their order, index 0 on top."""
        words = _words(self.seed, self.client_seed)
        deck = list(FULL_DECK)
        for k in range(CARDS - 1, 0, -1):
            limit = _WORDS - _WORDS % (k + 1)
            word = next(word for word in words if word < limit)
            j = word % (k + 1)
            deck[k], deck[j] = deck[j], deck[k]
        return tuple(deck)


def commitment_of(seed: bytes) -> str:
    """SHA-256 of a secret seed, in hex."""
    return hashlib.sha256(seed).hexdigest()


def checked_deck(ranks: Deck) -> Deck:
    """The same deck, once it is known to be the 40 cards of R1.

    Raises InvalidDeck: it is not.
    """
    if len(ranks) != CARDS or Hand.of(ranks) != FULL_DECK:
        raise InvalidDeck("a deck is 40 cards, four of each rank")
    return ranks


def _words(seed: bytes, client_seed: str) -> Iterator[int]:
    suffix = client_seed.encode()
    counter = 0
    while True:
        digest = hmac.digest(seed, counter.to_bytes(8, "big") + suffix, "sha256")
        yield from struct.unpack(">8I", digest)
        counter += 1
