"""Tree search guided by the learned evaluation, from one seat's knowledge.

Each simulation samples one world that agrees with what the seat knows and walks one tree, keyed by the public actions.
Where the searching seat acts it takes the action of the highest PUCT bound: the average of what came of it, which
starts as the network's value, and a bonus for what the network thinks promising and is little tried. Where the other
seat acts, its action is drawn from the policy that the network gives it with the hand it has in this world, or, as far
as its past actions look like that, follows rules of thumb. A position new to the tree is worth what the network that
sees both hands makes of it; nothing is played out.
"""

from __future__ import annotations

import math

import numpy as np

from ai.belief import GREEDY, LEARNED, Belief, believed_world, weigh
from ai.bits import advance, below, lowest_bit
from ai.certain import certain_play
from ai.compiled import kernel
from ai.determinization import SEAT, InformationSet, determinize
from ai.evaluation import (
    MOST_ACTIONS,
    Network,
    Scratch,
    Weights,
    best_of,
    evaluate,
    win_chance,
    world_logit,
)
from ai.features import Rows, remember
from ai.greedy import greedy_slot
from ai.guided_tree import (
    CERTAIN,
    FOUND,
    FREE_OPTION,
    NO_NODE,
    PROVEN,
    ROOT,
    STATE,
    GuidedSearch,
    Values,
    add_child,
    child_of,
)
from ai.tables import IntArray, Records
from ai.world import HAND, KNOWN, NOTHING, OVER, PHASE, TO_ACT, WINNER, face_up, legal, step

EXPLORATION = 2.0
PRIOR_HEAT = 0.05
"""Divides value differences: actions this much worse are e times less promising."""
OTHER_HEAT = 0.05
"""Likewise for how the other seat chooses."""

UNKNOWN = -1.0
"""No chance yet."""


@kernel
def soften(s: Scratch, found: int, heat: float, chances: Values) -> None:
    """Sets `chances` to the values of the actions just evaluated and to softmax(value / heat)."""
    highest = win_chance(np.float64(s.logits[best_of(s.logits, found)]))
    total = 0.0
    for k in range(found):
        chances[0, k] = win_chance(np.float64(s.logits[k]))
        chances[1, k] = math.exp((chances[0, k] - highest) / heat)
        total += chances[1, k]
    for k in range(found):
        chances[1, k] /= total


@kernel
def is_same(search: GuidedSearch, node: int) -> bool:
    """Whether a node's options were found with the knowledge that the seat to act has in the world as it is now."""
    at, world = search.nodes[node], search.world
    seat = world[TO_ACT]
    return (  # type: ignore[no-any-return]
        at["count"] > 0
        and at["hand"] == (world[HAND + seat] | (face_up(world) + 1) << 40)
        and at["own_known"] == world[KNOWN + seat]
        and at["other_known"] == world[KNOWN + 1 - seat]
    )


@kernel
def find_options(nets: Weights, t: Records, r: Rows, search: GuidedSearch, node: int) -> int:
    """Evaluates the options of the searching seat; answers where they are, in the node's own place if it gets one.

    Where it has a certain win, that action is the only option.
    """
    nodes, options, world, child, s = search.nodes, search.options, search.world, search.child, search.scratch
    certain = search.progress[PROVEN] if node == ROOT else certain_play(t, world)
    if certain != NOTHING:
        found = 1
        s.slots[0] = certain
        search.chances[0, 0], search.chances[1, 0] = CERTAIN, 1.0
    else:
        found = evaluate(nets.actions, t, r, world, search.memory, s)
        soften(s, found, PRIOR_HEAT, search.chances)
    seat = world[TO_ACT]
    at = nodes[node]
    first = at["first_option"]
    spare = len(options) - MOST_ACTIONS
    if found > at["room"]:
        first = search.progress[FREE_OPTION]
        if first + found > spare:
            first = spare
        else:
            search.progress[FREE_OPTION] += found
            at["first_option"], at["room"] = first, found
    if first == spare:
        at["count"] = 0
    else:
        at["count"], at["hand"] = found, world[HAND + seat] | (face_up(world) + 1) << 40
        at["own_known"], at["other_known"] = world[KNOWN + seat], world[KNOWN + 1 - seat]
    below_it = at["first_child"]
    while below_it != NO_NODE:
        child[nodes[below_it]["slot"]] = below_it
        below_it = nodes[below_it]["sibling"]
    for k in range(found):
        option = options[first + k]
        option["value"], option["prior"] = search.chances[0, k], search.chances[1, k]
        option["slot"], option["child"] = s.slots[k], child[s.slots[k]]
    below_it = at["first_child"]
    while below_it != NO_NODE:
        child[nodes[below_it]["slot"]] = NO_NODE
        below_it = nodes[below_it]["sibling"]
    search.progress[FOUND] = found
    return first  # type: ignore[no-any-return]


