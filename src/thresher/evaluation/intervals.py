"""What a bootstrap and clusters make of the intervals of a subject."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from thresher.conventions import stand_in
from thresher.counts.cluster_rates import DEPENDENT
from thresher.evaluation.subject import Subject
from thresher.inference.estimates.methods import methods_of, on_line
from thresher.inference.matrices.clustered_rates import IGNORED, as_ignoring, clustered_rate
from thresher.measures.averaging import split_average
from thresher.measures.registry import known
from thresher.results import Estimate, TestResult, about_value

if TYPE_CHECKING:
    from thresher.counts.clusters import ClusterSums
    from thresher.inference.comparing.compare import Question
    from thresher.inference.comparing.rows import Side
    from thresher.inference.differences.difference import Difference

TOO_NARROW = (
    "rows of one cluster are not independent, and intervals and tests by formulas, but for those of the AUC and "
    "intervals of rates, take them as if they were: they are too narrow; a bootstrap draws whole clusters"
)
"""Note of an evaluation whose rows have clusters that not every model's bootstrap draws."""

UNTESTED = f"{DEPENDENT}, and the test takes them as if they were"
"""Why a test of one model has no outcome for rows in clusters."""


def notes_on(shown: Iterable[str | None], notes: Iterable[str]) -> list[str]:
    """Notes on what is shown, by its methods and reasons: what is said of clusters only where some ignores them.

    >>> notes_on(["DeLong"], [TOO_NARROW, "two rows were dropped"]), len(notes_on([f"Wald, {IGNORED}"], [TOO_NARROW]))
    (['two rows were dropped'], 1)
    """
    is_ignoring = any(IGNORED in (text or "") for text in shown)
    return [note for note in notes if is_ignoring or note != TOO_NARROW]


def draws_clusters(subject: Subject) -> bool:
    """Whether a bootstrap was asked for that draws clusters, which no formula does as well."""
    if subject.bootstrap is None or subject.bootstrap.clusters is False:
        return False
    return subject.cluster is not None or isinstance(subject.bootstrap.clusters, str)


def has_clusters(subject: Subject) -> bool:
    """Whether rows that belong together were named, by the rows or by the bootstrap."""
    return subject.cluster is not None or draws_clusters(subject)


def resamples_all(subject: Subject) -> bool:
    """Whether the bootstrap serves every measure: it was given for the very measure, or draws clusters."""
    return subject.bootstrap is not None and (subject.is_resampled or draws_clusters(subject))


def to_resample(subject: Subject, found: dict[str, Estimate]) -> list[str]:
    """Names of the estimates that a bootstrap gives an interval.

    Those without one, what several classes have in common, of which formulas are approximate, or all that it serves.
    """
    if subject.bootstrap is None:
        return []
    every = resamples_all(subject)
    wanted = (name for name, e in found.items() if every or e.low is None or _of_several_classes(subject, name))
    return [name for name in wanted if math.isfinite(found[name].value) and not _is_refused(name)]


def _is_refused(name: str) -> bool:
    """Whether a measure, or that of an average, is given no interval at all."""
    entry = known(split_average(name)[1])
    return entry is not None and methods_of(entry.name).refused is not None


def _of_several_classes(subject: Subject, name: str) -> bool:
    """Whether a measure is a mean over several classes of decisions, or the information of their matrix."""
    if not subject.has_several_classes or name.endswith("_auc"):
        return False
    own = methods_of(name)
    return name.startswith(("macro_", "weighted_")) or own.mean_of is not None or own.is_information


