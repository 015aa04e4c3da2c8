"""Plain-text goldens of the computer player's choices.

`signature.txt` is what the search answers today: a commit that changes it says so. `baselines.txt` is what the
baselines answer for ever. Write the first anew with

    python -m tests.ai.signatures
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ai.baselines import baseline
from ai.policy import Budget, search
from engine.deal import Deal
from engine.notation import action_text, position_text
from tests.ai.moments import decisions, mover
from tests.engine.dealing import ALL_RULES, name_of

HERE = Path(__file__).parent
BASELINES = ("random", "greedy", "textbook-100", "clairvoyant-100")


def some_decisions(seed: int) -> Iterator[Deal]:
    """Every eleventh decision of a deal."""
    yield from [*decisions(range(seed, seed + 1))][::11]


def signature() -> str:
    """The search's three best actions with their visits, for decisions under all options."""
    lines = []
    for seed, rules in enumerate(ALL_RULES):
        for number, deal in enumerate(some_decisions(seed)):
            result = search(mover(deal), Budget(simulations=300), seed=number)
            best = ", ".join(f"{action_text(value.action)} {value.visits}" for value in result.actions[:3])
            lines.append(f"{name_of(rules)} | {_position(deal)} | {best}\n")
    return "".join(lines)


def baselines() -> str:
    """The baselines' choices in decisions under all options."""
    lines = []
    for seed, rules in enumerate(ALL_RULES):
        for number, deal in enumerate(some_decisions(seed + 8)):
            chosen = ", ".join(action_text(baseline(name)(deal, number)) for name in BASELINES)
            lines.append(f"{name_of(rules)} | {_position(deal)} | {chosen}\n")
    return "".join(lines)


def _position(deal: Deal) -> str:
    assert deal.to_act is not None
    follow = deal.round.to_follow if deal.phase == "play" else None
    return position_text(deal.hands[deal.to_act], follow, deal.rules.edition)


if __name__ == "__main__":
    (HERE / "signature.txt").write_text(signature())
