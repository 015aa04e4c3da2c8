"""The verifier accepts what the service records and nothing that differs from it in any detail."""

from __future__ import annotations

import contextlib
import random
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rules import Rules
from engine.shuffle import Shuffle
from service import hosted, verify, views
from service.hosted import DealHead, LoggedEvent, Settings
from service.verify import RecordError, verify_deal
from tests.recorded import ALL_RULES, NOW, PEOPLE, a_record, at, changed, game_of, play_a_game, rules_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.replay import Decision

FREE = {"at", "search"}
"""Event members that the rest of a record does not determine."""


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of every value that is neither object nor array."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from leaves(member, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    else:
        yield path


def determined(record: dict[str, Any]) -> list[tuple[str | int, ...]]:
    """The leaves that the rest of the record determines; of the rules only some show in every deal."""
    events = record["events"]
    return [
        path
        for path in leaves(record)
        if path[0] not in {"game", "rules"}
        and not (path[0] == "events" and path[2] in FREE)
        and not (path[0] == "events" and path[2] == "version" and len(events) == 1)
    ]


def refused(record: object) -> RecordError:
    with pytest.raises(RecordError) as caught:
        verify_deal(record)
    return caught.value


def retold(record: dict[str, Any], decisions: list[Decision]) -> dict[str, Any]:
    """What the service would have recorded, had these actions been taken."""
    end = decisions[-1].deal.apply_unchecked(decisions[-1].action)[0]
    shuffle = Shuffle(bytes.fromhex(record["seed"]), record["client_seed"])
    first = record["events"][0]["version"]
    told = [
        LoggedEvent(version, NOW, event, None if version > first else shuffle.commitment)
        for version, event in enumerate(end.events(), first)
    ]
    head = DealHead(end.number, end.starter, end.winner, shuffle, first, told[-1].version)
    game = hosted.create("game-1", Settings(end.rules, PEOPLE, 0), NOW).hosted
    recorded: dict[str, Any] = orjson.loads(orjson.dumps(views.record_json(game, head, told)))
    return recorded


def without_free(record: dict[str, Any]) -> dict[str, Any]:
    events = [{name: value for name, value in event.items() if name not in FREE} for event in record["events"]]
    return {**record, "events": events}


def refused_or_another_course(record: dict[str, Any], path: tuple[str | int, ...]) -> bool:
    """Whether a changed record is refused; if not, it has to be the whole truth of another legal course of play.

    Only a played card leaves that open, and a draw of two equal cards: nobody can tell from a record that a seat should
    have played something else, or that it took the other one of two.
    """
    decisions: list[Decision] = []
    try:
        verify_deal(record, decisions.append)
    except RecordError as error:
        assert error.pointer.startswith("/")  # noqa: PT017 - not every change raises
        return True
    assert path[0] == "events"
    told = record["events"][path[1]]
    assert path[2] == "cards" or (path[2] == "source" and len(set(told["drawn"])) == 1)
    assert without_free(record) == without_free(retold(record, decisions))
    return False


@pytest.mark.parametrize("rules", ALL_RULES, ids=rules_id)
def test_every_deal_of_a_game_verifies_in_each_edition_with_all_table_options(rules: Rules) -> None:
    for record in game_of(rules):
        lines = verify_deal(record)
        assert [line.split(":")[0] for line in lines] == ["form", "commitment", "deck", "rules", "events", "winner"]
        assert f"{record['rules']['edition']} edition" in lines[3]


@pytest.mark.parametrize("rules", ALL_RULES, ids=rules_id)
def test_a_record_that_does_not_tell_its_rules_verifies_by_what_it_shows(rules: Rules) -> None:
    for seed in range(3):
        for record in game_of(rules, seed):
            told = {name: value for name, value in record.items() if name not in {"rules", "game"}}
            assert "inferred" in verify_deal(told)[3]


@pytest.mark.parametrize("rules", ALL_RULES, ids=rules_id)
def test_a_deal_that_was_cut_short_verifies_at_every_length(rules: Rules) -> None:
    for length in (0, 1, 2, 3, 5, 8, 13):
        record = play_a_game(rules, 4, resign_after=length)[-1]
        assert record["winner"] is None
        assert "cut short" in verify_deal(record)[-1]


def some_other(value: object, chance: random.Random) -> list[object]:
    """Values of the same and of other types, all different from `value`."""
    others: list[object] = [None, True, False, 0, 1, 2, 3, -1, 1.0, "", "1", "2", "9", "10", "C", "Q", [], {}, ["1"]]
    others += ["played", "passed", "drew", "dealt", "deal_ended", "single", "pair", "sequence", "stair", "triple"]
    others += ["quad", "face_up", "draw_pile"]
    if isinstance(value, str) and value:
        place = chance.randrange(len(value))
        others += [value[:place] + new + value[place + 1 :] for new in "0123456789abcdefA " if new != value[place]]
        others += [value + "0", value[:-1], value.upper(), value.swapcase()]
    if isinstance(value, int):
        others += [value + 1, value - 1, str(value), float(value), 2**70]
    return [other for other in others if type(other) is not type(value) or other != value]


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_single_change_is_refused_or_tells_another_legal_course_whole(data: st.DataObject) -> None:
    rules = data.draw(st.sampled_from(ALL_RULES))
    record = data.draw(st.sampled_from(game_of(rules, data.draw(st.integers(0, 4)))))
    path = data.draw(st.sampled_from(determined(record)))
    others = some_other(at(record, path), random.Random(data.draw(st.integers(0, 2**32))))
    refused_or_another_course(changed(record, path, data.draw(st.sampled_from(others))), path)


