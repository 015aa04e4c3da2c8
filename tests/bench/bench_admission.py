"""Play beside twice as much advice as can be served: how long views, plays and advice take, and what is refused.

    python tests/bench/bench_admission.py [--seconds S] [--players N] [--factor F] [--time-ms MS]

One `python -m service` with two workers. People play each other at a human pace from a thread each, alone at first,
then beside advice of `time_ms` that comes `factor` times as often as the workers' slots can serve, answered or not.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.contract.client import Client
from tests.contract.processes import own_service

Json = dict[str, Any]

WORKERS = 2
WAIT_SECONDS = 2.0
PAUSE_SECONDS = 0.05
PEOPLE = [{"kind": "human"}, {"kind": "human"}]
POSITION: Json = {
    "hand": ["1", "2", "2", "4", "6", "6", "7", "9", "C", "C"],
    "opponent_hand_size": 8,
    "opponent_known": ["3"],
    "played": ["1", "2", "3", "3", "4", "5", "5", "5"],
    "face_up": "4",
    "draw_pile": 9,
    "to_follow": ["5", "5"],
}
PATHS = {"play": "play", "pass": "pass", "draw": "draw-choice"}


@dataclass
class Load:
    """What was asked and how long it took: seconds by what was asked and the status."""

    seconds: dict[tuple[str, int], list[float]] = field(default_factory=dict)
    problems: Counter[str] = field(default_factory=Counter)
    retry_after: list[int] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, client: Client, what: str, *args: Any) -> Any:
        """One request, timed; its JSON."""
        begin = time.perf_counter()
        answer = client.ask(*args)
        took = time.perf_counter() - begin
        told = answer.json
        with self.lock:
            self.seconds.setdefault((what, answer.status), []).append(took)
            if answer.status >= 400:
                self.problems[told["code"]] += 1
                self.retry_after.append(int(answer.headers.get("retry-after", 0)))
        return told

    def count(self, what: str, *statuses: int) -> int:
        """How many were answered with these statuses, with any where none is given."""
        return sum(
            len(took)
            for (kind, status), took in self.seconds.items()
            if kind == what and (not statuses or status in statuses)
        )

    def share(self, what: str, status: int, share: float) -> float:
        """The time, in milliseconds, within which that share was answered."""
        took = sorted(self.seconds.get((what, status), [math.nan]))
        return 1000 * took[min(len(took) - 1, int(share * len(took)))]


def play_on(url: str, load: Load, end: float, number: int) -> None:
    """People's games one after the other until the time is over, each action after a look and a pause."""
    chance = random.Random(number)
    with closing(Client(url)) as client:
        while time.monotonic() < end:
            made = load.ask(client, "create", "POST", "/v1/games", {"seats": PEOPLE, "rules": {"points_to_win": 99}})
            path, tokens = f"/v1/games/{made['game']['id']}", [one["token"] for one in made["tokens"]]
            for _ in range(200):
                if time.monotonic() >= end:
                    break
                public = load.ask(client, "view", "GET", path)
                seat = public["to_act"] or 0
                view = load.ask(client, "view", "GET", path, None, tokens[seat])
                action = chance.choice(view["legal_actions"] or [{"type": "deal"}])
                told = {name: action[name] for name in ("cards", "source") if name in action}
                where = f"{path}/{PATHS.get(action['type'], 'deal')}"
                load.ask(client, "play", "POST", where, {"version": view["version"], **told}, tokens[seat])
                time.sleep(PAUSE_SECONDS)


def ask_advice(url: str, load: Load, time_ms: int) -> None:
    """One piece of advice, on a connection of its own."""
    with closing(Client(url)) as client:
        load.ask(client, "advice", "POST", "/v1/suggestions", {**POSITION, "time_ms": time_ms})


def press(url: str, seconds: float, *, players: int, per_second: float, time_ms: int) -> Load:
    """Play, and ask for so much advice a second, for some time."""
    load = Load()
    most = players + math.ceil(per_second * (WAIT_SECONDS + time_ms / 1000 + 1)) + 1
    begin = time.monotonic()
    with ThreadPoolExecutor(most) as pool:
        asked = [pool.submit(play_on, url, load, begin + seconds, number) for number in range(players)]
        for number in range(int(per_second * seconds)):
            time.sleep(max(0.0, begin + number / per_second - time.monotonic()))
            asked.append(pool.submit(ask_advice, url, load, time_ms))
        for one in asked:
            one.result()
    return load


def measure(folder: Path, arguments: argparse.Namespace) -> tuple[Load, Load]:
    """The load alone and beside advice."""
    per_second = arguments.factor * WORKERS * 1000 / arguments.time_ms
    settings = {"WORKERS": str(WORKERS), "SEARCH_WAIT_SECONDS": str(WAIT_SECONDS), "LOG_LEVEL": "warning"}
    options = {"players": arguments.players, "time_ms": arguments.time_ms}
    with own_service(folder, **settings) as service:
        press(service.url, 1, players=2, per_second=2, time_ms=10)  # connections, caches
        alone = press(service.url, arguments.seconds, per_second=0, **options)
        beside = press(service.url, arguments.seconds, per_second=per_second, **options)
    return alone, beside


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--players", type=int, default=6)
    parser.add_argument("--factor", type=float, default=2.0)
    parser.add_argument("--time-ms", type=int, default=200)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        alone, beside = measure(Path(folder), arguments)
    print("milliseconds               p50     p99     most   answers")
    for name, load in (("alone", alone), ("beside advice", beside)):
        for what in ("view", "play"):
            figures = "  ".join(f"{load.share(what, 200, share):6.1f}" for share in (0.5, 0.99, 1.0))
            print(f"{name:14} {what:8} {figures}   {load.count(what, 200)}")
    bound = arguments.time_ms + 1000 * WAIT_SECONDS
    for status in (200, 503):
        figures = "  ".join(f"{beside.share('advice', status, share):6.1f}" for share in (0.5, 0.99, 1.0))
        print(f"advice         {status:<8} {figures}   {beside.count('advice', status)}")
    print(f"bound on advice: its budget and the longest wait, {bound:.0f} ms; problems: {dict(beside.problems)}")


if __name__ == "__main__":
    main()
