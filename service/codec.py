"""The stored form of a hosted game, its events and its ended deals: JSON with a format number, never pickle.

Decoding does not trust the bytes to be of today's format: an unknown number raises UnknownFormat. Cards are stored as
packed hands and rank digits, plays by their number in CATALOGUE, so labels never enter the store.
"""

from __future__ import annotations

from functools import lru_cache

import orjson

from engine.errors import CrispsError
from engine.game import EndedDeal, Game
from service.hosted import AiReply, DealHead, HostedGame, LoggedEvent, SearchTrace
from service.stored_fields import (
    FORMAT,
    Fields,
    UnknownFormat,
    check_format,
    deal_fields,
    deal_of,
    event_fields,
    event_of,
    rules_fields,
    rules_of,
    seat_fields,
    seats_of,
    shuffle_fields,
    shuffle_of,
)

__all__ = [
    "FORMAT",
    "UnknownFormat",
    "decode_event",
    "decode_game",
    "decode_head",
    "encode_event",
    "encode_game",
    "encode_head",
]

# What reading anything but one's own bytes may fail with: no JSON, members missing or of other types, no such card.
_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, CrispsError)


def encode_game(hosted: HostedGame) -> bytes:
    """The stored form of a game; id and version are kept beside it by the store."""
    game = hosted.game
    return orjson.dumps(
        {
            "format": FORMAT,
            "rules": rules_fields(game.rules),
            "seats": seat_fields(hosted.seats),
            "first_leader": game.first_leader,
            "ai_reply": hosted.ai_reply,
            "turn_seconds": hosted.turn_seconds,
            "turn_deadline": hosted.turn_deadline,
            "deal_seeds": None if hosted.deal_seeds is None else [seed.hex() for seed in hosted.deal_seeds],
            "scores": game.scores,
            "deals": game.deals,
            "starter": game.starter,
            "last_deal": None if game.last_deal is None else [game.last_deal.number, game.last_deal.winner],
            "winner": game.winner,
            "promise": None if hosted.promise is None else hosted.promise.hex(),
            "shuffle": None if hosted.shuffle is None else shuffle_fields(hosted.shuffle),
            "dealt_at": hosted.dealt_at,
            "deal": None if game.deal is None else deal_fields(game.deal),
        }
    )


@lru_cache(maxsize=256)
def decode_game(game_id: str, version: int, stored: bytes) -> HostedGame:
    """The inverse of `encode_game`. Raises UnknownFormat.

    The latest answers are kept, for the same bytes are the same game: both seats look at it, and one of them acts.
    """
    try:
        return _game(game_id, version, _fields(stored))
    except _UNREADABLE as error:
        raise _unknown_format(error) from error


def _game(game_id: str, version: int, fields: Fields) -> HostedGame:
    check_format(fields)
    rules = rules_of(*fields["rules"])
    last, seeds, promise, shuffle, deal = (
        fields[name] for name in ("last_deal", "deal_seeds", "promise", "shuffle", "deal")
    )
    game = Game(
        rules=rules,
        first_leader=fields["first_leader"],
        scores=_two(fields["scores"]),
        deals=fields["deals"],
        starter=fields["starter"],
        deal=None if deal is None else deal_of(rules, deal),
        last_deal=None if last is None else EndedDeal(last[0], last[1]),
        winner=fields["winner"],
    )
    return HostedGame(
        game_id=game_id,
        version=version,
        game=game,
        seats=seats_of(fields["seats"]),
        ai_reply=AiReply(fields["ai_reply"]),
        turn_seconds=fields["turn_seconds"],
        turn_deadline=fields["turn_deadline"],
        deal_seeds=None if seeds is None else tuple(bytes.fromhex(seed) for seed in seeds),
        promise=None if promise is None else bytes.fromhex(promise),
        shuffle=None if shuffle is None else shuffle_of(shuffle),
        dealt_at=fields["dealt_at"],
    )


def encode_event(logged: LoggedEvent) -> bytes:
    """The stored form of an event, unredacted; its version is kept beside it by the store."""
    fields = event_fields(logged.event)
    fields["at"] = logged.at
    if logged.commitment is not None:
        fields["commitment"] = logged.commitment
    if logged.search is not None:
        fields["search"] = [logged.search.simulations, logged.search.seed, logged.search.level]
    return orjson.dumps(fields)


def decode_event(version: int, stored: bytes) -> LoggedEvent:
    """The inverse of `encode_event`. Raises UnknownFormat."""
    try:
        fields = _fields(stored)
        search = fields.get("search")
        return LoggedEvent(
            version,
            fields["at"],
            event_of(fields),
            fields.get("commitment"),
            None if search is None else SearchTrace(*search),
        )
    except _UNREADABLE as error:
        raise _unknown_format(error) from error


def encode_head(head: DealHead) -> bytes:
    """The stored form of an ended deal's head."""
    return orjson.dumps(
        {
            "format": FORMAT,
            "number": head.number,
            "starter": head.starter,
            "winner": head.winner,
            "shuffle": shuffle_fields(head.shuffle),
            "versions": [head.first, head.last],
        }
    )


def decode_head(stored: bytes) -> DealHead:
    """The inverse of `encode_head`. Raises UnknownFormat."""
    try:
        fields = _fields(stored)
        check_format(fields)
        first, last = fields["versions"]
        shuffle = shuffle_of(fields["shuffle"])
        return DealHead(fields["number"], fields["starter"], fields["winner"], shuffle, first, last)
    except _UNREADABLE as error:
        raise _unknown_format(error) from error


def _fields(stored: bytes) -> Fields:
    fields: Fields = orjson.loads(stored)
    return fields


def _unknown_format(error: Exception) -> UnknownFormat:
    return error if isinstance(error, UnknownFormat) else UnknownFormat(f"stored bytes out of shape: {error!r}")


def _two(pair: list[int]) -> tuple[int, int]:
    first, second = pair
    return first, second
