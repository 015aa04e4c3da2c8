"""Requests per second of a view and of a game's actions, as ratios to a bare Flask route on the same kind of server.

    python tests/bench/bench_http.py [--rounds N] [--seconds S] [--connections N]

For each appendfsync one `python -m service` with its embedded store below the current folder (a RAM disk would make
fsync free), and one gunicorn of the same settings with nothing but a route. One client process asks over keep-alive
connections, each with one request under way: a route that answers a constant, the view of the seat to act, and two
people's games, whose requests were written before. The rounds alternate; the ratios are medians over them. Where other
programs compete for the processors, the ratio of processor times (server and store) is the steadier figure.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import random
import statistics
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from engine.actions import Draw, Play
from engine.cards import Edition
from engine.game import Game
from engine.rules import Rules
from engine.shuffle import Shuffle
from service.config import Config
from tests.bench.load import Connection, Rate, Script, Server, as_bytes, rate, running

if TYPE_CHECKING:
    from collections.abc import Iterator

PEOPLE = [{"kind": "human"}, {"kind": "human"}]
MOST_DEALS = 5
ACTIONS_OF_A_GAME = 90  # about
BARE_BODY = b'{"status":"ok"}'
LABELS = Edition.BOXED.labels


def serve_bare_route() -> None:
    """The yardstick: the service's own server and settings around an application that does nothing."""
    from flask import Flask, Response

    from service import server

    class Bare(server.Server):
        def load(self) -> Any:
            app = Flask("bare")
            app.add_url_rule("/", "bare", lambda: Response(BARE_BODY, content_type="application/json"))
            return app

    Bare(Config.from_env(), "nothing").run()


def new_game(url: str, seeds: list[bytes]) -> tuple[str, list[str]]:
    """A game between two people with these seeds: its path and the seats' tokens."""
    wanted = {"seats": PEOPLE, "first_leader": 0, "deal_seeds": [seed.hex() for seed in seeds]}
    request = urllib.request.Request(f"{url}/v1/games", orjson.dumps(wanted), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        created: dict[str, Any] = orjson.loads(answer.read())
    return f"/v1/games/{created['game']['id']}", [one["token"] for one in created["tokens"]]


def game_script(url: str, number: int, games: int) -> Script:
    """Games played forward at random by the engine, as the requests that play them on the service."""
    generator = random.Random(number)
    return Script([request for _ in range(games) for request in one_game(url, generator)], again=None)


def one_game(url: str, generator: random.Random) -> Iterator[bytes]:
    """A new game's actions, deals included, up to its end."""
    seeds = [generator.randbytes(32) for _ in range(MOST_DEALS)]
    path, tokens = new_game(url, seeds)
    game, version = Game(Rules(), 0), 1
    while game.winner is None:
        told: dict[str, Any] = {"version": version}
        seat = game.to_act
        if seat is None:
            name, seat = "deal", 0
            game, events = game.start_deal(Shuffle(seeds[game.deals]).deck())
        else:
            assert game.deal is not None
            action = generator.choice(list(game.deal.legal_actions()))
            match action:
                case Play(combination):
                    name, told["cards"] = "play", [LABELS[rank] for rank in combination.cards]
                case Draw(source):
                    name, told["source"] = "draw-choice", source
                case _:
                    name = "pass"
            game, events = game.apply(seat, action)
        version += len(events)
        yield as_bytes("POST", f"{path}/{name}", tokens[seat], orjson.dumps(told))


def view_script(url: str, number: int) -> Script:
    """The view of a seat in a game that is some actions old."""
    script = game_script(url, number, 1)
    with contextlib.closing(Connection(url, script)) as connection:
        for _ in range(3 + number % 12):
            connection.send()
            while connection.busy:
                connection.receive()
    head = script.next().decode().splitlines()
    path, token = head[0].split()[1].rpartition("/")[0], head[2].split()[2]
    return Script([as_bytes("GET", path, token)])


def measure(service: Server, bare: Server, arguments: argparse.Namespace) -> None:
    """Print one line for each kind of request."""
    numbers = range(arguments.connections)
    answers = 2000 * arguments.rounds * arguments.seconds  # more than a connection will get
    games = math.ceil(answers / arguments.connections / ACTIONS_OF_A_GAME) + 2
    plans = {
        "bare route": (bare, [Script([as_bytes("GET", "/")]) for _ in numbers]),
        "view": (service, [view_script(service.url, number) for number in numbers]),
        "action": (service, [game_script(service.url, number, games) for number in numbers]),
    }
    rates: dict[str, list[Rate]] = {name: [] for name in plans}
    for _ in range(arguments.rounds):
        for name, (server, scripts) in plans.items():
            rates[name].append(rate(server, scripts, arguments.seconds))
    for name, found in rates.items():
        pairs = list(zip(found, rates["bare route"], strict=True))
        ratio = statistics.median(one.answers / yard.answers for one, yard in pairs)
        thrift = statistics.median(yard.work / one.work if one.work else 0.0 for one, yard in pairs)
        answers, work = sorted(one.answers for one in found), statistics.median(one.work for one in found)
        print(
            f"  {name:10} {statistics.median(answers):6.0f} requests/s ({answers[0]:.0f} to {answers[-1]:.0f}), "
            f"{ratio:.2f} of the bare route; processor time {work:5.0f} us each, ratio {thrift:.2f}"
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--serve-bare-route", action="store_true", help="be the yardstick's server")
    arguments = parser.parse_args()
    if arguments.serve_bare_route:
        serve_bare_route()
        return
    for appendfsync in ("everysec", "always"):
        print(f"appendfsync {appendfsync}, {arguments.connections} connections", flush=True)
        with (
            tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder,
            running(["-m", "service"], {"DATA_DIR": folder, "APPENDFSYNC": appendfsync}) as service,
            running([__file__, "--serve-bare-route"], {"REDIS_URL": "redis://localhost"}) as bare,
        ):
            measure(service, bare, arguments)


if __name__ == "__main__":
    main()
