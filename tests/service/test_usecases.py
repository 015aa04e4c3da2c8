"""The use cases on a real store: games, their tokens, how long they live, what is told of them."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from engine.actions import DRAW_FACE_UP, PASS
from engine.errors import CardsNotInHand, DoesNotFollow, NotYourTurn, WrongPhase
from engine.events import Dealt, Played
from engine.notation import play_of
from engine.rules import Rules
from service import auth, usecases
from service.errors import DealInProgress, InvalidToken, UnknownDeal, UnknownGame
from service.opening import Opened, Outcome, Ports, open_game
from service.usecases import Creation
from tests.played import FIRST_AGAINST_AI, HUMANS, MACHINES, SECOND_AGAINST_AI, settings_of
from tests.service.held import ACTIVE, FINISHED, InterruptedStore, at_play, auto, held, ports, reopened, some_action
from tests.stored import contents, raw

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.cards import Seat
    from service.embedded import EmbeddedStore
    from service.hosted import LoggedEvent, SeatPair, Settings

__all__ = ["held", "ports"]  # fixtures


# ----------------------------------------------------------------------------------- creating and opening
@pytest.mark.parametrize(
    ("seats", "told"), [(HUMANS, [0, 1]), (FIRST_AGAINST_AI, [0]), (SECOND_AGAINST_AI, [1]), (MACHINES, [None])]
)
def test_each_person_gets_a_token_and_two_computers_get_one_without_a_seat(
    ports: Ports, seats: SeatPair, told: list[Seat | None]
) -> None:
    creation = usecases.create_game(ports, settings_of(Rules(), seats))
    assert [one.seat for one in creation.tokens] == told
    for one in creation.tokens:
        assert open_game(ports, creation.hosted.game_id, one.token) == Opened(creation.hosted, one.seat)
    assert open_game(ports, creation.hosted.game_id, None).viewer is None


def test_tokens_and_their_like_are_nowhere_in_the_store(ports: Ports, valkey: EmbeddedStore) -> None:
    creation, opened = at_play(ports, auto(FIRST_AGAINST_AI))
    usecases.resign(ports, opened)
    client = raw(valkey)
    keys = list(client.scan_iter(f"*{creation.hosted.game_id}*"))
    assert len(keys) == 3
    everything = b"".join(client.dump(key) for key in keys)
    everything += repr([client.hgetall(key) for key in keys if client.type(key) == b"hash"]).encode()
    for one in creation.tokens:
        assert one.token.encode() not in everything
        assert one.token[:16].encode() not in everything
    assert auth.access_of(creation.tokens) in client.hget(f"crisps:{{{creation.hosted.game_id}}}", "access")


@pytest.mark.parametrize(
    "game_id", ["", "0" * 32, "0" * 31, "A" * 32, "x", "{" * 32, "../" * 9, "\u0660" * 32, "0" * 32 + "\n"]
)
def test_what_is_no_games_id_is_unknown(ports: Ports, game_id: str) -> None:
    with pytest.raises(UnknownGame):
        open_game(ports, game_id, None)


def test_another_games_token_is_invalid(ports: Ports) -> None:
    one, other = (usecases.create_game(ports, settings_of(Rules())) for _ in range(2))
    with pytest.raises(InvalidToken):
        open_game(ports, one.hosted.game_id, other.tokens[0].token)
    with pytest.raises(UnknownGame):  # a game that is not there has no tokens either
        open_game(ports, "0" * 32, one.tokens[0].token)


# -------------------------------------------------------------------------------------------- time to live
def lifetimes(valkey: EmbeddedStore, game_id: str) -> list[int]:
    client = raw(valkey)
    return [client.ttl(key) for key in client.scan_iter(f"*{game_id}*")]


def test_a_game_lives_on_with_every_action_and_shorter_once_it_is_over(ports: Ports, valkey: EmbeddedStore) -> None:
    creation, opened = at_play(ports, auto(HUMANS))
    game_id = creation.hosted.game_id
    for key in raw(valkey).scan_iter(f"*{game_id}*"):
        raw(valkey).expire(key, 100)
    outcome = usecases.take_action(ports, opened, some_action(opened))
    assert all(ACTIVE - 60 < seconds <= ACTIVE for seconds in lifetimes(valkey, game_id))
    usecases.resign(ports, replace(opened, hosted=outcome.hosted))
    assert len(lifetimes(valkey, game_id)) == 3
    assert all(FINISHED - 60 < seconds <= FINISHED for seconds in lifetimes(valkey, game_id))


# ----------------------------------------------------------------------------------- refusals change nothing
def test_what_the_rules_refuse_changes_nothing(ports: Ports, held: InterruptedStore) -> None:
    creation, opened = at_play(ports, auto(HUMANS))
    waiting = reopened(ports, creation, 1)
    before = contents(held, creation.hosted.game_id)
    attempts: list[tuple[type[Exception], Callable[[], object]]] = [
        (CardsNotInHand, lambda: usecases.play(ports, opened, [0])),
        (CardsNotInHand, lambda: usecases.play(ports, opened, [0] * 5)),
        (NotYourTurn, lambda: usecases.play(ports, waiting, [0])),
        (NotYourTurn, lambda: usecases.take_action(ports, waiting, PASS)),
        (NotYourTurn, lambda: usecases.take_action(ports, replace(opened, viewer=None), PASS)),
        (NotYourTurn, lambda: usecases.resign(ports, replace(opened, viewer=None))),
        (WrongPhase, lambda: usecases.take_action(ports, opened, DRAW_FACE_UP)),
        (WrongPhase, lambda: usecases.deal(ports, opened, "")),
        (NotYourTurn, lambda: usecases.ai_move(ports, opened)),
    ]
    for error, attempt in attempts:
        with pytest.raises(error):
            attempt()
    assert contents(held, creation.hosted.game_id) == before


def test_cards_make_the_same_play_in_any_order(ports: Ports) -> None:
    _, opened = at_play(ports, auto(HUMANS))
    hand = opened.hosted.game.deal and list(opened.hosted.game.deal.hands[0])  # 2-2-2-3-5-5-5-5-8-8-9-9 (API.md)
    assert hand == [1, 1, 1, 2, 4, 4, 4, 4, 7, 7, 8, 8]
    outcome = usecases.play(ports, opened, [8, 7, 8, 7])
    assert outcome.events[0].event == Played(0, play_of("8-8-9-9"))
    with pytest.raises(DoesNotFollow):
        usecases.play(ports, replace(opened, hosted=outcome.hosted, viewer=1), [0])


# ------------------------------------------------------------------------------------- history and records
def whole_game(ports: Ports, settings: Settings) -> tuple[Creation, list[Outcome]]:
    generator = random.Random(1)
    creation = usecases.create_game(ports, settings)
    outcomes: list[Outcome] = []
    while True:
        now = outcomes[-1].hosted if outcomes else creation.hosted
        if now.game.winner is not None:
            return creation, outcomes
        opened = Opened(now, now.game.to_act)
        if now.game.deal is None:
            outcomes.append(usecases.deal(ports, replace(opened, viewer=0), "x"))
        else:
            outcomes.append(usecases.take_action(ports, opened, generator.choice(list(now.game.deal.legal_actions()))))


def test_the_history_is_what_the_answers_told(ports: Ports) -> None:
    creation, outcomes = whole_game(ports, auto(FIRST_AGAINST_AI, points=2))
    told = [logged for outcome in outcomes for logged in outcome.events]
    opened = reopened(ports, creation, 0)
    assert list(usecases.history(ports, opened, 1, 1000).events) == told
    pages: list[LoggedEvent] = []
    after = 0
    while True:
        page = usecases.history(ports, opened, after, 7)
        assert len(page.events) <= 7
        pages += page.events
        if page.next_after is None:
            break
        assert page.next_after == page.events[-1].version
        after = page.next_after
    assert pages[1:] == told
    assert usecases.history(ports, opened, len(pages), 5) == usecases.Page((), None)
    assert usecases.history(ports, opened, 2**70, 5) == usecases.Page((), None)
    assert usecases.history(ports, opened, 0, len(pages)).next_after is None


def test_a_deals_record_opens_when_the_deal_ends(ports: Ports) -> None:
    creation, outcomes = whole_game(ports, auto(HUMANS, points=2))
    opened = reopened(ports, creation, None)
    for number in range(1, opened.hosted.game.deals + 1):
        record = usecases.deal_record(ports, opened, number)
        assert record.head.number == number
        assert [logged.version for logged in record.events] == list(range(record.head.first, record.head.last + 1))
        assert isinstance(record.events[0].event, Dealt)
    for number in (0, -1, opened.hosted.game.deals + 1, 10**9):
        with pytest.raises(UnknownDeal):
            usecases.deal_record(ports, opened, number)
    running = next(outcome.hosted for outcome in outcomes if outcome.hosted.game.deal is not None)
    with pytest.raises(DealInProgress):
        usecases.deal_record(ports, Opened(running, None), 1)
