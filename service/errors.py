"""What the service may answer instead of a result, beside the game's own refusals (engine/errors.py).

ServiceError
├── MissingToken             no Authorization header where one is needed
├── InvalidToken             a token that is not one of this game's
├── NotFound                 no such page
│   ├── UnknownGame          no such game, or no longer
│   └── UnknownDeal          the game has no deal of that number
├── InvalidRequest           readable, but not of the documented shape; carries Flaw values
├── MalformedJson            the body is not JSON
├── UnsupportedMediaType     the body claims to be something else than JSON
├── NotAcceptable            the client takes none of the forms there are
├── PayloadTooLarge          the body exceeds MAX_BODY_BYTES
├── IdempotencyKeyReused     the key was used before with another body
├── VersionRequired          neither If-Match nor `version` was given
├── VersionConflict          the game is at another version than the one acted on
├── DealInProgress           the record of a deal that is still being played
├── DeadlineNotReached       a claim before the turn's deadline, or without a clock
├── RateLimited              too many requests from this client
├── Refused                  another refusal, with the version it was judged at
└── Unavailable              repeating later may help
    ├── NotReady             the process is still starting
    ├── SearchBusy           every search slot is taken
    │   └── ClientGone       nobody waits for this search any more; the answer reaches nobody
    ├── StreamsBusy          every place for a stream is taken
    └── StoreUnavailable     the store did not answer, or refused; a write's outcome is unknown

Which status and code each becomes is decided in one place, problems.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing wrong with a request.

    `pointer` is an RFC 6901 pointer into the body ("" is the body itself); `parameter` names a query
    parameter or header. Exactly one of the two is given.
    """

    detail: str
    pointer: str | None = None
    parameter: str | None = None

    def __post_init__(self) -> None:
        if (self.pointer is None) == (self.parameter is None):
            message = "a flaw lies either at a pointer or in a parameter"
            raise ValueError(message)

    def as_dict(self) -> dict[str, str]:
        """The form a problem's `errors` list carries."""
        where = {"pointer": self.pointer} if self.pointer is not None else {"parameter": str(self.parameter)}
        return {**where, "detail": self.detail}


class ServiceError(Exception):
    """Base of everything the service refuses; the message becomes the problem's `detail`.

    `default_detail` is what is said when the raiser has nothing more precise to add.
    """

    default_detail = "The request could not be served."

    def __init__(self, detail: str | None = None) -> None:
        self.detail = self.default_detail if detail is None else detail
        super().__init__(self.detail)


class MissingToken(ServiceError):
    """The request needs a seat token and carries none."""

    default_detail = "This request needs a seat token: Authorization: Bearer TOKEN."


class InvalidToken(ServiceError):
    """The token is not one of this game's, or the header is not a bearer token at all."""

    default_detail = "The token is not one of this game's."


class NotFound(ServiceError):
    """Nothing lives at this path."""

    default_detail = "There is nothing at this path."


class UnknownGame(NotFound):
    """No game has this id, or it has expired."""

    default_detail = "There is no game with this id, or it has expired."


class UnknownDeal(NotFound):
    """The game has no deal with this number."""

    default_detail = "This game has no deal with this number."


class InvalidRequest(ServiceError):
    """The request is readable but not of the documented shape; `flaws` says where and why."""

    default_detail = "The request does not have the documented shape; see errors."

    def __init__(self, flaws: Sequence[Flaw], detail: str | None = None) -> None:
        super().__init__(detail)
        self.flaws = tuple(flaws)

    @classmethod
    def at(cls, pointer: str, detail: str) -> InvalidRequest:
        """One flaw in the body, at a JSON pointer."""
        return cls([Flaw(detail, pointer=pointer)])

    @classmethod
    def parameter(cls, name: str, detail: str) -> InvalidRequest:
        """One flaw in a query parameter or header."""
        return cls([Flaw(detail, parameter=name)])


class MalformedJson(ServiceError):
    """The body cannot be read as JSON (RFC 8259), or is JSON that no two readers agree on."""

    default_detail = "The body is not well-formed JSON."


class UnsupportedMediaType(ServiceError):
    """The body's Content-Type is not JSON in UTF-8, or the body is compressed."""

    default_detail = "The body must be JSON in UTF-8, not compressed, and say so: Content-Type: application/json."


class NotAcceptable(ServiceError):
    """The Accept header names none of the media types that this is offered in."""

    default_detail = "This is offered as text/event-stream and as application/x-ndjson; see the Accept header."


class PayloadTooLarge(ServiceError):
    """The body has more bytes than the service reads."""

    default_detail = "The body is larger than this service accepts."


class IdempotencyKeyReused(ServiceError):
    """The Idempotency-Key came before, with another body."""

    default_detail = "This Idempotency-Key was used before with another body."


class VersionRequired(ServiceError):
    """The request does not say which version it acts on."""

    default_detail = "Say which version this acts on: If-Match with the view's ETag, or version in the body."


class VersionConflict(ServiceError):
    """The game is not at the version the request acts on."""

    default_detail = "The game is at another version than the one acted on."

    def __init__(self, current_version: int, detail: str | None = None) -> None:
        super().__init__(detail)
        self.current_version = current_version


class DealInProgress(ServiceError):
    """The deal is still being played, so its record stays closed."""

    default_detail = "This deal is still being played; its record opens when it ends."


class DeadlineNotReached(ServiceError):
    """The seat to act still has time, or the game is played without a clock."""

    default_detail = "The turn's deadline has not passed, or this game has no clock."


class RateLimited(ServiceError):
    """The client has used up its allowance; `retry_after` is in seconds."""

    default_detail = "Too many requests; wait before the next one."

    def __init__(self, retry_after: int, detail: str | None = None) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class Refused(ServiceError):
    """Another refusal, `cause`, with the version of the game it was judged at.

    Raised where the version is known, so that the problem can tell it; code and status are the cause's.
    """

    def __init__(self, cause: Exception, current_version: int) -> None:
        super().__init__(str(cause))
        self.cause = cause
        self.current_version = current_version


class Unavailable(ServiceError):
    """The service cannot answer now; `retry_after`, in seconds, is when to try again.

    `reason` is for the log only: it may name hosts or commands and never reaches a client.
    """

    default_detail = "The service cannot answer this now; try again."

    def __init__(self, retry_after: int = 1, reason: str = "") -> None:
        super().__init__()
        self.retry_after = retry_after
        self.reason = reason
        if reason:
            self.args = (f"{self.detail} [{reason}]",)


class NotReady(Unavailable):
    """The process is alive but cannot serve games yet."""

    default_detail = "The service is still starting; try again shortly."


class SearchBusy(Unavailable):
    """Every search slot is taken."""

    default_detail = "All search slots are taken; try again shortly."


class ClientGone(SearchBusy):
    """The client has closed its connection, so its search was given up."""

    default_detail = "The client has gone; its search was given up."


class StreamsBusy(Unavailable):
    """Every place for a stream is taken, or the process stops."""

    default_detail = "No place for another stream is free; try again shortly."


class StoreUnavailable(Unavailable):
    """The store did not answer in time, or refused; of a write it is unknown whether it took place."""

    default_detail = "The store does not answer. If this was a write, read the game to see whether it took place."
