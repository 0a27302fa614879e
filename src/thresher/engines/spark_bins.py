"""Counts of a score on Spark, in dyadic bins: equal ones first, and then the parts of those that carry the bound.

Where there are no groups, equal bins are so narrow that of scores which are spread evenly none has to be split.

Nothing but SQL runs where the rows lie, as what Spark gives to Python costs more than to count it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats
from thresher.dataclass import dataclass
from thresher.engines.splitting import halvings
from thresher.engines.warehouse import COARSE, OUT
from thresher.errors import InputError

SUMS = OUT[4:8]
PASSES = 5

ASIDE = 16
"""Sums side by side in a row of Spark's table of groups, which has fewer rows for it, so that a cache holds it.

Half a million groups of a bin took 10 million rows 1.9 s, and 33,000 groups of 16 took them 0.7 s.
"""

FEW = 2**15
"""Bins of which the least and the greatest score are asked for, as for those that are split again."""

MOST_EQUAL = 2**20
"""Equal bins at the most."""

_GOAL = 0.9
"""Share of the tolerance that is aimed at: the rest is for scores that are not spread evenly."""

MOST_PACKED = 2**31
"""Rows up to which both counts of a bin are in one whole number: the positives above 32 bits, and all below."""

CHANGED = "the rows changed while they were counted: write them, or keep them by localCheckpoint, and count those."

_PACKED = 2**32
_FINEST = 1000

_Found = tuple[list[Any], NDArray[np.int64], Floats, Floats, Floats]
"""Groups, codes, sums and ends of bins."""

View = Callable[[str, Any], None]
"""Gives a dataframe a name in SQL."""


@dataclass(frozen=True)
class Bins:
    """Bins of one score and all groups: bin `number` of the width 1/scale each, and the code that it has in SQL."""

    keys: Sequence[Any]
    """A column of Arrow for each column of the groups."""

    code: NDArray[np.int64]
    number: NDArray[np.int64]
    scale: Floats
    sums: Floats
    """Of positives, negatives and their squares, a row of each."""

    low: Floats
    """Least score of a bin, with the greatest; NaN where they are not known."""

    high: Floats

    def take(self, rows: NDArray[Any]) -> Bins:
        """Some of the bins."""
        own = {name: getattr(self, name)[rows] for name in ("code", "number", "scale", "low", "high")}
        return replace(self, keys=[key.take(rows) for key in self.keys], sums=self.sums[:, rows], **own)

    def together(self) -> tuple[NDArray[np.intp], Bins]:
        """Place of each bin among those of all groups together, and these."""
        if not self.keys:
            return np.arange(self.code.size), self
        _, first, row = np.unique(self.code, return_index=True, return_inverse=True)
        sums = np.array([np.bincount(row, weights=column, minlength=first.size) for column in self.sums])
        low, high = np.full(first.size, np.inf), np.full(first.size, -np.inf)
        with np.errstate(invalid="ignore"):  # of ends that are not known neither of both is
            np.minimum.at(low, row, self.low)
            np.maximum.at(high, row, self.high)
        own = {name: getattr(self, name)[first] for name in ("code", "number", "scale")}
        return row, Bins(keys=(), sums=sums, low=low, high=high, **own)

    @property
    def narrowed(self) -> Floats:
        """Scale of bins that are as wide as the scores in them are apart, about."""
        with np.errstate(divide="ignore", over="ignore"):
            level = np.floor(-np.log2(self.high - self.low))
        level = np.where(np.isfinite(level), np.clip(level, -_FINEST, _FINEST), -_FINEST)
        return np.maximum(self.scale, np.ldexp(1.0, level.astype(np.int64)))

    @property
    def room(self) -> NDArray[np.int64]:
        """How often the narrowed bins can be halved: two neighbouring float64 of the largest score have one each."""
        least, greatest = self.number / self.scale, (self.number + 1) / self.scale
        known = ~np.isnan(self.low)
        least[known], greatest[known] = self.low[known], self.high[known]
        finest = np.minimum(52 - np.frexp(np.maximum(np.abs(least), np.abs(greatest)))[1], _FINEST)
        found: NDArray[np.int64] = np.maximum(finest - np.log2(self.narrowed), 0).astype(np.int64)
        return found

    def joined(self, other: Bins) -> Bins:
        """These and others."""
        import pyarrow as pa

        own = {name: np.append(getattr(self, name), getattr(other, name)) for name in ("code", "number", "scale")}
        ends = {name: np.append(getattr(self, name), getattr(other, name)) for name in ("low", "high")}
        keys = [pa.chunked_array([*a.chunks, *b.chunks], a.type) for a, b in zip(self.keys, other.keys, strict=True)]
        return Bins(keys=keys, sums=np.append(self.sums, other.sums, axis=1), **own, **ends)

    def table(self, names: Sequence[str]) -> Any:
        """Columns of the result, of which the groups' have these names; a bin of one score is that score."""
        import pyarrow as pa

        alone = self.low == self.high
        columns = {"score": np.where(alone, self.low, self.number / self.scale) + 0.0}
        columns["width"] = np.where(alone, 0.0, 1 / self.scale)
        return pa.table(dict(zip(names, self.keys, strict=True)) | columns | dict(zip(SUMS, self.sums, strict=True)))


