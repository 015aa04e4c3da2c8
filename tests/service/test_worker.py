"""What a worker does where the system gives it too little, and when it fails itself."""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from service.config import Config
from service.server import Server
from service.worker import Worker
from tests.running import ROOT, eventually, running_service
from tests.service.failing_service import FAIL_WHEN
from tests.service.raw import WHOLE, answer_on, answer_to, connect

if TYPE_CHECKING:
    from service.embedded import EmbeddedStore
    from tests.running import RunningService

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")

CREATE = (
    b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n"
    b'{"ai_reply":"auto"} '
)


def settings(valkey: EmbeddedStore) -> dict[str, str]:
    return {"REDIS_URL": valkey.url, "WORKERS": "1", "LOG_FORMAT": "json"}


def workers(service: RunningService) -> set[str]:
    pid = service.process.pid
    return set(Path(f"/proc/{pid}/task/{pid}/children").read_text().split())


def open_files(pid: str) -> int:
    found = re.search(r"Max open files +(\d+)", Path(f"/proc/{pid}/limits").read_text())
    assert found
    return int(found[1])


def follow(service: RunningService) -> socket.socket:
    """A live stream, its first message read."""
    game = answer_to(service, CREATE).json["game"]["id"]
    client = connect(service)
    client.sendall(f"GET /v1/games/{game}/events HTTP/1.1\r\nHost: x\r\nAccept: application/x-ndjson\r\n\r\n".encode())
    read_until(client, b'"snapshot"')
    return client


def read_until(client: socket.socket, wanted: bytes) -> None:
    seen = b""
    while wanted not in seen:
        data = client.recv(4096)
        assert data, seen
        seen += data


@pytest.mark.slow
@pytest.mark.parametrize(("module", "least"), [("service", 1000), ("service.streaming", 4096)])
def test_each_process_may_hold_as_many_connections_as_it_should(
    valkey: EmbeddedStore, tmp_path: Path, module: str, least: int
) -> None:
    prefix = ["bash", "-c", 'ulimit -S -n 100; exec "$@"', "--"]
    with running_service(tmp_path, settings(valkey), prefix, module) as service:
        assert eventually(lambda: len(workers(service)) == 1)
        assert all(open_files(pid) > least for pid in workers(service))
        assert "hard limit" not in service.log.read_text()
        with contextlib.ExitStack() as closing:
            for _ in range(200):
                closing.enter_context(connect(service))
            assert answer_to(service, WHOLE).status == 200


@pytest.mark.slow
def test_without_enough_files_new_connections_wait_and_all_others_go_on(valkey: EmbeddedStore, tmp_path: Path) -> None:
    prefix = ["bash", "-c", 'ulimit -n 100; exec "$@"', "--"]
    with running_service(tmp_path, settings(valkey), prefix) as service, follow(service) as stream:
        assert eventually(lambda: len(workers(service)) == 1)
        before = workers(service)
        with connect(service) as kept, contextlib.ExitStack() as closing:
            kept.sendall(WHOLE[:10])
            for _ in range(200):
                closing.enter_context(connect(service))
            assert eventually(lambda: "new connections have to wait: Too many open files" in service.log.read_text())
            kept.sendall(WHOLE[10:])
            assert answer_on(kept).status == 200
            read_until(stream, b"\n")
        assert answer_to(service, WHOLE).status == 200
        assert workers(service) == before
        assert re.search(r"may open 100 files here and needs 1\d\d\d .* raise the hard limit", service.log.read_text())
        assert "Traceback" not in service.log.read_text()


def test_the_process_for_streams_goes_on_without_enough_files_too(valkey: EmbeddedStore, tmp_path: Path) -> None:
    prefix = ["bash", "-c", 'ulimit -n 100; exec "$@"', "--"]
    with running_service(tmp_path, settings(valkey), prefix, "service.streaming") as service:
        assert eventually(lambda: len(workers(service)) == 1)
        before = workers(service)
        with contextlib.ExitStack() as closing:
            for _ in range(200):
                closing.enter_context(connect(service))
            assert eventually(lambda: "Too many open files" in service.log.read_text())
        assert answer_to(service, WHOLE).status == 200
        assert workers(service) == before, service.log.read_text()
        assert "raise the hard limit" in service.log.read_text()


def test_when_a_worker_fails_its_streams_get_their_end_and_another_takes_over(
    valkey: EmbeddedStore, tmp_path: Path
) -> None:
    told = tmp_path / "fail"
    environ = {**settings(valkey), FAIL_WHEN: str(told)}
    with running_service(tmp_path, environ, module="tests.service.failing_service") as service:
        with follow(service) as stream:
            before = workers(service)
            told.touch()
            read_until(stream, b'{"type":"stream_ended","reason":"stopping"}')
        assert eventually(lambda: len(workers(service) - before) == 1)
        assert answer_to(service, WHOLE).status == 200
        assert "ZeroDivisionError" in service.log.read_text()


WITHOUT_ROOM = """
import os, resource
from pathlib import Path
from service.config import Config
from service.server import Server
from service.worker import Worker

server = Server(Config(threads=512, streams_per_worker=1024), "nowhere")
worker = Worker(1, os.getppid(), [], server, 30, server.cfg, None)
room = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + 200 * 2**20
resource.setrlimit(resource.RLIMIT_AS, (room, room))
try:
    worker.get_thread_pool()
except RuntimeError as error:
    print(error)
"""


def test_a_worker_that_cannot_start_its_threads_says_so_and_ends() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT_ROOM], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.stdout.startswith("a worker could not start its 1536 threads; lower THREADS or STREAMS_PER_WORKER")
    assert ended.returncode == 0, ended.stderr


def test_a_worker_told_to_stop_before_it_has_begun_serves_who_has_come() -> None:
    server = Server(Config(), "nowhere")
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname(), timeout=10) as client,
        selectors.DefaultSelector() as poller,
    ):
        client.sendall(b"GET / HTTP/1.1\r\n")
        worker = Worker(1, os.getppid(), [listener], server, 30, server.cfg, None)
        worker.poller, worker.alive = poller, False
        for enabled in (True, False):  # as gunicorn's main loop does
            worker.set_accept_enabled(enabled=enabled)
        assert worker.nr_conns == 1
        for connection in worker._arriving:
            connection.close()
        worker.tmp.close()
