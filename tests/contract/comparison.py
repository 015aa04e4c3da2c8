"""Compares what the service answers about a game and about its twin, to everything one viewer could ask."""

from __future__ import annotations

import http.client
import io
import random
import re
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import orjson
from werkzeug.test import run_wsgi_app

from engine.deal import Phase
from service import auth
from service.app import create_app
from service.connections import connect
from service.hosted import AiReply, SeatKind
from service.redis_store import RedisGameStore
from tests.contract import asked, twins
from tests.played import (
    FIRST_AGAINST_AI,
    HUMANS,
    MACHINES,
    NOW,
    SECOND_AGAINST_AI,
    Course,
    courses,
    every_rules,
    put,
    settings_of,
)
from tests.running import store_config

if TYPE_CHECKING:
    from engine.actions import Action
    from engine.cards import Seat
    from service.auth import SeatToken

OPTIONS = 8
SEATS = (HUMANS, HUMANS, FIRST_AGAINST_AI, SECOND_AGAINST_AI, MACHINES)
PHASES = (Phase.PLAY, Phase.PLAY, Phase.DRAW, Phase.AWAITING_DEAL)

# All that may differ between the answers about twins: a search takes its time, and a commitment promises another
# secret seed. The clock stands still (`at`, turn_deadline), and the requests name their own ids.
ELAPSED = re.compile(rb'"elapsed_ms":[0-9.e+-]+')
COMMITMENT = re.compile(rb'"commitment":"([0-9a-f]{64})"')
REQUEST_ID = {"X-Request-Id": "twin"}


class Answer(NamedTuple):
    """One answer: status, header fields in order, body."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def events(self, count: int) -> list[Any]:
        """The first events that an action's answer tells."""
        return list(orjson.loads(self.body)["events"][:count])


@dataclass(frozen=True)
class Position:
    """One position, its viewer, and the viewer's token if it sends one."""

    number: int
    course: Course
    viewer: Seat | None
    tokens: tuple[SeatToken, ...]
    token: str | None

    def __str__(self) -> str:
        now = self.course.hosted
        deal = now.game.deal
        actions = "no deal" if deal is None else f"{len(deal.history)} actions into deal {deal.number}"
        seats = "/".join(seat.kind for seat in now.seats)
        return f"position {self.number}: {now.game.rules}, {seats}, {actions}, {now.game.phase}, viewer {self.viewer}"


