"""The stored form of games: whatever was written is read again, whatever else is refused."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from engine.cards import Edition
from engine.events import Dealt, Drew
from engine.observation import redact
from engine.rules import Rules
from engine.shuffle import Shuffle
from service import codec, hosted
from service.codec import UnknownFormat
from service.hosted import AiReply, DealHead, SearchTrace, SeatKind, SeatSettings
from tests.played import FIRST_AGAINST_AI, HUMANS, MACHINES, NOW, Course, courses, every_rules, resigned, settings_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GOLDEN = Path(__file__).with_name("stored_form_1.txt")  # CRISPS_GOLDENS=write writes it anew
DEALS = int(os.environ.get("CRISPS_LAW_DEALS", "200"))
STRANGE = (SeatSettings(SeatKind.HUMAN, 'Ünï"\\\N{PILE OF POO}'), SeatSettings(SeatKind.AI, level=5))


def some_settings(generator: random.Random, rules: Rules) -> hosted.Settings:
    seats = generator.choice((HUMANS, FIRST_AGAINST_AI, MACHINES, STRANGE))
    settings = settings_of(
        rules, seats, first_leader=generator.randrange(2), turns=generator.choice((None, 5, 604_800))
    )
    seeds = tuple(generator.randbytes(32) for _ in range(generator.randrange(1, 4)))
    return replace(settings, ai_reply=generator.choice(list(AiReply)), deal_seeds=generator.choice((None, seeds)))


@pytest.mark.timeout(60 + DEALS)
@pytest.mark.parametrize("rules", every_rules(1), ids=str)
def test_what_was_stored_is_read_again_after_every_action(rules: Rules) -> None:
    for number in range(max(1, DEALS // 16)):
        generator = random.Random(f"{rules} {number}")
        told = 0
        for course in courses(some_settings(generator, rules), generator):
            now = course.hosted
            stored = codec.encode_game(now)
            assert codec.decode_game(now.game_id, now.version, stored) == now
            assert codec.encode_game(codec.decode_game(now.game_id, now.version, stored)) == stored
            for logged in course.events[told:]:
                assert codec.decode_event(logged.version, codec.encode_event(logged)) == logged
            told = len(course.events)
            assert told == now.version
        for head in course.heads.values():
            assert codec.decode_head(codec.encode_head(head)) == head


def test_a_game_that_was_given_up_is_read_again() -> None:
    generator = random.Random(1)
    for course in list(courses(settings_of(Rules()), generator))[:-1:7]:
        ended = resigned(course, generator.randrange(2))
        now = ended.hosted
        assert codec.decode_game(now.game_id, now.version, codec.encode_game(now)) == now
        assert codec.decode_event(now.version, codec.encode_event(ended.events[-1])) == ended.events[-1]
        assert all(codec.decode_head(codec.encode_head(head)) == head for head in ended.heads.values())


def test_events_as_a_viewer_saw_them_can_be_stored_too() -> None:
    for course in courses(settings_of(Rules()), random.Random(2)):
        logged = course.events[-1]
        if isinstance(logged.event, Dealt | Drew):
            seen = replace(logged, event=redact(logged.event, 0))
            assert codec.decode_event(seen.version, codec.encode_event(seen)) == seen


# ----------------------------------------------------------------------------- what cannot be read is refused
def a_course() -> Course:
    settings = replace(settings_of(Rules(), FIRST_AGAINST_AI, turns=60), deal_seeds=(bytes(32), bytes(range(32))))
    return list(courses(settings, random.Random(3)))[9]


def a_head() -> DealHead:
    return DealHead(2, 1, None, Shuffle(bytes(32), "seed"), 20, 31)


def stored_forms() -> dict[str, tuple[bytes, Callable[[bytes], Any]]]:
    course = a_course()
    now = course.hosted
    forms: dict[str, tuple[bytes, Callable[[bytes], Any]]] = {
        "game": (codec.encode_game(now), lambda stored: codec.decode_game(now.game_id, now.version, stored)),
        "head": (codec.encode_head(a_head()), codec.decode_head),
    }
    for logged in course.events:
        name = type(logged.event).__name__
        forms[name] = (codec.encode_event(logged), lambda stored: codec.decode_event(1, stored))
    return forms


@pytest.mark.parametrize("name", ["game", "head", "Created"])
@pytest.mark.parametrize("number", [0, 2, None, "1", -1])
def test_another_format_is_refused(name: str, number: object) -> None:
    stored, decode = stored_forms()[name]
    fields = orjson.loads(stored)
    assert fields["format"] == codec.FORMAT
    with pytest.raises(UnknownFormat, match="format"):
        decode(orjson.dumps({**fields, "format": number}))
    del fields["format"]
    with pytest.raises(UnknownFormat):
        decode(orjson.dumps(fields))


@pytest.mark.parametrize("name", stored_forms())
@pytest.mark.parametrize("stored", [b"", b"{", b"null", b"[]", b"7", b'"x"', b"{}", b"\xff", b"[" * 5000, b"\0" * 9])
def test_bytes_that_nobody_stored_are_refused(name: str, stored: bytes) -> None:
    with pytest.raises(UnknownFormat):
        stored_forms()[name][1](stored)


def damaged(value: Any) -> Iterator[Any]:
    """The value with one part missing or another type, each part in turn."""
    if isinstance(value, dict):
        for name in value:
            yield {key: one for key, one in value.items() if key != name}
            yield from ({**value, name: other} for other in damaged(value[name]))
    elif isinstance(value, list) and value:
        yield value[:-1]
        yield from (
            [*value[:index], other, *value[index + 1 :]]
            for index in range(len(value))
            for other in damaged(value[index])
        )
    yield from ({"x": 1}, "?", None)


@pytest.mark.parametrize("name", stored_forms())
def test_damaged_bytes_are_refused_or_read_but_never_break_anything_else(name: str) -> None:
    stored, decode = stored_forms()[name]
    refused = 0
    for damage in damaged(orjson.loads(stored)):
        try:
            decode(orjson.dumps(damage))
        except UnknownFormat:
            refused += 1
    assert refused > 3


def test_an_event_of_an_unknown_type_is_refused() -> None:
    with pytest.raises(UnknownFormat, match="'shuffled'"):
        codec.decode_event(5, b'{"type": "shuffled", "at": 0}')


# ------------------------------------------------------------- games stored by earlier releases stay readable
def the_same_course() -> Course:
    """A game with one of everything that is stored, without any chance in it."""
    rules = Rules(Edition.CLASSIC, crisps_in_runs=True, automatic_turn_skip=True)
    settings = replace(
        settings_of(rules, FIRST_AGAINST_AI, first_leader=1, turns=60), deal_seeds=(bytes(range(32)),) * 2
    )
    change = hosted.create("0" * 32, settings, NOW)
    course = Course(change.hosted, change.events)
    while len(course.events) < 60:
        now = course.hosted
        if now.game.deal is None:
            change = hosted.deal(now, "crisps", NOW)
        else:
            assert now.game.to_act is not None
            trace = SearchTrace(400, now.search_seed(), 1) if now.ai_to_act is not None else None
            change = hosted.act(now, now.game.to_act, next(iter(now.game.deal.legal_actions())), NOW, trace)
        course = course.after(change)
    return course


def test_the_first_format_is_still_written_and_read() -> None:
    course = the_same_course()
    now = course.hosted
    lines = [
        codec.encode_game(now),
        *map(codec.encode_event, course.events),
        *map(codec.encode_head, course.heads.values()),
    ]
    if os.environ.get("CRISPS_GOLDENS") == "write":
        GOLDEN.write_bytes(b"".join(line + b"\n" for line in lines))
    game, *rest = GOLDEN.read_bytes().splitlines()
    assert codec.decode_game(now.game_id, now.version, game) == now
    events, heads = rest[: len(course.events)], rest[len(course.events) :]
    assert [codec.decode_event(version, event) for version, event in enumerate(events, 1)] == list(course.events)
    assert [codec.decode_head(head) for head in heads] == list(course.heads.values())
    assert heads
    # Another stored form needs another FORMAT, and code that still reads this one.
    assert [game, *rest] == lines
