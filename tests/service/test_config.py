"""The settings: defaults, what is refused, and that every one of them is described."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest

from service.config import SETTINGS, THREADS_BESIDE_SEARCHES, Config, ConfigError, default_data_dir, settings_table
from service.wiring import EXTRA_FOR_MOVES, SPARED_THREADS


def test_without_any_variable_the_defaults_hold() -> None:
    config = Config.from_env({"HOME": "/home/ann"})
    assert config == replace(Config(), data_dir=Path("/home/ann/.local/share/crisps"))
    assert (config.host, config.port, config.redis_url) == ("127.0.0.1", 8000, None)
    assert config.embedded


def test_every_default_is_a_value_that_may_be_set() -> None:
    defaults = Config()
    for setting in SETTINGS:
        value = getattr(defaults, setting.name.lower())
        if value is not None:
            text = ",".join(value) if isinstance(value, tuple) else str(value)
            assert setting.read(text) == value, setting.name


def test_each_field_is_a_setting_of_the_same_name_with_a_description() -> None:
    assert [setting.name.lower() for setting in SETTINGS] == [entry.name for entry in fields(Config)]
    table = settings_table()
    for setting in SETTINGS:
        assert f"| `{setting.name}` | {setting.default} | {setting.allowed} |" in table
        assert setting.description.endswith((".", ")."))
        assert "|" not in setting.description + setting.default + setting.allowed


GOOD = [
    ("HOST", "0.0.0.0", "0.0.0.0"),
    ("HOST", "::1", "::1"),
    ("HOST", "game.example", "game.example"),
    ("PORT", "0", 0),
    ("PORT", " 65535 ", 65535),
    ("STORE_TIMEOUT_SECONDS", "0.05", 0.05),
    ("STORE_TIMEOUT_SECONDS", "30", 30.0),
    ("APPENDFSYNC", "EverySec", "everysec"),
    ("CORS_ORIGINS", "*", ("*",)),
    ("CORS_ORIGINS", "none", ()),
    (
        "CORS_ORIGINS",
        "https://game.example, http://localhost:3000,http://[::1]:8080",
        ("https://game.example", "http://localhost:3000", "http://[::1]:8080"),
    ),
    ("METRICS", "OFF", "off"),
    ("GAMES_PER_MINUTE", "0", 0),
    ("LOG_LEVEL", "DEBUG", "debug"),
    ("DATA_DIR", "/var/lib/crisps", Path("/var/lib/crisps")),
    ("DATA_DIR", "games", Path.cwd() / "games"),
    ("DATA_DIR", "~/games", Path.home() / "games"),
    ("REDIS_URL", "redis://localhost", "redis://localhost"),
    ("REDIS_URL", "rediss://u:p%40@db.example:6380/3?ssl_ca_certs=/ca.pem", None),
    ("REDIS_URL", "redis://[::1]:6379/0", None),
    ("REDIS_URL", "unix:///run/valkey.sock?db=1&password=x", None),
]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10.0.0.1:26379", ("10.0.0.1:26379",)),
        ("one.example:1, two-b:65535,[fd00::2]:26379", ("one.example:1", "two-b:65535", "[fd00::2]:26379")),
    ],
)
@pytest.mark.parametrize("url", ["redis://mymaster", "rediss://u:p%3A4@Games/3?ssl_ca_certs=/ca.pem"])
def test_sentinels_are_read(text: str, value: tuple[str, ...], url: str) -> None:
    config = Config.from_env({"REDIS_SENTINELS": text, "REDIS_URL": url, "STORE_REPLICAS": "2"})
    assert (config.redis_sentinels, config.store_replicas) == (value, 2)


@pytest.mark.parametrize("url", ["", "redis://mymaster:6379", "redis://:x@mymaster:/0", "unix:///run/valkey.sock"])
def test_with_sentinels_the_url_has_the_masters_name(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Config.from_env({"REDIS_SENTINELS": "a:26379", "REDIS_URL": url})
    (problem,) = caught.value.problems
    assert problem.startswith("REDIS_SENTINELS must come with a REDIS_URL such as redis://mymaster/0")


@pytest.mark.parametrize(("name", "text", "value"), GOOD)
def test_a_good_value_is_read(name: str, text: str, value: object) -> None:
    config = Config.from_env({name: text})
    assert getattr(config, name.lower()) == (text if value is None else value)


BAD = [
    ("HOST", "two words"),
    ("HOST", "http://x"),
    ("PORT", "65536"),
    ("PORT", "-1"),
    ("PORT", "80.0"),
    ("PORT", "0x50"),
    ("PORT", "1_000"),
    ("PORT", "٨٠٠٠"),
    ("PORT", "9" * 5000),
    ("WORKERS", "0"),
    ("THREADS", "3"),
    ("STORE_TIMEOUT_SECONDS", "0"),
    ("STORE_TIMEOUT_SECONDS", "nan"),
    ("STORE_TIMEOUT_SECONDS", "inf"),
    ("STORE_TIMEOUT_SECONDS", "1e0"),
    ("ACTIVE_TTL_SECONDS", "59"),
    ("APPENDFSYNC", "no"),
    ("LOG_LEVEL", "loud"),
    ("LOG_FORMAT", "xml"),
    ("METRICS", "perhaps"),
    ("CORS_ORIGINS", "game.example"),
    ("CORS_ORIGINS", "https://game.example/"),
    ("CORS_ORIGINS", "https://Game.example"),
    ("CORS_ORIGINS", "https://game.example,"),
    ("CORS_ORIGINS", "https://game.example,*"),
    ("CORS_ORIGINS", "null"),
    ("ADVICE_PER_MINUTE", "-1"),
    ("DATA_DIR", "~nobody-of-this-name/x"),
    ("DATA_DIR", "a\0b"),
    ("REDIS_URL", "localhost:6379"),
    ("REDIS_URL", "http://localhost"),
    ("REDIS_URL", "redis://"),
    ("REDIS_URL", "redis://:6379"),
    ("REDIS_URL", "redis://h:99999"),
    ("REDIS_URL", "redis://h:port"),
    ("REDIS_URL", "redis://[::1"),
    ("REDIS_URL", "unix://"),
    ("REDIS_SENTINELS", "one.example"),
    ("REDIS_SENTINELS", "one:26379,"),
    ("REDIS_SENTINELS", "one:0"),
    ("REDIS_SENTINELS", "one:65536"),
    ("REDIS_SENTINELS", "fd00::2:26379"),
    ("REDIS_SENTINELS", "redis://one:26379"),
    ("STORE_REPLICAS", "11"),
    ("STORE_REPLICAS", "1"),  # of the embedded store
    # each of these would bring back what connections.py keeps out
    ("REDIS_URL", "redis://h?socket_timeout=100"),
    ("REDIS_URL", "redis://h?retry_on_timeout=true"),
    ("REDIS_URL", "redis://h?decode_responses=yes"),
    ("REDIS_URL", "redis://h?timeout="),
]


@pytest.mark.parametrize(("name", "text"), BAD)
def test_a_bad_value_is_refused_by_name(name: str, text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Config.from_env({name: text})
    (problem,) = caught.value.problems
    assert problem.startswith(f"{name} m")  # must …, may not …


def test_all_problems_are_told_together() -> None:
    with pytest.raises(ConfigError) as caught:
        Config.from_env({"PORT": "x", "WORKERS": "many", "LOG_LEVEL": "info", "REDIS_URL": "redis://"})
    assert [line.split()[0] for line in caught.value.problems] == ["PORT", "WORKERS", "REDIS_URL"]
    assert all(line in str(caught.value) for line in caught.value.problems)


@pytest.mark.parametrize(("threads", "slots"), [("4", "2"), ("16", "14"), ("16", "64"), ("", "14")])
def test_searches_may_not_be_given_all_threads(threads: str, slots: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Config.from_env({"THREADS": threads, "SEARCH_SLOTS": slots})
    (problem,) = caught.value.problems
    assert problem.startswith(f"THREADS must be at least {int(slots) + 3}, 3 more than SEARCH_SLOTS")


@pytest.mark.parametrize(("threads", "slots"), [("4", "1"), ("16", "13"), ("67", "64")])
def test_as_many_searches_as_leave_some_threads_are_fine(threads: str, slots: str) -> None:
    config = Config.from_env({"THREADS": threads, "SEARCH_SLOTS": slots})
    assert config.threads - config.search_slots - EXTRA_FOR_MOVES >= SPARED_THREADS


def test_the_threads_beside_searches_are_those_that_the_slots_leave() -> None:
    assert THREADS_BESIDE_SEARCHES == EXTRA_FOR_MOVES + SPARED_THREADS


def test_an_empty_variable_counts_as_unset() -> None:
    assert Config.from_env({"PORT": "", "REDIS_URL": " ", "HOME": "/h"}) == Config.from_env({"HOME": "/h"})


def test_a_password_appears_neither_in_errors_nor_in_the_settings_representation() -> None:
    assert "sesame" not in repr(Config.from_env({"REDIS_URL": "redis://:sesame@h"}))
    with pytest.raises(ConfigError) as caught:
        Config.from_env({"REDIS_URL": "redis://:sesame@h?socket_timeout=1"})
    assert "sesame" not in str(caught.value)


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"XDG_DATA_HOME": "/data", "HOME": "/home/ann"}, Path("/data/crisps")),
        ({"XDG_DATA_HOME": "relative", "HOME": "/home/ann"}, Path("/home/ann/.local/share/crisps")),
        ({"HOME": "/home/ann"}, Path("/home/ann/.local/share/crisps")),
        ({"HOME": "/"}, Path.cwd() / ".crisps-data"),
        ({}, Path.cwd() / ".crisps-data"),
    ],
)
def test_games_are_kept_in_the_users_data_folder(environ: dict[str, str], folder: Path) -> None:
    assert default_data_dir(environ) == folder
    assert Config.from_env(environ).data_dir == folder
