"""A progress bar on stderr, when a person is looking at it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Report: TypeAlias = Callable[[float | None, str], None]
"""What a reader calls with the share that is done (None while it is not known) and what it is doing."""


def is_watched() -> bool:
    """Whether stderr is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def progress(*, quiet: bool) -> Iterator[Report | None]:
    """A bar that vanishes when its block ends; None when nobody would see it, so that rich is not loaded."""
    if quiet or not is_watched():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Reading", total=None)

        def report(share: float | None, text: str) -> None:
            bar.update(task, description=text, total=None if share is None else 1.0, completed=share or 0.0)

        yield report
