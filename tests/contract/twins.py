"""Twins of a game: everything that a viewer cannot know is another, everything it can know is the same.

A twin is found from the deck by swapping cards and keeping each swap after which the deal, played again by the engine
action by action, is legal throughout and looks the same to the viewer. So a twin is a deal that could have happened.
The secret seed is another one too; which deck it stands for shows in no answer before the deal has ended.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.actions import ACTIONS, index_of
from engine.cards import CARDS
from engine.deal import FIRST_DRAW, HAND_SIZE, Deal
from engine.errors import CrispsError
from engine.observation import redact
from engine.shuffle import SEED_BYTES, Shuffle
from service.auth import SeatToken
from service.hosted import LoggedEvent, SeatKind
from tests.played import Course

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from engine.actions import Action
    from engine.cards import Rank, Seat
    from engine.events import Event

SWAPS = 40


@dataclass(frozen=True, slots=True)
class _Replayed:
    deal: Deal
    events: tuple[Event, ...]


def _replayed(deal: Deal, deck: Sequence[Rank], history: Sequence[int], seen: _Seen | None = None) -> _Replayed | None:
    """The deal with another deck and the same actions; None where one of them is not legal, or looks different."""
    now = Deal.start(deal.rules, tuple(deck), deal.starter, deal.number)
    events: list[Event] = [now.dealt()]
    agreed = 0
    for index in history:
        try:
            if now.to_act is None:
                return None
            now, more = now.apply(now.to_act, ACTIONS[index])
        except CrispsError:
            return None
        events += more
        if seen is not None and not seen.agree(events, agreed):
            return None
        agreed = len(events)
    return _Replayed(now, tuple(events))


class _Seen:
    """The events of a deal as its viewer saw them."""

    def __init__(self, events: Sequence[Event], viewer: Seat | None) -> None:
        self._viewer = viewer
        self._events = [redact(event, viewer) for event in events]

    def agree(self, events: Sequence[Event], start: int) -> bool:
        """Whether these events look the same from the one at `start` on."""
        return [redact(event, self._viewer) for event in events[start:]] == self._events[start : len(events)]


def agrees(course: Course, twin: Course, viewer: Seat | None, then: Action) -> bool:
    """Whether what follows from an action of the seat to act looks the same to the viewer in both games."""
    one, other = course.hosted.game.deal, twin.hosted.game.deal
    assert one is not None
    assert other is not None
    events, others = one.apply_unchecked(then)[1], other.apply_unchecked(then)[1]
    return len(events) == len(others) and _Seen(events, viewer).agree(others, 0)


def _twin_deck(deal: Deal, viewer: Seat | None, generator: random.Random, then: Action | None) -> tuple[Rank, ...]:
    """Another deck of which the viewer knows the same, also after the action `then`."""
    history = deal.history if then is None else (*deal.history, index_of(then))
    original = _replayed(deal, deal.deck, history)
    assert original is not None
    seen = _Seen(original.events, viewer)
    known = set() if viewer is None else set(range(HAND_SIZE * viewer, HAND_SIZE * (viewer + 1)))
    if not deal.rules.no_face_up_draw:
        known.update(range(FIRST_DRAW, FIRST_DRAW + 2 * deal.draws + 1, 2))
    hidden = sorted(set(range(CARDS)) - known)
    deck = list(deal.deck)
    for _ in range(SWAPS):
        one, two = generator.sample(hidden, 2)
        if deck[one] == deck[two]:
            continue
        deck[one], deck[two] = deck[two], deck[one]
        if _replayed(deal, deck, history, seen) is None:
            deck[one], deck[two] = deck[two], deck[one]
    return tuple(deck)


def twin_of(course: Course, viewer: Seat | None, generator: random.Random, then: Action | None = None) -> Course:
    """A game that looks the same to the viewer, and still does once the seat to act has done `then`.

    Another are: the other hand's cards nobody saw, the other seat's cards from the pile, the order of the pile, the
    set-aside cards, the secret seeds of this deal and of those to come, and the traces of the computer's searches.
    """
    now = course.hosted
    ended = now.game.deals - (now.game.deal is not None)
    seeds = now.deal_seeds
    if seeds is not None:
        seeds = seeds[:ended] + tuple(generator.randbytes(SEED_BYTES) for _ in seeds[ended:])
    promise = None if now.promise is None else generator.randbytes(SEED_BYTES)
    twin = replace(now, deal_seeds=seeds, promise=promise)
    deal = now.game.deal
    if deal is None:
        return replace(course, hosted=twin)
    assert now.dealt_at is not None
    replayed = _replayed(deal, _twin_deck(deal, viewer, generator, then), deal.history)
    assert replayed is not None
    shuffle = Shuffle(generator.randbytes(SEED_BYTES), generator.choice(("", "another")))
    twin = replace(twin, game=replace(now.game, deal=replayed.deal), shuffle=shuffle)
    logged = course.events[now.dealt_at - 1 :]
    assert len(logged) == len(replayed.events)
    told = tuple(_retold(old, event, shuffle, generator) for old, event in zip(logged, replayed.events, strict=True))
    return Course(twin, course.events[: now.dealt_at - 1] + told, course.heads)


def _retold(logged: LoggedEvent, event: Event, shuffle: Shuffle, generator: random.Random) -> LoggedEvent:
    trace = logged.search
    return LoggedEvent(
        logged.version,
        logged.at,
        event,
        None if logged.commitment is None else shuffle.commitment,
        None if trace is None else replace(trace, seed=generator.randrange(2**53), simulations=trace.simulations + 1),
    )


def tokens_of(course: Course, generator: random.Random) -> tuple[SeatToken, ...]:
    """A token for each person's seat, or the one token of a game between two computers."""
    people = [seat for seat, one in enumerate(course.hosted.seats) if one.kind is SeatKind.HUMAN]
    return tuple(SeatToken(seat, generator.randbytes(32).hex()) for seat in (people or (None,)))


def secrets_of(course: Course) -> list[str]:
    """What no answer about the game may hold before its deal has ended, in the forms it could be shown in."""
    now = course.hosted
    seeds = [now.promise, now.shuffle and now.shuffle.seed, *(now.deal_seeds or ())[now.game.deals :]]
    return [seed.hex() for seed in seeds if seed]


def commitments_of(course: Course) -> list[str]:
    """The promises that are public but differ between twins, for they promise different seeds."""
    now = course.hosted
    shuffles = [Shuffle(now.promise)] if now.promise else []
    return [shuffle.commitment for shuffle in (*shuffles, *([now.shuffle] if now.shuffle else []))]
