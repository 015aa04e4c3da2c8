"""An ended deal's record, verified: its cards are shuffled again from the seed, its events played again by the engine.

This knows the form of records but uses none of the code that writes them.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from engine.actions import PASS, Draw, Source
from engine.cards import Edition
from engine.deal import Deal
from engine.errors import CrispsError, IllegalAction, LeaderMayNotPass, NotYourTurn, UnreadableNotation, WrongPhase
from engine.events import DealEnded, Dealt, Drew, Passed, Played
from engine.rules import MAX_POINTS_TO_WIN, Rules
from engine.shuffle import ALGORITHM, Shuffle
from service.hosted import SEED_BITS
from service.nodes import Node, RecordError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from engine.actions import Action
    from engine.cards import Hand, Rank, Seat
    from engine.events import DealEvent

MAX_NUMBER = 2**53 - 1  # what every JSON reader keeps exact
MAX_LEVEL = 5
DIGEST = "[0-9a-f]{64}"
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z"
ALL_CARDS = 40

Decided: TypeAlias = "Callable[[Decision], None]"


@dataclass(frozen=True, slots=True)
class Decision:
    """An action as a record shows it, with the deal before it, that deal's secret seed, and the action's event."""

    seed: bytes
    deal: Deal
    action: Action
    event: Node


@dataclass(frozen=True, slots=True)
class ClaimedDeal:
    """What a record says of its deal, readable but not yet verified; `rules` None where it does not tell them."""

    record: Node
    rules: Rules | None
    edition: Edition
    number: int
    starter: Seat
    winner: Seat | None
    deck: tuple[Rank, ...]
    shuffle: Shuffle
    events: tuple[Node, ...]
    first: int

    @property
    def last(self) -> int:
        """The version of the last event."""
        return self.first + len(self.events) - 1


def verify_deal(record: object, decided: Decided | None = None) -> list[str]:
    """Verify a deal's record (parsed JSON) and answer what was checked, a line for each. Raises RecordError.

    Rules that the record does not tell are inferred from its cards and events. `decided` is called with each action
    that a seat chose, in order, and may raise RecordError too.
    """
    return list(deal_checks(read_deal(Node(record)), decided))


def read_deal(record: Node, rules: Rules | None = None) -> ClaimedDeal:
    """What a deal's record says; `rules` are for one without any of its own. Raises RecordError: it is no record."""
    record["algorithm"].expect(ALGORITHM, "the only known algorithm")
    rules = read_rules(record["rules"]) if record.has("rules") else rules
    deck_node = record["deck"]
    labels = tuple(deck_node)
    classic = any(label.value in ("10", "Q") for label in labels)
    edition = rules.edition if rules else Edition.CLASSIC if classic else Edition.BOXED
    deck = tuple(_rank(label, edition) for label in labels)
    if len(deck) != ALL_CARDS:
        raise deck_node.error(f"{len(deck)} cards; a deck has {ALL_CARDS} (R1)")
    seed, client_seed = record["seed"].text(DIGEST), record["client_seed"]
    try:
        shuffle = Shuffle(bytes.fromhex(seed), client_seed.text())
    except CrispsError as error:
        raise client_seed.error(str(error)) from None
    events = tuple(record["events"])
    if not events:
        raise record["events"].error("a deal begins with an event of type dealt")
    winner = record["winner"]
    claimed = ClaimedDeal(
        record=record,
        rules=rules,
        edition=edition,
        number=record["number"].whole(1, 2 * MAX_POINTS_TO_WIN - 1),
        starter=record["starter"].whole(0, 1),
        winner=None if winner.value is None else winner.whole(0, 1),
        deck=deck,
        shuffle=shuffle,
        events=events,
        first=events[0]["version"].whole(1, MAX_NUMBER),
    )
    record["commitment"].text(DIGEST)
    if record.has("game"):
        record["game"].text("[!-~]{1,200}")
    for version, event in enumerate(events, claimed.first):
        _check_envelope(event, version)
    return claimed


def deal_checks(claimed: ClaimedDeal, decided: Decided | None = None) -> Iterator[str]:
    """Verify what a record says, and say after each part what held. Raises RecordError where something does not."""
    record = claimed.record
    yield f"form: deal {claimed.number}, {len(claimed.events)} events, versions {claimed.first} to {claimed.last}"
    record["commitment"].expect(claimed.shuffle.commitment, "SHA-256 of the seed")
    yield f"commitment: it is SHA-256 of the seed, {claimed.shuffle.commitment}"
    shuffled = [claimed.edition.label(rank) for rank in claimed.shuffle.deck()]
    record["deck"].expect(shuffled, "the shuffle")
    yield f"deck: {ALGORITHM} of seed and client seed gives these {ALL_CARDS} cards"
    rules, decisions, deal = _replayed(claimed)
    for decision in decisions if decided is not None else ():
        assert decided is not None  # noqa: S101 - asked for above
        decided(decision)
    yield f"rules: {'as recorded' if claimed.rules else 'inferred'}, {_rules_text(rules)}"
    yield f"events: {len(decisions)} actions were legal and led to exactly these events"
    record["winner"].expect(deal.winner, "the course of play")
    yield "winner: nobody, the deal was cut short" if deal.winner is None else f"winner: seat {deal.winner}"


def read_rules(node: Node) -> Rules:
    """The settings of a game. Raises RecordError."""
    edition = node["edition"].text("|".join(Edition))
    options = {name: node[name].truth() for name in ("crisps_in_runs", "no_face_up_draw", "automatic_turn_skip")}
    return Rules(Edition(edition), **options, points_to_win=node["points_to_win"].whole(1, MAX_POINTS_TO_WIN))


