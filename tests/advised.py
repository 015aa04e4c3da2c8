"""Advice asked for at a table, and positions described to ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.asking import Answer, Api, Json, Table

if TYPE_CHECKING:
    from flask import Flask

FEW = {"simulations": 60, "seed": 5}


def suggest(table: Table, seat: int, body: Json | None = None, **options: Any) -> Answer:
    return table.api.post(f"{table.path}/suggestions", body, token=table.tokens[seat], **options)


def described(view: Json, **more: Any) -> Json:
    """The position of a view's viewer, as the stateless endpoint takes it."""
    deal, seat = view["deal"], view["viewer"]
    follow = deal["to_follow"]
    return {
        "rules": view["rules"],
        "phase": view["phase"],
        "seat": seat,
        "hand": deal["hand"],
        "own_known": deal["known"][seat],
        "opponent_hand_size": deal["hand_sizes"][1 - seat],
        "opponent_known": deal["known"][1 - seat],
        "played": deal["played"],
        "face_up": deal["face_up"],
        "draw_pile": deal["draw_pile"],
        "to_follow": follow and follow["cards"],
        **more,
    }


def history(table: Table, seat: int) -> list[Json]:
    """The running deal's events as a seat saw them."""
    told = table.api.get(f"{table.path}/history?limit=1000", token=table.tokens[seat]).json["events"]
    begun = max(index for index, event in enumerate(told) if event["type"] == "dealt")
    return [event for event in told[begun:] if event["type"] in {"dealt", "played", "passed", "drew"}]


def without(answer: Json) -> Json:
    """Advice without what may differ: version, seat and the time it took."""
    search = {name: value for name, value in answer["search"].items() if name != "elapsed_ms"}
    return {**answer, "version": None, "seat": None, "search": search}


@pytest.fixture(scope="session")
def following(app: Flask) -> Table:
    """A table nobody changes, at version 7 where seat 0 has to follow a pair, after a round that ended with a draw."""
    return Api(app).table().deal().play("5 5", "6 6", "pass", "face_up", "4 4")
