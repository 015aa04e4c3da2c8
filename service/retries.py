"""Requests that may be repeated: what is remembered under an Idempotency-Key, and how a repeat gets the first answer.

A record lies beside its game, in the same cluster slot, under a digest of method, path, token and key, for 24 hours.
It begins with one line of JSON, the digest of the request's body in it; it is *pending*, with the version acted on,
or *settled*, with the answer's bytes after that line. Tokens never get into a record. Problems are not recorded.

An action makes one commit, or several where the computer replies. The record goes with the first, atomically; with
the last it becomes settled, atomically too. It may also be settled alone (settle.lua), when no reply can be made.
Settling replaces only the pending record and answers what is there then; whoever settles a record, everybody answers
with it. So there is one answer, whatever comes between:

- *Killed before the first commit.* There is no record and no event. The repeat is a first request.
- *Killed after it, before the reply's last commit.* Pending. The repeat makes the actions of the computer that are
  still due, and settles with the last of them. Its events are those since the version acted on, out of the store.
- *Killed after the last commit.* Settled. The repeat reads the answer.
- *Killed between giving up the reply (no search slot) and settling.* Pending, and nothing was answered: as above.
- *Repeats before the first commit.* All have read the game without the record and race for its version. The losers
  get a conflict, read again, find the record and go on as repeats. A conflict without a record is another request's:
  412. For the record is read after the game: who finds no record has seen no trace of the request in the game either.
- *Repeats while the first is at work.* They wait a moment for it, then assume that it is dead and race with it for
  the computer's actions, by version. Equal searches choose equally. A loser reads again and carries on from there.
- *One gives up the reply while another commits it.* Either the record is settled first: the commit then leaves it,
  and its sender answers with it. Or the commit comes first: giving up finds a settled record, and answers with that.
- *Others act in between* (ai-move, resigning, the next action). The race for the version is lost; no action of the
  computer may be due any more. The game as it is then is settled, with all events since the version acted on; of
  several that see it at different versions, the first to settle gives all of them their answer.
- *The store does not answer.* 503, and the outcome is unknown until a repeat finds one of the above.
- *The game is gone* before its record: 404, except for creating, which needs the record only.

Creating derives the game's id and its tokens from the key, so the store has neither key nor tokens, and what is
recorded is the rest of the answer. Two equal requests race for one id. A key that is older than its record is refused
as reused while its game lives: it must not lead to a second game with the same tokens.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from service.codec import UnknownFormat
from service.errors import IdempotencyKeyReused, InvalidRequest
from service.fields import MAX_INTEGER
from service.opening import GAME_ID_BYTES
from service.store import KeyRecord

if TYPE_CHECKING:
    from engine.cards import Seat
    from service.opening import Outcome

HEADER = "Idempotency-Key"
KEPT_SECONDS = 86_400
SECRET_LENGTH = 16
"""The least number of characters of a key that creates a game: whoever knows it gets the game's tokens."""

FORMAT = 1

_KEY = re.compile(r"[\x21-\x7e]{1,255}", re.ASCII)
# RFC 9651, section 3.3.3: a string; visible characters only here
_QUOTED = re.compile(r'"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"', re.ASCII)


@dataclass(frozen=True, slots=True)
class Answer:
    """A successful answer to an action: `tag` is the ETag of the view in it."""

    status: int
    tag: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Record:
    """What is remembered of a request: the digest of its body, the version acted on, and once settled the answer."""

    body: str
    after: int
    answer: Answer | None = None

    def encoded(self) -> bytes:
        """The stored form; the same for equal records."""
        head: dict[str, Any] = {"format": FORMAT, "body": self.body, "after": self.after}
        if self.answer is None:
            return orjson.dumps(head)
        head |= {"status": self.answer.status, "tag": self.answer.tag}
        return orjson.dumps(head) + b"\n" + zlib.compress(self.answer.body, 1)

    @classmethod
    def decoded(cls, stored: bytes) -> Record:
        """The inverse of `encoded`. Raises UnknownFormat."""
        line, _, compressed = stored.partition(b"\n")
        try:
            head = orjson.loads(line)
            if head["format"] != FORMAT:
                raise UnknownFormat(f"record of format {head['format']!r}; this service reads {FORMAT}")
            answer = Answer(head["status"], head["tag"], zlib.decompress(compressed)) if compressed else None
            return cls(head["body"], head["after"], answer)
        except (ValueError, LookupError, TypeError, zlib.error) as error:
            if isinstance(error, UnknownFormat):
                raise
            raise UnknownFormat(f"record out of shape: {error!r}") from error


