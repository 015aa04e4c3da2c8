"""A proxy before a real store that loses replies or swallows commands, as networks do."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

REPLY_SECONDS = 10.0


class UnreliableProxy:
    """Forwards a unix socket to another, one command at a time, until told to misbehave.

    `lose_replies_to = b"EVALSHA"`: such a command runs, its reply is thrown away, the connection ends.
    `silent = True`: connections are taken, nothing is ever answered or forwarded. `seen` counts commands forwarded.
    """

    def __init__(self, folder: Path, upstream: Path) -> None:
        self.path = folder / "proxy"
        self.lose_replies_to: bytes | None = None
        self.silent = False
        self.seen: list[bytes] = []
        self._upstream = upstream
        self._open: list[socket.socket] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"unix://{self.path}"

    def close(self) -> None:
        """Refuse new connections and end those there are."""
        for connection in (self._listener, *self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._open.append(client)
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server, contextlib.suppress(OSError):
            server.settimeout(REPLY_SECONDS)
            server.connect(str(self._upstream))
            while command := client.recv(1 << 20):
                if self.silent:
                    continue
                self.seen.append(command)
                server.sendall(command)
                reply = server.recv(1 << 20)
                if self.lose_replies_to is not None and self.lose_replies_to in command:
                    return
                client.sendall(reply)
