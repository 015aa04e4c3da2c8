"""The published search once more, slow and plain: dictionaries, the engine's deals, no kernel.

It is given the same random numbers as the compiled search and must come to the same tree, visit for visit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ai.bits import advance, below
from ai.tables import slot_of
from engine.actions import Action
from engine.cards import Hand, Seat, other
from engine.deal import FIRST_DRAW, Deal
from engine.observation import Observation
from tests.ai.test_rollout import engine_rollout


@dataclass
class Node:
    """`children` in the order in which they were added."""

    seat: Seat | None = None
    visits: int = 0
    wins: int = 0
    availability: int = 0
    children: dict[Action, Node] = field(default_factory=dict)

    def bound(self) -> float:
        """UCB1 with the availability count in place of the parent's visits, c = 0.7."""
        return self.wins / self.visits + 0.7 / math.sqrt(self.visits) * math.sqrt(math.log(self.availability))


class NaiveSearch:
    """The tree below `root` after so many simulations of `seen`."""

    def __init__(self, deal: Deal, seen: Observation, seed: int) -> None:
        self.root = Node()
        self._deal, self._seen, self._state = deal, seen, seed
        self._unseen = list(seen.unseen())

    def _random(self, n: int) -> int:
        self._state = advance(self._state)
        return below(self._state, n)

    def _sampled(self) -> Deal:
        """The deal with the hidden cards dealt anew; of the real one only what the seat sees is used."""
        seen, unseen = self._seen, self._unseen
        lacking = seen.opponent_hand_size - seen.opponent_known.size
        for i in range(lacking + seen.now.draw_pile):
            j = i + self._random(len(unseen) - i)
            unseen[i], unseen[j] = unseen[j], unseen[i]
        others = Hand.of([*seen.opponent_known, *unseen[:lacking]])
        hands = (seen.hand, others) if seen.seat == 0 else (others, seen.hand)
        pile = unseen[lacking : lacking + seen.now.draw_pile]
        lying = [] if seen.now.face_up is None else [seen.now.face_up]
        fixed = (0,) * (40 - len(pile) - len(lying))
        assert len(fixed) >= FIRST_DRAW
        return Deal(
            rules=seen.now.rules,
            number=seen.now.number,
            starter=seen.now.starter,
            deck=(*fixed, *lying, *pile),
            hands=hands,
            round=seen.now.round,
            to_act=seen.now.to_act,
            phase=seen.now.phase,
            known=seen.now.known,
            played=seen.now.played,
            draws=self._deal.draws,
        )

    def simulate(self) -> None:
        deal, node, path, expanded = self._sampled(), self.root, [], False
        while deal.to_act is not None and not expanded:
            actions = sorted(deal.legal_actions(), key=slot_of)
            untried = [action for action in actions if action not in node.children]
            tried = [child for action, child in node.children.items() if action in actions]
            best = max(tried, key=Node.bound) if tried and not untried else None
            for child in tried:
                child.availability += 1
            if best is None:
                action = untried[self._random(len(untried))]
                best = node.children[action] = Node(seat=deal.to_act, availability=1)
                expanded = True
            action = next(action for action, child in node.children.items() if child is best)
            deal, _ = deal.apply(deal.to_act, action)
            node = best
            path.append(node)
        winner, self._state = engine_rollout(deal, self._state)
        self.root.visits += 1
        for node in path:
            node.visits += 1
            node.wins += node.seat == winner


def minimax(deal: Deal, seat: Seat) -> bool:
    """Whether `seat` can force a win when both see all cards; for small endgames."""
    if deal.to_act is None:
        return deal.winner == seat
    outcomes = (minimax(deal.apply(deal.to_act, action)[0], seat) for action in deal.legal_actions())
    return any(outcomes) if deal.to_act == seat else all(outcomes)


def winning_actions(deal: Deal) -> list[Action]:
    """The actions after which the seat to act can still force a win, seeing all cards."""
    seat = deal.to_act
    assert seat is not None
    found = []
    for action in deal.legal_actions():
        after, _ = deal.apply(seat, action)
        if minimax(after, seat):
            found.append(action)
    assert other(seat) != seat
    return found
