"""What a viewer is shown, as plain dicts ready to be dumped: API.md's GameView, events and records.

Game states come in as engine.observation's views and events as redacted copies, so nothing here could show a hidden
card. Cards become the labels of the game's edition.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from engine.actions import ACTIONS, FIRST_PLAY, Draw, Play, index_of
from engine.cards import Edition
from engine.combinations import CATALOGUE
from engine.deal import Phase
from engine.events import DealEnded, Dealt, Drew, GameEnded, Passed, Played
from engine.observation import redact, view_game
from engine.shuffle import ALGORITHM, commitment_of
from service.hosted import Created, SeatKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.actions import Action
    from engine.cards import Hand, Rank, Seat
    from engine.combinations import Combination
    from engine.events import Event
    from engine.observation import DealView
    from engine.rules import Rules
    from service.hosted import DealHead, HostedGame, LoggedEvent, SeatPair

Json = dict[str, Any]


@lru_cache(maxsize=256)
def rules_json(rules: Rules) -> Json:
    """The settings of a game. The dict is shared: do not change it."""
    return {
        "edition": rules.edition,
        "crisps_in_runs": rules.crisps_in_runs,
        "no_face_up_draw": rules.no_face_up_draw,
        "automatic_turn_skip": rules.automatic_turn_skip,
        "points_to_win": rules.points_to_win,
    }


def seats_json(seats: SeatPair, scores: tuple[int, int] | None = None) -> list[Json]:
    """The seats; a human's carries its name, the computer's its level, and each its score where scores are given."""
    shown = []
    for number, seat in enumerate(seats):
        entry: Json = {"seat": number, "kind": seat.kind}
        if seat.kind is SeatKind.HUMAN:
            entry["name"] = seat.name
        else:
            entry["level"] = seat.level
        if scores is not None:
            entry["score"] = scores[number]
        shown.append(entry)
    return shown


def game_json(hosted: HostedGame, viewer: Seat | None) -> Json:
    """The GameView of a seat, or the public one (R24, R25)."""
    view = view_game(hosted.game, viewer)
    edition = view.rules.edition
    legal = [] if view.deal is None else [action_json(action, edition) for action in view.deal.legal_actions()]
    last = view.last_deal
    return {
        "id": hosted.game_id,
        "version": hosted.version,
        "phase": view.phase,
        "rules": rules_json(view.rules),
        "seeded": hosted.deal_seeds is not None,
        "seats": seats_json(hosted.seats, view.scores),
        "viewer": viewer,
        "to_act": view.to_act,
        "turn_deadline": None if hosted.turn_deadline is None else time_text(hosted.turn_deadline),
        "winner": view.winner,
        "deal": None if view.deal is None else _deal_json(view.deal, hosted),
        "legal_actions": legal,
        "last_deal": None if last is None else {"number": last.number, "winner": last.winner},
        "next_deal": _next_deal_json(hosted),
    }


def _deal_json(view: DealView, hosted: HostedGame) -> Json:
    edition = view.rules.edition
    assert hosted.shuffle is not None  # noqa: S101 - true of every game with a deal on the table
    shown = _COMBINATIONS[edition]
    plays = [{"seat": seat, "cards": shown[play.index]["cards"]} for seat, play in view.round.plays]
    return {
        "number": view.number,
        "starter": view.starter,
        "commitment": hosted.shuffle.commitment,
        "hand": None if view.hand is None else _labels(view.hand, edition),
        "hand_sizes": view.hand_sizes,
        "known": [_labels(known, edition) for known in view.known],
        "face_up": _label(view.face_up, edition),
        "draw_pile": view.draw_pile,
        "played": _labels(view.played, edition),
        "round": {"number": view.round.number, "leader": view.round.leader, "plays": plays},
        "to_follow": None if view.to_follow is None else combination_json(view.to_follow, edition),
    }


def _next_deal_json(hosted: HostedGame) -> Json | None:
    if hosted.game.phase is not Phase.AWAITING_DEAL or hosted.promise is None:
        return None
    game = hosted.game
    return {
        "number": game.deals + 1,
        "starter": game.next_starter(),
        "commitment": commitment_of(hosted.promise),
    }


def combination_json(combination: Combination, edition: Edition) -> Json:
    """A combination with its highest rank, length and size. The dict is shared: do not change it."""
    return _COMBINATIONS[edition][combination.index]


def action_json(action: Action, edition: Edition) -> Json:
    """An action as legal_actions and suggestions show it. The dict is shared: do not change it."""
    # index_of takes longer than all the rest of it, and nearly every action of a view is a play
    index = FIRST_PLAY + action.combination.index if isinstance(action, Play) else index_of(action)
    return _ACTIONS[edition][index]


def event_json(logged: LoggedEvent, viewer: Seat | None, rules: Rules) -> Json:
    """An event as a viewer may know it (R25)."""
    event = logged.event
    return _event_json(logged, event if isinstance(event, Created) else redact(event, viewer), rules.edition)


def events_json(events: Iterable[LoggedEvent], viewer: Seat | None, rules: Rules) -> list[Json]:
    """Events as a viewer may know them."""
    return [event_json(logged, viewer, rules) for logged in events]


def record_json(hosted: HostedGame, head: DealHead, events: Sequence[LoggedEvent]) -> Json:
    """The record of an ended deal: everything about it, unredacted, so that anybody can compute it again."""
    edition = hosted.game.rules.edition
    return {
        "game": hosted.game_id,
        "rules": rules_json(hosted.game.rules),
        "number": head.number,
        "starter": head.starter,
        "winner": head.winner,
        "deck": [edition.label(rank) for rank in head.shuffle.deck()],
        "seed": head.shuffle.seed.hex(),
        "client_seed": head.shuffle.client_seed,
        "commitment": head.shuffle.commitment,
        "algorithm": ALGORITHM,
        "events": [_unredacted_json(logged, edition) for logged in events],
    }


def _unredacted_json(logged: LoggedEvent, edition: Edition) -> Json:
    shown = _event_json(logged, logged.event, edition)
    if logged.search is not None:
        trace = logged.search
        shown["search"] = {"simulations": trace.simulations, "seed": trace.seed, "level": trace.level}
    return shown


def _event_json(logged: LoggedEvent, event: Created | Event, edition: Edition) -> Json:
    kind, seat, members = _members(event, edition)
    if logged.commitment is not None:
        members["commitment"] = logged.commitment
    return {"version": logged.version, "type": kind, "seat": seat, "at": time_text(logged.at), **members}


def _members(event: Created | Event, edition: Edition) -> tuple[str, Seat | None, Json]:  # noqa: PLR0911
    match event:
        case Created(rules, seats, leader):
            return (
                "created",
                None,
                {"rules": rules_json(rules), "seats": seats_json(seats), "first_leader": leader},
            )
        case Dealt(number, starter, face_up, hands):
            shown = [None if hand is None else _labels(hand, edition) for hand in hands]
            up = _label(face_up, edition)
            return "dealt", None, {"number": number, "starter": starter, "face_up": up, "hands": shown}
        case Played(seat, combination):
            return "played", seat, {"cards": combination_json(combination, edition)["cards"], "kind": combination.kind}
        case Passed(seat, automatic):
            return "passed", seat, {"automatic": automatic}
        case Drew(seat, source, drawn, face_up):
            cards = [_label(card, edition) for card in drawn]
            return "drew", seat, {"source": source, "drawn": cards, "face_up": _label(face_up, edition)}
        case DealEnded(number, winner):
            return "deal_ended", None, {"number": number, "winner": winner}
        case GameEnded(winner, reason):
            return "game_ended", None, {"winner": winner, "reason": reason}


@lru_cache(maxsize=256)
def time_text(milliseconds: int) -> str:
    """RFC 3339 in UTC with milliseconds."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _label(rank: Rank | None, edition: Edition) -> str | None:
    return None if rank is None else edition.label(rank)


def _labels(cards: Hand, edition: Edition) -> list[str]:
    labels: list[str] = []
    packed = cards.packed
    for label in edition.labels:
        if packed & 15:
            labels += [label] * (packed & 15)
        packed >>= 4
    return labels


def _combination_json(combination: Combination, edition: Edition) -> Json:
    return {
        "kind": combination.kind,
        "cards": _labels(combination.cards, edition),
        "rank": edition.label(combination.rank),
        "length": combination.length,
        "size": combination.size,
    }


def _action_json(action: Action, edition: Edition) -> Json:
    match action:
        case Play(combination):
            return {"type": "play", "cards": _labels(combination.cards, edition), "kind": combination.kind}
        case Draw(source):
            return {"type": "draw", "source": source}
        case _:
            return {"type": "pass"}


# Made once, for a view shows dozens of them: by edition, in the order of CATALOGUE and of ACTIONS.
_COMBINATIONS = {edition: [_combination_json(one, edition) for one in CATALOGUE] for edition in Edition}
_ACTIONS = {edition: [_action_json(one, edition) for one in ACTIONS] for edition in Edition}
