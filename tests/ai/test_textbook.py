"""The published search: its bookkeeping, and the tree of its naive twin."""

from __future__ import annotations

import pytest

from ai.determinization import information_set
from ai.tables import Records, slot_of
from ai.textbook import FREE, LONGEST_PATH, Search, simulate, start_search
from ai.tree import ROOT
from engine.actions import PASS
from engine.rules import Rules
from tests.ai.moments import T, decisions, mover, opening, scaled
from tests.ai.naive import NaiveSearch, Node
from tests.engine.dealing import ALL_RULES, name_of


def children_of(nodes: Records, node: int) -> list[int]:
    first = int(nodes[node]["first_child"])
    return list(range(first, first + int(nodes[node]["children"])))


def assert_same(nodes: Records, node: int, twin: Node) -> int:
    """The number of nodes compared."""
    children = children_of(nodes, node)
    assert [int(nodes[child]["slot"]) for child in children] == [slot_of(action) for action in twin.children]
    compared = 1
    for child, other in zip(children, twin.children.values(), strict=True):
        at = nodes[child]
        assert (at["seat"], at["visits"], at["wins"]) == (other.seat, other.visits, other.wins)
        assert at["availability"] == other.availability
        assert at["value"] == other.wins / other.visits
        compared += assert_same(nodes, child, other)
    return compared


@pytest.mark.parametrize("rules", [r for r in ALL_RULES if not r.automatic_turn_skip], ids=name_of)
def test_the_tree_is_that_of_the_naive_twin(rules: Rules) -> None:
    compared = 0
    for number, deal in enumerate(decisions(range(3), rules)):
        if number % 9:
            continue
        seen = mover(deal)
        search, twin = start_search(80, number), NaiveSearch(deal, seen, number)
        simulate(T, information_set(seen), search, 80)
        for _ in range(80):
            twin.simulate()
        compared += assert_same(search.nodes, ROOT, twin.root)
    assert compared > 250


def grown(simulations: int, seed: int = 1) -> Search:
    search = start_search(simulations, seed)
    simulate(T, information_set(opening(seed)), search, simulations)
    return search


def test_every_simulation_is_counted_on_its_way() -> None:
    simulations = scaled(5000, 300)
    nodes = grown(simulations).nodes
    pending, seen = children_of(nodes, ROOT), 0
    assert nodes[ROOT]["visits"] == simulations
    assert sum(int(nodes[child]["visits"]) for child in pending) == simulations
    while pending:
        node = pending.pop()
        at, children = nodes[node], children_of(nodes, node)
        seen += 1
        assert 0 <= at["wins"] <= at["visits"] <= at["availability"]
        # a node's own first simulation ends in it, all later ones go on, unless it ends the deal
        below = sum(int(nodes[child]["visits"]) for child in children)
        assert below == (at["visits"] - 1 if children else below)
        assert all(nodes[child]["availability"] <= at["visits"] - 1 for child in children)
        pending += children
    assert seen <= simulations


def test_no_simulation_leaves_its_room() -> None:
    search = grown(scaled(100_000, 1000))
    assert search.progress[FREE] <= len(search.nodes)
    assert LONGEST_PATH >= 68 + 6  # R19: plays and passes, draw choices


def outline(nodes: Records, node: int = ROOT) -> list[object]:
    """All that a subtree holds, in order."""
    at = nodes[node]
    own = () if node == ROOT else (at["slot"], at["seat"], at["wins"], at["availability"], at["value"])
    return [own, at["visits"], [outline(nodes, child) for child in children_of(nodes, node)]]


def test_chunks_make_no_difference() -> None:
    whole, parts = grown(300), start_search(300, 1)
    known = information_set(opening(1))
    for chunk in (1, 2, 97, 200):
        simulate(T, known, parts, chunk)
    assert outline(whole.nodes) == outline(parts.nodes)
    assert whole.progress.tolist() == parts.progress.tolist()


def test_a_seat_that_can_only_pass_is_searched_all_the_same() -> None:
    deal = next(d for d in decisions(range(40)) if list(d.legal_actions()) == [PASS])
    search = start_search(50, 1)
    simulate(T, information_set(mover(deal)), search, 50)
    (only,) = children_of(search.nodes, ROOT)
    assert search.nodes[only]["visits"] == search.nodes[only]["availability"] == 50
