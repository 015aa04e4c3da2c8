"""Examples for the document, made by the code that answers real requests: they cannot drift from it.

Most of them show one game between two people, the same every time: who creates it with `OUR_GAME` and sends the
requests in the order of their versions is answered exactly this, but for id, tokens and times. What searches found is
in illustrations.py.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import orjson

from engine.cards import Seat
from engine.events import Reason
from engine.notation import action_of
from engine.rules import Rules
from service import hosted
from service.hosted import AiReply, SearchTrace, SeatKind, SeatSettings, Settings
from service.records import GameRecord, about_json
from service.stream_formats import Format, dumped
from service.usecases import DealRecord
from service.views import events_json, game_json, record_json, time_text

if TYPE_CHECKING:
    from service.hosted import Change, DealHead, HostedGame, LoggedEvent

Json = dict[str, Any]

_GAME_ID = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
_NEXT_ID = "a1b2c3d4e5f60718293a4b5c6d7e8f90"
_TOKENS = (  # no game's
    "Example-Token-of-Ann-0123456789abcdefghijkl",
    "Example-Token-of-Ben-0123456789abcdefghijkl",
)
_SEEDS = (bytes(range(32)), bytes(range(32, 64)))
_CLIENT_SEED = "crisps"
_START = 1_796_029_200_000
_SECONDS = 20_000
_PLAYED = (
    *("6", "9", "C", "8-8-8", "pass", "draw_pile", "2-3-4-5", "6-7-8-9", "pass", "face_up"),
    *("1-2-3-4", "pass", "face_up", "3-4-5-6-7"),
)

COMPUTER: Json = {
    "seats": [{"kind": "human", "name": "Ann"}, {"kind": "ai", "level": 3}],
    "rules": {"edition": "boxed", "points_to_win": 3},
    "first_leader": 0,
}
OUR_GAME: Json = {
    "seats": [{"kind": "human", "name": "Ann"}, {"kind": "human", "name": "Ben"}],
    "first_leader": 0,
    "deal_seeds": [seed.hex() for seed in _SEEDS],
}
CLOCK: Json = {"seats": [{"kind": "human"}, {"kind": "human"}], "turn_seconds": 60}
NOTHING: Json = {}
DEAL: Json = {"version": 1, "client_seed": _CLIENT_SEED}
DEAL_PLAINLY: Json = {"version": 1}
LEAD: Json = {"version": 2, "cards": ["6"]}
PASS: Json = {"version": 6}
DRAW_UNSEEN: Json = {"version": 7, "source": "draw_pile"}
FOLLOW: Json = {"version": 9, "cards": ["6", "7", "8", "9"]}
DRAW_FACE_UP: Json = {"version": 11, "source": "face_up"}
LAST_CARDS: Json = {"version": 15, "cards": ["3", "4", "5", "6", "7"]}
RESIGN: Json = {"version": 17}
REMATCH: Json = {"version": 18}
AI_MOVE: Json = {"version": 3}
CLAIM: Json = {"version": 3}
TICKET: Json = {
    "ticket": "Example-Ticket-0123456789abcdefghijklmnopqrs",
    "expires_at": time_text(_START + 30_000),
}


def _settings(*, computer: bool = False) -> Settings:
    ann = SeatSettings(SeatKind.HUMAN, "Ann")
    other = SeatSettings(SeatKind.AI, None, 3) if computer else SeatSettings(SeatKind.HUMAN, "Ben")
    reply = AiReply.MANUAL if computer else AiReply.AUTO
    return Settings(Rules(), (ann, other), 0, reply, None, _SEEDS)


@cache
def _game() -> tuple[Change, ...]:
    """The game's changes in order: created, dealt, fourteen actions, seat 1 resigns."""
    changes = [hosted.create(_GAME_ID, _settings(), _START)]
    changes.append(hosted.deal(changes[-1].hosted, _CLIENT_SEED, _START + _SECONDS))
    for text in _PLAYED:
        changes.append(_acted(changes[-1].hosted, text, _START + len(changes) * _SECONDS))
    end = hosted.concede(changes[-1].hosted, 1, Reason.RESIGNATION, _START + len(changes) * _SECONDS)
    return (*changes, end)


def _acted(now: HostedGame, text: str, at: int, trace: SearchTrace | None = None) -> Change:
    seat = now.game.to_act
    assert seat is not None  # noqa: S101 - as the game goes
    return hosted.act(now, seat, action_of(text), at, trace)


@cache
def _log() -> tuple[LoggedEvent, ...]:
    """The game's events, versions 1 to 18."""
    return tuple(event for change in _game() for event in change.events)


@cache
def _first_deal() -> DealHead:
    (head,) = (change.ended for change in _game() if change.ended is not None)
    return head


def _at(version: int) -> HostedGame:
    (found,) = (change.hosted for change in _game() if change.hosted.version == version)
    return found