@pytest.mark.parametrize("rules", [ALL_RULES[0], ALL_RULES[5], ALL_RULES[10], ALL_RULES[15]], ids=rules_id)
def test_every_leaf_of_a_record_is_guarded(rules: Rules) -> None:
    record, chance = a_record(rules), random.Random(9)
    paths = determined(record)
    kept = [
        path
        for path in paths
        if not refused_or_another_course(
            changed(record, path, chance.choice(some_other(at(record, path), chance))), path
        )
    ]
    assert len(kept) < len(paths) / 20


def test_every_missing_member_is_refused_where_it_is_missing() -> None:
    record = a_record()
    for name in record.keys() - {"game", "rules"}:
        rest = {other: value for other, value in record.items() if other != name}
        assert refused(rest).pointer == f"/{name}"
    for index, event in enumerate(record["events"]):
        for name in event.keys() - {"search"}:
            rest = {other: value for other, value in event.items() if other != name}
            assert refused(changed(record, ("events", index), rest)).pointer == f"/events/{index}/{name}"


def test_no_event_may_be_missing_doubled_or_moved() -> None:
    record = a_record(Rules(automatic_turn_skip=True))
    first = record["events"][0]["version"]

    def renumbered(events: list[dict[str, Any]]) -> dict[str, Any]:
        counted = [{**event, "version": first + index} for index, event in enumerate(events)]
        return {**record, "events": counted}

    events = record["events"]
    for index in range(len(events)):
        refused(renumbered(events[:index] + events[index + 1 :]))
        refused(renumbered([*events[: index + 1], *events[index:]]))
        if index:
            refused(renumbered([*events[: index - 1], events[index], events[index - 1], *events[index + 1 :]]))
    verify_deal(renumbered(events))


def test_R27_an_automatic_pass_is_demanded_where_no_hand_could_follow_and_nowhere_else() -> None:
    rules = Rules(automatic_turn_skip=True)
    skipped = next(
        record
        for seed in range(200)
        for record in game_of(rules, seed)
        if any(event.get("automatic") for event in record["events"])
    )
    index = next(index for index, event in enumerate(skipped["events"]) if event.get("automatic"))
    error = refused(changed(skipped, ("events", index, "automatic"), new=False))
    assert error.pointer == f"/events/{index}/automatic"
    without = {**skipped, "rules": {**skipped["rules"], "automatic_turn_skip": False}}
    assert refused(without).pointer == f"/events/{index}/automatic"
    cut = {**skipped, "winner": None, "events": skipped["events"][:index]}
    assert refused(cut).pointer == "/events"


def test_another_seed_is_refused_even_with_its_own_commitment() -> None:
    record = a_record()
    other = a_record(seed=2)
    forged = {**record, "seed": other["seed"], "commitment": other["commitment"]}
    forged["events"][0]["commitment"] = other["commitment"]
    assert refused(forged).pointer.startswith("/deck/")


def test_a_deck_that_was_swapped_together_with_the_hands_is_refused() -> None:
    record, other = a_record(), a_record(seed=2)
    assert refused({**record, "deck": other["deck"], "events": other["events"]}).pointer.startswith("/deck/")


def test_a_search_is_only_where_somebody_chose_and_has_its_form() -> None:
    record = a_record()
    search = {"simulations": 1, "seed": 2**53 - 1, "level": 5}
    assert refused(changed(record, ("events", 0, "search"), search)).pointer == "/events/0/search"
    verify_deal(changed(record, ("events", 1, "search"), search))
    wrong = [("simulations", -1), ("seed", 2**53), ("seed", "7"), ("level", 0), ("level", 6), ("level", True)]
    for name, value in wrong:
        bad = changed(record, ("events", 1, "search"), {**search, name: value})
        assert refused(bad).pointer == f"/events/1/search/{name}"


@pytest.mark.parametrize("time", ["2026-02-30T00:00:00Z", "2026-01-01 00:00:00Z", "2026-01-01T00:00:00+01:00", "", 7])
def test_a_time_that_is_none_is_refused(time: object) -> None:
    assert refused(changed(a_record(), ("events", 1, "at"), time)).pointer == "/events/1/at"


@pytest.mark.parametrize("document", [None, 1, "", [], [[]], {}, [1], {"deals": []}, {"deals": {}}, {"deals": [None]}])
def test_what_is_no_record_at_all_is_refused_not_crashed_on(document: object) -> None:
    with pytest.raises(RecordError):
        list(verify.verify(document))


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.data())
def test_junk_anywhere_in_a_record_never_makes_the_verifier_fail_otherwise(data: st.DataObject) -> None:
    record = a_record(data.draw(st.sampled_from(ALL_RULES)))
    if data.draw(st.booleans()):
        del record["rules"]
    junk = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=5,
    )
    path = data.draw(st.sampled_from(list(leaves(record))))
    path = path[: data.draw(st.integers(1, len(path)))]
    with contextlib.suppress(RecordError):
        verify_deal(changed(record, path, data.draw(junk)))


def test_decisions_are_told_in_order_with_the_deal_before_them() -> None:
    record = a_record()
    told: list[Decision] = []
    verify_deal(record, told.append)
    chosen = [event for event in record["events"] if event["type"] in {"played", "passed", "drew"}]
    assert [decision.event.value for decision in told] == chosen
    assert all(decision.action in decision.deal.legal_actions() for decision in told)