def position(number: int) -> Position:
    """The position of this number, always the same one."""
    generator = random.Random(f"hidden twin {number}")
    options = number % OPTIONS
    rules = every_rules(generator.choice((1, 2, 3)))[options + OPTIONS * (number // OPTIONS % 2)]
    seats = generator.choice(SEATS)
    turns = generator.choice((None, None, 60))
    settings = settings_of(rules, seats, first_leader=generator.randrange(2), turns=turns)
    settings = replace(settings, ai_reply=generator.choice(list(AiReply)))
    if generator.random() < 0.3:
        settings = replace(settings, deal_seeds=tuple(generator.randbytes(32) for _ in range(3)))
    phase = generator.choice(PHASES)
    game = list(courses(settings, generator))
    wanted = [course for course in game if course.hosted.game.phase is phase] or game[1:-1]
    course = generator.choice(wanted)
    people = [seat for seat, one in enumerate(seats) if one.kind is SeatKind.HUMAN]
    viewer = generator.choice((*people, *people, None))
    tokens = twins.tokens_of(course, generator)
    token = next((one.token for one in tokens if one.seat == viewer), None)
    return Position(number, course, viewer, tokens, token)


class Service:
    """The application on a store of its own, with a clock that stands still."""

    def __init__(self, url: str) -> None:
        config = store_config(url)
        self._redis = connect(config)
        self._store = RedisGameStore(self._redis)
        self._app = create_app(config, self._store)
        services = self._app.extensions["crisps"]
        services._ports = replace(services.ports, clock=lambda: NOW + 10**7)

    def close(self) -> None:
        """Give its connections up."""
        self._redis.close()

    def hold(self, course: Course, tokens: tuple[SeatToken, ...]) -> None:
        """Store this course, and nothing else."""
        self._redis.flushdb()
        put(self._store, course, auth.access_of(tokens))

    def stored(self, course: Course) -> tuple[Any, ...]:
        """All that the store has of the course's game."""
        game_id = course.hosted.game_id
        return self._store.load(game_id), self._store.events(game_id, 0, 10_000), self._store.deal_heads(game_id)

    def ask(self, request: asked.Request, game_id: str, token: str | None) -> Answer:
        """Send a request about a game."""
        headers = {**REQUEST_ID, **({} if token is None else {"Authorization": f"Bearer {token}"}), **request.headers}
        return self._send(request.method, f"/v1/games/{game_id}{request.path}", headers, request.body)

    def _send(self, method: str, target: str, headers: dict[str, str], body: bytes | None) -> Answer:
        """Hand a request over as a WSGI server does: Flask's test client takes as long as the answer itself."""
        path, _, query = target.partition("?")
        body = body or b""
        environ = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
        environ |= {"REQUEST_METHOD": method, "SCRIPT_NAME": "", "PATH_INFO": path, "QUERY_STRING": query}
        environ |= {"CONTENT_TYPE": headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body))}
        environ |= {"SERVER_NAME": "localhost", "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1"}
        served: dict[str, Any] = {"wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(body), "wsgi.errors": sys.stderr}
        chunks, status, fields = run_wsgi_app(self._app, {**environ, **served}, buffered=True)
        return Answer(int(status.split()[0]), list(fields), b"".join(chunks))


class WholeService(Service):
    """`python -m service` on a store; the time of day, which it adds to every answer, left out."""

    def __init__(self, url: str, address: str) -> None:
        super().__init__(url)
        parts = urlsplit(address)
        self._connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=30)

    def close(self) -> None:
        """Give its connections up."""
        self._connection.close()
        super().close()

    def _send(self, method: str, target: str, headers: dict[str, str], body: bytes | None) -> Answer:
        self._connection.request(method, target, body, headers)
        answer = self._connection.getresponse()
        fields = [field for field in answer.getheaders() if field[0] != "Date"]
        return Answer(answer.status, fields, answer.read())


Pair = tuple[Service, Service]


def without_what_may_differ(answer: Answer, course: Course, request: asked.Request) -> Answer:
    """The answer with the commitments to unopened seeds and the search's duration blotted out."""
    headers = dict(answer.headers)
    if request.method != "HEAD" and answer.status not in {204, 304}:
        assert headers["Content-Length"] == str(len(answer.body))
    opened = {head.shuffle.commitment.encode() for head in course.heads.values()}
    body = COMMITMENT.sub(lambda found: found[0] if found[1] in opened else b'"commitment":""', answer.body)
    timeless = ELAPSED.sub(b'"elapsed_ms":0', body)
    if timeless == body:
        return Answer(answer.status, answer.headers, body)
    return Answer(answer.status, [field for field in answer.headers if field[0] != "Content-Length"], timeless)


