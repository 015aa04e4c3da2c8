"""The service's settings: each an environment variable with a default, all checked before anything starts."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from service.settings import Setting, choice, declared, seconds, setting, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

THREADS_BESIDE_SEARCHES = 3
"""Of THREADS: one for a due move beside SEARCH_SLOTS, and two that never search (see wiring.py)."""

MAX_TTL_SECONDS = 10 * 365 * 86_400
# Options of redis-py's URLs that only say where and as whom. Others (socket_timeout, retry_on_timeout,
# decode_responses …) would undo what connections.py guarantees.
REDIS_URL_OPTION = re.compile(r"db|username|password|ssl_[a-z_]+")


class ConfigError(ValueError):
    """Settings that cannot be used; `problems` has one line for each of them."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(["The settings cannot be used:", *(f"  {line}" for line in problems)]))


def _read_host(text: str) -> str:
    if not re.fullmatch(r"[0-9A-Za-z.:_-]{1,253}", text, re.ASCII):
        raise ValueError("must be a host name or an IP address")
    return text


def _read_redis_url(text: str) -> str:
    try:
        parts = urlsplit(text)
        reachable = bool(
            parts.path if parts.scheme == "unix" else parts.hostname and (parts.port is None or parts.port > 0)
        )
    except ValueError:  # a port or an IPv6 address out of shape
        raise ValueError("must be a URL (redis://, rediss:// or unix://)") from None
    if parts.scheme not in ("redis", "rediss", "unix") or not reachable:
        raise ValueError("must be redis://HOST:PORT/DB, rediss://HOST:PORT/DB or unix:///PATH?db=DB")
    refused = sorted(
        name for name, _ in parse_qsl(parts.query, keep_blank_values=True) if not REDIS_URL_OPTION.fullmatch(name)
    )
    if refused:
        raise ValueError(f"may not carry {', '.join(refused)}: only db, username, password and ssl_… options")
    return text


def _read_sentinels(text: str) -> tuple[str, ...]:
    sentinels = tuple(part.strip() for part in text.split(",")) if text else ()
    for sentinel in sentinels:
        host, _, port = sentinel.rpartition(":")
        known = re.fullmatch(r"[0-9A-Za-z._-]+|\[[0-9A-Fa-f:.]+\]", host, re.ASCII)
        if not known or not re.fullmatch(r"\d{1,5}", port, re.ASCII) or not 0 < int(port) < 65_536:
            raise ValueError("must be HOST:PORT of each Sentinel with commas between them")
    return sentinels


def _read_origins(text: str) -> tuple[str, ...]:
    if text in {"*", "none"}:
        return () if text == "none" else ("*",)
    origins = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    # an origin as browsers send it (RFC 6454, section 7): no path, no final slash, lower case
    if not all(re.fullmatch(r"[a-z][a-z0-9+.-]*://[a-z0-9.:_\[\]-]+", origin, re.ASCII) for origin in origins):
        raise ValueError("must be *, none, or origins like https://game.example with commas between them")
    return origins


def _read_folder(text: str) -> Path:
    if "\0" in text:
        raise ValueError("must be a folder's path")
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError:  # ~name of nobody
        raise ValueError("must be a folder's path; whose home is meant is unknown") from None


