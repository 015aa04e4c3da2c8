"""README's commands do what it says, and its settings are all there are."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ai.levels import levels_table
from service.config import settings_table
from tests.running import ROOT

README = (ROOT / "README.md").read_text()
PRINTED_URL = "http://127.0.0.1:8000"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_the_walk_through_by_curl_plays_resigns_follows_and_repeats(service_url: str, tmp_path: Path) -> None:
    script = "\n".join(block for block in blocks("sh") if "curl" in block).replace(PRINTED_URL, service_url)
    python = f'python3() {{ "{sys.executable}" "$@"; }}\nset -euo pipefail\n'
    ran = subprocess.run(["bash", "-c", python + script], cwd=tmp_path, capture_output=True, timeout=60, check=True)
    told = [json.loads(line) for line in ran.stdout.decode().replace("}{", "}\n{").splitlines()]
    _viewed, played, resigned, snapshot = told
    assert played["events"][0]["type"] == "played"
    assert played["game"]["to_act"] == 0 or played["game"]["phase"] == "awaiting_deal"
    assert resigned["game"]["phase"] == "finished"
    assert resigned["game"]["winner"] == 1
    assert (snapshot["type"], snapshot["game"]["winner"]) == ("snapshot", 1)
    created, again = ((tmp_path / name).read_bytes() for name in ("first.json", "again.json"))
    assert created == again


ADVICE = re.search(r"^`(post\([^`]*suggestions[^`]*)`", README, re.MULTILINE)[1]  # type: ignore[index]


@pytest.mark.slow
@pytest.mark.parametrize("choice", ['random.choice(game["legal_actions"])', ADVICE])
def test_the_bot_plays_a_game_to_its_end_by_chance_or_by_advice(service_url: str, choice: str) -> None:
    (bot,) = (block for block in blocks("python") if "random.choice" in block)
    code = bot.replace(PRINTED_URL, service_url).replace('random.choice(game["legal_actions"])', choice)
    assert choice in code
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=True)
    assert re.fullmatch(r"(won|lost) \[\d, \d\]\n", ran.stdout)
    assert "3" in ran.stdout


def test_the_game_in_the_terminal_begins(service_url: str) -> None:
    (command,) = (block for block in blocks("sh") if "service.play" in block)
    arguments = command.replace(PRINTED_URL, service_url).replace(".venv/bin/python", sys.executable).split()
    ran = subprocess.run(arguments, input="q\n", capture_output=True, text=True, cwd=ROOT, timeout=60, check=True)
    assert "Computer (level 2)" in ran.stdout
    assert f"To come back: python -m service.play {service_url} --game " in ran.stdout


def test_the_settings_are_those_of_the_service() -> None:
    assert re.search(r"<!-- settings -->\n(.*?)\n<!-- /settings -->", README, re.DOTALL)[1] == settings_table()  # type: ignore[index]


def test_the_levels_are_those_that_are_played() -> None:
    assert re.search(r"<!-- levels -->\n(.*?)\n<!-- /levels -->", README, re.DOTALL)[1] == levels_table()  # type: ignore[index]


def test_every_linked_file_exists() -> None:
    linked = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert linked
    assert [name for name in linked if not (ROOT / name).exists()] == []
