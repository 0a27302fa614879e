"""Growth of times, bytes and scores with the training rows, and the exponents."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.frozen_values import ByFields, rebuilt
from thresher._util.json_values import as_dict, fields_to_jsonable
from thresher.conventions import LEVEL, Floats, confidence_level
from thresher.errors import InputError, Note, Reasoned
from thresher.resampling.estimates import Series
from thresher.resampling.timing import format_bytes, format_seconds
from thresher.upward_import import upward_import

ROUNDING = 1e-12
"""Logarithms that differ by less belong to equal values."""

CURVED = 0.05
"""p value below which a quadratic term says that the line is bent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth(Reasoned):
    """Exponent b of y = a·n^b with its interval, from the regression of log y on log n.

    1 is linear, 2 quadratic growth: twice the rows take 2^b times as much. `r_squared` is the share of the variance of
    log y explained. `last` is the exponent between the two largest sizes alone; `is_curved`: a quadratic
    term is significant at 5 %, in which case the exponent depends on the sizes. `reason` says why something is None.
    """

    exponent: float
    low: float | None
    high: float | None
    level: float
    factor: float
    r_squared: float
    last: float
    is_curved: bool
    n: int
    reason: Note | None = None
    method: str = "least squares on log-log axes, t interval"

    def predict(self, n: ArrayLike) -> Any:
        """Value at n rows by the fitted line; far outside the sizes measured it is a guess."""
        found = self.factor * np.asarray(n, dtype=np.float64) ** self.exponent
        return float(found) if np.ndim(found) == 0 else found

    to_dict = as_dict

    def __str__(self) -> str:
        if math.isnan(self.exponent):
            return f"undefined: {self.reason}"
        interval = "" if self.low is None or self.high is None else f" [{self.low:.3g}, {self.high:.3g}]"
        bent = f", bent: {self.last:.3g} between the largest two" if self.is_curved else ""
        return f"n^{self.exponent:.3g}{interval}{bent}"


