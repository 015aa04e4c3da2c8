"""Events and views are two accounts of the same game: either follows from the other, for each viewer."""

from __future__ import annotations

import random
from typing import Any

import orjson
import pytest

from engine.events import Reason
from engine.rules import Rules
from service import hosted, views
from service.hosted import Change, HostedGame, Settings
from tests.contract.folding import foldable, folded
from tests.recorded import ALL_RULES, NOW, PEOPLE, rules_id


def as_json(value: object) -> Any:
    return orjson.loads(orjson.dumps(value))


def next_change(game: HostedGame, chance: random.Random) -> Change:
    deal = game.game.deal
    if chance.random() < 0.003:
        return hosted.concede(game, chance.randrange(2), Reason.RESIGNATION, NOW)
    if deal is None:
        return hosted.deal(game, "", NOW)
    assert deal.to_act is not None
    return hosted.act(game, deal.to_act, chance.choice(list(deal.legal_actions())), NOW)


@pytest.mark.parametrize("viewer", [0, 1, None])
@pytest.mark.parametrize("rules", ALL_RULES, ids=rules_id)
def test_whoever_applies_the_events_to_a_view_gets_the_next_view(rules: Rules, viewer: int | None) -> None:
    for seed in (ALL_RULES.index(rules), 100):
        chance = random.Random(seed)
        game = hosted.create("game-1", Settings(rules, PEOPLE, seed % 2), NOW).hosted
        first = shown = as_json(views.game_json(game, viewer))
        told = []
        while game.game.winner is None:
            change = next_change(game, chance)
            game, events = change.hosted, as_json(views.events_json(change.events, viewer, rules))
            before, shown = shown, as_json(views.game_json(game, viewer))
            assert foldable(folded(before, events)) == foldable(shown)
            told += events
        assert foldable(folded(first, told)) == foldable(shown)
