"""Measures of a model whose predictions were verified for some rows only, such as most positive and few negative ones.

Within a stratum (test result, score, and columns of the user) verified rows are taken to be like the others. Each then
represents the rows of its stratum: Begg and Greenes' correction for two test results, and for any measure weights.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import readers
from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.frozen_values import cached_property
from thresher.conventions import (
    DEFAULT_THRESHOLD,
    LEVEL,
    Direction,
    Floats,
    confidence_level,
    in_precision,
    is_positive,
)
from thresher.design_warnings import DesignWarning, verified_by_score
from thresher.errors import InputError, Note, OptionError, keyword, listed
from thresher.inference.comparing.contributions import row_derivatives, value_of_cells
from thresher.inference.comparing.rows import ComparedSample
from thresher.inference.limits import NO_WIDTH, limited, numeric
from thresher.inference.missing_bounds import Bounds, bounds_of_decisions, bounds_of_scores
from thresher.inference.strata import Phases, SecondPhase, Strata, drift, strata_of
from thresher.measures.measure_text import MeasureSpec, parse_measure
from thresher.measures.shown import DECISIONS, PROBABILITIES, RANKING
from thresher.predictions import Predictions
from thresher.predictions.judged import LabelMask
from thresher.predictions.probabilities import are_probabilities
from thresher.readers.judged import truth_values
from thresher.results import Estimate, estimate_columns, frame_columns

ODDS_RATIOS = (0.5, 2 / 3, 1.0, 1.5, 2.0)
BINS = 10
NO_THRESHOLD = Note("no-threshold", "it needs predicted labels, or ", keyword("threshold", "…"))
NO_FORMULA = Note("no-formula", "no interval for this measure of partly verified rows")


@dataclass(frozen=True, kw_only=True, eq=False)
class Verified:
    """Partly verified predictions of one model, and its measures corrected for that.

    `rows` are all rows, and `is_verified` marks those with a known truth. `strata` hold the stratum of each row.
    """

    rows: Predictions
    is_verified: NDArray[np.bool_]
    strata: Strata
    level: float = LEVEL

    def phases(self, odds_ratio: float = 1.0) -> Phases:
        """Counts of all rows, verified rows and verified positives of each stratum."""
        k = len(self.strata.names)
        masks = (np.ones(len(self.rows), dtype=bool), self.is_verified, self.is_verified & (self.rows.truth == 1))
        n, m, s = (np.bincount(self.strata.codes[mask], minlength=k).astype(np.float64) for mask in masks)
        return Phases(n, m, s, odds_ratio)

    @property
    def weights(self) -> Floats:
        """Weight of each row: rows over verified rows of its stratum, and 0 for a row that was not verified.

        >>> found = verified([1, 1, 0, 1, 0, 0, None, None], predicted=[1, 1, 1, 0, 0, 0, 0, 0])
        >>> found.weights.round(3).tolist()
        [1.0, 1.0, 1.0, 1.667, 1.667, 1.667, 0.0, 0.0]
        """
        counts = self.phases()
        per_row = np.divide(counts.rows, counts.verified, out=np.zeros(len(counts.rows)), where=counts.verified > 0)
        return np.asarray(np.where(self.is_verified, per_row[self.strata.codes], 0.0))

    def estimate(self, measure: str, *, odds_ratio: float = 1.0) -> Estimate:
        """Estimate of a measure over all rows.

        `odds_ratio` changes the assumption: within a stratum, the odds of a positive among the rows that were not
        verified are this many times the odds among the verified rows. At 1 verified rows are like the others.

        Raises:
            UnknownMeasureError: there is no such measure.
            OptionError: the odds ratio is not a positive number.

        >>> found = verified([1, 1, 0, 1, 0, 0, None, None], predicted=[1, 1, 1, 0, 0, 0, 0, 0])
        >>> found.estimate("sensitivity")
        Estimate(true_positive_rate = 0.5455 [0.04742, 0.9666], 95% Begg–Greenes, logit scale)
        """
        asked = parse_measure(measure)
        if isinstance(odds_ratio, bool) or not isinstance(odds_ratio, int | float) or not 0 < odds_ratio < math.inf:
            raise OptionError(keyword("odds_ratio", repr(odds_ratio)) + " is not a positive number.")
        counts = self.phases(float(odds_ratio))
        if (reason := self._obstacle(asked, counts)) is not None:
            return Estimate(name=asked.entry.name, value=math.nan, reason=reason)
        found = (self._of_scores if asked.entry.needs == "table" else self._of_decisions)(asked, counts)
        return replace(found, warnings=self.warnings)

    @cached_property
    def warnings(self) -> tuple[DesignWarning, ...]:
        """Warning where verified rows differ in score from the others of their stratum."""
        if not self.rows.scores:
            return ()
        return verified_by_score(*drift(self.rows.scores[self.rows.models[0]], self.strata.codes, self.is_verified))

    def complete_case(self, measure: str) -> float:
        """Value on the verified rows alone: biased where verification depends on the prediction.

        >>> found = verified([1, 1, 0, 1, 0, 0, None, None], predicted=[1, 1, 1, 0, 0, 0, 0, 0])
        >>> round(found.complete_case("sensitivity"), 4)
        0.6667
        """
        asked, counts = parse_measure(measure), self.phases()
        if asked.entry.needs == "table":
            return float(asked.entry(self._side(None).table, **asked.parameters))
        known = np.stack([counts.positives, counts.verified - counts.positives])
        return math.nan if self.strata.decided is None else float(value_of_cells(asked, self._cells(known))[0])

    def bounds(self, measure: str, other: Verified | None = None) -> Bounds:
        """Lowest and highest value over all possible truths of the rows that were not verified.

        With another model on the same rows, they are of the difference, this model minus the other.

        For measures of decisions, the AUC, and means over rows such as the Brier score. They assume nothing.

        Raises:
            OptionError: bounds of this measure are not known.

        >>> found = verified([1, 1, 0, 1, 0, 0, None, None], predicted=[1, 1, 1, 0, 0, 0, 0, 0])
        >>> found.bounds("sensitivity")
        Bounds(low=0.4, high=0.6666666666666666)
        """
        asked, models = parse_measure(measure), [self] if other is None else [self, other]
        if asked.at:
            raise OptionError(f"bounds of {measure} are not known; take a measure at a threshold.")
        if asked.entry.needs == "table":
            sides = [ComparedSample(rows=each.rows, model=each.rows.models[0]) for each in models]
            return bounds_of_scores(asked, sides, self.is_verified)
        decided = [each.strata.decided[each.strata.codes] for each in models if each.strata.decided is not None]
        if len(decided) < len(models):
            raise OptionError(f"bounds of {measure}: {NO_THRESHOLD}.")
        return bounds_of_decisions(asked, self.rows.truth == 1, self.is_verified, decided)

    def summary(self, *measures: str, odds_ratio: float = 1.0) -> dict[str, Estimate]:
        """Estimates of the usual measures by name, or of those named."""
        usual = list(DECISIONS) if self.strata.decided is not None else []
        if self.rows.scores:
            usual += [*RANKING[:2], *(PROBABILITIES[:1] if are_probabilities(*self.rows.scores.values()) else ())]
        found = [self.estimate(name, odds_ratio=odds_ratio) for name in measures or usual]
        return {each.name: each for each in found}

    def sensitivity_analysis(
        self, *measures: str, odds_ratios: Sequence[float] = ODDS_RATIOS
    ) -> dict[float, dict[str, Estimate]]:
        """Estimates by odds ratio: how they change if verification also depends on the truth.

        >>> found = verified([1, 1, 0, 1, 0, 0, None, None], predicted=[1, 1, 1, 0, 0, 0, 0, 0])
        >>> table = found.sensitivity_analysis("sensitivity", odds_ratios=(0.5, 1, 2))
        >>> {ratio: round(each["true_positive_rate"].value, 3) for ratio, each in table.items()}
        {0.5: 0.588, 1: 0.545, 2: 0.5}
        """
        return {ratio: self.summary(*measures, odds_ratio=ratio) for ratio in odds_ratios}

    def columns(self) -> dict[str, Any]:
        """Columns of the summary: the measure, its estimate, and the value on the verified rows alone."""
        found = self.summary()
        own = {"measure": list(found), "complete_case": [self.complete_case(name) for name in found]}
        return own | estimate_columns(found.values())

    to_frame = frame_columns

    def __repr__(self) -> str:
        known = int(self.is_verified.sum())
        return f"Verified({known:,} of {len(self.rows):,} rows verified, {len(self.strata.names)} strata)"

    def _obstacle(self, asked: MeasureSpec, counts: Phases) -> Note | None:
        """Return why a measure is undefined; None where it is defined."""
        if asked.at is not None or asked.part is not None or asked.entry.needs not in ("cells", "matrix", "table"):
            return Note("no-formula", "it is not available for partly verified rows")
        if asked.entry.needs == "table" and not self.rows.scores:
            return Note("other-task", "it needs scores")
        if asked.entry.needs != "table" and self.strata.decided is None:
            return NO_THRESHOLD
        empty = [name for name, m in zip(self.strata.names, counts.verified, strict=True) if not m]
        text = f"no row with {empty[0]} was verified; .bounds() needs none" if empty else ""
        return Note("no-rows", text) if text else None

    def _cells(self, totals: Floats) -> Floats:
        """Confusion matrix (1, 2, 2) from positives and negatives by stratum."""
        sides = (self.strata.decided, ~np.asarray(self.strata.decided))
        return np.array([[[row[side].sum() for side in sides] for row in totals]])

    def _of_decisions(self, asked: MeasureSpec, counts: Phases) -> Estimate:
        """Estimate of a measure of the confusion matrix.

        A predicted class without a verified positive or negative gets half a row of each for the interval.
        """
        formula, decided = partial(value_of_cells, asked), np.asarray(self.strata.decided)
        value = float(formula(self._cells(counts.totals))[0])
        added = np.zeros(decided.shape)
        for side in (decided, ~decided):
            known = counts.positives[side].sum(), (counts.verified - counts.positives)[side].sum()
            if side.any() and not min(known):
                added[side] = counts.rows[side] / counts.rows[side].sum()
        smooth = replace(counts, verified=counts.verified + added, positives=counts.positives + added / 2)
        center, slopes = numeric(formula)(self._cells(smooth.totals))
        means = np.where(decided, slopes[0, :, :1], slopes[0, :, 1:])
        spread = smooth.variance(means, np.zeros(means.shape))
        method = "Begg–Greenes" + (", ½ added" if added.any() else "")
        return self._limited(asked, value, float(center[0]), spread, method)

    def _of_scores(self, asked: MeasureSpec, counts: Phases) -> Estimate:
        """Estimate of a measure of scores, with verified rows weighted."""
        side = self._side(counts)
        value, added = float(asked.entry(side.table, **asked.parameters)), row_derivatives(side, asked)
        if added is None or math.isnan(value):
            reason = NO_FORMULA if added is None else None
            return Estimate(name=asked.entry.name, value=value, reason=reason, n=float(counts.verified.sum()))
        stratum = self.strata.codes[self.is_verified]
        spread = counts.variance_of_rows(added, stratum, side.rows.truth == 1)
        return self._limited(asked, value, value, spread, "weights by stratum")

    def _side(self, counts: Phases | None) -> ComparedSample:
        """Verified rows, with weights by stratum and truth where counts are given."""
        rows = self.rows.take(self.is_verified)
        if counts is not None:
            weights = counts.weights[1 - rows.truth.astype(np.intp), self.strata.codes[self.is_verified]]
            rows = replace(rows, weights=weights, weight_kind="importance")
        return ComparedSample(rows=rows, model=self.rows.models[0])

    def _limited(
        self, asked: MeasureSpec, value: float, center: float, spread: tuple[float, float], method: str
    ) -> Estimate:
        """Estimate with limits from its variance and degrees of freedom."""
        name, bounds, n = asked.entry.name, asked.entry.bounds, float(self.is_verified.sum())
        error = math.sqrt(spread[0])
        if not (math.isfinite(center) and math.isfinite(error)) or error * math.sqrt(n) < NO_WIDTH:
            alike = Note("no-spread", "no interval, as all verified rows of each stratum are alike")
            why = None if math.isnan(value) else alike
            return Estimate(name=name, value=value, reason=why, n=n)
        found, df = Estimate(name=name, value=value, n=n), max(spread[1], 1.0)
        return limited(found, error, bounds, level=self.level, method=method, df=df, center=center)


def verified(
    data: Any,
    scores: Any = None,
    *,
    label: str | None = None,
    predicted: Any = None,
    verified: Any = None,
    strata: Any = None,
    threshold: float | None = None,
    positive: Hashable | None = None,
    direction: Direction = "higher",
    bins: int = BINS,
    level: float = LEVEL,
) -> Verified:
    """Correct the measures of one model for rows without a verified truth.

    Rows without a label, or with a false `verified`, were not verified. Strata are the predicted classes, bins of the
    score with at least ten verified rows, and columns named by `strata`. Within a stratum, verified rows are taken to
    be a random sample ("missing at random"); `.sensitivity_analysis()` and `.bounds()` relax it.

    Args:
        data, scores, label, predicted, positive, direction: as `thresher.evaluate` takes them, of one model.
        verified: column of 0 and 1 (or true and false): whether the truth was checked. By default, where it is known.
        strata: columns on which verification may also depend: a name, names, or a dictionary of arrays.
        threshold: cut of the scores; 0.5 if all are in [0, 1].
        bins: most bins of the score; 1 for strata without them.
        level: confidence level of the intervals.

    Raises:
        InputError: the data cannot be read, more than one model or two classes, or no row is verified.
        OptionError: an option has a value that it does not take.

    >>> truth = [1] * 231 + [0] * 32 + [None] * 166 + [1] * 27 + [0] * 54 + [None] * 140
    >>> scan = [1] * 429 + [0] * 221
    >>> found = verified(truth, predicted=scan)
    >>> found, round(found.complete_case("sensitivity"), 3)
    (Verified(344 of 650 rows verified, 2 strata), 0.895)
    >>> found.estimate("sensitivity")
    Estimate(true_positive_rate = 0.8365 [0.7819, 0.8795], 95% Begg–Greenes, logit scale)

    Begg & Greenes 1983, on scans of the liver of Drum & Christacopoulos 1972; Alonzo & Pepe 2005.
    """
    level = confidence_level(level)
    named = _columns(strata, "strata") | _columns(verified, "verified")
    by: Any = list(named) if all(isinstance(value, str) for value in named.values()) else named
    rows = readers.load(
        data, scores, label=label, predicted=predicted, positive=positive, direction=direction, by=by or None,
        missing="weight",
    )  # fmt: skip
    if len(rows.models) != 1 or len(rows.classes) != 2:
        raise InputError(f"verified() takes one model of two classes, not {len(rows.models)} models of "
                         f"{len(rows.classes)} classes.")  # fmt: skip
    assert isinstance(rows.partial_labels, LabelMask)
    known = rows.partial_labels.is_labelled
    others = {name: np.array(column.values, dtype=object)[column.codes] for name, column in rows.by.items()}
    if verified is not None:
        flag = verified if isinstance(verified, str) else "verified"
        known = known & truth_values(others.pop(flag), flag)
    if not known.any():
        raise InputError("no row is verified.")
    score = next(iter(rows.scores.values()), None)
    groups = strata_of(
        {name: np.array([str(value) for value in values]) for name, values in others.items()},
        _decided(rows, rows.models[0], threshold), score, known, bins=bins,
    )  # fmt: skip
    return Verified(rows=rows, is_verified=known, strata=groups, level=level)


def verified_model(rows: Predictions, known: NDArray[np.bool_], model: str, threshold: float | None) -> Verified:
    """One model of several on partly verified rows, in strata of its predicted class."""
    scores, predicted = ({n: c for n, c in each.items() if n == model} for each in (rows.scores, rows.predicted))
    rows = replace(rows, scores=scores, predicted=predicted)
    strata = strata_of({}, _decided(rows, model, threshold), None, known, bins=1)
    return Verified(rows=rows, is_verified=known, strata=strata)


def _columns(given: Any, name: str) -> dict[str, Any]:
    """Columns by name: of a dictionary, an array under a name, or names of columns."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {str(key): value for key, value in given.items()}
    if isinstance(given, str):
        return {given: given}
    if isinstance(given, list | tuple) and all(isinstance(each, str) for each in given):
        return {each: each for each in given}
    return {name: given}


