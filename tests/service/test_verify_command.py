"""`python -m service.verify` as a command: what it reads, what it says, and its exit codes."""

from __future__ import annotations

import contextlib
import http.server
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import orjson
import pytest

from service import verify
from tests.recorded import ALL_RULES, a_record, changed, game_of

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The command as people run it; isolated from this environment's packages, for it needs none."""
    command = [sys.executable, "-S", "-m", "service.verify", *arguments]
    return subprocess.run(command, input=given, capture_output=True, cwd=ROOT, timeout=60, check=False)


def test_the_command_tells_line_by_line_what_it_checked(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    file.write_bytes(orjson.dumps(a_record()))
    for done in (run(str(file)), run("-", given=file.read_bytes())):
        assert done.returncode == 0, done
        lines = done.stdout.decode().splitlines()
        assert len(lines) == 7
        assert lines[-1] == "verified"
        assert done.stderr == b""


def test_the_command_takes_lines_of_json_for_a_whole_game() -> None:
    deals = game_of(ALL_RULES[0])
    done = run("-", given=b"\n".join(map(orjson.dumps, deals)) + b"\n")
    assert done.returncode == 0, done
    assert len(done.stdout.splitlines()) == 6 * len(deals) + 2


def test_the_command_says_what_does_not_verify_and_where() -> None:
    done = run("-", given=orjson.dumps(changed(a_record(), ("deck", 17), "X\x1b[2J")))
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].startswith(b"does not verify: /deck/17: ")
    assert b"\x1b" not in done.stdout


def test_the_command_tells_unreadable_from_untrue(tmp_path: Path) -> None:
    cut = orjson.dumps(a_record())[:-1]
    huge = tmp_path / "huge"
    with huge.open("wb") as file:
        file.truncate(verify.MAX_BYTES + 1)
    cases = [run(), run("a", "b"), run(str(tmp_path / "missing")), run(str(tmp_path)), run("-"), run("-", given=cut)]
    cases += [run("-", given=b"{}\n{"), run(str(huge)), run("http://127.0.0.1:1/"), run("http://[/")]
    cases += [run("-", given=b"[" * 100_000), run("-", given=b"9" * 5000)]
    for done in cases:
        assert done.returncode == 2, done
        assert done.stderr
        assert b"Traceback" not in done.stderr
        assert done.stdout == b""


class Site(http.server.BaseHTTPRequestHandler):
    """Answers /record, answers /endless without end, sends /moved, /ftp and /file elsewhere, refuses the rest."""

    refusals: ClassVar = {
        "/problem": orjson.dumps({"code": "a_code", "detail": f"Not yet,\n\x1b[2J{'x' * 1000}"}),
        "/problem/list": b"[]",
        "/problem/number": b'{"detail":1}',
        "/problem/text": b"Not yet.",
        "/problem/huge": b"{" + b" " * verify.MAX_PROBLEM_BYTES + b'"detail":"Not yet."}',
    }
    targets: ClassVar = {"/moved": "/record", "/ftp": "ftp://127.0.0.1/record", "/file": "file:///etc/hosts"}

    def do_GET(self) -> None:
        if self.path in self.targets:
            self.send_response(302)
            self.send_header("Location", self.targets[self.path])
        else:
            self.send_response(200 if self.path in {"/record", "/endless"} else 404)
        if self.path in self.refusals:
            self.send_header("Content-Type", "application/problem+json; charset=utf-8")
        self.end_headers()
        self.wfile.write(self.refusals.get(self.path, b""))
        if self.path == "/record":
            self.wfile.write(orjson.dumps(a_record()))
        if self.path == "/endless":
            with contextlib.suppress(OSError):
                while True:
                    self.wfile.write(b" " * verify.CHUNK_BYTES)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join(10)


def test_the_command_reads_a_url_and_follows_http_only(site: str) -> None:
    assert [run(f"{site}/{path}").returncode for path in ("record", "moved")] == [0, 0]
    for path in ("nothing", "ftp", "file", "endless"):
        done = run(f"{site}/{path}")
        assert done.returncode == 2, done
        assert done.stderr.startswith(site.encode())


def test_the_command_says_why_a_server_refuses(site: str) -> None:
    told = run(f"{site}/problem").stderr.decode().splitlines()
    assert len(told) == 1
    assert told[0].startswith(f"{site}/problem: the server answers 404 Not Found: Not yet, [2Jxxx")
    assert len(told[0]) < 400
    assert "\x1b" not in told[0]


@pytest.mark.parametrize("path", ["nothing", *(name[1:] for name in Site.refusals if name != "/problem")])
def test_a_refusal_without_a_detail_that_can_be_read_is_told_by_its_status(site: str, path: str) -> None:
    done = run(f"{site}/{path}")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == f"{site}/{path}: the server answers 404 Not Found\n"
