"""`Series`: scores of models against a growing quantity (noise, rows learned from), each with its band."""

from __future__ import annotations

import math
from dataclasses import field
from typing import Any

import numpy as np

from thresher.conventions import Floats
from thresher.dataclass import dataclass
from thresher.errors import OptionError
from thresher.frames import framed_columns
from thresher.frozen import ByFields, freeze_fields
from thresher.late import as_html, as_text, late
from thresher.plain import plain
from thresher.results import Estimate


@dataclass(frozen=True, eq=False, kw_only=True)
class SeriesLine(ByFields):
    """One model's values of one measure: an `Estimate` at each x, and the value of each split (x × splits)."""

    model: str
    measure: str
    estimates: tuple[Estimate, ...]
    by_split: Floats

    def __post_init__(self) -> None:
        freeze_fields(self, "by_split")

    @property
    def values(self) -> Floats:
        """Values along x."""
        return np.array([estimate.value for estimate in self.estimates])

    @property
    def low(self) -> Floats:
        """Lower limits of the band; NaN where there is none."""
        return np.array([math.nan if e.low is None else e.low for e in self.estimates])

    @property
    def high(self) -> Floats:
        """Upper limits of the band; NaN where there is none."""
        return np.array([math.nan if e.high is None else e.high for e in self.estimates])


@dataclass(frozen=True, eq=False, kw_only=True)
class Series(ByFields):
    """Scores of one or more models against a growing quantity, with bands.

    `x` are its values, `x_name` its name as of a column and `axis` in words. `lines` has one for each model and
    measure; `series["auc"]` is that of the only model, `series["forest", "auc"]` that of one of several. `notes` say
    what a reader must know, `method` how it was made.
    """

    title: str
    x: Floats
    x_name: str
    axis: str
    lines: tuple[SeriesLine, ...]
    method: str
    rng: int
    notes: tuple[str, ...] = ()
    logarithmic: bool = False
    backend: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        freeze_fields(self, "x")

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, in the order given."""
        return tuple(dict.fromkeys(line.model for line in self.lines))

    @property
    def measures(self) -> tuple[str, ...]:
        """Measures, in the order given."""
        return tuple(dict.fromkeys(line.measure for line in self.lines))

    def __getitem__(self, key: str | tuple[str, str]) -> SeriesLine:
        model, measure = key if isinstance(key, tuple) else (None, key)
        found = [line for line in self.lines if line.measure == measure and model in (None, line.model)]
        if len(found) == 1:
            return found[0]
        asked = f"{model!r}, {measure!r}" if model is not None else repr(measure)
        if found:
            raise KeyError(
                f"{asked} is there for several models: name one of {', '.join(map(repr, self.models))} first"
            )
        there = ", ".join(f"({line.model!r}, {line.measure!r})" for line in self.lines)
        raise KeyError(f"there is no line {asked}; there are {there}")

    def columns(self) -> dict[str, Any]:
        """Every line as columns: model, measure, x, value, standard error, low, high, method."""
        pairs = [(line, x, estimate) for line in self.lines for x, estimate in zip(self.x, line.estimates, strict=True)]
        numbers = {
            name: np.array([math.nan if getattr(e, name) is None else getattr(e, name) for _, _, e in pairs])
            for name in ("value", "standard_error", "low", "high")
        }
        return {
            "model": [line.model for line, _, _ in pairs],
            "measure": [line.measure for line, _, _ in pairs],
            self.x_name: np.array([x for _, x, _ in pairs]),
            **numbers,
            "method": [estimate.method or estimate.reason or "" for _, _, estimate in pairs],
        }

    to_frame = framed_columns

    def to_dict(self) -> dict[str, Any]:
        """Series as JSON types; undefined is None beside its reason, and so is an infinite value of a split."""
        lines = [
            plain(
                {
                    "model": line.model,
                    "measure": line.measure,
                    "estimates": [estimate.to_dict() for estimate in line.estimates],
                    "by_split": line.by_split,
                }
            )
            for line in self.lines
        ]
        head = {"title": self.title, "x_name": self.x_name, "axis": self.axis, "x": self.x.tolist()}
        return head | {"lines": lines, "method": self.method, "rng": self.rng, "notes": list(self.notes)}

    def plot(self, measure: str | None = None, ax: Any = None, **options: Any) -> Any:
        """Draw one measure's lines with their bands; returns the axes. Options: `thresher.plot.series.plot_series`.

        Raises:
            MissingDependencyError: matplotlib is not installed.
            OptionError: there are several measures and none was named, or there is no such measure.
        """
        chosen = self.measures[0] if measure is None and len(self.measures) == 1 else measure
        if chosen not in self.measures:
            raise OptionError(f"measure={measure!r}: name one of {', '.join(map(repr, self.measures))}.")
        return late("pictures").draw(self, chosen, ax=ax, **options)

    __str__, _repr_html_ = as_text, as_html

    def __repr__(self) -> str:
        shown = ", ".join(f"{line.model} {line.measure}" for line in self.lines[:4])
        more = "" if len(self.lines) <= 4 else f" and {len(self.lines) - 4} more"
        return f"Series({self.title}: {len(self.x)} × {shown}{more})"
