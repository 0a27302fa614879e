"""Prediction-powered estimates and differences: gold rows with a judge's labels of all rows.

A measure without a formula for the influence of a row rests on the gold rows alone, and its method shows it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.conventions import LEVEL
from thresher.design_warnings import DesignWarning, distinct, few_gold
from thresher.errors import Note, OptionError, keyword
from thresher.evaluation.influence import influence, influence_of_all
from thresher.evaluation.intervals import in_task, measure_named
from thresher.evaluation.subject import Subject
from thresher.evaluation.tasks import LabelTreatment, ValueOf
from thresher.evaluation.within_folds import classes_held, has_fits
from thresher.inference.comparing.rows import once_per_sample
from thresher.inference.differences.difference import (
    Difference,
    apart,
    combined_limits,
    difference_bounds,
    difference_of_values,
    ends_of,
    inverted_p,
)
from thresher.inference.estimates.forms import Derivatives
from thresher.inference.estimates.methods import methods_of, ranks_rows
from thresher.inference.judged import (
    AllRows,
    Errors,
    Influence,
    Labelling,
    Powered,
    errors_at,
    influence_of_means,
    narrowed,
    powered,
    share_influence,
)
from thresher.inference.limits import satterthwaite
from thresher.measures.measure_text import MeasureSpec
from thresher.predictions.columns import places_of
from thresher.predictions.judged import JudgedLabels
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.inference.comparing.compare import ComparisonSpec

METHOD, GOLD_ALONE = "prediction-powered", "gold rows alone"
"""Part of the method of every number of judged rows: with the judge, or without."""

LEAST_COMPARED, LEAST_OF_CURVES, LEAST_OF_A_CLASS = 150, 200, 25
"""Fewest gold rows with tests of two models that keep their level: most measures, measures of a curve's shape, such
as the average precision, and rows of each class (docs/coverage.md)."""
LEAST_OF_EACH = 20
"""Fewest gold rows of each of two classes with sure intervals."""
LEAST_SAMPLED = 125
"""Fewest effective gold rows of unequal probabilities with sure intervals; `LEAST_OF_CURVES` for those measures."""

EstimateOf = Callable[..., Estimate]
"""Estimate of a measure of a subject at a `level`."""

Read = Callable[[Subject, MeasureSpec, ValueOf], tuple[Powered, Errors] | None]
"""Prediction-powered value of a measure in a task, and its errors; None without a formula."""


def with_judge(
    subject: Subject, found: dict[str, Estimate], value_of: ValueOf, *, of: Callable[..., Estimate | None] | None = None
) -> dict[str, Estimate]:
    """Estimates of gold rows, made more precise by a judge's labels where these help; `of` estimates them in a task."""
    warned = {n: replace(each, warnings=(*each.warnings, *few_gold_rows(subject, n))) for n, each in found.items()}
    return {n: (of or _estimate)(subject, n, each, value_of) or _of_gold(each) for n, each in warned.items()}


def _of_gold(found: Estimate) -> Estimate:
    method = None if math.isnan(found.value) else ", ".join(filter(None, (found.method, GOLD_ALONE)))
    return replace(found, method=method)


def _estimate(subject: Subject, name: str, found: Estimate, value_of: ValueOf) -> Estimate | None:
    measure = measure_named(subject, name)
    known = None if measure is None or math.isnan(found.value) else power_of(subject, measure, value_of)
    if measure is None or known is None or not known.weight or found.low is None or found.high is None:
        return None
    bounds, share = measure.entry.bounds, math.sqrt(len(subject.rows) / known.worth)
    value = min(max(known.value, bounds[0]), bounds[1])
    low, high = narrowed(found.low, found.value, found.high, value, share, bounds)
    return replace(
        found, value=value, standard_error=math.sqrt(known.variance), low=low, high=high, n=known.worth,
        method=f"{METHOD}, {found.method}",
    )  # fmt: skip


