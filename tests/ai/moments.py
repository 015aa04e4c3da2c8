"""Observations, worlds and deals for the tests of the computer player."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import replace

import numba

from ai.tables import IntArray, hand_of, tables
from ai.world import CARDS, DRAWS, HAND, KNOWN, PLAYED
from engine.cards import FULL_DECK, Hand, other
from engine.deal import FIRST_DRAW, Deal, Phase
from engine.notation import play_of
from engine.observation import DealView, Observation, observe
from engine.rules import Rules
from tests.engine.dealing import act, deck_with, shuffled, some_deal

LAW_DEALS = int(os.environ.get("CRISPS_LAW_DEALS", "400"))
INTERPRETED = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]  # it has no types
T = tables()


def scaled(n: int, least: int = 1) -> int:
    """So many repetitions, fewer where kernels run a hundred times slower as plain Python."""
    return max(least, n // 50) if INTERPRETED else n


def opening(seed: int = 1, rules: Rules | None = None) -> Observation:
    """What seat 0, about to lead, sees of a random deal."""
    return observe(Deal.start(rules or Rules(), shuffled(random.Random(seed)), starter=0), 0)


def decisions(seeds: range, rules: Rules | None = None) -> Iterator[Deal]:
    """Every moment at which a seat is to act in these deals, which cover all options unless `rules` are given."""
    for seed in seeds:
        for deal, action in some_deal(seed, rules):
            if action is not None:
                yield deal


def mover(deal: Deal) -> Observation:
    """What the seat to act observes."""
    assert deal.to_act is not None
    return observe(deal, deal.to_act)


def endgame(first: str, second: str, rules: Rules | None = None, to_follow: str = "") -> Deal:
    """Seat 0 is to act, all draws made; the four highest other cards are set aside, the rest has been played."""
    hands = tuple(Hand.of(play) for play in (_ranks(first), _ranks(second)))
    rest = FULL_DECK - hands[0] - hands[1]
    aside = Hand.of(list(rest)[-4:])
    deal, _ = act(Deal.start(rules or Rules(), deck_with(""), 0), "1")
    plays = ((1, play_of(to_follow)),) if to_follow else ()
    return Deal(
        rules=deal.rules,
        number=1,
        starter=0,
        deck=deal.deck,
        hands=(hands[0], hands[1]),
        round=type(deal.round)(9, 1 if to_follow else 0, plays),
        to_act=0,
        phase=Phase.PLAY,
        played=rest - aside,
        draws=6,
    )


def _ranks(text: str) -> list[int]:
    return [("123456789C").index(label) for label in text.split("-") if label]


def deal_of(world: IntArray, seen: DealView) -> Deal:
    """The world as the engine's deal; what a world does not hold (number, starter, course of the round) from a view."""
    return Deal(
        rules=seen.rules,
        number=seen.number,
        starter=seen.starter,
        deck=(0,) * FIRST_DRAW + tuple(int(rank) for rank in world[CARDS:]),
        hands=(hand_of(world[HAND]), hand_of(world[HAND + 1])),
        round=seen.round,
        to_act=seen.to_act,
        phase=seen.phase,
        known=(hand_of(world[KNOWN]), hand_of(world[KNOWN + 1])),
        played=hand_of(world[PLAYED]),
        draws=int(world[DRAWS]),
    )


def twin_of(deal: Deal, rng: random.Random) -> Deal:
    """The deal with some of the other hand's unknown cards exchanged for set-aside ones: the mover cannot tell."""
    assert deal.to_act is not None
    hidden = other(deal.to_act)
    unknown = [*(deal.hands[hidden] - deal.known[hidden]), *_set_aside(deal)]
    rng.shuffle(unknown)
    hand = deal.known[hidden] + Hand.of(unknown[4:])
    hands = (hand, deal.hands[1]) if hidden == 0 else (deal.hands[0], hand)
    return replace(deal, hands=hands)


def _set_aside(deal: Deal) -> list[int]:
    rest = FULL_DECK - deal.hands[0] - deal.hands[1] - deal.played
    pile = Hand.of(deal.deck[FIRST_DRAW + 2 * deal.draws :])
    return list(rest - pile)
