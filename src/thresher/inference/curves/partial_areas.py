"""Any partial area of a score with its interval: raw, normalized and corrected for chance."""

from __future__ import annotations

import math
from dataclasses import field, replace
from typing import Any

from thresher._util.fast_dataclass import dataclass
from thresher._util.front_door import guarded
from thresher._util.jsonable import to_jsonable
from thresher.conventions import LEVEL
from thresher.counts import ScoreTable
from thresher.curves.partial import PartialArea
from thresher.curves.points import score_table
from thresher.curves.regions import Part, part_area, part_of
from thresher.errors import Note, note_forms
from thresher.frames import frame_columns
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.intervals import bootstrap_interval
from thresher.inference.bootstrap.sample import Data, chosen_model
from thresher.inference.curves.partial_auc import partial_auc_interval
from thresher.inference.estimates.methods import on_line
from thresher.measures.registry import find, reason_undefined
from thresher.predictions import Predictions
from thresher.results import Estimate, estimate_columns
from thresher.upward_import import plot_method

NO_FORMULA = "no formula for an interval of this area; try a bootstrap"
NO_CHANCE = "all rows are positive, so that chance is perfect already"
NAMES = {
    "fpr_range": "partial_auc",
    "tpr_range": "partial_auc",
    "two_way": "two_way_partial_auc",
    "recall_range": "partial_pr_auc",
}


@guarded
@dataclass(frozen=True, slots=True, kw_only=True)
class PartialAreaEstimate:
    """Area of a part of a curve: `raw`, over the largest possible (`normalized`), and with McClish's correction.

    `least` is the area of chance in the part and `most` that of perfection. `corrected` is ½ for chance and 1 for
    perfection, may be negative, and is undefined for precision where all rows are positive. All three share one
    interval, mapped: each is linear in the others. `table` is what its curve is drawn from.
    """

    part: Part
    raw: Estimate
    normalized: Estimate
    corrected: Estimate
    least: float
    most: float
    notes: tuple[Note, ...] = ()
    table: ScoreTable | None = field(default=None, repr=False, compare=False)

    plot = plot_method

    def with_raw(self, raw: Estimate) -> PartialAreaEstimate:
        """The same with another interval of the area, which the other forms share."""
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

    to_frame = frame_columns

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
    "fpr<=0.1,tpr>=0.9": the area under the curve where both are kept (two-way). "recall>=0.8": ∫ precision dR by Davis
    and Goadrich's interpolation. A range of one rate of the ROC has the interval of `partial_auc_interval`; the others
    have one with `bootstrap` only, and `reason` says so; with it every area has its. NaN where a class has no rows.

    Args:
        data: a table of one score, or predictions; a bootstrap of importance weights or clusters needs the predictions.
        part: text as above, or `Part`.
        bootstrap: how replicates are drawn, instead of a formula.
        level: confidence level.
        model: which of the predictions' models; the only one by default.

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
    table = _table(data, model)
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


def _table(data: Data, model: str | None) -> ScoreTable:
    if not isinstance(data, Predictions):
        return score_table(data)
    return ScoreTable.of_rows(data, chosen_model(data, model))


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
        return Estimate(name=name, value=value, reason=reason_undefined(whole, table))
    if config is None:
        return Estimate(name=name, value=value, n=float(table.P + table.N), reason=NO_FORMULA)
    return bootstrap_interval(data, Repeated(part, (0.0, exact.most)), config, level=level, model=model)


@dataclass(frozen=True, slots=True)
class Repeated:
    """Raw area as a statistic of resamples, with the range that its limits stay in."""

    part: Part
    bounds: tuple[float, float]

    @property
    def name(self) -> str:
        return NAMES[self.part.region]

    def __call__(self, table: ScoreTable) -> float:
        return part_area(table, self.part).raw


def _forms(raw: Estimate, least: float, most: float) -> dict[str, Any]:
    """Area as it is, over the largest possible, and with McClish's correction, where chance leaves room for one."""
    wide, name = most - least, f"corrected_{raw.name}"
    corrected = Estimate(name=name, value=math.nan, n=raw.n, reason=NO_CHANCE)
    if wide:
        corrected = on_line(raw, name, (1 / (2 * wide), 0.5 - least / (2 * wide)))
    return {"raw": raw, "normalized": on_line(raw, f"normalized_{raw.name}", (1 / most, 0.0)), "corrected": corrected}
