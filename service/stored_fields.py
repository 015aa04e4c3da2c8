"""The parts of stored forms as plain JSON values: rules, seats, shuffles, deals, events. codec.py joins them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from engine.actions import Source
from engine.cards import RANKS, Edition, Hand
from engine.combinations import CATALOGUE
from engine.deal import Deal, Phase, Round
from engine.events import DealEnded, Dealt, Drew, GameEnded, Passed, Played, Reason
from engine.rules import Rules
from engine.shuffle import Shuffle
from service.hosted import Created, SeatKind, SeatPair, SeatSettings

if TYPE_CHECKING:
    from engine.events import Event
    from engine.shuffle import Deck

FORMAT = 1

Fields = dict[str, Any]

_RANKS = {str(rank): rank for rank in range(RANKS)}


class UnknownFormat(ValueError):
    """Stored bytes that this version of the service cannot read."""


def check_format(fields: Fields) -> None:
    """Raises UnknownFormat: the fields are of another format than this."""
    if fields.get("format") != FORMAT:
        raise UnknownFormat(f"stored format {fields.get('format')!r}; this service reads {FORMAT}")


def rules_fields(rules: Rules) -> list[object]:
    """The settings of a game."""
    return [
        rules.edition,
        rules.crisps_in_runs,
        rules.no_face_up_draw,
        rules.automatic_turn_skip,
        rules.points_to_win,
    ]


@lru_cache(maxsize=256)
def rules_of(*fields: Any) -> Rules:  # noqa: ANN401 - as they were stored
    """The inverse of `rules_fields`."""
    return Rules(Edition(fields[0]), *fields[1:])


def seat_fields(seats: SeatPair) -> list[list[object]]:
    """Both seats."""
    return [[seat.kind, seat.name, seat.level] for seat in seats]


def seats_of(fields: list[list[Any]]) -> SeatPair:
    """The inverse of `seat_fields`."""
    first, second = fields
    return (_seat(*first), _seat(*second))


@lru_cache(maxsize=1024)
def _seat(kind: str, name: str | None, level: int | None) -> SeatSettings:
    return SeatSettings(SeatKind(kind), name, level)


def shuffle_fields(shuffle: Shuffle) -> list[str]:
    """Both seeds of a shuffle."""
    return [shuffle.seed.hex(), shuffle.client_seed]


def shuffle_of(fields: list[str]) -> Shuffle:
    """The inverse of `shuffle_fields`."""
    return Shuffle(bytes.fromhex(fields[0]), fields[1])


def deal_fields(deal: Deal) -> Fields:
    """A deal at one moment."""
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


def deal_of(rules: Rules, fields: Fields) -> Deal:
    """The inverse of `deal_fields`."""
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


def event_fields(event: Created | Event) -> Fields:  # noqa: PLR0911 - one return for each type
    """An event, unredacted."""
    match event:
        case Created(rules, seats, leader):
            return {
                "type": "created",
                "format": FORMAT,
                "rules": rules_fields(rules),
                "seats": seat_fields(seats),
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


def event_of(fields: Fields) -> Created | Event:  # noqa: PLR0911 - one return for each type
    """The inverse of `event_fields`. Raises UnknownFormat: there is no such type."""
    match fields["type"]:
        case "created":
            check_format(fields)
            return Created(rules_of(*fields["rules"]), seats_of(fields["seats"]), fields["first_leader"])
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
