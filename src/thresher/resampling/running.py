"""Running many fits, one after another or through joblib, and keeping their results."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal

import numpy as np

from thresher._util.fast_dataclass import dataclass, field
from thresher._util.safe_text import escape_controls
from thresher.conventions import option
from thresher.errors import FitError, MissingDependencyError, OptionError, choice, ended
from thresher.predictions.columns import code_type
from thresher.resampling.data import Data
from thresher.resampling.fitting import Fitted, fit_and_judge, seed_of
from thresher.resampling.method_forms import Method
from thresher.resampling.records import APPARENT, Judged, SplitTable, split_words
from thresher.resampling.splits import Split, is_torn, learns_one_class

Progress = Callable[[int, int, str], None]
"""Callback after every fit: number done, number in all, and name of the model."""

Task = tuple[Callable[..., Any], tuple[Any, ...]]

LOCAL = ("SequentialBackend", "LokyBackend", "ThreadingBackend")
"""Backends of joblib with this machine's processors."""


def run(tasks: Iterable[Task], *, n_jobs: int | None, backend: str | None) -> Generator[Any]:
    """Yield results in task order, each as soon as possible; tasks are drawn when needed.

    With `n_jobs=None` and no `joblib.parallel_config` around the call everything runs here, one after another.

    Raises:
        MissingDependencyError: `n_jobs` needs joblib, which is not installed.
    """
    if n_jobs in (None, 1) and backend is None and "joblib" not in sys.modules:
        yield from (function(*arguments) for function, arguments in tasks)
        return
    try:
        from joblib import Parallel, delayed
    except ImportError as error:
        raise MissingDependencyError(
            "more than one worker needs joblib, which comes with scikit-learn: pip install joblib; n_jobs=1 does not."
        ) from error
    pool = _pool(Parallel, n_jobs, backend)
    if pool.n_jobs == 1 and backend is None and type(pool._backend).__name__ in LOCAL:
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
        if hasattr(results, "close"):  # cancels running fits, without joblib's warning about their unused results
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                results.close()


def _settings() -> dict[str, Any] | None:
    """Return scikit-learn's configuration for workers; None if it is not loaded."""
    return sys.modules["sklearn"].get_config() if "sklearn" in sys.modules else None


