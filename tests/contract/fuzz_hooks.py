"""What .ci/fuzz adds to schemathesis: generated requests reach real games, with their tokens and at their version.

Without it nearly every request would end at "no such game". A game is made for a few requests of one operation, in each
of the states a game can be in; generated bodies that are valid get the game's version, and some of them legal cards.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
import schemathesis
from schemathesis.core.parameters import ParameterLocation

from tests.contract.client import Client

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from schemathesis import AuthContext, Case, CheckContext, Response

Json = dict[str, Any]

REQUESTS_FOR_A_GAME = 4
MOST_ACTIONS = 60
PEOPLE = [{"kind": "human"}, {"kind": "human"}]
AGAINST_AI = [{"kind": "human"}, {"kind": "ai", "level": 1}]
MACHINES = [{"kind": "ai", "level": 1}, {"kind": "ai", "level": 1}]
AUTO, MANUAL = {"ai_reply": "auto"}, {"ai_reply": "manual"}

# How a game is made, and how many actions it is old at least; GIVEN_UP: none, but it is over.
GIVEN_UP = -1
STATES: tuple[tuple[Json, int], ...] = (
    ({"seats": PEOPLE}, 0),
    ({"seats": PEOPLE, "rules": {"edition": "classic", "crisps_in_runs": True}}, 4),
    ({"seats": AGAINST_AI, **MANUAL}, 1),
    ({"seats": MACHINES}, 0),
    ({"seats": AGAINST_AI, **AUTO}, 1),
    ({"seats": PEOPLE, "rules": {"no_face_up_draw": True, "automatic_turn_skip": True}}, 7),
    ({"seats": PEOPLE, "turn_seconds": 5}, GIVEN_UP),
    ({"seats": PEOPLE, "turn_seconds": 5, "rules": {"points_to_win": 1}}, 6),
    ({"seats": PEOPLE, "rules": {"points_to_win": 2}}, 40),
)
# What a game has to look like for an operation to succeed; it is carried on until it does, if it ever does.
READY: Mapping[str, Callable[[Json], bool]] = {
    "deal": lambda view: view["phase"] == "awaiting_deal",
    "draw-choice": lambda view: view["phase"] == "draw",
    "pass": lambda view: view["deal"] is not None and view["deal"]["to_follow"] is not None,
    "play": lambda view: view["phase"] == "play",
    "suggestions": lambda view: view["to_act"] is not None,
    "ai-move": lambda view: view["to_act"] is not None and view["seats"][view["to_act"]]["kind"] == "ai",
    "{number}": lambda view: view["last_deal"] is not None,
    "analysis": lambda view: view["last_deal"] is not None,
    "record": lambda view: view["phase"] == "finished",
}
# What the service may say to a request whose shape is right: it is about the game's state, never about the shape.
SHAPE_PROBLEMS = {"malformed_json", "unsupported_media_type", "payload_too_large", "invalid_request"}


@dataclass
class Game:
    """A game on the service, and the tokens of its seats (of none, between computers)."""

    path: str
    tokens: dict[int | None, str]
    asked: int = 0

    @property
    def id(self) -> str:
        """Its id."""
        return self.path.rpartition("/")[2]


class Games:
    """Games to ask about, for each operation another one."""

    def __init__(self, url: str) -> None:
        self._client = Client(url)
        self._generator = random.Random(1)
        self._made: dict[str, int] = {}
        self._games: dict[str, Game] = {}

    def for_operation(self, path: str) -> Game:
        """A game that few have asked about yet, and that the operation at this path may succeed with."""
        game = self._games.get(path)
        if game is None or game.asked == REQUESTS_FOR_A_GAME:
            settings, actions = STATES[self._made.get(path, 0) % len(STATES)]
            self._made[path] = self._made.get(path, 0) + 1
            game = self._games[path] = self._make(settings, actions, READY.get(path.rpartition("/")[2], bool))
        game.asked += 1
        return game

    def view(self, game: Game) -> Json:
        """The game as the seat to act sees it, else as the first token does."""
        view = self._get(game, next(iter(game.tokens)))
        return self._get(game, view["to_act"]) if view["to_act"] in game.tokens else view

    def _get(self, game: Game, seat: int | None) -> Json:
        view: Json = self._want(200, "GET", game.path, token=game.tokens[seat])
        return view

    def _want(self, status: int, method: str, path: str, body: Json | None = None, token: str | None = None) -> Any:
        answer = self._client.want(status, method, path, body, token)
        self._client.close()  # the server would close it, for a long time may pass till the next one
        return answer

    def _make(self, settings: Json, actions: int, ready: Callable[[Json], bool]) -> Game:
        created = self._want(201, "POST", "/v1/games", settings)
        tokens = {one["seat"]: one["token"] for one in created["tokens"]}
        game = Game(f"/v1/games/{created['game']['id']}", tokens)
        view = self.view(game)
        if actions == GIVEN_UP:
            self._do(game, view, "resign")
            return game
        for done in range(MOST_ACTIONS):
            if view["phase"] == "finished" or (done >= actions and ready(view)):
                break
            self._go_on(game, view)
            view = self.view(game)
        return game

    def _go_on(self, game: Game, view: Json) -> None:
        """The next action of whoever is to act."""
        if view["phase"] == "awaiting_deal":
            self._do(game, view, "deal")
        elif READY["ai-move"](view):
            self._do(game, view, "ai-move")
        else:
            action = self._generator.choice(view["legal_actions"])
            names = {"play": "play", "pass": "pass", "draw": "draw-choice"}
            told = {key: action[key] for key in ("cards", "source") if key in action}
            self._do(game, view, names[action["type"]], **told)

    def _do(self, game: Game, view: Json, name: str, **told: Any) -> None:
        seat = view["viewer"] if view["viewer"] in game.tokens else next(iter(game.tokens))
        body = {"version": view["version"], **told}
        self._want(200, "POST", f"{game.path}/{name}", body, token=game.tokens[seat])

    def carry_on(self, body: Json, view: Json) -> None:
        """Make a valid body one that also fits the game, mostly."""
        if "version" in body or self._generator.random() < 0.8:
            body["version"] = view["version"] + (self._generator.random() < 0.1)
        plays = [action["cards"] for action in view["legal_actions"] if action["type"] == "play"]
        if "cards" in body and plays and self._generator.random() < 0.5:
            body["cards"] = self._generator.choice(plays)

    def seat_for(self, game: Game, view: Json) -> int | None:
        """Mostly the seat to act."""
        if view["to_act"] in game.tokens and self._generator.random() < 0.9:
            seat: int = view["to_act"]
            return seat
        return self._generator.choice(list(game.tokens))


GAMES = Games(os.environ["SERVICE_URL"])


@schemathesis.auth(refresh_interval=None)
class GameTokens:
    """Makes a generated request one about a real game."""

    def get(self, case: Case[Any], context: AuthContext) -> Game | None:
        """The game, where the operation is about one and the request was not made to be about none."""
        about_one = "{game_id}" in context.operation.path
        return (
            GAMES.for_operation(context.operation.path)
            if about_one and _is_valid(case, ParameterLocation.PATH)
            else None
        )

    def set(self, case: Case[Any], data: Game, context: AuthContext) -> None:
        """Put id, token and, into a valid body, the version into the request."""
        view = GAMES.view(data)
        case.path_parameters["game_id"] = data.id
        case.headers["Authorization"] = f"Bearer {data.tokens[GAMES.seat_for(data, view)]}"
        if _is_valid(case, ParameterLocation.HEADER) and "If-Match" in case.headers:
            case.headers["If-Match"] = f'"{view["version"]}.p"'
        tells_version = not case.path.endswith("/stream-ticket")
        if tells_version and _is_valid(case, ParameterLocation.BODY) and isinstance(case.body, dict):
            GAMES.carry_on(case.body, view)


def _is_valid(case: Case[Any], location: ParameterLocation) -> bool:
    return case.meta is None or not case.meta.is_negative_at(location)


@schemathesis.check
def valid_shape_is_never_called_invalid(_context: CheckContext, response: Response, case: Case[Any]) -> None:
    """In place of positive_data_acceptance, where a valid request may well be refused for the state of the game."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code < 400:
        return
    problem = orjson.loads(response.content)
    if problem["code"] not in SHAPE_PROBLEMS or is_about_cards(problem, case.path):
        return
    raise AssertionError(f"a request of the documented shape was refused: {problem}")


def is_about_cards(problem: Json, path: str) -> bool:
    """Whether a refusal names what no schema tells: labels of another edition, positions that cannot be."""
    flaws = problem.get("errors", [])
    return bool(flaws) and (
        path == "/v1/suggestions" or all(one.get("pointer", "").startswith("/cards/") for one in flaws)
    )
