"""`Replicates`: the values of several statistics on the same resamples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.threads import Progress, current_progress, ordered_map
from thresher.conventions import Floats, Undefined, stand_in
from thresher.errors import InputError
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.limits import ResampledValue, clusters_of
from thresher.inference.bootstrap.sample import (
    BYTES_AT_ONCE,
    ROWS_AT_ONCE,
    Data,
    Sample,
    Scored,
    cells_of_model,
    chunks,
    sample_of,
)
from thresher.inference.bootstrap.statistics import Resolved, Statistic, is_of_decisions, resolve, with_stand_in
from thresher.inference.estimates.methods import methods_of
from thresher.kernel.values import FIXED

AT_LEAST = 16
"""Least replicates between two reports, as each part prepares the rows anew."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Replicates:
    """Values of statistics on the data (`observed`: models × statistics) and on each resample (`values`).

    The first axis of `values` is the replicate; NaN marks undefined values.
    """

    names: tuple[str, ...]
    observed: Floats
    values: Floats
    sample: Sample
    statistics: tuple[tuple[Resolved, ...], ...]
    config: Bootstrap
    given: bool

    def resampled(self, value: float, replicates: Floats, bounds: tuple[float, float], **facts: Any) -> ResampledValue:
        """Return one value, or a difference, with its replicates and their origin."""
        table, scored = self.sample.models[0].table, self.sample.models[0]
        is_weighted = table.positive_squares is not None
        counts = (scored.positive, scored.negative) if is_weighted else (table.positive, table.negative)
        return ResampledValue(
            value=value, replicates=replicates, bounds=bounds, config=self.config, drawn=self.sample.drawn,
            clusters=clusters_of(self.sample.drawn, self.sample.sizes), is_given=self.given,
            fewest=min(int(side.sum()) for side in counts), **facts,
        )  # fmt: skip


def bootstrap_replicates(
    data: Data,
    statistics: Statistic | Sequence[Statistic],
    config: Bootstrap | None = None,
    *,
    models: Sequence[str | None] = (None,),
    threshold: float | None = None,
    resamples: ArrayLike | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    undefined: Undefined = "nan",
    **parameters: Any,
) -> Replicates:
    """Compute statistics of one or more models on the same bootstrap resamples.

    Args:
        data: a table of one score, or predictions; with importance weights, clusters or several models the predictions.
        statistics: names of measures, or functions of a `ScoreTable` such as `RocAt(0.01)`.
        config: settings of the replicates; `Bootstrap()` by default.
        models: names of the models; the only one by default.
        threshold: threshold of threshold metrics.
        resamples: (replicates, rows) row indices from 0 instead of draws; the settings' `n` is then ignored.
        progress: called with the numbers of finished and of all replicates.
        threads: most threads; the numbers do not depend on it.
        undefined: number in place of 0/0, on the data and on the resamples.
        parameters: of the measures, such as `beta=2`.

    Raises:
        InputError, OptionError, RowsNeededError, UnknownMeasureError: as the parts say.

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3])
    >>> found = bootstrap_replicates(table, ["auc", "average_precision"], Bootstrap(n=100))
    >>> found.values.shape
    (100, 1, 2)

    Efron & Tibshirani 1993.
    """
    config = config or Bootstrap()
    wanted = [statistics] if isinstance(statistics, str) or callable(statistics) else list(statistics)
    indices = None if resamples is None else _checked(resamples)
    # Studentized limits need the error of each resample, from its rows.
    is_drawn_alike = indices is None and config.method != "studentized" and all(map(is_of_decisions, wanted))
    sample = sample_of(data, models, config, by_row=indices is not None, cut=threshold if is_drawn_alike else None)
    if indices is not None:
        rows = sample.units
        if indices.size and not 0 <= int(indices.min()) <= int(indices.max()) < rows:
            raise InputError(f"resamples name rows from {indices.min()} to {indices.max()}; there are 0 to {rows - 1}.")
        sample, config = replace(sample, given=indices), replace(config, n=len(indices))
    found = [
        tuple(
            with_stand_in(resolve(statistic, scored.table, threshold, dict(parameters)), stand_in(undefined))
            for statistic in wanted
        )
        for scored in sample.models
    ]
    report = current_progress(progress)
    if sample.decided is not None:
        columns = _decided(sample, found, config)
        report(config.n, config.n)
    else:
        columns = [
            resampled_values(sample, s, rs, config, threads, report) for s, rs in zip(sample.models, found, strict=True)
        ]
    observed = [[float(r.of(s.table)) for r in rs] for s, rs in zip(sample.models, found, strict=True)]
    return Replicates(
        names=tuple(r.name for r in found[0]),
        observed=np.array(observed, dtype=np.float64),
        values=np.stack(columns, axis=1),
        sample=sample,
        statistics=tuple(found),
        config=config,
        given=indices is not None,
    )


