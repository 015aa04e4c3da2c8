"""The document's examples come true: requests are sent as they are shown, answers compared with real ones."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from openapi import search
from service.opening import now_in_milliseconds
from service.problems import KINDS
from service.resources.operations import SHOWN_CODES
from tests.contract.client import Answer, Client, connected
from tests.contract.listening import NDJSON, SSE, Follower
from tests.contract.shown import SEARCHED, UNSEEDED, Showing, before_choices, unranked

if TYPE_CHECKING:
    from service.embedded import EmbeddedStore
    from tests.contract.interrupted import Process

Json = dict[str, Any]

OUR_GAME = "the game of these examples"


@dataclass
class Played:
    """A game that the examples are sent to."""

    showing: Showing
    client: Client
    path: str
    tokens: list[str]

    @classmethod
    def create(cls, showing: Showing, client: Client, name: str, answered: str | None, **more: Any) -> Played:
        """Create a game as an example says; with more settings than it has, the answer is not compared."""
        answer = client.ask("POST", "/v1/games", {**showing.body("createGame", name), **more})
        showing.compare("createGame", answer, None if more else answered, status=201, free=UNSEEDED)
        game = f"/v1/games/{answer.json['game']['id']}"
        assert answer.headers["location"] == game
        return cls(showing, client, game, [one["token"] for one in answer.json["tokens"]])

    def send(self, operation: str, name: str, answered: str | None, seat: int = 0, **how: Any) -> Answer:
        """Send an operation's example and compare the answer."""
        path, method, _ = self.showing.find(operation)
        body = self.showing.body(operation, name)
        path = path.replace("/v1/games/{game_id}", self.path)
        answer = self.client.ask(method.upper(), path, body, self.tokens[seat])
        self.showing.compare(operation, answer, answered, **how)
        return answer

    def get(self, operation: str, answered: str, query: str = "", seat: int | None = 0, **how: Any) -> Answer:
        """Read something of the first deal or of the game, and compare it."""
        path, _, _ = self.showing.find(operation)
        path = path.replace("{game_id}", self.path.rpartition("/")[2]).replace("{number}", "1")
        headers = {"Accept": how.pop("accept")} if "accept" in how else {}
        token = None if seat is None else self.tokens[seat]
        answer = self.client.ask("GET", path + query, None, token, **headers)
        self.showing.compare(operation, answer, answered, **how)
        return answer


@pytest.fixture(scope="module")
def showing(service_url: str) -> Showing:
    with connected(service_url) as client:
        return Showing(client.want(200, "GET", "/openapi.json"))


def play_our_game(showing: Showing, client: Client) -> None:
    """The game of the examples, from its creation to its rematch."""
    ours = Played.create(showing, client, OUR_GAME, "two people")
    streams = [Follower(client.url, ours.path, ours.tokens[0], form) for form in (SSE, NDJSON)]
    ours.send("issueStreamTicket", "a ticket", "a ticket")
    ours.send("dealCards", "with a seed of yours", "dealt")
    ours.send("playCards", "a lead", "the other person is next")
    for stream, form in zip(streams, (SSE, NDJSON), strict=True):
        for _ in range(3):
            stream.tell()
        told = "".join(f"id: {one['version']}\ndata: {json.dumps(one)}\n\n" for _, one in stream.parsed.messages)
        lines = "".join(f"{json.dumps(one)}\n" for _, one in stream.parsed.messages)
        body = (told if form == SSE else lines).encode()
        showing.compare("streamEvents", Answer(200, {"content-type": form}, body), "begin")
        stream.leave()
    for seat, cards in ((1, "9"), (0, "C"), (1, "8 8 8")):
        play(ours, seat, cards.split())
    ours.send("passTurn", "pass", "passed")
    ours.send("chooseDraw", "an unseen card", "an unseen card", seat=1)
    play(ours, 1, ["2", "3", "4", "5"])
    ours.get("getGame", "to follow")
    ours.get("getGame", "in public", seat=None)
    ours.send("suggestActions", "reproducible", "reproducible", free=SEARCHED, of=unranked)
    for name in ("by default", "as long as a level", "so long"):
        ours.send("suggestActions", name, None)
    ours.send("playCards", "a follow", "a follow")
    do(ours, 1, "pass")
    ours.get("getGame", "to choose a draw")
    ours.send("chooseDraw", "the face-up card", "the face-up card")
    play(ours, 0, ["1", "2", "3", "4"])
    do(ours, 1, "pass")
    do(ours, 0, "draw-choice", source="face_up")
    ours.send("playCards", "the last cards", "the last cards")
    ours.get("getGame", "between deals")
    ours.send("resignGame", "resign", "resigned", seat=1)
    ours.get("getGame", "finished")
    ours.get("getHistory", "with limit=5", "?limit=5")
    ours.get("getDealRecord", "the first deal")
    ours.get("analyseDeal", "the first deal", free=SEARCHED, of=unranked)
    ours.get("getGameRecord", "the game")
    ours.get("getGameRecord", "the game", accept=NDJSON)
    ours.send("rematchGame", "again", "the first to ask", status=201, free=UNSEEDED)
    ours.send("rematchGame", "again", "the other one", seat=1, free=UNSEEDED)


