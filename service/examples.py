"""Examples for the document, made by the code that answers real requests: they cannot drift from it.

They show one short game, the same every time: its seeds, its times and what is played are fixed.
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
from service.views import events_json, game_json, record_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.hosted import Change

Json = dict[str, Any]

_GAME_ID = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
_TOKEN = "Example-Token-0123456789abcdefghijklmnopqrs"  # noqa: S105 - no game's
_SEED = bytes(range(32))
_PROMISE = bytes(range(32, 64))
_START = 1_796_029_200_000
_SECONDS = 20_000
_PLAYED = ("4-4", "5-5", "pass", "face_up", "2-2")

CREATE: Json = {
    "seats": [{"kind": "human", "name": "Ann"}, {"kind": "ai", "level": 3}],
    "rules": {"edition": "boxed", "points_to_win": 3},
    "first_leader": 0,
}
DEAL: Json = {"client_seed": "crisps"}
PLAY: Json = {"version": 2, "cards": ["4", "4"]}
DRAW_CHOICE: Json = {"version": 5, "source": "face_up"}
NOTHING: Json = {}
TICKET: Json = {"ticket": "Example-Ticket-0123456789abcdefghijklmnopqrs", "expires_at": "2026-11-30T09:00:30.000Z"}
LEVEL_BUDGET: Json = {"level": 4}
BUDGET: Json = {"simulations": 400, "seed": 1}
_CHOSEN: Json = {"type": "play", "cards": ["5", "5"], "kind": "pair"}
# one decision of many; the figures are only an illustration
ANALYSIS: Json = {
    "game": _GAME_ID,
    "number": 1,
    "winner": None,
    "decisions": [
        {
            "version": 4,
            "seat": 1,
            "best": _CHOSEN,
            "win_probability": 0.55,
            "played": _CHOSEN,
            "played_win_probability": 0.55,
            "loss": 0.0,
        }
    ],
    "seats": [
        {"seat": 0, "decisions": 0, "best_chosen": 0, "average_loss": 0.0},
        {"seat": 1, "decisions": 1, "best_chosen": 1, "average_loss": 0.0},
    ],
    "search": {"simulations": 3500, "seed": 0},
}
# one of the five; the figures are only an illustration
LEVELS: Json = {
    "levels": [
        {"level": 3, "name": "skilled", "simulations": 300, "typical_ms": 0.6, "strength": {"level-2": 0.6}},
    ],
    "default": 3,
}


@cache
def _game() -> tuple[Change, ...]:
    """The game's changes, each at the place of its version: none, created, dealt, five actions; seat 0 resigns."""
    seats = (SeatSettings(SeatKind.HUMAN, "Ann"), SeatSettings(SeatKind.AI, None, 3))
    settings = Settings(Rules(), seats, 0, AiReply.AUTO, None, (_SEED,))
    created = hosted.create(_GAME_ID, settings, _START)
    # shown as most games are: with a secret seed
    created = replace(created, hosted=replace(created.hosted, deal_seeds=None, promise=_SEED))
    changes = [created, created, hosted.deal(created.hosted, "crisps", _START + _SECONDS)]
    for text in _PLAYED:
        now = changes[-1].hosted
        seat = now.game.to_act
        assert seat is not None  # noqa: S101 - as the game goes
        trace = SearchTrace(300, now.search_seed(), 3) if seat == 1 else None
        changes.append(hosted.act(now, seat, action_of(text), _START + len(changes) * _SECONDS, trace))
    return (*changes, hosted.concede(changes[-1].hosted, 0, Reason.RESIGNATION, _START + len(changes) * _SECONDS))


def view(version: int, viewer: Seat | None = 0) -> Json:
    """The game as a viewer sees it at a version from 1 to 8."""
    return game_json(_game()[version].hosted, viewer)


def answer(after: int, version: int) -> Json:
    """What seat 0 is answered to an action at version `after` that led to `version`."""
    return {"game": view(version), "events": _events(range(after + 1, version + 1))}


def claimed() -> Json:
    """What seat 0 is answered when it claims the game, with seat 1 to act at version 3."""
    late = _game()[3].hosted
    end = hosted.concede(late, 1, Reason.TIME, _START + 9 * _SECONDS)
    return {"game": game_json(end.hosted, 0), "events": events_json(end.events, 0, Rules())}


def creation() -> Json:
    """The new game."""
    return {"game": view(1, None), "tokens": [{"seat": 0, "token": _TOKEN}]}


def history() -> Json:
    """The first five events."""
    return {"events": _events(range(1, 6)), "next_after": 5}


def stream(form: Format) -> str:
    """The first messages to seat 0 from version 1 on."""
    snapshot = {"type": "snapshot", "version": 1, "game": view(1), "presence": (True, True)}
    begin = form.message(dumped(snapshot), 1)
    return (begin + b"".join(form.message(dumped(event), event["version"]) for event in _events([2, 3]))).decode()


def record() -> Json:
    """The deal that the resignation cut short."""
    end = _game()[8]
    assert end.ended is not None  # noqa: S101 - as the game goes
    head = end.ended
    return record_json(end.hosted, head, [_game()[version].events[0] for version in range(head.first, head.last + 1)])


def whole() -> Json:
    """The game's record."""
    end = _game()[8]
    assert end.ended is not None  # noqa: S101 - as the game goes
    deal = DealRecord(end.ended, ())
    shown = GameRecord(end.hosted, _game()[1].events[0], end.events[-1], (deal,))
    return {**about_json(shown), "deals": [record()]}


def lines() -> str:
    """The game's record as lines of JSON."""
    about = whole()
    deals = about.pop("deals")
    return "".join(f"{orjson.dumps(line).decode()}\n" for line in (about, *deals))


def position() -> Json:
    """What seat 0 knows at version 7, told by itself."""
    deal = view(7)["deal"]
    return {
        "rules": {"edition": "boxed"},
        "hand": deal["hand"],
        "opponent_hand_size": deal["hand_sizes"][1],
        "opponent_known": deal["known"][1],
        "played": deal["played"],
        "face_up": deal["face_up"],
        "draw_pile": deal["draw_pile"],
        "to_follow": deal["to_follow"]["cards"],
        **BUDGET,
    }


def position_with_history() -> Json:
    """The same with what has happened in the deal, as seat 0 saw it."""
    return {**position(), "seat": 0, "own_known": view(7)["deal"]["known"][0], "history": _events(range(2, 8))}


def suggestion(version: int | None) -> Json:
    """Advice to seat 0 at version 7; the figures are only an illustration."""
    actions = view(7)["legal_actions"]
    shares, visits = (0.58, 0.47, 0.41), (231, 109, 60)
    rated = [
        {"action": action, "win_probability": share, "visits": tried}
        for action, share, tried in zip(actions, shares, visits, strict=True)
    ]
    return {
        "version": version,
        "seat": 0,
        "win_probability": shares[0],
        "best": actions[0],
        "actions": rated,
        "search": {"simulations": sum(visits), "elapsed_ms": 3.9, "seed": 1},
    }


def _events(versions: Sequence[int]) -> list[Json]:
    return events_json([_game()[version].events[0] for version in versions], 0, Rules())
