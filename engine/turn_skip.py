"""Whether a turn is skipped because no possible hand could follow (R27): from public information alone."""

from __future__ import annotations

from engine.cards import EMPTY, FULL_DECK, Hand, Rank
from engine.combinations import Combination, followers


def unseen_in_public(played: Hand, face_up: Rank | None, known: tuple[Hand, Hand]) -> Hand:
    """The cards whose place public information does not tell (R24)."""
    unseen = FULL_DECK - played - known[0] - known[1]
    return unseen if face_up is None else unseen - EMPTY.plus_rank(face_up)


def some_hand_can_follow(
    to_follow: Combination, *, unseen: Hand, known: Hand, hand_size: int, crisps_in_runs: bool
) -> bool:
    """Whether any hand that agrees with public information can follow (R27).

    `unseen` are the cards whose place nobody could name in public, `known` those publicly known to be in the hand.
    """
    free = hand_size - known.size
    reachable = unseen + known
    return any(
        reachable.contains(c.cards) and (c.size <= free or c.size - c.cards.common(known).size <= free)
        for c in followers(to_follow, crisps_in_runs=crisps_in_runs)
    )