def _rules_text(rules: Rules) -> str:
    options = [name for name in ("crisps_in_runs", "no_face_up_draw", "automatic_turn_skip") if getattr(rules, name)]
    return f"{rules.edition} edition with {', '.join(options) or 'no table options'}"


def _check_envelope(event: Node, version: int) -> None:
    """What every event carries whatever its type: the next version, a time, and a well-formed search if any."""
    event["version"].expect(version, "counting on from the first event")
    at = event["at"]
    text = at.text(TIME)
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise at.error("this is no date and time") from None
    if event.has("search"):
        search = event["search"]
        search["simulations"].whole(0, MAX_NUMBER)
        search["seed"].whole(0, 2**SEED_BITS - 1)
        search["level"].whole(1, MAX_LEVEL)


def _replayed(claimed: ClaimedDeal) -> tuple[Rules, list[Decision], Deal]:
    """The rules, what was decided, and the deal as the events leave it."""
    if claimed.rules is not None:
        return claimed.rules, *_replay(claimed, claimed.rules)
    shown = _shown_rules(claimed)
    try:
        return shown, *_replay(claimed, shown)
    except RecordError:
        # no run with a Crisp was played, but that one could have been decides on automatic passes (R27, R28)
        more = replace(shown, crisps_in_runs=True)
        if not shown.automatic_turn_skip or more == shown:
            raise
        try:
            return more, *_replay(claimed, more)
        except RecordError:
            pass
        raise


def _shown_rules(claimed: ClaimedDeal) -> Rules:
    """The table options that a deal's events give away."""
    events, crisp = claimed.events, claimed.edition.labels[-1]
    plays = [event["cards"].value for event in events if event.has("cards")]
    return Rules(
        claimed.edition,
        crisps_in_runs=any(isinstance(cards, list) and crisp in cards and cards[0] != crisp for cards in plays),
        no_face_up_draw=events[0]["face_up"].value is None,
        automatic_turn_skip=any(event.has("automatic") and event["automatic"].value is True for event in events),
    )


def _replay(claimed: ClaimedDeal, rules: Rules) -> tuple[list[Decision], Deal]:
    deal = Deal.start(rules, claimed.deck, claimed.starter, claimed.number)
    due: deque[DealEvent | DealEnded] = deque([deal.dealt()])
    decisions = []
    for event in claimed.events:
        if due:
            if event.has("search"):
                raise event["search"].error("nobody chose what this event tells")
        else:
            action = _action(deal, event)
            decisions.append(Decision(claimed.shuffle.seed, deal, action, event))
            deal, happened = deal.apply_unchecked(action)
            due.extend(happened)
        why = "the deck and the course of play"
        event.expect(_members(due.popleft(), claimed), why)
    if due:
        missing = _members(due[0], claimed)["type"]
        raise claimed.record["events"].error(f"the last event entails another one of type {missing}, which is missing")
    return decisions, deal


def _action(deal: Deal, event: Node) -> Action:
    """The action that an event tells of, known to be legal."""
    kind = event["type"]
    if deal.is_over:
        raise event.error("the deal is over already (R20)")
    seat = event["seat"].whole(0, 1)
    try:
        action: Action
        match kind.value:
            case "played":
                edition = deal.rules.edition
                action = deal.play_of(seat, [_rank(label, edition) for label in event["cards"]])
            case "passed":
                action = PASS
            case "drew":
                action = Draw(Source(event["source"].text("|".join(Source))))
            case _:
                raise kind.error("a play, a pass or a draw choice is due")
        deal.apply(seat, action)
    except IllegalAction as error:
        where = "cards"
        if isinstance(error, NotYourTurn):
            where = "seat"
        elif isinstance(error, WrongPhase | LeaderMayNotPass):
            where = "type"
        raise event[where].error(f"{error.detail} ({error.clause})") from None
    return action


def _members(event: DealEvent | DealEnded, claimed: ClaimedDeal) -> dict[str, Any]:
    """What a record has to say of an event."""
    edition = claimed.edition
    match event:
        case Dealt(number, starter, face_up, hands):
            return {
                "type": "dealt",
                "seat": None,
                "number": number,
                "starter": starter,
                "commitment": claimed.shuffle.commitment,
                "face_up": _label(face_up, edition),
                "hands": [None if hand is None else _labels(hand, edition) for hand in hands],
            }
        case Played(seat, combination):
            cards = _labels(combination.cards, edition)
            return {"type": "played", "seat": seat, "cards": cards, "kind": str(combination.kind)}
        case Passed(seat, automatic):
            return {"type": "passed", "seat": seat, "automatic": automatic}
        case Drew(chooser, source, drawn, face_up):
            return {
                "type": "drew",
                "seat": chooser,
                "source": None if source is None else str(source),
                "drawn": [_label(rank, edition) for rank in drawn],
                "face_up": _label(face_up, edition),
            }
        case DealEnded(number, winner):
            return {"type": "deal_ended", "seat": None, "number": number, "winner": winner}


def _rank(label: Node, edition: Edition) -> Rank:
    try:
        return edition.rank(label.text())
    except UnreadableNotation:
        raise label.error(f"this is no card of the {edition} edition (R1)") from None


def _label(rank: Rank | None, edition: Edition) -> str | None:
    return None if rank is None else edition.label(rank)


def _labels(cards: Hand | Iterable[Rank], edition: Edition) -> list[str]:
    return [edition.label(rank) for rank in cards]
