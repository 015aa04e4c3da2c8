"""Games between two people, both played by one client of a running service."""

from __future__ import annotations

import random
from typing import Any

from tests.contract.client import Client

Json = dict[str, Any]

PEOPLE = [{"kind": "human", "name": "Ann"}, {"kind": "human"}]


class Table:
    """A game between two people, both played by one client."""

    def __init__(self, client: Client, **settings: Any) -> None:
        self.client = client
        made = client.want(201, "POST", "/v1/games", {"seats": PEOPLE, "first_leader": 0, **settings})
        self.path = f"/v1/games/{made['game']['id']}"
        self.tokens = {one["seat"]: one["token"] for one in made["tokens"]}
        self.version = 1

    def view(self, seat: int | None = None) -> Json:
        seen: Json = self.client.want(200, "GET", self.path, token=self.tokens.get(seat))
        return seen

    def act(self, operation: str, body: Json | None = None, seat: int = 0) -> Json:
        told = {**(body or {}), "version": self.version}
        done: Json = self.client.want(200, "POST", f"{self.path}/{operation}", told, self.tokens[seat])
        self.version = done["game"]["version"]
        return done

    def step(self, chance: random.Random) -> Json:
        """A deal, or a random legal action of the seat to act; the public view."""
        public = self.view()
        if public["phase"] == "awaiting_deal":
            return dict(self.act("deal", seat=chance.randrange(2))["game"])
        seat = public["to_act"]
        action = chance.choice(self.view(seat)["legal_actions"])
        operation = {"play": "play", "pass": "pass", "draw": "draw-choice"}[action["type"]]
        told = {name: action[name] for name in ("cards", "source") if name in action}
        return dict(self.act(operation, told, seat)["game"])
