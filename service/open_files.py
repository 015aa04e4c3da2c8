"""How many files this process may have open, each connection being one."""

from __future__ import annotations

import logging
import resource
from typing import Final

SPARE_FILES: Final = 256
"""Beside a worker's connections: those to the store, listening sockets, logs, figures."""

_log = logging.getLogger(__name__)


def allow_files(count: int) -> None:
    """Raise this process's limit of open files as far as it may; a warning tells where that is not enough."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    if most < count:
        _log.warning(
            "a process may open %d files here and needs %d to hold as many connections as it should; "
            "raise the hard limit (ulimit -Hn)",
            most,
            count,
        )
