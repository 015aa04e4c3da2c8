"""The rows that are on for a world, against a slow reading of the deal itself."""

from __future__ import annotations

import numpy as np

from ai import world_features as f
from ai.features import MOST_ROWS, rows_of_slots
from ai.world import world_of
from engine.cards import CRISP, FULL_DECK, RANKS, Hand, other
from engine.combinations import CATALOGUE
from engine.deal import Deal, Phase
from tests.ai.moments import decisions, scaled
from tests.ai.test_features import counted

R = rows_of_slots()


def rows(deal: Deal) -> list[int]:
    room = np.zeros(MOST_ROWS, dtype=np.int64)
    count = f.world_rows(R, world_of(deal), room)
    return [int(row) for row in room[:count]]


def above(cards: Hand, against: Hand, copies: int) -> int:
    """Ranks of which there are so many that are above all of which the other has so many, five at most."""
    mine, theirs = ([rank for rank in range(RANKS) if hand.count(rank) >= copies] for hand in (cards, against))
    over = [rank for rank in mine if not theirs or rank > max(theirs)]
    if theirs == [CRISP] and 0 in mine:
        over.append(0)  # the shipped weights have learned with it: the lowest rank counts as above a Crisp
    return min(len(over), 5)


def naive_rows(deal: Deal) -> set[int]:
    assert deal.to_act is not None
    seat, rules = deal.to_act, deal.rules
    own, others = deal.hands[seat], deal.hands[other(seat)]
    hidden = FULL_DECK - own - others - deal.played
    if deal.face_up is not None:
        hidden -= Hand.of([deal.face_up])
    made = counted(f.OWN_HAND, own) | counted(f.OTHER_HAND, others) | counted(f.HIDDEN, hidden)
    made |= counted(f.OWN_KNOWN, deal.known[seat]) | counted(f.OTHER_KNOWN, deal.known[other(seat)])
    made |= {f.OWN_SIZE + own.size, f.OTHER_SIZE + others.size, f.DRAWS_MADE + deal.draws, f.ALWAYS}
    made.add(f.LIES + (RANKS if deal.face_up is None else deal.face_up))
    drawing = deal.phase is Phase.DRAW
    to_follow = None if drawing else deal.round.to_follow
    made.add(f.FOLLOWS + (len(CATALOGUE) if to_follow is None else to_follow.index))
    if drawing:
        made.add(f.DRAWING)
    flags = (rules.crisps_in_runs, rules.no_face_up_draw, rules.automatic_turn_skip)
    made |= {f.OPTIONS + place for place, flag in enumerate(flags) if flag}
    counts = [above(*pair, copies) for copies in (1, 2) for pair in ((own, others), (others, own))]
    return made | {f.TOPS + 6 * place + count for place, count in enumerate(counts)}


def test_the_rows_are_those_that_the_deal_tells() -> None:
    drawing = 0
    for deal in decisions(range(scaled(60, 4))):
        on = rows(deal)
        assert len(on) == len(set(on))
        assert set(on) == naive_rows(deal)
        drawing += deal.phase is Phase.DRAW
    assert drawing
