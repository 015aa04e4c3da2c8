"""Games at /play in real browsers that can reach nothing but the service: by clicks, by keys, by link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.contract.browsing import CUT, DESKTOP, MOST_TURNS, PHONE, Guest, asked

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.check, pytest.mark.timeout(300)]


def play_to_the_end(*guests: Guest) -> None:
    """Whoever has something to do does it, until the game is over for all."""
    for _ in range(MOST_TURNS):
        if all(guest.over() for guest in guests):
            return
        for guest in guests:
            if guest.page.locator(".status.yours, [data-focus=deal]:enabled").count():
                guest.act()
        guests[0].page.wait_for_timeout(30)
    raise AssertionError("the game does not end")


def no_complaints(guest: Guest, document: dict[str, Any]) -> None:
    assert (guest.foreign, guest.complaints, guest.unasked_for(document)) == ([], [], [])


def test_a_game_by_clicks_on_a_desktop(guest: Guest, document: dict[str, Any]) -> None:
    guest.open()
    guest.picture("start")
    guest.start(points=1)
    guest.at("deal").click()
    guest.wait_for_turn()
    guest.picture("opening-hand")
    guest.at("advice").click()
    guest.page.locator(".rating").first.wait_for()
    guest.picture("advice")
    before = guest.version()
    guest.page.locator(".rating").first.click()  # what is best is done by a click
    guest.moved_on(before)
    seen = set()
    while not guest.over():
        guest.wait_for_turn()
        if guest.over():
            break
        now = "draw-choice" if guest.page.locator(".source").count() else "follow"
        if now not in seen:
            seen.add(now)
            guest.picture(now)
        guest.act()
    guest.picture("game-over")
    guest.at("review").click()
    guest.page.locator("svg.chart").wait_for()
    guest.picture("review")
    guest.at("check-shuffle").click()
    guest.page.locator(".verdict.ok").wait_for()
    assert guest.page.locator(".checks li.ok:not(.verdict)").count() == 6
    assert guest.page.locator(".checks li.failed").count() == 0
    no_complaints(guest, document)


def test_a_game_by_keys_on_a_phone(browser: Browser, service_url: str, document: dict[str, Any]) -> None:
    guest = Guest.come(browser, service_url, PHONE, has_touch=True)
    page, press = guest.page, guest.page.keyboard.press
    guest.open()
    page.locator(".level").first.wait_for()
    guest.tab_to("[name=level]")
    press("ArrowLeft")  # from level 3
    press("ArrowLeft")
    guest.tab_to(".more-options summary")
    press("Enter")
    guest.tab_to("#points")
    press("Control+a")
    page.keyboard.type("1")
    guest.tab_to("[data-focus=start]")
    press("Enter")
    guest.at("deal").wait_for()
    assert page.locator(".plate .name").first.inner_text() == "Computer (level 1)"
    guest.act_by_keys()
    guest.wait_for_turn()
    before = guest.version()
    press("a")
    page.locator(".rating").first.wait_for()
    guest.tab_to(".rating")
    press("Enter")
    guest.moved_on(before)
    guest.wait_for_turn()
    while not guest.over():
        guest.act_by_keys()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        guest.wait_for_turn()
    guest.picture("phone-over")
    press("r")
    page.locator("svg.chart").wait_for()
    press("Escape")
    page.locator("dialog").wait_for(state="detached")
    press("?")
    page.locator("dialog kbd").first.wait_for()
    no_complaints(guest, document)
    page.context.close()


def test_two_play_by_link_through_a_reload_and_a_cut(
    browser: Browser, service_url: str, document: dict[str, Any]
) -> None:
    ann = Guest.come(browser, service_url, DESKTOP)
    bob = Guest.come(browser, service_url, PHONE, has_touch=True)
    ann.open()
    ann.start(points=1, against="A friend, by link")
    link = ann.page.locator("#invitation").input_value()
    ann.picture("invitation")
    token = link.rsplit(":", 1)[1]
    bob.open(link)
    bob.at("deal").wait_for()
    assert token not in bob.page.url
    assert token not in ann.page.url
    assert [request.url for request in (*bob.asked, *ann.asked) if token in request.url.split("#")[0]] == []
    ann.page.locator("#invitation").wait_for(state="detached")  # Bob is here
    ann.at("deal").click()
    bob.page.locator(".hand li").first.wait_for()
    first, second = (ann, bob) if ann.page.locator(".status.yours").count() else (bob, ann)

    second.page.context.set_offline(True)
    second.page.locator(".banner .warn").wait_for()
    second.picture("offline")
    first.act()
    first.page.wait_for_timeout(300)
    assert second.page.locator(".play").count() == 0
    second.page.context.set_offline(False)
    second.page.locator(".play").first.wait_for()
    assert second.version() == first.version()

    second.page.reload()
    second.page.locator(".play").first.wait_for()
    assert second.version() == first.version()
    second.act()
    first.page.reload()
    first.page.locator("#table").wait_for()
    play_to_the_end(ann, bob)
    assert ann.version() == bob.version()
    assert {guest.page.locator(".finished.won").count() for guest in (ann, bob)} == {0, 1}

    for guest in (ann, bob):
        guest.at("rematch").click()
        guest.at("deal").wait_for()
    assert ann.page.url == bob.page.url != link.rsplit(":", 1)[0]
    ann.act()
    bob.page.locator(".hand li").first.wait_for()
    for guest in (ann, bob):
        guest.complaints[:] = [one for one in guest.complaints if not CUT.search(one)]
        no_complaints(guest, document)
        guest.page.context.close()


@pytest.mark.parametrize(("edition", "labels"), [("Boxed", "123456789C"), ("Classic", ["10", *"23456789Q"])])
def test_both_editions_and_all_options_can_be_played(guest: Guest, edition: str, labels: Any) -> None:
    guest.open()
    page = guest.page
    page.get_by_text("Edition, options and length").click()
    page.get_by_role("radio", name=edition).check()
    for option in ("Crisps in runs", "No face-up card", "Automatic skip"):
        page.get_by_label(option).check()
    page.get_by_text("Edition, options and length").click()
    guest.start(points=1)
    while not guest.over():
        guest.act()
        if page.locator(".hand .card").count():
            shown = page.locator(".hand .card").evaluate_all("cards => cards.map((card) => card.dataset.label)")
            assert set(shown) <= set(labels)
        guest.wait_for_turn()
    assert (guest.foreign, guest.complaints) == ([], [])


def test_the_last_choices_are_remembered_and_games_can_be_gone_on_with(guest: Guest) -> None:
    guest.open()
    guest.start(points=2, level="Casual")
    address = guest.page.url
    guest.at("home").click()
    assert guest.page.get_by_role("radio", name="Casual").is_checked()
    assert guest.page.locator("#points").input_value() == "2"
    guest.page.locator(".games a").click()
    guest.at("deal").wait_for()
    assert guest.page.url == address


def test_resigning_is_asked_about_first(guest: Guest, document: dict[str, Any]) -> None:
    guest.open()
    guest.start()
    guest.act()
    guest.at("resign").click()
    guest.at("no").click()
    assert not guest.over()
    guest.at("resign").click()
    guest.at("yes").click()
    guest.page.locator(".finished.lost").wait_for()
    guest.at("review").click()  # a deal that was cut short has a review as well
    guest.page.locator(".review h3").first.wait_for()
    no_complaints(guest, document)


def test_who_only_watches_sees_no_hand(guest: Guest, browser: Browser, service_url: str) -> None:
    guest.open()
    guest.start()
    guest.act()
    watcher = Guest.come(browser, service_url)
    watcher.open(guest.page.url)
    watcher.page.locator(".fan").first.wait_for()
    assert watcher.page.locator(".fan").count() == 2
    assert not watcher.page.locator(".hand").is_visible()
    assert watcher.at("play").count() == watcher.at("resign").count() == 0
    guest.wait_for_turn()
    before = watcher.version()
    guest.act()
    watcher.moved_on(before)
    assert (watcher.foreign, watcher.complaints) == ([], [])
    watcher.page.context.close()


def test_a_win_on_time_is_claimed(browser: Browser, service_url: str) -> None:
    settings = {"seats": [{"kind": "human"}, {"kind": "human"}], "turn_seconds": 5, "first_leader": 1}
    made = asked(f"{service_url}/v1/games", settings)
    game, (mine, _) = made["game"]["id"], made["tokens"]
    guest = Guest.come(browser, service_url)
    guest.open(f"/play#{game}:{mine['token']}")
    guest.at("deal").click()
    guest.page.locator(".clock time").first.wait_for()
    guest.at("claim").click()
    guest.page.locator(".finished.won").wait_for()
    assert "on time" in guest.page.locator(".finished h2").inner_text()
    assert (guest.foreign, guest.complaints) == ([], [])
    guest.page.context.close()
