"""Every refusal is an RFC 9457 problem, and nothing else leaves the service."""

from __future__ import annotations

import functools
import logging
import socket
from typing import TYPE_CHECKING, Any

import pytest
import werkzeug.exceptions as http
from gunicorn.http import errors as faults
from marshmallow import ValidationError

from engine import errors as rules
from service import errors
from service.answers import PROBLEM_JSON
from service.deadlines import RequestTimedOut
from service.problems import KINDS, TABLE, example, kind_of
from tests.service.probe_api import probe_app

if TYPE_CHECKING:
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

# API.md's list, and what it leaves open: clients go by these.
STATUS_BY_CODE = {
    "bad_request": 400,
    "malformed_json": 400,
    "missing_token": 401,
    "invalid_token": 401,
    "unknown_game": 404,
    "unknown_deal": 404,
    "not_found": 404,
    "method_not_allowed": 405,
    "not_acceptable": 406,
    "request_timeout": 408,
    "not_your_turn": 409,
    "wrong_phase": 409,
    "game_finished": 409,
    "deal_in_progress": 409,
    "deadline_not_reached": 409,
    "version_conflict": 412,
    "payload_too_large": 413,
    "uri_too_long": 414,
    "unsupported_media_type": 415,
    "expectation_failed": 417,
    "invalid_request": 422,
    "cards_not_in_hand": 422,
    "not_a_combination": 422,
    "does_not_follow": 422,
    "leader_may_not_pass": 422,
    "idempotency_key_reused": 422,
    "version_required": 428,
    "rate_limited": 429,
    "headers_too_large": 431,
    "internal_error": 500,
    "unsupported_transfer_coding": 501,
    "search_busy": 503,
    "streams_busy": 503,
    "store_unavailable": 503,
    "not_ready": 503,
}

# One exception for each code; several where the code has several sources.
RAISED: list[tuple[Exception, str]] = [
    (errors.MalformedJson(), "malformed_json"),
    (http.BadRequest(), "bad_request"),
    (http.NotAcceptable(), "bad_request"),
    (faults.InvalidChunkSize(b"ZZ"), "bad_request"),
    (RequestTimedOut(), "request_timeout"),
    (faults.LimitRequestLine(5000, 4094), "uri_too_long"),
    (faults.ExpectationFailed("a secret"), "expectation_failed"),
    (faults.LimitRequestHeaders("a secret"), "headers_too_large"),
    (faults.UnsupportedTransferCoding("a secret"), "unsupported_transfer_coding"),
    (errors.MissingToken(), "missing_token"),
    (errors.InvalidToken(), "invalid_token"),
    (errors.UnknownGame(), "unknown_game"),
    (errors.UnknownDeal(), "unknown_deal"),
    (errors.NotFound(), "not_found"),
    (http.NotFound(), "not_found"),
    (http.MethodNotAllowed(["GET"]), "method_not_allowed"),
    (errors.PayloadTooLarge(), "payload_too_large"),
    (http.RequestEntityTooLarge(), "payload_too_large"),
    (errors.UnsupportedMediaType(), "unsupported_media_type"),
    (http.UnsupportedMediaType(), "unsupported_media_type"),
    (errors.InvalidRequest.at("/cards/0", "No such card."), "invalid_request"),
    (ValidationError({"cards": {0: ["No such card."]}}), "invalid_request"),
    (rules.InconsistentPosition([("draw_pile", "Must be odd.")]), "invalid_request"),
    (errors.IdempotencyKeyReused(), "idempotency_key_reused"),
    (errors.VersionRequired(), "version_required"),
    (errors.VersionConflict(12), "version_conflict"),
    (errors.DealInProgress(), "deal_in_progress"),
    (errors.DeadlineNotReached(), "deadline_not_reached"),
    (rules.GameFinished("Over."), "game_finished"),
    (rules.WrongPhase("Not now."), "wrong_phase"),
    (rules.NotYourTurn("Not yet."), "not_your_turn"),
    (rules.CardsNotInHand("No 7."), "cards_not_in_hand"),
    (rules.NotACombination("1 and 3."), "not_a_combination"),
    (rules.DoesNotFollow("Too low."), "does_not_follow"),
    (rules.LeaderMayNotPass("Lead."), "leader_may_not_pass"),
    (errors.Refused(rules.NotYourTurn("Not yet."), 12), "not_your_turn"),
    (errors.RateLimited(7), "rate_limited"),
    (errors.SearchBusy(7), "search_busy"),
    (errors.StreamsBusy(7), "streams_busy"),
    (errors.NotAcceptable(), "not_acceptable"),
    (errors.StoreUnavailable(7, "refused"), "store_unavailable"),
    (errors.NotReady(7), "not_ready"),
    (ZeroDivisionError("a secret"), "internal_error"),
    (faults.ConfigurationProblem("a secret"), "internal_error"),
    (faults.InvalidResponseHeader("a secret"), "internal_error"),  # type: ignore[attr-defined] # missing in the stubs
    (faults.InvalidResponseHeaderName("a secret"), "internal_error"),  # type: ignore[attr-defined] # missing in the stubs
    (rules.UnreadableNotation("a secret"), "internal_error"),
    (http.InternalServerError(original_exception=KeyError("a secret")), "internal_error"),
]


