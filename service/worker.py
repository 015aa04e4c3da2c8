"""gunicorn's threaded worker, where a thread is for requests that are there, and closing a connection holds up nobody.

gunicorn gives a thread to each connection that has sent something, for as long as the client pleases to go on, and
lingers in its main loop when it closes one. Here the main loop collects a request and hands over what is whole.
"""

from __future__ import annotations

import errno
import os
import selectors
import signal
import socket
import threading
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from gunicorn.http.errors import ParseException
from gunicorn.workers.gthread import ThreadWorker

from service.arrivals import Arrival
from service.deadlines import HurriedUnreader, answer_seconds
from service.http_problems import ProblemWorker
from service.stopping import STOPPING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future, ThreadPoolExecutor
    from types import FrameType

    from gunicorn.arbiter import Arbiter

T = TypeVar("T")
Connection = Any
"""gunicorn's Connection, of which the stubs say too little."""

ENDING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)
THREADS_SECONDS: Final = 30.0
"""How long starting all threads may take."""

_OUT_OF_FILES: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_PAUSE_SECONDS: Final = 1.0
_LINGER_SECONDS: Final = 2.0
_MOST_DRAINED: Final = 65_536
_RECEIVED_AT_ONCE: Final = 16_384
_AT_HAND_SECONDS: Final = 0.05
"""How long a thread looks for the rest of a request that was answered without it: what has come is there at once."""


def hold_signals() -> None:
    """Deliver no signal that ends a process, until let_signals_in()."""
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)


