"""The shapes of answers agree with what the engine has and with what the service answers."""

from __future__ import annotations

import os
import re
import unicodedata
from dataclasses import fields as fields_of
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marshmallow import ValidationError

from engine import events
from engine.actions import Source
from engine.cards import Edition
from engine.combinations import Kind
from engine.deal import Phase
from engine.events import Reason
from engine.rules import Rules
from service import examples, illustrations
from service.app import create_app
from service.config import Config
from service.hosted import AiReply, Created
from service.schemas.events import EVENT, DealRecordSchema, HistorySchema
from service.schemas.members import LABELS, NewRulesSchema, RulesSchema, Written
from service.schemas.requests import (
    GameRequestSchema,
    NewHumanSeatSchema,
    PlayRequestSchema,
    ranks_of,
    settings_of,
)
from service.schemas.review import AnalysisSchema, GameRecordSchema
from service.schemas.suggestions import TOLD_EVENT, PositionRequestSchema, SuggestionSchema
from service.schemas.views import ACTION, ActionAnswerSchema, CreationSchema, GameViewSchema
from service.views import rules_json
from tests.strictly import check_shape

if TYPE_CHECKING:
    from enum import StrEnum

    from service.documented import Shape

GOOD_NAMES = [
    "x",
    " Ann",
    "O'Neill",
    "Zoë",
    "अनिता",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "ㅎ",
    "👩\u200d👧",
    "❤\ufe0f",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "\U0010ffff",
]
BLANK_NAMES = [" ", "  ", "\u00a0", "\u2003\u3000", "\u200d", "\u2800", "\u3164", "\ufe0f\u034f"]
HIDDEN_NAMES = [
    *"\u00ad\u061c\u200b\u200e\u200f\u2028\u202a\u202e\u2060\u2066\u2069\ufeff\ufffb",
    *"\0\t\n\x1b\x7f\x85",
]

STEPS = [*range(1, 16), 17, 18]
VIEWS = [(version, viewer) for version in STEPS for viewer in (0, 1, None)]
SHOWN: list[tuple[Shape, Any]] = [
    *[(GameViewSchema, examples.view(version, viewer)) for version, viewer in VIEWS],
    *[(ActionAnswerSchema, examples.answer(after, version)) for after, version in pairwise(STEPS)],
    (ActionAnswerSchema, examples.computer_reply()),
    (ActionAnswerSchema, examples.computer_move()),
    (CreationSchema, examples.creation()),
    (CreationSchema, examples.creation(computer=True)),
    (CreationSchema, examples.rematch(1)),
    (HistorySchema, examples.history()),
    (ActionAnswerSchema, examples.claimed()),
    (DealRecordSchema, examples.record()),
    (GameRecordSchema, examples.whole()),
    (AnalysisSchema, illustrations.analysis()),
    (SuggestionSchema, illustrations.suggestion(9)),
    (SuggestionSchema, illustrations.suggestion(None)),
]


@pytest.fixture(scope="module")
def components() -> dict[str, Any]:
    document = create_app(Config.from_env({})).test_client().get("/openapi.json").get_json()
    schemas: dict[str, Any] = document["components"]["schemas"]
    return schemas


@pytest.mark.parametrize(("shape", "shown"), SHOWN)
def test_what_is_shown_has_exactly_the_members_of_its_schema(shape: Shape, shown: Any) -> None:
    check_shape(shape, shown)


