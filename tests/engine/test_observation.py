"""What a seat, or somebody without one, may know (R24, R25)."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator

import pytest

from engine.cards import Hand
from engine.deal import MAX_DRAWS, Deal, Phase
from engine.events import Dealt, Drew, Event
from engine.game import Game
from engine.notation import cards_text, ranks_of
from engine.observation import DealView, observe, redact, view_deal, view_game
from engine.rules import Rules
from tests.engine.dealing import ALL_RULES, act, deck_with, name_of, some_deal
from tests.engine.twins import twins

PILE = "9 3 5 6 2 2 8 4 7 1 6 C"
DECK = deck_with("1 1 1 2 2 3 3 4 4 5 7 7", "4 5 5 6 6 7 8 8 9 9 C C", draw=PILE)
VIEWERS = (0, 1, None)


@pytest.fixture
def deal() -> Deal:
    return Deal.start(Rules(), DECK, 0)


def known(deal: Deal) -> tuple[str, str]:
    return cards_text(deal.known[0]), cards_text(deal.known[1])


def test_R24_hand_sizes_played_cards_face_up_card_and_pile_size_are_public(deal: Deal) -> None:
    after, _ = act(deal, "1", "4", "pass", "draw_pile")
    for viewer in VIEWERS:
        view = view_deal(after, viewer)
        assert (view.hand_sizes, view.played, view.face_up, view.draw_pile) == (
            (12, 12),
            Hand.of(ranks_of("1 4")),
            ranks_of("5")[0],
            9,
        )
        assert (view.starter, view.number, view.round, view.to_act, view.phase) == (0, 1, after.round, 1, Phase.PLAY)


@pytest.mark.parametrize(("source", "taken"), [("face_up", ("9", "")), ("draw_pile", ("", "9"))])
def test_R24_everybody_knows_who_took_the_face_up_card(deal: Deal, source: str, taken: tuple[str, str]) -> None:
    after, events = act(deal, "1", "pass", source)
    assert known(after) == taken
    for viewer in VIEWERS:
        assert view_deal(after, viewer).known == after.known
        drew = redact(events[-1], viewer)
        assert isinstance(drew, Drew)
        assert drew.taker is not None
        assert drew.drawn[drew.taker] == ranks_of("9")[0]


def test_R24_a_known_card_stays_known_until_a_card_of_its_rank_is_played(deal: Deal) -> None:
    after, _ = act(deal, "1", "pass", "draw_pile", "2", "pass", "face_up")
    assert known(after) == ("5", "9")
    after, _ = act(after, "5", "9")
    assert known(after) == ("", "")
    assert after.hands[1].count(ranks_of("9")[0]) == 2, "which nine was played nobody can tell"


def test_R24_known_counts_fall_by_every_card_played_and_never_below_zero() -> None:
    deck = deck_with("1 1 1 1 2 2 2 3 3 4 4 5", "5 6 6 6 7 7 8 8 9 9 C C", draw="5 9 5 8")
    after, _ = act(Deal.start(Rules(), deck, 0), "1", "pass", "draw_pile", "1", "pass", "draw_pile")
    assert known(after) == ("", "5-5")
    assert cards_text(after.hands[1]).startswith("5-5-5-6")
    triple, _ = act(after, "4", "C", "pass", "draw_pile", "5-5-5")
    assert known(triple)[1] == ""
    one, _ = act(after, "4", "5")
    assert known(one) == ("", "5")


def test_R25_a_viewer_sees_its_own_hand_and_no_other(deal: Deal) -> None:
    assert view_deal(deal, 0).hand == deal.hands[0]
    assert view_deal(deal, 1).hand == deal.hands[1]
    assert view_deal(deal, None).hand is None


def test_R25_only_the_seat_itself_knows_which_card_it_drew_from_the_pile(deal: Deal) -> None:
    face_up, top = ranks_of("9 3")
    expected: dict[str, dict[int | None, tuple[int | None, int | None]]] = {
        "face_up": {0: (face_up, None), 1: (face_up, top), None: (face_up, None)},
        "draw_pile": {0: (top, face_up), 1: (None, face_up), None: (None, face_up)},
    }
    for source, seen in expected.items():
        _, events = act(deal, "1", "pass", source)
        for viewer in VIEWERS:
            drew = redact(events[-1], viewer)
            assert isinstance(drew, Drew)
            assert drew.drawn == seen[viewer]


def test_R25_the_dealt_event_shows_only_the_viewers_hand(deal: Deal) -> None:
    for viewer in VIEWERS:
        dealt = redact(deal.dealt(), viewer)
        assert isinstance(dealt, Dealt)
        assert dealt.hands == tuple(deal.hands[seat] if viewer == seat else None for seat in (0, 1))
        assert dealt.face_up == deal.face_up


def test_R25_R26_under_no_face_up_draw_nobody_sees_what_the_other_drew() -> None:
    _, events = act(Deal.start(Rules(no_face_up_draw=True), DECK, 0), "1", "pass")
    first, second = ranks_of("9 3")
    seen = [redact(events[-1], viewer) for viewer in VIEWERS]
    assert [event.drawn for event in seen if isinstance(event, Drew)] == [(first, None), (None, second), (None, None)]


def test_R25_a_view_has_no_place_for_hidden_cards() -> None:
    assert {field.name for field in dataclasses.fields(DealView)} == {
        "rules", "viewer", "number", "starter", "phase", "to_act", "hand", "hand_sizes", "known", "face_up",
        "draw_pile", "played", "round",
    }  # fmt: skip


@pytest.mark.parametrize("rules", ALL_RULES, ids=name_of)
def test_R19_everybody_sees_how_many_draws_are_left(rules: Rules) -> None:
    seen = {(MAX_DRAWS - deal.draws, view_deal(deal, None).draws_left) for deal, _ in some_deal(5, rules)}
    assert len(seen) > 2
    assert all(left == told for left, told in seen)


def test_legal_actions_are_shown_to_the_seat_to_act_alone() -> None:
    for seed in range(24):
        for deal, _ in some_deal(seed):
            for viewer in VIEWERS:
                shown = list(view_deal(deal, viewer).legal_actions())
                acts = viewer is not None and viewer == deal.to_act
                assert shown == (list(deal.legal_actions()) if acts else [])


def test_to_follow_is_nothing_when_leading_or_drawing(deal: Deal) -> None:
    led, _ = act(deal, "1")
    passed, _ = act(led, "pass")
    assert [view_deal(d, 0).to_follow for d in (deal, passed)] == [None, None]
    assert view_deal(led, 0).to_follow == led.round.to_follow is not None


def test_an_observation_tells_both_sides_from_its_seat(deal: Deal) -> None:
    after, _ = act(deal, "1", "pass", "face_up", "2", "5")
    for seat in (0, 1):
        seen = observe(after, seat)
        assert (seen.seat, seen.hand, seen.now) == (seat, after.hands[seat], view_deal(after, seat))
        assert seen.opponent_hand_size == after.hands[1 - seat].size
        assert (seen.own_known, seen.opponent_known) == (after.known[seat], after.known[1 - seat])
        assert seen.events == tuple(redact(event, seat) for event in after.events())
        assert list(seen.legal_actions()) == (list(after.legal_actions()) if after.to_act == seat else [])


def test_what_a_seat_cannot_place_is_the_rest_of_the_other_hand_the_pile_and_the_set_aside() -> None:
    for seed in range(32):
        for deal, _ in some_deal(seed):
            for seat in (0, 1):
                hidden = deal.hands[1 - seat] - deal.known[1 - seat]
                assert observe(deal, seat).unseen() == hidden + Hand.of([*deal.draw_pile, *deal.set_aside])


def test_a_game_s_view_shows_scores_and_the_deal_as_the_viewer_may_see_it() -> None:
    game = Game(Rules(), 1)
    for viewer in VIEWERS:
        view = view_game(game, viewer)
        assert (view.deal, view.phase, view.scores, view.to_act) == (None, Phase.AWAITING_DEAL, (0, 0), None)
        dealt, _ = game.start_deal(DECK)
        assert dealt.deal is not None
        view = view_game(dealt, viewer)
        assert view.deal == view_deal(dealt.deal, viewer)
        assert (view.to_act, view.phase, view.viewer, view.rules) == (1, Phase.PLAY, viewer, game.rules)


def pairs() -> Iterator[tuple[Deal, Deal, int | None]]:
    for seed in range(0, 96, 5):
        rng = random.Random(seed)
        for number, (deal, _) in enumerate(some_deal(seed)):
            if number % 3 == 0:
                for viewer in VIEWERS:
                    yield deal, twins(deal, viewer, rng), viewer


def test_R25_views_and_events_of_hidden_twins_are_the_same() -> None:
    differing = 0
    for deal, twin, viewer in pairs():
        assert view_deal(twin, viewer) == view_deal(deal, viewer)
        seen: list[tuple[Event, ...]] = [tuple(redact(e, viewer) for e in d.events()) for d in (deal, twin)]
        assert seen[0] == seen[1]
        differing += twin.deck != deal.deck
    assert differing > 300