def do(game: Played, seat: int, action: str, **body: Any) -> None:
    """An action that is no example."""
    version = game.client.want(200, "GET", game.path)["version"]
    game.client.want(200, "POST", f"{game.path}/{action}", {"version": version, **body}, game.tokens[seat])


def play(game: Played, seat: int, cards: list[str]) -> None:
    do(game, seat, "play", cards=cards)


def play_against_the_computer(showing: Showing, client: Client) -> None:
    """The same deal against the computer, which replies at once or when told to."""
    Played.create(showing, client, "by default", None)
    Played.create(showing, client, "against the computer", "against the computer")
    seeds = showing.body("createGame", OUR_GAME)["deal_seeds"]
    at_once = Played.create(showing, client, "against the computer", None, deal_seeds=seeds)
    at_once.send("dealCards", "with a seed of yours", None)
    at_once.send("playCards", "a lead", "the computer has replied", of=before_choices)
    told = Played.create(showing, client, "against the computer", None, deal_seeds=seeds, ai_reply="manual")
    told.send("dealCards", "without", None)
    told = Played.create(showing, client, "against the computer", None, deal_seeds=seeds, ai_reply="manual")
    told.send("dealCards", "with a seed of yours", None)
    told.send("playCards", "a lead", None)
    told.send("makeAiMove", "its move", "its move", of=before_choices)


def two_of_them(listed: Any) -> Any:
    """What the example of a list of problem codes shows of the list: of its page the two codes' lines."""
    if isinstance(listed, str):
        return [line for line in listed.splitlines() if any(f">{code}<" in line for code in SHOWN_CODES)]
    return [one for one in listed["problems"] if one["code"] in SHOWN_CODES]


def ask_about_everything_else(showing: Showing, client: Client) -> None:
    """What belongs to no game."""
    for name in ("position", "with its history"):
        answer = client.ask("POST", "/v1/suggestions", showing.body("suggestForPosition", name))
        showing.compare("suggestForPosition", answer, name, free=SEARCHED, of=unranked)
    showing.compare("getLevels", client.ask("GET", "/v1/levels"), "levels")
    showing.compare("getHealth", client.ask("GET", "/healthz"), "alive")
    showing.compare("getReadiness", client.ask("GET", "/readyz"), "ready")
    for accept in ("application/json", "text/html"):
        answer = client.ask("GET", "/problems/version_conflict", Accept=accept)
        showing.compare("getProblemType", answer, "version_conflict")
        answer = client.ask("GET", "/problems", Accept=accept)
        showing.compare("listProblemTypes", answer, "two of them", of=two_of_them)
    metrics = client.ask("GET", "/metrics")
    _, _, operation = showing.find("getMetrics")
    (name, example), *_ = operation["responses"]["200"]["content"]["text/plain"]["examples"].items()
    sample = example["value"].rpartition(" ")[0]
    assert re.search(rf"^{re.escape(sample)} [0-9.]+$", metrics.body.decode(), re.MULTILINE)
    showing.shown.add(("getMetrics", "200", "text/plain", name))


def claim_a_game(showing: Showing, process: Process) -> None:
    """A game whose clock runs down, which nobody wants to wait for: the service's clock is put forward."""
    api, services = process.api, process.services
    ahead = [0]
    services._ports = replace(services.ports, clock=lambda: now_in_milliseconds() + ahead[0])
    settings = {**showing.body("createGame", OUR_GAME), **showing.body("createGame", "two people with a clock")}
    settings["seats"] = showing.body("createGame", OUR_GAME)["seats"]
    made = api.post("/v1/games", settings).json
    path, token = f"/v1/games/{made['game']['id']}", made["tokens"][0]["token"]
    for action, operation, name in (("deal", "dealCards", "with a seed of yours"), ("play", "playCards", "a lead")):
        assert api.post(f"{path}/{action}", showing.body(operation, name), token=token).status_code == 200
    ahead[0] = 60_000
    answer = api.post(f"{path}/claim", showing.body("claimGame", "claim"), token=token)
    headers = {name.lower(): value for name, value in answer.headers.items()}
    showing.compare("claimGame", Answer(answer.status_code, headers, answer.data), "won on time")


