"""Every refusal as RFC 9457 `application/problem+json`: one table, one handler.

TABLE says for each exception type its status, code and title; the closest class in the exception's
ancestry counts. Whatever is not in the table is a mistake of ours: 500, logged, and nothing of it shown.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import werkzeug.exceptions as http
from flask import Flask, Response, g, request
from gunicorn.http.errors import (  # type: ignore[attr-defined] # the stubs are of an older gunicorn
    ConfigurationProblem,
    ExpectationFailed,
    InvalidResponseHeader,
    InvalidResponseHeaderName,
    LimitRequestHeaders,
    LimitRequestLine,
    ParseException,
    UnsupportedTransferCoding,
)
from marshmallow import ValidationError

from engine import errors as rules
from service import errors
from service.answers import PROBLEM_JSON, json_response
from service.deadlines import RequestTimedOut
from service.flaws import flaws_in
from service.headers import request_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_log = logging.getLogger(__name__)

_CHALLENGE = 'Bearer realm="crisps"'
# What RFC 3986 lets stand in a path as it is; everything else is percent-encoded.
_PATH_SAFE = "/:@!$&'()*+,;=~"


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """What all problems of one code share; `detail` is said when the exception says nothing itself."""

    code: str
    status: int
    title: str
    detail: str

    @property
    def type_uri(self) -> str:
        """The problem type's URI reference, stable for a code."""
        return f"/problems/{self.code}"


def _of(error: type[errors.ServiceError], code: str, status: int, title: str) -> ProblemKind:
    return ProblemKind(code, status, title, error.default_detail)


_NOT_FOUND = _of(errors.NotFound, "not_found", 404, "Not found")
_INVALID_REQUEST = _of(errors.InvalidRequest, "invalid_request", 422, "Invalid request")
_UNSUPPORTED = _of(errors.UnsupportedMediaType, "unsupported_media_type", 415, "Unsupported media type")
_TOO_LARGE = _of(errors.PayloadTooLarge, "payload_too_large", 413, "Payload too large")
_BAD_REQUEST = ProblemKind("bad_request", 400, "Bad request", "The request is not proper HTTP.")
_INTERNAL = ProblemKind(
    "internal_error",
    500,
    "Internal error",
    "The service made a mistake; it has been logged under X-Request-Id.",
)

