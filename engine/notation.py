"""Text for cards: "2-2-3-3" is a combination or a hand in an edition's labels, dashes or blanks between them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from engine.actions import DRAW_FACE_UP, DRAW_PILE, PASS, PLAYS, Action, Draw, Play
from engine.cards import Edition, Hand, Rank
from engine.combinations import Combination, combination_of
from engine.errors import UnreadableNotation
from engine.shuffle import Deck, checked_deck

_SEPARATOR = re.compile(r"[-\s]+")
_WORDS: dict[str, Action] = {"pass": PASS, "face_up": DRAW_FACE_UP, "draw_pile": DRAW_PILE}


def ranks_of(text: str, edition: Edition = Edition.BOXED) -> tuple[Rank, ...]:
    """The ranks in their order; "" is none. Raises UnreadableNotation: a label that the edition does not print."""
    return tuple(edition.rank(label) for label in _SEPARATOR.split(text.strip()) if label)


def hand_of(text: str, edition: Edition = Edition.BOXED) -> Hand:
    """The hand written as text. Raises UnreadableNotation, InvalidDeck (five of a rank)."""
    return Hand.of(ranks_of(text, edition))


def deck_of(text: str, edition: Edition = Edition.BOXED) -> Deck:
    """The deck written as text, index 0 first. Raises UnreadableNotation, InvalidDeck."""
    return checked_deck(ranks_of(text, edition))


def play_of(text: str, edition: Edition = Edition.BOXED, *, crisps_in_runs: bool = False) -> Combination:
    """The combination written as text. Raises UnreadableNotation, InvalidDeck, NotACombination."""
    return combination_of(hand_of(text, edition), crisps_in_runs=crisps_in_runs)


def action_of(text: str, edition: Edition = Edition.BOXED, *, crisps_in_runs: bool = False) -> Action:
    """The action written as text: cards, "pass", "face_up" or "draw_pile". Raises as `play_of`."""
    word = _WORDS.get(text.strip())
    return word if word is not None else PLAYS[play_of(text, edition, crisps_in_runs=crisps_in_runs).index]


def cards_text(cards: Iterable[Rank], edition: Edition = Edition.BOXED) -> str:
    """Cards as text, in the order given (a hand is ascending)."""
    return "-".join(edition.label(rank) for rank in cards)


def action_text(action: Action, edition: Edition = Edition.BOXED) -> str:
    """The action as text; the inverse of `action_of`."""
    match action:
        case Play(combination):
            return cards_text(combination.cards, edition)
        case Draw(source):
            return str(source)
        case _:
            return "pass"


def position_text(hand: Hand, to_follow: Combination | None, edition: Edition = Edition.BOXED) -> str:
    """A seat's decision in one line: `hand > what it has to follow`, a dot for a lead."""
    return f"{cards_text(hand, edition)} > {'.' if to_follow is None else cards_text(to_follow.cards, edition)}"


def position_of(
    text: str, edition: Edition = Edition.BOXED, *, crisps_in_runs: bool = False
) -> tuple[Hand, Combination | None]:
    """The inverse of `position_text`. Raises UnreadableNotation, InvalidDeck, NotACombination."""
    hand, arrow, follow = text.partition(">")
    if not arrow:
        raise UnreadableNotation(f"{text!r} has no '>' between hand and what it follows")
    follow = follow.strip()
    to_follow = None if follow == "." else play_of(follow, edition, crisps_in_runs=crisps_in_runs)
    return hand_of(hand, edition), to_follow
