"""Values of measures without each cluster of rows, for the intervals and comparisons of rows in clusters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.conventions import stand_in
from thresher.curves.value_at import value_at
from thresher.design_warnings import DesignWarning, extreme_of_clusters, noise_adds
from thresher.errors import InputError, OptionError, UnknownMeasureError
from thresher.evaluation.subject import Subject, Unavailable
from thresher.evaluation.within_folds import fits_of, has_fits
from thresher.inference.estimates.methods import methods_of, methods_of_posteriors, on_line, ranks_rows
from thresher.inference.variance import GROUPS, LeftOut, clustered_difference, clustered_estimate, groups_of
from thresher.measures.measure_text import Wanted, wanted
from thresher.measures.posteriors import of_posteriors
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

EXTREME = 1000
"""Rows below which an extreme over thresholds is moved."""

NO_CLUSTERS = "no interval: the formula assumes independent rows; use a bootstrap, which resamples clusters"
"""Why what has no value without a cluster has no interval either."""


def value_of(subject: Subject, asked: Wanted) -> float:
    """Value of a measure of a subject, without what an interval takes; NaN where it is undefined.

    >>> import thresher as th
    >>> model = th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])["score"]
    >>> value_of(model, wanted("auc")), value_of(model, wanted("recall"))
    (0.75, 0.5)
    """
    if ranks_rows(asked) and has_fits(subject):
        parts = fits_of([subject])[0]
        return math.fsum(_value(part, asked) for (part,) in parts) / len(parts) if parts else math.nan
    return _value(subject, asked)


def _value(subject: Subject, asked: Wanted) -> float:
    entry = asked.entry
    if asked.at is not None:
        options: dict[str, Any] = {"at": asked.at.name, "value": asked.at_value, "rule": asked.rule}
        return value_at(subject.scores, entry.name, **options, **asked.parameters).value
    if asked.part is not None:
        from thresher.curves.regions import part_area

        return part_area(subject.scores, asked.part).raw
    if subject.task == "multilabel":
        from thresher.evaluation.multilabel import Multilabel

        return Multilabel().estimate(replace(subject, bootstrap=None), entry.name).value
    statistic: Any = subject.statistic(entry.needs)
    found = math.nan if isinstance(statistic, Unavailable) else float(entry(statistic, **asked.parameters))
    return stand_in(subject.undefined) if math.isnan(found) else found


def left_out(subjects: Sequence[Subject], of: Values, most: int = GROUPS) -> list[list[LeftOut]]:
    """Values of each of some subjects on the same clusters, with what they are without each of these.

    Clusters that several subjects share are left out of all of them at once; no more than so many groups are.
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
    for subject, unit in zip(map(_alone, subjects), each, strict=True):
        whole = np.asarray(of(subject), dtype=np.float64)
        rest = np.stack([_without(subject, unit == k, of, whole) for k in range(many)]) if many else whole[:0]
        pairs = zip(whole.tolist(), rest.T, strict=True)
        found.append([LeftOut(value=value, without=column, clusters=len(used)) for value, column in pairs])
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


def _alone(subject: Subject) -> Subject:
    """Subject on its own columns of the rows, which know of no clusters."""
    rows, name = subject.rows, subject.name
    own: dict[str, Any] = {
        column: {name: getattr(rows, column)[name]} if name in getattr(rows, column) else {}
        for column in ("scores", "posteriors", "predicted")
    }
    rows = replace(rows, **own, by={}, cluster=None, notes=())
    return replace(subject, predictions=rows, bootstrap=None, is_resampled=False)


def allowing(
    subject: Subject,
    found: Mapping[str, Estimate],
    of: Values,
    bounds: Sequence[tuple[float, float]],
    *,
    level: float,
    rests_on: int = 0,
    most: int = GROUPS,
) -> dict[str, Estimate]:
    """Estimates whose intervals allow for the clusters of the rows; `of` gives their values, in order.

    They rest on the rows of so many clusters, 0 where that is not known.
    """
    if subject.cluster is None or not found:
        return dict(found)
    (each,) = left_out([subject], of, most)
    known = [replace(own, rests_on=rests_on) for own in each]
    pairs = zip(found.items(), known, bounds, strict=True)
    return {name: clustered_estimate(estimate, own, ends, level=level) for (name, estimate), own, ends in pairs}


