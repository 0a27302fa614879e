"""What sums of clusters make of the AUC of a subject, and of the difference of two."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from thresher.counts.clusters import ClusterSums
from thresher.evaluation.subject import Subject
from thresher.inference.auc.clustered import clustered_difference, clustered_estimate, error_of_clusters
from thresher.inference.comparing.rows import scaled
from thresher.inference.estimates.methods import methods_of
from thresher.measures.registry import known
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.counts.cluster_moments import Clusters
    from thresher.inference.comparing.compare import Question
    from thresher.inference.differences.difference import Difference


def with_clustered_areas(subject: Subject, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates of which the AUC, and what is a line of it, has the interval of rows in clusters, unless resampled."""
    lines = {name: line for name, e in found.items() if (line := _line(name)) and not _is_settled(e)}
    if not lines or (sums := _sums(subject)) is None:
        return found
    area, changed = clustered_estimate(sums, level=subject.level), {}
    for name, (scale, shift) in lines.items():
        low, high = (None if limit is None else scale * limit + shift for limit in (area.low, area.high))
        error = None if area.standard_error is None else abs(scale) * area.standard_error
        ends = (low, high) if scale > 0 else (high, low)
        value = found[name].value
        changed[name] = replace(area, name=name, value=value, low=ends[0], high=ends[1], standard_error=error)
    return found | changed


def _line(name: str) -> tuple[float, float] | None:
    """How a measure of scores is made of the AUC; None where it is not."""
    entry = known(name)
    return None if entry is None else methods_of(entry.name).line


def _is_settled(found: Estimate) -> bool:
    """Whether an estimate is undefined, or was resampled."""
    return math.isnan(found.value) or "bootstrap" in (found.method or "")


def known_clusters(models: Mapping[str, Subject]) -> list[str]:
    """What a reader must know of intervals from clusters that were added up by bins."""
    counts = next((m.predictions.counts for m in models.values() if m.predictions is not None), None)
    off = 0.0 if counts is None else error_of_clusters(counts.clusters)
    of = "AUCs" if len(models) < 2 else "AUCs and their differences"
    said = f"clusters were added up by bins of scores: standard errors of {of} are known to ±{100 * off:.2g} %"
    return [said] if off else []


def _sums(subject: Subject) -> Clusters | None:
    """Sums of the clusters of a subject, unless its bootstrap is told to ignore them."""
    if subject.task != "binary" or (subject.bootstrap is not None and subject.bootstrap.clusters is False):
        return None
    return subject.cluster_sums


def difference_of_clusters(a: Subject, b: Subject, question: Question) -> Difference | None:
    """Difference of the AUCs of two scores of the same rows in clusters; None where another method is asked for."""
    line = methods_of(question.wanted.entry.name).line
    plain = question.wanted.at is None and question.wanted.is_plain
    is_area = line is not None and plain and question.test in ("auto", "delong") and question.bootstrap is None
    both = _sums_of_both(a, b) if is_area else None
    return None if line is None or both is None else scaled(clustered_difference(both), line[0])


def _sums_of_both(a: Subject, b: Subject) -> Clusters | None:
    """Sums of the clusters of two scores of the same rows."""
    one, two = _sums(a), _sums(b)
    if one is None or two is None:
        return None
    if isinstance(one, ClusterSums) and isinstance(two, ClusterSums):
        return one.beside(two)
    whole: Clusters = a.rows.counts.clusters  # of counts that were saved or added up
    return whole.of([a.name, b.name])
