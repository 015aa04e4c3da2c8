"""The service with workers that fail as soon as the file FAIL_WHEN exists, each taking it away for the next."""

from __future__ import annotations

import os
from pathlib import Path

from service.config import Config
from service.server import Server, serve
from service.worker import Worker

FAIL_WHEN = "FAIL_WHEN"


class FailingWorker(Worker):
    """A worker whose main loop breaks."""

    def wait_for_and_dispatch_events(self, timeout: float | None) -> None:
        """As ever, until told to fail."""
        super().wait_for_and_dispatch_events(timeout)
        told = Path(os.environ[FAIL_WHEN])
        if told.exists():
            told.unlink()
            raise ZeroDivisionError


class FailingServer(Server):
    """The service with such workers."""

    def load_config(self) -> None:
        """Called by gunicorn."""
        super().load_config()
        self.cfg.set("worker_class", FailingWorker)


if __name__ == "__main__":
    serve(FailingServer(Config.from_env(), "games elsewhere"))
