"""Whole deals as plain text: what happened and what each seat could see and do, line by line.

Write tests/engine/playthroughs/*.txt anew: PYTHONPATH=. python tests/engine/playthroughs.py
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from engine.cards import Edition, Hand, Rank
from engine.deal import Deal, DealEvents
from engine.events import DealEnded, Dealt, Drew, Passed, Played
from engine.notation import action_of, action_text, cards_text
from engine.observation import observe, redact
from engine.rules import Rules
from engine.shuffle import Shuffle
from tests.engine.dealing import choose

FOLDER = Path(__file__).with_name("playthroughs")
DEALS = {
    "base": Rules(),
    "classic": Rules(edition=Edition.CLASSIC),
    "crisps_in_runs": Rules(crisps_in_runs=True),
    "no_face_up_draw": Rules(no_face_up_draw=True),
    "automatic_turn_skip": Rules(automatic_turn_skip=True),
    "every_option": Rules(crisps_in_runs=True, no_face_up_draw=True, automatic_turn_skip=True),
}
STYLES = {
    "base": 0,
    "classic": 2,
    "crisps_in_runs": 1,
    "no_face_up_draw": 0,
    "automatic_turn_skip": 2,
    "every_option": 2,
}


def label(rank: Rank | None, edition: Edition) -> str:
    """A card, a question mark for a hidden one."""
    return "?" if rank is None else edition.label(rank)


def text_of(hand: Hand | None, edition: Edition) -> str:
    """A hand, a question mark for a hidden one, a dot for none."""
    return "?" if hand is None else cards_text(hand, edition) or "."


def told(events: DealEvents, edition: Edition) -> Iterator[str]:
    """One line for each event."""
    for event in events:
        match event:
            case Dealt(number, starter, face_up, hands):
                cards = " | ".join(text_of(hand, edition) for hand in hands)
                yield f"dealt: deal {number}, seat {starter} leads, face up {label(face_up, edition)}, hands {cards}"
            case Played(seat, combination):
                yield f"played: seat {seat} {combination.kind} {cards_text(combination.cards, edition)}"
            case Passed(seat, automatic):
                yield f"passed: seat {seat}{' automatically' if automatic else ''}"
            case Drew(seat, source, drawn, face_up):
                cards = " | ".join(label(rank, edition) for rank in drawn)
                chosen = f"seat {seat} chose {source}, " if source else ""
                yield f"drew: {chosen}drawn {cards}, face up {label(face_up, edition)}"
            case DealEnded(number, winner):
                yield f"ended: deal {number}, seat {winner} wins"


def situation(deal: Deal) -> Iterator[str]:
    """What the seat to act sees, and all that it may do."""
    if deal.to_act is None:
        return
    edition, seen = deal.rules.edition, observe(deal, deal.to_act)
    follow = seen.now.to_follow
    yield (
        f"  seat {seen.seat}: {cards_text(seen.hand, edition)} v {seen.opponent_hand_size} cards, "
        f"known {text_of(seen.own_known, edition)} | {text_of(seen.opponent_known, edition)}, "
        f"played {seen.now.played.size}, pile {seen.now.draw_pile}, face up {label(seen.now.face_up, edition)}"
    )
    yield f"  to follow: {'.' if follow is None else cards_text(follow.cards, edition)}"
    yield f"  legal: {' '.join(action_text(action, edition) for action in deal.legal_actions())}"


def rendered(rules: Rules, deck: tuple[Rank, ...], actions: list[str]) -> str:
    """The whole text of a deal in which these actions are taken, and what the other seats saw of it at its end."""
    edition = rules.edition
    deal = Deal.start(rules, deck, 0)
    lines = [f"deck: {cards_text(deck, edition)}", *told((deal.dealt(),), edition), *situation(deal)]
    for text in actions:
        if deal.to_act is None:
            break
        deal, events = deal.apply(deal.to_act, action_of(text, edition, crisps_in_runs=True))
        lines += [f"> {text}", *told(events, edition), *situation(deal)]
    for viewer in (0, 1, None):
        lines += ["", f"as {'the public' if viewer is None else f'seat {viewer}'} saw it:"]
        lines += [f"  {line}" for line in told(tuple(redact(e, viewer) for e in deal.events()), edition)]
    return "\n".join(lines) + "\n"


def actions_in(text: str) -> list[str]:
    """The actions of a rendered deal."""
    return [line.removeprefix("> ") for line in text.splitlines() if line.startswith("> ")]


def played_out(name: str) -> str:
    """A deal of that name, its seats choosing by a fixed seed."""
    rules, rng = DEALS[name], random.Random(name)
    deal = Deal.start(rules, Shuffle(bytes(range(32)), name).deck(), 0)
    actions = []
    while deal.to_act is not None:
        action = choose(deal, rng, STYLES[name])
        actions.append(action_text(action, rules.edition))
        deal, _ = deal.apply(deal.to_act, action)
    return rendered(rules, deal.deck, actions)


if __name__ == "__main__":
    for name in DEALS:
        (FOLDER / f"{name}.txt").write_text(played_out(name), encoding="utf-8")
