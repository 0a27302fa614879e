"""Differences of a measure between two subjects: by formula where there is one, else by resampling."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from thresher._util.fast_dataclass import dataclass, replace
from thresher.counts.thresholds import threshold_text
from thresher.errors import Note, OptionError, TaskError, keyword
from thresher.evaluation.assumptions import at_own_cut
from thresher.evaluation.estimate import measured_value, plain_value, treatment_of, value_of
from thresher.evaluation.intervals import difference_of_clusters, in_task, sample_of
from thresher.evaluation.subject import Subject
from thresher.evaluation.within_folds import error_of_mean, fits_of, folds_used, has_fits, why_no_mean
from thresher.inference.comparing.compare import ComparisonSpec, compare_samples, difference_of_samples
from thresher.inference.comparing.comparison import Comparison
from thresher.inference.comparing.rows import OWN_TESTS, PlacedPair
from thresher.inference.differences.difference import (
    Difference,
    apart,
    centred,
    difference_bounds,
    no_difference,
    normal_difference,
    swapped,
    undefined_difference,
)
from thresher.inference.estimates.methods import ranks_rows

if TYPE_CHECKING:
    pass


UNPAIRED = (
    "counts do not say which values of two scores belong to one row, so that the scores cannot be compared: count "
    "with " + keyword("pairs", "True") + ", or compare them where the rows are"
)
"""Reason why the scores of counts without pairs cannot be compared."""

ALIKE = 1e-12
"""Values nearer to each other than this differ only by rounding in a sum."""


@dataclass(frozen=True, kw_only=True)
class ComparedPair:
    """Two subjects with their values of a measure, on the same rows or not, and the groups that they are of."""

    first: Subject
    second: Subject
    values: tuple[float, float]
    groups: tuple[str, str] | None = None
    is_paired: bool = True

    @property
    def is_lower(self) -> bool:
        """Whether the first has the lower value; equal ones are ordered by their names, undefined ones as they come."""
        one, two = self.values
        if math.isnan(one) or math.isnan(two) or not math.isclose(one, two, abs_tol=ALIKE):
            return one < two
        first, second = self.groups or (self.first.name, self.second.name)
        return first > second

    @property
    def swapped(self) -> ComparedPair:
        """The second before the first."""
        groups = self.groups and (self.groups[1], self.groups[0])
        return replace(self, first=self.second, second=self.first, values=self.values[::-1], groups=groups)


def difference(
    a: Subject,
    b: Subject,
    measure: str | ComparisonSpec,
    *,
    values: tuple[float, float] | None = None,
    is_paired: bool = True,
    **where: Any,
) -> Comparison:
    """Comparison of two subjects by one measure: of the same rows, or not `is_paired`; `values` are reused.

    `where`: the `group` of these rows, their `groups`, or rows `placed` once for many comparisons.

    >>> import thresher as th
    >>> models = th.evaluate([1, 0, 1, 0], {"a": [0.9, 0.6, 0.4, 0.1], "b": [0.8, 0.3, 0.5, 0.2]})
    >>> difference(models["a"], models["b"], "auc").difference
    -0.25
    """
    question = ComparisonSpec.of(measure, level=a.level, rng=a.rng) if isinstance(measure, str) else measure
    a, b = at_own_cut(a, question.spec), at_own_cut(b, question.spec)
    values = values or (value_compared(a, question), value_compared(b, question))
    pair = ComparedPair(first=a, second=b, values=values, groups=where.get("groups"), is_paired=is_paired)
    found = difference_of(pair, question, where.pop("placed", None))
    if is_paired and question.test != "venkatraman" and (bounds := treatment_of(a.rows).bounds) is not None:
        try:
            low, high = bounds(a, question.spec.text, b)
            where["bounds"] = None if math.isnan(low) else (low, high)
        except OptionError as error:
            where["bounds_reason"] = Note("no-bounds", error.sentence)
    return compare_samples(sample_of(a), sample_of(b), values, question, found, is_paired=is_paired, **where)


def difference_of(pair: ComparedPair, question: ComparisonSpec, placed: PlacedPair | None = None) -> Difference:
    """Difference of a pair, first minus second.

    It is computed in one order and turned about, so that both orders draw the same replicates and mirror each other.
    """
    return treatment_of(pair.first.rows).difference(
        pair.first, pair.second, question, plain_value, measured_value,
        is_paired=pair.is_paired, of_labelled=partial(_ordered, pair, question, placed),
    )  # fmt: skip


def _ordered(pair: ComparedPair, question: ComparisonSpec, placed: PlacedPair | None) -> Difference:
    """Difference of a pair, computed from its lower value and turned about where needed."""
    if question.test in OWN_TESTS or not pair.is_lower:
        return _difference(pair, question, placed)
    turned = None if placed is None else (placed[0], placed[2], placed[1])
    found = _difference(pair.swapped, question, turned)
    if found.limits is None and found.p_value is None:  # for a reason, which may name the first or the second
        return _difference(pair, question, placed)
    return swapped(found)


def _difference(pair: ComparedPair, question: ComparisonSpec, placed: PlacedPair | None) -> Difference:
    """Difference of a pair by the method that serves it, computed in this order."""
    a, b, is_paired = pair.first, pair.second, pair.is_paired
    if is_paired and any(each.predictions.counts is not None for each in (a, b)):
        return _difference_of_counts(pair, question)
    if question.test not in OWN_TESTS:
        clustered = difference_of_clusters(a, b, question, value_of, is_paired=is_paired)
        if clustered is not None:
            return _with_cause(clustered, a, b, question)
    if has_fits(a) and has_fits(b) and ranks_rows(question.spec):
        if question.test not in WITHIN_FOLDS:
            raise OptionError(
                keyword("test", repr(question.test)) + " ranks the rows of all folds together. Leave it out to compare "
                "within folds."
            )
        return _of_folds(a, b, question) if is_paired else _between_folds(a, b, question)
    if a.task == b.task == "multilabel":
        return _of_labels(a, b, question, is_paired=is_paired)
    if len(a.rows.classes) > 2 and {a.task, b.task} <= {"multiclass", "labels"}:
        from thresher.evaluation.several_classes import class_difference

        if (found := class_difference(a, b, question, is_paired=is_paired)) is not None:
            return found
    entry = question.spec.entry
    if entry.of_classes or entry.needs == "label sets":
        task = "multilabel" if entry.needs == "label sets" else "multiclass"
        raise TaskError(f"{question.spec.title} belongs to a {task} task; this task is {a.task}.")
    return difference_of_samples(sample_of(a), sample_of(b), question, is_paired=is_paired, placed=placed)


def _with_cause(found: Difference, a: Subject, b: Subject, question: ComparisonSpec) -> Difference:
    """Difference that says, where it is undefined, which model lacks the value and why."""
    if not math.isnan(found.value):
        return found
    for side in (a, b):
        value = measured_value(side, question.spec, level=side.level)
        if math.isnan(value.value) and value.reason:
            return replace(found, reason=f"{side.name}: " + value.reason)
    return found


def _difference_of_counts(pair: ComparedPair, question: ComparisonSpec) -> Difference:
    """Difference of the values of two tables, with the standard error of their joint cells."""
    a, b = on_cells(pair.first, pair.second)
    both = replace(pair, first=a, second=b, values=(value_compared(a, question), value_compared(b, question)))
    found = difference_of(both, question)
    if found.values or question.test in OWN_TESTS or any(map(math.isnan, both.values)):
        return found if found.values else replace(found, values=both.values)
    return centred(found, apart(*pair.values))


def on_cells(a: Subject, b: Subject) -> tuple[Subject, Subject]:
    """Two counted models on the same rows, which are the joint cells of their scores."""
    from thresher.evaluation.counted_rows import hides_pairs, paired_rows

    counts: dict[str, Any] = {subject.name: subject.rows.counts for subject in (a, b)}
    known = counts[a.name]
    if len(counts) < 2 or known is None or known.pairs is None or not set(counts) <= set(known.pairs.directions):
        noted = next((note for note in (() if known is None else known.notes) if note.code == "no-pairs"), None)
        raise OptionError(UNPAIRED if noted is None else f"{noted[0].lower()}{noted[1:-1]}")
    rows = paired_rows(counts)
    found = []
    for subject in (a, b):
        changed: dict[str, Any] = {"predictions": rows}
        cut = None if subject.threshold is None else subject.counted_at(subject.threshold)
        changed |= {"threshold": cut}
        if cut is not None and hides_pairs(counts[subject.name], subject.name, cut):
            text = f"pairs do not include decisions at {threshold_text(cut)}: name the threshold when counting"
            why = Note("hidden-pairs", text, parameter="threshold")
            changed |= {"threshold": None, "threshold_reason": why}
        found.append(replace(subject, **changed))
    return found[0], found[1]


def value_compared(subject: Subject, question: ComparisonSpec) -> float:
    """Value of the measure; NaN if it cannot be read, for a reason that the comparison gives."""
    known = vars(subject).get("measures", {}).get(question.spec.text)
    if known is not None and known.reason is None:
        return float(known.value)
    try:
        return value_of(at_own_cut(subject, question.spec), in_task(subject, question.spec))
    except (TaskError, AttributeError):
        return math.nan


def _of_labels(a: Subject, b: Subject, question: ComparisonSpec, *, is_paired: bool) -> Difference:
    """Difference of two models where a row may have several labels: by resampling, whatever the measure."""
    if question.test not in ("auto", "bootstrap") or question.spec.at is not None or question.spec.parameters:
        raise OptionError(
            "two models of a multilabel task are compared by the bootstrap of a measure without parameters."
        )
    from thresher.evaluation.class_tasks import Multilabel
    from thresher.evaluation.several_classes import drawn_difference

    name = Multilabel().estimate(a, question.spec.entry.name).name
    return drawn_difference(a, b, name, question, is_paired=is_paired)


WITHIN_FOLDS = ("auto", "bootstrap", "delong")
"""Tests that compare two models on one fold, so that their differences have a mean."""


def _of_folds(a: Subject, b: Subject, question: ComparisonSpec) -> Difference:
    """Difference of two models on the same rows, d̅ = Σ d_f/k, with the standard error of `error_of_mean`."""
    parts, left_out = fits_of([a, b])
    asked = replace(question, alternative="two-sided", margin=None)
    found = [difference(one, two, asked) for one, two in parts]
    if (reason := why_no_mean(found)) is not None:
        return undefined_difference("none", reason)
    values, k = [each.difference for each in found], len(found)
    bounds = difference_bounds(question.spec.entry.bounds)
    facts: dict[str, Any] = {"bounds": bounds, "assumptions": folds_used(k, left_out) or ""}
    error, df, how = error_of_mean(values, [each.standard_error for each in found])
    if error > 0:
        facts |= {"df": None} if math.isinf(df) else {"df": df}
        how = found[0].method if math.isinf(df) else how
        return normal_difference(math.fsum(values) / k, error, method=f"{how}, mean of {k} folds", **facts)
    if any(values):
        return Difference(value=math.fsum(values) / k, method="none", reason=Note("no-spread", how), **facts)
    return no_difference(method=f"mean of {k} folds", **facts)


def _between_folds(a: Subject, b: Subject, question: ComparisonSpec) -> Difference:
    """Difference of two groups of rows, with the standard error √(e_a² + e_b²) and Welch's degrees of freedom."""
    sides = [
        [measured_value(part, question.spec, level=question.level) for (part,) in fits_of([each])[0]]
        for each in (replace(a, undefined="nan"), replace(b, undefined="nan"))
    ]
    if (reason := next(filter(None, map(why_no_mean, sides)), None)) is not None:
        return undefined_difference("none", reason)
    one, two = (math.fsum(each.value for each in side) / len(side) for side in sides)
    errors = [error_of_mean([e.value for e in side], [e.standard_error for e in side]) for side in sides]
    bounds = difference_bounds(question.spec.entry.bounds)
    if (lacking := next((how for error, _, how in errors if not error > 0), None)) is not None:
        return Difference(value=one - two, method="none", reason=Note("no-spread", lacking), bounds=bounds)
    squares = [error**2 for error, _, _ in errors]
    rates = [square**2 / df for square, (_, df, _) in zip(squares, errors, strict=True)]
    df = sum(squares) ** 2 / sum(rates) if sum(rates) > 0 else None
    method = f"unpaired, means of {len(sides[0])} and {len(sides[1])} folds, {errors[0][2]}"
    return normal_difference(one - two, math.sqrt(sum(squares)), df=df, method=method, bounds=bounds)
