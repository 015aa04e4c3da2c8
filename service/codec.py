"""The stored form of a hosted game, its events and its ended deals: JSON with a format number, never pickle.

Decoding does not trust the bytes to be of today's format: an unknown number raises UnknownFormat. Cards are stored as
packed hands and rank digits, plays by their number in CATALOGUE, so labels never enter the store.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from engine.actions import Source
from engine.cards import RANKS, Edition, Hand
from engine.combinations import CATALOGUE
from engine.deal import Deal, Phase, Round
from engine.errors import CrispsError
from engine.events import DealEnded, Dealt, Drew, GameEnded, Passed, Played, Reason
from engine.game import EndedDeal, Game
from engine.rules import Rules
from engine.shuffle import Shuffle
from service.hosted import (
    AiReply,
    Created,
    DealHead,
    HostedGame,
    LoggedEvent,
    SearchTrace,
    SeatKind,
    SeatPair,
    SeatSettings,
)

if TYPE_CHECKING:
    from engine.events import Event
    from engine.shuffle import Deck

FORMAT = 1

Fields = dict[str, Any]

_RANKS = {str(rank): rank for rank in range(RANKS)}


class UnknownFormat(ValueError):
    """Stored bytes that this version of the service cannot read."""


# What reading anything but one's own bytes may fail with: no JSON, members missing or of other types, no such card.
_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, CrispsError)


def encode_game(hosted: HostedGame) -> bytes:
    """The stored form of a game; id and version are kept beside it by the store."""
    game = hosted.game
    return orjson.dumps(
        {
            "format": FORMAT,
            "rules": _rules_fields(game.rules),
            "seats": _seat_fields(hosted.seats),
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
            "shuffle": None if hosted.shuffle is None else _shuffle_fields(hosted.shuffle),
            "dealt_at": hosted.dealt_at,
            "deal": None if game.deal is None else _deal_fields(game.deal),
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
    _check_format(fields)
    rules = _rules(*fields["rules"])
    last, seeds, promise, shuffle, deal = (
        fields[name] for name in ("last_deal", "deal_seeds", "promise", "shuffle", "deal")
    )
    game = Game(
        rules=rules,
        first_leader=fields["first_leader"],
        scores=_two(fields["scores"]),
        deals=fields["deals"],
        starter=fields["starter"],
        deal=None if deal is None else _deal(rules, deal),
        last_deal=None if last is None else EndedDeal(last[0], last[1]),
        winner=fields["winner"],
    )
    return HostedGame(
        game_id=game_id,
        version=version,
        game=game,
        seats=_seats(fields["seats"]),
        ai_reply=AiReply(fields["ai_reply"]),
        turn_seconds=fields["turn_seconds"],
        turn_deadline=fields["turn_deadline"],
        deal_seeds=None if seeds is None else tuple(bytes.fromhex(seed) for seed in seeds),
        promise=None if promise is None else bytes.fromhex(promise),
        shuffle=None if shuffle is None else _shuffle(shuffle),
        dealt_at=fields["dealt_at"],
    )


def encode_event(logged: LoggedEvent) -> bytes:
    """The stored form of an event, unredacted; its version is kept beside it by the store."""
    fields = _event_fields(logged.event)
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
            _event(fields),
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
            "shuffle": _shuffle_fields(head.shuffle),
            "versions": [head.first, head.last],
        }
    )


def decode_head(stored: bytes) -> DealHead:
    """The inverse of `encode_head`. Raises UnknownFormat."""
    try:
        fields = _fields(stored)
        _check_format(fields)
        first, last = fields["versions"]
        shuffle = _shuffle(fields["shuffle"])
        return DealHead(fields["number"], fields["starter"], fields["winner"], shuffle, first, last)
    except _UNREADABLE as error:
        raise _unknown_format(error) from error


def _fields(stored: bytes) -> Fields:
    fields: Fields = orjson.loads(stored)
    return fields


def _unknown_format(error: Exception) -> UnknownFormat:
    return error if isinstance(error, UnknownFormat) else UnknownFormat(f"stored bytes out of shape: {error!r}")


def _check_format(fields: Fields) -> None:
    if fields.get("format") != FORMAT:
        raise UnknownFormat(f"stored format {fields.get('format')!r}; this service reads {FORMAT}")


def _rules_fields(rules: Rules) -> list[object]:
    return [
        rules.edition,
        rules.crisps_in_runs,
        rules.no_face_up_draw,
        rules.automatic_turn_skip,
        rules.points_to_win,
    ]


@lru_cache(maxsize=256)
def _rules(*fields: Any) -> Rules:  # noqa: ANN401 - as they were stored
    return Rules(Edition(fields[0]), *fields[1:])


def _seat_fields(seats: SeatPair) -> list[list[object]]:
    return [[seat.kind, seat.name, seat.level] for seat in seats]


def _seats(fields: list[list[Any]]) -> SeatPair:
    first, second = fields
    return (_seat(*first), _seat(*second))


@lru_cache(maxsize=1024)
def _seat(kind: str, name: str | None, level: int | None) -> SeatSettings:
    return SeatSettings(SeatKind(kind), name, level)


def _shuffle_fields(shuffle: Shuffle) -> list[str]:
    return [shuffle.seed.hex(), shuffle.client_seed]


def _shuffle(fields: list[str]) -> Shuffle:
    return Shuffle(bytes.fromhex(fields[0]), fields[1])


def _deal_fields(deal: Deal) -> Fields:
    plays = [[seat, combination.index] for seat, combination in deal.round.plays]
    return {
        "number": deal.number,
        "starter": deal.starter,
        "deck": "".join(map(str, deal.deck)),
        "hands": [hand.packed for hand in deal.hands],
        "known": [hand.packed for hand in deal.known],
        "played": deal.played.packed,
        "round": [deal.round.number, deal.round.leader, plays],
        "to_act": deal.to_act,
        "phase": deal.phase,
        "draws": deal.draws,
        "history": deal.history,
    }


def _deal(rules: Rules, fields: Fields) -> Deal:
    number, leader, plays = fields["round"]
    deck: Deck = tuple([_RANKS[digit] for digit in fields["deck"]])
    first, second = fields["hands"]
    known_first, known_second = fields["known"]
    return Deal(
        rules=rules,
        number=fields["number"],
        starter=fields["starter"],
        deck=deck,
        hands=(Hand(first), Hand(second)),
        known=(Hand(known_first), Hand(known_second)),
        played=Hand(fields["played"]),
        round=Round(number, leader, tuple([(seat, CATALOGUE[index]) for seat, index in plays])),
        to_act=fields["to_act"],
        phase=Phase(fields["phase"]),
        draws=fields["draws"],
        history=tuple(fields["history"]),
    )


def _event_fields(event: Created | Event) -> Fields:  # noqa: PLR0911 - one return for each type
    match event:
        case Created(rules, seats, leader):
            return {
                "type": "created",
                "format": FORMAT,
                "rules": _rules_fields(rules),
                "seats": _seat_fields(seats),
                "first_leader": leader,
            }
        case Dealt(number, starter, face_up, hands):
            packed = [None if hand is None else hand.packed for hand in hands]
            return {
                "type": "dealt",
                "number": number,
                "starter": starter,
                "face_up": face_up,
                "hands": packed,
            }
        case Played(seat, combination):
            return {"type": "played", "seat": seat, "play": combination.index}
        case Passed(seat, automatic):
            return {"type": "passed", "seat": seat, "automatic": automatic}
        case Drew(seat, source, drawn, face_up):
            return {"type": "drew", "seat": seat, "source": source, "drawn": drawn, "face_up": face_up}
        case DealEnded(number, winner):
            return {"type": "deal_ended", "number": number, "winner": winner}
        case GameEnded(winner, reason):
            return {"type": "game_ended", "winner": winner, "reason": reason}


def _event(fields: Fields) -> Created | Event:  # noqa: PLR0911 - one return for each type
    match fields["type"]:
        case "created":
            _check_format(fields)
            return Created(_rules(*fields["rules"]), _seats(fields["seats"]), fields["first_leader"])
        case "dealt":
            first, second = (None if packed is None else Hand(packed) for packed in fields["hands"])
            return Dealt(fields["number"], fields["starter"], fields["face_up"], (first, second))
        case "played":
            return Played(fields["seat"], CATALOGUE[fields["play"]])
        case "passed":
            return Passed(fields["seat"], fields["automatic"])
        case "drew":
            source = fields["source"]
            first_card, second_card = fields["drawn"]
            return Drew(
                fields["seat"],
                None if source is None else Source(source),
                (first_card, second_card),
                fields["face_up"],
            )
        case "deal_ended":
            return DealEnded(fields["number"], fields["winner"])
        case "game_ended":
            return GameEnded(fields["winner"], Reason(fields["reason"]))
        case unknown:
            raise UnknownFormat(f"stored event of type {unknown!r}")


def _two(pair: list[int]) -> tuple[int, int]:
    first, second = pair
    return first, second
