"""The engine against the rules written a second time, after every action of many deals."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.actions import Action, Draw, Play
from engine.cards import Hand
from engine.deal import Deal, DealEvents, Phase
from engine.events import DealEnded, Drew, Passed, Played
from engine.rules import Rules
from tests.engine import naive
from tests.engine.dealing import ALL_RULES, name_of, some_deal


def move_of(action: Action) -> naive.Move:
    match action:
        case Play(combination):
            return "play", tuple(combination.cards)
        case Draw(source):
            return str(source), ()
        case _:
            return "pass", ()


def told(events: DealEvents) -> list[tuple[object, ...]]:
    """The events as the naive twin tells them."""
    lines: list[tuple[object, ...]] = []
    for event in events:
        match event:
            case Played(seat, combination):
                lines.append(("played", seat, tuple(combination.cards)))
            case Passed(seat, automatic):
                lines.append(("passed", seat, automatic))
            case Drew(seat, source, drawn, face_up):
                lines.append(("drew", seat, None if source is None else str(source), *drawn, face_up))
            case DealEnded(_, winner):
                lines.append(("deal_ended", winner))
    return lines


def options_of(rules: Rules) -> naive.Options:
    return naive.Options(rules.crisps_in_runs, rules.no_face_up_draw, rules.automatic_turn_skip)


def assert_same(deal: Deal, table: naive.Table) -> None:
    assert [list(hand) for hand in deal.hands] == table.hands
    assert (deal.face_up, list(deal.draw_pile)) == (table.face_up, table.pile)
    assert list(deal.played) == sorted(table.played)
    assert [+Counter(hand) for hand in deal.known] == [+known for known in table.known]
    assert (deal.winner, deal.phase is Phase.DRAW) == (table.winner, table.drawing)
    assert deal.to_act == (None if table.winner is not None else table.to_act)
    if deal.phase is Phase.PLAY:
        follow = deal.round.to_follow
        assert (() if follow is None else tuple(follow.cards)) == table.on_table
    legal = [move_of(action) for action in deal.legal_actions()]
    assert len(set(legal)) == len(legal)
    assert set(legal) == naive.moves(table)


@pytest.mark.parametrize("rules", ALL_RULES, ids=name_of)
def test_engine_and_naive_twin_agree_after_every_action(rules: Rules) -> None:
    for seed in range(0, 48, 4):
        table: naive.Table | None = None
        for deal, action in some_deal(seed, rules):
            if table is None:
                table = naive.lay_out(options_of(rules), deal.deck, deal.starter)
            assert_same(deal, table)
            if action is not None:
                assert deal.to_act is not None
                _, events = deal.apply(deal.to_act, action)
                assert naive.move(table, move_of(action)) == told(events)


def test_the_twin_counts_cards_for_itself() -> None:
    table = naive.lay_out(options_of(Rules()), tuple(Hand.from_counts([4] * 10)), 0)
    assert table.hands[0] == [0] * 4 + [1] * 4 + [2] * 4
    assert len(naive.moves(table)) == 3 + 3 + 1 + 3 + 3 + 3
