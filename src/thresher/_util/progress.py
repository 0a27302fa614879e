"""Progress of long work: reported to the caller's function, else to the one set around a block.

Values are derived lazily, often deep inside a report; the command that shows a bar is far above. The
watcher changes no number, so that handing it down every signature would buy nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Progress = Callable[[int, int], None]
"""Function of the number done and the total, such as replicates."""

_watcher: ContextVar[Progress | None] = ContextVar("thresher_watcher", default=None)


@contextmanager
def progress_scope(progress: Progress | None) -> Iterator[None]:
    """Report long work in this block to `progress`, unless a call has its own.

    >>> with progress_scope(lambda done, wanted: print(done, "of", wanted)):
    ...     current_progress(None)(500, 2000)
    500 of 2000
    """
    token = _watcher.set(progress)
    try:
        yield
    finally:
        _watcher.reset(token)


def current_progress(progress: Progress | None) -> Progress:
    """Return the given function, else the function of the block, else one that does nothing."""
    return progress or _watcher.get() or _nobody


def _nobody(_done: int, _wanted: int) -> None:
    return None
