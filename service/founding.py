"""Games that follow from something: from an idempotency key, or from a finished game as its rematch.

A rematch's id follows from the finished game's id, and a seat's token for it from that seat's old token
(HMAC-SHA-256, one way). The service forgets tokens, so when one seat asks it cannot make the other's: each seat's
request adds the hash of its own token to the new game. Thus

- both seats get the same game, whoever asks first, and the same tokens however often they ask;
- a seat's new token needs its old one. The other seat does not have that, nor has who reads the store: it holds
  hashes of old and new tokens, and neither leads to the other;
- a request adds a hash only for the seat that its old token proves, so nobody takes a seat that is not theirs, or
  keeps the other from it: until it asks, a seat has no token, and nobody can act for it.

Spectators who know a game's id can tell its rematch's and watch on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from engine.cards import other
from engine.errors import NotYourTurn, WrongPhase
from service import auth, codec, retries
from service.auth import SeatToken
from service.errors import IdempotencyKeyReused, StoreUnavailable
from service.hosted import SeatKind, Settings
from service.retries import KEPT_SECONDS, Answer, Once, Record
from service.store import KeyRecord
from service.usecases import GameIdTaken, Origin, create_game

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.cards import Seat
    from service.hosted import HostedGame
    from service.opening import Opened, Ports

ATTEMPTS = 8


@dataclass(frozen=True, slots=True)
class Founded:
    """A game that follows from something, as its answer shows it (`answer.body` is the public view), and its tokens."""

    game_id: str
    answer: Answer
    tokens: tuple[SeatToken, ...]

    def body(self) -> bytes:
        """The whole answer's body; tokens are never recorded, so they join it here."""
        tokens = orjson.dumps([{"seat": one.seat, "token": one.token} for one in self.tokens])
        return b'{"game":' + self.answer.body + b',"tokens":' + tokens + b"}"


def create(ports: Ports, settings: Settings, shown: Callable[[HostedGame], Answer]) -> Founded:
    """A new game with random id and tokens."""
    creation = create_game(ports, settings)
    return Founded(creation.hosted.game_id, shown(creation.hosted), creation.tokens)


def create_once(
    ports: Ports, settings: Settings, secret: str, body: str, shown: Callable[[HostedGame], Answer]
) -> Founded:
    """The game that a secret key stands for, created if it is not there; `body` is the digest of the request's body.

    Raises IdempotencyKeyReused: another body came with it, or the key has created a game more than a day ago.
    """
    game_id = retries.derived_game_id(secret, "created")
    name = retries.record_name("POST", "/v1/games", None, secret)

    def token(seat: Seat | None) -> str:
        return retries.derived_token(secret, game_id, seat)

    def record(hosted: HostedGame) -> KeyRecord:
        return KeyRecord(name, Record(body, 0, shown(hosted)).encoded(), KEPT_SECONDS)

    try:
        creation = create_game(ports, settings, Origin(game_id, token, record))
    except GameIdTaken:
        stored = ports.store.record(game_id, name)
        if stored is None:
            raise IdempotencyKeyReused("This Idempotency-Key has created a game more than 24 hours ago.") from None
        found = Record.decoded(stored)
        if found.body != body or found.answer is None:
            raise IdempotencyKeyReused from None
        seats = tuple(SeatToken(seat, token(seat)) for seat in _seats_with_tokens(found.answer.body))
        return Founded(game_id, found.answer, seats)
    return Founded(game_id, shown(creation.hosted), creation.tokens)


def _seats_with_tokens(view: bytes) -> Sequence[Seat | None]:
    humans = [seat["seat"] for seat in orjson.loads(view)["seats"] if seat["kind"] == SeatKind.HUMAN]
    return humans or (None,)


def rematch(ports: Ports, opened: Opened, token: str, shown: Callable[[HostedGame, bool], Answer]) -> Founded:
    """The next game with the same seats and rules, the other seat starting, and the token of the viewer's seat for it.

    `shown` gets the game and whether it was created now; with an idempotency key its first answer is recorded. Raises
    WrongPhase (the game is not finished), NotYourTurn (a token without a seat), StoreUnavailable.
    """
    if opened.hosted.game.winner is None:
        raise WrongPhase("only a finished game has a rematch", "R21")
    if opened.viewer is None:
        raise NotYourTurn("this token has no seat that could play again")
    game_id = retries.derived_game_id(opened.hosted.game_id, "rematch")
    own = SeatToken(opened.viewer, retries.derived_token(token, game_id, opened.viewer))
    answer = _recorded(opened)
    if answer is None:
        answer = _settled(ports, opened, shown(*_joined(ports, opened.hosted, game_id, own)))
    return Founded(game_id, answer, (own,))


def _joined(ports: Ports, finished: HostedGame, game_id: str, own: SeatToken) -> tuple[HostedGame, bool]:
    """The rematch with a seat's token in it, and whether it was created for that."""
    for _ in range(ATTEMPTS):  # each fails only because somebody else's has succeeded
        loaded = ports.store.load(game_id)
        if loaded is None:
            origin = Origin(game_id, lambda seat: own.token if seat == own.seat else None)
            try:
                return create_game(ports, next_settings(finished), origin).hosted, True
            except GameIdTaken:
                continue
        access = auth.with_token(loaded.game.access, own)
        if access == loaded.game.access or ports.store.admit(game_id, loaded.game.access, access):
            return codec.decode_game(game_id, loaded.game.version, loaded.game.state), False
    raise StoreUnavailable(reason=f"game {game_id} changed at each of {ATTEMPTS} attempts to join it")


def next_settings(finished: HostedGame) -> Settings:
    """How a finished game's rematch is created: as it was, but for the first leader and set seeds."""
    return Settings(
        rules=finished.game.rules,
        seats=finished.seats,
        first_leader=other(finished.game.first_leader),
        ai_reply=finished.ai_reply,
        turn_seconds=finished.turn_seconds,
    )


def _recorded(opened: Opened) -> Answer | None:
    if opened.once is None or opened.record is None:
        return None
    return opened.once.checked(opened.record).answer


def _settled(ports: Ports, opened: Opened, answer: Answer) -> Answer:
    """The answer that counts: with an idempotency key the one that was recorded first."""
    once: Once | None = opened.once
    if once is None:
        return answer
    kept = ports.store.settle(opened.hosted.game_id, once.settled(answer))
    return once.checked(kept).answer or answer
