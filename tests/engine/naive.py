"""The rules written a second time, slowly and from RULES.md alone: cards are lists of ranks 0 to 9, 9 is the Crisp.

It shares no code with the package: whatever both agree on has been understood twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field

CRISP = 9
Cards = tuple[int, ...]
Move = tuple[str, Cards]
"""("play", cards ascending), ("pass", ()), ("face_up", ()) or ("draw_pile", ())."""


@dataclass(frozen=True)
class Options:
    crisps_in_runs: bool
    no_face_up_draw: bool
    automatic_turn_skip: bool


@dataclass
class Table:
    """A deal as a dealer sees it; `move` changes it in place."""

    options: Options
    hands: list[list[int]]
    face_up: int | None
    pile: list[int]
    to_act: int
    known: list[Counter[int]] = field(default_factory=lambda: [Counter(), Counter()])
    played: list[int] = field(default_factory=list)
    on_table: Cards = ()
    last_to_play: int | None = None
    drawing: bool = False
    winner: int | None = None

    def copy(self) -> Table:
        return deepcopy(self)


def lay_out(options: Options, deck: tuple[int, ...], starter: int) -> Table:
    hands = [sorted(deck[:12]), sorted(deck[12:24])]
    if options.no_face_up_draw:
        return Table(options, hands, None, list(deck[28:]), starter)
    return Table(options, hands, deck[28], list(deck[29:]), starter)


def kind_of(cards: Cards, options: Options) -> tuple[str, int, int] | None:
    """Kind, number of ranks and highest rank of what the cards make; None where they make nothing."""
    counts = Counter(cards)
    ranks = sorted(counts)
    if not ranks:
        return None
    same = set(counts.values())
    if len(ranks) == 1:
        return {1: "single", 2: "pair", 3: "triple", 4: "quad"}[len(cards)], 1, ranks[0]
    if ranks[-1] - ranks[0] != len(ranks) - 1 or (ranks[-1] == CRISP and not options.crisps_in_runs):
        return None
    if same == {1} and len(ranks) >= 3:
        return "sequence", len(ranks), ranks[-1]
    if same == {2}:
        return "stair", len(ranks), ranks[-1]
    return None


def follows(before: Cards, after: Cards, options: Options) -> bool:
    one, two = kind_of(before, options), kind_of(after, options)
    assert one is not None
    if two is None:
        return False
    strength = {"triple": 1, "quad": 2}
    if one[0] not in strength and two[0] not in strength:
        return one[0] == two[0] and one[1] == two[1] and one[2] <= two[2]
    if one[0] not in strength:
        return CRISP in before
    if two[0] not in strength:
        return False
    return (strength[one[0]], one[2]) < (strength[two[0]], two[2]) if one[0] == two[0] else one[0] == "triple"


def combinations(options: Options) -> Iterator[Cards]:
    for copies in (1, 2, 3, 4):
        for length in range(1, 11):
            for lowest in range(11 - length):
                cards = tuple(rank for rank in range(lowest, lowest + length) for _ in range(copies))
                if kind_of(cards, options):
                    yield cards


def within(cards: Cards, hand: list[int]) -> bool:
    return all(hand.count(rank) >= cards.count(rank) for rank in set(cards))


def moves(table: Table) -> set[Move]:
    if table.winner is not None:
        return set()
    if table.drawing:
        return {("face_up", ()), ("draw_pile", ())}
    playable = {
        ("play", cards)
        for cards in combinations(table.options)
        if within(cards, table.hands[table.to_act])
        and (not table.on_table or follows(table.on_table, cards, table.options))
    }
    return playable | {("pass", ())} if table.on_table else playable


def move(table: Table, what: Move) -> list[tuple[object, ...]]:
    """Makes a legal move and tells what happened."""
    word, cards = what
    seat = table.to_act
    if word in {"face_up", "draw_pile"}:
        return [draw(table, seat, word)]
    if word == "pass":
        return pass_turn(table, seat, automatic=False)
    for rank in cards:
        table.hands[seat].remove(rank)
        if table.known[seat][rank] > 0:
            table.known[seat][rank] -= 1
    table.played += cards
    table.on_table, table.last_to_play = cards, seat
    told: list[tuple[object, ...]] = [("played", seat, cards)]
    if not table.hands[seat]:
        table.winner = seat
        return [*told, ("deal_ended", seat)]
    table.to_act = 1 - seat
    if table.options.automatic_turn_skip and not could_follow(table):
        told += pass_turn(table, table.to_act, automatic=True)
    return told


def pass_turn(table: Table, seat: int, *, automatic: bool) -> list[tuple[object, ...]]:
    told: list[tuple[object, ...]] = [("passed", seat, automatic)]
    table.to_act = 1 - seat
    if not table.pile:
        table.on_table = ()
    elif table.options.no_face_up_draw:
        told.append(draw(table, 1 - seat, None))
    else:
        table.drawing = True
    return told


def draw(table: Table, seat: int, source: str | None) -> tuple[object, ...]:
    if source is None:
        got = {seat: table.pile.pop(0), 1 - seat: table.pile.pop(0)}
    else:
        assert table.face_up is not None
        taker = seat if source == "face_up" else 1 - seat
        got = {taker: table.face_up, 1 - taker: table.pile.pop(0)}
        table.known[taker][table.face_up] += 1
        table.face_up = table.pile.pop(0) if table.pile else None
    for who, rank in got.items():
        table.hands[who] = sorted([*table.hands[who], rank])
    table.drawing, table.on_table = False, ()
    return ("drew", None if source is None else seat, source, got[0], got[1], table.face_up)


def unseen(table: Table) -> Counter[int]:
    """The cards whose place the public does not know."""
    left = Counter(dict.fromkeys(range(10), 4))
    left.subtract(table.played)
    left.subtract([] if table.face_up is None else [table.face_up])
    for known in table.known:
        left.subtract(known)
    return +left


def could_follow(table: Table) -> bool:
    """Whether some hand that the seat to act could hold, for all the public knows, holds something that follows."""
    known, left = table.known[table.to_act], unseen(table)
    free = len(table.hands[table.to_act]) - known.total()
    for cards in combinations(table.options):
        if follows(table.on_table, cards, table.options):
            wanted = Counter(cards) - known
            if wanted <= left and wanted.total() <= free:
                return True
    return False


def could_follow_by_trying(table: Table) -> bool:
    """The same by looking at every such hand: only for few free cards."""
    known, left = table.known[table.to_act], unseen(table)
    free = len(table.hands[table.to_act]) - known.total()
    return any(
        within(cards, [*known.elements(), *hand])
        for hand in hands_of(sorted(left.items()), free)
        for cards in combinations(table.options)
        if follows(table.on_table, cards, table.options)
    )


def hands_of(left: list[tuple[int, int]], size: int) -> Iterator[Cards]:
    """Every multiset of that size from so many cards of each rank."""
    if size == 0:
        yield ()
    elif left:
        (rank, most), *others = left
        for count in range(min(most, size) + 1):
            for rest in hands_of(others, size - count):
                yield (rank,) * count + rest