_next: list[Exception] = []


def _raise_next() -> None:
    raise _next.pop()


@functools.cache
def client() -> FlaskClient:
    return probe_app(_raise_next).test_client()


def answer_to(error: Exception, method: str = "GET") -> TestResponse:
    _next.append(error)
    return client().open("/raise", method=method)


def problem_of(answer: TestResponse) -> dict[str, Any]:
    assert answer.content_type == PROBLEM_JSON
    body = answer.get_json()
    assert isinstance(body, dict)
    assert body["status"] == answer.status_code
    assert body["type"] == f"/problems/{body['code']}"
    return body


def test_the_codes_and_their_statuses_are_those_of_the_contract() -> None:
    assert {code: kind.status for code, kind in KINDS.items()} == STATUS_BY_CODE


def test_every_code_can_be_reached() -> None:
    assert {code for _, code in RAISED} == set(KINDS)


def test_every_row_of_the_table_is_reached_by_an_exception_of_its_own() -> None:
    reached = {next(t for t in type(error).__mro__ if t in TABLE) for error, _ in RAISED[:-2]}
    assert set(TABLE) - reached <= {http.InternalServerError}


@pytest.mark.parametrize(("error", "code"), RAISED, ids=lambda value: str(value)[:40])
def test_an_exception_becomes_the_problem_of_its_code(error: Exception, code: str) -> None:
    answer = answer_to(error)
    body = problem_of(answer)
    kind = KINDS[code]
    assert answer.status_code == STATUS_BY_CODE[code]
    assert (body["code"], body["title"], body["instance"]) == (code, kind.title, "/raise")
    assert body["detail"]
    assert "secret" not in answer.text


@pytest.mark.parametrize(("error", "code"), RAISED, ids=lambda value: str(value)[:40])
def test_head_of_a_problem_has_its_header_and_no_body(error: Exception, code: str) -> None:
    answer = answer_to(error, "HEAD")
    assert (answer.status_code, answer.content_type, answer.data) == (STATUS_BY_CODE[code], PROBLEM_JSON, b"")


def test_the_rules_own_words_reach_the_player() -> None:
    assert problem_of(answer_to(rules.DoesNotFollow("5-5 is lower than 6-6.")))["detail"] == "5-5 is lower than 6-6."


def test_a_conflict_and_a_refusal_tell_the_current_version() -> None:
    assert problem_of(answer_to(errors.VersionConflict(12)))["current_version"] == 12
    assert problem_of(answer_to(errors.Refused(rules.WrongPhase("No."), 9)))["current_version"] == 9
    required = answer_to(errors.Refused(errors.VersionRequired(), 9))
    assert (required.status_code, problem_of(required)["current_version"]) == (428, 9)
    assert answer_to(errors.Refused(errors.SearchBusy(7), 9)).headers["Retry-After"] == "7"


def test_a_refusal_is_not_logged_as_a_mistake(caplog: pytest.LogCaptureFixture) -> None:
    answer_to(errors.Refused(rules.WrongPhase("No."), 9))
    answer_to(errors.UnknownGame())
    assert not caplog.records


def test_flaws_name_their_place() -> None:
    expected = [{"pointer": "/cards/0", "detail": "No such card."}]
    assert problem_of(answer_to(ValidationError({"cards": {0: ["No such card."]}})))["errors"] == expected
    position = rules.InconsistentPosition([("draw_pile", "Must be odd.")])
    assert problem_of(answer_to(position))["errors"] == [{"pointer": "/draw_pile", "detail": "Must be odd."}]
    query = errors.InvalidRequest.parameter("after", "Must be an integer.")
    assert problem_of(answer_to(query))["errors"] == [{"parameter": "after", "detail": "Must be an integer."}]


