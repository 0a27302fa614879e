"""Samples of a bootstrap: units in strata, and the rows of each model by unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import Floats, is_positive
from thresher.counts import Cells, ScoreTable, ThresholdTable
from thresher.counts.scores import rank_of
from thresher.errors import InputError, OptionError, RowsNeededError, choice, keyword
from thresher.inference.bootstrap.config import Bootstrap
from thresher.kernel.resampling import LARGEST_STRATUM
from thresher.predictions import Predictions

Data = ScoreTable | ThresholdTable | Predictions

NOT_DRAWN = "frequency weights that are not whole cannot be drawn: use " + choice("weight_kind", "importance") + "."
"""Why fractions of rows cannot be resampled."""
ROWS_AT_ONCE = 20_000_000
"""Rows swept between two reports of progress."""

FOLDED, DRAWN_AT_ONCE = 16, 100
"""Mean frequency weights from which on rows are not repeated, and not drawn one by one."""

BYTES_AT_ONCE = 1 << 26
"""Memory for the tables of a chunk of replicates."""


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """One model: its table, the number of rows of each class in its cells, and these rows in order with their units."""

    table: ScoreTable
    positive: NDArray[np.int64]
    negative: NDArray[np.int64]
    rows: kernel.ScoredUnits

    @classmethod
    def of(cls, table: ScoreTable, positive: Any, negative: Any, units: Any = None, weights: Any = None) -> Scored:
        """Rows of a table with these numbers in its cells."""
        return cls(table, positive, negative, kernel.ScoredUnits.of(positive, negative, units, weights))

    def tables(self, drawn: NDArray[Any]) -> ScoreTable:
        """Batch of tables from multiplicities of units (replicates, units)."""
        weights, counts = self.rows.weigh(drawn), (self.positive, self.negative)
        positive, negative = (_by_cell(w, c) for w, c in zip(weights, counts, strict=True))
        return replace(self.table, positive=positive, negative=negative, positive_squares=None, negative_squares=None)

    def decided(self, rank: int) -> NDArray[np.int64]:
        """Rows of each class (positive first) predicted positive, and negative, by a cut after this rank."""
        return np.array([[own[:rank].sum(), own[rank:].sum()] for own in (self.positive, self.negative)])


Batch = tuple[slice, ScoreTable]
"""Slice of replicates, and their tables."""


def chunks(count: int, step: int) -> Iterator[slice]:
    """Yield consecutive slices of `count` items, each of at most `step` (at least one).

    >>> list(chunks(5, 3))
    [slice(0, 3, None), slice(3, 5, None)]
    """
    step = max(1, step)
    return (slice(first, min(first + step, count)) for first in range(0, count, step))


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Units to draw from, their number in each stratum (`sizes`), and the models with rows of these units.

    `drawn` names the units. `decided` (class, decision of the first model, of the second, …), positive before negative,
    counts the rows with the same decisions if only decisions of unweighted rows matter. `weights` are frequency weights
    of units, if these are large, `given` the units of resamples that are not drawn.
    """

    sizes: NDArray[np.int64]
    models: tuple[Scored, ...]
    drawn: str
    decided: NDArray[np.int64] | None = None
    weights: NDArray[np.int64] | None = None
    given: NDArray[np.int64] | None = None

    def draws(self, config: Bootstrap, first: int, count: int, threads: int | None = None) -> NDArray[Any]:
        """Return the multiplicity of each unit in `count` replicates from the first."""
        if self.given is not None:
            flat = self.given[first : first + count] + self.units * np.arange(count)[:, None]
            return np.bincount(flat.reshape(-1), minlength=self.units * count).reshape(count, self.units)
        stream: dict[str, Any] = {"seed": config.rng, "first": first, "threads": threads}
        if self.weights is None:
            return kernel.draws(self.sizes, count, **stream)
        if self.units <= DRAWN_AT_ONCE * self.weights.size:
            return kernel.drawn_cells(self.sizes, self.weights, count, **stream)[0]
        draws = np.random.default_rng((config.rng, first))
        strata = np.split(self.weights, np.searchsorted(np.cumsum(self.weights), self.sizes[:-1], side="right"))
        return np.concatenate([cells_drawn(draws, stratum, count) for stratum in strata], axis=1)

    def batches(self, scored: Scored, config: Bootstrap, threads: int | None = None) -> Iterator[Batch]:
        """Yield one model's tables on its resamples, in batches that fit the memory."""
        for part in chunks(config.n, BYTES_AT_ONCE // (32 * max(1, self.rows))):
            yield part, scored.tables(self.draws(config, part.start, part.stop - part.start, threads))

    @property
    def units(self) -> int:
        """Number of units."""
        return int(self.sizes.sum())

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.models[0].rows.positives + self.models[0].rows.negatives

    def resamples_of_decisions(self, config: Bootstrap) -> NDArray[np.int64]:
        """Resamples (n, class, decision of the first model, …) of rows with the same decisions."""
        assert self.decided is not None
        draws = np.random.default_rng(config.rng)
        if len(self.sizes) == 1:
            return cells_drawn(draws, self.decided, config.n)
        return np.stack([cells_drawn(draws, side, config.n) for side in self.decided], axis=1)


def cells_drawn(draws: np.random.Generator, cells: NDArray[np.int64], replicates: int) -> NDArray[np.int64]:
    """Resamples of rows in cells: the number of draws in each cell, replicates in front.

    A replicate of n rows counts the draws of each row. Rows of one cell are alike for any function of cells, so only
    sums of their counts matter. Each single draw falls into cell c with probability n_c/n, so the sums are multinomial
    (n; n_c/n) and are drawn directly. Independent Poisson(1) counts of the rows, each keyed by its row, are the same: a
    sum of n_c of them is Poisson(n_c), and given the total n such sums are that multinomial. A frequency weight of w
    means w draws. Neither serves clusters.
    """
    flat = cells.ravel()
    filled = np.flatnonzero(flat)
    out = np.zeros((replicates, flat.size), dtype=np.int64)
    if filled.size:
        out[:, filled] = draws.multinomial(int(flat.sum()), flat[filled] / flat.sum(), size=replicates)
    return out.reshape(replicates, *cells.shape)


def cells_of_model(decided: NDArray[np.int64], model: int, models: int) -> Cells:
    """Cells of one of several models from rows with the same decisions (last axes: class and decisions)."""
    own = decided.sum(axis=tuple(axis - models for axis in range(models) if axis != model)).astype(np.float64)
    return Cells(own[..., 0, 0], own[..., 1, 0], own[..., 0, 1], own[..., 1, 1])


def sample_of(
    data: Data, models: Sequence[str | None], config: Bootstrap, *, by_row: bool = False, cut: float | None = None
) -> Sample:
    """Units and models of some data.

    One model without importance weights and clusters is drawn from its table, so the order of rows does not matter;
    else units are rows (`by_row`: numbered as given, in one stratum) or clusters. With a `cut` only decisions at it
    matter, so rows without importance weights and clusters are counted by their decisions.
    """
    if not isinstance(data, Predictions):
        if by_row:
            raise RowsNeededError("given resamples need the rows: pass the predictions.")
        sample = _of_table(data.scores if isinstance(data, ThresholdTable) else data, config)
        scored = sample.models[0]
        return sample if cut is None else replace(sample, decided=scored.decided(scored.table.rank_of(cut)))
    names = [chosen_model(data, name) for name in models]
    clusters = clusters_drawn(data, config)
    weights = data.weights if data.weight_kind == "frequency" else None
    if clusters is None and not by_row and (data.weights is None or weights is not None):
        if weights is not None:
            check_whole_weights(weights)
        if cut is not None:
            return _of_decisions(data, names, cut, config.stratified)
        if len(names) == 1:
            return _of_table(ScoreTable.of_rows(data, names[0]), config)
        if weights is not None and config.method != "bca" and weights.sum() >= FOLDED * len(data):
            return _of_weighted(data, names, config.stratified)
    data = unrolled(data)
    return _of_rows(data, names, clusters_drawn(data, config), config.stratified and not by_row)


def chosen_model(rows: Predictions, model: str | None) -> str:
    """Name of a model with scores; the only one by default."""
    if rows.task != "binary":
        raise InputError(f"a bootstrap of scores needs a binary task, and this one is {rows.task}.")
    known = ", ".join(map(repr, rows.scores)) or "none"
    if model is None and len(rows.scores) == 1:
        return next(iter(rows.scores))
    if model is None or model not in rows.scores:
        raise OptionError(keyword("model", repr(model)) + f": name one of the models with scores: {known}.")
    return model


def _of_table(table: ScoreTable, config: Bootstrap) -> Sample:
    if table.positive.ndim > 1 or table.negative.ndim > 1:
        raise InputError("a bootstrap takes one table, not a batch of tables.")
    if isinstance(config.clusters, str):
        raise RowsNeededError(f"clusters={config.clusters!r}: counts lack the clusters of rows; pass the predictions.")
    if table.positive.dtype != np.int64 or table.negative.dtype != np.int64:
        raise RowsNeededError("a weighted table lacks the weights of single rows: pass the predictions.")
    p, n = int(table.P), int(table.N)
    if p + n > LARGEST_STRATUM:
        raise InputError(f"{p + n:,} rows are more than a bootstrap can draw ({LARGEST_STRATUM:,}).")
    sizes = np.array([p, n] if config.stratified else [p + n], dtype=np.int64)
    return Sample(sizes, (Scored.of(table, table.positive, table.negative),), _words("rows", config.stratified))


def _of_decisions(rows: Predictions, names: Sequence[str], cut: float, stratified: bool) -> Sample:
    """Sample of rows with the same decisions; the first represents all."""
    rank_of(np.zeros(0), cut, "higher")  # refuses NaN
    code = np.where(rows.truth == 1, 0, 1)
    for name in names:
        code = 2 * code + ~is_positive(rows.scores[name], cut, rows.direction_of(name))
    shape = (2,) * (1 + len(names))
    counts = np.bincount(code, rows.weights, 2 ** len(shape)).astype(np.int64)
    first = np.zeros(counts.size, dtype=np.intp)
    first[code[::-1]] = np.arange(code.size)[::-1]
    some = counts > 0
    alike = replace(rows.take(first[some]), weights=counts[some].astype(np.float64), weight_kind="frequency")
    tables = [ScoreTable.of_rows(alike, name) for name in names]
    models = tuple(Scored.of(table, table.positive, table.negative) for table in tables)
    decided = counts.reshape(shape)
    sizes = decided.reshape(2 if stratified else 1, -1).sum(axis=1)
    return Sample(sizes, models, _words("rows", stratified), decided)


def _of_rows(rows: Predictions, names: Sequence[str], clusters: NDArray[Any] | None, stratified: bool) -> Sample:
    positive = rows.truth == 1
    strata = np.where(positive, 0, 1)
    units, sizes, words = units_of(strata, clusters, stratified=stratified, mixed="clusters of both classes")
    unit = units.astype(np.int32)
    models = []
    for name in names:
        table, scores, direction = ScoreTable.of_rows(rows, name), rows.scores[name], rows.direction_of(name)
        key = -scores if direction == "higher" else scores
        order = np.lexsort((key, ~positive))
        counts = ScoreTable.from_scores(rows.truth, scores, direction=direction)
        weights = None if rows.weights is None else np.ascontiguousarray(rows.weights[order])
        models.append(Scored.of(table, counts.positive, counts.negative, unit[order], weights))
    return Sample(sizes, tuple(models), words)


def _of_weighted(rows: Predictions, names: Sequence[str], stratified: bool) -> Sample:
    rows = rows.take(np.flatnonzero(np.asarray(rows.weights)))
    sample = _of_rows(replace(rows, weights=None, weight_kind=None), names, None, stratified)
    weights = np.asarray(rows.weights).astype(np.int64)
    if stratified:
        weights = weights[np.argsort(rows.truth != 1, kind="stable")]
    sizes = np.array([part.sum() for part in np.split(weights, np.cumsum(sample.sizes)[:-1])])
    tables = (ScoreTable.of_rows(rows, name) for name in names)
    models = tuple(replace(one, table=table) for one, table in zip(sample.models, tables, strict=True))
    return replace(sample, sizes=sizes, models=models, weights=weights)


def units_of(
    codes: NDArray[np.int64], clusters: ArrayLike | None, *, stratified: bool, mixed: str
) -> tuple[NDArray[np.int64], NDArray[np.int64], str]:
    """Unit of every row, sizes of the strata numbered by `codes`, and words for the units.

    Clusters with rows of several strata (`mixed` in words) are drawn together.

    >>> units_of(np.array([1, 0, 1]), None, stratified=True, mixed="clusters of both classes")[0].tolist()
    [1, 0, 2]
    """
    units, strata, kind = np.arange(codes.size), codes, "rows"
    if clusters is not None:
        units, kind = np.unique(clusters, return_inverse=True)[1], "clusters"
        strata = np.zeros(int(units.max(initial=-1)) + 1, dtype=np.int64)
        strata[units] = codes
        if stratified and not np.array_equal(strata[units], codes):
            stratified, kind = False, mixed
    if not stratified:
        return units, np.array([strata.size], dtype=np.int64), kind
    place = np.empty(strata.size, dtype=np.int64)
    place[np.argsort(strata, kind="stable")] = np.arange(strata.size)
    return place[units], np.bincount(strata, minlength=2).astype(np.int64), _words(kind, stratified=True)


def _words(kind: str, stratified: bool) -> str:
    return f"{kind} within classes" if stratified else kind


def clusters_drawn(rows: Predictions, config: Bootstrap) -> NDArray[Any] | None:
    """Return the cluster of each row for a cluster bootstrap; None for rows."""
    if config.clusters is False or (config.clusters is None and rows.cluster is None):
        return None
    if config.clusters is None and rows.cluster is not None:
        return rows.cluster.codes
    name = str(config.clusters)
    if name not in rows.by:
        known = ", ".join(map(repr, rows.by)) or "none"
        raise OptionError(f"clusters={name!r} is not a group column; there are: {known}.")
    return rows.by[name].codes


def repeats(weights: Floats) -> NDArray[np.intp]:
    """Row indices repeated by whole frequency weights."""
    check_whole_weights(weights)
    if weights.sum() > LARGEST_STRATUM:
        raise InputError(f"frequency weights of {weights.sum():,.0f} rows are more than a bootstrap can draw.")
    return np.repeat(np.arange(weights.size), weights.astype(np.int64))


def check_whole_weights(weights: Floats) -> None:
    """Refuse fractions of rows."""
    if not np.array_equal(weights, np.rint(weights)):
        raise InputError(NOT_DRAWN)


def unrolled(rows: Predictions) -> Predictions:
    """Rows repeated by their frequency weights."""
    if rows.weights is None or rows.weight_kind != "frequency":
        return rows
    return replace(rows.take(repeats(rows.weights)), weights=None, weight_kind=None)


def _by_cell(weights: NDArray[Any], counts: NDArray[np.int64]) -> NDArray[Any]:
    """Sum consecutive rows of each cell."""
    out = np.zeros((*weights.shape[:-1], counts.size), dtype=weights.dtype)
    filled = np.flatnonzero(counts)
    if filled.size:
        starts = np.cumsum(counts)[filled] - counts[filled]
        out[..., filled] = np.add.reduceat(weights, starts, axis=-1)
    return out
