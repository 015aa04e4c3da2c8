"""`python -m service.verify RECORD`: anybody's check that a deal, or a whole game, was dealt and played fairly.

RECORD is a file, `-` for standard input, or the http(s) URL of a record. Leaves with 0 when everything verifies, 1 when
something does not (the last line says where and what), 2 when there is nothing to verify: wrong usage, unreadable,
unreachable. Nothing but the standard library and the engine takes part, unless --ai asks for more.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import urllib.error
import urllib.request
from contextlib import closing
from dataclasses import replace
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from engine.events import Reason
from engine.game import Game
from engine.rules import MAX_POINTS_TO_WIN, Rules
from service.nodes import Node, RecordError
from service.replay import deal_checks, read_deal, read_rules, verify_deal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from service.choices import ChoiceCheck
    from service.replay import ClaimedDeal, Decided

__all__ = ["RecordError", "Unreadable", "main", "verify", "verify_deal"]

MAX_BYTES = 64 * 1024 * 1024
CHUNK_BYTES = 64 * 1024
MAX_PROBLEM_BYTES = 64 * 1024
MAX_DETAIL = 300
SILENCE_SECONDS = 10.0
DOWNLOAD_SECONDS = 60.0
BEFORE_ITS_TIME = (Reason.RESIGNATION, Reason.TIME)
VERIFIED, REFUSED, UNREADABLE = 0, 1, 2


class Unreadable(Exception):
    """There is no record to verify: no such file, no answer, too large, not JSON."""


def verify(document: object, decided: Decided | None = None) -> Iterator[str]:
    """Verify a deal's record or a whole game's, a line for each thing that held. Raises RecordError.

    A whole game is an object with `deals`, or a list (what ndjson reads as): first an object about the game, which may
    be missing, then the records of its deals in order. `decided` as in verify_deal.
    """
    if isinstance(document, list):
        deals = [Node(item, f"/{index}") for index, item in enumerate(document)]
        about = deals.pop(0) if deals and not deals[0].has("deck") else Node({})
        return _game_checks(about, deals, decided)
    record = Node(document)
    if record.has("deals"):
        return _game_checks(record, list(record["deals"]), decided)
    if record.has("reason") and not record.has("deck"):  # one line of JSON: a game that ended before its first deal
        return _game_checks(record, [], decided)
    return deal_checks(read_deal(record), decided)


def _game_checks(about: Node, records: Sequence[Node], decided: Decided | None) -> Iterator[str]:
    """Verify every deal, and that together they make one game (R21-R23)."""
    if not records:
        if not about.has("reason") or about["reason"].text() not in BEFORE_ITS_TIME:
            raise about.error("a game whose record can be verified has deals")
        yield "game: it ended before its first deal"
        return
    rules = read_rules(about["rules"]) if about.has("rules") else None
    game: Game | None = None
    before: ClaimedDeal | None = None
    for record in records:
        claimed = read_deal(record, rules)
        if game is None:
            leader = about["first_leader"].whole(0, 1) if about.has("first_leader") else claimed.starter
            # where nobody tells the points to win, any number of deals is right
            rules = claimed.rules
            game = Game(rules or Rules(claimed.edition, points_to_win=MAX_POINTS_TO_WIN), leader)
        _check_succession(game, before, claimed)
        for line in deal_checks(claimed, decided):
            yield f"deal {claimed.number}: {line}"
        game, before = _scored(game, claimed), claimed
    assert game is not None  # noqa: S101 - there is at least one deal
    _check_result(about, game)
    yield f"game: {game.deals} deals make one game, starters as the score demands, {game.scores[0]} to {game.scores[1]}"


def _check_succession(game: Game, before: ClaimedDeal | None, claimed: ClaimedDeal) -> None:
    """Raises RecordError: this deal cannot be the next one of the game."""
    record = claimed.record
    if game.winner is not None:
        raise record.error("the game was over before this deal (R21)")
    record["number"].expect(game.deals + 1, "counting the deals")
    record["starter"].expect(game.next_starter(), "the score (R22, R23)")
    if before is None:
        return
    if before.winner is None:
        raise record.error("the deal before this one was cut short, and with it the game")
    claimed.events[0]["version"].expect(before.last + 1, "counting on from the deal before")
    for name in ("game", "rules"):
        if before.record.has(name):
            record[name].expect(before.record[name].value, "the deal before")


def _scored(game: Game, claimed: ClaimedDeal) -> Game:
    scores = (game.scores[0] + (claimed.winner == 0), game.scores[1] + (claimed.winner == 1))
    winner = claimed.winner if max(scores) >= game.rules.points_to_win else None
    return replace(game, scores=scores, winner=winner, deals=claimed.number, starter=claimed.starter)


def _check_result(about: Node, game: Game) -> None:
    """Raises RecordError: what is told about the game is not what its deals amount to.

    A game without a winner on points may have ended through resignation or time, so any winner is right then.
    """
    if about.has("reason"):
        about["reason"].text("|".join(BEFORE_ITS_TIME) if game.winner is None else Reason.POINTS)
    if about.has("winner") and game.winner is not None:
        about["winner"].expect(game.winner, "the score")
    if about.has("seats"):
        for seat, score in zip(about["seats"], game.scores, strict=False):
            if seat.has("score"):
                seat["score"].expect(score, "counting the deals won")


class Readable(Protocol):
    """What bytes come from, as they come."""

    def read1(self, size: int, /) -> bytes:
        """Some bytes, at most `size`; none at the end."""


def read(source: str) -> object:
    """The JSON, or the list of JSON lines, in a file, on standard input (`-`) or at a URL. Raises Unreadable."""
    try:
        if source.startswith(("http://", "https://")):
            raw = _download(source)
        else:
            with open(0, "rb", closefd=False) if source == "-" else Path(source).open("rb") as file:
                raw = _read_all(file)
    except OSError as error:
        raise Unreadable(f"{source}: {error.strerror or error}") from error
    try:
        return _parsed(raw)
    except ValueError as error:
        lines = [line for line in raw.splitlines() if line.strip()]
        if len(lines) < 2:
            raise Unreadable(f"{source}: {error}") from error
    try:
        return [_parsed(line) for line in lines]
    except ValueError as error:
        raise Unreadable(f"{source}: neither JSON nor lines of JSON: {error}") from error


def _parsed(raw: bytes) -> object:
    """A JSON text that every reader understands alike. Raises ValueError."""
    try:
        return json.loads(raw.decode(), object_pairs_hook=_object, parse_constant=_constant)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object with a repeated member name")
    return members


def _constant(name: str) -> NoReturn:
    raise ValueError(f"JSON has no {name}")


def _read_all(readable: Readable, deadline: float | None = None, most: int = MAX_BYTES) -> bytes:
    chunks, size = [], 0
    while chunk := readable.read1(CHUNK_BYTES):
        chunks.append(chunk)
        size += len(chunk)
        if size > most:
            raise OSError(f"larger than {most // 2**10} KiB")
        if deadline is not None and time.monotonic() > deadline:
            raise TimeoutError(f"not complete after {DOWNLOAD_SECONDS:g} s")
    return b"".join(chunks)


def _download(url: str) -> bytes:
    """The body of a 200 answer; only http and https, redirects included."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler,
        urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler,
        urllib.request.HTTPRedirectHandler,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.HTTPErrorProcessor,
    ):
        opener.add_handler(handler())
    deadline = time.monotonic() + DOWNLOAD_SECONDS
    try:
        request = urllib.request.Request(url, headers={"Accept": "application/json"})  # noqa: S310 - http(s), see above
        answer: Any = opener.open(request, timeout=SILENCE_SECONDS)
        if answer is None:  # a redirect to another scheme
            raise OSError("leads to something that is neither http nor https")
        with closing(answer):
            return _read_all(answer, deadline)
    except urllib.error.HTTPError as error:
        with closing(error):
            said = f"the server answers {error.code} {error.reason}{_detail(error, deadline)}"
            raise OSError(_one_line(said)) from error
    except urllib.error.URLError as error:
        raise OSError(f"unreachable ({error.reason})") from error
    except (HTTPException, ValueError) as error:
        raise OSError(f"no usable answer ({error!r})") from error


