"""What viewers are shown: every member of a view follows from what that viewer may know (R24, R25)."""

from __future__ import annotations

import copy
import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from engine.cards import CARDS, Edition
from engine.combinations import CATALOGUE
from engine.deal import Phase
from engine.events import Dealt, Drew
from engine.notation import deck_of
from engine.rules import Rules
from engine.shuffle import ALGORITHM, Shuffle
from service import views
from service.hosted import SearchTrace
from tests.played import FIRST_AGAINST_AI, NOW, Course, courses, every_rules, resigned, settings_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.cards import Seat

VIEWERS: tuple[Seat | None, ...] = (0, 1, None)


def some_courses(points_to_win: int = 1) -> Iterator[Course]:
    """Every state of a game of each kind of rules."""
    for number, rules in enumerate(every_rules(points_to_win)):
        yield from courses(settings_of(rules, FIRST_AGAINST_AI, turns=60), random.Random(number))


def in_a_deal() -> Iterator[tuple[Course, dict[str, Any], Seat | None]]:
    for course in some_courses():
        if course.hosted.game.deal is not None:
            for viewer in VIEWERS:
                yield course, views.game_json(course.hosted, viewer), viewer


def test_R25_a_seat_sees_its_own_hand_and_the_public_none() -> None:
    for course, view, viewer in in_a_deal():
        deal = course.hosted.game.deal
        assert deal is not None
        labels = deal.rules.edition.labels
        assert view["viewer"] == viewer
        assert view["deal"]["hand"] == (None if viewer is None else [labels[rank] for rank in deal.hands[viewer]])
        assert list(view["deal"]["hand_sizes"]) == [hand.size for hand in deal.hands]


def test_R24_a_view_accounts_for_every_card_but_the_four_set_aside() -> None:
    for _, view, _ in in_a_deal():
        deal = view["deal"]
        seen = sum(deal["hand_sizes"]) + len(deal["played"]) + deal["draw_pile"] + (deal["face_up"] is not None)
        assert seen == CARDS - 4


def test_cards_are_shown_ascending_in_the_labels_of_the_edition() -> None:
    for course, view, _ in in_a_deal():
        order = course.hosted.game.rules.edition.labels.index
        deal = view["deal"]
        lists = [
            deal["hand"] or [],
            deal["played"],
            *deal["known"],
            *(play["cards"] for play in deal["round"]["plays"]),
        ]
        assert all(cards == sorted(cards, key=order) for cards in lists)


def test_legal_actions_are_shown_only_to_the_seat_to_act_and_completely() -> None:
    for course, view, viewer in in_a_deal():
        deal = course.hosted.game.deal
        assert deal is not None
        expected = len(deal.legal_actions()) if viewer == deal.to_act else 0
        assert len(view["legal_actions"]) == expected
        assert view["to_act"] == deal.to_act


def test_what_is_to_follow_is_shown_only_in_the_play_phase() -> None:
    for course, view, _ in in_a_deal():
        deal = view["deal"]
        plays = deal["round"]["plays"]
        if view["phase"] == "draw" or not plays:
            assert deal["to_follow"] is None
        else:
            edition = course.hosted.game.rules.edition
            shown = deal["to_follow"]
            assert shown["cards"] == plays[-1]["cards"]
            assert shown["rank"] == max(shown["cards"], key=edition.labels.index)
            assert shown["size"] == len(shown["cards"])
            assert shown["length"] == len(set(shown["cards"]))


def test_the_next_deal_is_promised_exactly_while_it_is_awaited() -> None:
    for course in some_courses(2):
        now = course.hosted
        view = views.game_json(now, None)
        assert (view["next_deal"] is not None) == (now.game.phase is Phase.AWAITING_DEAL)
        if now.promise is not None:
            promise = {"number": now.game.deals + 1, "starter": now.game.next_starter()}
            assert view["next_deal"] == {**promise, "commitment": Shuffle(now.promise).commitment}
        assert (view["deal"] is None) == (now.game.deal is None)


def test_a_view_says_what_the_game_is() -> None:
    *_, last = courses(settings_of(Rules(points_to_win=2), FIRST_AGAINST_AI), random.Random(1))
    view = views.game_json(last.hosted, None)
    game = last.hosted.game
    assert (view["id"], view["version"], view["phase"]) == (last.hosted.game_id, len(last.events), "finished")
    assert (view["winner"], view["to_act"], view["next_deal"]) == (game.winner, None, None)
    assert view["last_deal"] == {"number": game.deals, "winner": game.winner}
    assert view["seats"] == [
        {"seat": 0, "kind": "human", "name": "Ann", "score": game.scores[0]},
        {"seat": 1, "kind": "ai", "level": 1, "score": game.scores[1]},
    ]
    assert view["rules"] == {
        "edition": "boxed",
        "crisps_in_runs": False,
        "no_face_up_draw": False,
        "automatic_turn_skip": False,
        "points_to_win": 2,
    }


