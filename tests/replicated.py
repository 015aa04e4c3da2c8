"""A store that outlives its master: servers that follow it, and three Sentinels that choose another one."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
from typing import TYPE_CHECKING, Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.embedded import server_program
from tests.running import eventually

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "Games"  # a master's name may have capitals, which hosts in URLs lose
PASSWORD, SENTINEL_PASSWORD = "open-sesame", "open-poppy"
SENTINELS = 3
DOWN_MS = 3000
"""After so long without an answer a Sentinel takes a server for dead. A busy machine makes a living one silent for a
second; it would be replaced by a replica that may not have its data yet."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class ReplicatedStore:
    """Servers, of which one is the master, and Sentinels, all on 127.0.0.1."""

    def __init__(self, folder: Path, servers: int) -> None:
        self._folder = folder
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self.servers = [free_port() for _ in range(servers)]
        self.sentinels = [free_port() for _ in range(SENTINELS)]

    @property
    def settings(self) -> dict[str, str]:
        """The service's settings for this store."""
        return {
            "REDIS_URL": f"redis://:{PASSWORD}@{NAME}/0",
            "REDIS_SENTINELS": ", ".join(f"127.0.0.1:{port}" for port in self.sentinels),
            "REDIS_SENTINEL_PASSWORD": SENTINEL_PASSWORD,
        }

    def client(self, port: int) -> Any:
        """A client of one server or Sentinel."""
        password = SENTINEL_PASSWORD if port in self.sentinels else PASSWORD
        return redis.Redis(port=port, password=password, socket_timeout=2, retry=Retry(NoBackoff(), 0))

    def start(self) -> None:
        """Return once the Sentinels know each other and all servers, and the replicas are up to date."""
        for port in self.servers:
            self.start_server(port, self.servers[0])
        assert eventually(self._replicas_follow), self.log  # Sentinels ask for them at once, and then every ten seconds
        for port in self.sentinels:
            self._start_sentinel(port)
        assert eventually(self._sentinels_know), self.log

    def _may_fail_over(self) -> bool:
        """Whether every replica has what the master has, and every Sentinel knows it alive."""
        with contextlib.suppress(redis.RedisError):
            seen = [one for port in self.sentinels for one in self.client(port).sentinel_slaves(NAME)]
            alive = [one for one in seen if one["flags"] == "slave"]
            return len(alive) == SENTINELS * (len(self.servers) - 1) and self._replicas_follow()
        return False

    def _replicas_follow(self) -> bool:
        with contextlib.suppress(redis.RedisError):
            linked = self.client(self.master or self.servers[0]).info("replication")
            return all(linked.get(f"slave{n}", {}).get("state") == "online" for n in range(len(self.servers) - 1))
        return False

    def _sentinels_know(self) -> bool:
        with contextlib.suppress(redis.RedisError):
            seen = [self.client(port).sentinel_master(NAME) for port in self.sentinels]
            known = {(one["num-slaves"], one["num-other-sentinels"]) for one in seen}
            return known == {(len(self.servers) - 1, SENTINELS - 1)}
        return False

    def start_server(self, port: int, master: int, **more: str) -> None:
        """Start a server that follows the master, unless it is that itself."""
        settings: dict[str, Any] = {
            "port": port,
            "requirepass": PASSWORD,
            "masterauth": PASSWORD,
            "save": '""',
            "repl-diskless-sync-delay": 0,
            **{name.replace("_", "-"): value for name, value in more.items()},
        }
        if port != master:
            settings["replicaof"] = f"127.0.0.1 {master}"
        self._start(port, settings)

    def _start_sentinel(self, port: int) -> None:
        settings = {"port": port, "requirepass": SENTINEL_PASSWORD, "sentinel sentinel-pass": SENTINEL_PASSWORD}
        settings |= {f"sentinel monitor {NAME}": f"127.0.0.1 {self.servers[0]} {SENTINELS // 2 + 1}"}
        settings |= {f"sentinel auth-pass {NAME}": PASSWORD, f"sentinel down-after-milliseconds {NAME}": DOWN_MS}
        settings |= {f"sentinel failover-timeout {NAME}": 3000}
        self._start(port, settings, "--sentinel")

    def _start(self, port: int, settings: dict[str, Any], *options: str) -> None:
        folder = self._folder / str(port)
        folder.mkdir(parents=True, exist_ok=True)
        told = {"bind": "127.0.0.1", "dir": folder, "logfile": folder / "log", **settings}
        path = folder / "settings.conf"
        path.write_text("".join(f"{name} {value}\n" for name, value in told.items()))
        self._processes[port] = subprocess.Popen([server_program(), path, *options], stdin=subprocess.DEVNULL)

    @property
    def master(self) -> int:
        """The port of the master that the Sentinels agree on; 0 while they do not."""
        found = set()
        for port in self.sentinels:
            with contextlib.suppress(redis.RedisError):
                found.add(int(self.client(port).sentinel_get_master_addr_by_name(NAME)[1]))
        return found.pop() if len(found) == 1 else 0

    def send(self, port: int, number: signal.Signals) -> None:
        """Send a signal to a server or a Sentinel; what is killed is waited for."""
        self._processes[port].send_signal(number)
        if number == signal.SIGKILL:
            self._processes[port].wait(10)

    def fail_over(self) -> int:
        """Kill the master and wait until there is another one; the port of the killed one."""
        assert eventually(self._may_fail_over), self.log
        killed = self.master
        self.send(killed, signal.SIGKILL)
        assert eventually(lambda: self.master not in {0, killed}, 60), self.log
        return killed

    @property
    def log(self) -> str:
        """What servers and Sentinels have written, for assertions' messages."""
        return "\n".join(path.read_text(errors="replace")[-3000:] for path in sorted(self._folder.glob("*/log")))

    def stop(self) -> None:
        """End everything."""
        for process in self._processes.values():
            process.kill()
        for process in self._processes.values():
            process.wait(10)


@contextlib.contextmanager
def replicated_store(folder: Path, servers: int = 2) -> Iterator[ReplicatedStore]:
    """Servers and Sentinels, running, and stopped afterwards."""
    store = ReplicatedStore(folder, servers)
    try:
        store.start()
        yield store
    finally:
        store.stop()
