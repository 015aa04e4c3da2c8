"""A service whose workers are killed while the computer thinks: after a seat's action is stored, before its answer."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from tests.contract.client import Seated, Unanswered
from tests.running import eventually

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.client import Client
    from tests.contract.processes import OwnService


def at_its_turn(client: Client) -> Seated:
    """A seat that leads against a computer that thinks as long as any does."""
    seats = [{"kind": "human"}, {"kind": "ai", "level": 5}]
    seated = Seated.create(client, {"seats": seats, "first_leader": 0})
    seated.post("deal", {})
    return seated


def version_now(seated: Seated) -> int:
    """The game's version; 0 while the service does not answer."""
    with contextlib.suppress(Unanswered):
        return int(seated.look()["version"])
    return 0


def killed_while_thinking(service: OwnService, client: Client, act: Callable[[str, Seated], object]) -> Seated:
    """A seat as it was before `act`, which was stored; the workers were killed then, and others serve again."""
    seated = at_its_turn(client)
    acting = threading.Thread(target=act, args=(service.url, seated), daemon=True)
    acting.start()
    # the own action is stored before the computer starts to think
    while version_now(seated) == seated.version:
        pass
    for worker in service.workers():
        worker.kill()
    acting.join(30)
    assert not acting.is_alive()
    assert eventually(lambda: version_now(seated) > 0)
    return seated
