"""`python -m service.play` where something goes wrong: nobody loses a game or its token, nothing is told falsely."""

from __future__ import annotations

import io
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from service.play import Player, main
from service.remote import OfNoUse, Refused, Service
from tests.contract.client import connected
from tests.contract.relays import answer_of, answering, relayed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.contract.client import Client

Json = dict[str, Any]

PROBLEM = "application/problem+json"
PEOPLE = [{"kind": "human"}, {"kind": "human"}]
LIMITED = answer_of(
    "429 Too Many Requests", PROBLEM, {"title": "Too many requests", "detail": "Later.", "code": "rate_limited"}
)
GONE = answer_of("404 Not Found", PROBLEM, {"title": "Unknown game", "detail": "It is gone.", "code": "unknown_game"})


class Typed(io.TextIOBase):
    """Standard input whose lines are made when they are asked for."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)

    def readline(self, _size: int | None = -1, /) -> str:  # type: ignore[override]
        return next(self._lines, "")


class Terminal:
    """The command run in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def play(self, *arguments: str, lines: Iterable[str] = ()) -> tuple[int, str, str]:
        """Exit code, output, and what is told on standard error."""
        self._monkeypatch.setattr(sys, "stdin", Typed(lines))
        try:
            status = main(list(arguments))
        except SystemExit as end:
            status = int(str(end.code))
        told = self._capsys.readouterr()
        return status, told.out, told.err


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(monkeypatch, capsys)


@pytest.fixture
def client(service_url: str) -> Iterator[Client]:
    with connected(service_url) as connection:
        yield connection


def act(client: Client, game: str, token: str) -> Json:
    """The first thing that a seat may do."""
    view = client.want(200, "GET", game, token=token)
    action = view["legal_actions"][0]
    path = {"play": "play", "pass": "pass", "draw": "draw-choice"}[action["type"]]
    said = {name: action[name] for name in ("cards", "source") if name in action}
    done: Json = client.want(200, "POST", f"{game}/{path}", {"version": view["version"], **said}, token)["game"]
    return done


def test_advice_that_is_refused_is_told_and_the_game_goes_on(service_url: str, terminal: Terminal) -> None:
    with relayed(service_url, instead={b"/suggestions ": LIMITED}) as relay:
        status, shown, wrong = terminal.play(relay.url, "--level", "1", lines=["?\n", "?\n", "1\n", "q\n"])
    assert (status, wrong) == (0, "")
    assert shown.count("Too many requests. Later.") == 2
    assert "To come back: " in shown
    assert "  You: " in shown


def test_who_is_refused_in_mid_game_is_told_how_to_come_back(service_url: str, terminal: Terminal) -> None:
    with relayed(service_url, instead={b"/play ": GONE}) as relay:
        lead = [relay.url, "--points", "1"]
        status, shown, wrong = terminal.play(*lead, lines=["1\n"] * 40)
        assert (status, wrong) == (2, "Unknown game. It is gone.\n")
        _, game, token = re.search(r"To come back: .* (\S+) --game (\S+) --token (\S+)", shown).groups()  # type: ignore[union-attr]
    status, shown, wrong = terminal.play(service_url, "--game", game, "--token", token, lines=["q\n"])
    assert (status, wrong) == (0, "")
    assert f"--game {game} --token {token}" in shown


def test_advice_after_the_seat_has_acted_elsewhere_shows_the_new_table(
    service_url: str, client: Client, terminal: Terminal
) -> None:
    seats = [{"kind": "human"}, {"kind": "ai", "level": 1}]
    made = client.want(201, "POST", "/v1/games", {"seats": seats, "first_leader": 0})
    game, token = f"/v1/games/{made['game']['id']}", made["tokens"][0]["token"]
    client.want(200, "POST", f"{game}/deal", {"version": 1}, token)

    def lines() -> Iterator[str]:
        act(client, game, token)
        yield "?\n"
        yield "q\n"

    status, shown, wrong = terminal.play(service_url, "--game", made["game"]["id"], "--token", token, lines=lines())
    assert (status, wrong) == (0, "")
    assert "  You: " in shown  # what was done elsewhere
    assert shown.count("Your hand") == 2
    assert "%" not in shown