def few_gold_rows(subject: Subject, name: str = "", *, compared: bool = False) -> tuple[DesignWarning, ...]:
    """Warning of few gold rows for an interval, or `compared` for a test; unequal weights and clusters lessen them."""
    weights, rows = subject.rows.weights, len(subject.rows)
    effective = rows if weights is None else float(weights.sum() ** 2 / (weights**2).sum())
    is_sampled, measure = effective < 0.99 * rows, measure_named(subject, name)
    least = LEAST_COMPARED if compared else LEAST_SAMPLED if is_sampled else None
    if least and measure is not None and isinstance(methods_of(measure.entry.name).adds, Derivatives):
        least = LEAST_OF_CURVES
    what, cluster = "effective gold rows" if is_sampled else "", subject.rows.cluster
    if compared and cluster is not None and (units := np.unique(cluster.codes).size) < effective:
        effective, what = units, "clusters with gold rows"
    found = few_gold(effective, what=what, least=least)
    classes = len(subject.rows.classes)
    if found or subject.rows.truth.ndim > 1 or (classes > 2 and not compared):
        return found
    few = int(np.bincount(subject.rows.truth, minlength=classes).min())
    return few_gold(few, what="gold rows of a class", least=LEAST_OF_A_CLASS if compared else LEAST_OF_EACH)


def read_rows(subject: Subject, measure: MeasureSpec, value_of: ValueOf) -> tuple[Powered, Errors] | None:
    """Prediction-powered value of a measure of rows with one label each, and its errors."""
    found = influence_of(subject, measure, value_of)
    return None if found is None else powered_errors(*found)


def powered_errors(influence: Influence, labelling: Labelling) -> tuple[Powered, Errors]:
    """Prediction-powered value, and its errors."""
    known = powered(influence, labelling)
    return known, errors_at(influence, labelling, known.weight)


@once_per_sample
def power_of(subject: Subject, measure: MeasureSpec, value_of: ValueOf, read: Read = read_rows) -> Powered | None:
    """Prediction-powered value of a measure, kept with the subject; None where no formula serves it."""
    found = read(subject, measure, value_of)
    return None if found is None else found[0]


def influence_of(subject: Subject, measure: MeasureSpec, value_of: ValueOf) -> tuple[Influence, Labelling] | None:
    """Values by each labelling with the influence of rows, as large as all rows; None without a formula."""
    judged = judged_of(subject)
    if judged is None:
        return None
    if has_fits(subject) and ranks_rows(measure):
        return _mean_over_folds(subject, judged, measure, value_of)
    measure, (of_gold, of_every) = in_task(subject, measure), readings(subject, judged)
    # The value of the few gold rows comes first: a loss of scores that are not probabilities ends here.
    if not math.isfinite(gold := value_of(subject, measure)):
        return None
    adds, classes = influence_of_all(of_every, measure, judged.gold, of_gold), len(subject.labels)
    judge, every = (math.nan if adds is None else value_of(each, measure) for each in (of_gold, of_every))
    if adds is None or not (math.isfinite(judge) and math.isfinite(every)):
        return None
    asked = [(subject, subject.rows.truth), (of_gold, of_gold.rows.truth)]
    asked += [(of_gold, (subject.rows.truth.astype(np.intp) + step) % classes) for step in range(1, classes)]
    found = [each for reading, truth in asked if (each := influence(reading, measure, truth)) is not None]
    if len(found) < len(asked):
        return None
    return Influence((gold, judge, every), found[0], found[1], adds, np.stack(found[2:])), labelling_of(subject, judged)


