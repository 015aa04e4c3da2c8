"""The actions and their fixed numbers."""

from __future__ import annotations

from engine.actions import (
    ACTIONS,
    DRAW_FACE_UP,
    DRAW_PILE,
    DRAWS,
    FIRST_PLAY,
    NO_ACTIONS,
    PASS,
    PLAYS,
    Draw,
    Pass,
    Play,
    Source,
    following_actions,
    index_of,
    leading_actions,
)
from engine.cards import FULL_DECK
from engine.combinations import BASE_COMBINATIONS, CATALOGUE, Combination, Kind
from engine.notation import hand_of, play_of


def test_there_are_107_actions_in_the_base_game_and_124_in_all() -> None:
    assert len(ACTIONS) == 124
    assert FIRST_PLAY + BASE_COMBINATIONS == 107
    assert not any(isinstance(a, Play) and a.combination.needs_crisps_in_runs for a in ACTIONS[:107])
    assert all(isinstance(a, Play) and a.combination.needs_crisps_in_runs for a in ACTIONS[107:])


def test_pass_and_the_draws_come_first_then_the_catalogue() -> None:
    assert ACTIONS[:3] == (PASS, DRAW_FACE_UP, DRAW_PILE) == (Pass(), Draw(Source.FACE_UP), Draw(Source.DRAW_PILE))
    assert tuple(a.combination for a in ACTIONS[3:] if isinstance(a, Play)) == CATALOGUE


def test_every_action_finds_its_number_also_when_it_was_made_anew() -> None:
    assert [index_of(action) for action in ACTIONS] == list(range(124))
    assert index_of(Play(Combination(Kind.SINGLE, 0))) == FIRST_PLAY
    assert index_of(Draw(Source("draw_pile"))) == 2


def test_legal_actions_are_iterable_sized_and_answer_in() -> None:
    legal = following_actions(hand_of("4-5-5-6"), play_of("5"), crisps_in_runs=False)
    assert list(legal) == [PLAYS[play_of("5").index], PLAYS[play_of("6").index], PASS]
    assert len(legal) == 3
    assert Play(Combination(Kind.SINGLE, 4)) in legal
    assert PASS in legal
    assert PLAYS[play_of("4").index] not in legal
    assert "pass" not in legal
    assert repr(DRAWS) == f"LegalActions{(DRAW_FACE_UP, DRAW_PILE)}"
    assert (len(NO_ACTIONS), list(DRAWS)) == (0, [DRAW_FACE_UP, DRAW_PILE])


def test_R11_with_all_cards_everything_may_be_led_in_the_order_of_the_catalogue() -> None:
    assert list(leading_actions(FULL_DECK, crisps_in_runs=False)) == list(ACTIONS[3:107])
    assert list(leading_actions(FULL_DECK, crisps_in_runs=True)) == list(ACTIONS[3:])