def _called(settings: dict[str, Any] | None, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    if settings is None:
        return function(*arguments)
    from sklearn import config_context

    with config_context(**settings):
        return function(*arguments)


def _pool(make: Callable[..., Any], n_jobs: int | None, backend: str | None, **options: Any) -> Any:
    """Create joblib's pool; a backend that joblib loads lazily, such as Dask's, is known to its configuration only."""
    if backend is None:
        return make(n_jobs=n_jobs, **options)
    from joblib import parallel_config

    with parallel_config(backend, **({} if n_jobs is None else {"n_jobs": n_jobs})):
        return make(**options)


@contextmanager
def progress_bar(wanted: bool | Progress) -> Iterator[Progress | None]:
    """A bar with the remaining time on stderr; None without a terminal."""
    if callable(wanted):
        yield wanted
        return
    if not wanted or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich import progress
    from rich.console import Console

    columns = (
        progress.TextColumn("{task.description}", markup=False), progress.BarColumn(), progress.MofNCompleteColumn(),
        progress.TextColumn("fits"), progress.TimeElapsedColumn(), progress.TextColumn("left"),
        progress.TimeRemainingColumn(),
    )  # fmt: skip
    with progress.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Assessing", total=None)

        def report(done: int, total: int, text: str) -> None:
            bar.update(task, completed=done, total=total, description=escape_controls(text))

        yield report


OnError = Literal["raise", "skip"]


@dataclass(kw_only=True)
class Collected:
    """Splits made and fits done so far, in order: every model on a split before the next split.

    `empty` splits were without a row to judge; in `torn` ones rows of one group are on both sides; `single`
    ones learn from rows of one class.
    """

    models: tuple[str, ...]
    splits: list[Split] = field(default_factory=list)
    sizes: list[tuple[int, int]] = field(default_factory=list)
    fits: dict[str, list[Fitted]] = field(default_factory=dict)
    is_interrupted: bool = False
    empty: int = 0
    torn: int = 0
    single: int = 0


@dataclass(frozen=True, kw_only=True)
class Execution:
    """Options of running fits."""

    rng: int
    n_jobs: int | None = None
    backend: str | None = None
    on_error: OnError = "raise"
    keep_models: bool = False

    def __post_init__(self) -> None:
        option("on_error", self.on_error, ("raise", "skip"))


def collect(
    estimators: Mapping[str, Any], data: Data, method: Method, how: Execution, progress: Progress | None
) -> Collected:
    """Fit and judge every split with every model.

    Raises:
        FitError: a fit failed and `on_error="raise"`: names the model and the fold.
        OptionError: no split has a row to judge.
        KeyboardInterrupt: interrupted before the first fit was done; later ones keep the finished fits.
    """
    names = tuple(estimators)
    got = Collected(models=names, fits={name: [] for name in names})
    total = method.count(data.drawable) * len(names)
    results = run(_tasks(estimators, data, method, how, got), n_jobs=how.n_jobs, backend=how.backend)
    done = 0
    try:
        for found in results:
            name, split = names[done % len(names)], got.splits[done // len(names)]
            if found.error is not None and how.on_error == "raise":
                raise _failure(name, split, found, method)
            got.fits[name].append(found)
            done += 1
            if progress is not None:
                progress(done, total, f"Assessing {name}")
    except KeyboardInterrupt:
        if not done:
            raise
        got.is_interrupted = True
    finally:
        results.close()
    if got.empty and all(split.repeat == APPARENT for split in got.splits):
        units = "rows" if data.rows.cluster is None else "groups"
        raise OptionError(
            f"{method.summary}: every split learns from all {units}, so that there is none left to judge."
        )
    return got


def _tasks(estimators: Mapping[str, Any], data: Data, method: Method, how: Execution, got: Collected) -> Iterator[Task]:
    """Yield tasks lazily, so that memory does not grow with the splits."""
    rows = data.rows
    for split in method.splits(data.drawable, how.rng):
        if not len(split.test):
            got.empty += 1
            continue
        seed = seed_of(how.rng, len(got.splits))
        train = split.train  # of which only the number is kept
        repeats_rows = bool((np.diff(train) <= 0).any())  # quick, where a split of all rows but one is made for each
        got.splits.append(split._replace(train=train[:0]))
        got.sizes.append((len(train), len(np.unique(train)) if repeats_rows else len(train)))
        got.torn += is_torn(split, data.groups)
        got.single += learns_one_class(split, rows.truth)
        for estimator in estimators.values():
            yield partial(fit_and_judge, keep_model=how.keep_models), (estimator, data, split, seed)


def split_table(got: Collected) -> SplitTable:
    """Return the rows judged by splits in which at least one model has a result."""
    kept = range(max(len(fits) for fits in got.fits.values()))
    splits = [got.splits[i] for i in kept]
    times = None
    if any(split.times is not None for split in splits):
        parts = [np.zeros(len(s.test), dtype=np.uint16) if s.times is None else s.times[s.test] for s in splits]
        times = np.concatenate(parts).astype(np.uint16)
    return SplitTable(
        start=np.cumsum([0, *(len(split.test) for split in splits)]),
        row=np.concatenate([split.test for split in splits]).astype(np.int32),
        repeat=np.array([split.repeat for split in splits], dtype=np.int32),
        fold=np.array([split.fold for split in splits], dtype=np.int32),
        train=np.array([got.sizes[i][0] for i in kept], dtype=np.int64),
        distinct=np.array([got.sizes[i][1] for i in kept], dtype=np.int64),
        times=times,
    )


def judged(got: Collected, table: SplitTable, name: str, classes: tuple[Hashable, ...]) -> Judged:
    """Return one model's output for every judged row; splits without a result are void."""
    fits = got.fits[name] + [Fitted(error="interrupted")] * (len(table) - len(got.fits[name]))
    seconds = ("fit_seconds", "predict_seconds", "score_seconds")

    def joined(part: str, void: float) -> Any:
        sample = next((found for fit in fits if (found := getattr(fit, part)) is not None), None)
        if sample is None:
            return None
        blank = np.full((max(table.test), *sample.shape[1:]), void, dtype=sample.dtype)
        parts = ((getattr(fit, part), m) for fit, m in zip(fits, table.test.tolist(), strict=True))
        return np.concatenate([blank[:m] if found is None else found for found, m in parts])

    predicted = joined("predicted", 0)
    return Judged(
        name=name,
        predicted=np.zeros(len(table.row), dtype=code_type(len(classes))) if predicted is None else predicted,
        scores=joined("scores", np.nan),
        posteriors=joined("posteriors", np.nan),
        source=next((f.source for f in fits if f.error is None), None),
        errors={i: f.error for i, f in enumerate(fits) if f.error is not None},
        chosen=tuple(f.chosen for f in fits) if any(f.chosen is not None for f in fits) else (),
        fitted=tuple(f.model for f in fits) if any(f.model is not None for f in fits) else (),
        **{column: np.array([getattr(f, column) for f in fits]) for column in seconds},
    )


def _failure(name: str, split: Split, found: Fitted, method: Method) -> FitError:
    where = split_words(split.repeat, split.fold, getattr(method, "repeats", 1), getattr(method, "k", 1))
    why = f"the fit of {name!r} failed in {where} ({len(split.test):,} rows to judge): {ended(str(found.error))}"
    error = FitError(f"{why} " + choice("on_error", "skip") + " goes on with the other fits and tells which failed.")
    error.add_note(found.trace)
    return error
