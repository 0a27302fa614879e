"""Intervals of a subject's estimates by resampling, and of rows in clusters by leaving each cluster out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.conventions import stand_in
from thresher.design_warnings import DEPENDENT, DesignWarning, extreme_of_clusters, noise_adds
from thresher.errors import InputError, Note, OptionError, UnknownMeasureError, keyword
from thresher.evaluation.subject import Subject
from thresher.evaluation.within_folds import has_fits
from thresher.inference.estimates.methods import methods_of, methods_of_posteriors, ranks_rows
from thresher.inference.limits import on_line
from thresher.inference.variance import (
    GROUPS,
    Jackknife,
    clusters_with_trials,
    groups_of,
    jackknife_difference,
    jackknife_estimate,
)
from thresher.measures.averaging import split_average
from thresher.measures.measure_text import MeasureSpec, parse_measure
from thresher.measures.registry import known
from thresher.measures.several_classes import of_posteriors
from thresher.results import Estimate, TestResult

if TYPE_CHECKING:
    from thresher.inference.comparing.compare import ComparisonSpec
    from thresher.inference.comparing.rows import ComparedSample
    from thresher.inference.differences.difference import Difference


UNTESTED = Note("no-test", f"{DEPENDENT}, and the test takes them as if they were")
"""Reason why a test of one model is undefined for clustered rows."""


def draws_clusters(subject: Subject) -> bool:
    """Whether the user requested a bootstrap of clusters, which covers better than any formula."""
    if subject.bootstrap is None or subject.bootstrap.clusters is False:
        return False
    return subject.cluster is not None or isinstance(subject.bootstrap.clusters, str)


def resamples_all(subject: Subject) -> bool:
    """Whether the bootstrap serves every measure: it was given for the very measure, or draws clusters."""
    return subject.bootstrap is not None and (subject.is_resampled or draws_clusters(subject))


def to_resample(subject: Subject, found: dict[str, Estimate]) -> list[str]:
    """Names of the estimates that a bootstrap gives an interval.

    Measures without an interval; averages over several classes, for which formulas are approximate; or all measures.
    """
    if subject.bootstrap is None:
        return []
    every = resamples_all(subject)
    wanted = (name for name, e in found.items() if every or e.low is None or _of_several_classes(subject, name))
    return [name for name in wanted if math.isfinite(found[name].value) and not _is_refused(name)]


def _is_refused(name: str) -> bool:
    """Whether a measure, or the measure that is averaged, lacks any interval."""
    entry = known(split_average(name)[1])
    return entry is not None and methods_of(entry.name).refused is not None


def _of_several_classes(subject: Subject, name: str) -> bool:
    """Whether a measure is a mean over several classes of decisions, or the information of their matrix."""
    if not subject.has_several_classes or name.endswith("_auc"):
        return False
    own = methods_of(name)
    return name.startswith(("macro_", "weighted_")) or own.mean_of is not None or own.limits == "information"


def withheld(subject: Subject, tests: Mapping[str, TestResult]) -> dict[str, TestResult]:
    """Tests of one model by formulas that take rows as independent; of rows in clusters without an outcome."""
    if subject.cluster is None:
        return dict(tests)
    return {name: test.withheld(UNTESTED) for name, test in tests.items()}


def sample_of(subject: Subject) -> ComparedSample:
    """Subject as the tests take it; one with posteriors by the classes that it decides for."""
    from thresher.inference.comparing.rows import ComparedSample

    rows = subject.rows
    if subject.task == "multiclass":
        rows = replace(rows, predicted={**rows.predicted, subject.name: subject.decided})
    return ComparedSample(
        rows=rows,
        model=subject.name,
        threshold=subject.threshold,
        threshold_reason=subject.threshold_reason,
        kept=subject.kept,
    )


def with_bootstrap(subject: Subject, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates of measures by name, those that the bootstrap serves with intervals from resampled rows."""
    wanted = {name: found[name] for name in to_resample(subject, found)}
    if not wanted:
        return found
    if subject.task == "multilabel" or len(subject.labels) > 2:
        from thresher.evaluation.several_classes import resampled_estimates

        return found | resampled_estimates(subject, wanted)
    entries = {name: entry for name in wanted if (entry := known(name)) is not None}
    scored = {name: wanted[name] for name, entry in entries.items() if entry.needs == "table"}
    decided = {name: wanted[name] for name in entries if name not in scored} if resamples_all(subject) else {}
    if scored:
        found = found | _resampled(subject, scored, subject.rows, subject.name)
    if decided:
        from thresher.inference.comparing.resampling import CUT, decided_rows

        found = found | _resampled(subject, decided, decided_rows(sample_of(subject)), "first", threshold=CUT)
    return found


