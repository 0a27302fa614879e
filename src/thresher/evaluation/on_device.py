"""Scores on a device, counted there: only their distinct values and the counts of each come to the host."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher._util.foreign_arrays import (
    LARGE,
    DistinctPairs,
    has_float64,
    is_on_device,
    namespace,
    without_half_precision,
)
from thresher.conventions import Direction, direction_of
from thresher.counts.rounding import BITS, rounded_by_namespace
from thresher.errors import InputError
from thresher.readers.arrays import SINGLE

if TYPE_CHECKING:
    from thresher.counts import Counts


def is_counted_there(data: Any, scores: Any, others: Mapping[str, Any]) -> bool:
    """Return whether rows can be counted on their device: a column of labels, columns of scores, and nothing else."""
    columns = [data, *(scores.values() if isinstance(scores, Mapping) else [scores])]
    plain = all(is_on_device(column) and len(column.shape) == 1 for column in columns)
    return plain and all(value is None for value in others.values())


def is_large(data: Any, scores: Any, others: Mapping[str, Any]) -> bool:
    """Return whether one model's rows are counted on their device, rather than copied to be evaluated as rows."""
    single = not isinstance(scores, Mapping) or len(scores) == 1
    if not (single and is_counted_there(data, scores, others)):
        return False
    [column] = scores.values() if isinstance(scores, Mapping) else [scores]
    return int(column.shape[0]) * np.dtype(np.float64).itemsize > LARGE


def count_on_device(
    count: Callable[..., Counts], data: Any, scores: Any, *, resolution: Any, thresholds: Any, **options: Any
) -> Counts:
    """Count rows on their device; `count` counts the distinct ones on the host, with these `options`.

    Without a resolution scores are exact up to a million distinct ones.
    """
    from thresher.evaluation.counted_rows import check_cuts, cuts_of

    named = scores if isinstance(scores, Mapping) else {SINGLE: scores}
    check_cuts(thresholds, named)
    tables = {}
    for name, column in named.items():
        if data.shape != column.shape:
            raise InputError(f"there are {data.shape[0]:,} labels and {column.shape[0]:,} scores of {name!r}.")
        direction, cuts = direction_of(options["direction"], name), cuts_of(thresholds, name)
        rows, used = _distinct_rows(data, column, resolution, direction, cuts)
        labels, values, often = rows.to_host()
        given = {"weights": often, "weight_kind": "frequency", "resolution": used, "thresholds": cuts}
        found = count(labels, {name: values}, **options | given | {"direction": direction})
        tables[name] = replace(found[name], weight_kind=None)
    read = int(data.shape[0])
    return replace(found, groups={(): tables}, read=read, dropped=read - int(tables[name].P + tables[name].N))


def _distinct_rows(
    truth: Any, scores: Any, resolution: Any, direction: Direction, cuts: Sequence[float]
) -> tuple[DistinctPairs, Any]:
    """Return distinct rows of rounded scores, or of the scores as they are, and the resolution that they have."""
    from thresher.counts.builder import EXACT_ROWS

    rows = DistinctPairs(truth, scores)
    if resolution is None:
        resolution = BITS if len(rows) > EXACT_ROWS else "exact"
    if resolution == "exact" or not has_float64(scores):
        return rows, resolution
    xp = namespace(scores)
    near = rounded_by_namespace(xp, xp.astype(without_half_precision(scores), xp.float64), resolution, direction, cuts)
    return DistinctPairs(truth, near), resolution