def members(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all members of objects in a value."""
    if isinstance(value, dict):
        return [found for name, inner in value.items() for found in [(*path, name), *members(inner, (*path, name))]]
    if isinstance(value, list | tuple):
        return [found for index, inner in enumerate(value) for found in members(inner, (*path, index))]
    return []


def changed(value: Any, path: tuple[Any, ...], *, add: bool) -> Any:
    """A copy of a value without the member at a path, or with one more beside it."""
    if isinstance(value, list | tuple):
        return [changed(one, path[1:], add=add) if index == path[0] else one for index, one in enumerate(value)]
    if len(path) > 1:
        return {**value, path[0]: changed(value[path[0]], path[1:], add=add)}
    return {**value, "another": 1} if add else {name: one for name, one in value.items() if name != path[0]}


OPTIONAL = {"search"}


@pytest.mark.parametrize("add", [True, False])
@pytest.mark.parametrize(
    ("shape", "shown"),
    [
        (GameViewSchema, examples.view(9)),
        (GameViewSchema, examples.view(1)),
        (ActionAnswerSchema, examples.answer(15, 17)),
        (DealRecordSchema, examples.record()),
        (GameRecordSchema, examples.whole()),
        (AnalysisSchema, illustrations.analysis()),
        (SuggestionSchema, illustrations.suggestion(9)),
    ],
)
def test_a_member_too_many_or_too_few_is_noticed_at_any_depth(shape: Shape, shown: Any, add: bool) -> None:
    unnoticed = []
    for path in members(shown):
        if path[-1] in OPTIONAL and not add:
            continue
        try:
            check_shape(shape, changed(shown, path, add=add))
        except ValidationError:
            continue
        unnoticed.append(path)
    assert unnoticed == []


@pytest.mark.parametrize(
    ("component", "member", "enum"),
    [
        ("GameView", "phase", Phase),
        ("Combination", "kind", Kind),
        ("PlayAction", "kind", Kind),
        ("DrawAction", "source", Source),
        ("DrawChoiceRequest", "source", Source),
        ("GameEndedEvent", "reason", Reason),
        ("Rules", "edition", Edition),
        ("NewRules", "edition", Edition),
        ("GameRequest", "ai_reply", AiReply),
    ],
)
def test_fixed_sets_are_the_engines(
    components: dict[str, Any], component: str, member: str, enum: type[StrEnum]
) -> None:
    assert components[component]["properties"][member]["enum"] == [str(one) for one in enum]


def test_labels_are_those_of_both_editions(components: dict[str, Any]) -> None:
    assert set(LABELS) == {label for edition in Edition for label in edition.labels}
    assert components["PlayRequest"]["properties"]["cards"]["items"]["enum"] == list(LABELS)


def test_rules_have_the_settings_that_the_engine_has() -> None:
    settings = {field.name for field in fields_of(Rules)}
    assert set(RulesSchema().fields) == set(NewRulesSchema().fields) == set(rules_json(Rules())) == settings


def test_the_rules_that_nothing_is_said_of_are_the_engines_default() -> None:
    assert Rules(**NewRulesSchema().load({})) == Rules()


def test_there_is_a_schema_for_each_event_and_each_action() -> None:
    told = {events.Dealt, events.Played, events.Passed, events.Drew, events.DealEnded, events.GameEnded, Created}
    assert len(EVENT.schemas) == len(told)
    assert set(EVENT.schemas) - set(TOLD_EVENT.schemas) == {"created", "deal_ended", "game_ended"}
    assert set(ACTION.schemas) == {"play", "pass", "draw"}


def test_there_is_no_schema_that_shows_a_deal_whole(components: dict[str, Any]) -> None:
    secret = {"deck", "set_aside", "seed", "hands"}
    tellers = {name for name, schema in components.items() if secret & set(schema.get("properties", {}))}
    # seed is that of a search in the last five, hands are null where they are hidden
    assert tellers == {
        "DealRecord",
        "DealtEvent",
        "ToldDealt",
        "SearchTrace",
        "Search",
        "AnalysisSearch",
        "SuggestionRequest",
        "PositionRequest",
    }


def test_the_examples_of_requests_are_requests() -> None:
    GameRequestSchema().load(examples.OUR_GAME)
    PlayRequestSchema().load(examples.FOLLOW)
    PositionRequestSchema().load(examples.position())


def test_settings_are_what_the_body_asks_for() -> None:
    body = {**examples.COMPUTER, "deal_seeds": ["AB" * 32], "turn_seconds": 5.0}
    settings = settings_of(GameRequestSchema().load(body))
    assert settings.deal_seeds == (b"\xab" * 32,)
    assert settings.turn_seconds == 5
    assert [(seat.name, seat.level) for seat in settings.seats] == [("Ann", None), (None, 3)]


def test_labels_become_ranks_in_the_order_given() -> None:
    assert ranks_of(["C", "1", "9"], Edition.BOXED, "/cards") == (9, 0, 8)
    assert ranks_of(["Q", "2", "10"], Edition.CLASSIC, "/cards") == (9, 0, 8)


@pytest.mark.parametrize("text", ["ab\n", "\nab", "abc", "", "ä"])
def test_a_form_is_that_of_the_whole_text(text: str) -> None:
    form = Written("[a-z]{2}", "Wrong.")
    assert form("ab") == "ab"
    with pytest.raises(ValidationError, match="Wrong"):
        form(text)


@pytest.mark.parametrize("name", GOOD_NAMES)
def test_a_name_may_be_of_any_script_and_hold_joined_emoji(name: str) -> None:
    assert NewHumanSeatSchema().load({"kind": "human", "name": name})["name"] == name


@pytest.mark.parametrize("name", [*BLANK_NAMES, *HIDDEN_NAMES, *(f"A{hidden}b" for hidden in HIDDEN_NAMES)], ids=ascii)
def test_a_name_that_is_not_seen_or_does_not_let_others_be_seen_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="visible character"):
        NewHumanSeatSchema().load({"kind": "human", "name": name})


def test_every_control_format_and_separating_character_of_the_first_plane_hides_or_is_blank() -> None:
    # Signs of Arabic and Syriac that are written around digits, and visible.
    seen = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2}
    pattern = re.compile(str(NewHumanSeatSchema().fields["name"].metadata["pattern"]))
    for point in range(0x10000):
        if unicodedata.category(chr(point)) in {"Cc", "Cf", "Zl", "Zp", "Zs"} and point not in seen:
            assert not pattern.match(chr(point)), hex(point)


LETTERS = st.one_of(st.characters(), st.sampled_from(sorted({*"ab 🍟", *HIDDEN_NAMES, *"".join(BLANK_NAMES)})))


@settings(max_examples=int(os.environ.get("CRISPS_NAMES", "100")), deadline=None)
@given(name=st.text(LETTERS, min_size=1, max_size=40))
def test_a_name_is_taken_if_the_documents_pattern_allows_it_and_only_then(name: str) -> None:
    field = NewHumanSeatSchema().fields["name"]
    if re.match(str(field.metadata["pattern"]).removesuffix("$") + r"\Z", name):
        assert field.deserialize(name) == name
    else:
        with pytest.raises(ValidationError):
            field.deserialize(name)