@kernel
def select(search: GuidedSearch, node: int, first: int, found: int) -> int:
    """The option with the highest bound, the first of equals."""
    nodes, options = search.nodes, search.options
    spread = EXPLORATION * math.sqrt(float(nodes[node]["visits"]))
    best, highest = first, -1.0
    for place in range(first, first + found):
        option = options[place]
        total, visits = float(option["value"]), 1.0
        child = option["child"]
        if child != NO_NODE:
            total += nodes[child]["total"]
            visits += nodes[child]["visits"]
        bound = (total + spread * option["prior"]) / visits
        if bound > highest:
            best, highest = place, bound
    return best


@kernel
def draw_action(search: GuidedSearch, found: int, state: int) -> int:
    """The slot of an action drawn from the other seat's policy."""
    chances, s = search.chances, search.scratch
    soften(s, found, OTHER_HEAT, chances)
    left = below(state, 1 << 30) / float(1 << 30)
    k = 0
    while k < found - 1 and left >= chances[1, k]:
        left -= chances[1, k]
        k += 1
    return s.slots[k]  # type: ignore[no-any-return]


@kernel
def only_slot(words: IntArray) -> int:
    """The slot of a set of one action."""
    word = 0
    while not words[word]:
        word += 1
    return 64 * word + lowest_bit(words[word])


@kernel
def judge(net: Network, t: Records, r: Rows, world: IntArray, s: Scratch, seat: int) -> float:
    """The chance that `seat` wins this world, once forced actions are taken, whoever the other is, if it plays well."""
    while world[PHASE] != OVER and legal(t, world, s.words) == 1:
        step(t, world, only_slot(s.words))
    if world[PHASE] == OVER:
        return 1.0 if world[WINNER] == seat else 0.0
    if certain_play(t, world) != NOTHING:
        return 1.0 if world[TO_ACT] == seat else 0.0
    chance = win_chance(np.float64(world_logit(net, r, world, s)))
    return chance if world[TO_ACT] == seat else 1.0 - chance


@kernel
def simulate(
    nets: Weights, t: Records, r: Rows, known: InformationSet, belief: Belief, search: GuidedSearch, simulations: int
) -> None:
    """Runs so many more simulations; n and then m give the same tree as n + m."""
    nodes, options, progress = search.nodes, search.options, search.progress
    world, memory, path, s = search.world, search.memory, search.path, search.scratch
    state = progress[STATE]
    seat = known.sizes[SEAT]
    growth = belief.growth
    believes = len(belief.hands) > 0
    kind = LEARNED
    for _ in range(simulations):
        if believes:
            due = min(growth.first + nodes[ROOT]["visits"] // growth.every, growth.most)
            if due > belief.counted[0]:
                state = weigh(nets.actions, t, r, known, belief, due, world, memory, s, state)
            kind, state = believed_world(known, belief, world, state)
        else:
            state = determinize(known, world, state)
        memory[:] = search.past
        node, depth, is_new = ROOT, 0, False
        chance = UNKNOWN
        while world[PHASE] != OVER and not is_new and chance == UNKNOWN:
            place = child = slot = NO_NODE
            if world[TO_ACT] == seat and is_same(search, node):
                place = select(search, node, nodes[node]["first_option"], nodes[node]["count"])
            elif legal(t, world, s.words) == 1:
                slot = only_slot(s.words)
            elif world[TO_ACT] == seat:
                first = find_options(nets, t, r, search, node)
                place = select(search, node, first, progress[FOUND])
            elif kind == GREEDY:
                slot = greedy_slot(t, world, s.words)
            elif certain_play(t, world) != NOTHING:
                chance = 0.0
                break
            else:
                found = evaluate(nets.actions, t, r, world, memory, s)
                state = advance(state)
                slot = draw_action(search, found, state)
            if place != NO_NODE:
                slot = options[place]["slot"]
                child = options[place]["child"]
                if options[place]["value"] == CERTAIN:
                    chance = 1.0
            if child == NO_NODE:
                child = child_of(nodes, node, slot)
            if child == NO_NODE:
                child, is_new = add_child(search, node, slot), True
            if place != NO_NODE:
                options[place]["child"] = child
            remember(r, world, memory, slot)
            step(t, world, slot)
            node = child
            path[depth] = node
            depth += 1
        if chance == UNKNOWN:
            chance = judge(nets.worlds, t, r, world, s, seat)
        nodes[ROOT]["visits"] += 1
        nodes[ROOT]["total"] += chance
        for i in range(depth):
            nodes[path[i]]["visits"] += 1
            nodes[path[i]]["total"] += chance
    progress[STATE] = state
