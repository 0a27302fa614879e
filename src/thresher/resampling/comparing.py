"""Comparing assessed models split by split: the same folds, tests that allow for their dependence."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher._util.json_values import fields_to_jsonable
from thresher.conventions import Floats, option
from thresher.design_warnings import DesignWarning, dependent_splits, distinct, few_folds
from thresher.errors import Note, OptionError, choice, keyword
from thresher.inference.comparing.compare import adjusted
from thresher.inference.comparing.comparison import Comparison, Comparisons
from thresher.inference.differences.difference import ALTERNATIVES, Alternative
from thresher.inference.differences.folds import (
    Posterior,
    bayesian_correlated_t_test,
    corrected_resampled_t_test,
    five_by_two_f_test,
    five_by_two_t_test,
    paired_t_test,
)
from thresher.inference.differences.p_values import correction_name
from thresher.measures.measure_text import MeasureSpec, parse_measure
from thresher.resampling.estimates import INFINITE, dependence, overlap
from thresher.resampling.remarks import design_warnings
from thresher.resampling.values import Assessed, by_split, can_rank, why_undefined
from thresher.results import Shown, TestResult

TITLES = {
    "corrected": "corrected resampled t test", "paired": "paired t test", "repeats": "paired t test",
    "5x2t": "5×2cv t test", "5x2f": "5×2cv F test",
}  # fmt: skip
"""Tests of two models over the same splits, and their names in results."""


@dataclass(frozen=True, kw_only=True)
class How:
    """Test of two models over their splits."""

    test: str
    level: float
    alternative: Alternative
    variance: Literal["k-1", "k"]


def compare_models(
    assessment: Assessed,
    models: tuple[str, ...],
    measure: str,
    test: str,
    level: float,
    *,
    alternative: Alternative = "two-sided",
    variance: Literal["k-1", "k"] = "k-1",
    correction: str = "holm",
) -> Comparison | Comparisons:
    """Compare models pair by pair; see `Assessment.compare`."""
    option("test", test, tuple(TITLES))
    option("alternative", alternative, ALTERNATIVES)
    option("variance", variance, ("k-1", "k"))
    correction_name(correction)
    if variance == "k" and test not in ("paired", "repeats"):
        plain = choice("variance", "k") + " is a form of the plain t test: "
        raise OptionError(plain + choice("test", "paired") + f" or 'repeats', not {test!r}.")
    how = How(test=test, level=level, alternative=alternative, variance=variance)
    named = checked_models(assessment, models)
    asked = parse_measure(measure)
    values = {name: _values(assessment, name, asked) for name in named}
    found = [_comparison(assessment, asked, (a, b), (values[a], values[b]), how) for a, b in combinations(named, 2)]
    return found[0] if len(found) == 1 else adjusted(found, assessment.rows.backend, correction=correction)


def posterior_of(assessment: Assessed, first: str, second: str, measure: str, rope: float) -> Posterior:
    """Posterior of the difference of two models; `better` speaks for the first."""
    checked_models(assessment, (first, second))
    asked = parse_measure(measure)
    found = _values(assessment, first, asked) * asked.sign, _values(assessment, second, asked) * asked.sign
    a, b = _ranked(assessment, asked, first, found)
    both = np.isfinite(a) & np.isfinite(b)
    if both.sum() < 2 or not both.all():
        raise OptionError(f"{asked.title}: {_why(assessment, asked, (first, second), (a, b))}.")
    return bayesian_correlated_t_test(a, b, rope=rope, **_sizes(assessment, first))


def checked_models(assessment: Assessed, models: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the models to compare, all when none is named."""
    named = models or tuple(assessment.judged)
    for name in named:
        if name not in assessment.judged:
            raise KeyError(f"no model {name!r}; the models are {', '.join(map(repr, assessment.judged))}")
    if len(named) < 2:
        raise OptionError(f"a comparison takes two models or more, and there is {len(named)}: {', '.join(named)}.")
    if len(set(named)) < len(named) and len(named) > 2:
        raise OptionError("a model is named twice.")
    if assessment.method.combine == "resubstitution":
        raise OptionError("resubstitution has one value for each model, and no spread to test: use cross-validation.")
    return named


def _values(assessment: Assessed, name: str, asked: MeasureSpec) -> Floats:
    return by_split(assessment.source(name), asked)[assessment.splits.sampled]


