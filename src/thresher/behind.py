"""Work that goes on while the next is read: one call at a time, in the order in which they came."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any


class Behind:
    """Calls in a thread, each after the one before; what one raises is raised where the next comes, or at the end.

    >>> found = []
    >>> with Behind() as behind:
    ...     for part in "abc":
    ...         behind(found.append, part)
    >>> found
    ['a', 'b', 'c']
    """

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None

    def __call__(self, work: Callable[..., Any], *given: Any) -> None:
        """Start a call once those before have ended."""
        self._wait()
        self._thread = threading.Thread(target=self._run, args=(work, given), daemon=True)
        self._thread.start()

    def _run(self, work: Callable[..., Any], given: tuple[Any, ...]) -> None:
        try:
            work(*given)
        except BaseException as error:
            self._error = error

    def _wait(self) -> None:
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def __enter__(self) -> Behind:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Wait for the last call; what it raised comes before what was raised of rows that follow its own."""
        self._wait()
