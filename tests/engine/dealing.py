"""Decks with chosen hands, deals played from text, and deals of every kind to look at."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator

from engine.actions import Action, Play
from engine.cards import FULL_DECK, Edition, Rank
from engine.deal import Deal, DealEvents
from engine.notation import action_of, ranks_of
from engine.rules import Rules
from engine.shuffle import Deck

ALL_RULES = tuple(
    Rules(crisps_in_runs=runs, no_face_up_draw=blind, automatic_turn_skip=skip)
    for runs, blind, skip in itertools.product((False, True), repeat=3)
)


def name_of(rules: Rules) -> str:
    """The options that are on, in one word for a test's name."""
    options = ("crisps_in_runs", "no_face_up_draw", "automatic_turn_skip")
    return "+".join(option for option in options if getattr(rules, option)) or "base"


def deck_with(
    first: str, second: str = "", *, aside: str = "", draw: str = "", edition: Edition = Edition.BOXED
) -> Deck:
    """A deck in which the seats get these cards, and the face-up card and the pile begin with `draw`.

    What is not told is filled with the rest of the cards: seat 0's hand first, then seat 1's, the set-aside, the draws.
    """
    told = [ranks_of(text, edition) for text in (first, second, aside, draw)]
    rest = Counter(FULL_DECK)
    rest.subtract(Counter(itertools.chain.from_iterable(told)))
    assert min(rest.values()) >= 0, "five of a rank"
    left = iter(sorted(rest.elements()))
    deck: list[Rank] = []
    for cards, size in zip(told, (12, 12, 4, 12), strict=True):
        deck += [*cards, *itertools.islice(left, size - len(cards))]
    return tuple(deck)


def act(deal: Deal, *actions: str, edition: Edition | None = None) -> tuple[Deal, DealEvents]:
    """The deal after these actions of whoever is to act, and everything that happened."""
    happened: DealEvents = ()
    for text in actions:
        assert deal.to_act is not None
        action = action_of(text, edition or deal.rules.edition, crisps_in_runs=True)
        deal, events = deal.apply(deal.to_act, action)
        happened += events
    return deal, happened


def shuffled(rng: random.Random) -> Deck:
    """A deck in any order."""
    deck = list(FULL_DECK)
    rng.shuffle(deck)
    return tuple(deck)


def choose(deal: Deal, rng: random.Random, style: int) -> Action:
    """A legal action: 0 any, 1 the most cards where cards can be played, 2 seldom a pass."""
    actions = list(deal.legal_actions())
    plays = [action for action in actions if isinstance(action, Play)]
    if plays and style == 1:
        return max(plays, key=lambda play: (play.combination.size, rng.random()))
    if plays and style == 2 and rng.random() < 0.85:
        return rng.choice(plays)
    return rng.choice(actions)


def some_deal(seed: int, rules: Rules | None = None) -> Iterator[tuple[Deal, Action | None]]:
    """Every moment of the deal with this number, with the action then taken, None at its end.

    Deals differ in deck, starter, option combination (unless `rules` are given) and in how their seats play.
    """
    rng = random.Random(seed)
    deal = Deal.start(rules or ALL_RULES[seed % 8], shuffled(rng), seed // 8 % 2)
    style = seed // 16 % 3
    while deal.to_act is not None:
        action = choose(deal, rng, style)
        yield deal, action
        deal, _ = deal.apply(deal.to_act, action)
    yield deal, None
