"""A client that talks to a running service over HTTP as a program of a player would, and believes nothing unchecked."""

from __future__ import annotations

import contextlib
import http.client
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tests.contract.folding import foldable, folded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Json = dict[str, Any]

ANSWER_SECONDS = 30.0
PAGE = 1000


class Unanswered(Exception):
    """No whole answer came; whether a write took place is unknown."""


class NotDone(AssertionError):
    """The service answered something else than success."""

    def __init__(self, what: str, answer: Answer) -> None:
        super().__init__(f"{what}: {answer.status} {answer.body[:500]!r}")
        self.answer = answer


@dataclass(frozen=True)
class Answer:
    """A whole answer; `headers` by lower-case name."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Client:
    """One kept-alive connection to a service. Not to be shared between threads."""

    def __init__(self, url: str, seconds: float = ANSWER_SECONDS) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        self.url = url
        self.statuses: dict[int, int] = {}
        self._connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=seconds)

    def close(self) -> None:
        """Give the connection up; the next request opens another."""
        self._connection.close()

    def ask(self, method: str, path: str, body: Json | None = None, token: str | None = None, **headers: str) -> Answer:
        """One request and its answer; keyword `If_Match` becomes the header If-Match. Raises Unanswered."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        try:
            self._connection.request(method, path, data, sent)
            got = self._connection.getresponse()
            answer = Answer(got.status, {name.lower(): value for name, value in got.getheaders()}, got.read())
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise Unanswered(f"{method} {path}: {error!r}") from error
        self.statuses[answer.status] = self.statuses.get(answer.status, 0) + 1
        return answer

    def want(
        self, status: int, method: str, path: str, body: Json | None = None, token: str | None = None, **headers: str
    ) -> Any:
        """The JSON of an answer that has to have this status. Raises NotDone, Unanswered."""
        answer = self.ask(method, path, body, token, **headers)
        if answer.status != status:
            raise NotDone(f"{method} {path} {body}", answer)
        return answer.json


@dataclass
class Seated:
    """A seat in a game: its view, and every event it was told, in order and without a gap from version 2 on.

    Everything the service says is checked against what it said before: versions grow by one with each event, and the
    view is the one before with the events folded in.
    """

    client: Client
    game_id: str
    token: str
    seat: int
    view: Json
    events: list[Json] = field(default_factory=list)

    @classmethod
    def create(cls, client: Client, settings: Json) -> Seated:
        """A new game and its first human seat."""
        made = client.want(201, "POST", "/v1/games", settings)
        token = made["tokens"][0]
        seated = cls(client, made["game"]["id"], token["token"], token["seat"], made["game"])
        assert seated.view["version"] == 1
        seated.view = client.want(200, "GET", seated.path, token=seated.token)
        return seated

    @property
    def path(self) -> str:
        """Where the game is."""
        return f"/v1/games/{self.game_id}"

    @property
    def version(self) -> int:
        """The version of the latest view."""
        return int(self.view["version"])

    @property
    def ai_is_due(self) -> bool:
        """Whether the computer is to act."""
        to_act = self.view["to_act"]
        return to_act is not None and self.view["seats"][to_act]["kind"] == "ai"

    def act(self, action: Json) -> None:
        """Take one of the view's legal actions."""
        match action["type"]:
            case "play":
                self.post("play", {"cards": action["cards"]})
            case "draw":
                self.post("draw-choice", {"source": action["source"]})
            case kind:
                assert kind == "pass"
                self.post("pass", {})

    def post(self, operation: str, body: Json) -> None:
        """Change the game at the version last seen, told in the body or by If-Match. Raises NotDone, Unanswered."""
        headers = {}
        if self.version % 2:
            headers["If_Match"] = f'"{self.version}.{self.seat}"'
        else:
            body = {**body, "version": self.version}
        answer = self.client.want(200, "POST", f"{self.path}/{operation}", body, self.token, **headers)
        assert answer["events"], "an action without an event"
        self._take_in(answer["game"], answer["events"])

    def look(self) -> Json:
        """The seat's view as it is now; an older one than seen before would be a loss."""
        seen: Json = self.client.want(200, "GET", self.path, token=self.token)
        return seen

    def catch_up(self) -> None:
        """Take in what happened since the version last seen, from the game's view and history."""
        seen = self.look()
        self._take_in(seen, self.history(after=self.version)[: seen["version"] - self.version])

    def history(self, after: int = 0, limit: int = PAGE) -> list[Json]:
        """All events above a version as this seat may know them, in pages of `limit`."""
        return history_of(self.client, self.path, self.token, after, limit)

    def suggestion(self, **budget: int) -> Json:
        """The best action for this seat according to the service."""
        asked = self.client.want(200, "POST", f"{self.path}/suggestions", budget, self.token)
        assert asked["version"] == self.version
        assert asked["best"] == asked["actions"][0]["action"]
        shown = [json.dumps(value["action"], sort_keys=True) for value in asked["actions"]]
        legal = [json.dumps(action, sort_keys=True) for action in self.view["legal_actions"]]
        assert sorted(shown) == sorted(legal)
        best: Json = asked["best"]
        return best

    def record(self, number: int) -> Json:
        """The record of an ended deal."""
        record: Json = self.client.want(200, "GET", f"{self.path}/deals/{number}")
        return record

    def _take_in(self, view: Json, events: list[Json]) -> None:
        versions = [event["version"] for event in events]
        assert versions == list(range(self.version + 1, self.version + 1 + len(events)))
        assert view["version"] == self.version + len(events)
        assert foldable(view) == foldable(folded(self.view, events))
        assert bool(view["legal_actions"]) == (view["to_act"] == self.seat)
        self.events += events
        self.view = view


def history_of(client: Client, path: str, token: str | None, after: int = 0, limit: int = PAGE) -> list[Json]:
    """All events of a game above a version, page by page."""
    events: list[Json] = []
    while True:
        page = client.want(200, "GET", f"{path}/history?after={after}&limit={limit}", token=token)
        assert len(page["events"]) <= limit
        events += page["events"]
        if page["next_after"] is None:
            return events
        assert len(page["events"]) == limit
        assert page["next_after"] == events[-1]["version"]
        after = page["next_after"]


@contextlib.contextmanager
def connected(url: str, seconds: float = ANSWER_SECONDS) -> Iterator[Client]:
    """A client, closed afterwards."""
    client = Client(url, seconds)
    try:
        yield client
    finally:
        client.close()
