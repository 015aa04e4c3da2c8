"""What a terminal shows of a game: views, events and advice of the API as rich's tables and texts."""

from __future__ import annotations

from typing import Any

from rich.bar import Bar
from rich.columns import Columns
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

Json = dict[str, Any]
Names = dict[int | None, str]
_SOURCES = {"face_up": "the face-up card", "draw_pile": "an unseen card"}


def names_of(view: Json) -> Names:
    """What the viewer of a view calls the seats."""
    me = view["viewer"]
    other = view["seats"][1 - me]
    name = f"Computer (level {other['level']})" if other["kind"] == "ai" else other["name"] or "The other seat"
    return {me: "You", 1 - me: name, None: "Nobody"}


def action_text(action: Json) -> str:
    """A legal action in words."""
    match action["type"]:
        case "play":
            return " ".join(action["cards"])
        case "draw":
            return _SOURCES[action["source"]]
        case _:
            return "pass"


def event_text(event: Json, names: Names) -> str:
    """An event in words."""
    seat = names[event["seat"]]
    match event["type"]:
        case "dealt":
            return f"Deal {event['number']}. First to lead: {names[event['starter']]}"
        case "played":
            return f"{seat}: {' '.join(event['cards'])} ({event['kind']})"
        case "passed":
            return f"{seat}: pass{' (automatic)' if event['automatic'] else ''}"
        case "drew":
            return "; ".join(f"{names[who]}: draw {card or 'unseen'}" for who, card in enumerate(event["drawn"]))
        case kind:  # deal_ended, game_ended
            return f"{kind.partition('_')[0].capitalize()} won by: {names[event['winner']]}"


def score_text(view: Json, names: Names) -> str:
    """The deals won."""
    won = ", ".join(f"{names[seat['seat']]} {seat['score']}" for seat in view["seats"])
    return f"{won}; {view['rules']['points_to_win']} to win"


def table_of(view: Json, names: Names) -> Panel:
    """The table as the viewer sees it in its turn, with the legal actions by number from 1."""
    deal, other = view["deal"], 1 - view["viewer"]
    known = " ".join(deal["known"][other])
    plays = [f"{names[play['seat']]}: {' '.join(play['cards'])}" for play in deal["round"]["plays"]]
    listed = [_numbered(number, one) for number, one in enumerate(view["legal_actions"], 1)]
    rows = Table.grid(padding=(0, 2))
    rows.add_row(Text(names[other]), f"{deal['hand_sizes'][other]} cards{f', among them {known}' if known else ''}")
    rows.add_row("Face up", f"{deal['face_up'] or 'none'}, {deal['draw_pile']} more to draw")
    rows.add_row("Round", Text("\n".join(plays) or "yours to lead", style="cyan"))
    rows.add_row("Your hand", Text(" ".join(deal["hand"]), style="bold"))
    rows.add_row("You may", Columns(listed, padding=(0, 3)))
    return Panel(rows, title=Text(f"Deal {deal['number']}. {score_text(view, names)}"), title_align="left")


def advice_table(suggestion: Json, legal: list[Json]) -> Table:
    """Each of the legal actions with its chance to win the deal, the advised one first."""
    bars = Table.grid(padding=(0, 2))
    for rated in suggestion["actions"]:
        chance = rated["win_probability"]
        bar = Bar(1.0, 0.0, chance, width=30, color="green")
        bars.add_row(_numbered(legal.index(rated["action"]) + 1, rated["action"]), f"{chance:4.0%}", bar)
    return bars


def _numbered(number: int, action: Json) -> Text:
    return Text.assemble((f"{number:2}) ", "dim"), action_text(action))
