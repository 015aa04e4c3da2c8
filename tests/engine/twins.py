"""Deals that a viewer cannot tell apart."""

from __future__ import annotations

import random

from engine.actions import ACTIONS
from engine.deal import Deal


def twins(deal: Deal, viewer: int | None, rng: random.Random) -> Deal:
    """The same deal so far, but every card that the viewer cannot know lies somewhere else if it can."""
    first = 28 + 2 * deal.draws + (not deal.rules.no_face_up_draw)
    hidden = [*range(24, 28), *range(first, 40)]  # set aside and still in the pile
    taken: list[int] = []
    for seat in (0, 1):
        if seat != viewer:
            taken += [*range(12 * seat, 12 * seat + 12)]
    deck = list(deal.deck)
    played = deal.played
    swaps = [place for place in taken if not played.count(deck[place])]
    places = [*hidden, *swaps]
    ranks = [deck[place] for place in places]
    rng.shuffle(ranks)
    for place, rank in zip(places, ranks, strict=True):
        deck[place] = rank
    return replayed(deal, tuple(deck))


def replayed(deal: Deal, deck: tuple[int, ...]) -> Deal:
    twin = Deal.start(deal.rules, deck, deal.starter, deal.number)
    for index in deal.history:
        assert twin.to_act is not None
        twin, _ = twin.apply(twin.to_act, ACTIONS[index])
    return twin
