"""The analysis of an ended deal: from what each seat knew, the same every time, computed once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest

from ai import policy
from service import analysis, usecases
from service.slots import SearchSlots
from tests.advised import described, history, without
from tests.asking import OPTIONS, PEOPLE, Api, Json, Table, play_deal, take
from tests.stored import raw

if TYPE_CHECKING:
    from flask import Flask

    from service.embedded import EmbeddedStore


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    policy.warm_up()


def review(table: Table, number: int = 1, seat: int | None = None) -> Json:
    answer = table.api.get(f"{table.path}/deals/{number}/analysis", token=table.tokens.get(seat))
    assert answer.status_code == 200, answer.text
    told: Json = answer.json
    return told


@pytest.mark.parametrize("options", [(), OPTIONS])
def test_every_decision_is_judged_by_what_its_seat_could_have_asked_then(api: Api, options: tuple[str, ...]) -> None:
    table = api.table(rules=dict.fromkeys(options, True)).deal()
    asked: list[Json] = []
    chosen: list[Json] = []
    view = table.view(table.view()["to_act"])
    while view["to_act"] is not None:
        seat = view["to_act"]
        asked.append(described(view, history=history(table, seat)))
        legal = view["legal_actions"]
        chosen.append(legal[len(chosen) % len(legal)])
        after = take(table, view, chosen[-1])["game"]
        view = after if after["to_act"] is None else table.view(after["to_act"])
    told = review(table)
    assert len(told["decisions"]) == len(asked)
    for index, decision in enumerate(told["decisions"]):
        assert decision["played"] == chosen[index]
        assert decision["seat"] == asked[index]["seat"]
        if index % 5:
            continue
        advice = without(api.post("/v1/suggestions", {**asked[index], **told["search"]}).json)
        assert (decision["best"], decision["win_probability"]) == (advice["best"], advice["win_probability"])
        rated = {str(one["action"]): one["win_probability"] for one in advice["actions"]}
        assert decision["played_win_probability"] == rated[str(decision["played"])]


def test_each_seats_summary_is_that_of_its_decisions(api: Api) -> None:
    table = api.table().deal()
    for _ in play_deal(table, 3):
        pass
    told = review(table)
    for seat in (0, 1):
        own = [one for one in told["decisions"] if one["seat"] == seat]
        best = sum(one["best"] == one["played"] for one in own)
        summary = told["seats"][seat]
        assert (summary["decisions"], summary["best_chosen"]) == (len(own), best)
        assert summary["average_loss"] == pytest.approx(sum(one["loss"] for one in own) / len(own))
        assert all(one["loss"] == 0 for one in own if one["best"] == one["played"])
    assert sum(summary["average_loss"] for summary in told["seats"]) > 0


def test_the_decisions_are_those_of_the_record_without_automatic_passes(api: Api) -> None:
    table = api.table(rules={"automatic_turn_skip": True, "no_face_up_draw": True}).deal()
    for _ in play_deal(table, 2):
        pass
    record = api.get(f"{table.path}/deals/1").json
    choices = {
        event["version"]: event["seat"]
        for event in record["events"]
        if event["type"] == "played" or (event["type"] == "passed" and not event["automatic"])
    }
    assert {one["version"]: one["seat"] for one in review(table)["decisions"]} == choices


def test_it_is_computed_once_and_the_same_again(
    api: Api, valkey: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = api.table(rules={"points_to_win": 2}).deal().play("5 5", "6 6")
    table.do(0, "resign")
    first = api.get(f"{table.path}/deals/1/analysis").data
    (key,) = raw(valkey).scan_iter(f"crisps:{{{table.game_id}}}:key:analysis-1-*")
    assert 0 < raw(valkey).ttl(key) <= analysis.KEPT_SECONDS
    calls: list[int] = []
    advise = usecases.advise_on_some

    def counted(*given: Any) -> Any:
        results = advise(*given)
        calls.extend([1] * len(results))
        return results

    monkeypatch.setattr(usecases, "advise_on_some", counted)
    assert api.get(f"{table.path}/deals/1/analysis", token=table.tokens[1]).data == first
    assert not calls
    raw(valkey).delete(key)
    assert api.get(f"{table.path}/deals/1/analysis").data == first
    assert len(calls) == 2


def test_another_deal_under_the_same_id_is_reviewed_anew(api: Api, valkey: EmbeddedStore) -> None:
    """A key of create's that has outlived its game makes the id again."""
    key, body = {"Idempotency-Key": "made-again-after-its-end"}, {"seats": PEOPLE}
    kept, reviews = set(), []
    for _ in range(2):
        made = api.post("/v1/games", body, headers=key).json
        table = Table(api, made["game"]["id"], {one["seat"]: one["token"] for one in made["tokens"]}).deal()
        table.do(0, "resign")
        reviews.append(api.get(f"{table.path}/deals/1/analysis").data)
        client, name = raw(valkey), f"crisps:{{{table.game_id}}}"
        client.delete(name, f"{name}:events", f"{name}:deals")
        for record in client.scan_iter(f"{name}:key:*"):
            if b":analysis-" in record:
                kept.add(record)
            else:
                client.delete(record)
    assert len(kept) == 2
    assert [orjson.loads(told)["decisions"] for told in reviews] == [[], []]


