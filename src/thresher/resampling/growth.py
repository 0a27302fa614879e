"""Growth of times, bytes and scores with the training rows, and the exponents."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from thresher._util.fast_dataclass import dataclass
from thresher._util.jsonable import as_dict, fields_to_jsonable
from thresher._util.readonly import ByFields, freeze_fields, rebuilt
from thresher.conventions import LEVEL, Floats, confidence_level
from thresher.errors import InputError, Note, Reasoned
from thresher.resampling.series import Series
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


def _fitted(x: Any, y: Any, level: float) -> Growth:
    from scipy.special import stdtrit

    m, center = len(x), x - x.mean()
    slope = float(center @ y / (center @ center))
    residual = y - y.mean() - slope * center
    total = float(((y - y.mean()) ** 2).sum())
    low = high = None
    if m > 2:
        error = math.sqrt(float(residual @ residual) / (m - 2) / float(center @ center))
        half = float(stdtrit(m - 2, (1 + level) / 2)) * error
        low, high = slope - half, slope + half
    return Growth(
        exponent=slope,
        low=low,
        high=high,
        level=level,
        factor=math.exp(float(y.mean()) - slope * float(x.mean())),
        r_squared=1.0 if total == 0 else 1 - float(residual @ residual) / total,
        last=_last_step(x, y),
        is_curved=_is_curved(center, y),
        n=m,
        reason=None if m > 2 else Note("no-spread", "two sizes fit a line exactly, so there is no interval"),
    )


def _last_step(x: Any, y: Any) -> float:
    sizes, places = np.unique(x, return_inverse=True)
    means = np.bincount(places, y) / np.bincount(places)
    return float((means[-1] - means[-2]) / (sizes[-1] - sizes[-2]))


def _is_curved(center: Any, y: Any) -> bool:
    """Return whether a quadratic term is significant (t test with m − 3 degrees of freedom)."""
    from scipy.special import stdtr

    m, away = len(y), y - y.mean()
    if float(np.abs(away - center * (center @ away / (center @ center))).max()) <= ROUNDING:
        return False
    if m < 5 or len(np.unique(center)) < 4:  # with fewer, chance bends any line
        return False
    design = np.column_stack([np.ones(m), center, center**2])
    coefficients, *_ = np.linalg.lstsq(design, y, rcond=None)
    rest = y - design @ coefficients
    variance = float(rest @ rest) / (m - 3) * float(np.linalg.inv(design.T @ design)[2, 2])
    if variance <= 0:
        return bool(abs(coefficients[2]) > 1e-12)
    t = abs(float(coefficients[2])) / math.sqrt(variance)
    return bool(2 * float(stdtr(m - 3, -t)) < CURVED)


@dataclass(frozen=True, eq=False, kw_only=True)
class Usage(ByFields):
    """One model's seconds and bytes, as arrays of sizes × splits, and the exponents of their growth.

    NaN marks a failed fit that was skipped.
    """

    fit_seconds: Floats
    predict_seconds: Floats
    memory: Floats | None
    time_growth: Growth | None
    memory_growth: Growth | None

    def __post_init__(self) -> None:
        freeze_fields(self, "fit_seconds", "predict_seconds", "memory")

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
        from thresher.frames import to_frame

        columns: dict[str, list[Any]] = {"model": [], "train_rows": [], "split": []}
        names = ("fit_seconds", "predict_seconds", "memory")
        columns |= {name: [] for name in names}
        for model, usage in self.usage.items():
            for i, size in enumerate(self.rows):
                splits = usage.fit_seconds.shape[1]
                columns["model"] += [model] * splits
                columns["train_rows"] += [size] * splits
                columns["split"] += range(1, splits + 1)
                for name in names:
                    values = getattr(usage, name)
                    columns[name] += [None] * splits if values is None else values[i].tolist()
        if self.memory_method is None:
            del columns["memory"]
        return to_frame(columns, backend or self.learning_curve.backend)

    def plot(self, what: str = "fit_seconds", ax: Any = None, **options: Any) -> Any:
        """Draw "fit_seconds", "predict_seconds" or "memory" against the training rows; returns the axes.

        The scores against the rows are `learning_curve.plot()`. Options: `thresher.plot.series.plot_scalability`.

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
        parts = []
        for model, usage in self.usage.items():
            head = ["training rows", "fit", *([] if usage.memory is None else ["peak memory"])]
            memory = usage.peak_memory
            rows = [
                [
                    f"{n:,}",
                    _said(seconds, format_seconds),
                    *([] if memory is None else [_said(memory[i], format_bytes)]),
                ]
                for i, (n, seconds) in enumerate(zip(self.rows, usage.fit_time.tolist(), strict=True))
            ]
            foot = [f"fit time grows as {usage.time_growth}"] if usage.time_growth else []
            foot += [f"memory grows as {usage.memory_growth}"] if usage.memory_growth else []
            parts.append("\n".join([model, *(f"  {line}" for line in [*aligned_lines([head, *rows]), *foot])]))
        memory_note = [] if self.memory_method is None else [f"Memory: {self.memory_method}."]
        parts.append("\n".join([f"Medians over the splits of {self.method}.", *memory_note]))
        return "\n\n".join([*parts, str(self.learning_curve)])

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


def _said(value: float, words: Callable[[float], str]) -> str:
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