def reading_with_bootstrap(subject: Subject, found: Estimate, spec: MeasureSpec) -> Estimate:
    """Estimate of a measure as it is written, with an interval from resampled rows where the bootstrap serves it."""
    is_refused = methods_of(spec.entry.name).refused is not None
    if subject.bootstrap is None or is_refused or not to_resample(subject, {spec.text: found}):
        return found
    from thresher.inference.comparing.resampling import interval_by_resampling

    options: dict[str, Any] = {"level": subject.level, "undefined": stand_in(subject.undefined)}
    return interval_by_resampling(sample_of(subject), spec, subject.bootstrap, **options)


def _resampled(
    subject: Subject, wanted: dict[str, Estimate], rows: Any, name: str, **options: Any
) -> dict[str, Estimate]:
    """Estimates with intervals from one set of replicates; a reason that is about the value stays."""
    from thresher.inference.bootstrap.intervals import estimates_of
    from thresher.inference.bootstrap.replicates import bootstrap_replicates

    options["undefined"] = stand_in(subject.undefined)
    replicates = bootstrap_replicates(rows, list(wanted), subject.bootstrap, models=(name,), **options)
    found = estimates_of(replicates, level=subject.level, known=list(wanted.values()))
    return dict(zip(wanted, found, strict=True))


ValueOf = Callable[[Subject, MeasureSpec], float]
"""Value of a measure of a subject, without its interval."""

Values = Callable[[Subject], Sequence[float]]
"""Values of one or several statistics of a subject."""

FEW_GROUPS = 20
"""Groups of clusters for a measure that takes long."""

NO_CLUSTERS = Note(
    "no-formula", "no interval: the formula assumes independent rows; use a bootstrap, which resamples clusters"
)
"""Reason of an estimate that has only a formula for independent rows."""


def leave_clusters_out(subjects: Sequence[Subject], of: Values, most: int = GROUPS) -> list[list[Jackknife]]:
    """Jackknife of several subjects over at most `most` groups of clusters; shared ones are left out of all at once."""
    codes = _cluster_codes(subjects)
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


def _cluster_codes(subjects: Sequence[Subject]) -> list[Any]:
    """Cluster of each row of several subjects, the same number for a cluster that they share."""
    columns = [subject.cluster for subject in subjects]
    codes = [np.zeros(0, np.int64) if column is None else column.codes.astype(np.int64) for column in columns]
    if len({column.values for column in columns if column is not None}) > 1:  # clusters of other data
        codes = [own + 2**40 * i for i, own in enumerate(codes)]
    return codes


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
    rows = replace(rows, **own, by={}, cluster=None, notes=(), partial_labels=None)
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
    """Estimates of values `of` a subject by the jackknife; `rests_on` is the number of contributing clusters, or 0."""
    if subject.cluster is None or not found:
        return dict(found)
    (each,) = leave_clusters_out([subject], of, most)
    known = [replace(own, rests_on=rests_on) for own in each]
    pairs = zip(found.items(), known, bounds, strict=True)
    return {name: jackknife_estimate(estimate, own, ends, level=level) for (name, estimate), own, ends in pairs}