def default_data_dir(environ: Mapping[str, str]) -> Path:
    """Where the embedded store keeps games unless DATA_DIR says otherwise.

    XDG_DATA_HOME/crisps when that is absolute (as the XDG base directory specification asks), else
    ~/.local/share/crisps, else, without a home, .crisps-data in the current folder. Never a temporary folder:
    these are people's games.
    """
    data_home = environ.get("XDG_DATA_HOME", "")
    if data_home.startswith("/"):
        return Path(data_home) / "crisps"
    home = environ.get("HOME", "")
    if home.startswith("/") and home != "/":
        return Path(home) / ".local" / "share" / "crisps"
    return Path.cwd() / ".crisps-data"


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting, checked. Field `name` is read from the environment variable NAME; see SETTINGS."""

    host: str = setting(
        "127.0.0.1",
        "Address to listen on; 0.0.0.0 for all.",
        read=_read_host,
        allowed="host name or IP address",
    )
    port: int = whole(8000, "Port to listen on; 0 takes a free one: see the first line on standard output.", 0, 65_535)
    workers: int = whole(2, "Worker processes; one for each core is a good number.", 1, 64)
    threads: int = whole(16, "Requests one worker serves at the same time; at least 3 more than SEARCH_SLOTS.", 4, 512)
    streams_per_worker: int = whole(
        64, "Live streams and long polls one worker holds open beside its requests; more streams get 503.", 1, 1024
    )
    stream_capacity: int = whole(
        4096, "Live streams one worker of the process type `streams` holds open; more get 503.", 1, 65_536
    )
    request_timeout_seconds: float = seconds(
        15, "Time for a client to send a request, else it gets 408; four times that to take an answer.", 0.1, 300
    )
    graceful_timeout_seconds: float = seconds(
        8, "How long requests may go on when the service stops. Docker kills after 10 s.", 1, 300
    )
    redis_url: str | None = setting(
        None,
        "Redis 7.0 or newer, or Valkey, to use instead of the embedded store.",
        read=_read_redis_url,
        allowed="redis://, rediss://, unix://",
        shown="none: embedded store",
        secret=True,  # may hold a password
    )
    redis_sentinels: tuple[str, ...] = setting(
        (),
        "Sentinels to ask where the master is: REDIS_URL then has the name that they call it by in its host's place, "
        "as in redis://mymaster/0.",
        read=_read_sentinels,
        allowed="HOST:PORT, …",
        shown="none",
    )
    redis_sentinel_password: str | None = setting(
        None,
        "The Sentinels' own password; REDIS_URL has the master's.",
        read=str,
        allowed="text",
        shown="none",
        secret=True,
    )
    store_timeout_seconds: float = seconds(
        1.5, "How long the store may take to connect or to answer before a request gets 503.", 0.05, 30
    )
    store_replicas: int = whole(
        0,
        "Replicas that must have an action before it is answered, else it gets 503. As many as there are: then a "
        "failover loses nothing that was answered, but while one is away nothing can be done.",
        0,
        10,
    )
    store_connections: int = whole(32, "Connections of a worker for requests; limits and streams add some.", 1, 1024)
    data_dir: Path = field(
        default_factory=lambda: default_data_dir(os.environ),
        metadata={
            "description": "Folder of the embedded store; one running service for each folder.",
            "read": _read_folder,
            "allowed": "path",
            "shown": "$XDG_DATA_HOME/crisps, else ~/.local/share/crisps, else ./.crisps-data",
        },
    )
    appendfsync: str = choice(
        "always",
        "When the embedded store forces writes to disk: before each answer, or once a second "
        "(a power cut may then lose the last second).",
        "always",
        "everysec",
    )
    active_ttl_seconds: int = whole(7 * 86_400, "How long a game is kept after its last action.", 60, MAX_TTL_SECONDS)
    finished_ttl_seconds: int = whole(86_400, "How long a finished game is kept.", 60, MAX_TTL_SECONDS)
    search_slots: int = whole(
        1, "Searches one worker process runs at the same time; one more where it is the computer's due move.", 1, 64
    )
    search_queue: int = whole(
        6,
        "Searches of one urgency that may wait for a slot, as far as THREADS leaves some for other requests; "
        "more get 503.",
        1,
        1024,
    )
    search_wait_seconds: float = seconds(
        6, "How long a search may wait for a slot before it gets 503; the longest advice takes 5.", 0.05, 30
    )
    max_body_bytes: int = whole(65_536, "Largest request body.", 1024, 16 * 1024 * 1024)
    trusted_proxies: int = whole(0, "Reverse proxies in front whose X-Forwarded-… headers are believed.", 0, 10)
    log_level: str = choice("info", "Least serious log lines to write.", "debug", "info", "warning", "error")
    log_format: str = choice(
        "auto",
        "Log lines as JSON or for people's eyes; auto: for eyes where standard error is a terminal.",
        "auto",
        "json",
        "text",
    )
    metrics: str = choice("on", "Whether /metrics answers; what it tells is about nobody.", "on", "off")
    cors_origins: tuple[str, ...] = setting(
        ("*",),
        "Origins whose pages in browsers may use the API: a list with commas, * for all, or none. "
        "There are no cookies, so a foreign page can do no more than any other client.",
        read=_read_origins,
        allowed="*, none, or https://game.example, …",
        shown="*",
    )
    games_per_minute: int = whole(
        0, "Games one client address may create in a minute; 0: as many as it likes.", 0, 1_000_000
    )
    advice_per_minute: int = whole(
        0, "Suggestions and analyses one client address may ask for in a minute; 0: as many as it likes.", 0, 1_000_000
    )

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Config:
        """The settings of an environment (default: this process's). An empty variable counts as unset.

        Raises ConfigError with every problem found, not only the first.
        """
        environ = os.environ if environ is None else environ
        values: dict[str, Any] = {"data_dir": default_data_dir(environ)}
        problems = []
        for one in SETTINGS:
            text = environ.get(one.name, "").strip()
            if text:
                try:
                    values[one.name.lower()] = one.read(text)
                except ValueError as error:
                    # the value is not repeated: REDIS_URL may hold a password
                    problems.append(f"{one.name} {error}")
        if problems:
            raise ConfigError(problems)
        config = cls(**values)
        if problems := config._at_odds():
            raise ConfigError(problems)
        return config

    def _at_odds(self) -> list[str]:
        """What is wrong with settings that are each right."""
        problems = []
        if (needed := self.search_slots + THREADS_BESIDE_SEARCHES) > self.threads:
            problems.append(f"THREADS must be at least {needed}, 3 more than SEARCH_SLOTS: a search holds a thread")
        scheme = urlsplit(self.redis_url or "").scheme
        if self.redis_sentinels and (scheme not in {"redis", "rediss"} or ":" in self.store_place):
            problems.append("REDIS_SENTINELS must come with a REDIS_URL such as redis://mymaster/0, without a port")
        if self.store_replicas and self.embedded:
            problems.append("STORE_REPLICAS must be 0 with the embedded store: it has none")
        return problems

    @property
    def store_place(self) -> str:
        """Host and port of REDIS_URL as they are written; urlsplit's host has lost its capitals."""
        return urlsplit(self.redis_url or "").netloc.rpartition("@")[2]

    @property
    def embedded(self) -> bool:
        """Whether the games live in a store that the service runs itself."""
        return self.redis_url is None


SETTINGS: tuple[Setting, ...] = declared(Config)


def settings_table() -> str:
    """README's table of settings, in Markdown: name, default, allowed values, meaning."""
    rows = [f"| `{one.name}` | {one.default} | {one.allowed} | {one.description} |" for one in SETTINGS]
    return "\n".join(["| setting | default | allowed | meaning |", "|---|---|---|---|", *rows])
