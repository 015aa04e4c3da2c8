"""The HTTP server: gunicorn with threads; the application is loaded and compiled once, before forking."""

from __future__ import annotations

import contextlib
import logging
import math
import os
import sys
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from gunicorn.app.base import BaseApplication

from service import logs, metrics_folder
from service.config import Config, ConfigError
from service.open_files import SPARE_FILES, allow_files
from service.worker import Worker, hold_signals, let_signals_in

if TYPE_CHECKING:
    from gunicorn.arbiter import Arbiter
    from gunicorn.workers.base import Worker as AnyWorker

_log = logging.getLogger(__name__)

SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108 - gunicorn's heartbeat files; on a disk they may block
IDLE_CONNECTIONS: Final = 1000  # kept alive between requests
WILDCARDS: Final = ("0.0.0.0", "::")  # noqa: S104 - compared with, not bound to


class Server(BaseApplication):
    """The service as gunicorn runs it; `store` says in words where the games are kept."""

    kind: str | None = None

    def __init__(self, config: Config, store: str) -> None:
        self.config = config
        self._store = store
        super().__init__()

    def load_config(self) -> None:
        """Called by gunicorn, again at each reload."""
        config = self.config
        host = f"[{config.host}]" if ":" in config.host else config.host
        settings: dict[str, Any] = {
            "bind": [f"{host}:{config.port}"],
            "workers": config.workers,
            "worker_class": Worker,
            # each stream and long poll holds a thread: they have their own, so that requests always find one
            "threads": config.threads + config.streams_per_worker,
            "worker_connections": IDLE_CONNECTIONS + config.threads + config.streams_per_worker,
            "preload_app": True,
            "timeout": 30,  # a worker that does not even say it lives
            "graceful_timeout": math.ceil(config.graceful_timeout_seconds),
            "keepalive": 5,  # an idle connection of a client that is gone is only seen when it ends
            "worker_tmp_dir": SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None,
            "control_socket_disable": True,  # else a socket appears in the home folder
            "forwarded_allow_ips": "",  # TRUSTED_PROXIES decides what is believed, in app.py
            "accesslog": None,
            "errorlog": "-",
            "loglevel": config.log_level,
            "proc_name": "crisps",
            "logger_class": logs.GunicornLogger,
            "when_ready": self._announce,
            "child_exit": _forget,
            "worker_exit": _end_worker,
            "pre_exec": let_signals_in,
            # max_requests stays off: with threads it resets connections
        }
        for name, value in settings.items():
            self.cfg.set(name, value)

    def load(self) -> Any:  # noqa: ANN401 - a WSGI application, for gunicorn
        """The application, with the search compiled: workers share both by forking."""
        from ai.policy import warm_up  # noqa: PLC0415 - seconds of imports, not needed to check settings
        from service import __version__, metrics  # noqa: PLC0415
        from service.app import create_app  # noqa: PLC0415
        from service.resources.meta import commit  # noqa: PLC0415

        metrics.build(__version__, commit())
        app = create_app(self.config)
        _log.info("loading the search; the first start compiles it for this processor, which takes about a minute")
        warm_up()
        return app

    def _announce(self, arbiter: Arbiter) -> None:
        host, port = arbiter.LISTENERS[0].sock.getsockname()[:2]
        if host in WILDCARDS:
            host = "localhost"
        url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        what = self.kind or f"documentation at {url}/docs"
        sys.stdout.write(f"Crisps! service at {url} - {what} - {self._store}\n")
        sys.stdout.flush()


def _forget(_arbiter: Arbiter, worker: AnyWorker) -> None:
    from service import metrics  # noqa: PLC0415 - not before serve() has said where they are kept

    metrics.forget(int(worker.pid))


def _end_worker(_arbiter: Arbiter, worker: AnyWorker) -> None:
    if int(worker.pid) != os.getpid():
        return  # gunicorn also tells its master so, of a worker that is gone already
    if isinstance(worker, Worker) and worker.booted:
        worker.tpool.shutdown()  # waits for requests under way, as Python's own exit would
    _end(sys.exception())


def _end(reason: BaseException | None) -> None:
    """End this process at once with the code of a SystemExit; return where `reason` is anything else.

    Python's own end would take apart all that is loaded, a second for the search alone. No atexit function runs.
    """
    if isinstance(reason, SystemExit) and isinstance(reason.code, int | None):
        logging.shutdown()
        sys.stdout.flush()
        os._exit((reason.code or 0) & 0xFF)


def place_of(redis_url: str) -> str:
    """Where the games are kept, in words and without a password."""
    where = urlsplit(redis_url)
    return f"games in {where.scheme}://{where.hostname or where.path}"


def serve(server: Server) -> None:
    """Serve until a signal ends it; the process ends with gunicorn's code."""
    # A worker inherits gunicorn's own handlers, which would swallow a signal that comes before it has set its own:
    # so nothing is delivered between the fork and Worker.init_signals().
    os.register_at_fork(before=hold_signals, after_in_parent=let_signals_in)
    logs.configure(server.config)
    allow_files(int(server.cfg.worker_connections) + SPARE_FILES)  # workers inherit it
    try:
        with contextlib.ExitStack() as closing:
            if server.config.metrics == "on":
                folder = closing.enter_context(metrics_folder.metrics_folder())
                os.environ[metrics_folder.VARIABLE] = str(folder)
            else:
                os.environ.pop(metrics_folder.VARIABLE, None)
            server.run()
    except SystemExit as reason:
        _end(reason)
        raise


if __name__ == "__main__":  # run by supervisor.py, which has checked the settings and set REDIS_URL
    try:
        serve(Server(Config.from_env(), sys.argv[1]))
    except ConfigError as error:
        sys.exit(str(error))