TABLE: Mapping[type[Exception], ProblemKind] = {
    # The request as such
    errors.MalformedJson: _of(errors.MalformedJson, "malformed_json", 400, "Malformed JSON"),
    http.HTTPException: _BAD_REQUEST,
    # What gunicorn finds wrong: with a head before any view is asked, with a chunked body when a view reads it.
    ParseException: _BAD_REQUEST,
    RequestTimedOut: ProblemKind(
        "request_timeout", 408, "Request timeout", "The request did not arrive in time; the connection is closed."
    ),
    LimitRequestLine: ProblemKind("uri_too_long", 414, "URI too long", "The request's first line is too long."),
    ExpectationFailed: ProblemKind(
        "expectation_failed", 417, "Expectation failed", "Of expectations only 100-continue is met."
    ),
    LimitRequestHeaders: ProblemKind(
        "headers_too_large",
        431,
        "Request header fields too large",
        "There are too many header fields, or too long ones.",
    ),
    errors.MissingToken: _of(errors.MissingToken, "missing_token", 401, "Missing token"),
    errors.InvalidToken: _of(errors.InvalidToken, "invalid_token", 401, "Invalid token"),
    errors.UnknownGame: _of(errors.UnknownGame, "unknown_game", 404, "Unknown game"),
    errors.UnknownDeal: _of(errors.UnknownDeal, "unknown_deal", 404, "Unknown deal"),
    errors.NotFound: _NOT_FOUND,
    http.NotFound: _NOT_FOUND,
    http.MethodNotAllowed: ProblemKind(
        "method_not_allowed", 405, "Method not allowed", "This path has other methods; see the Allow header."
    ),
    errors.NotAcceptable: _of(errors.NotAcceptable, "not_acceptable", 406, "Not acceptable"),
    errors.PayloadTooLarge: _TOO_LARGE,
    http.RequestEntityTooLarge: _TOO_LARGE,
    errors.UnsupportedMediaType: _UNSUPPORTED,
    http.UnsupportedMediaType: _UNSUPPORTED,
    errors.InvalidRequest: _INVALID_REQUEST,
    ValidationError: _INVALID_REQUEST,
    rules.InconsistentPosition: _INVALID_REQUEST,
    # Its place in the game's course
    errors.IdempotencyKeyReused: _of(
        errors.IdempotencyKeyReused, "idempotency_key_reused", 422, "Idempotency key reused"
    ),
    errors.VersionRequired: _of(errors.VersionRequired, "version_required", 428, "Version required"),
    errors.VersionConflict: _of(errors.VersionConflict, "version_conflict", 412, "Version conflict"),
    errors.DealInProgress: _of(errors.DealInProgress, "deal_in_progress", 409, "Deal in progress"),
    errors.DeadlineNotReached: _of(errors.DeadlineNotReached, "deadline_not_reached", 409, "Deadline not reached"),
    # The rules
    rules.GameFinished: ProblemKind("game_finished", 409, "Game finished", "This game is over."),
    rules.WrongPhase: ProblemKind("wrong_phase", 409, "Wrong phase", "The game is in another phase."),
    rules.NotYourTurn: ProblemKind("not_your_turn", 409, "Not your turn", "Another seat is to act."),
    rules.CardsNotInHand: ProblemKind(
        "cards_not_in_hand", 422, "Cards not in hand", "The hand does not hold all of these cards."
    ),
    rules.NotACombination: ProblemKind(
        "not_a_combination", 422, "Not a combination", "These cards are no combination (R6 to R10)."
    ),
    rules.DoesNotFollow: ProblemKind(
        "does_not_follow", 422, "Does not follow", "This may not follow what lies on the table (R12 to R15)."
    ),
    rules.LeaderMayNotPass: ProblemKind(
        "leader_may_not_pass", 422, "Leader may not pass", "Whoever leads a round must play (R11)."
    ),
    # Our side
    errors.RateLimited: _of(errors.RateLimited, "rate_limited", 429, "Rate limited"),
    UnsupportedTransferCoding: ProblemKind(
        "unsupported_transfer_coding", 501, "Unsupported transfer coding", "Of transfer codings only chunked is known."
    ),
    ConfigurationProblem: _INTERNAL,
    InvalidResponseHeader: _INTERNAL,
    InvalidResponseHeaderName: _INTERNAL,
    http.InternalServerError: _INTERNAL,
    Exception: _INTERNAL,
    errors.SearchBusy: _of(errors.SearchBusy, "search_busy", 503, "Search busy"),
    errors.StreamsBusy: _of(errors.StreamsBusy, "streams_busy", 503, "Streams busy"),
    errors.StoreUnavailable: _of(errors.StoreUnavailable, "store_unavailable", 503, "Store unavailable"),
    errors.NotReady: _of(errors.NotReady, "not_ready", 503, "Not ready"),
}

KINDS: Mapping[str, ProblemKind] = {kind.code: kind for kind in TABLE.values()}


def kind_of(error: Exception) -> ProblemKind:
    """The table's row for an exception: that of its closest listed ancestor; of Refused, its cause's."""
    cause = error.cause if isinstance(error, errors.Refused) else error
    return next(TABLE[ancestor] for ancestor in type(cause).__mro__ if ancestor in TABLE)


def is_mistake(error: Exception) -> bool:
    """Whether an exception is our fault: its traceback is of interest, and nothing of it is shown."""
    return kind_of(error) is _INTERNAL


