"""Tests of two models of several classes by the rows' contributions: averages of AUCs, and volumes."""

from __future__ import annotations

import math
from typing import Any, Unpack

from numpy.typing import ArrayLike

from thresher.conventions import LEVEL, WeightKind, option
from thresher.errors import Note
from thresher.inference.differences import difference
from thresher.inference.differences.difference import Alternative, Difference
from thresher.inference.limits import satterthwaite
from thresher.inference.multiclass.auc import AVERAGES, NO_WIDTH, RowSizes, auc_average
from thresher.multiclass.posteriors import Posteriors, RowOptions
from thresher.multiclass.surface import Volume
from thresher.results import TestResult

METHOD = "z test of structural components"
BY_CLASS = "t test of structural components, Satterthwaite's degrees of freedom"
SOURCE = "Hoeffding 1948; DeLong et al. 1988; Hand & Till 2001"
OF_VOLUMES = "Hoeffding 1948; Nakas & Yiannoutsos 2004"
CONSTANT = "all rows contribute the same to the difference, so it cannot be tested"
ASSUMPTIONS = "independent rows, many of each class"


def multiclass_auc_test(
    y_true: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    measure: str = "hand_till",
    alternative: Alternative = "two-sided",
    level: float = LEVEL,
    **rows: Unpack[RowOptions],
) -> TestResult:
    """Test that two models of the same rows have the same average AUC over several classes: t = (M(a) − M(b))/SE.

    SE² = Σ_c Var_c(ψ_a − ψ_b)/n_c with the rows' contributions ψ (`multiclass_auc_estimates`), so shared parts cancel;
    with two classes and mirrored columns t is DeLong's z. `y_true` (n,) are labels, `a` and `b` (n, K) probabilities,
    or any scores with `scores=True`. `measure` is "hand_till" (M), "hand_till_weighted", "macro_auc", "weighted_auc" or
    "micro_auc", all in [0, 1] and better when higher. t is Student's, with Satterthwaite's degrees of freedom of the
    classes' variances, and normal for the micro average. The interval is d ± t·SE inside [−1, 1]. A model against
    itself, or against columns that rank the rows alike, has difference 0 and p = 1, exactly. If SE is 0 otherwise, the
    interval combines each one's own (MOVER), and a difference other than 0 lacks a p value. Importance weights enter
    squared.

    NaN, with a reason, without rows of a class; the p value is NaN with a single row of a class.

    Raises:
        InputError: the rows are not in order (`Posteriors.of`).
        OptionError: an option has another value.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 2], 30)
    >>> a, b = (np.eye(3)[y] * strength + rng.normal(size=(90, 3)) for strength in (1.5, 1))
    >>> found = multiclass_auc_test(y, a, b, scores=True)
    >>> round(found.estimate, 4), round(found.low, 4), round(found.high, 4), round(found.p_value, 4)
    (0.0613, -0.0193, 0.1419, 0.1344)

    Sources: Hoeffding 1948; Satterthwaite 1946; DeLong, DeLong & Clarke-Pearson 1988; Hand & Till 2001.
    """
    one, two = Posteriors.of(y_true, a, **rows), Posteriors.of(y_true, b, **rows)
    return auc_average_difference(one, two, measure).test(alternative=alternative, level=level)


