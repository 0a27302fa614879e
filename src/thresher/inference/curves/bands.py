"""Confidence bands of curves: pointwise, or for the whole curve at once.

The band of a curve, as a value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from thresher import curves
from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.threads import Progress, current_progress
from thresher.conventions import LEVEL, Floats, confidence_level, divide, option
from thresher.counts import ScoreTable
from thresher.counts.sweeps import cumulated
from thresher.curves.curve import Curve
from thresher.curves.roc_and_precision import roc_curve
from thresher.errors import InputError, Note, OptionError, Reasoned, RowsNeededError
from thresher.inference import limits as delta
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.limits import Draws, clusters_of, limits, quantile, stretch, widened_words
from thresher.inference.bootstrap.replicates import resampled_values
from thresher.inference.bootstrap.sample import Data, Sample, Scored, sample_of
from thresher.inference.bootstrap.statistics import RocAt, one_of, resolve
from thresher.inference.proportions.intervals import wilson_interval
from thresher.results import Shown

BandKind = Literal["simultaneous", "pointwise", "kolmogorov"]
Trials = Callable[[Floats, Floats, float], Floats]

GRID = 101
"""Points of a band by default."""

STEPPED = ("roc", "cumulative_gain")
"""Curves of the TPR, which never fall."""

MANY = 10_000
"""Rows, or distinct scores, from which on faster approximations serve."""


def roc_band(
    data: Data,
    *,
    kind: BandKind = "simultaneous",
    level: float = LEVEL,
    x: ArrayLike | None = None,
    model: str | None = None,
    config: Bootstrap | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Band:
    """Band of the ROC curve: TPR at each FPR of `x` (0, 0.01, …, 1 by default).

    "kolmogorov" needs no bootstrap: with d and e the Kolmogorov quantiles at √level of the N negatives and the P
    positives, the curve is between ROC(x − d) − e and ROC(x + d) + e; valid for any sample size, and wide. "pointwise"
    has the bootstrap's limits at each point. "simultaneous" is ROC ± q·s: q is the quantile of the largest |ROC* −
    ROC|/s over the points, s the bootstrap standard deviation at each, at least √(p(1 − p)/P) with p = (P·TPR + 2)/(P +
    4), as near 0 and 1 few positives vary too little in resamples. Its lower limit at x is the one at x − 1/N, and 0
    below 1/N: about 1/N of the population's negatives exceed the largest of N. With clusters both are widened for their
    number, also on the logit scale. A limit without width is Wilson's for P trials (for a simultaneous band at the
    level 1 − (1 − level)/points); (1, 1) is exact. As the curve never falls, limits of a simultaneous band do not
    either: it covers the same curves. Rows are always drawn within classes, as both rates are of one class.

    Raises:
        InputError, OptionError, RowsNeededError: as for `bootstrap_replicates`; weights with "kolmogorov".

    >>> band = roc_band(ScoreTable.from_scores([1, 1, 0, 1, 0] * 10, range(50)), kind="kolmogorov")
    >>> bool((band.low <= band.y).all() and (band.y <= band.high).all())
    True

    Campbell 1994, Stat. Med. 13, 499–508; Davison & Hinkley 1997, section 4.2.4; Macskassy & Provost 2004.
    """
    config, grid = _settings(kind, level, x, config)
    config = replace(config, stratified=True)
    if kind == "kolmogorov":
        if not isinstance(data, ScoreTable) or data.columns[0].ndim > 1:
            data = sample_of(data, (model,), Bootstrap(clusters=False)).models[0].table
        return _kolmogorov(data, level, grid)
    sample = sample_of(data, (model,), config)
    scored = sample.models[0]
    unseen = float(divide(1.0, scored.table.N)) if kind == "simultaneous" else 0.0
    places, at = np.unique(np.concatenate([np.maximum(grid - unseen, 0.0), grid]), return_inverse=True)
    observed = _read(roc_curve, scored.table, places)
    rates = tuple(resolve(RocAt(place), scored.table, None, {}) for place in places)
    values = resampled_values(sample, scored, rates, config, threads, current_progress(progress))
    trials = _size(scored, sample) if scored.rows.positives else math.nan
    found = _from_replicates(observed, values, np.full(places.size, trials), sample, config, kind, level)
    low, high, lost = _rising(found, kind)
    before, here = np.split(at, 2)
    low = np.where(grid < unseen, np.minimum(low[here], 0.0), low[before])  # NaN where the curve is undefined
    return _band("roc", grid, observed[here], (low, high[here], lost), sample, config, kind, level)


def precision_recall_band(data: Data, **options: Any) -> Band:
    """Band of the precision–recall curve (Davis–Goadrich interpolation): precision at each recall of `x`.

    Options and kinds as for `roc_band`, without "kolmogorov". A limit without width is Wilson's for the
    recall·P/precision predicted positives there.

    >>> table, config = ScoreTable.from_scores([1, 1, 0, 1, 0], range(5)), Bootstrap(n=50, stratified=True)
    >>> precision_recall_band(table, config=config, x=[0.5, 1])
    Band(precision_recall: 2 points, 95% simultaneous bootstrap, 50 replicates of rows within classes, seed 0)

    Davison & Hinkley 1997, section 4.2.4.
    """
    return curve_band(data, curves.precision_recall_curve, trials=lambda x, y, p: np.maximum(x * p, 1.0) / y, **options)


def gain_band(data: Data, **options: Any) -> Band:
    """Band of the cumulative gain curve: share of the positives found at each share of rows taken.

    Options and kinds as for `roc_band`, without "kolmogorov".

    >>> gain_band(ScoreTable.from_scores([1, 1, 0, 1, 0], range(5)), kind="pointwise", config=Bootstrap(n=9), x=[0.5])
    Band(cumulative_gain: 1 points, 95% pointwise bootstrap percentile, 9 replicates of rows, seed 0)

    Davison & Hinkley 1997, section 4.2.4.
    """
    return curve_band(data, curves.gain_curve, rises=True, **options)


def curve_band(
    data: Data,
    curve: Callable[[ScoreTable], Curve],
    *,
    kind: BandKind = "simultaneous",
    level: float = LEVEL,
    x: ArrayLike | None = None,
    model: str | None = None,
    config: Bootstrap | None = None,
    trials: Trials | None = None,
    rises: bool = False,
    progress: Progress | None = None,
) -> Band:
    """Bootstrap band of any curve of rates over [0, 1], made by a function of a `ScoreTable`.

    `trials(x, y, P)` is the number of trials of each value, by default the positives; it widens limits as in
    `roc_band`. `rises` says that the curve never falls; limits of a simultaneous band then do not either.

    >>> band = curve_band(ScoreTable.from_scores([1, 1, 0, 1, 0], range(5)), roc_curve, config=Bootstrap(n=50))
    >>> band.x.size
    101
    """
    config, grid = _settings(kind, level, x, config)
    if kind == "kolmogorov":
        raise OptionError("kind='kolmogorov' is a band of the ROC curve; this one has 'simultaneous' and 'pointwise'.")
    sample = sample_of(data, (model,), config)
    scored = sample.models[0]
    observed = _read(curve, scored.table, grid)
    values = np.empty((config.n, grid.size))
    for part, tables in sample.batches(scored, config):
        for r in range(part.stop - part.start):
            values[part.start + r] = _read(curve, one_of(tables, r), grid)
        current_progress(progress)(part.stop, config.n)
    positives = _size(scored, sample) if scored.rows.positives else math.nan
    sizes = np.full(grid.size, positives) if trials is None else trials(grid, observed, positives)
    found = _from_replicates(observed, values, sizes, sample, config, kind, level)
    found = _rising(found, kind) if rises else found
    return _band(curve(scored.table).name, grid, observed, found, sample, config, kind, level)


def _settings(kind: BandKind, level: float, x: ArrayLike | None, config: Bootstrap | None) -> tuple[Bootstrap, Floats]:
    confidence_level(level)
    option("kind", kind, ("simultaneous", "pointwise", "kolmogorov"))
    grid = np.linspace(0, 1, GRID) if x is None else np.asarray(x, dtype=np.float64)
    if grid.ndim != 1 or not ((grid >= 0) & (grid <= 1)).all() or (np.diff(grid) < 0).any():
        raise InputError("x must be a row of rates that rise from 0 to 1.")
    config = config or Bootstrap()
    if config.method not in ("percentile", "basic"):
        raise OptionError(f"method={config.method!r}: limits of a band are 'percentile' or 'basic'.")
    return config, grid


def _kolmogorov(table: ScoreTable, level: float, x: Floats) -> Band:
    """Band from exact Kolmogorov limits of both distributions of scores."""
    if table.columns[0].dtype.kind != "i":
        raise RowsNeededError("Kolmogorov's band is of rows that count once; take kind='simultaneous' for weights.")
    p, n = int(table.P), int(table.N)
    common: dict[str, Any] = {"name": "roc", "x": x, "level": level, "is_simultaneous": True}
    if not p or not n:
        common["y"] = _read(roc_curve, table, x)
        none = np.full(x.size, np.nan)
        return Band(low=none, high=none, method="Kolmogorov", reason=Note("no-rows", "a class is empty"), **common)
    across, up = (_kolmogorov_quantile(math.sqrt(level), rows) for rows in (n, p))
    # At an upright step the lower end counts.
    places = np.concatenate([x, np.maximum(x - across - 1e-12, 0.0), np.minimum(x + across, 1.0)])
    y, before, after = np.split(_read(roc_curve, _beside(table, places), places), 3)
    low = np.where(x > across, np.maximum(before - up, 0.0), 0.0)
    return Band(y=y, low=low, high=np.minimum(after + up, 1.0), method="fixed-width Kolmogorov", **common)


def _kolmogorov_quantile(share: float, rows: int) -> float:
    """Quantile of Kolmogorov's distance of a sample from its distribution.

    For many rows by Vrbik's correction of the limit, off by less than 2e-5 of it: the exact one takes a second to
    import.
    """
    if rows < MANY:
        from scipy.stats import kstwo

        return float(kstwo.ppf(share, rows))
    from scipy.special import kolmogi

    root = math.sqrt(rows)
    return float((kolmogi(1 - share) - 1 / (6 * root) + 1 / (4 * rows)) / (1 + 1 / (4 * rows)) / root)


def _beside(table: ScoreTable, rates: Floats) -> ScoreTable:
    """Points of the ROC around false positive rates; the curve of millions of scores takes a second and memory."""
    running, sought = table.running, rates * float(table.N)
    if running is None:
        return table
    low, high = np.ceil(sought - 0.25).astype(np.int64), np.floor(sought + 0.25).astype(np.int64)
    ends = [running.first(lambda _tp, fp: fp, taken) for taken in (low, high + 1)]
    rows = np.concatenate([end + step for end in ends for step in (-1, 0)])
    rows = np.unique(np.clip(rows, 0, table.scores.size - 1))
    rows = np.union1d(rows, table.scores.size - 1)
    tp, fp = cumulated(table, rows)
    positive, negative = np.diff(tp, prepend=0), np.diff(fp, prepend=0)
    return ScoreTable(scores=table.scores[rows], positive=positive, negative=negative, direction=table.direction)


def _from_replicates(
    observed: Floats, values: Floats, trials: Floats, sample: Sample, config: Bootstrap, kind: BandKind, level: float
) -> tuple[Floats, Floats, int]:
    """Limits at every point, and the number of replicates with an undefined point."""
    clusters = clusters_of(sample.drawn, sample.sizes)
    lost = int(np.isnan(values).any(axis=1).sum())
    low, high = np.full(observed.size, np.nan), np.full(observed.size, np.nan)
    values = values[~np.isnan(values).any(axis=1)]
    if np.isnan(observed).any() or len(values) < 2:
        return low, high, lost
    if kind == "simultaneous":
        share = (trials * observed + 2) / (trials + 4)
        scale = values.std(axis=0, ddof=1)
        # A trial is one of P positives, a cluster has several.
        scale = (
            np.hypot(scale, 1 / (2 * trials))
            if clusters.df
            else np.maximum(scale, np.sqrt(share * (1 - share) / trials))
        )
        largest = quantile(np.sort((np.abs(values - observed) / scale).max(axis=1)), level)
        times = largest * stretch((1 - level) / 2, clusters)
        low, high = np.maximum(observed - times * scale, 0.0), np.minimum(observed + times * scale, 1.0)
        if clusters.df > 0:
            ends = np.array([delta.limits(y, s, (0.0, 1.0), times) for y, s in zip(observed, scale, strict=True)])
            low, high = np.minimum(low, ends[:, 0]), np.maximum(high, ends[:, 1])
        return *widened(observed, low, high, trials, 1 - (1 - level) / max(1, observed.size)), lost
    for k, y in enumerate(observed):
        draws = Draws(observed=float(y), sorted=np.sort(values[:, k]), bounds=(0.0, 1.0), clusters=clusters)
        low[k], high[k] = limits(draws, config.method, (1 - level) / 2)
    return *widened(observed, low, high, trials, level), lost


def _rising(found: tuple[Floats, Floats, int], kind: BandKind) -> tuple[Floats, Floats, int]:
    """Limits of a curve that never falls; each limit bounds its neighbors if all hold."""
    low, high, lost = found
    if kind != "simultaneous":
        return found
    return np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1], lost


def widened(y: Floats, low: Floats, high: Floats, trials: Floats, level: float) -> tuple[Floats, Floats]:
    """Wilson's limits if all replicates are equal."""
    found = wilson_interval(y * trials, trials, level=level)
    flat = low == high
    return np.where(flat, np.minimum(low, found.low), low), np.where(flat, np.maximum(high, found.high), high)