@dataclass(frozen=True, slots=True)
class Once:
    """A request that has one effect and one answer however often it is sent.

    `name` is its record's, `body` the digest of its body, `after` the version acted on; `answer` shows an outcome.
    """

    name: str
    body: str
    after: int
    answer: Callable[[Outcome], Answer]

    def checked(self, stored: bytes) -> Record:
        """The record found under the key. Raises IdempotencyKeyReused: it is another request's."""
        record = Record.decoded(stored)
        if not hmac.compare_digest(record.body, self.body):
            raise IdempotencyKeyReused
        return record

    def pending(self) -> KeyRecord:
        """What the first of several commits brings."""
        return KeyRecord(self.name, self._pending(), KEPT_SECONDS)

    def settled(self, answer: Answer) -> KeyRecord:
        """What settles the pending record; nothing else is replaced, and where there is none it is added."""
        value = Record(self.body, self.after, answer).encoded()
        return KeyRecord(self.name, value, KEPT_SECONDS, replaces=self._pending())

    def _pending(self) -> bytes:
        return Record(self.body, self.after).encoded()


def key_in(header: str | None) -> str | None:
    """The key that a header field tells, quoted or bare; None without the field.

    Raises InvalidRequest: it is not 1 to 255 visible ASCII characters.
    """
    if header is None:
        return None
    quoted = _QUOTED.fullmatch(header)
    key = re.sub(r"\\(.)", r"\1", quoted[1]) if quoted else header
    if not _KEY.fullmatch(key) or (header.startswith('"') and not quoted):
        raise InvalidRequest.parameter(HEADER, "Must be 1 to 255 visible ASCII characters, in quotes or without.")
    return key


def secret_in(header: str | None) -> str | None:
    """As `key_in`, for a key that a game is created from: it needs at least 16 characters."""
    key = key_in(header)
    if key is not None and len(key) < SECRET_LENGTH:
        detail = f"Must be a secret of at least {SECRET_LENGTH} characters here: the game's tokens follow from it."
        raise InvalidRequest.parameter(HEADER, detail)
    return key


def record_name(method: str, path: str, token: str | None, key: str) -> str:
    """The name of the record of a request under a key."""
    scope = orjson.dumps([method, path, token, key])
    return hashlib.sha256(scope).hexdigest()


def body_digest(raw: bytes) -> str:
    """What bodies are compared by: their JSON value, so that white space and the order of members do not matter.

    Nor does it how a whole number is written: 1, 1.0 and 1e0 are one value. An empty body counts as `{}`. Raises
    ValueError: it is no JSON, which callers have looked at before.
    """
    told = _whole(orjson.loads(raw or b"{}"))
    return hashlib.sha256(orjson.dumps(told, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _whole(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The value with its whole numbers as integers; those that a double cannot tell apart stay as they are."""
    if isinstance(value, dict):
        return {name: _whole(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_whole(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) <= MAX_INTEGER else value


def derived_game_id(secret: str, purpose: str) -> str:
    """A game's id that follows from a secret or another game's id; nobody can aim at an id that is taken."""
    return hmac.digest(secret.encode(), f"crisps game id: {purpose}".encode(), "sha256")[:GAME_ID_BYTES].hex()


def derived_token(secret: str, game_id: str, seat: Seat | None) -> str:
    """The token of a seat that follows from a secret, of the form of random ones."""
    message = f"crisps seat token: {game_id} {'none' if seat is None else seat}".encode()
    return base64.urlsafe_b64encode(hmac.digest(secret.encode(), message, "sha256")).rstrip(b"=").decode()
