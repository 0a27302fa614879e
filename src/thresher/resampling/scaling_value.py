"""`Scalability`: what more training rows cost and bring."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from thresher.conventions import Floats
from thresher.dataclass import dataclass
from thresher.frozen import ByFields, freeze_fields, rebuilt
from thresher.late import late
from thresher.plain import plain
from thresher.resampling.growth import Growth
from thresher.resampling.series import Series
from thresher.resampling.timing import said_bytes, said_seconds


@dataclass(frozen=True, eq=False, kw_only=True)
class Usage(ByFields):
    """One model's seconds and bytes, as arrays of sizes × splits, and the exponents of their growth.

    NaN stands for a fit that failed and was skipped.
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
    `time_growth` and `memory_growth`. Times and bytes are those of this machine, and not the same at every call.
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

        The scores against the rows are `learning_curve.plot()`. Options: `thresher.plot.scaling.plot_scalability`.

        Raises:
            OptionError: nothing of that name was measured.
            MissingDependencyError: matplotlib is not installed.
        """
        return late("pictures").draw(self, what, ax=ax, **options)

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON types; seconds and bytes of a fit that failed are None."""
        usage = {
            model: {
                "fit_seconds": plain(one.fit_seconds),
                "predict_seconds": plain(one.predict_seconds),
                "memory": plain(one.memory),
                "time_growth": None if one.time_growth is None else one.time_growth.to_dict(),
                "memory_growth": None if one.memory_growth is None else one.memory_growth.to_dict(),
            }
            for model, one in self.usage.items()
        }
        head = {"rows": list(self.rows), "method": self.method, "memory_method": self.memory_method}
        return head | {"usage": usage, "learning_curve": self.learning_curve.to_dict()}

    def __str__(self) -> str:
        parts = []
        for model, usage in self.usage.items():
            head = ["training rows", "fit", *([] if usage.memory is None else ["peak memory"])]
            memory = usage.peak_memory
            rows = [
                [f"{n:,}", _said(seconds, said_seconds), *([] if memory is None else [_said(memory[i], said_bytes)])]
                for i, (n, seconds) in enumerate(zip(self.rows, usage.fit_time.tolist(), strict=True))
            ]
            foot = [f"fit time grows as {usage.time_growth}"] if usage.time_growth else []
            foot += [f"memory grows as {usage.memory_growth}"] if usage.memory_growth else []
            parts.append("\n".join([model, *(f"  {line}" for line in [*aligned([head, *rows]), *foot])]))
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


def aligned(rows: list[list[str]]) -> list[str]:
    """Rows as lines of equal columns, the first right-aligned, as it holds numbers.

    >>> aligned([["n", "auc"], ["10", "0.9"]])
    [' n  auc', '10  0.9']
    """
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join([row[0].rjust(widths[0]), *(c.ljust(w) for c, w in zip(row[1:], widths[1:], strict=True))]).rstrip()
        for row in rows
    ]
