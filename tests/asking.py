"""A client that checks every answer against its operation's declaration, and tables to play at."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from service.app import create_app
from tests.running import store_config
from tests.strictly import check_answer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flask import Flask
    from werkzeug.datastructures import Headers

    from service.embedded import EmbeddedStore

Json = dict[str, Any]

SEED = bytes(range(32)).hex()
"""Seat 0: 2 2 2 3 5 5 5 5 8 8 9 9, seat 1: 1 1 3 4 4 4 6 6 8 9 C C, face up 7, pile 7 7 C 6 6 2 1 4 7 8 9 (API.md)."""

PEOPLE = [{"kind": "human"}, {"kind": "human"}]
NO_GAME = "f" * 32
OPTIONS = ("crisps_in_runs", "no_face_up_draw", "automatic_turn_skip")


@dataclass(frozen=True)
class Answer:
    """A checked answer; `json` is None for an empty body."""

    status_code: int
    headers: Headers
    data: bytes
    json: Any

    @property
    def text(self) -> str:
        return self.data.decode()


def cards(text: str) -> list[str]:
    """The labels in a text with blanks between them."""
    return text.split()


class Api:
    """Requests to an application; every answer is checked, refusals included."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self._client = app.test_client()

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
        raw: bytes | None = None,
    ) -> Answer:
        """The checked answer; `raw` instead of `body` are a body's bytes."""
        sent = dict(headers or {})
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        data = raw if body is None else orjson.dumps(body)
        if data is not None:
            sent.setdefault("Content-Type", "application/json")
        answer = self._client.open(path, method=method, data=data, headers=sent)
        check_answer(self.app, answer)
        body = orjson.loads(answer.data) if answer.data else None
        return Answer(answer.status_code, answer.headers, answer.data, body)

    def get(self, path: str, **options: Any) -> Answer:
        return self.ask("GET", path, **options)

    def post(self, path: str, body: Any = None, **options: Any) -> Answer:
        return self.ask("POST", path, body, **options)

    def table(self, **settings: Any) -> Table:
        """A game between two people with SEED's first deal, seat 0 leading it, unless told otherwise."""
        chosen = {"seats": PEOPLE, "first_leader": 0, "deal_seeds": [SEED], **settings}
        answer = self.post("/v1/games", chosen)
        assert answer.status_code == 201, answer.text
        tokens = {one["seat"]: one["token"] for one in answer.json["tokens"]}
        return Table(self, answer.json["game"]["id"], tokens)


@dataclass
class Table:
    """A game and its tokens by seat; None stands for the public, or for a game's only token without a seat."""

    api: Api
    game_id: str
    tokens: dict[int | None, str] = field(repr=False)

    @property
    def path(self) -> str:
        return f"/v1/games/{self.game_id}"

    def view(self, seat: int | None = None) -> Json:
        answer = self.api.get(self.path, token=self.tokens.get(seat))
        assert answer.status_code == 200, answer.text
        view: Json = answer.json
        return view

    def act(self, seat: int | None, action: str, body: Json | None = None, **options: Any) -> Answer:
        """An action of a seat at the current version, unless the body or a header says another."""
        told = {"version": self.view()["version"]} if "If-Match" not in options.get("headers", {}) else {}
        return self.api.post(f"{self.path}/{action}", {**told, **(body or {})}, token=self.tokens[seat], **options)

    def do(self, seat: int | None, action: str, body: Json | None = None) -> Json:
        """What an action that succeeds answers."""
        answer = self.act(seat, action, body)
        assert answer.status_code == 200, answer.text
        done: Json = answer.json
        return done

    def deal(self) -> Table:
        self.do(next(iter(self.tokens)), "deal")
        return self

    def play(self, *turns: str) -> Table:
        """Cards ("5 5"), "pass", "face_up", "draw_pile", each by the seat to act."""
        for turn in turns:
            seat = self.view()["to_act"]
            if turn == "pass":
                self.do(seat, "pass")
            elif turn in {"face_up", "draw_pile"}:
                self.do(seat, "draw-choice", {"source": turn})
            else:
                self.do(seat, "play", {"cards": turn.split()})
        return self

    def everything(self) -> list[Json]:
        """What all viewers see, and all that happened."""
        seen = [self.view(seat) for seat in (0, 1, None)]
        return [*seen, self.api.get(f"{self.path}/history").json]


def take(table: Table, view: Json, action: Json) -> Json:
    """What the viewer of a view is answered to one of its legal actions."""
    paths = {"play": "play", "pass": "pass", "draw": "draw-choice"}
    told = {name: action[name] for name in ("cards", "source") if name in action}
    path = f"{table.path}/{paths[action['type']]}"
    answer = table.api.post(path, {"version": view["version"], **told}, token=table.tokens[view["viewer"]])
    assert answer.status_code == 200, answer.text
    done: Json = answer.json
    return done


def play_deal(table: Table, seed: int | str) -> Iterator[Json]:
    """Play random legal actions to the end of the deal; what each is answered."""
    generator = random.Random(seed)
    to_act = table.view()["to_act"]
    while to_act is not None:
        view = table.view(to_act)
        answer = take(table, view, generator.choice(view["legal_actions"]))
        to_act = answer["game"]["to_act"]
        yield answer


@pytest.fixture(scope="session")
def app(valkey: EmbeddedStore) -> Flask:
    """The application on `valkey`."""
    return create_app(store_config(valkey.url))


@pytest.fixture
def api(app: Flask) -> Api:
    """A checking client of `app`."""
    return Api(app)


def code(answer: Answer) -> tuple[int, str]:
    """The status of a problem, and what kind it is."""
    return answer.status_code, answer.json["code"]