def _detail(refusal: Any, deadline: float) -> str:  # noqa: ANN401 - urllib's HTTPError, which passes read1 on
    """What a refusal says in words, after a colon; nothing unless it is a problem (RFC 9457) that has a detail."""
    if refusal.headers.get_content_type() != "application/problem+json":
        return ""
    try:
        problem = _parsed(_read_all(refusal, deadline, MAX_PROBLEM_BYTES))
    except (OSError, HTTPException, ValueError):
        return ""
    detail = problem.get("detail") if isinstance(problem, dict) else None
    return f": {detail}" if isinstance(detail, str) else ""


def _one_line(text: str) -> str:
    """A text from elsewhere as a terminal may show it: printable, in one line, not long."""
    shown = " ".join("".join(one if one.isprintable() else " " for one in text).split())
    return shown if len(shown) <= MAX_DETAIL else f"{shown[:MAX_DETAIL]}..."


def _choice_check() -> ChoiceCheck:
    from service.choices import ChoiceCheck  # noqa: PLC0415 - the rest needs the standard library only

    return ChoiceCheck()


def main(arguments: Sequence[str] | None = None) -> int:
    """Verify the record that the command line names; the process's exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m service.verify",
        description="Verify the record of an ended deal or of a whole game: shuffle, legality, draws, winner.",
    )
    parser.add_argument("record", help="a file, - for standard input, or an http(s) URL")
    parser.add_argument("--ai", action="store_true", help="also compute the computer's choices again; needs Numba")
    asked = parser.parse_args(arguments)
    try:
        document = read(asked.record)
    except Unreadable as error:
        sys.stderr.write(f"{error}\n")
        return UNREADABLE
    choices = _choice_check() if asked.ai else None
    try:
        for line in verify(document, choices):
            sys.stdout.write(f"{line}\n")
    except RecordError as error:
        sys.stdout.write(f"does not verify: {error}\n")
        return REFUSED
    if choices is not None:
        sys.stdout.write(f"computer: {choices.count} choices are what it chooses with what its seat knew\n")
    sys.stdout.write("verified\n")
    return VERIFIED


if __name__ == "__main__":
    sys.exit(main())
