"""The HTTP server: gunicorn with threads; the application is loaded and compiled once, before forking."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, Any, Final

from gunicorn.app.base import BaseApplication
from gunicorn.workers.gthread import ThreadWorker

from service.config import Config, ConfigError
from service.stopping import STOPPING

if TYPE_CHECKING:
    from types import FrameType

    from gunicorn.arbiter import Arbiter

SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108 - gunicorn's heartbeat files; on a disk they may block
ENDING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)
WILDCARDS: Final = ("0.0.0.0", "::")  # noqa: S104 - compared with, not bound to


class Worker(ThreadWorker):
    """A threaded worker that, when it has to stop, tells its long answers and turns new clients away at once."""

    def init_signals(self) -> None:
        """Take signals from here on, those that came since the fork included."""
        super().init_signals()
        _let_signals_in()

    def set_accept_enabled(self, enabled: bool | None) -> None:  # noqa: FBT001 - gunicorn's signature
        """While it finishes its requests gunicorn keeps the socket open: who connects then waits and is reset."""
        super().set_accept_enabled(enabled)
        if self.alive:
            return
        for listener in self.sockets:
            before = None
            while before != self.nr_conns < self.worker_connections:  # those who have come already are served
                before = self.nr_conns
                self.accept(listener)
            listener.close()

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


class Server(BaseApplication):
    """The service as gunicorn runs it; `store` says in words where the games are kept."""

    def __init__(self, config: Config, store: str) -> None:
        self._config = config
        self._store = store
        super().__init__()

    def load_config(self) -> None:
        """Called by gunicorn, again at each reload."""
        config = self._config
        host = f"[{config.host}]" if ":" in config.host else config.host
        settings: dict[str, Any] = {
            "bind": [f"{host}:{config.port}"],
            "workers": config.workers,
            "worker_class": Worker,
            "threads": config.threads,
            "preload_app": True,
            "timeout": 30,  # a worker that does not even say it lives
            "graceful_timeout": int(config.graceful_timeout_seconds),
            "keepalive": 5,  # an idle connection of a client that is gone is only seen when it ends
            "worker_tmp_dir": SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None,
            "control_socket_disable": True,  # else a socket appears in the home folder
            "forwarded_allow_ips": "",  # TRUSTED_PROXIES decides what is believed, in app.py
            "accesslog": None,
            "errorlog": "-",
            "loglevel": config.log_level,
            "proc_name": "crisps",
            "when_ready": self._announce,
            "pre_exec": _let_signals_in,
            # max_requests stays off: with threads it resets connections
        }
        for name, value in settings.items():
            self.cfg.set(name, value)

    def load(self) -> Any:  # noqa: ANN401 - a WSGI application, for gunicorn
        """The application, with the search compiled: workers share both by forking."""
        from ai.policy import warm_up  # noqa: PLC0415 - seconds of imports, not needed to check settings
        from service.app import create_app  # noqa: PLC0415

        app = create_app(self._config)
        warm_up()
        return app

    def _announce(self, arbiter: Arbiter) -> None:
        host, port = arbiter.LISTENERS[0].sock.getsockname()[:2]
        if host in WILDCARDS:
            host = "localhost"
        url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        sys.stdout.write(f"Crisps! service at {url} - documentation at {url}/docs - {self._store}\n")
        sys.stdout.flush()


def _hold_signals() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)


def _let_signals_in(_arbiter: Arbiter | None = None) -> None:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)


def serve(config: Config, store: str) -> None:
    """Serve until a signal ends it; leaves by SystemExit with gunicorn's code."""
    # A worker inherits gunicorn's own handlers, which would swallow a signal that comes before it has set its own:
    # so nothing is delivered between the fork and Worker.init_signals().
    os.register_at_fork(before=_hold_signals, after_in_parent=_let_signals_in)
    Server(config, store).run()


if __name__ == "__main__":  # run by supervisor.py, which has checked the settings and set REDIS_URL
    try:
        serve(Config.from_env(), sys.argv[1])
    except ConfigError as error:
        sys.exit(str(error))
