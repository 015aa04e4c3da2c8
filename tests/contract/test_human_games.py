"""Games between two people: resigning at any time, and who may look on."""

from __future__ import annotations

from tests.asking import PEOPLE, Api, code


def test_spectators_see_the_public_view_only_and_can_do_nothing(api: Api) -> None:
    table = api.table(turn_seconds=30).deal().play("5 5", "6 6")
    view = table.view()
    assert (view["viewer"], view["deal"]["hand"], view["legal_actions"]) == (None, None, [])
    for event in api.get(f"{table.path}/history").json["events"]:
        assert event.get("hands", [None, None]) == [None, None]
    version = {"version": view["version"]}
    for action in ("deal", "play", "pass", "draw-choice", "resign", "claim", "rematch", "suggestions", "ai-move"):
        assert code(api.post(f"{table.path}/{action}", version)) == (401, "missing_token")
    assert table.view() == view


def test_either_seat_may_resign_at_any_time_and_the_other_wins(api: Api) -> None:
    for turns, seat in (((), 0), (("5 5",), 0), (("5 5", "pass"), 1)):
        table = api.table(seats=PEOPLE)
        if turns:
            table.deal().play(*turns)
        ended = table.do(seat, "resign")
        assert ended["game"]["winner"] == 1 - seat
        assert ended["events"][-1]["reason"] == "resignation"
        assert code(table.act(1 - seat, "resign")) == (409, "game_finished")
