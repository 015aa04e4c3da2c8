"""A game in which everything secret is known to the test, so that it can be searched for wherever it must not be."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from tests.contract.client import Client
from tests.contract.listening import NDJSON, Follower

Json = dict[str, Any]

CLIENT_SEED = "client-seed-that-nobody-logs"
KEY = "idempotency-key-that-nobody-logs-0123456789"
NAME = "Name-that-nobody-logs"
SEED = 0x5EC2E7


@dataclass
class Played:
    """What was done in a game, and what of it is secret."""

    game_id: str
    secrets: list[str] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    hands: list[list[str]] = field(default_factory=list)


def play(client: Client, number: int, level: int = 2) -> Played:
    """A game of one deal against the computer, with looks, advice, refusals and mistakes in between, to its end."""
    chance = random.Random(number)
    seeds = [chance.randbytes(32).hex() for _ in range(2)]
    settings = {
        "seats": [{"kind": "human", "name": NAME}, {"kind": "ai", "level": level}],
        "rules": {"points_to_win": 1},
        "deal_seeds": seeds,
    }
    made = client.ask("POST", "/v1/games", settings, Idempotency_Key=f"{KEY}-{number}")
    assert made.status == 201, made.body
    view, token = made.json["game"], made.json["tokens"][0]["token"]
    path = f"/v1/games/{view['id']}"
    played = Played(view["id"], [*seeds, token, CLIENT_SEED, KEY, NAME], [201])

    def ask(method: str, where: str, body: Json | None = None, bearer: str | None = token) -> Any:
        answer = client.ask(method, where, body, bearer)
        played.statuses.append(answer.status)
        return answer.json if answer.body else None

    view = ask("POST", f"{path}/deal", {"version": 1, "client_seed": CLIENT_SEED})["game"]
    ticket = ask("POST", f"{path}/stream-ticket", {})["ticket"]
    played.secrets.append(ticket)
    ask("HEAD", f"{path}/events?ticket={ticket}")
    follower = Follower(client.url, path, token, NDJSON)
    assert follower.tell()["type"] == "snapshot"
    follower.leave()
    played.statuses.append(follower.status)
    while view["winner"] is None:
        if view["deal"]["hand"]:
            played.hands.append(view["deal"]["hand"])
        ask("GET", path)
        ask("GET", f"{path}/history?after=0&limit=1000")
        ask("GET", f"{path}?ticket={token}")
        ask("POST", f"{path}/suggestions", {"simulations": 20, "seed": SEED})
        ask("POST", f"{path}/play", {"version": view["version"], "cards": ["C", "1", "C"]})
        ask("POST", f"{path}/play", {"version": view["version"] + 1, "cards": ["7"]})
        ask("POST", f"{path}/pass", {"version": view["version"]}, f"{token}x")
        action = chance.choice(view["legal_actions"])
        paths = {"play": "play", "pass": "pass", "draw": "draw-choice"}
        told = {name: action[name] for name in ("cards", "source") if name in action}
        done = ask("POST", f"{path}/{paths[action['type']]}", {"version": view["version"], **told})
        view = done["game"]
    record = ask("GET", f"{path}/deals/1")
    played.secrets += [record["seed"], record["commitment"]]
    played.hands.append(record["deck"])
    ask("GET", f"/v1/games/{token}/history")
    ask("GET", f"/{token}/{seeds[0]}?{token}")
    return played
