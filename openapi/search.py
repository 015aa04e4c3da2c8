"""Writes service/illustrations.json anew: what a service of today finds in the game of the document's examples.

For a change of the search or of its budgets; `make openapi` takes the figures into the document afterwards.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from service import examples, illustrations
from service.app import create_app
from service.config import Config
from service.embedded import EmbeddedStore

Json = dict[str, Any]

FILE = Path(illustrations.__file__).with_suffix(".json")
ADVISED = 9  # the version at which seat 0 asks
PATHS = {"played": "play", "passed": "pass", "drew": "draw-choice"}


class _Table:
    """An application on a store, and the game of the examples created there."""

    def __init__(self, store_url: str) -> None:
        self._client = create_app(Config.from_env({"REDIS_URL": store_url})).test_client()
        made = self.ask("POST", "/v1/games", examples.OUR_GAME)
        self.path = f"/v1/games/{made['game']['id']}"
        self._tokens = [one["token"] for one in made["tokens"]]

    def ask(self, method: str, path: str, body: Json | None = None, seat: int | None = None) -> Json:
        headers = {} if seat is None else {"Authorization": f"Bearer {self._tokens[seat]}"}
        answer = self._client.open(path, method=method, json=body, headers=headers)
        if answer.status_code >= 400:
            raise SystemExit(f"{method} {path} was answered {answer.status_code}: {answer.text}")
        told: Json = answer.get_json()
        return told

    def act(self, seat: int, action: str, body: Json) -> None:
        self.ask("POST", f"{self.path}/{action}", body, seat)


def found(store_url: str) -> Json:
    """What the service on this store answers, as far as searches found it; chances have four digits.

    Advice with and without history: every action with its chance and visits. Analysis: for each decision the best
    action, its chance, and that of what was played.
    """
    table = _Table(store_url)
    table.act(0, "deal", examples.DEAL)
    advice: list[Json] = []
    for event in examples.record()["events"]:
        if event["version"] == ADVISED + 1:
            advice.append(table.ask("POST", f"{table.path}/suggestions", illustrations.BUDGET, event["seat"]))
        if event["type"] in PATHS:
            said = {name: event[name] for name in ("cards", "source") if name in event}
            table.act(event["seat"], PATHS[event["type"]], {"version": event["version"] - 1, **said})
    advice.append(table.ask("POST", "/v1/suggestions", examples.position()))
    analysed = table.ask("GET", f"{table.path}/deals/1/analysis")
    kept = ("best", "win_probability", "played_win_probability")
    return {
        "with_history": [_rounded(one) for one in advice[0]["actions"]],
        "without_history": [_rounded(one) for one in advice[1]["actions"]],
        "decisions": [_rounded({name: one[name] for name in kept}) for one in analysed["decisions"]],
    }


def _rounded(rated: Json) -> Json:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in rated.items()}


def as_text(figures: Json) -> str:
    """The file's text, a line for each action and decision."""
    parts = []
    for name, rows in figures.items():
        lines = ",\n".join(f"    {json.dumps(row)}" for row in rows)
        parts.append(f"  {json.dumps(name)}: [\n{lines}\n  ]")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main() -> int:
    """Write the file; the process's exit code."""
    with tempfile.TemporaryDirectory(prefix="crisps-search-") as folder:
        store = EmbeddedStore(Path(folder), "everysec")
        store.start()
        try:
            figures = found(store.url)
        finally:
            store.stop()
    FILE.write_text(as_text(figures), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
