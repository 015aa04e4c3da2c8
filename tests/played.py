"""Hosted games played forward at random, the same ones for the same seed, and how they get into a store."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.cards import Edition
from engine.deal import Phase
from engine.events import Reason
from engine.rules import Rules
from service import codec, hosted
from service.hosted import AiReply, HostedGame, LoggedEvent, SearchTrace, SeatKind, SeatSettings, Settings
from service.redis_store import RedisGameStore
from service.store import Commit, NewGame

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping

    from service.hosted import Change, DealHead, SeatPair

NOW = 1_800_000_000_123
KEPT_SECONDS = 3600

HUMANS: SeatPair = (SeatSettings(SeatKind.HUMAN, "Ann"), SeatSettings(SeatKind.HUMAN))
FIRST_AGAINST_AI: SeatPair = (SeatSettings(SeatKind.HUMAN, "Ann"), SeatSettings(SeatKind.AI, level=1))
SECOND_AGAINST_AI: SeatPair = (SeatSettings(SeatKind.AI, level=1), SeatSettings(SeatKind.HUMAN, "Bo"))
MACHINES: SeatPair = (SeatSettings(SeatKind.AI, level=1), SeatSettings(SeatKind.AI, level=2))


@dataclass(frozen=True, slots=True)
class Course:
    """A hosted game with all its events, the first at version 1, and the heads of its ended deals by number."""

    hosted: HostedGame
    events: tuple[LoggedEvent, ...]
    heads: Mapping[int, DealHead] = field(default_factory=dict)

    def after(self, change: Change) -> Course:
        """The course that a change carries on."""
        ended = {} if change.ended is None else {change.ended.number: change.ended}
        return Course(change.hosted, self.events + change.events, {**self.heads, **ended})


def every_rules(points_to_win: int = 3) -> tuple[Rules, ...]:
    """Both editions in all eight combinations of the table options (R1, R26-R28)."""
    choices = itertools.product(Edition, (False, True), (False, True), (False, True))
    return tuple(Rules(edition, one, two, three, points_to_win) for edition, one, two, three in choices)


def settings_of(rules: Rules, seats: SeatPair = HUMANS, *, first_leader: int = 0, turns: int | None = None) -> Settings:
    """How a game of these rules is created; computers act on demand."""
    return Settings(rules, seats, first_leader, AiReply.MANUAL, turns)


def begin(settings: Settings, generator: random.Random) -> Course:
    """A fresh game; its id, and the secret seed of its first deal unless `settings` sets it, come from `generator`."""
    change = hosted.create(generator.randbytes(16).hex(), settings, NOW)
    return _promised(Course(change.hosted, change.events), generator)


def carry_on(course: Course, generator: random.Random) -> Course:
    """One step further: a deal where one is due, else a legal action, each as likely. Not for a finished game."""
    now = course.hosted
    if now.game.deal is None:
        client_seed = generator.choice(("", "crisps", "\N{SNOWMAN}\N{PILE OF POO}" * 8))
        return course.after(hosted.deal(now, client_seed, NOW + 1000 * now.version))
    seat = now.game.to_act
    assert seat is not None
    action = generator.choice(list(now.game.deal.legal_actions()))
    trace = SearchTrace(generator.randrange(1, 9999), now.search_seed(), 1) if now.ai_to_act is not None else None
    change = hosted.act(now, seat, action, NOW + 1000 * now.version, trace)
    return _promised(course.after(change), generator)


def resigned(course: Course, seat: int) -> Course:
    """The course that ends because a seat gives up."""
    return course.after(hosted.concede(course.hosted, seat, Reason.RESIGNATION, NOW + 1000 * course.hosted.version))


def courses(settings: Settings, generator: random.Random) -> Iterator[Course]:
    """A game from its creation to its end, after every step."""
    course = begin(settings, generator)
    yield course
    while course.hosted.game.winner is None:
        course = carry_on(course, generator)
        yield course


def _promised(course: Course, generator: random.Random) -> Course:
    """The same course with a promised seed that can be had again, where the game draws it at random."""
    now = course.hosted
    if now.game.phase is not Phase.AWAITING_DEAL or now.game.deals < len(now.deal_seeds or ()):
        return course
    return replace(course, hosted=replace(now, promise=generator.randbytes(32)))


def put(store: RedisGameStore, course: Course, access: bytes) -> None:
    """Store a course under its id, which must be free."""
    now = course.hosted
    state, events = codec.encode_game(now), [codec.encode_event(event) for event in course.events]
    heads = {number: codec.encode_head(head) for number, head in course.heads.items()}
    # A new game has no ended deals: those come by a commit, as in life.
    first = events[:1] if heads else events
    assert store.create(NewGame(now.game_id, state, access, first, KEPT_SECONDS))
    if heads:
        commit = Commit(now.game_id, "whole course", 1, state, events[1:], KEPT_SECONDS, heads)
        store.commit(commit)
    loaded = store.load(now.game_id)
    assert loaded is not None
    assert loaded.game.version == now.version
