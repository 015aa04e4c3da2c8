"""How far a long measurement is, for whoever looks at its terminal: part done, rate and remaining time."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich import progress as bars
from rich.console import Console


@contextmanager
def progress(title: str, total: int, unit: str = "pairs") -> Iterator[Callable[[int], None]]:
    """Shows a line on standard error while it is a terminal; what it yields is told how many more are done."""
    if not sys.stderr.isatty():
        yield lambda _more: None
        return
    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TextColumn("{task.fields[rate]}"),
        bars.TimeRemainingColumn(),
    )
    begin, done = time.monotonic(), 0
    bar = bars.Progress(
        *columns, console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False
    )
    with bar:
        task = bar.add_task(title, total=total, rate="")

        def advance(more: int) -> None:
            nonlocal done
            done += more
            rate = done / max(time.monotonic() - begin, 1e-9)
            bar.update(task, advance=more, rate=f"{rate:,.2f} {unit}/s")

        yield advance