def _events(first: int, last: int, viewer: Seat | None = 0) -> list[Json]:
    return events_json(_log()[first - 1 : last], viewer, Rules())


def view(version: int, viewer: Seat | None = 0) -> Json:
    """The game as a viewer sees it at a version from 1 to 18, 16 left out: the last cards end the deal as well."""
    return game_json(_at(version), viewer)


def answer(after: int, version: int, viewer: Seat | None = 0) -> Json:
    """What a seat is answered to an action at version `after` that led to `version`."""
    return {"game": view(version, viewer), "events": _events(after + 1, version, viewer)}


def _against_computer(*played: str) -> list[Change]:
    """The changes of the same game against the computer: created, dealt, and what was played at its table."""
    changes = [hosted.create(_GAME_ID, _settings(computer=True), _START)]
    changes.append(hosted.deal(changes[-1].hosted, _CLIENT_SEED, _START + _SECONDS))
    for text in played:
        changes.append(_acted(changes[-1].hosted, text, _START + len(changes) * _SECONDS))
    return changes


def computer_reply() -> Json:
    """What seat 0 is answered to its lead when the computer replies at once."""
    changes = _against_computer("6", "pass")
    events = [event for change in changes[2:] for event in change.events]
    return {"game": game_json(changes[-1].hosted, 0), "events": events_json(events, 0, Rules())}


def computer_move() -> Json:
    """The same reply, made on demand."""
    move = _against_computer("6", "pass")[-1]
    return {"game": game_json(move.hosted, 0), "events": events_json(move.events, 0, Rules())}


def claimed() -> Json:
    """What seat 0 is answered when it claims the game, with seat 1 to act at version 3."""
    end = hosted.concede(_at(3), 1, Reason.TIME, _START + 9 * _SECONDS)
    return {"game": game_json(end.hosted, 0), "events": events_json(end.events, 0, Rules())}


def creation(*, computer: bool = False) -> Json:
    """The new game."""
    if not computer:
        return {"game": view(1, None), "tokens": [_token(0), _token(1)]}
    # created without seeds: what is promised is one that nobody knows
    made = hosted.create(_GAME_ID, replace(_settings(computer=True), deal_seeds=None), _START).hosted
    made = replace(made, promise=_SEEDS[1])
    return {"game": game_json(made, None), "tokens": [_token(0)]}


def _token(seat: Seat) -> Json:
    return {"seat": seat, "token": _TOKENS[seat]}


def rematch(seat: Seat) -> Json:
    """The game after this one, as a seat is told of it."""
    settings = replace(_settings(), first_leader=1, deal_seeds=None)
    made = hosted.create(_NEXT_ID, settings, _START + 20 * _SECONDS).hosted
    shown = game_json(replace(made, promise=_SEEDS[1]), None)
    return {"game": shown, "tokens": [_token(seat)]}


def history() -> Json:
    """The first five events."""
    return {"events": _events(1, 5), "next_after": 5}


def stream(form: Format) -> str:
    """The first messages to seat 0 from version 1 on."""
    snapshot = {"type": "snapshot", "version": 1, "game": view(1), "presence": (True, False)}
    begin = form.message(dumped(snapshot), 1)
    return (begin + b"".join(form.message(dumped(event), event["version"]) for event in _events(2, 3))).decode()


def deal_record() -> DealRecord:
    """The first deal's record as the service keeps it."""
    head = _first_deal()
    return DealRecord(head, _log()[head.first - 1 : head.last])


def record() -> Json:
    """The first deal's record."""
    kept = deal_record()
    return record_json(_at(18), kept.head, kept.events)


def whole() -> Json:
    """The game's record."""
    deal = DealRecord(_first_deal(), ())
    shown = GameRecord(_at(18), _log()[0], _log()[-1], (deal,))
    return {**about_json(shown), "deals": [record()]}


def lines() -> str:
    """The game's record as lines of JSON."""
    about = whole()
    deals = about.pop("deals")
    return "".join(f"{orjson.dumps(line).decode()}\n" for line in (about, *deals))


def position() -> Json:
    """What seat 0 knows at version 9, told by itself."""
    deal = view(9)["deal"]
    return {
        "rules": {"edition": "boxed"},
        "hand": deal["hand"],
        "own_known": deal["known"][0],
        "opponent_hand_size": deal["hand_sizes"][1],
        "opponent_known": deal["known"][1],
        "played": deal["played"],
        "face_up": deal["face_up"],
        "draw_pile": deal["draw_pile"],
        "to_follow": deal["to_follow"]["cards"],
        "simulations": 400,
        "seed": 1,
    }


def position_with_history() -> Json:
    """The same with what has happened in the deal, as seat 0 saw it."""
    return {**position(), "seat": 0, "history": _events(2, 9)}