class Counting:
    """The passes over the rows of one score: `rows` selects its groups, score, truth and weight."""

    def __init__(self, spark: Any, view: View, rows: str, *, keys: Sequence[str], weighted: bool, total: int) -> None:
        self._spark, self._view = spark, view
        self._keys = "".join(f"{key}, " for key in keys)
        self._rows, self._passes = rows, 0
        self._finite = f"SELECT {self._keys}truth, weight, score FROM ({rows}) WHERE ABS(score) < 'Infinity'"
        self._is_packed = not weighted and total < MOST_PACKED
        if self._is_packed:
            self._values = [f"1L + {_PACKED}L * truth"]
        else:
            self._values = ["weight * truth", "weight * (1 - truth)"]
            self._values += ["weight * weight * truth", "weight * weight * (1 - truth)"] if weighted else []
        self._counted = self._finite

    def equal(self, ends: tuple[float, float], tolerance: float) -> Bins:
        """Equal bins of a range: 4,096 of each group, or as many as may keep the tolerance, about."""
        most = COARSE if self._keys else min(max(2 ** math.ceil(-math.log2(2 * tolerance)), COARSE), MOST_EQUAL)
        scale = _scale(*ends, most)
        columns = f"{self._keys}truth, weight, score, FLOOR({_place(f'{scale!r}D', scale)}) AS code"
        self._counted = f"SELECT {columns} FROM ({self._finite})"
        keys, code, sums, low, high = self._sums(self._aside(most))
        if most > FEW >= code.size:  # in which scores may be equal
            keys, code, sums, low, high = self._sums(1)
        return Bins(keys, code, code, np.full(code.size, scale), sums, low, high)

    def _aside(self, bins: int) -> int:
        """How many of so many bins stand in a row: one where their ends are asked for."""
        return 1 if bins <= FEW else ASIDE // len(self._values)

    def split(self, bins: Bins, halved: NDArray[np.int64]) -> Bins:
        """The parts of some bins of all groups together, which are narrowed to their scores before they are halved.

        Raises:
            InputError: the rows are not those that were counted before.
        """
        import pyarrow as pa

        finer = np.ldexp(bins.narrowed, halved)
        known = ~np.isnan(bins.low)
        first, last = np.left_shift(bins.number, halved), np.left_shift(bins.number + 1, halved) - 1
        first[known] = _numbers(bins.low[known], finer[known])
        last[known] = _numbers(bins.high[known], finer[known])
        ends = np.cumsum(last - first + 1)
        start = ends - (last - first + 1)
        self._passes += 1
        name = f"thresher_parts_{self._passes}"
        columns = {"parent": bins.code, "times": finer, "shift": start - first}
        self._view(name, self._spark.createDataFrame(pa.table(columns)))
        place = _place("times", float(finer.min()))
        self._counted = (
            f"SELECT /*+ BROADCAST(w) */ {self._keys}truth, weight, score, FLOOR({place}) + shift AS code "
            f"FROM ({self._counted}) b JOIN {name} w ON b.code = w.parent"
        )
        keys, code, sums, low, high = self._sums(1 if self._passes > 1 else self._aside(int(ends[-1])))
        if not np.allclose(sums.sum(axis=1), bins.sums.sum(axis=1), rtol=1e-9, atol=1e-9):
            raise InputError(CHANGED)
        own = np.searchsorted(start, code, side="right") - 1
        return Bins(keys, code, code - start[own] + first[own], finer[own], sums, low, high)

    def _sums(self, aside: int) -> _Found:
        """What Spark finds of the bins, so many of them in a row."""
        values = ", ".join(f"{value} AS value_{i}" for i, value in enumerate(self._values))
        if aside == 1:
            rows = f"SELECT {self._keys}score, code AS place, {values} FROM ({self._counted})"
            sums = [f"SUM(value_{i}) AS sum_0_{i}" for i in range(len(self._values))]
            sums += ["MIN(score) AS low", "MAX(score) AS high"]
        else:
            place = f"SHIFTRIGHT(code, {aside.bit_length() - 1}) AS place, code & {aside - 1} AS side"
            rows = f"SELECT {self._keys}{place}, {values} FROM ({self._counted})"
            sums = [
                f"NVL(SUM(value_{i}) FILTER (WHERE side = {k}), 0) AS sum_{k}_{i}"  # a fifth less time than of IF
                for k in range(aside)
                for i in range(len(self._values))
            ]
        found = self._spark.sql(
            f"SELECT {self._keys}place, {', '.join(sums)} FROM ({rows}) GROUP BY {self._keys}place"
        ).toArrow().sort_by("place").combine_chunks()  # fmt: skip
        return self._read(found, aside)

    def _read(self, found: Any, aside: int) -> _Found:
        """The bins that have rows, of a table whose rows have so many each."""
        import pyarrow as pa

        each = [
            np.stack([found.column(f"sum_{k}_{i}").to_numpy() for k in range(aside)], axis=1)
            for i in range(len(self._values))
        ]
        row, side = np.nonzero(np.any([value != 0 for value in each], axis=0))
        each = [value[row, side] for value in each]
        if self._is_packed:
            positive = each[0] // _PACKED
            each = [positive, each[0] % _PACKED - positive]
        sums = np.zeros((len(SUMS), row.size))
        sums[: len(each)] = each
        keys = [found.column(name).take(pa.array(row)) for name in found.column_names if name.startswith("by_")]
        code = found.column("place").to_numpy()[row] * aside + side
        unknown = np.full(row.size, np.nan)
        low, high = (found.column(name).to_numpy()[row] if aside == 1 else unknown for name in ("low", "high"))
        return keys, code, sums, low, high


