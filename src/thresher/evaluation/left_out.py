"""Values of measures without each cluster of rows, for the intervals and comparisons of rows in clusters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.design_warnings import DesignWarning, extreme_of_clusters, noise_adds
from thresher.errors import InputError, OptionError, UnknownMeasureError
from thresher.evaluation.subject import Subject
from thresher.evaluation.values import in_task, value_of
from thresher.evaluation.within_folds import has_fits
from thresher.inference.estimates.methods import methods_of, methods_of_posteriors, on_line, ranks_rows
from thresher.inference.variance import (
    GROUPS,
    Jackknife,
    groups_of,
    jackknife_difference,
    jackknife_estimate,
)
from thresher.measures.measure_text import Wanted, wanted
from thresher.measures.registry import known
from thresher.results import Estimate
from thresher.sentences import keyword

if TYPE_CHECKING:
    from thresher.inference.comparing.compare import Question
    from thresher.inference.differences.difference import Difference

Values = Callable[[Subject], Sequence[float]]
"""Values of one or several statistics of a subject."""

FEW_GROUPS = 20
"""Groups of clusters for a measure that takes long."""

NO_CLUSTERS = "no interval: the formula assumes independent rows; use a bootstrap, which resamples clusters"
"""Reason of an estimate that has only a formula for independent rows."""


def leave_clusters_out(subjects: Sequence[Subject], of: Values, most: int = GROUPS) -> list[list[Jackknife]]:
    """Jackknife of the values of several subjects over their clusters, in at most `most` groups.

    A cluster that several subjects share is left out of all of them at once.
    """
    columns = [subject.cluster for subject in subjects]
    codes = [np.zeros(0, np.int64) if column is None else column.codes.astype(np.int64) for column in columns]
    if len({column.values for column in columns if column is not None}) > 1:  # clusters of other data
        codes = [own + 2**40 * i for i, own in enumerate(codes)]
    used, place = np.unique(np.concatenate(codes), return_inverse=True)
    units = groups_of(len(used), most)[place]
    each = np.split(units, np.cumsum([len(own) for own in codes])[:-1])
    many = int(units.max(initial=-1)) + 1
    found = []
    for subject, unit in zip(map(_own_columns, subjects), each, strict=True):
        whole = np.asarray(of(subject), dtype=np.float64)
        rest = np.stack([_without(subject, unit == k, of, whole) for k in range(many)]) if many else whole[:0]
        pairs = zip(whole.tolist(), rest.T, strict=True)
        found.append([Jackknife(observed=value, values=column, units=len(used)) for value, column in pairs])
    return found


def _without(subject: Subject, out: Any, of: Values, whole: Any) -> Any:
    """Values without some rows."""
    if not out.any():
        return whole
    rows = subject.rows.take(np.flatnonzero(~out))
    if not rows.class_counted.any():
        return np.nan * whole
    try:
        return np.asarray(of(replace(subject, predictions=rows)), dtype=np.float64)
    except InputError:  # the rows that are left lack a class
        return np.nan * whole


def _own_columns(subject: Subject) -> Subject:
    """Subject with its own columns only, and no clusters."""
    rows, name = subject.rows, subject.name
    own: dict[str, Any] = {
        column: {name: getattr(rows, column)[name]} if name in getattr(rows, column) else {}
        for column in ("scores", "posteriors", "predicted")
    }
    rows = replace(rows, **own, by={}, cluster=None, notes=())
    return replace(subject, predictions=rows, bootstrap=None, is_resampled=False)


def jackknife_intervals(
    subject: Subject,
    found: Mapping[str, Estimate],
    of: Values,
    bounds: Sequence[tuple[float, float]],
    *,
    level: float,
    rests_on: int = 0,
    most: int = GROUPS,
) -> dict[str, Estimate]:
    """Estimates with intervals by the jackknife over clusters; `of` gives their values, in order.

    `rests_on` is the number of clusters that contribute rows, 0 if unknown.
    """
    if subject.cluster is None or not found:
        return dict(found)
    (each,) = leave_clusters_out([subject], of, most)
    known = [replace(own, rests_on=rests_on) for own in each]
    pairs = zip(found.items(), known, bounds, strict=True)
    return {name: jackknife_estimate(estimate, own, ends, level=level) for (name, estimate), own, ends in pairs}


def allow_for_clusters(
    subject: Subject, found: Estimate, of: Callable[[Subject], float], *, bounds: tuple[float, float], level: float
) -> Estimate:
    """One estimate, whose value `of` gives, with an interval that allows for the clusters of the rows."""
    (own,) = jackknife_intervals(subject, {"": found}, lambda part: [of(part)], [bounds], level=level).values()
    return own


def with_clusters(subject: Subject, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates of rows in clusters, where there are such, with intervals that allow for them.

    The AUC has that of Obuchowski's variance, all others the jackknife's, unless they were resampled. Values that are
    not measures have none.
    """
    if subject.cluster is None:
        return found
    found = found | _areas(subject, found)
    still = {n: estimate for n, estimate in found.items() if estimate.method is not None and not _is_settled(estimate)}
    measures = {name: each for name in still if (each := _measure_named(subject, name)) is not None}
    given: dict[str, Any] = {"level": subject.level, "rests_on": _resting_on(subject)}
    own: dict[str, Estimate] = {}
    for most, some in _split_by_cost(measures):
        bounds = [each.entry.bounds for each in some.values()]
        named = {name: found[name] for name in some}
        own |= jackknife_intervals(subject, named, _values(some.values()), bounds, most=most, **given)
    for name, measure in measures.items():
        own[name] = replace(own[name], warnings=(*own[name].warnings, *_warnings_of(measure)))
    return found | {name: without_limits(estimate) for name, estimate in still.items()} | own


