"""Speed and size of an estimator: seconds to fit and to predict, rows per second, bytes of the model, at the peak."""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import re
import statistics
import tracemalloc
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import numpy as np

from thresher._util.fast_dataclass import asdict, dataclass
from thresher._util.parse_number import MOST_REPLICATES
from thresher.conventions import SEED, check_whole, option
from thresher.errors import InputError
from thresher.readers.estimator_output import scoring_method
from thresher.resampling.data import indexable, row_count, take_rows
from thresher.resampling.fitting import fitted_one, fresh
from thresher.resampling.front import named_estimators
from thresher.results import Shown

LATENCY_ROWS = 50
"""Rows that are predicted one at a time, for the time of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed(Shown):
    """Time of an estimator to fit and to predict here, and size of the fitted model.

    `fit_seconds` and `predict_seconds` are wall-clock times of each repeat, in order; `fit_time` and
    `predict_time` their medians. `row_time` is the median time of predicting a single row. `model_bytes` is the
    length of the fitted estimator's pickle; None, with `size_reason`, when it cannot be pickled. Times depend on
    this machine and its load: compare estimators measured in one session.
    """

    name: str
    fit_seconds: tuple[float, ...]
    predict_seconds: tuple[float, ...]
    row_time: float
    fit_rows: int
    predict_rows: int
    method: str
    model_bytes: int | None
    size_reason: str | None = None

    @property
    def fit_time(self) -> float:
        """Median seconds of a fit."""
        return statistics.median(self.fit_seconds)

    @property
    def predict_time(self) -> float:
        """Median seconds of predicting all the rows at once."""
        return statistics.median(self.predict_seconds)

    @property
    def fit_rows_per_second(self) -> float:
        """Training rows over the median seconds of a fit."""
        return self.fit_rows / self.fit_time

    @property
    def predict_rows_per_second(self) -> float:
        """Predicted rows over the median seconds of predicting them at once."""
        return self.predict_rows / self.predict_time

    def to_dict(self) -> dict[str, Any]:
        """Fields and the numbers derived from them, as JSON types."""
        derived = ("fit_time", "predict_time", "fit_rows_per_second", "predict_rows_per_second")
        fields = {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}
        return fields | {name: getattr(self, name) for name in derived}

    def columns(self) -> dict[str, Any]:
        """One row a repeat: its step, seconds, rows, and rows per second."""
        done = [("fit", s, self.fit_rows, self.fit_rows / s) for s in self.fit_seconds]
        done += [(self.method, s, self.predict_rows, self.predict_rows / s) for s in self.predict_seconds]
        names = ("step", "seconds", "rows", "rows_per_second")
        return {name: list(values) for name, values in zip(names, zip(*done, strict=True), strict=True)}

    def __str__(self) -> str:
        size = "unknown: " + str(self.size_reason) if self.model_bytes is None else format_bytes(self.model_bytes)
        fit = self.fit_time, self.fit_rows, self.fit_rows_per_second, f"median of {len(self.fit_seconds)}"
        about = f"median of {len(self.predict_seconds)}, {self.method}"
        predict = self.predict_time, self.predict_rows, self.predict_rows_per_second, about
        steps = [
            f"  {name:8}  {format_seconds(seconds)} for {rows:,} rows ({rate:,.0f} rows/s, {how})"
            for name, (seconds, rows, rate, how) in (("fit", fit), ("predict", predict))
        ]
        return "\n".join([self.name, *steps, f"  one row   {format_seconds(self.row_time)}", f"  model     {size}"])


def speed(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    X_test: Any = None,
    name: str | None = None,
    repeats: int = 3,
    clock: Callable[[], float] = perf_counter,
) -> Speed:
    """Measure how fast an estimator fits and predicts, and how large it is when it is fitted.

    Each repeat fits a fresh copy to all rows, and predicts `X_test` (by default `X`) at once with the first of
    `predict_proba`, `decision_function` and `predict` that the estimator has. One fit and one prediction are made
    before the clock runs, so that imports and caches do not count. Then rows are predicted one at a time.

    Args:
        X, y: training rows and their labels, as the estimator's `fit` takes them.
        repeats: how often each is timed; medians are reported.
        clock: function of the time in seconds; CPU time with `time.process_time`.

    Raises:
        InputError: the estimator lacks `fit` or `predict`.
        OptionError: `repeats` is below 1.

    >>> from thresher.resampling.nearest_mean import NearestMean
    >>> found = speed(NearestMean(), [[0.0], [1.0], [0.2], [0.9]] * 50, [0, 1, 0, 1] * 50, repeats=2)
    >>> found.fit_rows, found.method, len(found.fit_seconds), found.predict_rows_per_second > 0
    (200, 'decision_function', 2, True)
    """
    check_whole("repeats", repeats, 1, MOST_REPLICATES)
    if isinstance(estimator, Mapping):
        raise InputError("speed takes one estimator, not a dictionary: call it for each.")
    (default_name,) = named_estimators(estimator)
    rows = indexable(X if X_test is None else X_test)
    model = fresh(estimator, SEED)
    fitted = fitted_one(model, model.fit(X, y))
    method = scoring_method(fitted) or "predict"
    predict = getattr(fitted, method)
    predict(rows)
    fits = tuple(timed(partial(fresh(estimator, SEED).fit, X, y), clock) for _ in range(repeats))
    predictions = tuple(timed(partial(predict, rows), clock) for _ in range(repeats))
    single = [take_rows(rows, np.array([i])) for i in range(min(LATENCY_ROWS, row_count(rows)))]
    row_time = statistics.median(timed(partial(predict, row), clock) for row in single)
    size, reason = model_bytes(fitted)
    return Speed(
        name=name or default_name,
        fit_seconds=fits,
        predict_seconds=predictions,
        row_time=row_time,
        fit_rows=row_count(X),
        predict_rows=row_count(rows),
        method=method,
        model_bytes=size,
        size_reason=reason,
    )


def timed(action: Callable[[], Any], clock: Callable[[], float] = perf_counter) -> float:
    """Seconds that an action takes; at least a nanosecond, the resolution of clocks."""
    start = clock()
    action()
    return max(clock() - start, 1e-9)


class _Counter:
    count = 0

    def write(self, data: Any) -> None:
        self.count += memoryview(data).nbytes


def model_bytes(estimator: Any) -> tuple[int | None, str | None]:
    """Bytes of a fitted estimator's pickle, which are counted and not kept; or None and the reason."""
    counter = _Counter()
    try:
        pickle.dump(estimator, counter, protocol=5)
    except Exception as error:
        return None, f"it cannot be pickled ({type(error).__name__}: {error})"
    return counter.count, None


