"""A store that is interrupted between its writes, as by a crash or by other requests, and applications on it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from service.app import create_app
from service.connections import connect
from service.redis_store import RedisGameStore
from service.slots import Urgency
from service.store import Commit, Committed, Conflict, KeyRecord, UnknownGame
from service.wiring import Services
from tests.asking import Api
from tests.running import store_config

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from service.embedded import EmbeddedStore


class Killed(BaseException):
    """What ends a process's work at once: no handler of the application's sees it."""


class InterruptedStore(RedisGameStore):
    """The store; `when["before commit", n]` is done before the n-th commit, and so after it and around settling."""

    def __init__(self, client: Any) -> None:
        super().__init__(client)
        self.when: dict[tuple[str, int], Callable[[], object]] = {}
        self.commits = self.settlings = 0

    def commit(self, commit: Commit) -> Committed | Conflict | UnknownGame:
        self.commits += 1
        number = self.commits
        self._interrupt("before commit", number)
        done = super().commit(commit)
        self._interrupt("after commit", number)
        return done

    def settle(self, game_id: str, key: KeyRecord) -> bytes:
        self.settlings += 1
        number = self.settlings
        self._interrupt("before settling", number)
        settled = super().settle(game_id, key)
        self._interrupt("after settling", number)
        return settled

    def interrupt(self, moment: str, number: int, what: Callable[[], object]) -> None:
        """Do something, once, at a moment of the so many-th write from now on."""
        self.commits = self.settlings = 0
        self.when = {(moment, number): what}

    def _interrupt(self, moment: str, number: int) -> None:
        what = self.when.pop((moment, number), None)
        if what is not None:
            what()


def killed() -> None:
    """The end of the process."""
    raise Killed


class Process:
    """An application of its own on a store, as another process would be."""

    def __init__(self, valkey: EmbeddedStore) -> None:
        config = store_config(valkey.url, search_wait_seconds=0.05)
        self.store = InterruptedStore(connect(config))
        self.app = create_app(config, self.store)
        self.api = Api(self.app)

    @property
    def services(self) -> Services:
        services: Services = self.app.extensions["crisps"]
        return services

    @contextmanager
    def busy(self) -> Iterator[None]:
        """No search gets a slot."""
        taken = []
        slots = self.services.ports.slots
        try:
            while True:
                one = slots.taken(Urgency.MOVE)
                try:
                    one.__enter__()
                except Exception:  # noqa: BLE001 - there is none left
                    break
                taken.append(one)
            yield
        finally:
            for one in taken:
                one.__exit__(None, None, None)