def _ranked(
    assessment: Assessed, asked: MeasureSpec, name: str, values: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """Return values in the splits that hold every class; in all splits if none does."""
    ranked = can_rank(assessment.source(name), asked)[assessment.splits.sampled]
    return (values[0][ranked], values[1][ranked]) if ranked.any() else values


def _sizes(assessment: Assessed, name: str) -> dict[str, Any]:
    """Ratio of a corrected test, and its degrees of freedom.

    Nadeau and Bengio's n_test/n_train is too small where rows are judged in several splits by models that vary: there
    the `dependence` replaces it. For repeated folds, with more training rows, it takes half of the
    models' variance, and each repeat, up to five, gives its number of folds less 1 as degrees of freedom
    (docs/comparing.md).
    """
    splits = assessment.splits
    ratio = overlap(assessment.source(name), splits.sampled)
    if _is_random(assessment):
        return {"test_size": dependence(ratio, is_shared=True), "train_size": 1.0}
    if not _is_repeated(assessment):
        return {"test_size": ratio, "train_size": 1.0}
    repeats = np.unique(splits.repeat[splits.sampled]).size
    df = (len(splits.sampled) - repeats) * min(1.0, NEW_REPEATS / repeats)
    return {"test_size": dependence(ratio, is_shared=True, models=OF_FOLDS), "train_size": 1.0, "df": df or None}


OF_FOLDS = 0.5
"""Variance of models, relative to the rows' variance, in tests of repeated folds."""

NEW_REPEATS = 5
"""Repeats that inform the spread; more repeats of the same rows add nothing."""


def _is_repeated(assessment: Assessed) -> bool:
    return bool(assessment.splits.folds > 1 and assessment.splits.repeats > 1 and assessment.splits.is_shared)


def _is_random(assessment: Assessed) -> bool:
    """Return whether the splits are repeated holdouts; bootstrap samples are not."""
    splits = assessment.splits
    return splits.folds == 1 and splits.is_shared and bool((splits.train == splits.distinct).all())


def _comparison(
    assessment: Assessed, asked: MeasureSpec, models: tuple[str, str], values: tuple[Floats, Floats], how: How
) -> Comparison:
    if how.test in ("corrected", "paired"):
        values = _ranked(assessment, asked, models[0], values)
    a, b = values
    missing = ~(np.isfinite(a) & np.isfinite(b))
    means = float(a.mean()), float(b.mean())
    options = {
        "measure": asked.text, "title": asked.title, "models": models, "values": means, "level": how.level,
        "alternative": how.alternative, "n": (len(assessment.rows),) * 2, "lower_is_better": asked.sign < 0,
    }  # fmt: skip
    if missing.any() or len(a) < 2:
        alone = Note("no-spread", "a single split shows no spread to test")
        why = _why(assessment, asked, models, values) if missing.any() else alone
        found = TestResult(method=TITLES[how.test], statistic=math.nan, p_value=math.nan, reason=why)
        difference = math.nan if missing.any() else means[0] - means[1]
    else:
        found = _tested(assessment, models[0], values, how)
        difference = means[0] - means[1] if found.estimate is None else found.estimate
    return Comparison(
        difference=difference,
        method=f"{found.method} over {_over(assessment, how.test, len(a), models[0])}",
        warnings=_warnings(assessment, how.test, len(a)),
        **{name: getattr(found, name) for name in OF_TESTS},
        **options,  # type: ignore[arg-type]
    )


OF_TESTS = ("low", "high", "p_value", "statistic", "df", "standard_error", "critical_value", "assumptions", "source",
            "reason")  # fmt: skip
"""Fields that a comparison has from its test."""


def _warnings(assessment: Assessed, test: str, count: int) -> tuple[DesignWarning, ...]:
    rows, splits = assessment.rows, assessment.splits
    found = design_warnings(rows, assessment.method, len(splits.sampled))
    found += few_folds(count) if test in ("corrected", "paired") else ()
    if test in ("5x2t", "5x2f") or (test in ("paired", "repeats") and splits.is_shared):
        instead = choice("test", "corrected") + " allows for it"
        found += dependent_splits(f"{count:,} splits judge the same rows", instead=instead)
    return distinct(found)


def _tested(assessment: Assessed, name: str, values: tuple[Floats, Floats], how: How) -> TestResult:
    (a, b), test, level = values, how.test, how.level
    options: dict[str, Any] = {"level": level, "alternative": how.alternative}
    if test == "corrected":
        return corrected_resampled_t_test(a, b, **options, **_sizes(assessment, name))
    if test == "paired":
        return paired_t_test(a, b, variance=how.variance, **options)
    if test == "repeats":
        x, y = (_of_repeats(assessment, part) for part in values)
        return paired_t_test(x, y, variance=how.variance, **options)
    if how.alternative != "two-sided":
        raise OptionError(keyword("test", repr(test)) + " is two-sided only.")
    function: Callable[..., TestResult] = five_by_two_t_test if test == "5x2t" else five_by_two_f_test
    return function(*(_five_by_two(assessment, part) for part in values), level=level)


def _of_repeats(assessment: Assessed, values: Floats) -> Floats:
    splits, what = assessment.splits, " takes the means of two repeats or more, as of KFold(10, repeats=10)."
    if splits.repeats < 2 or splits.folds < 2:
        raise OptionError(choice("test", "repeats") + what)
    repeat = splits.repeat[splits.sampled]
    return np.bincount(repeat, values) / np.bincount(repeat)


def _five_by_two(assessment: Assessed, values: Floats) -> Floats:
    splits = assessment.splits
    if splits.repeats != 5 or splits.folds != 2 or len(values) != 10:
        raise OptionError("the 5×2 tests take two folds repeated five times: method=KFold(2, repeats=5).")
    return values.reshape(5, 2)


def _over(assessment: Assessed, test: str, count: int, name: str) -> str:
    if test == "repeats":
        return f"the means of {assessment.splits.repeats} repeats"
    over = f"{count} {'folds' if assessment.splits.folds > 1 else 'splits'}"
    if test == "corrected" and (_is_random(assessment) or _is_repeated(assessment)):
        ratio = _sizes(assessment, name)["test_size"]
        over += f" (correlation {ratio / (1 + ratio):.2g})"
    other = CORRECTED.get(assessment.method.combine)
    return over if other is None else f"{over}, of the left-out rows alone, not the {other}"


def _why(assessment: Assessed, asked: MeasureSpec, models: tuple[str, str], values: tuple[Floats, Floats]) -> Note:
    sampled = assessment.splits.sampled
    if len(values[0]) < len(sampled):
        sampled = sampled[can_rank(assessment.source(models[0]), asked)[sampled]]
    for name, part in zip(models, values, strict=True):
        gaps = sampled[np.isnan(part)]
        if len(gaps):
            why = why_undefined(assessment.source(name), asked, int(gaps[0]))
            where = assessment.splits.name(int(gaps[0]))
            return f"{name} is undefined in {len(gaps)} of {len(part)} splits, first in {where}: " + why
        if np.isinf(part).any():
            return f"{name}: " + INFINITE
    return Note("no-spread", "there are too few splits")


CORRECTED = {"632": ".632 estimates", "632+": ".632+ estimates", "optimism": "optimism-corrected values"}
"""Ways to combine splits without a value per split, so that a test, with a note, is of another value."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SplitDifferences(Shown):
    """Values of a measure of two models in each split, on the same rows, and the conclusion.

    `first` and `second` have a value for each split, NaN where it is undefined; `repeat` counts from 0. `comparison` is
    the test of the mean difference.
    """

    comparison: Comparison
    repeat: NDArray[np.int64]
    first: Floats
    second: Floats
    backend: str | None = None

    @property
    def differences(self) -> Floats:
        """First minus second in each split."""
        return self.first - self.second

    def columns(self) -> dict[str, Any]:
        """One row for each split."""
        a, b = self.comparison.models
        columns = {"split": np.arange(1, len(self.first) + 1), "repeat": self.repeat + 1, a: self.first, b: self.second}
        return columns | {"difference": self.differences}

    def to_dict(self) -> dict[str, Any]:
        """Fields as JSON types; undefined is None."""
        return fields_to_jsonable(self, without=("backend",))

    def __repr__(self) -> str:
        return f"SplitDifferences({len(self.first)} splits: {self.comparison!r})"


def split_differences(assessment: Assessed, comparison: Comparison) -> SplitDifferences:
    """Values of two models in each split, and the comparison that was made of them."""
    asked, sampled = parse_measure(comparison.measure), assessment.splits.sampled
    first, second = (_values(assessment, name, asked) for name in comparison.models)
    return SplitDifferences(
        comparison=comparison, repeat=assessment.splits.repeat[sampled].astype(np.int64), first=first, second=second,
        backend=assessment.rows.backend,
    )  # fmt: skip