def test_a_deadline_is_shown_as_a_time_in_utc() -> None:
    shown = {views.game_json(course.hosted, 0)["turn_deadline"] for course in some_courses()}
    assert None in shown
    assert all(text is None or text.endswith("Z") for text in shown)
    assert len(shown) > 10


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (NOW, "2027-01-15T08:00:00.123Z"),
        (1_709_164_800_999, "2024-02-29T00:00:00.999Z"),
        (253_402_300_799_001, "9999-12-31T23:59:59.001Z"),
    ],
)
def test_times_are_rfc_3339_with_milliseconds(milliseconds: int, text: str) -> None:
    assert views.time_text(milliseconds) == text


@pytest.mark.parametrize("edition", Edition)
def test_every_combination_is_shown_with_its_highest_rank_length_and_size(edition: Edition) -> None:
    for combination in CATALOGUE:
        shown = views.combination_json(combination, edition)
        labels = [edition.label(rank) for rank in combination.cards]
        assert shown["cards"] == labels
        assert shown["rank"] == labels[-1]
        assert (shown["size"], shown["length"]) == (len(labels), len(set(labels)))
        assert shown["kind"] == combination.kind


def test_shared_parts_of_views_are_never_changed() -> None:
    generator = random.Random(2)
    *_, course = [one for one in courses(settings_of(Rules()), generator) if one.hosted.game.to_act == 0]
    first = copy.deepcopy(views.game_json(course.hosted, 0))
    for other in some_courses():
        views.game_json(other.hosted, 0)
        views.events_json(other.events, 0, other.hosted.game.rules)
    assert views.game_json(course.hosted, 0) == first


# ------------------------------------------------------------------------------------------------- events
def test_R25_events_tell_each_viewer_its_own_cards_only() -> None:
    told = 0
    for course in some_courses():
        logged = course.events[-1]
        if not isinstance(logged.event, Dealt | Drew):
            continue
        for viewer in VIEWERS:
            shown = views.event_json(logged, viewer, course.hosted.game.rules)
            cards = shown["hands"] if isinstance(logged.event, Dealt) else shown["drawn"]
            taker = None if isinstance(logged.event, Dealt) else logged.event.taker
            assert [one is not None for one in cards] == [seat in {viewer, taker} - {None} for seat in (0, 1)]
            told += 1
    assert told > 100


def test_events_never_carry_the_traces_of_searches() -> None:
    for course in some_courses():
        logged = replace(course.events[-1], search=SearchTrace(12345, 67890, 3))
        for viewer in VIEWERS:
            shown = orjson.dumps(views.event_json(logged, viewer, course.hosted.game.rules))
            assert b"search" not in shown
            assert b"67890" not in shown


# ------------------------------------------------------------------------------------------------ records
def test_a_record_shows_everything_about_an_ended_deal() -> None:
    *_, last = courses(settings_of(Rules(), FIRST_AGAINST_AI), random.Random(3))
    for number, head in last.heads.items():
        events = last.events[head.first - 1 : head.last]
        record = views.record_json(last.hosted, head, events)
        shuffle = Shuffle(bytes.fromhex(record["seed"]), record["client_seed"])
        assert deck_of(" ".join(record["deck"])) == shuffle.deck()
        assert record["commitment"] == shuffle.commitment == record["events"][0]["commitment"]
        assert (record["number"], record["winner"], record["algorithm"]) == (number, head.winner, ALGORITHM)
        hands = record["events"][0]["hands"]
        assert sorted(hands[0] + hands[1]) == sorted(record["deck"][:24])
        assert all("search" in shown for shown in record["events"] if shown["seat"] == 1 and "automatic" not in shown)
        assert not any("search" in shown for shown in record["events"] if shown["seat"] == 0)


def test_the_record_of_a_deal_that_was_given_up_has_no_winner() -> None:
    course = [one for one in courses(settings_of(Rules()), random.Random(4)) if one.hosted.game.deal is not None][5]
    ended = resigned(course, 0)
    head = ended.heads[1]
    record = views.record_json(ended.hosted, head, ended.events[head.first - 1 : head.last])
    assert record["winner"] is None
    assert [shown["version"] for shown in record["events"]] == list(range(2, course.hosted.version + 1))
