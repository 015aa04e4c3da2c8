"""Pictures of what was measured, as SVG files: equal figures make equal bytes. Needs matplotlib (extra `training`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ai.rating import Rating
from ai.reliability import BINS, Reliability
from ai.scores import Score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STYLE: Any = {
    "svg.hashsalt": "crisps",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
}
_MAIN, _SECOND, _PLAIN = "#1f6f8b", "#c8553d", "#777777"


def available() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def draw_training(log: Sequence[Mapping[str, Any]], file: Path) -> None:
    """Strength and both networks' errors over the deals of a training's log (ai.training)."""
    millions = [line["deals"] / 1e6 for line in log]
    with _picture(file, 2, (6.4, 5.6)) as (strength, errors):
        rival = "frozen" if "frozen" in log[0] else "greedy"
        shares = [line[rival] for line in log]
        margins = [line["margin"] for line in log]
        low = [share - margin for share, margin in zip(shares, margins, strict=True)]
        high = [share + margin for share, margin in zip(shares, margins, strict=True)]
        strength.fill_between(millions, low, high, color=_MAIN, alpha=0.2, linewidth=0)
        strength.plot(millions, shares, color=_MAIN)
        strength.set_ylabel(f"deals won against {rival}")
        errors.plot(millions, [line["error"] for line in log], color=_MAIN, label="sees its own hand")
        errors.plot(millions, [line["world_error"] for line in log], color=_SECOND, label="sees both hands")
        errors.set_ylabel("squared error of TD targets")
        errors.set_xlabel("million deals")
        errors.legend(frameon=False)


def draw_scale(scale: Mapping[str, Rating], file: Path) -> None:
    """The players on one Elo scale, strongest on top, with their intervals."""
    names = list(scale)[::-1]
    with _picture(file, 1, (6.4, 0.6 + 0.4 * len(names))) as (axes,):
        for place, name in enumerate(names):
            one = scale[name]
            color = _MAIN if name.startswith("level") else _PLAIN
            axes.plot([one.low, one.high], [place, place], color=color, linewidth=2)
            axes.plot([one.elo], [place], "o", color=color)
            axes.annotate(f"{one.elo:.0f}", (one.elo, place), (0, 6), textcoords="offset points", ha="center")
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(-0.6, len(names) - 0.3)
        axes.set_xlabel("Elo points, greedy = 0")


def draw_curve(scores: Mapping[tuple[int, int], Score], file: Path) -> None:
    """The share of each doubling of simulations against its half."""
    doublings = {more: score for (more, less), score in scores.items() if more == 2 * less}
    with _picture(file, 1, (6.4, 3.6)) as (axes,):
        axes.axhline(0.5, color=_PLAIN, linewidth=1)
        axes.errorbar(
            list(doublings),
            [score.share for score in doublings.values()],
            [score.margin for score in doublings.values()],
            fmt="o-",
            color=_MAIN,
            capsize=3,
        )
        axes.set_xscale("log", base=2)
        axes.set_xticks(list(doublings), [str(more) for more in doublings])
        axes.set_xlabel("simulations")
        axes.set_ylabel("deals won against half as many")


def draw_reliability(found: Reliability, title: str, file: Path) -> None:
    """The share that was won over the chance that was told, and how many decisions each tenth holds."""
    with _picture(file, 2, (5.2, 6.4), (3, 1)) as (axes, counts):
        axes.plot([0, 1], [0, 1], color=_PLAIN, linewidth=1)
        axes.errorbar(
            [one.told for one in found.bins],
            [one.won.value for one in found.bins],
            [one.won.margin for one in found.bins],
            fmt="o",
            color=_MAIN,
            capsize=3,
        )
        axes.set_ylabel("share of deals won")
        axes.set_title(f"{title}: calibration error {found.error.value:.3f}", fontsize=10)
        counts.bar([one.low + 0.5 / BINS for one in found.bins], [one.count for one in found.bins], 0.09, color=_MAIN)
        counts.set_ylabel("decisions")
        counts.set_xlabel("chance told")


@contextmanager
def _picture(
    file: Path, rows: int, size: tuple[float, float], heights: tuple[int, ...] | None = None
) -> Iterator[tuple[Axes, ...]]:
    """Axes below each other on one horizontal scale; writes the file in the end."""
    import matplotlib as mpl  # noqa: PLC0415 - need not be installed
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context(rc=_STYLE):
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(rows, 1, sharex=True, squeeze=False, height_ratios=heights)
        yield tuple(axes[:, 0])
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
