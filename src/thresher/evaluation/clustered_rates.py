"""Intervals of rates of a subject whose rows lie in clusters."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from thresher.counts.decimal_cuts import written
from thresher.inference.matrices.clustered_rates import LIMITS, clustered_rate, ratio_of_cells
from thresher.measures.registry import known

if TYPE_CHECKING:
    from thresher.evaluation.subject import Subject
    from thresher.results import Estimate


def with_clustered_rates(subject: Subject, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates of which ratios of decided rows have the interval of rows in clusters, unless resampled."""
    wanted = {name: entry for name in found if (entry := known(name)) is not None and _is_open(found[name])}
    matrix = subject.confusion_matrix if wanted else None
    sums = None if matrix is None else matrix.clusters
    if sums is None or not sums.cuts:
        why = _uncounted(subject)
        unknown = {n: found[n] for n, entry in wanted.items() if why is not None and ratio_of_cells(entry) is not None}
        gone: dict[str, Any] = dict.fromkeys(LIMITS) | {"reason": why, "warnings": ()}
        return found | {n: replace(e, **gone) for n, e in unknown.items()}
    changed = {name: clustered_rate(found[name], entry, sums, level=subject.level) for name, entry in wanted.items()}
    return found | {name: estimate for name, estimate in changed.items() if estimate is not None}


def _uncounted(subject: Subject) -> str | None:
    """Why rates of counted clusters are not known at the threshold, where they are at others."""
    known_sums = subject.rows.counts.clusters.rates if subject.has_counted_clusters else None
    cuts = [cut for name, cut in known_sums.cuts if name == subject.name] if known_sums is not None else []
    if not cuts or subject.threshold is None or subject.threshold in cuts:
        return None
    return (
        f"no interval: decisions at {written(subject.threshold)} were not counted by clusters, but at "
        f"{', '.join(written(cut) for cut in cuts)}: name the threshold when the rows are counted"
    )


def _is_open(found: Estimate) -> bool:
    return not math.isnan(found.value) and "bootstrap" not in (found.method or "")
