"""`python -m service.play URL`: a game in the terminal, by the public API alone.

For each decision it shows the table and the legal actions by number; `?` asks for advice, `q` leaves, and --game with
--token comes back. Exit codes: 0 when the game is over or the player leaves, 2 when command line, address or service
are of no use. Whoever leaves before the game is over is told how to come back.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time

from rich.console import Console
from rich.text import Text

from engine.errors import InvalidDeck
from engine.shuffle import SEED_BYTES, Shuffle
from service.remote import OfNoUse, Refused, Service
from service.screen import Json, advice_table, event_text, names_of, score_text, table_of
from service.verify import RecordError, verify

PATHS = {"play": "play", "pass": "pass", "draw": "draw-choice"}
OPTIONS = ("crisps_in_runs", "no_face_up_draw", "automatic_turn_skip")
MOVED_ON = {"version_conflict", "game_finished"}  # the game is no longer as it was last seen


class Player:
    """A seat at a game, whoever sits in the other one."""

    def __init__(self, service: Service, view: Json, console: Console, client_seed: str | None) -> None:
        self.service, self.view, self.console, self.client_seed = service, view, console, client_seed
        if view["viewer"] is None:
            raise OfNoUse("This token has no seat at this game.")
        self.path, self.me, self.names = f"/v1/games/{view['id']}", view["viewer"], names_of(view)
        self.promises: dict[int, str] = {}  # by number of deal, of those whose beginning was waited for here

    def play(self) -> None:
        """Play from here to the end of the game. Raises OfNoUse, and EOFError when the player leaves."""
        while self.view["phase"] != "finished":
            try:
                self.go_on()
            except Refused as refusal:
                if refusal.code not in MOVED_ON:
                    raise
                self.look()  # somebody was faster
        self.tell(f"{self.names[self.view['winner']]} won the game. {score_text(self.view, self.names)}.", "bold")

    def go_on(self) -> None:
        """Whatever the game waits for: a deal, the own action, the computer's, or another person's."""
        to_act = self.view["to_act"]
        if self.view["phase"] == "awaiting_deal":
            self.promises[self.view["next_deal"]["number"]] = self.view["next_deal"]["commitment"]
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
        kept = self.promises.get(number, record["commitment"]) == record["commitment"]
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
                self.advise()
            elif said == "q":
                raise EOFError
        action = actions[int(said) - 1]
        self.act(PATHS[action["type"]], {name: action[name] for name in ("cards", "source") if name in action})

    def advise(self) -> None:
        """Show what the service would do, or tell why it does not say. Raises Refused: the game has moved on."""
        try:
            said = self.service.ask("POST", f"{self.path}/suggestions", {"version": self.view["version"]})
            self.console.print(advice_table(said, self.view["legal_actions"]))
        except OfNoUse as error:
            if error.code in MOVED_ON:
                raise
            self.tell(str(error), "red")

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
        service.token = created["tokens"][0]["token"]
        return {**created["game"], "viewer": created["tokens"][0]["seat"]}
    return service.ask("GET", f"/v1/games/{asked.game}")


def token_joined(arguments: list[str]) -> list[str]:
    """The arguments with `--token` and its value as one: alone, a token with a dash first is an option to argparse."""
    if "--token" not in arguments:
        return arguments
    at = arguments.index("--token")
    return [*arguments[:at], "=".join(arguments[at : at + 2]), *arguments[at + 2 :]]


def main(arguments: list[str] | None = None) -> int:
    """Play at the service that the command line names; the process's exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m service.play", description="Play Crisps! in the terminal.", allow_abbrev=False
    )
    parser.add_argument("url", help="address of a service, such as http://127.0.0.1:8000")
    parser.add_argument("--level", type=int, choices=range(1, 6), default=3, help="the computer's level (3)")
    parser.add_argument("--name", help="yours, as the other seat sees it")
    parser.add_argument("--edition", choices=("boxed", "classic"), default="boxed", help="the cards' labels (boxed)")
    parser.add_argument("--rules", nargs="+", choices=OPTIONS, default=[], metavar="OPTION", help=", ".join(OPTIONS))
    parser.add_argument("--points", type=int, default=3, help="deals to win (3)")
    parser.add_argument("--seed", help="mixed into every shuffle (a random one for each)")
    parser.add_argument("--game", help="come back to this game; with --token")
    parser.add_argument("--token", help="your seat's")
    asked = parser.parse_args(token_joined(sys.argv[1:] if arguments is None else arguments))
    if (asked.game is None) != (asked.token is None):
        parser.error("--game and --token go together")
    if not asked.url.startswith(("http://", "https://")):
        parser.error(f"{asked.url} is no address of a service: it begins with http:// or https://")
    try:
        Shuffle(bytes(SEED_BYTES), asked.seed or "")
    except InvalidDeck as error:  # told before there is a game
        parser.error(f"--seed: {error.detail}")
    console, service, player, status = Console(highlight=False), Service(asked.url, asked.token), None, 0
    try:
        player = Player(service, seated(asked, service), console, asked.seed)
        player.play()
    except (EOFError, KeyboardInterrupt):
        console.print()
    except OfNoUse as error:
        sys.stderr.write(f"{error}\n")
        status = 2
    except (LookupError, TypeError, AttributeError) as error:  # JSON, but not this API's
        sys.stderr.write(f"{service.url} answers as no Crisps! service does: {error!r}\n")
        status = 2
    else:
        return 0
    if player is not None:
        back = f"python -m service.play {service.url} --game {player.view['id']} --token {service.token}"
        console.print(Text(f"To come back: {back}"), soft_wrap=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
