"""Rules that look at nothing, so that 97 % accuracy at 3 % prevalence cannot mislead."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.json_values import with_codes
from thresher.counts import ConfusionMatrix, ThresholdTable
from thresher.design_warnings import DEPENDENT
from thresher.errors import InputError, Note, OptionError, Reasoned
from thresher.measures.binomial import at_least
from thresher.measures.registry import measures
from thresher.results import Estimate, Shown
from thresher.upward_import import as_text

NO_DECISIONS = Note("no-threshold", "no threshold was chosen, so there is no accuracy to test")
IMPORTANCE = Note("no-test", "importance weights are not counts of rows, so there is no exact test")
CLUSTERS = Note("no-test", f"{DEPENDENT}, so there is no exact test")
FRACTIONS = Note("no-test", "the weights are not whole numbers, so they do not count rows")
PRIOR = Note("no-test", "a prevalence was set, so the accuracy is not a share of rows that were counted")
EMPTY = Note("no-rows", "there are no rows")
JUDGED = Note("no-test", "the accuracy and the rate use the judge's labels too, so there is no exact test")


@dataclass(frozen=True, kw_only=True)
class Baselines(Shown, Reasoned):
    """Values of trivial baselines on the same rows.

    `random` is the rule that predicts positive with the probability `chance` in any row, (p, p) in ROC space.
    `always_negative`, `always_positive` and `random` hold every measure without parameters by name, NaN where
    undefined; `random` has the measures of its expected counts. They are None with more than two classes. The
    no-information rate is the accuracy of always predicting the most frequent class, max(π, 1 − π) for two. `p_value`
    comes from the one-sided exact binomial test of the accuracy against it: the chance of being right at least as often
    if the rate were the truth; None without such a test, and `reason` says why.
    """

    no_information_rate: float
    most_frequent: Hashable
    accuracy: float | None = None
    p_value: float | None = None
    reason: Note | None = None
    always_negative: Mapping[str, float] | None = None
    always_positive: Mapping[str, float] | None = None
    random: Mapping[str, float] | None = None
    chance: float | None = None

    @property
    def points(self) -> dict[str, tuple[float, float]]:
        """Points of the three rules in ROC space, (FPR, TPR)."""
        rules = {"always negative": 0.0, "always positive": 1.0, "random": self.chance}
        return {name: (p, p) for name, p in rules.items() if p is not None and self.random is not None}

    __str__ = as_text

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON types; undefined and infinite values are None."""

        def plain(value: Any) -> Any:
            if isinstance(value, Mapping):
                return {name: plain(number) for name, number in value.items()}
            return None if isinstance(value, float) and not math.isfinite(value) else value

        fields = {name: plain(value) for name, value in self.__dict__.items()}
        return with_codes(fields | {"most_frequent": str(self.most_frequent)})


def baselines(counts: ConfusionMatrix | ThresholdTable, *, chance: float | None = None) -> Baselines:
    """Compute the baselines of counted rows; a threshold table lacks decisions, so its accuracy is not tested.

    `chance` is the probability with which the random rule says positive; by default the prevalence of the rows.

    F1 of always predicting positive is 2π/(1 + π) = 2P/(P + n), of always predicting negative 0.

    Raises:
        InputError: the counts have batch axes.
        OptionError: `chance` is not a probability.

    >>> found = baselines(ConfusionMatrix.from_counts([[90, 210], [140, 9560]], labels=[1, 0]))
    >>> found.no_information_rate, found.accuracy, round(found.p_value, 4)
    (0.97, 0.965, 0.9981)
    >>> found.always_negative["f1"], round(found.always_positive["f1"], 4)
    (0.0, 0.0583)
    """
    matrix = counts if isinstance(counts, ConfusionMatrix) else counts.row(0)
    if matrix.counts.ndim > 2:
        raise InputError(f"baselines take one matrix, not a batch of shape {matrix.counts.shape[:-2]}.")
    if chance is not None and not (0 <= chance <= 1 or math.isnan(chance)):
        raise OptionError(f"chance={chance!r}: a probability is between 0 and 1.")
    found = _with_rules([matrix], [_share_of_rows(matrix)], chance)[0]
    return _tested(found, matrix) if isinstance(counts, ConfusionMatrix) else replace(found, reason=NO_DECISIONS)


def baselines_at(matrix: ConfusionMatrix, shares: Sequence[float], accuracy: float) -> Baselines:
    """Compute the baselines where each class of a matrix has an estimated share, beside an estimated accuracy.

    >>> found = baselines_at(ConfusionMatrix.from_counts([[8, 2], [1, 9]], labels=[1, 0]), [0.2, 0.8], 0.9)
    >>> round(found.no_information_rate, 9), found.most_frequent, found.accuracy
    (0.8, 0, 0.9)
    """
    rules = replace(matrix, counts=np.diag(shares) * matrix.counts.sum(), squares=None, clusters=None)
    return replace(_with_rules([rules], [_share_of_rows(rules)], None)[0], accuracy=accuracy, reason=JUDGED)