def with_clusters(subject: Subject, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates of rows in clusters, where there are such, with intervals that allow for them.

    The AUC has that of Obuchowski's variance, all others the jackknife's, unless they were resampled; what is no
    measure has none.
    """
    if subject.cluster is None:
        return found
    found = found | _areas(subject, found)
    still = {n: estimate for n, estimate in found.items() if estimate.method is not None and not _is_settled(estimate)}
    asked = {name: each for name in still if (each := _asked(subject, name)) is not None}
    given: dict[str, Any] = {"level": subject.level, "rests_on": _resting_on(subject)}
    own: dict[str, Estimate] = {}
    for most, some in _by_groups(asked):
        bounds = [each.entry.bounds for each in some.values()]
        named = {name: found[name] for name in some}
        own |= allowing(subject, named, _values(some.values()), bounds, most=most, **given)
    for name, asked_for in asked.items():
        own[name] = replace(own[name], warnings=(*own[name].warnings, *_of_extremes(asked_for)))
    return found | {name: withheld(estimate) for name, estimate in still.items()} | own


def _by_groups(asked: Mapping[str, Wanted]) -> Iterator[tuple[int, dict[str, Wanted]]]:
    """Measures with the groups of clusters that are left out; of tuples of rows, which take long, fewer."""
    slow = {name: each for name, each in asked.items() if methods_of_posteriors(each.entry.name).of_tuples}
    yield GROUPS, {name: each for name, each in asked.items() if name not in slow}
    yield FEW_GROUPS, slow


def _of_extremes(asked: Wanted) -> tuple[DesignWarning, ...]:
    """Warning of a measure that is an extreme over thresholds, or that noise adds to."""
    own = methods_of(asked.entry.name)
    if own.is_biased:
        return noise_adds(where=asked.title)
    return extreme_of_clusters(where=asked.title) if own.moved >= EXTREME else ()


def _resting_on(subject: Subject) -> int:
    """Clusters with rows of the class that fewest have rows of."""
    column, rows = subject.cluster, subject.rows
    if column is None:
        return 0
    sides = [rows.truth == k for k in range(len(rows.classes))] if rows.truth.ndim == 1 else [slice(None)]
    return min(np.unique(column.codes[side]).size for side in sides)


def _values(asked: Iterable[Wanted]) -> Values:
    every = list(asked)
    return lambda part: [value_of(part, each) for each in every]


def _is_settled(found: Estimate) -> bool:
    """Whether an estimate is no number, or its interval allows for clusters."""
    return math.isnan(found.value) or any(word in (found.method or "") for word in ("bootstrap", "cluster"))


def withheld(found: Estimate) -> Estimate:
    """Estimate without the interval of a formula that takes rows as independent."""
    bare: dict[str, Any] = dict.fromkeys(("standard_error", "low", "high", "level", "method"))
    return replace(found, reason=found.reason or NO_CLUSTERS, warnings=(), **bare)


def _asked(subject: Subject, name: str) -> Wanted | None:
    """Measure that leaving out clusters tells of; None of what is no measure."""
    try:
        found = wanted(name)
    except (UnknownMeasureError, OptionError):
        return None
    return None if methods_of(found.entry.name).refused else _of_task(subject, found)


def _of_task(subject: Subject, asked: Wanted) -> Wanted:
    """Measure under its name in the task: of several classes a loss is one of their posteriors."""
    entry = of_posteriors(asked.entry.name) if subject.task == "multiclass" else None
    return asked if entry is None else replace(asked, entry=entry)


def _areas(subject: Subject, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """The AUC, and what is a line of it, with the interval of rows in clusters, unless resampled."""
    lines = {n: line for n, e in found.items() if (line := _line(n)) and not _is_settled(e)}
    sums = subject.cluster_sums if lines and subject.task == "binary" and not has_fits(subject) else None
    if sums is None:
        return {}
    from thresher.inference.auc.clustered import clustered_estimate as of_area
    from thresher.inference.auc.delong import delong_variance

    area = of_area(sums, delong_variance(subject.scores), level=subject.level)
    return {name: replace(on_line(area, name, line), value=found[name].value) for name, line in lines.items()}


def _line(name: str) -> tuple[float, float] | None:
    """How a measure of scores is made of the AUC; None where it is not."""
    entry = known(name)
    return None if entry is None else methods_of(entry.name).line


def difference_of_clusters(a: Subject, b: Subject, question: Question, *, is_paired: bool) -> Difference | None:
    """Difference of two subjects of rows in clusters, on the same rows or not; None without clusters or by resampling.

    Areas have Obuchowski's variance, all others the jackknife's over the clusters of both.

    Raises:
        OptionError: a test was asked for that takes rows as independent.
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
        from thresher.inference.comparing.rows import scaled

        return scaled(_difference_of_areas(a, b, is_paired=is_paired), line[0])
    asked = _of_task(a, question.wanted)
    ((most, _),) = [each for each in _by_groups({asked.text: asked}) if each[1]]
    ((one,), (two,)) = left_out((a, b), _values([asked]), most)
    found = clustered_difference(one, two, asked.entry.bounds, kind="paired" if is_paired else "unpaired")
    return replace(found, warnings=(*found.warnings, *_of_extremes(asked)))


def _difference_of_areas(a: Subject, b: Subject, *, is_paired: bool) -> Difference:
    from thresher.inference.auc import clustered

    one, two = a.cluster_sums, b.cluster_sums
    assert one is not None
    assert two is not None
    if is_paired:
        return clustered.clustered_difference(one.beside(two))
    # Groups of the same rows have sums over all clusters, in one order.
    return clustered.groups_difference(one, two, covariance=clustered.shared_covariance(one, two))