def _mean_over_folds(
    subject: Subject, judged: JudgedLabels, measure: MeasureSpec, value_of: ValueOf
) -> tuple[Influence, Labelling] | None:
    """Mean over the folds with gold rows of every class; None without them, or if one lacks a formula."""
    rows, fold, every = subject.rows, subject.rows.fold, judged.rows.fold
    if fold is None or every is None:
        return None
    of_gold, of_all, values = np.zeros((len(subject.labels) + 1, len(rows))), np.zeros(len(judged.rows)), []
    for code, places in places_of(fold.codes):
        inside = every.codes == code
        part = replace(rows.take(places, lambda _: inside), fold=None)  # noqa: B023 - called at once
        if classes_held(part) < classes_held(rows):
            continue
        if (found := influence_of(replace(subject, predictions=part), measure, value_of)) is None:
            return None
        values.append(found[0].values)
        of_gold[:, places] = [found[0].gold, found[0].judged, *found[0].unlike]
        of_all[inside] = found[0].every.of_rows()
    if not (k := len(values)):
        return None
    gold, judge, whole = np.mean(values, axis=0).tolist()
    of_gold, of_every = of_gold / k, AllRows.of(of_all / k, judged.gold)
    return Influence((gold, judge, whole), of_gold[0], of_gold[1], of_every, of_gold[2:]), labelling_of(subject, judged)


@once_per_sample
def readings(subject: Subject, judged: JudgedLabels) -> tuple[Subject, Subject]:
    """Gold rows by the judge's labels, and all rows by them."""
    of_gold = replace(subject.rows, truth=judged.rows.truth[judged.gold], partial_labels=None)
    return replace(subject, predictions=of_gold), replace(subject, predictions=judged.rows)


def judged_of(subject: Subject) -> JudgedLabels | None:
    """A judge's labels of the rows of a subject; None where the rows are others, such as recalibrated scores."""
    rows, judged = subject.rows, subject.rows.partial_labels
    if not isinstance(judged, JudgedLabels) or len(judged.gold) != len(rows) or judged.rows.classes != rows.classes:
        return None
    if rows.direction != judged.rows.direction:
        return None
    for column in ("scores", "posteriors", "predicted"):
        own, every = (getattr(each, column).get(subject.name) for each in (rows, judged.rows))
        if (own is None) != (every is None) or (own is not None and not np.array_equal(own, every[judged.gold])):
            return None
    return judged


def labelling_of(subject: Subject, judged: JudgedLabels) -> Labelling:
    rows, gold = judged.rows, judged.gold
    others = 1 - len(gold) / len(rows)
    if rows.weights is not None:
        others = 1 - float(rows.weights[gold].sum() / rows.weights.sum())
    clusters = None if rows.cluster is None else rows.cluster.codes.astype(np.intp)
    wrong = (subject.rows.truth != rows.truth[gold]).reshape(len(gold), -1).sum(axis=1)
    return Labelling(gold, others if len(gold) < len(rows) else 0.0, clusters, wrong)


def class_shares(subject: Subject) -> list[float] | None:
    """Prediction-powered share of each class, scaled to add up to 1; None without a judge."""
    judged = judged_of(subject)
    if judged is None:
        return None
    rows, every, gold, size = subject.rows, judged.rows, judged.gold, len(subject.labels)
    truths = [each.astype(np.intp) for each in (rows.truth, every.truth[gold])]
    parts = rows.row_weights / rows.row_weights.sum()
    others = np.stack([(truths[0] + step) % size for step in range(1, size)])
    of_all = [share_influence(every.truth == k, every.weights, gold) for k in range(size)]
    adds = [influence_of_means([t == k for t in truths], parts, of_all[k], others == k) for k in range(size)]
    found = np.maximum([powered(each, labelling_of(subject, judged)).value for each in adds], 0.0)
    return [float(each) for each in found / found.sum()]