def baselines_of_each(matrices: Sequence[ConfusionMatrix]) -> list[Baselines]:
    """Compute the baselines of many matrices of the same labels, such as groups, together."""
    found = _with_rules(matrices, [_share_of_rows(matrix) for matrix in matrices], None)
    return [_tested(each, matrix) for each, matrix in zip(found, matrices, strict=True)]


def _share_of_rows(matrix: ConfusionMatrix) -> tuple[Baselines, float]:
    """Return the no-information rate and the share of rows in the first class."""
    rows = matrix.scaled.sum(axis=-1)
    total = float(rows.sum())
    most = int(np.argmax(matrix.row_totals if np.isnan(total) else rows))
    rate, share = (float(rows[k]) / total if total else math.nan for k in (most, 0))
    return Baselines(no_information_rate=rate, most_frequent=matrix.labels[most]), share


def _tested(found: Baselines, matrix: ConfusionMatrix) -> Baselines:
    """Return the baselines with the accuracy and its test, or the reason why there is none."""
    accuracy, reason = float(matrix.accuracy), _no_test(matrix)
    if reason is not None:
        return replace(found, accuracy=accuracy, reason=reason)
    right, total = int(matrix.counts.trace()), int(float(matrix.scaled.sum(axis=-1).sum()))
    return replace(found, accuracy=accuracy, p_value=at_least(right, total, found.no_information_rate))


def _with_rules(
    matrices: Sequence[ConfusionMatrix], known: Sequence[tuple[Baselines, float]], chance: float | None
) -> list[Baselines]:
    """Add the measures of the three trivial rules, on their expected counts, for matrices of two classes."""
    if not matrices or len(matrices[0].labels) != 2:
        return [found for found, _ in known]
    chances = [share if chance is None else chance for _, share in known]
    totals = np.stack([matrix.row_totals for matrix in matrices])[:, None]
    p = np.array([(0.0, 1.0, 0.0 if math.isnan(each) else each) for each in chances])[..., None]
    counts = np.stack([totals * p, totals * (1 - p)], axis=-1)
    rules = replace(matrices[0], counts=counts, squares=None, clusters=None)
    names, values = zip(
        *((m.name, np.broadcast_to(m(rules), p.shape[:2])) for m in measures("cells", "matrix") if m.shown_by_default),
        strict=True,
    )
    of_each = np.stack(values, axis=-1).tolist()
    return [
        replace(
            found,
            always_negative=dict(zip(names, negative, strict=True)),
            always_positive=dict(zip(names, positive, strict=True)),
            random=None if math.isnan(each) else dict(zip(names, random, strict=True)),
            chance=None if math.isnan(each) else each,
        )
        for (found, _), each, (negative, positive, random) in zip(known, chances, of_each, strict=True)
    ]


def _no_test(matrix: ConfusionMatrix) -> Note | None:
    """Return why an exact binomial test is impossible; None when it is possible."""
    whole = np.array_equal(matrix.counts, np.rint(matrix.counts))
    checks = {
        EMPTY: not matrix.counts.any(),
        CLUSTERS: matrix.clusters is not None,
        PRIOR: matrix.prior is not None,
        IMPORTANCE: matrix.weight_kind == "importance",
        FRACTIONS: not whole,
    }
    return next((reason for reason, holds in checks.items() if holds), None)


Standing = Literal["above", "not significantly above", "not above", "below"]
"""An accuracy compared with the no-information rate; "below" with its whole interval."""


def standing(found: Baselines, accuracy: Estimate | None, level: float) -> Standing | None:
    """Compare an accuracy with the no-information rate, by the exact test or else by its interval; None without one."""
    if found.accuracy is None or math.isnan(found.accuracy):
        return None
    by_interval = standing_by_interval(found.accuracy, accuracy, found.no_information_rate)
    if found.p_value is None or found.accuracy <= found.no_information_rate:
        return by_interval
    return "not significantly above" if found.p_value > 1 - level else "above"


def standing_by_interval(value: float, accuracy: Estimate | None, rate: float) -> Standing:
    """Compare an accuracy with the no-information rate by its interval, where it has one."""
    low, high = (None, None) if accuracy is None else (accuracy.low, accuracy.high)
    if value <= rate:
        return "below" if high is not None and high < rate else "not above"
    return "not significantly above" if low is not None and low <= rate else "above"
