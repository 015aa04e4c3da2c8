"""Whoever sends a request slowly, or never to its end, gets no thread for it, is told so, and is let go."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest

from tests.running import running_service
from tests.service.raw import WHOLE, answer_on, answer_to, connect, ends

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.embedded import EmbeddedStore
    from tests.running import RunningService

SECONDS = 3
PART_OF_A_HEAD = b"GET /healthz HTTP/1.1\r\nHost: local"
POST = b"POST /v1/games HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
PART_OF_A_BODY = POST + b"Content-Length: 2000\r\n\r\n{"
PART_OF_CHUNKS = POST + b"Transfer-Encoding: chunked\r\n\r\nff\r\n{"
AWAITING_A_WORD = POST + b"Content-Length: 2000\r\nExpect: 100-continue\r\n\r\n"
PARTS = [PART_OF_A_HEAD, PART_OF_A_BODY, PART_OF_CHUNKS]
MORE_PARTS = [
    AWAITING_A_WORD,
    POST + b"Content-Length: 0000002000\r\n\r\n",
    POST + b"Transfer-Encoding: chunked\r\n\r\n000000000f\r\n",
]
TOO_LONG = POST + b"Content-Length: 999999\r\n\r\n"
LARGE = b"GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n"


def settings(valkey: EmbeddedStore) -> dict[str, str]:
    return {
        "REDIS_URL": valkey.url,
        "WORKERS": "1",
        "THREADS": "4",
        "STREAMS_PER_WORKER": "1",
        "STREAM_CAPACITY": "50",
        "REQUEST_TIMEOUT_SECONDS": str(SECONDS),
    }


@pytest.fixture(name="service", scope="module")
def _service(valkey: EmbeddedStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_service(tmp_path_factory.mktemp("slow"), settings(valkey)) as service:
        yield service


@pytest.fixture(name="patient", scope="module")
def _patient(valkey: EmbeddedStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """One that waits longer than any test does: what happens there does not happen because time is over."""
    environ = {**settings(valkey), "REQUEST_TIMEOUT_SECONDS": "300"}
    with running_service(tmp_path_factory.mktemp("patient"), environ) as service:
        yield service


@pytest.fixture(name="streaming", scope="module")
def _streaming(valkey: EmbeddedStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_service(tmp_path_factory.mktemp("streaming"), settings(valkey), module="service.streaming") as service:
        yield service


@pytest.fixture(name="hasty", scope="module")
def _hasty(valkey: EmbeddedStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """One that waits two seconds for an answer to be taken."""
    environ = {**settings(valkey), "REQUEST_TIMEOUT_SECONDS": "0.5"}
    with running_service(tmp_path_factory.mktemp("hasty"), environ) as service:
        yield service


@contextlib.contextmanager
def slow_clients(service: RunningService, count: int, *parts: bytes) -> Iterator[list[socket.socket]]:
    with contextlib.ExitStack() as closing:
        clients = [closing.enter_context(connect(service)) for _ in range(count)]
        for number, client in enumerate(clients):
            client.sendall(parts[number % len(parts)])
        yield clients


@contextlib.contextmanager
def dripping(clients: list[socket.socket], drop: bytes = b"x") -> Iterator[None]:
    """Every client goes on to send a byte now and then, as long as it can."""
    done = threading.Event()

    def drip() -> None:
        while not done.wait(0.2):
            for client in clients:
                with contextlib.suppress(OSError):
                    client.send(drop)

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def received(client: socket.socket) -> Iterator[bytes]:
    """All that comes until the connection ends."""
    with contextlib.suppress(ConnectionResetError):
        while data := client.recv(1 << 20):
            yield data


def test_requests_that_are_not_whole_take_no_threads(patient: RunningService) -> None:
    with slow_clients(patient, 60, *PARTS, *MORE_PARTS) as clients, dripping(clients, b" "):
        assert [answer_to(patient, WHOLE).status for _ in range(20)] == [200] * 20


def test_a_request_in_pieces_is_answered_once_it_is_whole(patient: RunningService) -> None:
    with connect(patient) as client:
        for whole in (
            POST + b"Content-Length: 2\r\n\r\n{}",
            POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        ):
            for byte in whole:
                client.sendall(bytes([byte]))
            assert answer_on(client).status == 201


def test_requests_sent_at_once_are_answered_in_order(patient: RunningService) -> None:
    body = POST + b"Content-Length: 2\r\n\r\n{}"
    with connect(patient) as client:
        client.sendall(WHOLE + body + WHOLE[:20])
        assert [answer_on(client).status for _ in range(2)] == [200, 201]
        client.sendall(WHOLE[20:])
        assert answer_on(client).status == 200


def test_who_closes_in_the_midst_of_a_request_is_forgotten(patient: RunningService) -> None:
    for part in PARTS * 10:
        with connect(patient) as client:
            client.sendall(part)
    assert answer_to(patient, WHOLE).status == 200


def test_who_waits_to_be_asked_for_the_body_is_asked(patient: RunningService) -> None:
    with connect(patient) as client:
        client.sendall(AWAITING_A_WORD)
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"{}".ljust(2000))
        assert answer_on(client).status == 201


@pytest.mark.slow
@pytest.mark.parametrize("part", [*PARTS, AWAITING_A_WORD], ids=["head", "body", "chunks", "expecting"])
@pytest.mark.parametrize("drips", [False, True], ids=["silent", "dripping"])
def test_a_request_that_does_not_come_to_its_end_is_refused_in_time(
    service: RunningService, part: bytes, drips: bool
) -> None:
    begun = time.monotonic()
    with slow_clients(service, 1, part) as (client,), dripping([client] if drips else []):
        if part == AWAITING_A_WORD:
            assert client.recv(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
        answer = answer_on(client)
        assert (answer.status, answer.json["code"]) == (408, "request_timeout")
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["connection"] == "close"
        assert ends(client)
    assert time.monotonic() - begun >= SECONDS - 1


def test_on_a_kept_connection_as_well(service: RunningService) -> None:
    with connect(service) as client:
        client.sendall(WHOLE)
        assert answer_on(client).status == 200
        client.sendall(PART_OF_A_HEAD)
        assert answer_on(client).status == 408
        assert ends(client)


def test_who_says_nothing_at_all_is_let_go_without_a_word(service: RunningService) -> None:
    with connect(service) as client:
        assert ends(client)


@pytest.mark.slow
def test_when_every_place_is_taken_by_slow_clients_all_is_well_after_the_deadline(service: RunningService) -> None:
    places = 1000 + 4 + 1
    with slow_clients(service, places, *PARTS, AWAITING_A_WORD):
        answer = answer_to(service, WHOLE)
    assert answer.status == 200


def test_who_does_not_close_an_answered_connection_holds_nobody_up(patient: RunningService) -> None:
    closing = WHOLE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    with slow_clients(patient, 100, closing), connect(patient) as client:
        client.settimeout(20)  # gunicorn would linger two seconds on each, one after the other
        client.sendall(WHOLE)
        assert answer_on(client).status == 200


@pytest.mark.slow
def test_who_does_not_take_an_answer_gives_the_thread_back(hasty: RunningService) -> None:
    with slow_clients(hasty, 12, LARGE * 4) as clients:
        with connect(hasty) as client:
            client.settimeout(30)
            client.sendall(WHOLE)
            assert answer_on(client).status == 200
        taken = [sum(len(data) for data in received(client)) for client in clients]
    assert len([size for size in taken if size < 4 * 1_500_000]) >= 5  # as many as there are threads


def test_a_body_that_is_refused_unread_is_not_waited_for(patient: RunningService) -> None:
    with slow_clients(patient, 60, TOO_LONG) as clients:
        for client in clients:
            client.settimeout(20)  # five seconds for each, and five threads: a minute
            assert answer_on(client).status == 413
        assert answer_to(patient, WHOLE).status == 200


def test_a_stream_lives_on_after_the_deadline_for_requests(service: RunningService) -> None:
    game = answer_to(service, POST + b"Content-Length: 2\r\n\r\n{}").json["game"]["id"]
    with connect(service) as client:
        client.sendall(
            f"GET /v1/games/{game}/events HTTP/1.1\r\nHost: x\r\nAccept: application/x-ndjson\r\n\r\n".encode()
        )
        begun = time.monotonic()
        while time.monotonic() < begun + SECONDS + 1:
            assert client.recv(4096)  # the snapshot, then something every five seconds


@pytest.mark.slow
def test_the_process_for_streams_lets_slow_clients_go_too(streaming: RunningService) -> None:
    with slow_clients(streaming, 60, PART_OF_A_HEAD) as clients, dripping(clients):
        assert answer_to(streaming, WHOLE).status == 200
        answers = [answer_on(client) for client in clients]
        assert {(answer.status, answer.json["code"]) for answer in answers} == {(408, "request_timeout")}
        assert all(ends(client) for client in clients)
    with connect(streaming) as client:
        client.sendall(PART_OF_A_BODY)
        assert answer_on(client).status == 404  # nothing here reads a body
        assert ends(client)
    with connect(streaming) as client:
        assert ends(client)


def test_the_process_for_streams_keeps_connections_and_reads_requests_in_pieces(streaming: RunningService) -> None:
    with connect(streaming) as client:
        for _ in range(2):
            client.sendall(WHOLE[:9])
            client.sendall(WHOLE[9:])
            assert answer_on(client).status == 200
        client.sendall(POST + b"Content-Length: 2\r\n\r\n{}" + WHOLE)
        assert [answer_on(client).status for _ in range(2)] == [404, 200]


@pytest.mark.slow
def test_the_process_for_streams_goes_on_with_a_stream_whose_client_says_something_late(
    service: RunningService, streaming: RunningService
) -> None:
    game = answer_to(service, POST + b"Content-Length: 2\r\n\r\n{}").json["game"]["id"]
    with connect(streaming) as client:
        client.sendall(f"GET /v1/games/{game}/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n".encode())
        begun = time.monotonic()
        while time.monotonic() < begun + SECONDS + 1:
            client.recv(4096)
        client.sendall(b"\r\n")
        told = b""
        while told.count(b":") < 2:  # it looks whether somebody is there before each sign of life
            data = client.recv(4096)
            assert data
            told += data
        assert b"stream_ended" not in told
