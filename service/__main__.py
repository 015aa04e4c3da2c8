"""`python -m service`: checks the settings and serves; without REDIS_URL it runs the store itself."""

from __future__ import annotations

import sys

from service.config import Config, ConfigError


def main() -> int:
    """Serve until stopped; the process's exit code (2: settings, 1: the store or the server cannot run)."""
    try:
        config = Config.from_env()
    except ConfigError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    from service import logs  # noqa: PLC0415 - brings gunicorn, which wrong settings need not wait for

    logs.configure(config)
    if config.redis_url is not None:
        from service.server import Server, place_of, serve  # noqa: PLC0415 - the supervisor needs no gunicorn

        serve(Server(config, place_of(config.redis_url)))
        return 0
    from service.embedded import EmbeddedStoreError  # noqa: PLC0415 - Unix only
    from service.supervisor import Supervisor  # noqa: PLC0415

    try:
        return Supervisor(config).run()
    except EmbeddedStoreError as error:
        sys.stderr.write(f"{error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
