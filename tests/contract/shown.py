"""The document's examples: sent as they are shown, and compared with what a service answers to them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import jsonschema

from tests.contract.listening import NDJSON, SSE, Parsed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.contract.client import Answer

Json = dict[str, Any]

RANDOM = re.compile(r".*/(id|game|token|ticket|at|expires_at|created_at|ended_at|elapsed_ms|commit)")
"""Where stands what nobody can foresee: names and secrets drawn at random, moments, how long something took."""

SEARCHED = re.compile(r".*/(win_probability|played_win_probability|loss|visits|best_chosen|average_loss)")
"""Where stands what a search finds: other weights or another kind of processor may find something else."""

UNSEEDED = re.compile(r"/game/next_deal/commitment")
"""What a game promises whose seeds nobody has set."""


def differences(shown: Any, real: Any, free: Callable[[str], bool], at: str = "") -> list[str]:
    """Where an answer is not what was shown; at a free place only the types have to agree."""
    if isinstance(shown, dict) and isinstance(real, dict):
        lacking = [f"{at}/{name}" for name in shown.keys() ^ real.keys()]
        both = [name for name in shown if name in real]
        return lacking + [one for name in both for one in differences(shown[name], real[name], free, f"{at}/{name}")]
    if isinstance(shown, list) and isinstance(real, list) and len(shown) == len(real):
        pairs = enumerate(zip(shown, real, strict=True))
        return [one for index, pair in pairs for one in differences(*pair, free, f"{at}/{index}")]
    is_free = free(at) and not isinstance(shown, dict | list)
    same = type(shown) is type(real) if is_free else shown == real
    return [] if same else [f"{at}: {shown!r} was shown, {real!r} was answered"]


def unranked(found: Any) -> Any:
    """What a search answers but for its order: `best` left out, the actions in an order of their own."""
    if isinstance(found, dict):
        kept = {name: unranked(value) for name, value in found.items() if name != "best"}
        if "actions" in kept:
            kept["actions"].sort(key=lambda one: json.dumps(one["action"]))
        return kept
    return [unranked(one) for one in found] if isinstance(found, list) else found


def before_choices(answer: Json) -> Json:
    """What a person's action, or a game's course so far, determines of an answer before the computer chooses."""
    first, game = answer["events"][0], answer["game"]
    assert game["version"] == answer["events"][-1]["version"]
    if first["seat"] == 1:
        first = {name: first[name] for name in ("version", "seat", "at")}
    settled = ("id", "rules", "seeded", "seats", "viewer", "turn_deadline", "winner", "last_deal", "next_deal")
    return {"game": {name: game[name] for name in settled}, "events": [first]}


@dataclass
class Showing:
    """The document's operations, and which of their examples have come true."""

    document: Json
    shown: set[tuple[str, str, str, str]] = field(default_factory=set)
    sent: set[tuple[str, str]] = field(default_factory=set)

    def operations(self) -> Iterable[tuple[str, str, Json]]:
        """Path, method and operation object."""
        for path, item in self.document["paths"].items():
            yield from ((path, method, one) for method, one in item.items() if method != "parameters")

    def find(self, name: str) -> tuple[str, str, Json]:
        """The operation of this operationId."""
        (found,) = [one for one in self.operations() if one[2]["operationId"] == name]
        return found

    def all_sent(self) -> set[tuple[str, str]]:
        """Every example of a request: operation and name."""
        return {
            (one["operationId"], name)
            for _, _, one in self.operations()
            for media in one.get("requestBody", {}).get("content", {}).values()
            for name in media["examples"]
        }

    def all_shown(self) -> set[tuple[str, str, str, str]]:
        """Every example of an answer that is no problem: operation, status, media type and name."""
        return {
            (one["operationId"], status, media_type, name)
            for _, _, one in self.operations()
            for status, answer in one["responses"].items()
            for media_type, media in answer.get("content", {}).items()
            if "problem" not in media_type
            for name in media["examples"]
        }

    def body(self, operation: str, name: str) -> Json:
        """A request's example, from now on one that was sent."""
        _, _, found = self.find(operation)
        body: Json = found["requestBody"]["content"]["application/json"]["examples"][name]["value"]
        self.sent.add((operation, name))
        return body

    def compare(
        self,
        operation: str,
        answer: Answer,
        name: str | None,
        *,
        status: int = 200,
        free: re.Pattern[str] = RANDOM,
        of: Callable[[Any], Any] = lambda whole: whole,
    ) -> None:
        """Fails unless an answer has its promised shape and is what the example of this name shows.

        `free` are more places where it may differ; `of` takes from both what there is to compare.
        """
        assert answer.status == status, (operation, name, answer.body)
        media_type = answer.headers["content-type"].partition(";")[0]
        _, _, found = self.find(operation)
        media = found["responses"][str(status)]["content"][media_type]
        real = told(media_type, answer.body)
        if media_type == "application/json":
            root = {"components": self.document["components"]}
            jsonschema.Draft202012Validator({**root, **media["schema"]}).validate(real)
        if name is None:
            return
        shown = told(media_type, media["examples"][name]["value"])

        wrong = differences(of(shown), of(real), lambda at: bool(RANDOM.fullmatch(at) or free.fullmatch(at)))
        assert wrong == [], (operation, name)
        self.shown.add((operation, str(status), media_type, name))


def told(media_type: str, content: Any) -> Any:
    """What a body, or an example of one, tells: its JSON, its messages or its text."""
    if media_type in {SSE, NDJSON}:
        parsed = Parsed(media_type)
        parsed.take(content if isinstance(content, bytes) else content.encode())
        return [message for _, message in parsed.messages]
    if media_type == "application/json":
        return json.loads(content) if isinstance(content, bytes) else content
    return content.decode() if isinstance(content, bytes) else content
