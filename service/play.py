"""`python -m service.play URL`: a game in the terminal, by the public API alone.

For each decision it shows the table and the legal actions by number; `?` asks for advice, `q` leaves, and --game with
--token comes back. Exit codes: 0 when the game is over or the player leaves, 2 when command line, address or service
are of no use.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
import urllib.error
import urllib.request
from http.client import HTTPException

from rich.console import Console
from rich.text import Text

from service.screen import Json, advice_table, event_text, names_of, score_text, table_of
from service.verify import RecordError, verify

PATHS = {"play": "play", "pass": "pass", "draw": "draw-choice"}
OPTIONS = ("crisps_in_runs", "no_face_up_draw", "automatic_turn_skip")
PAUSES = (0.5, 1.0, 2.0, 4.0)  # seconds before each repeat of a request whose answer did not come


class OfNoUse(Exception):
    """There is no service, or no such game, to play at."""


class Refused(OfNoUse):
    """The service's problem in its own words; `code` is what programs go by."""

    def __init__(self, problem: Json) -> None:
        flaws = [f"{flaw.get('pointer')}: {flaw['detail']}" for flaw in problem.get("errors", ())]
        super().__init__(" ".join([f"{problem['title']}. {problem['detail']}", *flaws]))
        self.code: str = problem["code"]


class Service:
    """The API at an address. A request whose answer is lost is sent again: its key makes sure that it counts once."""

    def __init__(self, url: str, token: str | None) -> None:
        self.url, self.token = url.rstrip("/").removesuffix("/v1"), token

    def ask(self, method: str, path: str, body: Json | None = None, pauses: tuple[float, ...] = PAUSES) -> Json:
        """The answer's JSON. Raises Refused, OfNoUse."""
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        headers |= {"Idempotency-Key": secrets.token_hex(16)} if method == "POST" else {}
        data, why = None if body is None else json.dumps(body).encode(), ""
        for pause in (0.0, *pauses):
            time.sleep(pause)
            try:
                request = urllib.request.Request(self.url + path, data, headers, method=method)  # noqa: S310 - http(s)
                with urllib.request.urlopen(request, timeout=40) as answer:  # noqa: S310
                    return dict(json.load(answer))
            except urllib.error.HTTPError as error:
                if error.code != 503 and error.headers.get_content_type() == "application/problem+json":
                    raise Refused(json.load(error)) from error
                why = f"{error.code} {error.reason}"
            except (OSError, HTTPException, ValueError, TypeError) as error:  # the latter two: not JSON, or no object
                why = str(getattr(error, "reason", error))
        raise OfNoUse(f"No Crisps! service answers at {self.url}: {why}")


