"""`python -m service` as a whole: what it starts, how it ends, and what happens when a part of it is killed."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.running import ROOT, RunningService, eventually, running_service, start_service

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.embedded import EmbeddedStore

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")


def get(service: RunningService, path: str = "/readyz") -> int:
    """The status, or 0 when nobody answers."""
    where = urlsplit(service.url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=20)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        response.read()
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()
    return response.status


def processes() -> dict[int, tuple[int, str]]:
    """Parent and command line of every living process."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if state != "Z":
                found[int(entry.name)] = (int(parent), command)
    return found


def children(pid: int) -> dict[int, str]:
    return {child: command for child, (parent, command) in processes().items() if parent == pid}


class Parts:
    """The processes of a service with an embedded store."""

    def __init__(self, service: RunningService) -> None:
        found = children(service.process.pid)
        self.store = next(pid for pid, command in found.items() if "valkey-server" in command)
        self.server = next(pid for pid, command in found.items() if "service.server" in command)
        assert eventually(lambda: len(children(self.server)) == 2)
        self.workers = set(children(self.server))
        self.all = {service.process.pid, self.store, self.server, *self.workers}

    def all_ended(self) -> bool:
        return eventually(lambda: not self.all & processes().keys())


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    """A service for one test, which ends it."""
    with running_service(tmp_path / "service", {"GRACEFUL_TIMEOUT_SECONDS": "60"}) as running:
        yield running


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service for those tests that it has to survive."""
    with running_service(tmp_path_factory.mktemp("lasting")) as running:
        yield running


def runtime_dir(service: RunningService) -> Path:
    return Path((service.data_dir / "lock").read_text())


def test_it_announces_itself_in_one_line_and_serves(lasting: RunningService) -> None:
    assert f"{lasting.url}/docs" in lasting.announcement
    assert str(lasting.data_dir) in lasting.announcement
    assert lasting.url.startswith("http://127.0.0.1:")
    assert get(lasting, "/healthz") == get(lasting, "/readyz") == 200
    assert lasting.output == [lasting.announcement]


def leaves_nothing(parts: Parts, service: RunningService, folder: Path) -> bool:
    """Whether no process, no socket and no lock is left of a service that has ended."""
    return parts.all_ended() and not folder.exists() and (service.data_dir / "lock").read_text() == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_request_under_way_is_finished_with_the_store_before_all_ends(service: RunningService, number: int) -> None:
    where, parts, folder = urlsplit(service.url), Parts(service), runtime_dir(service)
    assert folder.is_dir()
    with socket.create_connection((where.hostname, where.port or 0), timeout=20) as client:
        client.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n")
        service.process.send_signal(number)
        assert eventually(lambda: get(service, "/healthz") == 0)
        client.sendall(b"\r\n")
        assert client.recv(4096).startswith(b"HTTP/1.1 200 ")
    assert service.process.wait(30) == 0
    assert leaves_nothing(parts, service, folder)


@pytest.mark.slow
@pytest.mark.parametrize("numbers", [[signal.SIGQUIT], [signal.SIGINT, signal.SIGINT]])
def test_quit_or_a_second_interrupt_does_not_wait_for_requests(tmp_path: Path, numbers: list[int]) -> None:
    with running_service(tmp_path, {"GRACEFUL_TIMEOUT_SECONDS": "300"}) as service:
        where, parts, folder = urlsplit(service.url), Parts(service), runtime_dir(service)
        with socket.create_connection((where.hostname, where.port or 0), timeout=20) as client:
            client.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n")
            for number in numbers:
                service.process.send_signal(number)
                assert eventually(lambda: get(service, "/healthz") == 0)
            assert service.process.wait(30) == 0
        assert leaves_nothing(parts, service, folder)


def test_when_the_launcher_is_killed_nothing_runs_on(service: RunningService) -> None:
    parts, folder = Parts(service), runtime_dir(service)
    service.stop(signal.SIGKILL)
    assert parts.all_ended()
    shutil.rmtree(folder)  # the next launcher on the data folder would do it


def test_a_crashed_store_is_started_again_on_the_same_games(lasting: RunningService) -> None:
    parts = Parts(lasting)
    assert get(lasting) == 200
    for _ in range(3):
        os.kill(Parts(lasting).store, signal.SIGKILL)
        assert eventually(lambda: get(lasting) == 200)
    assert Parts(lasting).store != parts.store
    assert Parts(lasting).workers == parts.workers
    assert "starting it again" in lasting.log.read_text()


def test_when_the_server_is_killed_the_store_stops_and_the_code_tells(service: RunningService) -> None:
    parts = Parts(service)
    os.kill(parts.server, signal.SIGKILL)
    assert service.process.wait(30) == 128 + signal.SIGKILL
    assert parts.all_ended()


def test_a_killed_worker_is_replaced(lasting: RunningService) -> None:
    parts = Parts(lasting)
    for worker in parts.workers:
        os.kill(worker, signal.SIGKILL)
    assert eventually(lambda: len(set(children(parts.server)) - parts.workers) == 2)
    assert get(lasting) == 200


def test_a_hangup_brings_new_workers_and_no_gap(lasting: RunningService) -> None:
    parts = Parts(lasting)
    lasting.process.send_signal(signal.SIGHUP)
    assert eventually(lambda: not parts.workers & processes().keys())
    assert get(lasting) == 200
    assert len(Parts(lasting).workers) == 2
    assert Parts(lasting).store == parts.store


def test_a_second_service_on_the_same_folder_is_refused_and_the_first_goes_on(lasting: RunningService) -> None:
    with pytest.raises(AssertionError, match="in use by another running service"):
        start_service(lasting.log.parent)
    assert get(lasting) == 200


@pytest.mark.slow
def test_a_port_in_use_ends_the_start_with_a_code_and_without_a_store(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        environ = {"PORT": str(taken.getsockname()[1])}
        with pytest.raises(AssertionError, match=r"ended with code [1-9](.|\n)*[Aa]ddress"):
            start_service(tmp_path, environ)
    assert (tmp_path / "data" / "lock").read_text() == ""


def test_bad_settings_are_told_together_and_nothing_starts(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"ended with code 2(.|\n)*WORKERS must(.|\n)*LOG_LEVEL must"):
        start_service(tmp_path, {"WORKERS": "none", "LOG_LEVEL": "loud"})
    assert not (tmp_path / "data").exists()


def test_a_data_folder_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(AssertionError, match=r"ended with code 1(.|\n)*set DATA_DIR or REDIS_URL"):
        start_service(tmp_path)


@pytest.mark.slow
def test_with_a_redis_url_it_serves_from_there_without_a_store_of_its_own(
    valkey: EmbeddedStore, tmp_path: Path
) -> None:
    host, shown = ("::1", "[::1]") if Path("/proc/net/if_inet6").exists() else ("127.0.0.1", "127.0.0.1")
    with running_service(tmp_path, {"REDIS_URL": f"{valkey.url}?password=", "HOST": host}) as service:
        assert service.url.startswith(f"http://{shown}:")
        assert get(service) == 200
        assert "password" not in service.announcement
        assert not service.data_dir.exists()
        assert eventually(lambda: len(children(service.process.pid)) == 2)
        assert not any("valkey" in command for command in children(service.process.pid).values())
        assert service.stop() == 0


def isolated() -> list[str] | None:
    """A command that runs another as process 1 of a new process namespace, if that is allowed here."""
    unshare = shutil.which("unshare")
    command = [unshare or "", "--pid", "--fork", "--kill-child", "--mount-proc"]
    try:
        subprocess.run([*command, "true"], check=True, capture_output=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return None
    return command


AS_PROCESS_1 = """
import json, os, pathlib, subprocess, sys, time, urllib.request
# an orphan: its parent ends at once, so process 1 has to collect it
url = sys.argv[1]
subprocess.run(["sh", "-c", "sleep 0.2 & sleep 0.2 &"], check=True)
time.sleep(2.5)
states = [p.read_text().rpartition(")")[2].split()[0] for p in pathlib.Path("/proc").glob("[0-9]*/stat")]
print(json.dumps({"zombies": states.count("Z"), "first": pathlib.Path("/proc/1/cmdline").read_text()}))
"""


@pytest.mark.slow
def test_as_process_1_it_collects_orphans_and_ends_on_a_signal(tmp_path: Path) -> None:
    prefix = isolated()
    if prefix is None:
        pytest.skip("no new process namespace may be made here")
    with running_service(tmp_path, prefix=prefix) as service:
        assert get(service) == 200
        (first,) = [pid for pid, command in children(service.process.pid).items() if "service" in command]
        answer = subprocess.run(
            ["nsenter", "--target", str(first), "--pid", "--mount", sys.executable, "-c", AS_PROCESS_1, service.url],
            check=True,
            capture_output=True,
            text=True,
            timeout=60,
            cwd=ROOT,
        )
        seen: dict[str, Any] = json.loads(answer.stdout)
        assert "service" in seen["first"]
        assert seen["zombies"] == 0
        os.kill(first, signal.SIGTERM)
        assert service.process.wait(30) == 0
