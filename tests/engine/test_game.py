"""A game of several deals (R2, R20-R23)."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from engine.actions import DRAW_PILE, PASS, PLAYS
from engine.deal import Phase
from engine.errors import CardsNotInHand, GameFinished, NotYourTurn, WrongPhase
from engine.events import DealEnded, Dealt, GameEnded, Reason
from engine.game import EndedDeal, Game
from engine.notation import action_of, ranks_of
from engine.rules import Rules
from tests.engine.dealing import choose, deck_with, shuffled

STAIR = "1-1-2-2-3-3-4-4-5-5-6-6"
OTHERS = "1 1 2 2 3 3 7 7 8 8 9 9"


def after_deal(game: Game, winner: int) -> Game:
    """The game after one more deal, in which the seat that starts it or the other plays twelve cards at once."""
    starter = game.next_starter()
    game, _ = game.start_deal(deck_with(STAIR, OTHERS) if winner == 0 else deck_with(OTHERS, STAIR))
    if starter == winner:
        return game.apply(winner, action_of(STAIR))[0]
    for seat, text in ((starter, "1-1"), (winner, "1-1"), (starter, "pass"), (winner, "draw_pile")):
        game, _ = game.apply(seat, action_of(text))
    while game.deal is not None:  # from now on one seat leads what it can and the other passes
        assert game.to_act is not None
        legal = list(game.deal.legal_actions())
        leads = game.to_act == winner and game.deal.phase is Phase.PLAY
        game, _ = game.apply(game.to_act, legal[0] if leads else legal[-1])
    return game


def after_deals(game: Game, *winners: int) -> Game:
    for winner in winners:
        game = after_deal(game, winner)
        assert game.last_deal is not None
        assert game.last_deal.winner == winner
    return game


def test_a_new_game_waits_for_its_first_deal() -> None:
    game = Game(Rules(), first_leader=1)
    assert (game.phase, game.to_act, game.scores, game.deals) == (Phase.AWAITING_DEAL, None, (0, 0), 0)
    assert (game.deal, game.last_deal, game.winner, game.starter) == (None, None, None, None)


@pytest.mark.parametrize("leader", [0, 1])
def test_R22_the_first_leader_leads_the_first_deal(leader: int) -> None:
    game, events = Game(Rules(), leader).start_deal(deck_with(STAIR))
    assert (game.to_act, game.starter, game.deals, game.phase) == (leader, leader, 1, Phase.PLAY)
    assert isinstance(events[0], Dealt)
    assert (events[0].number, events[0].starter) == (1, leader)


def test_R20_the_winner_of_a_deal_scores_one_point() -> None:
    game, _ = Game(Rules(), 0).start_deal(deck_with(STAIR))
    game, events = game.apply(0, action_of(STAIR))
    assert events[-1] == DealEnded(1, 0)
    assert (game.scores, game.last_deal, game.deal) == ((1, 0), EndedDeal(1, 0), None)
    assert (game.phase, game.to_act) == (Phase.AWAITING_DEAL, None)


@pytest.mark.parametrize(
    ("winners", "starters"),
    [
        ((0, 0), (0, 1, 1)),
        ((1, 0), (0, 0, 1)),
        ((1, 0, 1), (0, 0, 1, 0)),
        ((0, 1, 0, 1), (0, 1, 0, 1, 0)),
        ((0, 1, 1, 0), (0, 1, 0, 0, 1)),
    ],
)
def test_R23_fewer_points_lead_the_next_deal_and_at_equal_points_who_did_not_start_the_last(
    winners: tuple[int, ...], starters: tuple[int, ...]
) -> None:
    for mirrored in (False, True):
        game = Game(Rules(), first_leader=int(mirrored))
        led = [game.next_starter()]
        for winner in winners:
            game = after_deal(game, winner ^ mirrored)
            led.append(game.next_starter())
        assert tuple(starter ^ mirrored for starter in led) == starters


@pytest.mark.parametrize(("points", "winners"), [(1, (1,)), (3, (0, 1, 1, 0, 0)), (3, (1, 1, 1)), (2, (0, 1, 0))])
def test_R21_the_first_seat_with_the_points_to_win_wins_the_game(points: int, winners: tuple[int, ...]) -> None:
    game = Game(Rules(points_to_win=points), 0)
    before = after_deals(game, *winners[:-1])
    assert before.winner is None
    game = after_deal(before, winners[-1])
    assert (game.winner, game.phase, game.deal) == (winners[-1], Phase.FINISHED, None)
    assert max(game.scores) == points
    assert len(winners) <= 2 * points - 1


def test_R21_the_end_of_the_game_is_told_after_the_end_of_the_deal() -> None:
    game, _ = Game(Rules(points_to_win=1), 0).start_deal(deck_with(STAIR))
    _, events = game.apply(0, action_of(STAIR))
    assert events[-2:] == (DealEnded(1, 0), GameEnded(0, Reason.POINTS))


def test_R21_a_finished_game_refuses_everything() -> None:
    game = after_deal(Game(Rules(points_to_win=1), 0), 0)
    refused: list[Callable[[], object]] = [
        lambda: game.start_deal(deck_with(STAIR)),
        lambda: game.apply(0, PASS),
        lambda: game.play_of(0, (1,)),
        lambda: game.concede(0, Reason.TIME),
        game.check_running,
        game.check_deal_is_running,
        game.check_deal_is_due,
        lambda: game.check_phase(PASS),
    ]
    for call in refused:
        with pytest.raises(GameFinished) as refusal:
            call()
        assert refusal.value.clause == "R21"


def test_between_deals_every_action_is_in_the_wrong_phase() -> None:
    game = Game(Rules(), 0)
    game.check_running()
    game.check_deal_is_due()
    for action in (PASS, DRAW_PILE, PLAYS[0]):
        with pytest.raises(WrongPhase):
            game.apply(0, action)
        with pytest.raises(WrongPhase):
            game.check_phase(action)
    with pytest.raises(WrongPhase):
        game.play_of(0, (0,))


def test_a_deal_in_mid_deal_is_the_wrong_phase() -> None:
    game, _ = Game(Rules(), 0).start_deal(deck_with(STAIR))
    game.check_deal_is_running()
    with pytest.raises(WrongPhase):
        game.start_deal(deck_with(STAIR))
    with pytest.raises(WrongPhase):
        game.check_deal_is_due()


def test_the_deal_s_refusals_pass_through_and_leave_the_game_as_it_was() -> None:
    game, _ = Game(Rules(), 0).start_deal(deck_with(STAIR))
    again, _ = Game(Rules(), 0).start_deal(deck_with(STAIR))
    with pytest.raises(NotYourTurn):
        game.apply(1, PASS)
    with pytest.raises(CardsNotInHand):
        game.apply(0, action_of("9"))
    with pytest.raises(CardsNotInHand):
        game.play_of(0, ranks_of("9"))
    assert game.play_of(0, ranks_of("2 1 3")) == action_of("1-2-3")
    assert game == again


@pytest.mark.parametrize("reason", [Reason.RESIGNATION, Reason.TIME])
@pytest.mark.parametrize("seat", [0, 1])
def test_who_concedes_loses_the_game_and_scores_stay(reason: Reason, seat: int) -> None:
    waiting = after_deals(Game(Rules(), 0), 0)
    playing, _ = waiting.start_deal(deck_with(STAIR))
    for game in (waiting, playing):
        ended, events = game.concede(seat, reason)
        assert events == (GameEnded(1 - seat, reason),)
        assert (ended.winner, ended.deal, ended.phase) == (1 - seat, None, Phase.FINISHED)
        assert (ended.scores, ended.last_deal) == ((1, 0), EndedDeal(1, 0))


def test_R2_R21_random_games_end_within_twice_the_points_less_one_deals() -> None:
    for seed in range(12):
        rng = random.Random(seed)
        points = seed % 4 + 1
        game = Game(Rules(points_to_win=points), seed % 2)
        while game.winner is None:
            starter = game.next_starter()
            game, _ = game.start_deal(shuffled(rng))
            assert game.to_act == starter
            while game.deal is not None:
                assert game.to_act == game.deal.to_act is not None
                assert game.phase is game.deal.phase
                game, _ = game.apply(game.deal.to_act, choose(game.deal, rng, 1))
        assert game.deals <= 2 * points - 1
        assert sum(game.scores) == game.deals
        assert game.scores[game.winner] == points > game.scores[1 - game.winner]