def growth_exponent(n: ArrayLike, y: ArrayLike, *, level: float = LEVEL) -> Growth:
    """Exponent of growth: slope b̂ of log y on log n, with b̂ ± t(m − 2)·s/√Σ(log n − mean)² over m sizes.

    The interval takes the scatter about the line as the error, so that a line that does not fit has a wide one. With
    two sizes there is no interval.

    Raises:
        InputError: lengths differ, fewer than two different sizes, or a size that is not positive.
        OptionError: `level` is not strictly between 0 and 1.

    >>> print(growth_exponent([100, 200, 400, 800], [1.0, 2.1, 3.9, 8.2]))
    n^1 [0.892, 1.11]
    """
    level = confidence_level(level)
    sizes, values = np.asarray(n, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if sizes.shape != values.shape or sizes.ndim != 1:
        raise InputError(f"n has shape {sizes.shape} and y {values.shape}: one value for each size is needed.")
    if len(np.unique(sizes)) < 2 or not (sizes > 0).all():
        raise InputError("growth needs at least two different sizes, all positive.")
    if not (np.isfinite(values).all() and (values > 0).all()):
        nothing: dict[str, Any] = {"exponent": math.nan, "factor": math.nan, "r_squared": math.nan, "last": math.nan}
        reason = Note("infinite", "a value is not positive, so its logarithm is undefined")
        return Growth(low=None, high=None, level=level, is_curved=False, n=len(sizes), reason=reason, **nothing)
    logs = np.log(values)
    if np.ptp(logs) <= ROUNDING:
        logs[:] = 0.0
        return replace(_fitted(np.log(sizes), logs, level), factor=float(values[0]))
    return _fitted(np.log(sizes), logs, level)


def _fitted(x: Floats, y: Floats, level: float) -> Growth:
    from scipy.special import stdtrit

    m, means = len(x), y - y.mean()
    slope, error, rest = _highest_term(x, y, 1)
    half = float(stdtrit(m - 2, (1 + level) / 2)) * error if m > 2 else math.nan
    sizes, places = np.unique(x, return_inverse=True)
    last = np.diff(np.bincount(places, y) / np.bincount(places))[-1] / np.diff(sizes)[-1]
    total = float(means @ means)
    return Growth(
        exponent=slope,
        low=slope - half if m > 2 else None,
        high=slope + half if m > 2 else None,
        level=level,
        factor=math.exp(float(y.mean()) - slope * float(x.mean())),
        r_squared=1.0 if total == 0 else 1 - float(rest @ rest) / total,
        last=float(last),
        is_curved=bool(np.abs(rest).max() > ROUNDING) and _is_curved(x, y),
        n=m,
        reason=None if m > 2 else Note("no-spread", "two sizes fit a line exactly, so there is no interval"),
    )


def _is_curved(x: Floats, y: Floats) -> bool:
    """Return whether a quadratic term is significant (t test with m − 3 degrees of freedom)."""
    from scipy.special import stdtr

    if len(x) < 5 or len(np.unique(x)) < 4:  # with fewer, chance bends any line
        return False
    bend, error, _ = _highest_term(x, y, 2)
    return 2 * float(stdtr(len(x) - 3, -abs(bend) / error)) < CURVED if error > 0 else abs(bend) > ROUNDING


def _highest_term(x: Floats, y: Floats, degree: int) -> tuple[float, float, Floats]:
    """Fit a polynomial by least squares; return its highest coefficient, the standard error, and the residuals."""
    design = np.vander(x - x.mean(), degree + 1)
    found = np.linalg.lstsq(design, y, rcond=None)[0]
    rest, free = y - design @ found, len(x) - degree - 1
    spread = float(rest @ rest) * float(np.linalg.inv(design.T @ design)[0, 0])
    return float(found[0]), math.sqrt(spread / free) if free > 0 else math.nan, rest


@dataclass(frozen=True, eq=False, kw_only=True)
class Usage(ByFields):
    """One model's seconds and bytes (sizes × splits, NaN for a fit that failed), and the exponents of their growth."""

    fit_seconds: Floats
    predict_seconds: Floats
    memory: Floats | None
    time_growth: Growth | None
    memory_growth: Growth | None

    @property
    def fit_time(self) -> Floats:
        """Median seconds of a fit at each size; NaN where no fit was done."""
        return medians_of_known(self.fit_seconds)

    @property
    def peak_memory(self) -> Floats | None:
        """Median peak bytes of a fit at each size; NaN where no fit was done."""
        return None if self.memory is None else medians_of_known(self.memory)


@dataclass(frozen=True, eq=False, kw_only=True)
class Scalability:
    """Fit time, memory and score of models against growing numbers of training rows.

    `learning_curve` is the `Series` of the scores; `usage[model]` has the seconds and bytes of every fit, and
    `time_growth` and `memory_growth`. Times and bytes depend on this machine, and vary between calls.
    """

    rows: tuple[int, ...]
    learning_curve: Series
    usage: Mapping[str, Usage]
    memory_method: str | None
    method: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "usage", MappingProxyType(dict(self.usage)))

    __reduce__ = rebuilt

    def to_frame(self, backend: str | None = None) -> Any:
        """One row for each model, size and split: seconds to fit and to predict, bytes.

        Raises:
            MissingDependencyError: no dataframe library is installed.
        """
        from thresher.results import to_frame

        names = ("fit_seconds", "predict_seconds", *(() if self.memory_method is None else ("memory",)))
        shape = (len(self.usage), *next(iter(self.usage.values())).fit_seconds.shape)
        model, size, split = np.indices(shape).reshape(3, -1)
        columns: dict[str, Any] = {
            "model": [list(self.usage)[i] for i in model],
            "train_rows": [self.rows[i] for i in size],
            "split": (split + 1).tolist(),
        }
        for name in names:
            columns[name] = np.ravel([getattr(usage, name) for usage in self.usage.values()]).tolist()
        return to_frame(columns, backend or self.learning_curve.backend)

    def plot(self, what: str = "fit_seconds", ax: Any = None, **options: Any) -> Any:
        """Draw "fit_seconds", "predict_seconds" or "memory" against the training rows; returns the axes.

        The scores against the rows are `learning_curve.plot()`. Options: `thresher.plot.resampled.plot_scalability`.

        Raises:
            OptionError: nothing of that name was measured.
            MissingDependencyError: matplotlib is not installed.
        """
        return upward_import("pictures").draw(self, what, ax=ax, **options)

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON types; seconds and bytes of a fit that failed are None."""
        usage = {model: fields_to_jsonable(one) for model, one in self.usage.items()}
        head = {"rows": list(self.rows), "method": self.method, "memory_method": self.memory_method}
        return head | {"usage": usage, "learning_curve": self.learning_curve.to_dict()}

    def __str__(self) -> str:
        memory_note = [] if self.memory_method is None else [f"Memory: {self.memory_method}."]
        about = "\n".join([f"Medians over the splits of {self.method}.", *memory_note])
        return "\n\n".join([*map(self._usage_text, self.usage), about, str(self.learning_curve)])

    def _usage_text(self, model: str) -> str:
        usage = self.usage[model]
        columns = [("training rows", [f"{n:,}" for n in self.rows])]
        columns += [("fit", [_known(seconds, format_seconds) for seconds in usage.fit_time.tolist()])]
        if usage.peak_memory is not None:
            columns += [("peak memory", [_known(size, format_bytes) for size in usage.peak_memory.tolist()])]
        rows = zip(*([head, *cells] for head, cells in columns), strict=True)
        foot = [f"fit time grows as {usage.time_growth}"] if usage.time_growth else []
        foot += [f"memory grows as {usage.memory_growth}"] if usage.memory_growth else []
        return "\n".join([model, *(f"  {line}" for line in [*aligned_lines(list(map(list, rows))), *foot])])

    def __repr__(self) -> str:
        if len(self.rows) == 1:
            return f"Scalability({self.rows[0]:,} rows; {', '.join(self.usage)})"
        grown = ", ".join(f"{model} {usage.time_growth}" for model, usage in self.usage.items())
        return f"Scalability({self.rows[0]:,} to {self.rows[-1]:,} rows; fit time of {grown})"


def medians_of_known(values: Floats) -> Floats:
    """Median of each row without its NaN; NaN where there is nothing else.

    >>> medians_of_known(np.array([[1.0, np.nan, 3.0], [np.nan] * 3])).tolist()
    [2.0, nan]
    """
    known = (row[~np.isnan(row)] for row in values)
    return np.array([np.median(row) if row.size else math.nan for row in known])


def _known(value: float, words: Callable[[float], str]) -> str:
    return "no fit" if math.isnan(value) else words(value)


def aligned_lines(rows: list[list[str]]) -> list[str]:
    """Rows as lines of equal columns, the first right-aligned, as it holds numbers.

    >>> aligned_lines([["n", "auc"], ["10", "0.9"]])
    [' n  auc', '10  0.9']
    """
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join([row[0].rjust(widths[0]), *(c.ljust(w) for c, w in zip(row[1:], widths[1:], strict=True))]).rstrip()
        for row in rows
    ]