def with_clusters(subject: Subject, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates of rows in clusters, where there are such: an AUC by sums of them, if it was not resampled.

    Others with an interval by a formula say that it takes rows as independent.
    """
    if not has_clusters(subject):
        return found
    return {n: as_ignoring(e) for n, e in with_clustered_rates(subject, with_clustered_areas(subject, found)).items()}


def by_formulas(subject: Subject) -> Callable[[Estimate], Estimate]:
    """What clusters, if any, make of an estimate whose interval may be by a formula that takes rows as independent."""
    return as_ignoring if has_clusters(subject) else lambda found: found


def withheld(subject: Subject, tests: Mapping[str, TestResult]) -> dict[str, TestResult]:
    """Tests of one model by formulas that take rows as independent; of rows in clusters without an outcome."""
    return {name: test.withheld(UNTESTED) for name, test in tests.items()} if has_clusters(subject) else dict(tests)


def side_of(subject: Subject) -> Side:
    """Subject as the tests take it; one with posteriors by the classes that it decides for."""
    from thresher.inference.comparing.rows import Side

    rows = subject.rows
    if subject.task == "multiclass":
        rows = replace(rows, predicted={**rows.predicted, subject.name: subject.decided})
    return Side(rows=rows, model=subject.name, threshold=subject.threshold, threshold_reason=subject.threshold_reason)


def resampled(
    subject: Subject, wanted: dict[str, Estimate], rows: Any, name: str, **options: Any
) -> dict[str, Estimate]:
    """Estimates with intervals from one set of replicates; a reason that is about the value stays."""
    from thresher.inference.bootstrap.intervals import bootstrap_replicates, estimates_of

    options["undefined"] = stand_in(subject.undefined)
    replicates = bootstrap_replicates(rows, list(wanted), subject.bootstrap, models=(name,), **options)
    found = {}
    for (key, before), after in zip(wanted.items(), estimates_of(replicates, level=subject.level), strict=True):
        reasons = [*about_value(before.reason), *(() if after.reason is None else (after.reason,))]
        is_worse = after.low is None and before.low is not None
        found[key] = before if is_worse else replace(after, reason="; ".join(reasons) or None)
    return found


def with_clustered_areas(subject: Subject, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates of which the AUC, and what is a line of it, has the interval of rows in clusters, unless resampled."""
    lines = {name: line for name, e in found.items() if (line := _line(name)) and not _is_settled(e)}
    if not lines or (sums := _sums(subject)) is None:
        return found
    from thresher.inference.auc.clustered import clustered_estimate
    from thresher.inference.auc.delong import delong_variance

    area = clustered_estimate(sums, delong_variance(subject.scores), level=subject.level)
    changed = {name: replace(on_line(area, name, line), value=found[name].value) for name, line in lines.items()}
    return found | changed


def _line(name: str) -> tuple[float, float] | None:
    """How a measure of scores is made of the AUC; None where it is not."""
    entry = known(name)
    return None if entry is None else methods_of(entry.name).line


def _is_settled(found: Estimate) -> bool:
    """Whether an estimate is undefined, or was resampled."""
    return math.isnan(found.value) or "bootstrap" in (found.method or "")


def with_clustered_rates(subject: Subject, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates of which ratios of decided rows have the interval of rows in clusters, unless resampled."""
    wanted = {n: entry for n, e in found.items() if (entry := known(n)) is not None and not _is_settled(e)}
    matrix = subject.confusion_matrix if wanted else None
    sums = None if matrix is None else matrix.clusters
    if sums is None or not sums.cuts:
        return found
    changed = {name: clustered_rate(found[name], entry, sums, level=subject.level) for name, entry in wanted.items()}
    return found | {name: estimate for name, estimate in changed.items() if estimate is not None}


def _sums(subject: Subject) -> ClusterSums | None:
    """Sums of the clusters of a subject, unless its bootstrap is told to ignore them."""
    if subject.task != "binary" or (subject.bootstrap is not None and subject.bootstrap.clusters is False):
        return None
    return subject.cluster_sums


def difference_of_clusters(a: Subject, b: Subject, question: Question) -> Difference | None:
    """Difference of the AUCs of two scores of the same rows in clusters; None where another method is asked for."""
    line = _tested_line(question)
    one, two = (None, None) if line is None else (_sums(a), _sums(b))
    if line is None or one is None or two is None:
        return None
    from thresher.inference.auc.clustered import clustered_difference
    from thresher.inference.comparing.rows import scaled

    return scaled(clustered_difference(one.beside(two)), line[0])


def difference_of_groups(a: Subject, b: Subject, question: Question) -> Difference | None:
    """Difference of the AUCs of two groups of rows in clusters; None where another method is asked for."""
    line, one, two = _tested_line(question), a.cluster, b.cluster
    if line is None or one is None or two is None or one.values != two.values:
        return None
    first, second = _sums(a), _sums(b)
    if first is None or second is None:
        return None
    from thresher.inference.auc.clustered import groups_difference, shared_covariance
    from thresher.inference.comparing.rows import scaled

    # Groups of the same rows have sums over all clusters, in one order.
    return scaled(groups_difference(first, second, covariance=shared_covariance(first, second)), line[0])


def _tested_line(question: Question) -> tuple[float, float] | None:
    """How the measure of a question is made of the AUC, where sums over clusters test it."""
    plain = question.wanted.at is None and question.wanted.is_plain
    is_asked = plain and question.test in ("auto", "delong") and question.bootstrap is None
    return methods_of(question.wanted.entry.name).line if is_asked else None
