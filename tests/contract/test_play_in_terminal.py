"""`python -m service.play` as people run it: against a real service, by lines of input and in a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import threading
import time

import pytest

from tests.contract.client import connected
from tests.contract.relays import answering, relayed
from tests.running import ROOT

COMMAND = [sys.executable, "-m", "service.play"]
BACK = re.compile(r"To come back: python -m service\.play (\S+) --game (\S+) --token (\S+)")


def play(*arguments: str, lines: str = "") -> subprocess.CompletedProcess[str]:
    """The command with these lines of input."""
    return subprocess.run(
        [*COMMAND, *arguments], input=lines, capture_output=True, text=True, cwd=ROOT, timeout=90, check=False
    )


def test_a_whole_game_is_played_by_numbers_and_every_shuffle_is_verified(service_url: str) -> None:
    # The first legal action again and again; what is no number of one is asked again.
    options = ("--level", "1", "--points", "1", "--name", "[red]Ann", "--rules", "crisps_in_runs")
    done = play(service_url, *options, lines="0\nx\n?\n" + "1\n" * 80)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^(You|Computer \(level 1\)) won the game\. ", done.stdout, re.MULTILINE)
    assert len(re.findall(r"Shuffle and course verified: \d+ checks", done.stdout)) == 1
    assert re.search(r"\d+%", done.stdout), "no advice"
    for shown in ("Face up", "Round", "Your hand", "You may", "Deal 1. First to lead: "):
        assert shown in done.stdout
    assert "Traceback" not in done.stdout


def test_the_end_of_input_tells_how_to_come_back_and_the_game_goes_on_there(service_url: str) -> None:
    left = play(service_url, "--points", "1", "--edition", "classic", lines="1\n1\nq\n")
    assert (left.returncode, left.stderr) == (0, "")
    url, game, token = BACK.search(left.stdout).groups()  # type: ignore[union-attr]
    assert url == service_url
    with connected(service_url) as client:
        version = client.want(200, "GET", f"/v1/games/{game}", token=token)["version"]
        ended = play(url, "--game", game, "--token", token, lines="1\n" * 80)
        assert ended.returncode == 0, ended.stderr
        events = client.want(200, "GET", f"/v1/games/{game}/history?limit=1000", token=token)["events"]
    assert events[-1]["type"] == "game_ended"
    assert len(events) > version
    assert "won the game" in ended.stdout


def test_two_people_play_each_other_in_two_terminals(service_url: str) -> None:
    with connected(service_url) as client:
        settings = {"seats": [{"kind": "human", "name": "Ann"}, {"kind": "human"}], "rules": {"points_to_win": 1}}
        made = client.want(201, "POST", "/v1/games", settings)
    seats = [
        subprocess.Popen(
            [*COMMAND, service_url, "--game", made["game"]["id"], "--token", one["token"]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for one in made["tokens"]
    ]
    told: list[str] = ["", ""]

    def run(seat: int) -> None:
        told[seat] = seats[seat].communicate("1\n" * 80, timeout=90)[0]

    threads = [threading.Thread(target=run, args=(seat,)) for seat in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(90)
    assert [one.returncode for one in seats] == [0, 0]
    winners = [re.search(r"^(.+) won the game\.", text, re.MULTILINE)[1] for text in told]  # type: ignore[index]
    assert sorted(winners) in (["The other seat", "You"], ["Ann", "You"])


@pytest.mark.slow
def test_wrong_input_is_told_in_a_line_and_ends_with_status_2(service_url: str) -> None:
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\nConnection: close\r\n\r\nHi"
    with answering(page) as other_site, answering(b"") as mute:
        for arguments, told in (
            (["http://127.0.0.1:1"], "No Crisps! service answers at http://127.0.0.1:1: "),
            ([other_site], "No Crisps! service answers at"),
            ([mute], "No Crisps! service answers at"),
            (["ftp://127.0.0.1"], "it begins with http:// or https://"),
            (["http://[/"], "No Crisps! service answers at"),
            ([f"{service_url}/nothing"], "Not found"),
            ([service_url, "--name", ""], "Invalid request. "),
            ([service_url, "--points", "0"], "/rules/points_to_win: "),
            ([service_url, "--level", "9"], "invalid choice"),
            ([service_url, "--game", "f" * 32], "--game and --token go together"),
            ([service_url, "--game", "f" * 32, "--token", "x"], "Unknown game"),
            ([service_url, "--token", "-dash", "--game", "f" * 32], "Unknown game"),
            ([service_url, "--game", "f" * 32, "--token"], "--token: expected one argument"),
        ):
            done = play(*arguments, lines="1\n")
            assert (done.returncode, told in done.stderr) == (2, True), done
            assert "Traceback" not in done.stderr


def read_until(terminal: int, mark: bytes, seconds: float = 60.0) -> bytes:
    """What a terminal shows until it shows this."""
    shown, deadline = b"", time.monotonic() + seconds
    while mark not in shown:
        assert time.monotonic() < deadline, shown
        if select.select([terminal], [], [], 1.0)[0]:
            shown += os.read(terminal, 65536)
    return shown


def test_in_a_terminal_it_shows_colours_and_control_c_is_a_polite_end(service_url: str) -> None:
    ours, theirs = pty.openpty()
    environ = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    command = [*COMMAND, service_url, "--seed", "crisps"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=ROOT, env=environ) as player:
        os.close(theirs)
        shown = read_until(ours, b"q to leave: ")
        assert b"\x1b[" in shown
        time.sleep(0.3)  # it reads by now: CPython loses a signal that comes just before
        player.send_signal(signal.SIGINT)
        shown = read_until(ours, b"--token ")
        assert player.wait(30) == 0
    os.close(ours)
    assert b"Traceback" not in shown


def test_an_action_whose_answer_is_lost_is_sent_again_and_counts_once(service_url: str) -> None:
    with connected(service_url) as client, relayed(service_url, lost=(b"/play ", 2)) as relay:
        made = client.want(201, "POST", "/v1/games", {"first_leader": 0})
        game, token = made["game"]["id"], made["tokens"][0]["token"]
        left = play(relay.url, "--game", game, "--token", token, lines="1\n1\nq\n")
        assert (left.returncode, left.stderr) == (0, "")
        assert relay.kept == 2
        events = client.want(200, "GET", f"/v1/games/{game}/history?limit=1000", token=token)["events"]
    mine = [json.dumps(event["cards"]) for event in events if event["type"] == "played" and event["seat"] == 0]
    told = re.findall(r"  You: (.+) \(\w+\)$", left.stdout, re.MULTILINE)
    assert len(told) >= 1
    assert [" ".join(json.loads(cards)) for cards in mine] == told


@pytest.mark.parametrize("argument", ["--help", "-h"])
def test_help_names_every_option(argument: str) -> None:
    done = play(argument)
    assert done.returncode == 0
    for option in ("--level", "--name", "--edition", "--rules", "--points", "--seed", "--game", "--token"):
        assert option in done.stdout