def test_a_deal_without_a_decision_has_an_analysis_without_any(api: Api) -> None:
    table = api.table().deal()
    table.do(0, "resign")
    told = review(table)
    assert (told["decisions"], told["winner"]) == ([], None)
    assert [seat["average_loss"] for seat in told["seats"]] == [0, 0]


def test_only_an_ended_deal_is_reviewed(api: Api) -> None:
    table = api.table()
    for number, wanted in (("1", (404, "unknown_deal")), ("0", (404, "unknown_deal")), ("x", (404, "unknown_deal"))):
        refused = api.get(f"{table.path}/deals/{number}/analysis")
        assert (refused.status_code, refused.json["code"]) == wanted
    table.deal()
    refused = api.get(f"{table.path}/deals/1/analysis")
    assert (refused.status_code, refused.json["code"]) == (409, "deal_in_progress")


def test_a_busy_process_refuses_and_caches_nothing(api: Api, app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    table = api.table().deal().play("5 5")
    table.do(0, "resign")
    monkeypatch.setattr(analysis, "WAIT_SECONDS", -1.0)
    refused = api.get(f"{table.path}/deals/1/analysis")
    assert (refused.status_code, refused.json["code"]) == (503, "search_busy")
    assert "Retry-After" in refused.headers
    monkeypatch.undo()
    assert len(review(table)["decisions"]) == 1


@pytest.mark.parametrize(("seconds", "patient"), [(60.0, True), (0.0, False)])
def test_a_few_searches_at_a_time_wait_for_a_slot_together(
    api: Api, monkeypatch: pytest.MonkeyPatch, seconds: float, *, patient: bool
) -> None:
    table = api.table().deal().play("5 5", "6 6")
    table.do(0, "resign")
    taken = []
    take_slot = SearchSlots.taken

    def counted(slots: SearchSlots, *given: Any) -> Any:
        taken.append(given)
        return take_slot(slots, *given)

    monkeypatch.setattr(SearchSlots, "taken", counted)
    monkeypatch.setattr(analysis, "TURN_SECONDS", seconds)
    assert len(review(table)["decisions"]) == 2
    assert len(taken) == (1 if patient else 2)


def test_the_searches_of_a_deal_share_one_budget() -> None:
    level = policy.LEVELS[4]
    for count in (0, 1, 40, 68, 200):
        simulations = analysis.budget_for(count).simulations
        assert simulations is not None
        spent = count * simulations / level.budget.most * level.typical_ms
        assert 1 <= simulations <= level.budget.most
        assert spent <= analysis.BUDGET_MS
