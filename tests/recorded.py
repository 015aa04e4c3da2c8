"""Records of whole games of random actions, made by the service's own code, and ways to change them."""

from __future__ import annotations

import copy
import random
from functools import cache
from itertools import product
from typing import Any

import orjson

from engine.cards import Edition
from engine.events import Reason
from engine.rules import Rules
from service import hosted, views
from service.hosted import SearchTrace, SeatKind, SeatSettings, Settings

NOW = 1_790_000_000_000
PEOPLE = (SeatSettings(SeatKind.HUMAN), SeatSettings(SeatKind.HUMAN))
ALL_RULES = [Rules(edition, *options) for edition in Edition for options in product((False, True), repeat=3)]


def rules_id(rules: Rules) -> str:
    return f"{rules.edition}-{rules.crisps_in_runs:d}{rules.no_face_up_draw:d}{rules.automatic_turn_skip:d}"


def play_a_game(rules: Rules, seed: int, *, resign_after: int | None = None) -> list[dict[str, Any]]:
    """The records of a game of random actions, as the service shows them; the computer is said to have chosen some."""
    chance = random.Random(seed)
    client_seed = chance.choice(["", "crisps", "Zwölf Kartöffelchen 🥔"])
    game_seeds = tuple(chance.randbytes(32) for _ in range(2 * rules.points_to_win - 1))
    change = hosted.create("game-1", Settings(rules, PEOPLE, chance.randrange(2), deal_seeds=game_seeds), NOW)
    game, events, records, actions = change.hosted, list(change.events), [], 0
    while game.game.winner is None:
        deal = game.game.deal
        if deal is None:
            change = hosted.deal(game, client_seed, NOW)
        elif actions == resign_after:
            change = hosted.concede(game, 0, Reason.RESIGNATION, NOW)
        else:
            assert deal.to_act is not None
            trace = SearchTrace(200, game.search_seed(), 3) if deal.to_act else None
            action = chance.choice(list(deal.legal_actions()))
            change = hosted.act(game, deal.to_act, action, NOW + game.version, trace)
            actions += 1
        game = change.hosted
        events += change.events
        if change.ended is not None:
            head = change.ended
            record = views.record_json(game, head, events[head.first - 1 : head.last])
            records.append(orjson.loads(orjson.dumps(record)))
    return records


@cache
def game_of(rules: Rules, seed: int = 1) -> tuple[dict[str, Any], ...]:
    return tuple(play_a_game(rules, seed))


def a_record(rules: Rules = ALL_RULES[0], seed: int = 1) -> dict[str, Any]:
    return copy.deepcopy(game_of(rules, seed)[0])


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def changed(record: dict[str, Any], path: tuple[str | int, ...], new: object) -> dict[str, Any]:
    copied = copy.deepcopy(record)
    at(copied, path[:-1])[path[-1]] = new
    return copied