def _band(
    name: str, x: Floats, y: Floats, found: tuple[Floats, Floats, int], sample: Sample, config: Bootstrap,
    kind: BandKind, level: float,
) -> Band:  # fmt: skip
    low, high, lost = found
    words = config.describe(sample.drawn)
    words = words.replace(f"bootstrap {config.method}", "bootstrap") if kind == "simultaneous" else words
    method = f"{kind} {words}" + (f", undefined in {lost:,} of them" if lost else "")
    method += widened_words(clusters_of(sample.drawn, sample.sizes))
    undefined = Note("undefined", "the curve or all its replicates are undefined")
    reason = undefined if np.isnan(low).any() else None
    if name in STEPPED:
        # With every row predicted positive, TPR is 1 in any sample.
        low, high = np.where(x == 1, y, low), np.where(x == 1, y, high)
    return Band(name=name, x=x, y=y, low=low, high=high, level=level, method=method,
                is_simultaneous=kind == "simultaneous", reason=reason)  # fmt: skip


def _read(curve: Callable[[ScoreTable], Curve], table: ScoreTable, x: Floats) -> Floats:
    return np.asarray(curve(table).at(x), dtype=np.float64)


def _size(scored: Scored, sample: Sample) -> float:
    """Trials of shares of the positives: effective with weights, clusters with clusters."""
    if sample.drawn.startswith("clusters"):
        return float(sample.sizes[0])
    squares = scored.table.positive_squares
    return float(scored.table.P) if squares is None else float(scored.table.P) ** 2 / float(squares.sum())


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Band(Shown, Reasoned):
    """Lower and upper limits of a curve at `x`, around its values `y` there.

    A band that `is_simultaneous` covers the whole curve (at the points `x`) with probability `level`, another each
    point by itself. NaN if the curve is undefined; `reason` says why.
    """

    name: str
    x: Floats
    y: Floats
    low: Floats
    high: Floats
    level: float
    method: str
    is_simultaneous: bool
    reason: Note | None = None

    def columns(self) -> dict[str, Any]:
        """One row for each point: x, y, low and high."""
        return {name: getattr(self, name) for name in ("x", "y", "low", "high")}

    def __repr__(self) -> str:
        return f"Band({self.name}: {self.x.size} points, {100 * self.level:g}% {self.method})"
