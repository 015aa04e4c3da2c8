"""Endgames solved by CFR+: the solver against known values and plain recursion, the strongest level against it."""

from __future__ import annotations

import itertools
import os
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import pytest

from ai.baselines import now
from ai.policy import LEVELS, choose_action
from engine.actions import Action, Play
from engine.cards import Hand
from engine.deal import Deal
from engine.rules import Rules
from tests.ai.cfr import Floats, SequenceGame, Side, solve
from tests.ai.endgames import Endgame, TooLarge
from tests.ai.moments import endgame, mover
from tests.ai.self_play import late_decisions

ENDGAMES = int(os.environ.get("CRISPS_ENDGAMES", "3"))
"""How many endgames the strongest level is asked about."""
LARGEST = int(os.environ.get("CRISPS_ENDGAME_SIZE", "10000"))
"""Larger ones are left out."""

GAP = 0.002
TREMBLE = 0.0002


def kuhn() -> SequenceGame:
    """Kuhn's poker (1950): three cards, one each, an ante and a bet of 1.

    Sequences of player 0, from 1 + 4 * card on: check, bet, and after check and bet: fold, call. Of player 1, likewise:
    check, bet after a check; fold, call after a bet.
    """
    parents: tuple[list[int], list[int]] = ([], [])
    for card in range(3):
        parents[0].extend((0, 1 + 4 * card))
        parents[1].extend((0, 0))
    two = np.full(6, 2)
    first, second, pays = [], [], []
    for mine, theirs in itertools.permutations(range(3), 2):
        sign, own, other = (1 if mine > theirs else -1), 1 + 4 * mine, 1 + 4 * theirs
        ends = [(own, other, sign), (own + 2, other + 1, -1), (own + 3, other + 1, 2 * sign)]
        for one, two_, paid in [*ends, (own + 1, other + 2, 1), (own + 1, other + 3, 2 * sign)]:
            first.append(one)
            second.append(two_)
            pays.append(paid / 6)
    sides = (Side(np.array(parents[0]), two), Side(np.array(parents[1]), two))
    return SequenceGame(sides, (np.array(first), np.array(second)), np.array(pays))


def test_kuhns_poker_is_worth_what_kuhn_found() -> None:
    solution = solve(kuhn(), 1e-4)
    assert solution.value == pytest.approx(-1 / 18, abs=1e-4)
    assert 0 <= solution.gap <= 1e-4


def test_what_a_best_response_gains_in_kuhns_poker_is_known() -> None:
    game = kuhn()
    passive = game.sides[1].plan(np.array([1.0, *[1.0, 0.0, 1.0, 0.0] * 3]))  # checks, and folds to every bet
    assert game.best(0, passive)[0] == pytest.approx(1.0)
    even = [side.plan(side.matched(np.zeros(side.sequences), 0.0)) for side in game.sides]
    assert game.best(0, even[1])[0] == pytest.approx(1 / 2)
    assert game.best(1, even[0])[0] == pytest.approx(5 / 12)


def chance_of(rest: Endgame, plan: Floats, past: tuple[Action, ...], number: int, deal: Deal) -> dict[Action, float]:
    """What a plan does with this hand after these actions."""
    assert deal.to_act is not None
    noted = rest.notes.get(past, {}).get(number)
    if noted is None:
        (action,) = ending(deal) or deal.legal_actions()
        return {action: 1.0}
    made = {action: float(plan[sequence]) for action, sequence in noted.items()}
    total = sum(made.values())
    return {action: one / total if total else 1 / len(made) for action, one in made.items()}


def ending(deal: Deal) -> list[Action]:
    """The play of all cards of the seat to act, if they are one that it may play now."""
    assert deal.to_act is not None
    hand = deal.hands[deal.to_act]
    return [one for one in deal.legal_actions() if isinstance(one, Play) and one.combination.cards == hand]


def best_by_recursion(
    rest: Endgame, plan: Floats, past: tuple[Action, ...], deals: dict[int, tuple[float, Deal]], seat: int
) -> float:
    """What `seat`, which cannot tell these deals apart, wins at best against a plan; the deals by the other's hand."""
    some = next(iter(deals.values()))[1]
    if some.to_act is None:
        return sum(weight for weight, deal in deals.values() if deal.winner == seat)
    if some.to_act == seat:
        if ending(some):
            return sum(weight for weight, _ in deals.values())
        return max(
            best_by_recursion(
                rest, plan, (*past, action), {n: (w, d.apply(seat, action)[0]) for n, (w, d) in deals.items()}, seat
            )
            for action in some.legal_actions()
        )
    following: dict[Action, dict[int, tuple[float, Deal]]] = defaultdict(dict)
    for number, (weight, deal) in deals.items():
        for action, chance in chance_of(rest, plan, past, number, deal).items():
            following[action][number] = (weight * chance, deal.apply(1 - seat, action)[0])
    return sum(best_by_recursion(rest, plan, (*past, action), after, seat) for action, after in following.items())


