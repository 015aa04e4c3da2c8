"""`python -m service.streaming`: the process type for many thousands of live streams; it serves nothing else.

It is the same application on gunicorn's gevent worker, where a stream costs some kilobytes instead of a thread. Nothing
here computes: a search would hold up every stream. It needs REDIS_URL, for the games are those of other processes.
"""

from __future__ import annotations

from gevent import monkey

if __name__ == "__main__":
    monkey.patch_all()

import os
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from gevent import get_hub, sleep, socket
from gunicorn.http.errors import ParseException
from gunicorn.workers.ggevent import GeventWorker

from service.config import Config, ConfigError
from service.deadlines import RequestTimedOut, answer_seconds, in_time
from service.http_problems import ProblemWorker
from service.server import Server, place_of, serve
from service.stopping import STOPPING
from service.worker import let_signals_in

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import FrameType

SPARE_CONNECTIONS: Final = 256
"""For health checks, metrics, and for those who are told that there is no place."""

_MOST_DRAINED: Final = 65_536
_ONE_TURN_SECONDS: Final = 0.001


class Connection(socket.socket):
    """A client's connection, on which a request has to arrive in time."""

    def __init__(self, accepted: Any, idle_seconds: float, request_seconds: float) -> None:  # noqa: ANN401 - gevent's
        super().__init__(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())
        self.settimeout(None)
        self.request: Any = None
        self._idle_seconds = idle_seconds
        self._request_seconds = request_seconds
        self._deadline: float | None = None

    def rest(self) -> None:
        """Wait for another request from here on."""
        self.request = self._deadline = None

    def recv(self, *args: Any) -> bytes:  # noqa: ANN401 - as any socket's
        """The next bytes. Raises RequestTimedOut within a request, StopIteration (for gunicorn) between two.

        To look whether somebody is there is not to read: a stream does so long after its request.
        """
        if len(args) > 1 and args[1] & socket.MSG_PEEK:
            return bytes(super().recv(*args))
        begins = self._deadline is None
        deadline = time.monotonic() + self._idle_seconds if self._deadline is None else self._deadline
        try:
            with in_time(self, deadline):
                data = bytes(super().recv(*args))
        except RequestTimedOut:
            if begins:
                raise StopIteration from None
            if self.request is not None:
                self.request.force_close()
            raise
        if begins:
            self._deadline = time.monotonic() + self._request_seconds
        return data

    def sendall(self, data: Any, flags: int = 0) -> None:  # noqa: ANN401 - any bytes, as any socket's
        """Send everything. What the kernel takes at once, a message to a live client, goes past gevent's own steps."""
        try:
            sent = self._sock.send(data, flags)
        except BlockingIOError:
            sent = 0
        if sent < len(data):
            super().sendall(memoryview(data)[sent:], flags)


class StreamWorker(ProblemWorker, GeventWorker):
    """A gevent worker that tells its streams when it has to stop, and waits for no client for ever."""

    def run(self) -> None:
        """Serve until told to stop; however it ends, the streams of this process end as well."""
        _open_pipe()
        try:
            super().run()
        finally:
            STOPPING.set()

    def handle(self, listener: Any, client: Any, addr: Any) -> None:  # noqa: ANN401 - gunicorn's signature
        """Serve a connection."""
        connection = Connection(client, self.cfg.keepalive, self.app.config.request_timeout_seconds)
        super().handle(listener, connection, addr)

    def timeout_ctx(self) -> AbstractContextManager[None]:  # type: ignore[override] # as gunicorn uses it
        """What bounds the wait for a request: nothing but the connection itself."""
        return nullcontext()

    def handle_request(self, listener_name: Any, req: Any, sock: Any, addr: Any) -> bool:  # noqa: ANN401
        """Answer a request. Raises StopIteration when there can be no other on the connection."""
        sock.request = req
        sock.settimeout(answer_seconds(self.app.config))
        try:
            super().handle_request(listener_name, req, sock, addr)
        except TimeoutError:
            raise StopIteration from None
        sock.settimeout(None)
        try:
            if len(req.body.read(_MOST_DRAINED)) == _MOST_DRAINED:
                raise StopIteration
        except (ParseException, OSError):  # the answer has been given; nothing more is told
            raise StopIteration from None
        sock.rest()
        return True

    def init_signals(self) -> None:
        """Take signals from here on, those that came since the fork included."""
        super().init_signals()
        let_signals_in()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """SIGTERM: end the streams and stop."""
        STOPPING.set()
        super().handle_exit(sig, frame)

    def handle_quit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - gunicorn's signature
        """SIGQUIT, SIGINT: stop at once. There is nothing to lose here."""
        os._exit(0)


def _open_pipe() -> None:
    """Have the event loop open the pipe that it wakes itself by: once clients have taken all files it could not."""
    sleep(_ONE_TURN_SECONDS)  # the first turn after a fork opens everything anew
    waker = get_hub().loop.async_()
    waker.start(lambda: None)
    waker.stop()
    waker.close()


class StreamServer(Server):
    """The streams as gunicorn serves them."""

    kind = "live streams only"

    def load_config(self) -> None:
        """Called by gunicorn, again at each reload."""
        super().load_config()
        self.cfg.set("worker_class", StreamWorker)
        self.cfg.set("threads", 1)
        self.cfg.set("worker_connections", self.config.streams_per_worker + SPARE_CONNECTIONS)

    def load(self) -> Any:  # noqa: ANN401 - a WSGI application, for gunicorn
        """The application without games, advice and pages."""
        from service import __version__, metrics  # noqa: PLC0415 - not before it is said where figures are kept
        from service.app import STREAMING, create_app  # noqa: PLC0415
        from service.resources.meta import commit  # noqa: PLC0415

        metrics.build(__version__, commit())
        return create_app(self.config, blueprints=STREAMING)


def main() -> int:
    """Serve until stopped; the process's exit code (2: settings)."""
    try:
        config = Config.from_env()
    except ConfigError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if config.redis_url is None:
        sys.stderr.write("REDIS_URL must be set for live streams: the games are those of other processes\n")
        return 2
    place = place_of(config.redis_url)
    serve(StreamServer(replace(config, streams_per_worker=config.stream_capacity), place))
    return 0


if __name__ == "__main__":
    sys.exit(main())
