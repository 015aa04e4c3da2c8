"""Search slots: so many searches at once, due moves before advice, and nobody waits for ever."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from service.errors import ClientGone, SearchBusy
from service.slots import SearchSlots, Urgency
from tests.running import eventually

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = 30.0


class Searches:
    """Threads that each hold a slot until they are let go; `began` lists them in the order they got it."""

    def __init__(self, slots: SearchSlots) -> None:
        self._slots = slots
        self._go: dict[str, threading.Event] = {}
        self._threads: list[threading.Thread] = []
        self.began: list[str] = []
        self.refused: list[str] = []
        self.running = self.most = 0

    def start(self, name: str, urgency: Urgency = Urgency.MOVE) -> None:
        """Begin one, and return when it waits, runs or was refused."""
        self._go[name] = threading.Event()
        before = waiting(self._slots) + len(self.began) + len(self.refused)
        thread = threading.Thread(target=self._search, args=(name, urgency), daemon=True)
        self._threads.append(thread)
        thread.start()
        assert eventually(lambda: waiting(self._slots) + len(self.began) + len(self.refused) > before)

    def _search(self, name: str, urgency: Urgency) -> None:
        try:
            with self._slots.taken(urgency):
                self.began.append(name)
                self.running += 1
                self.most = max(self.most, self.running)
                self._go[name].wait(LONG)
                self.running -= 1
        except SearchBusy:
            self.refused.append(name)

    def let_go(self, name: str) -> None:
        """End one, and return when its successor, if any waits, has begun."""
        expected = len(self.began) + (1 if waiting(self._slots) else 0)
        self._go[name].set()
        assert eventually(lambda: len(self.began) >= expected)

    def end(self) -> None:
        """End all."""
        for go in self._go.values():
            go.set()
        for thread in self._threads:
            thread.join(LONG)
            assert not thread.is_alive()


def waiting(slots: SearchSlots) -> int:
    with slots._turn:
        return sum(len(line) for line in slots._waiting.values())


@pytest.fixture(name="searches_of")
def _searches_of() -> Iterator[type[Searches]]:
    made: list[Searches] = []

    class Ended(Searches):
        def __init__(self, slots: SearchSlots) -> None:
            super().__init__(slots)
            made.append(self)

    yield Ended
    for one in made:
        one.end()


@pytest.mark.parametrize("count", [1, 2, 5])
def test_no_more_than_so_many_run_at_once(searches_of: type[Searches], count: int) -> None:
    searches = searches_of(SearchSlots(count, queue=20, wait_seconds=LONG))
    names = [f"search {number}" for number in range(10)]
    for name in names:
        searches.start(name)
    assert searches.began == names[:count]
    for name in names:
        searches.let_go(name)
    searches.end()
    assert searches.began == names  # first come, first served
    assert searches.most == count


def test_a_due_move_goes_before_all_advice(searches_of: type[Searches]) -> None:
    searches = searches_of(SearchSlots(1, queue=20, wait_seconds=LONG))
    searches.start("running")
    for name, urgency in (("a1", Urgency.ADVICE), ("m1", Urgency.MOVE), ("a2", Urgency.ADVICE), ("m2", Urgency.MOVE)):
        searches.start(name, urgency)
    for name in ("running", "m1", "m2", "a1", "a2"):
        searches.let_go(name)
    searches.end()
    assert searches.began == ["running", "m1", "m2", "a1", "a2"]


def test_only_so_many_of_one_urgency_may_wait(searches_of: type[Searches]) -> None:
    slots = SearchSlots(1, queue=2, wait_seconds=LONG)
    searches = searches_of(slots)
    searches.start("running")
    for number in range(3):
        searches.start(f"advice {number}", Urgency.ADVICE)
    assert searches.refused == ["advice 2"]
    searches.start("move", Urgency.MOVE)  # the other line is still short
    assert searches.refused == ["advice 2"]
    assert waiting(slots) == 3


def test_nobody_waits_longer_than_allowed(searches_of: type[Searches]) -> None:
    slots = SearchSlots(1, queue=5, wait_seconds=0.05)
    searches = searches_of(slots)
    searches.start("running")
    begin = time.monotonic()
    with pytest.raises(SearchBusy), slots.taken(Urgency.MOVE):
        pytest.fail("the only slot is taken")
    assert time.monotonic() - begin >= 0.05
    assert waiting(slots) == 0
    searches.let_go("running")
    searches.end()
    with slots.taken(Urgency.ADVICE):
        assert waiting(slots) == 0


def test_one_who_gave_up_waiting_holds_nobody_up(searches_of: type[Searches]) -> None:
    slots = SearchSlots(1, queue=5, wait_seconds=LONG)
    searches = searches_of(slots)
    searches.start("running")
    slots.wait_seconds = 0.05
    with pytest.raises(SearchBusy), slots.taken(Urgency.MOVE):
        pytest.fail("the only slot is taken")
    slots.wait_seconds = LONG
    searches.start("next", Urgency.ADVICE)
    searches.let_go("running")
    assert searches.began == ["running", "next"]


def test_a_search_that_fails_gives_its_slot_back() -> None:
    slots = SearchSlots(1, queue=1, wait_seconds=0.05)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), slots.taken(Urgency.MOVE):
            raise ZeroDivisionError
    with slots.taken(Urgency.ADVICE):
        assert waiting(slots) == 0


def test_a_free_slot_is_had_at_once_even_by_those_who_may_not_wait() -> None:
    slots = SearchSlots(1, queue=1, wait_seconds=0.0)
    with slots.taken(Urgency.ADVICE), pytest.raises(SearchBusy), slots.taken(Urgency.MOVE):
        pytest.fail("the only slot is taken")


def test_without_a_queue_there_are_still_slots() -> None:
    slots = SearchSlots(2, queue=0, wait_seconds=LONG)
    with slots.taken(Urgency.ADVICE), slots.taken(Urgency.MOVE), pytest.raises(SearchBusy), slots.taken(Urgency.MOVE):
        pytest.fail("both slots are taken")
    assert waiting(slots) == 0


def test_due_moves_have_slots_that_advice_has_not(searches_of: type[Searches]) -> None:
    slots = SearchSlots(1, queue=20, wait_seconds=LONG, for_moves=1)
    searches = searches_of(slots)
    searches.start("a1", Urgency.ADVICE)
    searches.start("a2", Urgency.ADVICE)
    searches.start("m1")
    assert searches.began == ["a1", "m1"]  # past all advice, running or waiting
    searches.start("m2")
    assert searches.began == ["a1", "m1"]
    searches.let_go("m1")
    assert searches.began == ["a1", "m1", "m2"]
    searches._go["m2"].set()  # its slot is not for advice
    searches.let_go("a1")
    assert searches.began == ["a1", "m1", "m2", "a2"]
    searches.end()
    assert searches.most == 2


def test_a_search_whose_client_has_gone_leaves_the_queue(searches_of: type[Searches]) -> None:
    slots = SearchSlots(1, queue=5, wait_seconds=LONG)
    searches = searches_of(slots)
    searches.start("running")
    asked = iter([False, False, True])
    with pytest.raises(ClientGone), slots.taken(Urgency.ADVICE, lambda: next(asked)):
        pytest.fail("the only slot is taken")
    assert waiting(slots) == 0
    searches.start("next", Urgency.ADVICE)
    searches.let_go("running")
    assert searches.began == ["running", "next"]


def test_who_is_turned_away_is_told_how_long_those_before_it_will_take() -> None:
    slots = SearchSlots(2, queue=8, wait_seconds=0.0)
    slots._usual_seconds = 3.0
    slots._waiting[Urgency.ADVICE].extend(object() for _ in range(7))  # 7 searches of 3 s, two at once
    with pytest.raises(SearchBusy) as caught, slots.taken(Urgency.ADVICE):
        pytest.fail("others wait already")
    assert caught.value.retry_after == 12  # with its own
    slots._usual_seconds = 0.001
    with pytest.raises(SearchBusy) as caught, slots.taken(Urgency.ADVICE):
        pytest.fail("others wait already")
    assert caught.value.retry_after == 1
    slots._usual_seconds = 1000.0
    with pytest.raises(SearchBusy) as caught, slots.taken(Urgency.ADVICE):
        pytest.fail("others wait already")
    assert caught.value.retry_after == 30


def test_how_long_searches_take_is_learned() -> None:
    slots = SearchSlots(1, queue=1, wait_seconds=0.0)
    with slots.taken(Urgency.ADVICE):
        time.sleep(0.05)
    assert slots._usual_seconds >= 0.01


def test_many_threads_take_turns_and_leave_nothing_behind() -> None:
    slots = SearchSlots(2, queue=64, wait_seconds=LONG)
    inside, most, done = 0, 0, 0
    lock = threading.Lock()

    def work(number: int) -> None:
        nonlocal inside, most, done
        for turn in range(20):
            with slots.taken(Urgency((number + turn) % 2)):
                with lock:
                    inside += 1
                    most = max(most, inside)
                with lock:
                    inside -= 1
                    done += 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    assert (done, inside, waiting(slots), slots._free) == (320, 0, 0, 2)
    assert most <= 2
