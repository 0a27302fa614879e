"""Work in other threads, with results in order."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any

from thresher._util.processors import processors, set_share


class BackgroundCall:
    """Sequential calls in a background thread; an exception is raised at the next call, or at the end.

    >>> found = []
    >>> with BackgroundCall() as background:
    ...     for part in "abc":
    ...         background(found.append, part)
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

    def __enter__(self) -> BackgroundCall:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Wait for the last call; its error comes before errors of the rows that follow."""
        self._wait()


def ordered_map(work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
    """Yield the results of work on each item, in order; a few begin ahead.

    The items share the processors: each runs on its share of the threads.

    After a failure, or when the caller stops (Ctrl-C), begun items give up.

    >>> list(ordered_map(abs, [-2, 1]))
    [2, 1]
    """
    from concurrent.futures import ThreadPoolExecutor

    from thresher.kernel.calling import Together

    waiting: deque[Any] = deque()
    together, most = Together(), max(1, min(processors(), len(items)))
    with ThreadPoolExecutor(most, initializer=set_share, initargs=(processors() // most,)) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(together.run, work, item))
                if len(waiting) > most:
                    yield _result(waiting.popleft())
            while waiting:
                yield _result(waiting.popleft())
        except BaseException:
            together.give_up()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _result(begun: Any) -> Any:
    """Wait for a result in short intervals, so that the main thread sees an interrupt."""
    from concurrent.futures import wait

    while not wait([begun], timeout=0.1).done:
        pass
    return begun.result()