def _decided(rows: Predictions, model: str, threshold: float | None) -> NDArray[np.bool_] | None:
    """Whether each row is predicted positive; None without a threshold."""
    if model in rows.predicted:
        return np.asarray(rows.predicted[model] == 1)
    score, direction = rows.scores[model], rows.direction_of(model)
    if threshold is None and not are_probabilities(score):
        return None
    cut = in_precision(score, DEFAULT_THRESHOLD if threshold is None else float(threshold), direction)
    return is_positive(score, cut, direction)


def weighted(rows: Predictions, threshold: float | Mapping[str, float] | None = None) -> Predictions:
    """Return the labelled rows, weighted to represent all rows of their stratum.

    Strata are the predicted classes of every model, and bins of the mean rank of their scores.
    """
    if not isinstance(rows.partial_labels, LabelMask):
        return rows
    known = rows.partial_labels.is_labelled
    if known.all():
        return replace(rows, partial_labels=None)
    columns: dict[str, NDArray[Any]] = {name: rows.decided(name) for name in rows.models if name not in rows.scores}
    cuts = threshold if isinstance(threshold, Mapping) else dict.fromkeys(rows.scores, threshold)
    for name in rows.scores:
        if (decided := _decided(rows, name, cuts.get(name))) is not None:
            columns[name] = np.where(decided, "positive", "negative")
    ranks = [np.searchsorted(np.sort(each), each) * (1.0 if rows.direction_of(name) == "higher" else -1.0)
             for name, each in rows.scores.items()]  # fmt: skip
    strata = strata_of(columns, None, np.mean(ranks, axis=0) if ranks else None, known, bins=BINS)
    n, m = (np.bincount(strata.codes[each], minlength=len(strata.names)) for each in (strata.codes >= 0, known))
    if not m.all():
        raise InputError(f"no row with {strata.names[int(np.argmin(m))]} has a label, so no weight can represent them.")
    text = (
        f"{(~known).sum():,} of {len(rows):,} rows lack a verified label: the labelled rows are weighted to represent "
        f"them, in strata of predicted class and score of {listed(rows.models)}."
    )
    said = Note("weighted-rows", text, parameter="missing")
    codes = strata.codes[known]
    phase = SecondPhase(codes, n.astype(np.float64), m.astype(np.float64))
    kept = replace(rows.take(known), weights=(n / m)[codes], weight_kind="importance")
    return replace(kept, partial_labels=phase, notes=(*rows.notes, said))