def let_signals_in(_arbiter: Arbiter | None = None) -> None:
    """Deliver the signals that were held back since the fork."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)


class Worker(ProblemWorker, ThreadWorker):
    """A threaded worker that no slow client wedges; when it has to stop it tells its long answers."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - gunicorn's
        super().__init__(*args, **kwargs)
        # Both in the order of their connections' `timeout`.
        self._arriving: dict[Connection, Arrival] = {}
        self._leaving: dict[Connection, int] = {}  # how many bytes more are drained
        self._accept_after = 0.0

    # ------------------------------------------------------------------------------------ its life
    def get_thread_pool(self) -> ThreadPoolExecutor:
        """All threads at once: their number is then the same before, during and after any load.

        Raises RuntimeError where this process may not have so many.
        """
        pool: ThreadPoolExecutor = super().get_thread_pool()
        together = threading.Barrier(self.cfg.threads + 1)
        try:
            for _ in range(self.cfg.threads):
                pool.submit(together.wait)
            together.wait(THREADS_SECONDS)
        except RuntimeError as error:  # no thread could be started, or the barrier broke
            together.abort()  # else those that run would wait on, and the process with them
            raise RuntimeError(
                f"a worker could not start its {self.cfg.threads} threads; "
                "lower THREADS or STREAMS_PER_WORKER, or raise this system's limits of threads and memory"
            ) from error
        return pool

    def init_signals(self) -> None:
        """Take signals from here on, those that came since the fork included."""
        super().init_signals()
        let_signals_in()

    def run(self) -> None:
        """Serve until told to stop; however it ends, the streams of this process end as well."""
        try:
            super().run()
        finally:
            STOPPING.set()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """SIGTERM: finish what is under way."""
        STOPPING.set()
        super().handle_exit(sig, frame)

    def handle_quit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - gunicorn's signature
        """SIGQUIT, SIGINT: stop at once.

        Python's own exit would wait for the threads of requests under way. A commit is whole or not at all.
        """
        self.cfg.worker_int(self)
        os._exit(0)

    # --------------------------------------------------------------------------------- connections
    def accept(self, listener: Any) -> None:  # noqa: ANN401 - gunicorn's socket
        """Take a new connection; where there are no more files, go on with those there are."""
        try:
            super().accept(listener)
        except OSError as error:
            if error.errno not in _OUT_OF_FILES:
                raise
            self.log.warning("new connections have to wait: %s", os.strerror(error.errno))
            self._accept_after = time.monotonic() + _PAUSE_SECONDS
            if self.alive:
                self.set_accept_enabled(enabled=False)

    def set_accept_enabled(self, enabled: bool | None) -> None:  # noqa: FBT001 - gunicorn's signature
        """While it finishes its requests gunicorn keeps the socket open: who connects then waits and is reset."""
        if enabled and (not self.alive or time.monotonic() < self._accept_after):
            return  # a worker may be told to stop before it has begun; what has come is served below, once
        super().set_accept_enabled(enabled)
        if self.alive:
            return
        for listener in self.sockets:
            listener.settimeout(0)
            before = None
            while before != self.nr_conns < self.worker_connections:  # those who have come already are served
                before = self.nr_conns
                self.accept(listener)
            listener.close()
        soon = time.monotonic() + _LINGER_SECONDS
        for conn, arrival in self._arriving.items():
            if not arrival.data:
                conn.timeout = min(conn.timeout, soon)
        self._arriving = dict(sorted(self._arriving.items(), key=lambda item: float(item[0].timeout)))

    def enqueue_req(self, conn: Connection) -> None:
        """Collect the next request of a connection, and have it answered once it is there."""
        conn.timeout = time.monotonic() + self.app.config.request_timeout_seconds
        arrival = Arrival()
        begun = conn.parser.unreader.take_buffered() if conn.initialized else b""
        if begun and arrival.add(begun):
            self._hand_over(conn, arrival)
        else:
            conn.sock.settimeout(0)
            _ask_for_the_body(conn, arrival)
            self._collect(conn, arrival)

    def _collect(self, conn: Connection, arrival: Arrival, _sock: object = None) -> None:
        data = _received(conn)
        if data is None or (data and not arrival.add(data)):
            _ask_for_the_body(conn, arrival)
            if conn not in self._arriving:
                self._arriving[conn] = arrival
                self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._collect, conn, arrival))
            return
        if self._arriving.pop(conn, None) is not None:
            self.poller.unregister(conn.sock)
        if data:
            self._hand_over(conn, arrival)
        else:
            self._close(conn)

    def _hand_over(self, conn: Connection, arrival: Arrival) -> None:
        """Let a thread answer. What is missing it may await until the deadline, and then says so."""
        conn.init()
        if not isinstance(conn.parser.unreader, HurriedUnreader):
            conn.parser.unreader = HurriedUnreader(conn.sock, conn.parser)
        conn.parser.unreader.deadline = conn.timeout
        conn.parser.unreader.unread(bytes(arrival.data))
        super().enqueue_req(conn)

    def handle_request(self, req: Any, conn: Connection) -> bool:  # noqa: ANN401 - gunicorn's
        """Answer a request; whether the connection can be used again. Who does not take the answer is let go."""
        conn.sock.settimeout(answer_seconds(self.app.config))
        try:
            return bool(super().handle_request(req, conn))
        except TimeoutError:
            self.log.debug("an answer was not taken in time")
            return False

    def murder_pending(self) -> None:
        """Called by gunicorn every second at least: end the waiting of those whose time is over."""
        now = time.monotonic()
        for conn, arrival in _late(self._arriving, now):
            self.poller.unregister(conn.sock)
            if arrival.data:
                self._hand_over(conn, arrival)
            else:
                self._close(conn)
        for conn, _ in _late(self._leaving, now):
            self.poller.unregister(conn.sock)
            self._close(conn)

    def finish_request(self, conn: Connection, fs: Future[Any]) -> None:
        """Keep a connection whose request was answered, or close it."""
        if not fs.cancelled() and fs.exception() is None and fs.result():
            super().finish_request(conn, fs)
            return
        try:
            conn.sock.settimeout(0)
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._close(conn)
            return
        # Closed with bytes unread the connection would be reset, and the answer be lost (RFC 9112, 9.6).
        conn.timeout = time.monotonic() + _LINGER_SECONDS
        self._drain(conn)

    def _drain(self, conn: Connection, _sock: object = None) -> None:
        data = _received(conn)
        left = self._leaving.get(conn, _MOST_DRAINED) - len(data or b"")
        if data is None or (data and left > 0):
            if conn not in self._leaving:
                self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._drain, conn))
            self._leaving[conn] = left
            return
        if self._leaving.pop(conn, None) is not None:
            self.poller.unregister(conn.sock)
        self._close(conn)

    def _close(self, conn: Connection) -> None:
        self.nr_conns -= 1
        conn.close()

    def _keepalive_after(self, conn: Connection, keepalive: object) -> bool:
        """Whether the connection can be used again. What is wrong with the rest of an answered request is not told."""
        try:
            # gunicorn would wait five seconds for a body that was refused unread
            return bool(keepalive) and bool(conn.parser.finish_body(deadline=time.monotonic() + _AT_HAND_SECONDS))
        except ParseException:
            return False


def _ask_for_the_body(conn: Connection, arrival: Arrival) -> None:
    """Tell a client that waits for it to go on (RFC 9110, section 10.1.1)."""
    if arrival.awaits_word:
        arrival.awaits_word = False
        with suppress(OSError):
            conn.sock.send(b"HTTP/1.1 100 Continue\r\n\r\n")


def _received(conn: Connection) -> bytes | None:
    """What has come on a connection: nothing yet (None), or its end (empty)."""
    try:
        return bytes(conn.sock.recv(_RECEIVED_AT_ONCE))
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _late(waiting: dict[Connection, T], now: float) -> Iterator[tuple[Connection, T]]:
    """Take those out whose time is over."""
    while waiting:
        conn = next(iter(waiting))
        if conn.timeout > now:
            return
        yield conn, waiting.pop(conn)
