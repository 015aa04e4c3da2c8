"""Games that are followed in a process: how far each was read, who follows it, who is present."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from service import codec
from service.listeners import Presence, Told, presence_of
from service.stored_fields import UnknownFormat

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from service.listeners import Listener


@dataclass(slots=True)
class Watch:
    """A game that is followed here: up to where it was read, by whom it is followed, who is present."""

    position: int
    humans: frozenset[int]
    listeners: set[Listener] = field(default_factory=set)
    presence: Presence = field(init=False)

    def __post_init__(self) -> None:
        self.presence = presence_of((), self.humans)

    def seats(self) -> set[int]:
        """The seats that are present here."""
        return {listener.viewer for listener in self.listeners if listener.viewer is not None}

    def vouched(self, process: str) -> list[str]:
        """What a process tells the store about who is present in it."""
        return [f"{seat}:{process}" for seat in sorted(self.seats())]

    def tell(self, events: list[Told]) -> None:
        """Tell the events that were read above the position; those that do not follow it mean that it was lost."""
        whole = events[0].version == self.position + 1
        self.position = events[-1].version
        for listener in self.listeners:
            if whole:
                listener.tell(events)
            else:
                listener.lose()

    def take_presence(self, seats: Collection[int]) -> None:
        """Take in which seats are present somewhere; those that are present here are, however old the news is."""
        presence = presence_of({*seats, *self.seats()}, self.humans)
        if presence != self.presence:
            self.presence = presence
            for listener in self.listeners:
                listener.tell_presence(presence)


def decoded(entries: Iterable[tuple[int, bytes]]) -> tuple[list[Told], UnknownFormat | None]:
    """The events up to the first that cannot be decoded, and why that one cannot be."""
    events: list[Told] = []
    for version, event in entries:
        try:
            events.append(Told(codec.decode_event(version, event)))
        except UnknownFormat as error:
            return events, error
    return events, None
