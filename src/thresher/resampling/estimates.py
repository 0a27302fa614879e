"""From the values of splits to estimates: fold means, pooled predictions, their intervals, and series of estimates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, field, replace
from thresher._util.frozen_values import ByFields
from thresher._util.json_values import fields_to_jsonable
from thresher.conventions import Floats
from thresher.design_warnings import few_folds, pooled_folds
from thresher.errors import Note, OptionError, note_forms, with_cause
from thresher.evaluation.within_folds import ONE_CLASS, folds_used
from thresher.inference.estimates.methods import ranks_rows
from thresher.inference.limits import limits, scale_words
from thresher.measures.measure_text import MeasureSpec
from thresher.resampling.records import predictions_of
from thresher.resampling.values import NO_FIT, JudgedRows, bounds_of, by_split, can_rank, estimate_rows, why_undefined
from thresher.results import Estimate, frame_columns
from thresher.upward_import import as_html, as_text, upward_import

INFINITE = Note(
    "infinite", "a row of some split makes the value infinite, as a probability that was certain and wrong does"
)


def mean_estimate(source: JudgedRows, spec: MeasureSpec, level: float, *, what: str = "folds") -> Estimate:
    """Mean over splits, with the corrected resampled t interval: √((1/k + ratio)·variance), k−1 degrees of freedom.

    Splits share rows to learn from, so their values are dependent; `ratio`, by `dependence`, allows for that.

    Source: Nadeau & Bengio 2003; for repeated folds Bouckaert & Frank 2004.
    """
    used = source.used
    if not len(used):
        return Estimate(name=spec.text, value=math.nan, reason=NO_FIT)
    ranked = used[can_rank(source, spec)[used]]
    if not len(ranked):
        return Estimate(name=spec.text, value=math.nan, reason=ONE_CLASS)
    said, used = folds_used(len(ranked), len(used) - len(ranked), what), ranked
    values = by_split(source, spec)[used]
    is_shared = source.splits.is_shared
    spread = Spread(
        ratio=dependence(overlap(source, used), is_shared=is_shared), rows=len(source.rows),
        classes=len(source.rows.classes), what=what, is_shared=is_shared,
    )  # fmt: skip
    gaps = [int(split) for split in used[np.isnan(values)]]
    first = [f", first in {source.splits.name(split)}: {why_undefined(source, spec, split)}" for split in gaps[:1]]
    found = mean_of_splits(values, spec, spread, level, "".join(first))
    return replace(found, reason=with_cause(said, found.reason))


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Basis of a mean's interval: the splits' `dependence`, rows in all, their word, and whether they share rows."""

    ratio: float
    rows: int
    classes: int = 2
    what: str = "splits"
    is_shared: bool = False


def mean_of_splits(values: Floats, spec: MeasureSpec, spread: Spread, level: float, gap: str = "") -> Estimate:
    """Mean of the values of splits with its interval, as in `mean_estimate`; `gap` reports splits without a value."""
    from scipy.special import stdtrit

    count, missing = len(values), int(np.isnan(values).sum())
    if missing:
        reason = Note("undefined", f"undefined in {missing} of {count} {spread.what}{gap}")
        return Estimate(name=spec.text, value=math.nan, reason=reason)
    value = float(values.mean())
    found = Estimate(name=spec.text, value=value, n=float(spread.rows))
    if not math.isfinite(value):
        return replace(found, reason=INFINITE)
    if count < 2:
        return replace(found, reason=Note("no-spread", "a single split shows no spread to take an interval from"))
    error = corrected_error(values, spread.ratio)
    if not error > 0:
        text = f"all {count} {spread.what} have the same value, which shows no spread"
        return replace(found, reason=Note("no-spread", text))
    bounds = bounds_of(spec, spread.classes)
    low, high = score_limits(value, error, bounds, float(stdtrit(count - 1, (1 + level) / 2)))
    wider = f" (correlation {spread.ratio / (1 + spread.ratio):.2g})" if spread.is_shared else ""
    method = f"corrected resampled t over {count} {spread.what}{wider}{score_words(bounds)}"
    warned = few_folds(count, where=spec.text)
    return replace(found, standard_error=error, low=low, high=high, level=level, method=method, warnings=warned)


def dependence(ratio: float, *, is_shared: bool, models: float = 1.0) -> float:
    """ρ/(1 − ρ) of the correlation ρ between two splits, from n_test/n_train of one.

    For splits that judge different rows it is n_test/n_train itself, ρ being the share f of the rows that is judged
    (Nadeau & Bengio). Where several splits judge a row, that is too little for models that vary: a split's value
    shares the part f of its test-row variance, and the part 1 − f of its training-row variance. With a variance of
    the `models` of m times the rows' variance, σ²/n, ρ = f·(1 + m·(1 − f))/(1 + m·f).

    >>> dependence(0.5, is_shared=False), round(dependence(0.5, is_shared=True), 4)
    (0.5, 0.7143)
    """
    return ratio * (1 + ratio + models) / (1 + ratio + models * ratio**2) if is_shared else ratio


