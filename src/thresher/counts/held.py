"""Rows in hand of several groups, taken in order of their scores, the most positive first, a stretch at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.conventions import Floats
from thresher.counts.merging import COLUMNS
from thresher.counts.scores import ScoreTable
from thresher.kernel.calling import Together
from thresher.kernel.checks import threads

CHUNK = 1 << 17
"""Rows of a stretch, about: what a table of them takes stays near the processor."""

SAMPLED = 1 << 16
"""Rows by which stretches are chosen, at least; so many in each are, where there are many."""
OF_A_CHUNK = 48

PART = 1 << 22
"""Rows that are put into stretches at a time."""

AT_ONCE = 1 << 20
"""Rows of equal scores that are put together at a time."""

PER_SCORE = 6
"""Room that a distinct score takes where a row takes 1."""


NONE: NDArray[np.int64] = np.zeros(0, dtype=np.int64)


class Held:
    """Rows of several groups by one score that rises with positivity, in parts as they came, and tables of others.

    >>> held = Held(None)
    >>> held.add("a", np.array([1, 0, 1, 0], dtype=np.uint8), np.array([0.9, 0.2, 0.3, 0.9]), None)
    >>> sum((chunk["a"] for chunk in held.chunks()), ScoreTable.empty()).scores.tolist()
    [0.9, 0.3, 0.2]
    """

    def __init__(self, weight_kind: Any, tables: Mapping[Any, Sequence[ScoreTable]] | None = None) -> None:
        """Rows to come; `tables` of rows before them fall from one to the next."""
        self._options = {"weight_kind": weight_kind} if weight_kind else {}
        self._tables: dict[Hashable, list[ScoreTable]] = {key: list(each) for key, each in (tables or {}).items()}
        self._parts: dict[Hashable, list[Any]] = {key: [] for key in self._tables}
        self._few: dict[Hashable, list[Any]] = {}
        self.size = PER_SCORE * sum(table.scores.size for each in self._tables.values() for table in each)
        """Room that they take, in rows."""

    @property
    def keys(self) -> list[Hashable]:
        """Groups that have rows."""
        return list(self._parts | self._few)

    def add(self, key: Hashable, truth: NDArray[Any], rising: Floats, weights: Floats | None) -> None:
        """Keep rows of a group; many are not copied, and few are put together with others."""
        self._few.setdefault(key, []).append(((truth != 0).view(np.uint8), rising, weights))
        self.size += rising.size
        if sum(few[1].size for few in self._few[key]) >= PART:
            self._put_together(key)

    def _put_together(self, key: Hashable) -> None:
        """Make parts of about equal size of what came."""
        if not (few := self._few.pop(key, [])):
            return
        whole = few[0] if len(few) == 1 else next(_together(few, np.inf), few[0])
        count = max(whole[1].size // PART, 1)
        parts = zip(*([None] * count if each is None else np.array_split(each, count) for each in whole), strict=True)
        self._parts.setdefault(key, []).extend(kernel.SpreadRows(t, s, w, NONE) for t, s, w in parts)

    def given_up(self, turns: int) -> Iterator[tuple[Hashable, NDArray[np.uint8], Floats, Floats | None]]:
        """Rows of every part, each of which is forgotten; with several turns each has rows of all its scores."""
        for key in self.keys:
            self._put_together(key)
            parts = self._parts[key]
            while parts:
                truth, rising, weights, _ = parts.pop(0)
                for first in range(turns):
                    rows = slice(first, None, turns)
                    yield key, truth[rows], rising[rows], None if weights is None else weights[rows]

    def leave(self, low: float) -> None:
        """Let go of what the tables have below a score."""
        self._tables = {key: [between(t, low, np.inf) for t in each] for key, each in self._tables.items()}
        self.size = PER_SCORE * sum(table.scores.size for each in self._tables.values() for table in each)

    def chunks(self) -> Iterator[dict[Hashable, ScoreTable]]:
        """Tables of the distinct scores, a stretch at a time, the most positive first, by group."""
        for key in self.keys:
            self._put_together(key)
        cuts = np.array(_cuts(list(self._marks())))
        inner = cuts[:-1]  # all but that at −∞
        for parts in self._parts.values():
            for place, rows in enumerate(in_order(lambda rows: kernel.spread_rows(*rows[:3], cuts=inner), parts)):
                parts[place] = rows
        stretches = zip(range(cuts.size), cuts, (np.inf, *cuts[:-1]), strict=True)
        yield from in_order(lambda stretch: self._chunk(*stretch), stretches)

    def _marks(self) -> Iterator[Floats]:
        """Scores between which few rows lie, by a sample that is always the same one."""
        draws = np.random.default_rng(0)
        rows = max(sum(part.scores.size for parts in self._parts.values() for part in parts), 1)
        share = min(max(SAMPLED, OF_A_CHUNK * rows // CHUNK) / rows, 1.0)
        found = [
            part.scores[draws.integers(0, part.scores.size, int(share * part.scores.size) + 1)]
            for parts in self._parts.values() for part in parts if part.scores.size
        ]  # fmt: skip
        if found:
            sample = np.sort(np.concatenate(found))
            step = max(CHUNK * sample.size // rows, 1)
            yield sample[step // 2 :: step]
        for tables in self._tables.values():
            yield np.array([table.scores[0] for table in tables if table.scores.size])

    def _chunk(self, stretch: int, low: float, high: float) -> dict[Hashable, ScoreTable]:
        found = {}
        for key, parts in self._parts.items():
            table = ScoreTable.empty()
            for each in self._tables.get(key, ()):
                table = table + between(each, low, high)
            for rows in _together([_slice(part, stretch) for part in parts], AT_ONCE):
                table = table + ScoreTable.from_scores(*rows[:2], weights=rows[2], threads=1, **self._options)
            if table.scores.size:
                found[key] = table
        return found


def in_order(work: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    """Results of work on each item, in their order, a few of which are begun before they are asked for.

    When one fails, or no more are asked for, as after Ctrl-C, those that were begun give up.
    """
    from concurrent.futures import ThreadPoolExecutor

    waiting: deque[Any] = deque()
    together = Together()
    with ThreadPoolExecutor(most := threads(None, 10**9)) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(together.run, work, item))
                if len(waiting) > most:
                    yield _result(waiting.popleft())
            while waiting:
                yield _result(waiting.popleft())
        except BaseException:
            together.give_up()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _result(begun: Any) -> Any:
    """Result of work that was begun; the wait ends now and then, so that the main thread sees an interrupt."""
    from concurrent.futures import wait

    while not wait([begun], timeout=0.1).done:
        pass
    return begun.result()


def _cuts(marks: list[Floats]) -> list[float]:
    """Ends of stretches, falling: a score that is a mark twice has a stretch of its own."""
    marked, times = np.unique(np.concatenate(marks), return_counts=True) if marks else (np.zeros(0), np.zeros(0))
    cuts = np.unique(np.concatenate([marked, np.nextafter(marked[times > 1], np.inf), [-np.inf]]))
    return [float(cut) for cut in cuts[cuts < np.inf][::-1]]


def _slice(rows: Any, stretch: int) -> tuple[Any, ...]:
    """Columns of the rows of a stretch."""
    inside = slice(rows.starts[stretch], rows.starts[stretch + 1])
    return tuple(None if column is None else column[inside] for column in rows[:3])


def _together(parts: list[tuple[Any, ...]], most: float) -> Iterator[tuple[Any, ...]]:
    """Columns of several parts, of not many more than so many rows at once."""
    while parts:
        some: list[tuple[Any, ...]] = []
        rows = 0
        while parts and (not some or rows + parts[0][0].size <= most):
            some.append(parts.pop(0))
            rows += some[-1][0].size
        if rows:
            yield tuple(None if each[0] is None else np.concatenate(each) for each in zip(*some, strict=True))


def between(table: ScoreTable, low: float, high: float) -> ScoreTable:
    """Rows of a table from the low score on, below the high one, or up to infinity."""
    first = 0 if high == np.inf else table.rank_of(high)
    rows = slice(first, max(first, int(np.searchsorted(-table.scores, -low, side="right"))))
    if rows.start == rows.stop:
        return ScoreTable.empty()
    columns: dict[str, Any] = {
        name: None if (c := getattr(table, name)) is None else c[rows] for name in ("scores", *COLUMNS)
    }
    return ScoreTable(**columns, weight_kind=table.weight_kind)