class Comparison:
    """Asks both services the same and collects where they answer differently."""

    def __init__(self, services: Pair, at: Position, generator: random.Random) -> None:
        self._services = services
        self._at = at
        self._generator = generator
        self._twin_tokens = tuple(
            one if one.seat == at.viewer else auth.SeatToken(one.seat, generator.randbytes(32).hex())
            for one in at.tokens
        )
        self.asked = 0
        self.differences: list[str] = []

    def look(self, twin: Course) -> None:
        """Everything that the viewer can ask without changing the game."""
        at, viewer = self._at, self._at.viewer
        hosted = at.course.hosted
        legal = asked.legal_actions(hosted, viewer)
        self._hold(twin)
        before = [service.stored(at.course) for service in self._services]
        for request in (
            *asked.reads(hosted, viewer),
            *asked.refused(hosted, viewer),
            *(asked.advice() if legal else ()),
        ):
            self._compare(request, twin)
        assert [service.stored(at.course) for service in self._services] == before, f"{at} was changed"

    def act(self, twin: Course) -> None:
        """Everything that the viewer can do, each on a fresh copy of the game."""
        at, hosted = self._at, self._at.course.hosted
        for action in asked.legal_actions(hosted, at.viewer):
            self._act(action, twin)
        if at.token is None:
            return
        self._both(asked.post("resign", {"version": hosted.version}), twin)
        if asked.awaits_deal(hosted):
            self._hold(twin)
            self._compare(asked.post("deal", {"version": hosted.version}), twin, reveals_after=0)
        if hosted.ai_to_act is not None:
            self._hold(twin)
            self._compare(asked.post("ai-move", {"version": hosted.version}), twin, reveals_after=0)

    def _act(self, action: Action, twin: Course) -> None:
        """A legal action, at a twin that looks the same also afterwards: what it turns up is the same card."""
        at, hosted = self._at, self._at.course.hosted
        if not twins.agrees(at.course, twin, at.viewer, action):
            twin = twins.twin_of(at.course, at.viewer, self._generator, action)
        assert hosted.game.deal is not None
        after, events = hosted.game.deal.apply_unchecked(action)
        replies = hosted.ai_reply is AiReply.AUTO and after.to_act is not None
        replies = replies and hosted.seats[after.to_act or 0].kind is SeatKind.AI
        request = asked.request_for(action, hosted)
        if replies:  # the computer's action tells of its hand; what came before it does not
            self._hold(twin)
            self._compare(request, twin, reveals_after=len(events))
        else:
            self._both(request, twin)

    def _both(self, request: asked.Request, twin: Course) -> None:
        """An action that reveals nothing, and how the game looks then."""
        self._hold(twin)
        self._compare(request, twin)
        for look in (asked.Request("GET"), asked.Request("GET", "/history?limit=1000")):
            self._compare(look, twin, f" after {request}")

    def _hold(self, twin: Course) -> None:
        self._services[0].hold(self._at.course, self._at.tokens)
        self._services[1].hold(twin, self._twin_tokens)

    def _compare(self, request: asked.Request, twin: Course, after: str = "", reveals_after: int | None = None) -> None:
        self.asked += 1
        one, other = (
            without_what_may_differ(service.ask(request, course.hosted.game_id, self._at.token), course, request)
            for service, course in zip(self._services, (self._at.course, twin), strict=True)
        )
        assert one.status < 500, f"{self._at}: {request}{after}: {one}"
        if reveals_after is not None:
            alike = one.status == other.status == 200 and one.events(reveals_after) == other.events(reveals_after)
        else:
            secrets = (
                *twins.secrets_of(self._at.course),
                *(t.token for t in self._at.tokens if t.token != self._at.token),
            )
            alike = one == other and not any(secret.encode() in one.body for secret in secrets)
        if not alike:
            self.differences.append(f"{request}{after}\n      {one}\n      {other}")


def compare(services: Pair, numbers: list[int], *, acting: bool = True) -> tuple[int, list[tuple[Position, list[str]]]]:
    """How many requests were sent to both, and the positions that differ from their twins, the simplest first."""
    sent, found = 0, []
    for number in numbers:
        at = position(number)
        generator = random.Random(f"twin of {number}")
        comparison = Comparison(services, at, generator)
        twin = twins.twin_of(at.course, at.viewer, generator)
        comparison.look(twin)
        if acting:
            comparison.act(twin)
        sent += comparison.asked
        if comparison.differences:
            found.append((at, comparison.differences))
    return sent, sorted(found, key=lambda one: len(one[0].course.events))


def report(found: list[tuple[Position, list[str]]]) -> str:
    """The simplest failing position in words."""
    at, differences = found[0]
    shown = "\n  ".join(differences[:5])
    return (
        f"{len(found)} positions differ from their twins; the simplest is\n{at}\n{len(differences)} answers:\n  {shown}"
    )
