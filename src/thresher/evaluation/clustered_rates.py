"""Intervals of rates of a subject whose rows lie in clusters."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.conventions import Floats, is_positive
from thresher.counts.cluster_rates import RateSums, rate_sums
from thresher.inference.matrices.clustered_rates import LIMITS, clustered_rate, ratio_of_cells
from thresher.measures.registry import known

if TYPE_CHECKING:
    from thresher.evaluation.subject import Subject
    from thresher.results import Estimate


def with_clustered_rates(subject: Subject, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates of which ratios of decided rows have the interval of rows in clusters, unless resampled."""
    wanted = {name: entry for name in found if (entry := known(name)) is not None and _is_open(found[name])}
    sums = _rate_sums(subject) if wanted else None
    if sums is None:
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
        f"no interval: decisions at {subject.threshold:g} were not counted by clusters, but at "
        f"{', '.join(f'{cut:g}' for cut in cuts)}: name the threshold when the rows are counted"
    )


def _is_open(found: Estimate) -> bool:
    return not math.isnan(found.value) and "bootstrap" not in (found.method or "")


def _rate_sums(subject: Subject) -> RateSums | None:
    """Sums over clusters of what is decided; None where they are not known, or the bootstrap is told to ignore them."""
    ignored = subject.bootstrap is not None and subject.bootstrap.clusters is False
    if subject.predictions is None or ignored or len(subject.labels) != 2 or subject.task == "multilabel":
        return None
    rows, cut = subject.predictions, (subject.name, float(math.nan if subject.threshold is None else subject.threshold))
    if subject.has_counted_clusters:
        known_sums: RateSums | None = rows.counts.clusters.rates
        return known_sums.at([cut]) if known_sums is not None and cut in known_sums.cuts else None
    if rows.cluster is None or (math.isnan(cut[1]) and subject.name not in rows.predicted):
        return None
    if subject.name in rows.predicted:
        decided = rows.predicted[subject.name] == 1
    else:
        decided = is_positive(rows.scores[subject.name], cut[1], rows.direction_of(subject.name))
    weights: Floats = np.ones(len(rows)) if rows.weights is None else rows.weights
    many, codes, sides = len(rows.cluster.values), rows.cluster.codes, (rows.truth == 1, rows.truth != 1)
    held, hits = (
        np.stack([np.bincount(codes, weights * side * some, many) for side in sides]).astype(np.float64)
        for some in (1.0, decided)
    )
    return rate_sums([cut], held, hits[:, None])