def allow_for_clusters(
    subject: Subject, found: Estimate, of: Callable[[Subject], float], *, bounds: tuple[float, float], level: float
) -> Estimate:
    """One estimate, valued by `of`, with an interval that allows for the clusters of the rows."""
    (own,) = jackknife_intervals(subject, {"": found}, lambda part: [of(part)], [bounds], level=level).values()
    return own


def with_clusters(subject: Subject, found: dict[str, Estimate], value_of: ValueOf) -> dict[str, Estimate]:
    """Estimates of rows in clusters, where there are such, with intervals that allow for them.

    The AUC uses Obuchowski's variance, all others the jackknife, unless they were resampled. Values that are
    not measures get no interval.
    """
    if subject.cluster is None:
        return found
    found = found | _areas(subject, found)
    still = {n: estimate for n, estimate in found.items() if estimate.method is not None and not _is_settled(estimate)}
    measures = {name: each for name in still if (each := measure_named(subject, name)) is not None}
    given: dict[str, Any] = {"level": subject.level, "rests_on": _resting_on(subject)}
    own: dict[str, Estimate] = {}
    for most, some in _split_by_cost(measures):
        bounds = [each.entry.bounds for each in some.values()]
        named = {name: found[name] for name in some}
        own |= jackknife_intervals(subject, named, _values(some.values(), value_of), bounds, most=most, **given)
    for name, measure in measures.items():
        own[name] = replace(own[name], warnings=(*own[name].warnings, *_warnings_of(measure)))
    bare: dict[str, Any] = dict.fromkeys(("standard_error", "low", "high", "level", "method"))
    bare |= {"warnings": ()}
    without = {name: replace(each, reason=each.reason or NO_CLUSTERS, **bare) for name, each in still.items()}
    return found | without | own


def _split_by_cost(measures: Mapping[str, MeasureSpec]) -> Iterator[tuple[int, dict[str, MeasureSpec]]]:
    """Measures by the number of groups of clusters; a volume over tuples of rows is slow and takes few."""
    slow = {name: each for name, each in measures.items() if methods_of_posteriors(each.entry.name).of_tuples}
    yield GROUPS, {name: each for name, each in measures.items() if name not in slow}
    yield FEW_GROUPS, slow


def _warnings_of(measure: MeasureSpec) -> tuple[DesignWarning, ...]:
    """Warning of a measure that is an extreme over thresholds, or a calibration error."""
    own = methods_of(measure.entry.name).resampling
    if own.is_error:
        return noise_adds(where=measure.title)
    return extreme_of_clusters(where=measure.title) if own.is_extreme else ()


def _resting_on(subject: Subject, measure: MeasureSpec | None = None) -> int:
    """Number of clusters with trials of a share of decisions, else with rows of the class in the fewest clusters."""
    column, rows = subject.cluster, subject.rows
    if column is None:
        return 0
    if measure is not None and measure.entry.needs == "cells" and measure.at is None:
        matrix = subject.confusion_matrix
        if matrix is not None and matrix.clusters is not None:
            return clusters_with_trials(measure.entry, matrix.clusters)
    sides = [rows.truth == k for k in range(len(rows.classes))] if rows.truth.ndim == 1 else [slice(None)]
    return min(np.unique(column.codes[side]).size for side in sides)


def _values(measures: Iterable[MeasureSpec], value_of: ValueOf) -> Values:
    every = list(measures)
    return lambda part: [value_of(part, measure) for measure in every]


def _is_settled(found: Estimate) -> bool:
    """Whether an estimate is not a number, or its interval allows for clusters."""
    return math.isnan(found.value) or any(word in (found.method or "") for word in ("bootstrap", "cluster"))


def measure_named(subject: Subject, name: str) -> MeasureSpec | None:
    """Measure of this name in the task; None for other values, and for measures without an interval."""
    try:
        found = parse_measure(name)
    except (UnknownMeasureError, OptionError):
        return None
    return None if methods_of(found.entry.name).refused else in_task(subject, found)


