"""What is no proper HTTP gets a problem like everything else, from both kinds of process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from service.config import Config
from service.deadlines import RequestTimedOut
from service.http_problems import problem_bytes
from tests.running import running_service
from tests.service.raw import WHOLE, answer_on, answer_to, connect, ends

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.embedded import EmbeddedStore
    from tests.running import RunningService

SECRET = "hush-hush"
HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
WRONG = [
    (f"{SECRET}\r\n\r\n".encode(), 400, "bad_request"),
    (f"GET /{SECRET} HTTP/9.9\r\n\r\n".encode(), 400, "bad_request"),
    (f"GET /healthz?{SECRET} HTTP/1.1\nHost: x\n\n".encode(), 400, "bad_request"),
    (HEAD + f"Authorization {SECRET}\r\n\r\n".encode(), 400, "bad_request"),
    (HEAD + f"Authorization: {SECRET}\0\r\n\r\n".encode(), 400, "bad_request"),
    (HEAD + f" {SECRET}\r\n\r\n".encode(), 400, "bad_request"),
    (HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400, "bad_request"),
    (b"GET /" + 5000 * b"x" + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414, "uri_too_long"),
    (b"GET /" + 9000 * b"x", 414, "uri_too_long"),
    (HEAD + f"Expect: {SECRET}\r\n\r\n".encode(), 417, "expectation_failed"),
    (HEAD + b"X: " + 9000 * b"x" + b"\r\n\r\n", 431, "headers_too_large"),
    (HEAD + 200 * b"X: y\r\n" + b"\r\n", 431, "headers_too_large"),
    (HEAD + f"Transfer-Encoding: {SECRET}\r\n\r\n".encode(), 501, "unsupported_transfer_coding"),
]
CODED = ["gzip, chunked", "deflate,chunked", "identity, chunked", "gzip\r\nTransfer-Encoding: chunked", "xchunked"]
CHUNKED = b" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.fixture(name="service", scope="module", params=["service", "service.streaming"])
def _service(
    request: pytest.FixtureRequest, valkey: EmbeddedStore, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    environ = {"REDIS_URL": valkey.url, "WORKERS": "1", "LOG_LEVEL": "info", "LOG_FORMAT": "json"}
    with running_service(tmp_path_factory.mktemp("wrong"), environ, module=request.param) as service:
        yield service


@pytest.mark.parametrize(("sent", "status", "code"), WRONG, ids=lambda value: str(value)[:40])
def test_what_is_wrong_is_a_problem_and_ends_the_connection(
    service: RunningService, sent: bytes, status: int, code: str
) -> None:
    with connect(service) as client:
        client.sendall(sent)
        answer = answer_on(client)
        assert ends(client)
    assert (answer.status, answer.json["status"], answer.json["code"]) == (status, status, code)
    assert set(answer.json) == {"type", "title", "status", "detail", "instance", "code"}
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["connection"] == "close"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "X-Request-Id" in answer.headers["access-control-expose-headers"]
    assert SECRET.encode() not in answer.body
    log = service.log.read_text()
    assert f"request {answer.headers['x-request-id']}: invalid, from ip=127.0.0.1: " in log
    assert SECRET not in log
    assert "Traceback" not in log


@pytest.mark.parametrize("coding", CODED)
@pytest.mark.parametrize("path", ["/v1/games", "/healthz", "/nothing"])
def test_a_transfer_coding_beside_chunked_is_501(service: RunningService, path: str, coding: str) -> None:
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: {coding}\r\n\r\n"
    answer = answer_to(service, head.encode() + b"2\r\n{}\r\n0\r\n\r\n")
    assert (answer.status, answer.json["code"]) == (501, "unsupported_transfer_coding")


def test_chunked_alone_is_known_in_any_case_of_letters(service: RunningService) -> None:
    sent = b"GET /healthz" + CHUNKED.replace(b"chunked", b"Chunked") + b"2\r\n{}\r\n0\r\n\r\n"
    assert answer_to(service, sent).status == 200


def test_what_could_not_be_read_is_counted(service: RunningService) -> None:
    def counted() -> float:
        lines = answer_to(service, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").body.decode().splitlines()
        name = 'crisps_requests_total{method="other",route="other",status="417"} '
        return sum(float(line.removeprefix(name)) for line in lines if line.startswith(name))

    before = counted()
    assert answer_to(service, HEAD + b"Expect: nothing\r\n\r\n").status == 417
    assert counted() == before + 1


def test_a_good_request_afterwards_is_answered(service: RunningService) -> None:
    assert answer_to(service, WHOLE).status == 200


@pytest.mark.parametrize("rest", [b"ZZ\r\n", b"2\r\n{}xx", b"0\r\nno trailer\r\n\r\n"])
@pytest.mark.parametrize("path", [b"/v1/games", b"/nothing/that/reads/a/body"])
def test_a_wrong_body_gets_one_answer_at_once(service: RunningService, path: bytes, rest: bytes) -> None:
    with connect(service) as client:
        client.sendall(b"POST " + path + CHUNKED + rest)
        assert answer_on(client).status in {400, 404}
        assert ends(client)


def test_origins_that_are_listed_are_not_told_apart_where_none_could_be_read() -> None:
    listed, closed = (Config(cors_origins=origins) for origins in (("https://game.example",), ()))
    assert b"\r\nVary: Origin\r\n" in problem_bytes(RequestTimedOut(), "an-id", listed)
    for config in (listed, closed):
        assert b"Access-Control" not in problem_bytes(RequestTimedOut(), "an-id", config)
