"""Advice on a game to the seat to act, and the computer's levels."""

from __future__ import annotations

import pytest

from ai import policy
from service.suggestions import ADVICE_LEVEL
from tests.advised import FEW, described, suggest, without
from tests.asking import Api, Json, Table


def test_advice_holds_every_legal_action_best_first(api: Api, following: Table) -> None:
    view = following.view(0)
    advice = suggest(Table(api, following.game_id, following.tokens), 0, FEW).json
    rated = advice["actions"]
    assert (advice["version"], advice["seat"]) == (view["version"], 0)
    assert sorted(map(str, view["legal_actions"])) == sorted(str(one["action"]) for one in rated)
    assert (advice["best"], advice["win_probability"]) == (rated[0]["action"], rated[0]["win_probability"])
    visits = [one["visits"] for one in rated]
    assert visits == sorted(visits, reverse=True)
    assert (advice["search"]["simulations"], advice["search"]["seed"]) == (60, 5)


def test_the_same_seed_and_simulations_give_the_same_advice(following: Table) -> None:
    first, second, other = (suggest(following, 0, {**FEW, "seed": seed}).json for seed in (5, 5, 6))
    assert without(first) == without(second)
    assert other["search"]["seed"] == 6


def test_asking_changes_nothing(following: Table) -> None:
    before = following.everything()
    for body in (None, {}, FEW, {"time_ms": 1}, {"level": 1}):
        assert suggest(following, 0, body).status_code == 200
    assert following.everything() == before


BUDGETS: list[tuple[Json, int | None]] = [
    ({"simulations": 1}, 1),
    ({"simulations": 77, "time_ms": 5000}, 77),
    ({"simulations": 55, "level": 4}, 55),
    ({"time_ms": 1}, None),
]


@pytest.mark.parametrize(("budget", "simulations"), BUDGETS)
def test_a_budget_ends_with_whichever_of_its_limits_comes_first(
    following: Table, budget: Json, simulations: int | None
) -> None:
    spent = suggest(following, 0, budget).json["search"]["simulations"]
    assert spent > 0
    assert simulations in {None, spent}


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_a_level_names_its_budget_and_level_4_is_the_default(api: Api, following: Table, level: int) -> None:
    levels = {one["level"]: one["simulations"] for one in api.get("/v1/levels").json["levels"]}
    assert suggest(following, 0, {"level": level}).json["search"]["simulations"] == levels[level]
    if level == ADVICE_LEVEL:
        assert suggest(following, 0).json["search"]["simulations"] == levels[4]


def test_the_levels_are_five_and_the_default_is_three(api: Api) -> None:
    answer = api.get("/v1/levels").json
    assert [one["level"] for one in answer["levels"]] == [1, 2, 3, 4, 5]
    assert answer["default"] == policy.DEFAULT_LEVEL == 3
    assert len({one["name"] for one in answer["levels"]}) == 5


BAD_BUDGETS = [
    ({"simulations": 0}, "/simulations"),
    ({"simulations": 100_001}, "/simulations"),
    ({"simulations": "400"}, "/simulations"),
    ({"simulations": None}, "/simulations"),
    ({"time_ms": 0}, "/time_ms"),
    ({"time_ms": 5001}, "/time_ms"),
    ({"seed": -1}, "/seed"),
    ({"seed": 2**53}, "/seed"),
    ({"seed": 0.5}, "/seed"),
    ({"level": 0}, "/level"),
    ({"level": 6}, "/level"),
    ({"depth": 3}, "/depth"),
]


@pytest.mark.parametrize(("budget", "pointer"), BAD_BUDGETS)
def test_a_budget_out_of_bounds_is_refused_on_either_endpoint(
    api: Api, following: Table, budget: Json, pointer: str
) -> None:
    position = described(following.view(0))
    for refused in (suggest(following, 0, budget), api.post("/v1/suggestions", {**position, **budget})):
        assert (refused.status_code, refused.json["code"]) == (422, "invalid_request")
        assert [error["pointer"] for error in refused.json["errors"]] == [pointer]


def test_a_version_is_checked_if_it_is_given(following: Table) -> None:
    assert suggest(following, 0, {**FEW, "version": 7}).status_code == 200
    assert suggest(following, 0, FEW, headers={"If-Match": '"7.1"'}).status_code == 200
    for refused in (
        suggest(following, 0, {**FEW, "version": 6}),
        suggest(following, 0, FEW, headers={"If-Match": '"6.0"'}),
        suggest(following, 0, {**FEW, "version": 7}, headers={"If-Match": '"6.0"'}),
    ):
        assert (refused.status_code, refused.json["code"]) == (412, "version_conflict")
        assert refused.json["current_version"] == 7


def test_advice_is_for_the_seat_to_act_only(following: Table) -> None:
    refused = suggest(following, 1, FEW)
    assert (refused.status_code, refused.json["code"]) == (409, "not_your_turn")
