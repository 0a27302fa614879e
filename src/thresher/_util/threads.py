"""Processors of this process, work in other threads with results in order, and progress of long work.

Values are derived lazily, often deep inside a report; the command that shows a bar is far above. The watcher of
progress changes no number, so that handing it down every signature would buy nothing.
"""

from __future__ import annotations

import math
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

from thresher.errors import OptionError


@contextmanager
def background_calls() -> Iterator[Callable[..., None]]:
    """Sequential calls in a background thread; an exception is raised at the next call, or at the end.

    >>> found = []
    >>> with background_calls() as background:
    ...     for part in "abc":
    ...         background(found.append, part)
    >>> found
    ['a', 'b', 'c']
    """
    from concurrent.futures import Future, ThreadPoolExecutor

    begun: list[Future[Any]] = []

    def wait() -> None:
        if begun:
            begun.pop().result()

    def call(work: Callable[..., Any], *given: Any) -> None:
        wait()
        begun.append(pool.submit(work, *given))

    with ThreadPoolExecutor(1) as pool:
        try:
            yield call
        finally:
            wait()  # its error comes before errors of the rows that follow


def ordered_map(work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
    """Yield the results of work on each item, in order; a few begin ahead.

    The items share the processors: each runs on its share of the threads.

    After a failure, or when the caller stops (Ctrl-C), begun items give up.

    >>> list(ordered_map(abs, [-2, 1]))
    [2, 1]
    """
    from concurrent.futures import ThreadPoolExecutor

    from thresher.kernel.library import Together

    waiting: deque[Any] = deque()
    together, most = Together(), max(1, min(processors(), len(items)))
    with ThreadPoolExecutor(most, initializer=setattr, initargs=(_thread, "share", processors() // most)) as pool:
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


WISH = "THRESHER_THREADS"
"""Environment variable that takes the place of all limits."""

OPENMP = "OMP_NUM_THREADS"
"""Environment variable that joblib and Dask set in their workers, and users for all numeric libraries."""

_thread = threading.local()


def limits() -> dict[str, int]:
    """Return the limits on the threads of a call by their names: the least of them counts.

    Raises:
        OptionError: THRESHER_THREADS is not a whole number of at least 1.
    """
    if wish := os.environ.get(WISH):
        if not wish.isdecimal() or int(wish) < 1:
            raise OptionError(f"{WISH} is {wish!r}. Set it to a whole number of threads, 1 or more, or unset it.")
        return {WISH: int(wish)}
    first = os.environ.get(OPENMP, "").split(",")[0].strip()  # of the outermost level: 4 for "4,2"
    threads = int(first) if first.isdecimal() and int(first) > 0 else None
    found = {"processors": _affinity(), "CPU quota of the container": _quota(), OPENMP: threads}
    return {name: most for name, most in found.items() if most is not None}


def processors() -> int:
    """Return how many threads a call may use here: fewer where several calls run side by side."""
    most = min(limits().values())
    return min(most, getattr(_thread, "share", most))


def machine_memory() -> int:
    """Return the bytes of this machine's memory; 8 GiB if the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 * 2**30


def _affinity() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _quota() -> int | None:
    return quota(Path("/proc/self/cgroup"), Path("/sys/fs/cgroup"))


def quota(groups: Path, root: Path) -> int | None:
    """Return the processors, rounded up, that control groups of Linux allow; None without a limit.

    `groups` names the groups of this process. The limit of a group holds for the groups inside it.
    """
    try:
        lines = groups.read_text().splitlines()
    except (OSError, ValueError):
        return None
    found = []
    for _, controllers, path in (line.split(":", 2) for line in lines if line.count(":") >= 2):
        if controllers and "cpu" not in controllers.split(","):
            continue
        top = root / controllers if controllers else root
        inner = top / path.strip("/")
        found += [most for folder in (inner, *inner.parents) if folder.is_relative_to(top) and (most := _most(folder))]
    return math.ceil(min(found)) if found else None


def _most(folder: Path) -> float | None:
    """Return the processors of one control group, version 2 (cpu.max) or 1."""
    for names in (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us")):
        try:
            allowed, period = " ".join((folder / name).read_text() for name in names).split()
            return int(allowed) / int(period) if int(allowed) > 0 else None
        except (OSError, ValueError, ZeroDivisionError):  # no such file, or "max"
            continue
    return None


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
    return progress or _watcher.get() or (lambda _done, _wanted: None)