def _areas(subject: Subject, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """The AUC, and linear functions of it, with the interval for rows in clusters, unless resampled."""
    entries = {n: entry for n, e in found.items() if (entry := known(n)) is not None and not _is_settled(e)}
    lines = {n: line for n, entry in entries.items() if (line := methods_of(entry.name).linear_in_auc) is not None}
    sums = subject.cluster_sums if lines and subject.task == "binary" and not has_fits(subject) else None
    if sums is None:
        return {}
    from thresher.inference.auc.clustered import clustered_estimate
    from thresher.inference.auc.delong import delong_variance

    area = clustered_estimate(sums, delong_variance(subject.scores), level=subject.level)
    return {name: replace(on_line(area, name, line), value=found[name].value) for name, line in lines.items()}


def difference_of_clusters(
    a: Subject, b: Subject, question: ComparisonSpec, value_of: ValueOf, *, is_paired: bool
) -> Difference | None:
    """Difference of two subjects of rows in clusters, on the same rows or not; None without clusters or by resampling.

    Areas have Obuchowski's variance, all others the jackknife's over the clusters of both.
    """
    if a.cluster is None or b.cluster is None or question.bootstrap is not None or question.test == "bootstrap":
        return None
    line = methods_of(question.spec.entry.name).linear_in_auc if question.spec.is_plain else None
    folded = has_fits(a) and ranks_rows(question.spec)
    if question.test == "delong" and line is None:
        raise OptionError(keyword("test", "'delong'") + " compares AUCs only.")
    if question.test not in ("auto", "delong"):
        raise OptionError(
            keyword("test", repr(question.test)) + " assumes independent rows, but these rows are in clusters: leave "
            "it out, and the comparison allows for them."
        )
    shared = a.cluster.values == b.cluster.values
    if line is not None and not folded and "binary" == a.task == b.task and (is_paired or shared):
        from thresher.inference.differences.difference import scaled

        return scaled(_difference_of_areas(a, b, is_paired=is_paired), line[0])
    measure = in_task(a, question.spec)
    if measure.fixed is not None and 0 < measure.fixed[1] < 1 and not folded:
        from thresher.inference.comparing.rows import rate_of_clusters

        one, two = _cluster_codes((a, b))
        return rate_of_clusters(sample_of(a), sample_of(b), measure, (one, two), is_paired=is_paired)
    ((most, _),) = [each for each in _split_by_cost({measure.text: measure}) if each[1]]
    ((one,), (two,)) = leave_clusters_out((a, b), _values([measure], value_of), most)
    one, two = (replace(own, rests_on=_resting_on(side, measure)) for own, side in ((one, a), (two, b)))
    found = jackknife_difference(one, two, measure.entry.bounds, design="paired" if is_paired else "unpaired")
    found = replace(found, warnings=(*found.warnings, *_warnings_of(measure)))
    if measure.rates is None:
        return found
    from thresher.inference.comparing.rows import BY_JACKKNIFE, refused_beyond_cut

    return refused_beyond_cut(found, sample_of(a), sample_of(b), measure, is_paired=is_paired, least=BY_JACKKNIFE)


def _difference_of_areas(a: Subject, b: Subject, *, is_paired: bool) -> Difference:
    from thresher.inference.auc import clustered

    one, two = a.cluster_sums, b.cluster_sums
    assert one is not None
    assert two is not None
    if is_paired:
        return clustered.clustered_difference(one.beside(two))
    # Groups of the same rows have sums over all clusters, in one order.
    return clustered.groups_difference(one, two, covariance=clustered.shared_covariance(one, two))


def in_task(subject: Subject, measure: MeasureSpec) -> MeasureSpec:
    """Measure under its name in the task: of several classes a loss is one of their posteriors."""
    entry = of_posteriors(measure.entry.name) if subject.task == "multiclass" else None
    return measure if entry is None else replace(measure, entry=entry)