class Player:
    """A seat at a game, whoever sits in the other one."""

    def __init__(self, service: Service, view: Json, console: Console, client_seed: str | None) -> None:
        self.service, self.view, self.console, self.client_seed = service, view, console, client_seed
        self.path, self.me, self.names = f"/v1/games/{view['id']}", view["viewer"], names_of(view)
        self.promise: str | None = None  # of the deal that began here

    def play(self) -> None:
        """Play from here to the end of the game. Raises OfNoUse, and EOFError when the player leaves."""
        while self.view["phase"] != "finished":
            try:
                self.go_on()
            except Refused as refusal:
                if refusal.code not in {"version_conflict", "game_finished"}:
                    raise
                self.look()  # somebody was faster
        self.tell(f"{self.names[self.view['winner']]} won the game. {score_text(self.view, self.names)}.", "bold")

    def go_on(self) -> None:
        """Whatever the game waits for: a deal, the own action, the computer's, or another person's."""
        to_act = self.view["to_act"]
        if self.view["phase"] == "awaiting_deal":
            self.promise = self.view["next_deal"]["commitment"]
            seed = secrets.token_hex(8) if self.client_seed is None else self.client_seed
            self.act("deal", {"client_seed": seed})
        elif to_act == self.me:
            self.choose()
        elif self.view["seats"][to_act]["kind"] == "ai":
            self.act("ai-move", {})
        else:
            self.look(f"?wait=20&version={self.view['version']}")

    def act(self, operation: str, body: Json) -> None:
        """Act on the version last seen."""
        done = self.service.ask("POST", f"{self.path}/{operation}", {"version": self.view["version"], **body})
        self.take_in(done["game"], done["events"])

    def look(self, query: str = "") -> None:
        """See what others have done; a second's rest where nothing has, for a busy service does not wait."""
        before, now = self.view["version"], self.service.ask("GET", self.path + query)
        if now["version"] == before:
            return time.sleep(1)
        page = f"history?after={before}&limit={now['version'] - before}"
        return self.take_in(now, self.service.ask("GET", f"{self.path}/{page}")["events"])

    def take_in(self, view: Json, events: list[Json]) -> None:
        """The new view, and in words what led to it."""
        self.view = view
        for event in events:
            self.tell(f"  {event_text(event, self.names)}", "dim")
            if event["type"] == "deal_ended":
                self.check_shuffle(event["number"])

    def check_shuffle(self, number: int) -> None:
        """Compute an ended deal again from the seed that was promised before it."""
        record = self.service.ask("GET", f"{self.path}/deals/{number}")
        try:
            checks = len(list(verify(record)))
        except RecordError as error:
            self.tell(f"  This deal does not verify: {error}", "bold red")
            return
        kept = self.promise in {None, record["commitment"]}
        told = f"Shuffle and course verified: {checks} checks" if kept else "This shuffle was not promised!"
        self.tell(f"  {told}", "green" if kept else "bold red")

    def choose(self) -> None:
        """Show the table, ask the player for an action and take it. Raises EOFError: the player leaves."""
        actions = self.view["legal_actions"]
        self.console.print(table_of(self.view, self.names))
        said = ""
        while not (said.isdecimal() and 1 <= int(said) <= len(actions)):
            said = self.console.input(f"1 to {len(actions)}, ? for advice, q to leave: ").strip()
            if said == "?":
                self.console.print(advice_table(self.service.ask("POST", f"{self.path}/suggestions", {}), actions))
            elif said == "q":
                raise EOFError
        action = actions[int(said) - 1]
        self.act(PATHS[action["type"]], {name: action[name] for name in ("cards", "source") if name in action})

    def tell(self, text: str, style: str = "") -> None:
        """A line of text, names in it taken as they are."""
        self.console.print(Text(text, style=style))


def seated(asked: argparse.Namespace, service: Service) -> Json:
    """The view of the game to play: the one to come back to, or a new one. Raises OfNoUse."""
    service.ask("GET", "/v1/levels", pauses=())  # no service is told at once
    if asked.game is None:
        rules = {"edition": asked.edition, "points_to_win": asked.points, **dict.fromkeys(asked.rules, True)}
        seats = [{"kind": "human", "name": asked.name}, {"kind": "ai", "level": asked.level}]
        created = service.ask("POST", "/v1/games", {"seats": seats, "rules": rules})
        asked.game, service.token = created["game"]["id"], created["tokens"][0]["token"]
    return service.ask("GET", f"/v1/games/{asked.game}")


def main(arguments: list[str] | None = None) -> int:
    """Play at the service that the command line names; the process's exit code."""
    parser = argparse.ArgumentParser(prog="python -m service.play", description="Play Crisps! in the terminal.")
    parser.add_argument("url", help="address of a service, such as http://127.0.0.1:8000")
    parser.add_argument("--level", type=int, choices=range(1, 6), default=3, help="the computer's level (3)")
    parser.add_argument("--name", help="yours, as the other seat sees it")
    parser.add_argument("--edition", choices=("boxed", "classic"), default="boxed", help="the cards' labels (boxed)")
    parser.add_argument("--rules", nargs="+", choices=OPTIONS, default=[], metavar="OPTION", help=", ".join(OPTIONS))
    parser.add_argument("--points", type=int, default=3, help="deals to win (3)")
    parser.add_argument("--seed", help="mixed into every shuffle (a random one for each)")
    parser.add_argument("--game", help="come back to this game; with --token")
    parser.add_argument("--token", help="your seat's")
    asked = parser.parse_args(arguments)
    if (asked.game is None) != (asked.token is None):
        parser.error("--game and --token go together")
    if not asked.url.startswith(("http://", "https://")):
        parser.error(f"{asked.url} is no address of a service: it begins with http:// or https://")
    console, service = Console(highlight=False), Service(asked.url, asked.token)
    try:
        Player(service, seated(asked, service), console, asked.seed).play()
    except (EOFError, KeyboardInterrupt):
        if asked.game is not None:
            back = f"python -m service.play {service.url} --game {asked.game} --token {service.token}"
            console.print(Text(f"\nTo come back: {back}"), soft_wrap=True)
    except OfNoUse as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
