"""`Series`: scores of models against a growing quantity (noise, rows learned from), each with its band."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from thresher._util.fast_dataclass import dataclass, field
from thresher._util.frozen_values import ByFields
from thresher._util.json_values import fields_to_jsonable
from thresher.conventions import Floats
from thresher.errors import Note, OptionError, note_forms
from thresher.results import Estimate, frame_columns
from thresher.upward_import import as_html, as_text, upward_import


@dataclass(frozen=True, eq=False, kw_only=True)
class SeriesLine(ByFields):
    """One model's values of one measure: an `Estimate` at each x, and the value of each split (x × splits)."""

    model: str
    measure: str
    estimates: tuple[Estimate, ...]
    by_split: Floats

    @property
    def values(self) -> Floats:
        """Values along x."""
        return numbers(self.estimates, "value")

    @property
    def low(self) -> Floats:
        """Lower limits of the band; NaN where there is none."""
        return numbers(self.estimates, "low")

    @property
    def high(self) -> Floats:
        """Upper limits of the band; NaN where there is none."""
        return numbers(self.estimates, "high")


def numbers(estimates: Iterable[Estimate], name: str) -> Floats:
    """Return one number of each estimate; NaN where it is missing."""
    found = (getattr(estimate, name) for estimate in estimates)
    return np.array([math.nan if number is None else number for number in found])


@dataclass(frozen=True, eq=False, kw_only=True)
class Series(ByFields):
    """Scores of one or more models against a growing quantity, with bands.

    `x` are its values, `x_name` its name as of a column and `axis` in words. `lines` has one for each model and
    measure; `series["auc"]` is the line of the only model, `series["forest", "auc"]` of one of several. `notes` say
    notes for the reader, `method` how it was made.
    """

    title: str
    x: Floats
    x_name: str
    axis: str
    lines: tuple[SeriesLine, ...]
    method: str
    rng: int
    notes: tuple[Note, ...] = ()
    logarithmic: bool = False
    backend: str | None = field(default=None, compare=False)

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
            raise KeyError(f"{asked} exists for several models: name one of {', '.join(map(repr, self.models))} first")
        there = ", ".join(f"({line.model!r}, {line.measure!r})" for line in self.lines)
        raise KeyError(f"there is no line {asked}; there are {there}")

    def columns(self) -> dict[str, Any]:
        """Every line as columns: model, measure, x, value, standard error, low, high, method."""
        pairs = [(line, x, estimate) for line in self.lines for x, estimate in zip(self.x, line.estimates, strict=True)]
        estimates = [estimate for *_, estimate in pairs]
        return {
            "model": [line.model for line, *_ in pairs],
            "measure": [line.measure for line, *_ in pairs],
            self.x_name: np.array([x for _, x, _ in pairs]),
            **{name: numbers(estimates, name) for name in ("value", "standard_error", "low", "high")},
            "method": [estimate.method or estimate.reason or "" for estimate in estimates],
        }

    to_frame = frame_columns

    def to_dict(self) -> dict[str, Any]:
        """Series as JSON types; undefined is None beside its reason, and so is an infinite value of a split."""
        lines = [fields_to_jsonable(line) for line in self.lines]
        head = {"title": self.title, "x_name": self.x_name, "axis": self.axis, "x": self.x.tolist()}
        return head | {
            "lines": lines,
            "method": self.method,
            "rng": self.rng,
            "notes": note_forms(self.notes),
        }

    def plot(self, measure: str | None = None, ax: Any = None, **options: Any) -> Any:
        """Draw one measure's lines with their bands; returns the axes. Options: `thresher.plot.resampled.plot_series`.

        Raises:
            MissingDependencyError: matplotlib is not installed.
            OptionError: there are several measures and none was named, or there is no such measure.
        """
        chosen = self.measures[0] if measure is None and len(self.measures) == 1 else measure
        if chosen not in self.measures:
            raise OptionError(f"measure={measure!r}: name one of {', '.join(map(repr, self.measures))}.")
        return upward_import("pictures").draw(self, chosen, ax=ax, **options)

    __str__, _repr_html_ = as_text, as_html

    def __repr__(self) -> str:
        shown = ", ".join(f"{line.model} {line.measure}" for line in self.lines[:4])
        more = "" if len(self.lines) <= 4 else f" and {len(self.lines) - 4} more"
        return f"Series({self.title}: {len(self.x)} × {shown}{more})"