def judged_difference(
    a: Subject, b: Subject, question: ComparisonSpec, value_of: ValueOf, estimate_of: EstimateOf,
    *, is_paired: bool, of_labelled: Callable[[], Difference], read: Read = read_rows,
) -> Difference:  # fmt: skip
    """Difference of two prediction-powered values, first minus second, or where these do not serve of the gold rows.

    On different rows, if a side rests on its gold rows or is at the edge of its range, its estimated variance may be 0.
    The limits then combine both sides' own limits (MOVER).
    """
    if question.test != "auto" or question.bootstrap is not None:
        raise OptionError(
            keyword("test", "…") + " and " + keyword("bootstrap", "…") + " compare gold rows alone. Leave them out, or "
            "evaluate the gold rows without " + keyword("judge", "…") + "."
        )
    first, second = (read(each, in_task(each, question.spec), value_of) for each in (a, b))
    # Gold rows with several labels have this formula only; without it they are resampled.
    if first is None or second is None or not (first[0].weight or second[0].weight or a.task == "multilabel"):
        found = of_labelled()
        return found if found.method == "none" else replace(found, method=f"{found.method}, {GOLD_ALONE}")
    (one, two), errors = (first[0], second[0]), (first[1], second[1])
    name, bounds = question.spec.text, question.spec.entry.bounds
    design, how = "paired" if is_paired else "unpaired", METHOD if one.weight or two.weight else GOLD_ALONE
    facts: dict[str, Any] = {
        "method": f"{design}, {how}",
        "bounds": difference_bounds(bounds),
        "warnings": distinct(each for side in (a, b) for each in few_gold_rows(side, name, compared=True)),
    }
    shared = 0.0 if is_paired or a.rows.cluster is None else _shared(*errors)
    if not is_paired and not all(
        known.weight > 0 and known.variance > 0 and bounds[0] < known.value < bounds[1] for known in (one, two)
    ):
        product = one.variance * two.variance
        correlation = shared / math.sqrt(product) if product > 0 else 0.0
        return _of_intervals((a, b), question.spec, estimate_of, correlation, **facts)
    if is_paired:
        apart_errors = errors[0].minus(errors[1])
        variance, df = apart_errors.variance, apart_errors.units - 1
    else:
        variance = one.variance + two.variance - 2 * shared
        df = satterthwaite((one.variance, two.variance), (one.units - 1, two.units - 1))
    return difference_of_values(
        (one.value, two.value), math.sqrt(max(variance, 0.0)), df=df, why="no gold row tells the models apart", **facts,
    )  # fmt: skip


def _of_intervals(
    sides: tuple[Subject, Subject], measure: MeasureSpec, estimate_of: EstimateOf, correlation: float, **facts: Any
) -> Difference:
    """Difference of two values on different rows from the interval of each; the p value inverts its limits."""

    @cache
    def both(level: float) -> tuple[Estimate, Estimate]:
        one, two = (estimate_of(each, measure, level=level) for each in sides)
        return one, two

    first, second = both(LEVEL)
    values, facts["method"] = (first.value, second.value), facts["method"] + ", MOVER interval"
    value = apart(*values)
    if first.low is None or second.low is None:
        reason = Note("no-spread", f"no interval: {first.reason or second.reason or 'a value lacks its own'}")
        return Difference(value=value, reason=reason, values=values, **facts)
    limits = combined_limits(values, lambda level: ends_of(both(level)), correlation)
    return Difference(
        value=value, limits=limits, p_value=inverted_p(value, limits), values=values,
        source="Zou & Donner 2008", **facts,
    )  # fmt: skip


def _shared(one: Errors, two: Errors) -> float:
    """Covariance of two estimates on different rows, which may share clusters."""
    first, second = one.totals, two.totals
    common = min(first.size, second.size)
    return float(np.einsum("i,i->", first[:common], second[:common]))


def notes_of(subject: Subject, value_of: ValueOf, *, headline: str = "", read: Read = read_rows) -> list[Note]:
    """Note on the worth of the judge's labels for the measure that sums up a model, or for `headline`."""
    headline = headline or ("auc" if subject.task == "binary" else "accuracy")
    judged, measure = judged_of(subject), measure_named(subject, headline)
    known = None if judged is None or measure is None else power_of(subject, measure, value_of, read)
    if judged is None or known is None or measure is None:
        return []
    gold = f"{len(judged.gold):,} gold" + (f" + {judged.in_part:,} gold in part" if judged.in_part else "")
    rows = f"{gold} + {judged.judged_only:,} judged rows"
    text = f"{rows}, λ {known.weight:.2f}, worth {known.worth:,.0f} gold rows ({measure.title})"
    return [Note("judge-weight", text, parameter="judge")]


JUDGED = LabelTreatment(
    estimates=with_judge, power=power_of, difference=judged_difference, shares=class_shares, notes=notes_of,
    warnings=few_gold_rows,
)  # fmt: skip