@pytest.mark.parametrize("error", [errors.RateLimited(7), errors.SearchBusy(7), errors.StoreUnavailable(7)])
def test_who_shall_come_back_is_told_when(error: Exception) -> None:
    answer = answer_to(error)
    assert answer.headers["Retry-After"] == "7"
    assert problem_of(answer)["retry_after"] == 7


def test_401_carries_a_bearer_challenge() -> None:
    assert answer_to(errors.MissingToken()).headers["WWW-Authenticate"] == 'Bearer realm="crisps"'
    invalid = answer_to(errors.InvalidToken()).headers["WWW-Authenticate"]
    assert invalid == 'Bearer realm="crisps", error="invalid_token"'


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "FROBNICATE"])
def test_a_method_the_path_has_not_is_405_with_allow(method: str) -> None:
    answer = client().open("/healthz", method=method)
    assert problem_of(answer)["code"] == "method_not_allowed"
    assert {name.strip() for name in answer.headers["Allow"].split(",")} == {"GET", "HEAD", "OPTIONS"}


def test_options_is_answered_without_a_body_and_without_a_media_type() -> None:
    answer = client().options("/probe/1")
    assert (answer.status_code, answer.data) == (204, b"")
    assert "Content-Type" not in answer.headers
    assert {name.strip() for name in answer.headers["Allow"].split(",")} == {"GET", "HEAD", "OPTIONS", "POST"}


@pytest.mark.parametrize("path", ["/v1", "/v2/games", "/healthz/", "/probe//x", "/docs/../healthz", "/%00"])
def test_an_unknown_path_is_not_found_and_never_a_redirect(path: str) -> None:
    assert problem_of(client().get(path))["code"] == "not_found"


def test_the_instance_is_percent_encoded() -> None:
    answer = client().get("/nope/ä b%22/%FF")
    assert problem_of(answer)["instance"] == "/nope/%C3%A4%20b%22/%EF%BF%BD"


def test_a_mistake_of_ours_is_logged_under_the_request_id(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "service.problems"):
        answer = answer_to(ZeroDivisionError("a secret"))
    (record,) = caplog.records
    assert answer.headers["X-Request-Id"] in record.getMessage()
    assert record.exc_info is not None
    assert record.exc_info[0] is ZeroDivisionError


def test_why_the_store_failed_is_logged_and_not_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "service.problems"):
        answer = answer_to(errors.StoreUnavailable(1, "store.internal refused"))
    assert "store.internal refused" in caplog.text
    assert "store.internal" not in answer.text


def test_a_store_that_is_not_there_makes_the_service_not_ready_but_alive() -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))  # bound but not listening: connecting is refused
        port = reserved.getsockname()[1]
        storeless = probe_app(REDIS_URL=f"redis://127.0.0.1:{port}").test_client()
        assert storeless.get("/healthz").status_code == 200
        answer = storeless.get("/readyz")
    assert problem_of(answer)["code"] == "store_unavailable"
    assert answer.headers["Retry-After"] == "1"


@pytest.mark.parametrize("given", ["abc-1", "A" * 64, "7f.9:x_"])
def test_a_sane_request_id_is_taken_over(given: str) -> None:
    for path in ("/healthz", "/nope"):
        assert client().get(path, headers={"X-Request-Id": given}).headers["X-Request-Id"] == given


@pytest.mark.parametrize("given", ["", "A" * 65, "a b", "<script>", "ä"])
def test_another_request_id_is_replaced(given: str) -> None:
    made = client().get("/healthz", headers={"X-Request-Id": given}).headers["X-Request-Id"]
    assert made != given
    assert len(made) == 32


@pytest.mark.parametrize("path", ["/healthz", "/nope", "/raise", "/docs", "/openapi.json"])
def test_every_answer_carries_the_protecting_headers(path: str) -> None:
    _next[:] = [ZeroDivisionError()]
    headers = client().get(path).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == ("no-cache" if path in {"/docs", "/openapi.json"} else "no-store")


@pytest.mark.parametrize(("proxies", "told"), [("0", "/nope"), ("1", "/behind/nope")])
def test_forwarded_headers_count_only_behind_trusted_proxies(proxies: str, told: str) -> None:
    behind = probe_app(TRUSTED_PROXIES=proxies).test_client()
    assert problem_of(behind.get("/nope", headers={"X-Forwarded-Prefix": "/behind"}))["instance"] == told


def test_the_documents_examples_are_problems_of_their_code() -> None:
    for code, kind in KINDS.items():
        assert (example(code)["code"], example(code)["status"]) == (code, kind.status)
    assert kind_of(ZeroDivisionError()).code == "internal_error"
