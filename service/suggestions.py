"""Asking for advice: what a request's body means to the engine and the search, and how the answer reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ai.budget import Budget
from ai.levels import DEFAULT_LEVEL, LEVELS
from engine import position
from engine.cards import Hand
from engine.combinations import combination_of
from engine.deal import Phase
from engine.errors import InvalidDeck, NotACombination
from engine.events import Dealt, Drew, Passed, Played
from engine.position import Position
from service.errors import Flaw, InvalidRequest
from service.schemas.requests import known_ranks, rules_of
from service.views import action_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ai.policy import SearchResult
    from engine.cards import Edition, Rank, Seat
    from engine.events import DealEvent
    from engine.observation import Observation
    from engine.rules import Rules

ADVICE_LEVEL = 4
"""The level whose budget counts where a request names none."""

Json = dict[str, Any]


def budget_of(body: Mapping[str, Any]) -> Budget:
    """How long a request lets the search think.

    `simulations` and `time_ms` as given; with a `level`, its own budget in the dimensions not given, so that whichever
    ends first counts; with none of the three the budget of ADVICE_LEVEL.
    """
    simulations, time_ms, level = body.get("simulations"), body.get("time_ms"), body.get("level")
    if level is None:
        if simulations is None and time_ms is None:
            return LEVELS[ADVICE_LEVEL].budget
        return Budget(simulations=simulations, time_ms=time_ms)
    own = LEVELS[level].budget
    return Budget(
        simulations=own.simulations if simulations is None else simulations,
        time_ms=own.time_ms if time_ms is None else time_ms,
    )


def suggestion_json(result: SearchResult, seat: Seat | None, edition: Edition, version: int | None) -> Json:
    """The advice as the API shows it; `version` is the game's, None for a described position."""
    rated = [
        {
            "action": action_json(one.action, edition),
            "win_probability": one.win_probability,
            "visits": one.visits,
        }
        for one in result.actions
    ]
    return {
        "version": version,
        "seat": seat,
        "win_probability": rated[0]["win_probability"],
        "best": rated[0]["action"],
        "actions": rated,
        "search": {"simulations": result.simulations, "elapsed_ms": result.elapsed_ms, "seed": result.seed},
    }


def levels_json() -> Json:
    """The computer's levels with what was measured of them."""
    levels = [
        {
            "level": level.number,
            "name": level.name,
            "simulations": level.budget.simulations,
            "typical_ms": level.typical_ms,
            "strength": dict(level.strength),
        }
        for _, level in sorted(LEVELS.items())
    ]
    return {"levels": levels, "default": DEFAULT_LEVEL}


def observation_of(body: Mapping[str, Any]) -> Observation:
    """What the seat may act upon in a PositionRequestSchema's body.

    Raises InvalidRequest: a label that the edition does not print, or told cards that form no combination;
    InconsistentPosition: a position or a history that cannot be.
    """
    rules = rules_of(dict(body))
    reader = _Reader(rules)
    face_up = body["face_up"]
    described = Position(
        rules=rules,
        phase=Phase(body["phase"]),
        seat=body["seat"],
        hand=reader.ranks(body["hand"], "/hand"),
        own_known=reader.ranks(body["own_known"], "/own_known"),
        opponent_hand_size=body["opponent_hand_size"],
        opponent_known=reader.ranks(body["opponent_known"], "/opponent_known"),
        played=reader.ranks(body["played"], "/played"),
        face_up=reader.rank(face_up, "/face_up"),
        draw_pile=body["draw_pile"],
        to_follow=reader.ranks(body["to_follow"] or (), "/to_follow"),
    )
    events = None if body["history"] is None else reader.events(body["history"])
    if reader.flaws:
        raise InvalidRequest(reader.flaws)
    return position.observation_of(described, events)


class _Reader:
    """Reads labels and events, and collects in `flaws` what it cannot read; then its answers are worth nothing."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self.flaws: list[Flaw] = []

    def ranks(self, labels: Iterable[str], pointer: str) -> tuple[Rank, ...]:
        ranks, flaws = known_ranks(labels, self._rules.edition, pointer)
        self.flaws += flaws
        return ranks

    def rank(self, label: str | None, pointer: str) -> Rank | None:
        if label is None:
            return None
        if label in self._rules.edition.labels:
            return self._rules.edition.rank(label)
        self.flaws.append(Flaw(f"The {self._rules.edition} edition has no card {label!r}.", pointer=pointer))
        return None

    def events(self, told: list[Json]) -> list[DealEvent]:
        read = [self._event(event, f"/history/{index}") for index, event in enumerate(told)]
        return [event for event in read if event is not None]

    def _event(self, told: Json, pointer: str) -> DealEvent | None:
        match told["type"]:
            case "dealt":
                first, second = (
                    None if labels is None else self._hand(labels, f"{pointer}/hands/{seat}")
                    for seat, labels in enumerate(told["hands"])
                )
                face_up = self.rank(told["face_up"], f"{pointer}/face_up")
                return Dealt(told["number"], told["starter"], face_up, (first, second))
            case "played":
                return self._played(told, pointer)
            case "passed":
                return Passed(told["seat"], told["automatic"])
            case _:
                left, right = (self.rank(label, f"{pointer}/drawn/{seat}") for seat, label in enumerate(told["drawn"]))
                face_up = self.rank(told["face_up"], f"{pointer}/face_up")
                return Drew(told["seat"], told["source"], (left, right), face_up)

    def _played(self, told: Json, pointer: str) -> Played | None:
        cards = self._hand(told["cards"], f"{pointer}/cards")
        try:
            combination = combination_of(cards, crisps_in_runs=self._rules.crisps_in_runs)
        except NotACombination as refusal:
            self.flaws.append(Flaw(refusal.detail, pointer=f"{pointer}/cards"))
            return None
        if combination.kind is not told["kind"]:
            self.flaws.append(Flaw(f"These cards are a {combination.kind}.", pointer=f"{pointer}/kind"))
        return Played(told["seat"], combination)

    def _hand(self, labels: list[str], pointer: str) -> Hand:
        ranks = self.ranks(labels, pointer)
        try:
            return Hand.of(ranks)
        except InvalidDeck:
            self.flaws.append(Flaw("There are only four cards of a rank.", pointer=pointer))
            return Hand()
