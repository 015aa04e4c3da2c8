"""No answer depends on what its reader may not know (R24, R25): two games that differ in nothing else answer alike.

For each position a twin is made (twins.py), both are stored under the same id in two stores, every request that the
viewer could send (asked.py) goes to both, and the answers are compared byte for byte (comparison.py): status, header
fields, body.

    CRISPS_TWINS=2000 pytest -n 2 tests/contract/test_hidden_twin.py     so many positions; the default is a few
    CRISPS_TWIN=17    pytest tests/contract/test_hidden_twin.py          only that one
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from engine import deal, observation
from engine.cards import Seat
from engine.errors import CardsNotInHand
from service import usecases, views
from service.resources import shown
from tests.contract import twins
from tests.contract.comparison import OPTIONS, Pair, Service, WholeService, compare, position, report
from tests.running import embedded_store, running_service

if TYPE_CHECKING:
    from pathlib import Path

    from engine.cards import Hand
    from engine.observation import Observation
    from service.hosted import HostedGame

POSITIONS = int(os.environ.get("CRISPS_TWINS", "24"))
ONLY = os.environ.get("CRISPS_TWIN")


@pytest.fixture(name="urls", scope="module")
def _urls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Two stores, so that a game and its twin can have the same id."""
    with (
        embedded_store(tmp_path_factory.mktemp("one")) as one,
        embedded_store(tmp_path_factory.mktemp("two")) as two,
    ):
        yield one.url, two.url


@pytest.fixture(name="services", scope="module")
def _services(urls: tuple[str, str]) -> Iterator[Pair]:
    with closing(Service(urls[0])) as one, closing(Service(urls[1])) as two:
        yield one, two


@pytest.mark.slow
@pytest.mark.timeout(120 + 4 * POSITIONS)
@pytest.mark.parametrize("options", range(OPTIONS))
def test_R24_R25_answers_about_twins_are_the_same_bytes(services: Pair, options: int) -> None:
    numbers = list(range(options, POSITIONS, OPTIONS)) if ONLY is None else [int(ONLY)]
    sent, found = compare(services, numbers)
    assert not found, report(found)
    assert sent > 100 * len(numbers)


@pytest.mark.slow
def test_R24_R25_whole_servers_add_nothing_that_tells(urls: tuple[str, str], tmp_path: Path) -> None:
    with (
        running_service(tmp_path / "one", {"REDIS_URL": urls[0], "WORKERS": "1"}) as first,
        running_service(tmp_path / "two", {"REDIS_URL": urls[1], "WORKERS": "1"}) as second,
        closing(WholeService(urls[0], first.url)) as one,
        closing(WholeService(urls[1], second.url)) as two,
    ):
        _, found = compare((one, two), list(range(OPTIONS)), acting=False)
    assert not found, report(found)


def test_twins_differ_wherever_a_viewer_cannot_look() -> None:
    hands = piles = aside = commitments = 0
    in_a_deal = [at for at in map(position, range(64)) if at.course.hosted.game.deal is not None]
    for at in in_a_deal:
        twin = twins.twin_of(at.course, at.viewer, random.Random(at.number))
        one, other = at.course.hosted.game.deal, twin.hosted.game.deal
        assert one is not None
        assert other is not None
        assert at.viewer is None or one.hands[at.viewer] == other.hands[at.viewer]
        hands += one.hands[1 - (at.viewer or 0)] != other.hands[1 - (at.viewer or 0)]
        piles += len(one.draw_pile) > 1 and one.draw_pile != other.draw_pile
        aside += sorted(one.set_aside) != sorted(other.set_aside)
        commitments += twins.commitments_of(at.course) != twins.commitments_of(twin)
    assert commitments == len(in_a_deal)
    assert aside > 0.8 * len(in_a_deal)
    assert hands > 0.7 * len(in_a_deal)
    assert piles > 0.3 * len(in_a_deal)


# ------------------------------------------------------------------------- the comparison would find a leak


def _events_as_they_are(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(views, "redact", lambda event, _viewer: event)


def _the_next_card_in_the_view(patch: pytest.MonkeyPatch) -> None:
    def shown_too_much(view: Any, hosted: HostedGame) -> dict[str, Any]:
        assert hosted.game.deal is not None
        return {**told(view, hosted), "next": hosted.game.deal.draw_pile[:1]}

    told = views._deal_json
    patch.setattr(views, "_deal_json", shown_too_much)


def _a_tag_made_of_the_whole_game(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(shown, "tag_of", lambda hosted, _viewer: f'"{hash(hosted)}"')


def _advice_that_looks(patch: pytest.MonkeyPatch) -> None:
    def seeing(running: deal.Deal, seat: Seat) -> Observation:
        seen = observation.observe(running, seat)
        return replace(seen, now=replace(seen.now, known=running.hands))

    patch.setattr(usecases, "observe", seeing)


def _a_refusal_that_tells_who_has_the_cards(patch: pytest.MonkeyPatch) -> None:
    def check(self: deal.Deal, seat: Seat, cards: Hand) -> None:
        if not self.hands[seat].contains(cards):
            raise CardsNotInHand("the other seat has them" if self.hands[1 - seat].contains(cards) else "not there")

    patch.setattr(deal.Deal, "_check_held", check)


def _an_answer_that_is_longer_the_better_the_other_hand(patch: pytest.MonkeyPatch) -> None:
    def padded(hosted: HostedGame, viewer: Seat | None) -> str:
        running = hosted.game.deal
        strength = 0 if running is None else max(running.hands[1 - (viewer or 0)], default=0)
        return f'"{hosted.version}.{viewer}{" " * strength}"'

    patch.setattr(shown, "tag_of", padded)


LEAKS = (
    _events_as_they_are,
    _the_next_card_in_the_view,
    _a_tag_made_of_the_whole_game,
    _advice_that_looks,
    _a_refusal_that_tells_who_has_the_cards,
    _an_answer_that_is_longer_the_better_the_other_hand,
)


@pytest.mark.slow
@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__.strip("_"))
def test_a_leak_shows(
    services: Pair, monkeypatch: pytest.MonkeyPatch, leak: Callable[[pytest.MonkeyPatch], None]
) -> None:
    leak(monkeypatch)
    number = 0
    while not compare(services, [number])[1]:
        number += 1
        assert number < 12