def test_a_promise_is_held_against_its_own_deal_only(service_url: str, client: Client) -> None:
    made = client.want(201, "POST", "/v1/games", {"seats": PEOPLE, "first_leader": 0})
    game, tokens = f"/v1/games/{made['game']['id']}", [one["token"] for one in made["tokens"]]
    view = client.want(200, "GET", game, token=tokens[0])
    console = Console(file=io.StringIO(), width=100)
    player = Player(Service(service_url, tokens[0]), view, console, None)
    player.go_on()
    assert player.view["phase"] == "play"
    for number in (1, 2):  # the second deal is dealt by the other seat, before this one has looked
        view = client.want(200, "GET", game, token=tokens[0])
        if number == 2:
            view = client.want(200, "POST", f"{game}/deal", {"version": view["version"]}, tokens[1])["game"]
        while view["phase"] in {"play", "draw"}:
            view = act(client, game, tokens[view["to_act"]])
    player.look()
    assert isinstance(console.file, io.StringIO)
    told = console.file.getvalue()
    assert told.count("Shuffle and course verified") == 2
    assert "not promised" not in told
    player.promises[2] = "0" * 64
    player.check_shuffle(2)
    assert "This shuffle was not promised!" in console.file.getvalue()


def test_a_token_without_a_seat_is_told_so(service_url: str, client: Client, terminal: Terminal) -> None:
    made = client.want(201, "POST", "/v1/games", {"seats": [{"kind": "ai"}, {"kind": "ai"}]})
    (token,) = (one["token"] for one in made["tokens"])
    told = terminal.play(service_url, "--game", made["game"]["id"], "--token", token)
    assert told == (2, "", "This token has no seat at this game.\n")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (answer_of("200 OK", "application/json", {"some": "thing"}), "answers as no Crisps! service does: "),
        (answer_of("200 OK", "application/json", b"[" * 100_000), "No Crisps! service answers at "),
        (answer_of("404 Not Found", PROBLEM, b'{"title": "Unk'), "No Crisps! service answers at "),
        (answer_of("404 Not Found", PROBLEM, b'["title"]'), "No Crisps! service answers at "),
        (answer_of("404 Not Found", PROBLEM, {"errors": ["what"]}), "No Crisps! service answers at "),
        (answer_of("404 Not Found", PROBLEM, {"title": "Lost"})[:-3], "No Crisps! service answers at "),
        (answer_of("404 Not Found", PROBLEM, {"title": "Lost", "errors": [{}]}), "Lost. "),
    ],
)
@pytest.mark.parametrize("more", [(), ("--game", "f" * 32, "--token", "x")])
def test_another_sites_answers_are_no_service(
    terminal: Terminal, answer: bytes, told: str, more: tuple[str, ...]
) -> None:
    with answering(answer) as url:
        status, shown, wrong = terminal.play(url, *more)
    assert (status, shown) == (2, "")
    assert told in wrong


def test_a_busy_service_is_told_by_its_own_words() -> None:
    busy = answer_of("503 Service Unavailable", PROBLEM, {"title": "Busy", "detail": "Later.", "code": "search_busy"})
    with answering(busy) as url, pytest.raises(Refused, match=r"^Busy\. Later\.$") as refusal:
        Service(url, None).ask("POST", "/v1/suggestions", {}, pauses=())
    assert refusal.value.code == "search_busy"
    with answering(answer_of("503 Service Unavailable", "text/html", b"")) as url, pytest.raises(OfNoUse) as end:
        Service(url, None).ask("POST", "/v1/suggestions", {}, pauses=())
    assert end.value.code is None


@pytest.mark.parametrize("seed", ["x" * 65, "\udc80"])
def test_a_seed_that_no_shuffle_takes_is_told_before_there_is_a_game(terminal: Terminal, seed: str) -> None:
    status, _, wrong = terminal.play("http://127.0.0.1:1", "--seed", seed)
    assert status == 2
    assert "--seed: a client seed " in wrong