def test_every_example_of_a_request_is_answered_as_the_examples_of_answers_show(
    showing: Showing, service_url: str, process: Process
) -> None:
    with connected(service_url) as client:
        play_our_game(showing, client)
        play_against_the_computer(showing, client)
        ask_about_everything_else(showing, client)
    claim_a_game(showing, process)
    assert showing.all_sent() - showing.sent == set()
    assert showing.all_shown() - showing.shown == set()
    assert len(showing.sent) > 20
    assert len(showing.shown) > 30


@pytest.mark.jit
def test_the_figures_in_the_examples_are_what_the_search_finds_today(valkey: EmbeddedStore) -> None:
    found = search.as_text(search.found(valkey.url))
    assert found == search.FILE.read_text(), "write them anew: PYTHONPATH=. python openapi/search.py; make openapi"


# What cannot be brought about by a request alone; tests/service/test_problems.py and others do it from inside.
TROUBLE = {"internal_error", "not_ready", "rate_limited", "search_busy", "store_unavailable", "streams_busy"}


ODD_BODIES = ((b"{", "application/json"), (b"version=2", "text/plain"), (b" " * 70_000, "application/json"))


def sent(url: str, data: bytes, media_type: str) -> Answer:
    """What a service answers to these bytes as a new game's settings; on a connection that it may close."""
    with contextlib.closing(http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)) as connection:
        connection.request("POST", "/v1/games", data, {"Content-Type": media_type})
        got = connection.getresponse()
        return Answer(got.status, {name.lower(): value for name, value in got.getheaders()}, got.read())


def test_every_example_of_a_refusal_is_what_is_answered_to_such_a_request(showing: Showing, service_url: str) -> None:
    people: Json = {"seats": [{"kind": "human"}, {"kind": "human"}], "first_leader": 0}
    seeds = showing.body("createGame", OUR_GAME)["deal_seeds"]
    with connected(service_url) as client:
        made = client.want(201, "POST", "/v1/games", {**people, "deal_seeds": seeds})
        path = f"/v1/games/{made['game']['id']}"
        ann, ben = (one["token"] for one in made["tokens"])

        def post(action: str, token: str | None = ann, **body: Any) -> Answer:
            key = {"Idempotency_Key": body.pop("key")} if "key" in body else {}
            return client.ask("POST", f"{path}/{action}", {"version": 2, **body}, token, **key)

        refused = [post("play", version=1, cards=["2"]), client.ask("GET", f"{path}/deals/1")]
        post("deal", version=1, client_seed="crisps", key="deal-it")
        refused += [
            post("deal", version=1, key="deal-it"),
            client.ask("GET", f"{path}/deals/1"),
            post("play", None, cards=["6"]),
            post("play", ann + "x", cards=["6"]),
            client.ask("POST", f"/v1/games/{'f' * 32}/play", {"version": 2, "cards": ["6"]}, ann),
            client.ask("GET", "/problems/none"),
            post("play", ben, cards=["9"]),
            post("claim"),
            post("play", version=1, cards=["6"]),
            client.ask("POST", f"{path}/play", {"cards": ["6"]}, ann),
            post("play", cards=["5"]),
            post("play", cards=["1", "6"]),
            post("pass"),
            client.ask("GET", f"{path}/events", Accept="image/png"),
            client.ask("POST", "/v1/games", {"seats": [{"kind": "human"}, {"kind": "ai", "level": "5"}]}),
            *(sent(service_url, data, form) for data, form in ODD_BODIES),
        ]
        client.want(200, "POST", f"{path}/play", {"version": 2, "cards": ["9"]}, ann)
        refused.append(post("play", ben, version=3, cards=["8"]))
        client.want(200, "POST", f"{path}/resign", {"version": 3}, ann)
        refused.append(post("play", version=4, cards=["6"]))
    examples = showing.document["components"]["examples"]
    for answer in refused:
        told, shown = answer.json, examples[answer.json["code"]]["value"]
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.status == told["status"]
        same = ("type", "title", "status", "code")
        assert {name: told[name] for name in same} == {name: shown[name] for name in same}
        assert shown.keys() <= told.keys()
        if "errors" in shown:
            assert told["errors"] == shown["errors"]
    met = {answer.json["code"] for answer in refused}
    assert met <= KINDS.keys()
    assert examples.keys() - met - TROUBLE == set()
