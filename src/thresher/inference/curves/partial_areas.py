"""Partial areas with intervals, by placements or a bootstrap: raw, normalized and corrected for chance."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from thresher._util.fast_dataclass import dataclass, field, replace
from thresher._util.front_door import guarded
from thresher._util.json_values import to_jsonable
from thresher.conventions import LEVEL, Floats, confidence_level
from thresher.counts.scores import ScoreTable
from thresher.curves.curve import score_table
from thresher.curves.partial_areas import PartialArea, check_range
from thresher.curves.regions import Part, part_area, part_of
from thresher.errors import Note, OptionError, note_forms
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.intervals import bootstrap_interval
from thresher.inference.bootstrap.sample import Data, chosen_model
from thresher.inference.limits import NO_WIDTH, all_rows, class_sizes, limited, on_line, squares_of, too_few
from thresher.inference.strata import Contributions, Stratum
from thresher.measures.registry import find, reason_undefined
from thresher.predictions import Predictions
from thresher.results import ZERO_BY_ZERO, Estimate, Shown, estimate_columns


def partial_auc_interval(
    table: ScoreTable,
    *,
    fpr_range: tuple[float, float] | None = None,
    tpr_range: tuple[float, float] | None = None,
    corrected: bool = False,
    level: float = LEVEL,
) -> Estimate:
    """Estimate of the area under the ROC between two false positive rates, or beside it between two true ones.

    Over FPR in [a, b] a positive's placement is the share of [a, b] at which it is found, max(0, b − max(a, u)) with u
    its false positive rate. A negative's is the TPR at its own rate u, moved into [a, b]; equal scores are joined by a
    straight line. The variance is Var₁/P + Var₀/N of the placements, and allows for the estimated thresholds at a and
    b; over [0, 1] it is DeLong's. A range of TPR is one of FPR with the classes exchanged and the order reversed.

    The limits are symmetric on the logit scale between 0 and the largest area, b − a. `corrected` gives McClish's area
    ½·(1 + (A − chance)/(largest − chance)). With a variance of 0 (a perfect range) the interval is missing, with a
    reason.

    Raises:
        OptionError: not exactly one range, its limits are not 0 ≤ low < high ≤ 1, or the level is wrong.

    >>> table = ScoreTable.from_scores([1, 1, 0, 1, 1, 0, 0, 0, 1, 0], [9, 8, 7, 6, 5.5, 5.4, 5.3, 5.1, 5, 4])
    >>> partial_auc_interval(table, fpr_range=(0, 0.4))
    Estimate(partial_auc = 0.24 [0.05525, 0.3734], 95% placements, logit scale)

    Source: Dodd & Pepe 2003; Zhang, Zhou, Freeman & Freeman 2002; McClish 1989.
    """
    if (fpr_range is None) == (tpr_range is None):
        raise OptionError("a partial area needs one of fpr_range=(low, high) and tpr_range=(low, high).")
    low, high = (float(limit) for limit in (fpr_range or tpr_range or ()))
    check_range("fpr_range" if fpr_range else "tpr_range", low, high)
    level, sizes, missing = confidence_level(level), class_sizes(table), reason_undefined(find("auc"), table)
    largest, chance = high - low, (high * high - low * low) / 2
    over_tpr = tpr_range is not None
    chance = largest - chance if over_tpr else chance
    found = Estimate(name="partial_auc", value=math.nan, n=sizes.total)
    if missing is not None:
        return replace(found, reason=missing)
    placed = placements_of(table, low, high, over_tpr=over_tpr)
    area = float((table.columns[over_tpr] * placed[over_tpr]).sum()) / float(table.columns[over_tpr].sum())
    classes = zip(table.columns, squares_of(table), (sizes.positives, sizes.negatives), strict=True)
    strata = tuple(Stratum(w.astype(np.float64), square, float(w.sum()), size) for w, square, size in classes)
    error = math.nan if too_few(sizes) else math.sqrt(Contributions(strata, placed).variance)
    found = replace(found, value=area)
    if not error * math.sqrt(sizes.total) > NO_WIDTH * largest:
        reason = too_few(sizes) or Note("no-spread", "no interval, as no row can change the area in this range")
    else:
        method = "placements" + (", effective size" if sizes.is_effective else "")
        found = limited(found, error, (0.0, largest), level=level, method=method)
        reason = None
    if corrected:
        scale = 1 / (2 * (largest - chance))
        found = on_line(found, found.name, (scale, 0.5 - chance * scale))
    return replace(found, reason=reason)


def _placements(positive: Floats, negative: Floats, low: float, high: float) -> tuple[Floats, Floats]:
    """Placements of both classes over FPR in [low, high], averaged over random orders of equal scores."""
    fpr = np.append(0.0, np.cumsum(negative) / negative.sum())
    tpr = np.append(0.0, np.cumsum(positive) / positive.sum())
    # The curve must end at 1, without rounding error.
    fpr[-1] = tpr[-1] = 1.0
    return _found_share(fpr[:-1], fpr[1:], low, high), _mean_tpr(fpr, tpr, low, high)


def placements_of(table: ScoreTable, low: float, high: float, *, over_tpr: bool = False) -> tuple[Floats, Floats]:
    """Placements of positives and negatives per score of a table, over a range of FPR or of TPR."""
    if not (table.P and table.N):
        nothing = np.full(table.scores.size, math.nan)
        return nothing, nothing
    positive, negative = (column.astype(np.float64) for column in table.columns)
    if not over_tpr:
        return _placements(positive, negative, low, high)
    # With the classes exchanged and the order reversed FPR is 1 − TPR.
    first, second = _placements(negative[::-1], positive[::-1], 1 - high, 1 - low)
    return second[::-1], first[::-1]


def _found_share(start: Floats, end: Floats, low: float, high: float) -> Floats:
    """Length of [low, high] at which a positive with a uniform rate in [start, end] is found.

    That is ∫ over [low, high] of the chance that its rate is at most t: 0 before `start`, 1 after `end`, and linear
    between them.
    """
    width = end - start
    after = high - np.clip(end, low, high)
    a, b = np.clip(start, low, high), np.clip(end, low, high)
    # Mean of (t − start)/width over [a, b] times its length; a step of no width adds nothing.
    between = np.divide((b - a) * ((a + b) / 2 - start), width, out=np.zeros(width.size), where=width > 0)
    return np.asarray(after + between)


def _mean_tpr(fpr: Floats, tpr: Floats, low: float, high: float) -> Floats:
    """Mean TPR, over the step of each score, at the false positive rate moved into [low, high]."""
    start, end, below, above = fpr[:-1], fpr[1:], tpr[:-1], tpr[1:]
    width = end - start
    slope = np.divide(above - below, width, out=np.zeros(width.size), where=width > 0)
    a, b = np.clip(start, low, high), np.clip(end, low, high)
    inside = (b - a) * (below + slope * ((a + b) / 2 - start))
    edges = _tpr_at(fpr, tpr, low, "right"), _tpr_at(fpr, tpr, high, "left")
    outside = np.clip(low - start, 0, width) * edges[0] + np.clip(end - high, 0, width) * edges[1]
    return np.divide(inside + outside, width, out=np.zeros(width.size), where=width > 0)


def _tpr_at(fpr: Floats, tpr: Floats, at: float, side: Literal["left", "right"]) -> float:
    """TPR of the curve at a rate, approached from within the range if the curve is vertical there."""
    after = int(np.searchsorted(fpr, at, side=side))
    if after == 0:
        return float(tpr[0])
    if after == fpr.size:
        return float(tpr[-1])
    x0, x1 = fpr[after - 1], fpr[after]
    return float(tpr[after - 1] + (tpr[after] - tpr[after - 1]) * ((at - x0) / (x1 - x0)))


NO_FORMULA = Note("no-formula", "no formula for an interval of this area; try a bootstrap")
NO_CHANCE = Note("undefined", "all rows are positive, so chance is already perfect")
NAMES = {
    "fpr_range": "partial_auc",
    "tpr_range": "partial_auc",
    "two_way": "two_way_partial_auc",
    "recall_range": "partial_pr_auc",
}


@guarded
@dataclass(frozen=True, slots=True, kw_only=True)
class PartialAreaEstimate(Shown):
    """Area of a part of a curve: `raw`, over the largest possible (`normalized`), and with McClish's correction.

    `least` is the area of chance in the part and `most` the perfect area. `corrected` is ½ for chance and 1 for
    perfection, may be negative, and is undefined for precision if all rows are positive. All three share one interval,
    mapped linearly. `table` draws the curve.
    """

    part: Part
    raw: Estimate
    normalized: Estimate
    corrected: Estimate
    least: float
    most: float
    notes: tuple[Note, ...] = ()
    table: ScoreTable | None = field(default=None, repr=False, compare=False)

    def with_raw(self, raw: Estimate) -> PartialAreaEstimate:
        """The same with another interval of the area, shared by the other forms."""
        return replace(self, **_forms(raw, self.least, self.most))

    def to_dict(self) -> dict[str, Any]:
        """Part and areas as JSON types."""
        found = {name: getattr(self, name).to_dict() for name in ("raw", "normalized", "corrected")}
        return {
            "part": str(self.part),
            **found,
            "least": to_jsonable(self.least),
            "most": to_jsonable(self.most),
            "notes": note_forms(self.notes),
        }

    def columns(self) -> dict[str, Any]:
        """One row for each form of the area with its interval."""
        forms = ("raw", "normalized", "corrected")
        columns: dict[str, Any] = {"part": [str(self.part)] * 3, "form": list(forms)}
        return columns | estimate_columns(getattr(self, form) for form in forms)

    def __repr__(self) -> str:
        rest = f"normalized {self.normalized.value:.4g}, corrected {self.corrected.value:.4g}"
        return f"PartialAreaEstimate({self.part}: {self.raw.format()} of {self.most:.4g}, {rest})"


def partial_area(
    data: Data,
    part: Part | str,
    *,
    bootstrap: Bootstrap | None = None,
    level: float = LEVEL,
    model: str | None = None,
) -> PartialAreaEstimate:
    """Area of a part of the ROC or of the precision–recall curve with its interval.

    "fpr<=0.1" and "fpr=0.05:0.2": ∫ TPR dFPR. "tpr>=0.9": ∫ (1 − FPR) dTPR, the area to the right of the curve.
    "fpr<=0.1,tpr>=0.9": the area under the curve within both limits (two-way). "recall>=0.8": ∫ precision dR by Davis
    and Goadrich's interpolation. A range of one rate of the ROC has the interval of `partial_auc_interval`; the others
    need `bootstrap`, which serves every area; `reason` says so. NaN without rows of a class.

    Args:
        data: a table of one score, or predictions; a bootstrap of importance weights or clusters needs the predictions.
        part: text as above, or `Part`.
        bootstrap: settings of replicates, in place of a formula.
        level: confidence level.
        model: one of the predictions' models; the only one by default.

    Raises:
        OptionError: the part is not understood, or the level is wrong.
        InputError, RowsNeededError: as for `bootstrap_interval`.

    McClish (1989); Yang, Lu, Zhang, Wang & Shi (2017) for the two-way area; Boyd, Eng & Page (2013).

    >>> table = ScoreTable.from_scores([1, 1, 0, 1, 1, 0, 0, 0, 1, 0], [9, 8, 7, 6, 5.5, 5.4, 5.3, 5.1, 5, 4])
    >>> partial_area(table, "fpr<=0.4")
    PartialAreaEstimate(fpr<=0.4: 0.24 [0.05525, 0.3734] of 0.4, normalized 0.6, corrected 0.75)
    >>> partial_area(table, "fpr<=0.4,tpr>=0.5").raw
    Estimate(two_way_partial_auc = 0.06)
    """
    wanted = part if isinstance(part, Part) else part_of(part)
    table = ScoreTable.of_rows(data, chosen_model(data, model)) if isinstance(data, Predictions) else score_table(data)
    exact = part_area(table, wanted)
    raw = _estimate(data, table, wanted, exact, bootstrap, level, model)
    forms = _forms(raw, exact.least, exact.most)
    notes = (exact.note,) if exact.note else ()
    return PartialAreaEstimate(part=wanted, **forms, least=exact.least, most=exact.most, notes=notes, table=table)


def has_formula(part: Part | str) -> bool:
    """Whether the area over a part has an interval without resampling.

    >>> has_formula("fpr<=0.1"), has_formula("fpr<=0.1,tpr>=0.9")
    (True, False)
    """
    wanted = part if isinstance(part, Part) else part_of(part)
    return wanted.region in ("fpr_range", "tpr_range")


def _estimate(
    data: Data,
    table: ScoreTable,
    part: Part,
    exact: PartialArea,
    config: Bootstrap | None,
    level: float,
    model: str | None,
) -> Estimate:
    name, value = NAMES[part.region], exact.raw
    if config is None and has_formula(part):
        return partial_auc_interval(table, **{part.region: (part.low, part.high)}, level=level)  # type: ignore[arg-type]
    if math.isnan(value):
        whole = find("average_precision" if part.is_precision else "auc")
        return Estimate(name=name, value=value, reason=reason_undefined(whole, table) or ZERO_BY_ZERO)
    if config is None:
        return Estimate(name=name, value=value, n=all_rows(table), reason=NO_FORMULA)
    return bootstrap_interval(data, Repeated(part, (0.0, exact.most)), config, level=level, model=model)


@dataclass(frozen=True, slots=True)
class Repeated:
    """Raw area as a statistic of resamples, with its range."""

    part: Part
    bounds: tuple[float, float]

    @property
    def name(self) -> str:
        return NAMES[self.part.region]

    def __call__(self, table: ScoreTable) -> float:
        return part_area(table, self.part).raw


def _forms(raw: Estimate, least: float, most: float) -> dict[str, Any]:
    """Area as it is, over the largest possible, and with McClish's correction, if chance leaves room for it."""
    wide, name = most - least, f"corrected_{raw.name}"
    corrected = Estimate(name=name, value=math.nan, n=raw.n, reason=NO_CHANCE)
    if wide:
        corrected = on_line(raw, name, (1 / (2 * wide), 0.5 - least / (2 * wide)))
    return {"raw": raw, "normalized": on_line(raw, f"normalized_{raw.name}", (1 / most, 0.0)), "corrected": corrected}
