"""Standard errors within each replicate, which the studentized bootstrap divides by."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from thresher import kernel
from thresher.conventions import Floats, divide
from thresher.counts import ScoreTable
from thresher.errors import OptionError
from thresher.inference.auc.delong import delong_variance
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.replicates import BYTES_AT_ONCE
from thresher.inference.bootstrap.sample import Sample, Scored
from thresher.inference.bootstrap.statistics import Resolved, cells_of
from thresher.inference.estimates.methods import methods_of


def standard_errors(sample: Sample, scored: Scored, resolved: Resolved, config: Bootstrap) -> tuple[float, Floats]:
    """Standard error on the data and on each replicate: DeLong's of the AUC, √(p(1 − p)/trials) of a proportion.

    Raises:
        OptionError: the measure has no standard error, or rows have importance weights or clusters.
    """
    known = methods_of(resolved.name).line is not None or (resolved.entry is not None and resolved.entry.proportion)
    if not known or (resolved.entry is not None and scored.table.prior is not None):
        raise OptionError(
            f"method='studentized' needs a standard error in every replicate, which is there for the AUC, Gini and "
            f"proportions, not for {resolved.name}: take method='bca'."
        )
    if scored.rows.weights is not None or sample.drawn.startswith("clusters"):
        raise OptionError("method='studentized' takes rows that count once, without clusters: take method='bca'.")
    found = np.empty(config.n)
    step = max(1, BYTES_AT_ONCE // (32 * max(1, sample.rows)))
    for first in range(0, config.n, step):
        count = min(step, config.n - first)
        drawn = kernel.draws(sample.sizes, count, seed=config.rng, first=first)
        found[first : first + count] = _errors(scored.tables(drawn), resolved)
    one = replace(scored.table, positive=scored.table.positive[None], negative=scored.table.negative[None])
    return float(_errors(one, resolved)[0]), found


def _errors(tables: ScoreTable, resolved: Resolved) -> Floats:
    if (line := methods_of(resolved.name).line) is not None:
        parts = (replace(tables, positive=p, negative=n) for p, n in zip(tables.positive, tables.negative, strict=True))
        variances = np.array([delong_variance(part).variance for part in parts])
        return np.asarray(line[0] * np.sqrt(variances))
    assert resolved.entry is not None
    tp, fp = (column[..., : resolved.cut].sum(axis=-1) for column in (tables.positive, tables.negative))
    successes, trials = (np.asarray(x) for x in _ratio(resolved, tp, fp, tables))
    share = divide(successes, trials)
    return np.asarray(np.sqrt(divide(share * (1 - share), trials)))


def _ratio(resolved: Resolved, tp: Any, fp: Any, tables: ScoreTable) -> tuple[Any, Any]:
    assert resolved.entry is not None
    return resolved.entry.ratio(cells_of(tp, fp, tables.P, tables.N))