def _decided(sample: Sample, found: Sequence[tuple[Resolved, ...]], config: Bootstrap) -> list[Floats]:
    """Values of each model's threshold metrics on resamples of rows with the same decisions."""
    drawn, columns = sample.resamples_of_decisions(config), []
    for place, resolved in enumerate(found):
        cells = cells_of_model(drawn, place, len(found))
        columns.append(np.stack([r.decision(cells) for r in resolved if r.decision is not None], axis=1))
    return columns


def resampled_values(
    sample: Sample,
    scored: Scored,
    resolved: tuple[Resolved, ...],
    config: Bootstrap,
    threads: int | None,
    report: Progress,
) -> Floats:
    """Values of one model's statistics (columns) on resamples, chunk by chunk; tables on several threads."""
    out = np.empty((config.n, len(resolved)))
    is_by_table = sample.weights is not None or sample.given is not None
    by_table = [k for k, r in enumerate(resolved) if r.summarized is None or is_by_table]
    rows = max(1, sample.rows)

    def fill(part: slice) -> None:
        first, count = part.start, part.stop - part.start
        if len(by_table) < len(resolved):
            _summarized(sample, scored, resolved, (config.rng, first, count), threads, out[part])
        if by_table:
            tables = scored.tables(sample.draws(config, first, count, threads))
            for k in by_table:
                out[part, k] = resolved[k].of(tables)

    size = BYTES_AT_ONCE // (32 * rows) if by_table else max(AT_LEAST, ROWS_AT_ONCE // rows)
    parts = list(chunks(config.n, size))
    are_parallel = by_table and threads is None and len(parts) > 1
    for part, _ in zip(parts, (ordered_map if are_parallel else map)(fill, parts), strict=True):
        report(part.stop, config.n)
    return out


def _summarized(
    sample: Sample, scored: Scored, resolved: tuple[Resolved, ...], stream: tuple[int, int, int],
    threads: int | None, out: Floats,
) -> None:  # fmt: skip
    seed, first, count = stream
    rates = sorted({r.rate for r in resolved if r.rate is not None})
    ranks = sorted({r.cut for r in resolved if r.cut is not None})
    ends = [np.append(0, np.cumsum(column)) for column in (scored.positive, scored.negative)]
    cuts = np.array([[end[rank] for end in ends] for rank in ranks], dtype=np.int64)
    detailed = any(r.cut is None and r.rate is None and methods_of(r.name).linear_in_auc is None for r in resolved)
    options: dict[str, Any] = {"detailed": detailed, "seed": seed, "first": first, "threads": threads}
    table = kernel.replicates(sample.sizes, scored.rows, count, rates=rates, cuts=cuts, **options)
    summary, extra = table[:, :FIXED], table[:, FIXED:]
    for k, r in enumerate(resolved):
        if r.summarized is None:
            continue
        columns: list[int] = []
        if r.rate is not None:
            columns = [rates.index(r.rate)]
        if r.cut is not None:
            place = len(rates) + ranks.index(r.cut)
            columns = [place, place + len(ranks)]
        out[:, k] = r.summarized(summary, extra[:, columns])


def _checked(resamples: ArrayLike) -> NDArray[np.int64]:
    indices = np.asarray(resamples)
    if indices.ndim != 2 or indices.dtype.kind not in "iu" or len(indices) < 2:
        raise InputError("resamples must be two or more rows of whole row indices, one row a resample.")
    return indices.astype(np.int64)
