"""Running many fits: one after another, or through joblib, so that whatever serves joblib serves here."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from thresher.errors import MissingDependencyError
from thresher.visible import visible

Progress = Callable[[int, int, str], None]
"""What is called after every fit with how many are done, how many there are, and whose fit it was."""

Task = tuple[Callable[..., Any], tuple[Any, ...]]


def run(tasks: Iterable[Task], *, n_jobs: int | None, backend: str | None) -> Generator[Any]:
    """Results in the order of the tasks, each as soon as it is there; tasks are drawn as they are needed.

    With `n_jobs=None` and no `joblib.parallel_config` around the call everything runs here, one after another.

    Raises:
        MissingDependencyError: more than one worker was asked for and joblib is not installed.
    """
    if n_jobs in (None, 1) and backend is None and "joblib" not in sys.modules:
        yield from (function(*arguments) for function, arguments in tasks)
        return
    try:
        from joblib import Parallel, delayed
    except ImportError as error:
        raise MissingDependencyError(
            "more than one worker needs joblib, which comes with scikit-learn: pip install joblib; n_jobs=1 needs none."
        ) from error
    pool = _pool(Parallel, n_jobs, backend)
    if pool.n_jobs == 1 and backend is None and _is_sequential(pool):
        yield from (function(*arguments) for function, arguments in tasks)
        return
    if pool._backend.supports_return_generator:
        pool = _pool(Parallel, n_jobs, backend, return_as="generator")
    settings = _settings()
    results = iter(pool(delayed(_called)(settings, function, arguments) for function, arguments in tasks))
    try:
        # `yield from` would close the results before their warning can be silenced.
        for result in results:  # noqa: UP028
            yield result
    finally:
        _stop(results)


def _settings() -> dict[str, Any] | None:
    """What scikit-learn is configured to around the call, which workers do not know; None where it is not loaded."""
    if "sklearn" not in sys.modules:
        return None
    from sklearn import get_config

    return get_config()  # type: ignore[no-any-return]


def _called(settings: dict[str, Any] | None, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Result of a task in a worker."""
    if settings is None:
        return function(*arguments)
    from sklearn import config_context

    with config_context(**settings):
        return function(*arguments)


def _pool(make: Callable[..., Any], n_jobs: int | None, backend: str | None, **options: Any) -> Any:
    """joblib's pool; a backend that it must first load, such as Dask's, is only known to its configuration."""
    if backend is None:
        return make(n_jobs=n_jobs, **options)
    from joblib import parallel_config

    with parallel_config(backend, **({} if n_jobs is None else {"n_jobs": n_jobs})):
        return make(**options)


def _stop(results: Any) -> None:
    """Cancel what still runs; that results go unused then is meant, so joblib's warning is not shown."""
    if hasattr(results, "close"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            results.close()


def _is_sequential(pool: Any) -> bool:
    return type(pool._backend).__name__ in ("SequentialBackend", "LokyBackend", "ThreadingBackend")


@contextmanager
def progress_bar(wanted: bool | Progress) -> Iterator[Progress | None]:
    """A bar with the remaining time on stderr, when that is a terminal; None when nobody would see it."""
    if callable(wanted):
        yield wanted
        return
    if not wanted or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TextColumn("fits"),
        TimeElapsedColumn(),
        TextColumn("left"), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Assessing", total=None)

        def report(done: int, total: int, text: str) -> None:
            bar.update(task, completed=done, total=total, description=visible(text))

        yield report