def format_seconds(seconds: float) -> str:
    """Seconds in the unit that reads best.

    >>> format_seconds(0.00001234), format_seconds(0.25), format_seconds(7.5), format_seconds(400)
    ('12.3 µs', '250 ms', '7.5 s', '6 min 40 s')
    """
    if seconds >= 120:
        return f"{int(seconds // 60)} min {seconds % 60:.0f} s"
    unit, factor = next(((u, f) for u, f in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)) if seconds * f >= 1), ("ns", 1e9))
    return f"{seconds * factor:.3g} {unit}"


def format_bytes(size: float) -> str:
    """Bytes in the unit that reads best, a kB being 1,000 bytes.

    >>> format_bytes(12), format_bytes(1234), format_bytes(2_500_000)
    ('12 bytes', '1.23 kB', '2.5 MB')
    """
    unit, factor = next(((u, f) for u, f in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)) if size >= f), ("bytes", 1.0))
    return f"{size / factor:.3g} {unit}" if factor > 1 else f"{size:.0f} bytes"


Way = Literal["auto", "process", "traced"]

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")

WAYS = {
    "process": "peak resident memory of this process while fitting, less that before",
    "traced": "peak of what Python and NumPy allocated while fitting; what native libraries allocate themselves is "
    "not seen",
}
"""Meaning of the number, by way of measurement."""


def memory_way(wanted: Way) -> Literal["process", "traced"]:
    """Way of measuring that this system offers: the process's own peak where it can be set back."""
    option("memory", wanted, ("auto", "process", "traced"))
    if wanted != "auto":
        return wanted
    try:
        return "process" if os.access(_RESET, os.W_OK) and _resident("VmHWM") else "traced"
    except OSError:
        return "traced"


def peak_memory(call: Callable[[], Any], way: Literal["process", "traced"]) -> int:
    """Run a call and return its peak memory in bytes above the memory before it."""
    gc.collect()
    if way == "traced":
        return _traced(call)
    # Freed memory goes back to the system first, or it would be reused unseen.
    getattr(ctypes.CDLL(None), "malloc_trim", int)(0)
    _RESET.write_text("5")
    before = _resident("VmRSS")
    call()
    return max(0, _resident("VmHWM") - before)


def _traced(call: Callable[[], Any]) -> int:
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        call()
        return max(0, tracemalloc.get_traced_memory()[1] - before)
    finally:
        if not was_tracing:
            tracemalloc.stop()


def _resident(field: str) -> int:
    found = re.search(rf"^{field}:\s+(\d+) kB", _STATUS.read_text(), re.MULTILINE)
    return int(found[1]) * 1024 if found else 0
