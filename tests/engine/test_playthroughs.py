"""Whole deals and the rulebook's example rounds, as plain text."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cards import Edition
from engine.deal import Deal, Phase
from engine.notation import deck_of
from engine.rules import Rules
from tests.engine.dealing import act, deck_with
from tests.engine.playthroughs import DEALS, FOLDER, actions_in, rendered

ROUNDS = (Path(__file__).with_name("playthroughs") / "example_rounds.txt").read_text(encoding="utf-8")
CLASSIC = Rules(edition=Edition.CLASSIC)


def example_rounds() -> list[tuple[list[str], list[str], int]]:
    """Hands of both seats, the actions, and the seat that leads next."""
    rounds = []
    for block in ROUNDS.strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith("#"))
        rounds.append(([lines["seat 0"], lines["seat 1"]], lines["round"].split(", "), int(lines["leads next"])))
    return rounds


@pytest.mark.parametrize("name", DEALS)
def test_the_deal_is_played_as_in_the_file(name: str) -> None:
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    deck = deck_of(text.splitlines()[0].removeprefix("deck: "), DEALS[name].edition)
    assert rendered(DEALS[name], deck, actions_in(text)) == text


def test_the_files_show_every_kind_of_event_and_combination() -> None:
    text = "".join((FOLDER / f"{name}.txt").read_text(encoding="utf-8") for name in DEALS)
    kinds = ("single", "pair", "sequence", "stair", "triple", "quad")
    wanted = [f" {kind} " for kind in kinds] + [
        "automatically",
        "chose face_up",
        "chose draw_pile",
        "drew: drawn",
        "wins",
    ]
    assert [word for word in wanted if word not in text] == []


def test_there_are_three_example_rounds() -> None:
    assert len(example_rounds()) == 3


@pytest.mark.parametrize(("hands", "actions", "leads_next"), example_rounds())
def test_R12_R13_R14_R17_the_rulebook_s_example_rounds_replay(
    hands: list[str], actions: list[str], leads_next: int
) -> None:
    deal = Deal.start(CLASSIC, deck_with(*hands, edition=Edition.CLASSIC), 0)
    after, _ = act(deal, *actions)
    assert (after.phase, after.to_act, after.round.number) == (Phase.DRAW, leads_next, 1)
    after, _ = act(after, "draw_pile")
    assert (after.phase, after.to_act, after.round.leader, after.round.number) == (
        Phase.PLAY,
        leads_next,
        leads_next,
        2,
    )