def score_limits(value: float, error: float, bounds: tuple[float, float], q: float) -> tuple[float, float]:
    """Limits {x: (x − v)² ≤ q²·e²·x(1 − x)/(v(1 − v))} of a value v in [0, 1] with standard error e, as Wilson's are.

    On the logit scale they are v ± 2·asinh(h/2), with the delta method v ± h, where h = q·e/(v(1 − v)): the same
    for small h, and not from next to 0 to next to 1 for the few values near an end that make h large. Other ranges are
    taken to [0, 1]; those without an end are as `limits` has them.

    >>> [round(limit, 3) for limit in score_limits(0.98, 0.025, (0.0, 1.0), 4.3)]
    [0.605, 0.999]
    """
    low, high = bounds
    share = (value - low) / (high - low) if math.isfinite(high - low) else math.nan
    if not 0 < share < 1:
        return limits(value, error, bounds, q)
    slope = (high - low) * share * (1 - share)
    half = 2 * math.asinh(q * error / slope / 2)
    return limits(value, half * slope / q, bounds, q)


def score_words(bounds: tuple[float, float]) -> str:
    """Return the suffix of a method's name for its limits."""
    return ", score interval" if math.isfinite(bounds[1] - bounds[0]) else scale_words(bounds)


def corrected_error(values: Floats, ratio: float) -> float:
    """Standard error of a mean of dependent splits: √((1/k + n_test/n_train)·s²)."""
    return math.sqrt((1 / len(values) + ratio) * float(values.var(ddof=1)))


def overlap(source: JudgedRows, used: NDArray[np.int64]) -> float:
    """n_test/n_train of the splits; of bootstrap samples the different rows learned from."""
    splits = source.splits
    judged = np.bincount(splits.split[splits.is_out], minlength=len(splits))[used]
    return float(judged.mean() / splits.distinct[used].mean())


def pooled_estimate(source: JudgedRows, spec: MeasureSpec, level: float) -> Estimate:
    """Estimate from the held-out predictions of a repeat put together; with several repeats, their mean.

    The interval assumes predictions on independent rows (Wilson, DeLong, …): right for how one row differs from
    another, silent on how models would differ if they had learned from other rows. Each repeat judges the same rows,
    so the limits of repeats are averaged, not narrowed. Ranking measures are means over the folds here too, since
    scores of different fits do not compare.
    """
    used = source.used
    repeat = source.splits.repeat[used]
    each = (_of_repeat(source, spec, used[repeat == r], level) for r in np.unique(repeat))
    found = [item for item in each if item is not None]
    return average_estimates(found, "repeats") if found else Estimate(name=spec.text, value=math.nan, reason=NO_FIT)


def average_estimates(found: Sequence[Estimate], what: str) -> Estimate:
    """Mean of estimates that rest on the same rows: values, standard errors and limits are averaged."""
    if len(found) == 1:
        return found[0]
    undefined = [item for item in found if not item.is_defined]
    if undefined:
        why = Note("undefined", f"undefined in {len(undefined)} of {len(found)} {what}: {undefined[0].reason}")
        return replace(found[0], value=math.nan, low=None, high=None, standard_error=None, method=None, reason=why)

    def mean(name: str) -> float | None:
        parts = [getattr(item, name) for item in found]
        return None if any(part is None for part in parts) else float(np.mean(parts))

    method = found[0].method
    return replace(
        found[0],
        value=float(np.mean([item.value for item in found])),
        method=None if method is None else f"{method}; limits averaged over {len(found)} {what}",
        standard_error=mean("standard_error"),
        low=mean("low"),
        high=mean("high"),
        n=mean("n"),
    )


def _of_repeat(source: JudgedRows, spec: MeasureSpec, members: NDArray[np.int64], level: float) -> Estimate | None:
    splits = source.splits
    where = np.isin(splits.split, members) & splits.is_out
    if not where.any():
        return None
    rows = predictions_of(source.rows, splits, source.judged, where)
    found = estimate_rows(rows, spec, level)
    if found.method is None or len(members) == 1 or ranks_rows(spec):
        return found
    method, warnings = f"{found.method}, pooled predictions of {len(members)} folds", pooled_folds(len(members))
    return replace(found, method=method, warnings=(*found.warnings, *warnings))


def headline(source: JudgedRows, spec: MeasureSpec, level: float, what: str) -> Estimate:
    """Mean over splits where every split has a value; else the pooled estimate, which says why.

    Ranking measures lack it, as scores of different fits do not compare.
    """
    found = mean_estimate(source, spec, level, what=what)
    if found.is_defined or ranks_rows(spec):
        return found
    pooled = pooled_estimate(source, spec, level)
    if not pooled.is_defined:
        return pooled
    return replace(pooled, reason=Note("pooled-value", f"pooled, because the mean over {what} is {found.reason}"))


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
