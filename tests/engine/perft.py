"""How many sequences of legal actions there are from fixed decks: numbers that any change of the rules changes.

Write tests/engine/perft.txt anew: PYTHONPATH=. python tests/engine/perft.py
"""

from __future__ import annotations

from pathlib import Path

from engine.deal import Deal
from engine.rules import Rules
from engine.shuffle import Shuffle
from tests.engine import naive
from tests.engine.dealing import ALL_RULES, deck_with, name_of

GOLDEN = Path(__file__).with_name("perft.txt")
DECKS = (
    Shuffle(bytes(range(32))).deck(),
    Shuffle(bytes(32)).deck(),
    deck_with(
        "C C C C 9 9 8 8 1 1 1 2", "9 8 7 7 7 5 5 5 5 6 2 2", draw="9 3 4 6"
    ),  # specials, runs with Crisps, skips
)
DEPTH = 5


def perft(deal: Deal, depth: int) -> int:
    """The number of sequences of `depth` actions, shorter ones that end the deal included."""
    if deal.to_act is None or depth == 0:
        return 1
    actions = deal.legal_actions()
    if depth == 1:
        return len(actions)
    return sum(perft(deal.apply_unchecked(action)[0], depth - 1) for action in actions)


def naive_perft(table: naive.Table, depth: int) -> int:
    """The same, counted by the naive twin."""
    if table.winner is not None or depth == 0:
        return 1
    moves = naive.moves(table)
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        after = table.copy()
        naive.move(after, move)
        total += naive_perft(after, depth - 1)
    return total


def start(rules: Rules, number: int) -> Deal:
    """The deal that a line of the file is about."""
    return Deal.start(rules, DECKS[number], 0)


def lines() -> list[str]:
    """The file's lines: options, deck, then the counts of depth 1, 2, …"""
    return [
        f"{name_of(rules)} deck-{number}: {' '.join(str(perft(start(rules, number), n)) for n in range(1, DEPTH + 1))}"
        for rules in ALL_RULES
        for number in range(len(DECKS))
    ]


if __name__ == "__main__":
    GOLDEN.write_text("\n".join(lines()) + "\n", encoding="utf-8")
