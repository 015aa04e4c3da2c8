"""Positions as somebody at the table would describe them."""

from __future__ import annotations

from engine.deal import Deal
from engine.notation import ranks_of
from engine.observation import observe
from engine.position import Position
from engine.rules import Rules
from tests.engine.dealing import act, deck_with


def described(deal: Deal) -> Position:
    """The decision of the seat to act, told from what that seat may know."""
    assert deal.to_act is not None
    seen = observe(deal, deal.to_act)
    follow = seen.now.to_follow
    return Position(
        rules=deal.rules,
        phase=seen.now.phase,
        seat=seen.seat,
        hand=tuple(seen.hand),
        own_known=tuple(seen.own_known),
        opponent_hand_size=seen.opponent_hand_size,
        opponent_known=tuple(seen.opponent_known),
        played=tuple(seen.now.played),
        face_up=seen.now.face_up,
        draw_pile=seen.now.draw_pile,
        to_follow=() if follow is None else tuple(follow.cards),
    )


DECK = deck_with("1 1 1 2 2 3 3 4 4 5 7 7", "4 5 5 6 6 7 8 8 9 9 C C", draw="9 3 5 6 2 2 8 4 7 1 6 C")
BLIND = Rules(no_face_up_draw=True)


def after(*actions: str, rules: Rules | None = None) -> Position:
    """The decision that comes after these actions."""
    deal, _ = act(Deal.start(rules or Rules(), DECK, 0), *actions)
    return described(deal)


def late() -> Position:
    """Six draws are made, seat 0 leads."""
    return after(*(word for lead in ("1", "1", "1", "2", "2", "3") for word in (lead, "pass", "face_up")))


POSITIONS = {
    "first lead": after(),
    "first answer": after("1"),
    "first draw": after("1", "pass"),
    "second lead": after("1", "pass", "face_up"),
    "third answer": after("1", "pass", "draw_pile", "1", "4", "pass", "face_up", "5-5"),
    "late lead": late(),
    "blind lead": after("1", "pass", rules=BLIND),
    "blind answer": after("1", "pass", "1-1", rules=BLIND),
}


def action_seat(deal: Deal) -> int:
    """The seat whose decision the deal waits for."""
    assert deal.to_act is not None
    return deal.to_act


def cards(text: str) -> tuple[int, ...]:
    """The ranks of cards of the boxed edition."""
    return ranks_of(text)