def problem_body(error: Exception, instance: str) -> dict[str, Any]:
    """The members of an exception's problem; `instance` is the path it occurred at, not yet encoded."""
    cause = error.cause if isinstance(error, errors.Refused) else error
    kind = kind_of(error)
    body: dict[str, Any] = {
        "type": kind.type_uri,
        "title": kind.title,
        "status": kind.status,
        "detail": _detail(cause, kind),
        "instance": quote(instance, safe=_PATH_SAFE),
        "code": kind.code,
    }
    if kind is _INVALID_REQUEST:
        body["errors"] = [flaw.as_dict() for flaw in _flaws(cause)]
    if isinstance(error, errors.VersionConflict | errors.Refused):
        body["current_version"] = error.current_version
    if isinstance(cause, errors.RateLimited | errors.Unavailable):
        body["retry_after"] = cause.retry_after
    return body


def _flaws(error: Exception) -> Sequence[errors.Flaw]:
    if isinstance(error, errors.InvalidRequest):
        return error.flaws
    if isinstance(error, rules.InconsistentPosition):
        return [errors.Flaw(detail, pointer=f"/{field}") for field, detail in error.faults]
    return flaws_in(error.messages) if isinstance(error, ValidationError) else ()


def _detail(error: Exception, kind: ProblemKind) -> str:
    if isinstance(error, errors.ServiceError):
        return error.detail
    # Only the game's refusals are written for players; other messages may tell too much.
    return error.detail if isinstance(error, rules.CrispsError) and kind is not _INTERNAL else kind.detail


def problem_headers(error: Exception) -> dict[str, str]:
    """The header fields that belong to a problem: Allow, WWW-Authenticate, Retry-After."""
    headers: dict[str, str] = {}
    if isinstance(error, errors.Refused):
        return problem_headers(error.cause)
    if isinstance(error, http.HTTPException):
        headers.update((name, value) for name, value in error.get_headers() if name != "Content-Type")
    if isinstance(error, errors.MissingToken):
        headers["WWW-Authenticate"] = _CHALLENGE
    if isinstance(error, errors.InvalidToken):
        headers["WWW-Authenticate"] = f'{_CHALLENGE}, error="invalid_token"'
    if isinstance(error, errors.RateLimited | errors.Unavailable):
        headers["Retry-After"] = str(error.retry_after)
    return headers


def answer_problem(error: Exception) -> Response:
    """Answer the current request with an exception's problem, logging what is our fault."""
    kind = kind_of(error)
    if kind is _INTERNAL:
        cause = getattr(error, "original_exception", None) or error
        _log.error("request %s: %s failed", request_id(), _what(), exc_info=cause)
    elif isinstance(error, errors.Unavailable):
        _log.warning("request %s: %s: %s", request_id(), _what(), error)
    g.problem = kind.code
    body = problem_body(error, request.root_path + request.path)
    return json_response(body, body["status"], problem_headers(error), media_type=PROBLEM_JSON)


def _what() -> str:
    """The method and the pattern of the path; the path itself may hold anything."""
    return f"{request.method} {request.url_rule or '(no such path)'}"


def register(app: Flask) -> None:
    """Make every exception of the application an answer of ours."""
    app.register_error_handler(Exception, answer_problem)


def example(code: str) -> dict[str, Any]:
    """A problem of this code as the document shows it."""
    kind = KINDS[code]
    body: dict[str, Any] = {
        "type": kind.type_uri,
        "title": kind.title,
        "status": kind.status,
        "detail": kind.detail,
        "instance": "/v1/games",
        "code": code,
    }
    if code == "invalid_request":
        body["errors"] = [{"pointer": "/seats/1/level", "detail": "Must be an integer."}]
    if code == "version_conflict":
        body["current_version"] = 12
    if code in {"rate_limited", "search_busy", "store_unavailable", "not_ready", "streams_busy"}:
        body["retry_after"] = 1
    return body


def by_status(codes: Iterable[str]) -> dict[int, list[ProblemKind]]:
    """The kinds of these codes, grouped by status, both in ascending order."""
    grouped: dict[int, list[ProblemKind]] = {}
    for kind in sorted((KINDS[code] for code in set(codes)), key=lambda kind: (kind.status, kind.code)):
        grouped.setdefault(kind.status, []).append(kind)
    return grouped
