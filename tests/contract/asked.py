"""Everything that one viewer of a game could ask of the API: reads, refused requests, actions.

Built from what the viewer knows, so the requests about twins are the same bytes.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from engine.actions import ACTIONS, PASS, Draw, Play, Source
from engine.cards import RANKS
from engine.combinations import CATALOGUE
from engine.deal import Phase
from engine.observation import view_game

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from engine.actions import Action
    from engine.cards import Seat
    from service.hosted import HostedGame

JSON_TYPE = {"Content-Type": "application/json"}
ACTION_PATHS = ("deal", "play", "pass", "draw-choice", "ai-move", "resign", "claim", "rematch")
POSTS = (*ACTION_PATHS, "suggestions")
SHAPES: tuple[dict[str, Any], ...] = (
    {"cards": []},
    {"cards": ["C", "Q"]},
    {"cards": ["x"]},
    {"cards": "7"},
    {"source": "top"},
    {},
)
SHARE = 8


@dataclass(frozen=True, slots=True)
class Request:
    """One request; `path` is below the game's own."""

    method: str
    path: str = ""
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        body = "" if self.body is None else f" {self.body.decode(errors='replace')[:200]}"
        return f"{self.method} {self.path or '(view)'}{body} {dict(self.headers) or ''}".rstrip()


def post(path: str, body: Any, **headers: str) -> Request:
    """A POST of a JSON value; headers by name, with _ for -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Request("POST", f"/{path}", orjson.dumps(body), {**JSON_TYPE, **named})


def reads(hosted: HostedGame, viewer: Seat | None) -> Iterator[Request]:
    """Every way to look, to look wrongly included."""
    letter = "p" if viewer is None else str(viewer)
    version, deals = hosted.version, hosted.game.deals
    yield Request("GET")
    yield Request("HEAD")
    for tag in (f'"{version}.{letter}"', f'W/"{version}.{letter}"', f'"{version - 1}.{letter}"', f'"{version}.x"', "*"):
        yield Request("GET", headers={"If-None-Match": tag})
    yield Request("GET", "?wait=1&nonsense=2")
    for query in ("", "?limit=1000", "?after=3&limit=2", f"?after={version - 1}", f"?after={version}", "?after=99999"):
        yield Request("GET", f"/history{query}")
    for query in ("?after=-1", "?limit=0", "?limit=1001", "?after=1&after=2", "?viewer=1", "?after=x"):
        yield Request("GET", f"/history{query}")
    for number in (*range(1, deals + 3), "0", "-1", "01", "x", "9" * 30):
        yield Request("GET", f"/deals/{number}")
    yield Request("GET", "/record")
    yield Request("GET", f"/deals/{deals if hosted.game.deal is not None else deals + 1}/analysis")
    for path in (
        "",
        "/history",
        "/deals/1",
        "/record",
        "/deals/1/analysis",
        *(f"/{path}" for path in POSTS),
        "/nothing",
        "/deals",
    ):
        yield Request("OPTIONS", path)
        yield Request("DELETE", path)
    for path in POSTS:
        yield Request("GET", f"/{path}")
    yield Request("GET", headers={"Authorization": "Bearer nobody's"})


def refused(hosted: HostedGame, viewer: Seat | None) -> Iterator[Request]:
    """Every action that cannot succeed: malformed, at another version, out of phase or turn, against the rules."""
    version = hosted.version
    for path in POSTS:
        yield post(path, {"version": version - 1})
        yield post(path, {"version": version + 1})
        yield post(path, {"version": version}, If_Match=f'"{version + 1}.0"')
        yield post(path, {"version": version}, Authorization="Bearer nobody's")
        yield post(path, {"version": version}, Authorization="Basic eDp5")
        yield post(path, {"version": str(version)})
        yield post(path, {"version": version, "hand": []})
        yield Request("POST", f"/{path}", b"{", JSON_TYPE)
        yield Request("POST", f"/{path}", b"{}", {"Content-Type": "text/plain"})
        yield Request("POST", f"/{path}", b"[" * 40, JSON_TYPE)
    for path in ACTION_PATHS:
        yield post(path, {})
        yield post(path, {}, If_Match="*")
    for shape in SHAPES:
        yield post("play", {"version": version, **shape})
        yield post("draw-choice", {"version": version, **shape})
    for name, value in (("simulations", 0), ("seed", -1), ("level", 6), ("time_ms", 5001)):
        yield post("suggestions", {name: value})
    legal = set(legal_actions(hosted, viewer))
    # Whose turn it is not is told so whatever it plays: a share of everything will do, each version another one.
    wrong = [request_for(action, hosted) for action in ACTIONS if action not in legal]
    wrong += [post("play", {"cards": cards, "version": version}) for cards in _no_combinations(hosted)]
    yield from wrong if legal else wrong[version % SHARE :: SHARE]
    if hosted.game.deal is not None:
        yield post("deal", {"version": version, "client_seed": "x"})
    if hosted.ai_to_act is None:
        yield post("ai-move", {"version": version})
    if not legal:
        yield post("suggestions", {"simulations": 10})


def _no_combinations(hosted: HostedGame) -> Iterator[list[str]]:
    labels = hosted.game.rules.edition.labels
    yield from ([label] * 5 for label in labels)
    for low, high in itertools.combinations(range(RANKS), 2):
        yield [labels[high], labels[low]]


def legal_actions(hosted: HostedGame, viewer: Seat | None) -> list[Action]:
    """What the viewer may do now."""
    view = view_game(hosted.game, viewer)
    return [] if view.deal is None else list(view.deal.legal_actions())


def request_for(action: Action, hosted: HostedGame) -> Request:
    """The request that an action is made with."""
    version = {"version": hosted.version}
    match action:
        case Play(combination):
            labels = hosted.game.rules.edition.labels
            return post("play", {"cards": [labels[rank] for rank in combination.cards], **version})
        case Draw(source):
            return post("draw-choice", {"source": source, **version})
        case _:
            return post("pass", version)


def advice() -> Iterator[Request]:
    """Questions for advice whose answers do not depend on the clock."""
    yield post("suggestions", {"simulations": 40, "seed": 1})
    yield post("suggestions", {"simulations": 3, "seed": 2**53 - 1})
    yield post("suggestions", {"simulations": 25, "level": 1})


def awaits_deal(hosted: HostedGame) -> bool:
    """Whether the next deal is due."""
    return hosted.game.phase is Phase.AWAITING_DEAL


assert len(CATALOGUE) + 3 == len(ACTIONS)
assert {PASS, *map(Draw, Source)} == set(ACTIONS[:3])