def binned(counting: Counting, ends: tuple[float, float], tolerance: float) -> Bins:
    """Bins of finite scores from one end to the other, whose AUC of all groups together is known to the tolerance.

    Those that carry most of its bound are split, up to five times; what a bin carries then stays.
    """
    bins = counting.equal(ends, tolerance)
    kept = bins.take(np.zeros(0, np.intp))
    pairs = float(np.prod(bins.sums[:2].sum(axis=1)))
    goal, pulled = tolerance, bins.code.size
    for _ in range(PASSES):
        row, whole = bins.together()
        carried = np.where(whole.low == whole.high, 0.0, whole.sums[0] * whole.sums[1]) / (2 * pairs or 1.0)
        if carried.sum() <= goal:
            break
        halved = halvings(carried, _GOAL * goal, max((2 / tolerance - pulled) / 2, COARSE), whole.room)
        goal -= float(carried[halved == 0].sum())
        chosen = np.flatnonzero(halved)
        if not chosen.size:
            break
        kept = kept.joined(bins.take(np.flatnonzero(halved[row] == 0)))
        bins = counting.split(whole.take(chosen), halved[chosen])
        pulled += bins.code.size
    return kept.joined(bins) if kept.code.size else bins


def _place(times: str, least: float) -> str:
    """A score in widths of a bin, of which no one is wider than one by the least."""
    place = f"score * {times}"
    # A product that is 0 says nothing of where a negative score lies.
    return place if least >= 1 else f"IF(score < 0 AND {place} = 0, -4.9E-324D, {place})"


def _numbers(scores: Floats, scale: Floats) -> NDArray[np.int64]:
    """Numbers of the bins that hold scores, as SQL finds them."""
    place = scores * scale
    return np.floor(np.where((scores < 0) & (place == 0), -1.0, place)).astype(np.int64)


def _scale(low: float, high: float, most: int) -> float:
    """One by the width of about so many bins of a range, a power of two; of at most two where it is one score."""
    apart = high / most - low / most
    level = -math.ceil(math.log2(apart)) if apart > 0 else 0
    # Two neighbouring float64 of the largest score have a bin each.
    return math.ldexp(1.0, max(min(level, 52 - math.frexp(max(abs(low), abs(high)))[1], _FINEST), -_FINEST))