@pytest.mark.parametrize(
    ("own", "others", "to_follow"), [("1-3-9", "4-4", "2"), ("2-2-5", "1-C", ""), ("3-8", "7-C", "6")]
)
def test_plain_recursion_on_the_engine_finds_the_same_best_responses(own: str, others: str, to_follow: str) -> None:
    deal = endgame(own, others, to_follow=to_follow)
    rest = Endgame(mover(deal).now, notes_all=True)
    solution = solve(rest.game, 0.01)
    even = tuple(side.plan(side.matched(np.zeros(side.sequences), 0.0)) for side in rest.game.sides)
    for plans in (solution.plans, even):
        for seat in (0, 1):
            total = 0.0
            for number, hand in enumerate(rest.hands[seat]):
                deals = {}
                for across, other_hand in enumerate(rest.hands[1 - seat]):
                    weight = float(rest.weights[(number, across) if seat == 0 else (across, number)])
                    if weight:
                        deals[across] = (weight, with_hands(deal, seat, hand, other_hand))
                total += best_by_recursion(rest, plans[1 - seat], (), deals, seat) if deals else 0.0
            found = float(rest.game.best(seat, plans[1 - seat])[0])
            assert total == pytest.approx(found if seat == 0 else 1.0 + found)


def with_hands(deal: Deal, seat: int, hand: Hand, other_hand: Hand) -> Deal:
    hands = (hand, other_hand) if seat == 0 else (other_hand, hand)
    return Deal(
        rules=deal.rules,
        number=1,
        starter=0,
        deck=deal.deck,
        hands=hands,
        round=deal.round,
        to_act=0,
        played=deal.played,
        draws=deal.draws,
    )


def endgames(wanted: int) -> Iterator[tuple[Deal, Endgame]]:
    """So many choices with at most four cards in either hand, none of which ends the deal."""
    left = wanted
    for deal in late_decisions(range(1_000_000), Rules()):
        seen = mover(deal)
        if max(deal.hands[0].size, deal.hands[1].size) > 4 or ending(deal):
            continue
        try:
            rest = Endgame(seen.now, LARGEST)
        except TooLarge:
            print(f"left out as too large: {deal.hands[0].size} and {deal.hands[1].size} cards")  # noqa: T201
            continue
        yield deal, rest
        left -= 1
        if not left:
            return


@pytest.mark.jit
@pytest.mark.timeout(120 + 60 * ENDGAMES)
def test_the_strongest_level_loses_little_against_the_equilibrium() -> None:
    """What its action wins less than the best, the other seat playing the equilibrium; nobody told it the past."""
    level = LEVELS[max(LEVELS)]
    losses: list[float] = []
    informed: list[float] = []
    careless: list[float] = []
    for number, (deal, rest) in enumerate(endgames(ENDGAMES)):
        seen = mover(deal)
        solution = solve(rest.game, GAP, TREMBLE)
        worth = rest.game.best(0, solution.plans[1])
        hand = rest.hands[0].index(seen.hand)
        weight = float(rest.weights[hand].sum())
        values = {action: float(worth[sequence]) / weight for action, sequence in rest.notes[()][hand].items()}
        assert values.keys() == set(seen.legal_actions())
        assert all(-1e-9 <= value <= 1 + 1e-9 for value in values.values())
        best = max(values.values())
        careless.append(best - float(np.mean(list(values.values()))))
        for told, found in ((now(deal), losses), (seen, informed)):
            action = choose_action(told, level, number).action
            found.append(best - values[action])
            if found is losses and found[-1] > 0.02:
                print(  # noqa: T201
                    f"{list(seen.hand)} v {seen.opponent_hand_size} ({list(seen.opponent_known)}), "
                    f"{seen.now.to_follow}: {action} loses {found[-1]:.3f} of {best:.3f}"
                )
    for name, found in (("without the past", losses), ("with the past", informed), ("any action", careless)):
        margin = 1.96 * float(np.std(found)) / len(found) ** 0.5
        print(f"{len(found)} endgames, {name}: {np.mean(found):.4f} ± {margin:.4f}, most {max(found):.3f}")  # noqa: T201
    assert float(np.mean(losses)) <= 0.01
    assert float(np.mean(careless)) > 0.05, "it matters what is played in these endgames"
