"""Progress bars of reading and resampling on stderr, when a person is looking at them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from thresher._util.progress import progress_scope
from thresher._util.terminal_text import escape_controls

Report: TypeAlias = Callable[[float | None, str], None]
"""Callback of a reader with the share done (None while unknown) and the current step."""


def is_watched() -> bool:
    """Whether stderr is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def progress(*, quiet: bool) -> Iterator[Report | None]:
    """A bar that vanishes when its block ends; None without a terminal, so that rich is not loaded."""
    if quiet or not is_watched():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    described = TextColumn("{task.description}", markup=False)  # names in it are not markup
    columns = (described, BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Reading", total=None)

        def report(share: float | None, text: str) -> None:
            bar.update(
                task, description=escape_controls(text), total=None if share is None else 1.0, completed=share or 0.0
            )

        yield report


PATIENCE = 0.3
"""Seconds of resampling before a bar is shown: a flashing bar is useless."""


@contextmanager
def resampling(*, quiet: bool) -> Iterator[None]:
    """Show the progress of all resampling in this block."""
    if quiet or not is_watched():
        yield
        return
    bar = _Bar()
    try:
        with progress_scope(bar.show):
            yield
    finally:
        bar.close()


class _Bar:
    """A bar that appears when resampling takes a while, and vanishes when all of one kind is done."""

    def __init__(self) -> None:
        self.shown: Any = None
        self.since: float | None = None

    def show(self, done: int, wanted: int) -> None:
        """Draw the progress."""
        now = time.monotonic()
        self.since = now if self.since is None else self.since
        if done >= wanted:
            self.close()
        elif now - self.since > PATIENCE:
            self.shown = self.shown or _drawn_bar()
            self.shown.update(self.shown.task_ids[0], completed=done, total=wanted)

    def close(self) -> None:
        """Take the bar away; the next resampling starts a new one."""
        if self.shown is not None:
            self.shown.stop()
        self.shown = self.since = None


def _drawn_bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task("Resampling", total=None)
    bar.start()
    return bar