def multiclass_auc_test_unpaired(
    y_a: ArrayLike,
    a: ArrayLike,
    y_b: ArrayLike,
    b: ArrayLike,
    *,
    measure: str = "hand_till",
    alternative: Alternative = "two-sided",
    level: float = LEVEL,
    weights: tuple[ArrayLike, ArrayLike] | None = None,
    weight_kind: WeightKind = "importance",
    **rows: Any,
) -> TestResult:
    """Test of the same average AUC over several classes on different rows: t = (M(a) − M(b))/√(V(a) + V(b)).

    V is the variance of each (`multiclass_auc_estimates`); `measure`, `labels` and `scores` are as in
    `multiclass_auc_test`, weights come as a pair. If both variances are 0, the interval combines each one's own
    (MOVER).

    Raises:
        InputError: the rows are not in order (`Posteriors.of`).
        OptionError: an option has another value.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 2], 30)
    >>> a, b = (np.eye(3)[y] * strength + rng.normal(size=(90, 3)) for strength in (1.5, 1))
    >>> round(multiclass_auc_test_unpaired(y, a, y, b, scores=True).p_value, 4)
    0.1371

    Sources: Hoeffding 1948; DeLong, DeLong & Clarke-Pearson 1988; Hand & Till 2001.
    """
    first, second = weights if weights is not None else (None, None)
    one = Posteriors.of(y_a, a, weights=first, weight_kind=weight_kind, **rows)
    two = Posteriors.of(y_b, b, weights=second, weight_kind=weight_kind, **rows)
    found = auc_average_difference(one, two, measure, is_paired=False)
    return found.test(alternative=alternative, level=level)


def auc_average_difference(a: Posteriors, b: Posteriors, measure: str, *, is_paired: bool = True) -> Difference:
    """Difference of an average AUC of two models, on the same rows in the same order or on different ones."""
    option("measure", measure, AVERAGES)
    one, two = auc_average(a, measure), auc_average(b, measure)
    method = (METHOD if one.is_pooled else BY_CLASS) + (", effective size" if one.sizes.is_effective else "")
    if reason := one.reason or two.reason:
        return difference.undefined_difference(method, reason)
    alike = is_paired and one.value == two.value and _ranks_alike(a, b, across=one.is_pooled)
    if not alike and (reason := one.too_few or two.too_few):
        return Difference(value=one.value - two.value, method=method, reason=reason)
    variances = one.rows.apart(two.rows, is_paired=is_paired)
    error, df = math.sqrt(sum(variances)), None
    if not one.is_pooled and error >= NO_WIDTH:
        strata = one.rows.strata if is_paired else (*one.rows.strata, *two.rows.strata)
        df = satterthwaite(variances, (stratum.size - 1 for stratum in strata))
    return difference.difference_of_values(
        (one.value, two.value),
        error,
        lambda level: difference.ends_of(average.estimate(level) for average in (one, two)),
        method=method,
        why=CONSTANT,
        least=NO_WIDTH,
        df=df,
        alike=alike,
        value=one.value - two.value,
        assumptions=ASSUMPTIONS,
        source=SOURCE,
    )


def volume_difference(a: Volume, b: Volume, rows: Posteriors, *, is_paired: bool = True) -> Difference:
    """Difference of two volumes under the ROC surface, by the rows' chances in random tuples.

    The variance is Σ_k Var_k(h_a − h_b)/n_k on the same rows, with h a row's part in the volume, and the sum of both on
    different ones, plus the error of random tuples. `rows` are the rows of `a`.
    """
    if reason := a.reason or b.reason:
        return difference.undefined_difference(METHOD, reason)
    shared = RowSizes.of(rows).contributions(a.parts - b.parts).variance if is_paired else None
    spread = a.variance + b.variance if shared is None else shared
    variance = a.sampling_error**2 + b.sampling_error**2 + spread
    if math.isnan(variance):
        few = Note("too-few-rows", "the variance of a volume needs two rows of each class")
        return difference.undefined_difference(METHOD, few)
    facts: dict[str, Any] = {"value": a.value - b.value, "assumptions": ASSUMPTIONS, "source": OF_VOLUMES}
    facts |= {"method": METHOD, "why": CONSTANT, "least": NO_WIDTH}
    return difference.difference_of_values((a.value, b.value), math.sqrt(variance), **facts)


def _ranks_alike(a: Posteriors, b: Posteriors, *, across: bool) -> bool:
    """Whether two models order the weighted rows alike, column by column or across all columns."""
    counts = slice(None) if a.weights is None else a.weights > 0
    one, two = a.matrix[counts], b.matrix[counts]
    columns = [(one.ravel(), two.ravel())] if across else zip(one.T, two.T, strict=True)
    return all(difference.rank_alike(first, second) for first, second in columns)
