"""Whole games against the computer over HTTP, in both editions with every combination of the table options."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from service import verify
from tests.contract.client import Seated, connected
from tests.contract.play_games import VARIANTS, play_game, take_turn
from tests.running import ROOT

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("number", range(len(VARIANTS)))
def test_a_game_from_legal_actions_alone_ends_and_every_account_of_it_agrees(service_url: str, number: int) -> None:
    with connected(service_url) as client:
        done = play_game(client, number, seed=1)
        assert done["games"] == 1
        assert done["actions"] > 0
        assert client.statuses.keys() == {200, 201}


def test_games_played_at_the_same_time_do_not_disturb_each_other(service_url: str) -> None:
    command = [sys.executable, "-m", "tests.contract.play_games", "--games", "6", "--processes", "2", "--seed", "2"]
    done = subprocess.run([*command, "--url", service_url], cwd=ROOT, capture_output=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert b"6 games" in done.stdout


def test_anybody_can_verify_a_deal_at_its_address_the_computer_s_choices_included(
    service_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with connected(service_url) as client:
        seated = Seated.create(client, {"rules": {"points_to_win": 1}})
        address = f"{service_url}{seated.path}/deals/1"
        assert verify.main([address]) == verify.UNREADABLE
        chance = random.Random(1)
        while seated.view["winner"] is None:
            take_turn(seated, chance)
    capsys.readouterr()
    assert verify.main([address, "--ai"]) == verify.VERIFIED
    told = capsys.readouterr().out.splitlines()
    assert told[-1] == "verified"
    assert told[-2].startswith("computer: ")
    assert not told[-2].startswith("computer: 0 ")