def _split_by_cost(measures: Mapping[str, Wanted]) -> Iterator[tuple[int, dict[str, Wanted]]]:
    """Measures by the number of groups of clusters; a volume over tuples of rows is slow and takes few."""
    slow = {name: each for name, each in measures.items() if methods_of_posteriors(each.entry.name).of_tuples}
    yield GROUPS, {name: each for name, each in measures.items() if name not in slow}
    yield FEW_GROUPS, slow


def _warnings_of(measure: Wanted) -> tuple[DesignWarning, ...]:
    """Warning of a measure that is an extreme over thresholds, or that noise adds to."""
    own = methods_of(measure.entry.name).resampling
    if own.is_biased:
        return noise_adds(where=measure.title)
    return extreme_of_clusters(where=measure.title) if own.is_extreme else ()


def _resting_on(subject: Subject) -> int:
    """Number of clusters with rows of the class that the fewest clusters have."""
    column, rows = subject.cluster, subject.rows
    if column is None:
        return 0
    sides = [rows.truth == k for k in range(len(rows.classes))] if rows.truth.ndim == 1 else [slice(None)]
    return min(np.unique(column.codes[side]).size for side in sides)


def _values(measures: Iterable[Wanted]) -> Values:
    every = list(measures)
    return lambda part: [value_of(part, measure) for measure in every]


def _is_settled(found: Estimate) -> bool:
    """Whether an estimate is no number, or its interval allows for clusters."""
    return math.isnan(found.value) or any(word in (found.method or "") for word in ("bootstrap", "cluster"))


def without_limits(found: Estimate) -> Estimate:
    """Estimate without its interval, whose formula assumes independent rows."""
    bare: dict[str, Any] = dict.fromkeys(("standard_error", "low", "high", "level", "method"))
    return replace(found, reason=found.reason or NO_CLUSTERS, warnings=(), **bare)


def _measure_named(subject: Subject, name: str) -> Wanted | None:
    """Measure of this name in the task; None for other values, and measures that have no interval."""
    try:
        found = wanted(name)
    except (UnknownMeasureError, OptionError):
        return None
    return None if methods_of(found.entry.name).refused else in_task(subject, found)


def _areas(subject: Subject, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """The AUC, and what is a line of it, with the interval of rows in clusters, unless resampled."""
    lines = {n: line for n, e in found.items() if (line := _line(n)) and not _is_settled(e)}
    sums = subject.cluster_sums if lines and subject.task == "binary" and not has_fits(subject) else None
    if sums is None:
        return {}
    from thresher.inference.auc.clustered import clustered_estimate
    from thresher.inference.auc.delong import delong_variance

    area = clustered_estimate(sums, delong_variance(subject.scores), level=subject.level)
    return {name: replace(on_line(area, name, line), value=found[name].value) for name, line in lines.items()}


def _line(name: str) -> tuple[float, float] | None:
    """How a measure of scores is made of the AUC; None where it is not."""
    entry = known(name)
    return None if entry is None else methods_of(entry.name).line


def difference_of_clusters(a: Subject, b: Subject, question: Question, *, is_paired: bool) -> Difference | None:
    """Difference of two subjects of rows in clusters, on the same rows or not; None without clusters or by resampling.

    Areas have Obuchowski's variance, all others the jackknife's over the clusters of both.

    Raises:
        OptionError: a test was measure for that takes rows as independent.
    """
    if a.cluster is None or b.cluster is None or question.bootstrap is not None or question.test == "bootstrap":
        return None
    line = methods_of(question.wanted.entry.name).line if question.wanted.is_plain else None
    folded = has_fits(a) and ranks_rows(question.wanted)
    if question.test == "delong" and line is None:
        raise OptionError(keyword("test", "'delong'") + " compares AUCs only.")
    if question.test not in ("auto", "delong"):
        raise OptionError(
            keyword("test", repr(question.test)) + " assumes independent rows, but these rows are in clusters: leave "
            "it out, and the comparison allows for them."
        )
    shared = a.cluster.values == b.cluster.values
    if line is not None and not folded and "binary" == a.task == b.task and (is_paired or shared):
        from thresher.inference.differences.changed import scaled

        return scaled(_difference_of_areas(a, b, is_paired=is_paired), line[0])
    measure = in_task(a, question.wanted)
    ((most, _),) = [each for each in _split_by_cost({measure.text: measure}) if each[1]]
    ((one,), (two,)) = leave_clusters_out((a, b), _values([measure]), most)
    found = jackknife_difference(one, two, measure.entry.bounds, design="paired" if is_paired else "unpaired")
    return replace(found, warnings=(*found.warnings, *_warnings_of(measure)))


def _difference_of_areas(a: Subject, b: Subject, *, is_paired: bool) -> Difference:
    from thresher.inference.auc import clustered

    one, two = a.cluster_sums, b.cluster_sums
    assert one is not None
    assert two is not None
    if is_paired:
        return clustered.clustered_difference(one.beside(two))
    # Groups of the same rows have sums over all clusters, in one order.
    return clustered.groups_difference(one, two, covariance=clustered.shared_covariance(one, two))
