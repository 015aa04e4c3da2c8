"""Whole games over HTTP against the computer: `python -m tests.contract.play_games --games 100`.

Every game is played from the view's legal actions alone and checked on the way: versions, events, views, history, the
record of every deal. Any answer but success ends the program with what was answered. Prints what was played.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from service.verify import verify_deal
from tests.contract.client import Client, Seated, connected, history_of
from tests.contract.folding import foldable, folded
from tests.contract.processes import own_service

Json = dict[str, Any]

OPTIONS = ("crisps_in_runs", "no_face_up_draw", "automatic_turn_skip")
VARIANTS = [
    {"edition": edition, **dict(zip(OPTIONS, chosen, strict=True))}
    for edition in ("boxed", "classic")
    for chosen in product((False, True), repeat=3)
]
"""Both editions with every combination of the table options."""

LEVELS = 5
SUGGESTED = 0.1
"""The share of actions for which the service is asked and then followed."""


def settings_of(number: int) -> Json:
    """How game `number` is created: 16 games in a row have all variants, 80 in a row all of them at every level."""
    computer: Json = {"kind": "ai", "level": 1 + number // len(VARIANTS) % LEVELS}
    person: Json = {"kind": "human", "name": f"Ann {number}"}
    return {
        "seats": [person, computer] if number % 3 else [computer, person],
        "rules": {**VARIANTS[number % len(VARIANTS)], "points_to_win": 1 + number % 3},
        "ai_reply": "manual" if number % 5 == 0 else "auto",
    }


def play_game(client: Client, number: int, seed: int) -> Counter[str]:
    """Play one game to its end; what was done, counted."""
    chance = random.Random(f"{seed}/{number}")
    seated = Seated.create(client, settings_of(number))
    public = client.want(200, "GET", seated.path)
    done: Counter[str] = Counter(games=1)
    while seated.view["winner"] is None:
        done.update(take_turn(seated, chance))
    check_finished(seated, public, chance)
    done.update(events=seated.version, deals=seated.view["last_deal"]["number"])
    return done


def take_turn(seated: Seated, chance: random.Random) -> Counter[str]:
    """Whatever the game waits for: a deal, the computer's action or the own one."""
    if seated.view["phase"] == "awaiting_deal":
        seated.post("deal", chance.choice([{}, {"client_seed": f"{chance.random()}"}]))
        return Counter(requests=1)
    if seated.ai_is_due:
        seated.post("ai-move", {})
        return Counter(requests=1, asked_computer=1)
    if chance.random() < SUGGESTED:
        seated.act(seated.suggestion(simulations=100))
        return Counter(requests=2, actions=1, suggestions=1)
    seated.act(chance.choice(seated.view["legal_actions"]))
    return Counter(requests=1, actions=1)


def check_finished(seated: Seated, public: Json, chance: random.Random) -> None:
    """A finished game: view, history and records all tell the same."""
    view, client = seated.view, seated.client
    assert view["phase"] == "finished"
    assert seated.look() == view
    created, *rest = seated.history(limit=chance.choice([1, 7, 100, 1000]))
    assert created["type"] == "created"
    assert rest == seated.events
    assert rest[-1]["type"] == "game_ended"
    in_public = history_of(client, seated.path, None)
    assert foldable(client.want(200, "GET", seated.path)) == foldable(folded(public, in_public[1:]))
    verified = []
    for number in range(1, view["last_deal"]["number"] + 1):
        record = seated.record(number)
        verify_deal(record)
        verified += record["events"]
        check_computer_left_traces(record, view)
    in_deals = [event for event in rest if event["type"] != "game_ended"]
    assert [event["version"] for event in verified] == [event["version"] for event in in_deals]
    for mine, whole in zip(in_deals, verified, strict=True):
        assert agrees(mine, whole), (mine, whole)


def check_computer_left_traces(record: Json, view: Json) -> None:
    """Exactly the computer's own decisions carry their search."""
    computer = next(seat["seat"] for seat in view["seats"] if seat["kind"] == "ai")
    for event in record["events"]:
        chosen = event["type"] in {"played", "passed", "drew"} and event["seat"] == computer
        assert ("search" in event) == (chosen and not event.get("automatic", False))


def agrees(redacted: Any, whole: Any) -> bool:
    """Whether an event as a seat saw it is the recorded one but for nulls, and for the search that nobody saw."""
    if isinstance(redacted, dict):
        return redacted.keys() == whole.keys() - {"search"} and all(
            agrees(redacted[name], whole[name]) for name in redacted
        )
    if isinstance(redacted, list) and isinstance(whole, list) and len(redacted) == len(whole):
        return all(map(agrees, redacted, whole))
    return redacted is None or redacted == whole


def play_some(url: str, numbers: list[int], seed: int) -> tuple[Counter[str], Counter[int]]:
    """Play these games over one connection; what was done, and how often each status was answered."""
    done: Counter[str] = Counter()
    with connected(url) as client:
        for number in numbers:
            done.update(play_game(client, number, seed))
        return done, Counter(client.statuses)


def main() -> int:
    """Play and print what was played."""
    parser = argparse.ArgumentParser(prog="python -m tests.contract.play_games", description=__doc__)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--url", help="of a running service; without it one is started and stopped again")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1, help="play so many games at the same time")
    asked = parser.parse_args()
    with contextlib.ExitStack() as stack:
        url = asked.url
        if url is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="crisps-games-"))
            url = stack.enter_context(own_service(Path(folder))).url
        shares = [list(range(first, asked.games, asked.processes)) for first in range(asked.processes)]
        began = time.monotonic()
        pool = stack.enter_context(ProcessPoolExecutor(asked.processes, get_context("spawn")))
        done: Counter[str] = Counter()
        statuses: Counter[int] = Counter()
        for played, answered in pool.map(play_some, [url] * len(shares), shares, [asked.seed] * len(shares)):
            done.update(played)
            statuses.update(answered)
        seconds = time.monotonic() - began
    sys.stdout.write(f"{', '.join(f'{count} {what}' for what, count in done.items())}\n")
    sys.stdout.write(f"answers by status: {dict(sorted(statuses.items()))}; {seconds:.1f} s\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
