"""TREC files, ranked lists and their measures, in plain Python and NumPy: one query at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.values import ListArrays, LookedUp, Scores, TextColumn, TrecBlock, WantedArrays

Floats = NDArray[np.float64]
INFERRED_SMOOTHING = 0.00001


def ratio(a: float, b: float) -> float:
    """Quotient of non-negative numbers; 0 where the divisor is 0."""
    return float(a) / float(b) if b > 0 else 0.0


def share_of(share: float, relevant: float) -> int:
    """A share of the relevant documents as a whole number of them, rounded as trec_eval 9 does.

    Lists are shorter than 2**53, so that more than it is as good as it.
    """
    return int(min(share * relevant + 0.9, 2.0**53))


def nearest_share(share: float, relevant: float) -> int:
    """The same as trec_eval 10 rounds it: to the nearest, halves up."""
    whole = math.floor(share * relevant)
    return whole + (share * relevant - whole >= 0.5)


class Query:
    """Running values over the ranks: entry i is over the first i. Tied documents share theirs: McSherry & Najork 2008.

    `found` relevant and `judged` documents; `precision` the sum of precisions at relevant documents; `none` the chance
    that none is relevant.
    """

    def __init__(
        self, relevance: NDArray[np.int32], tied: NDArray[np.bool_], known: NDArray[np.int32], level: int
    ) -> None:
        self.list, self.level, self.length = relevance, level, int(relevance.size)
        self.known = known
        self.is_relevant = relevance >= level
        self.relevant = float((known >= level).sum())
        self.irrelevant = float((known < level).sum())
        self.ends = [*(np.flatnonzero(~tied[1:]) + 1).tolist(), self.length] if self.length else []
        self.found, self.judged = np.zeros(self.length + 1), np.zeros(self.length + 1)
        self.precision, self.none = np.zeros(self.length + 1), np.ones(self.length + 1)
        for a, n in self.groups():
            r, seen = float(self.is_relevant[a : a + n].sum()), float((relevance[a : a + n] >= 0).sum())
            for j in range(1, n + 1):
                earlier = (j - 1) * (r - 1) / (n - 1) if n > 1 else 0.0
                hit = r / n * (self.found[a] + 1 + earlier) / (a + j)
                self.found[a + j] = self.found[a] + r * j / n
                self.judged[a + j] = self.judged[a] + seen * j / n
                self.precision[a + j] = self.precision[a + j - 1] + hit
                self.none[a + j] = self.none[a] * math.comb(n - int(r), j) / math.comb(n, j)

    def groups(self) -> Iterator[tuple[int, int]]:
        """Start and size of every group of tied documents."""
        starts = [0, *self.ends[:-1]] if self.ends else []
        for start, end in zip(starts, self.ends, strict=True):
            yield start, end - start

    def until(self, cut: int) -> int:
        """Ranks that a cut-off takes; 0 takes all."""
        return min(cut or self.length, self.length)

    def gains(self, table: Floats) -> Floats:
        """Gain at every rank, ties sharing theirs; 0 for unjudged documents."""
        raw = np.where(self.list >= 0, table[np.maximum(self.list, 0)], 0.0)
        for a, n in self.groups():
            raw[a : a + n] = raw[a : a + n].mean()
        return raw

    def ideal(self, table: Floats) -> Floats:
        """Positive gains of judged documents, falling."""
        gains = table[self.known]
        return np.sort(gains[gains > 0])[::-1]

    def discounted(self, gains: Floats) -> Floats:
        """Running sums of gains over log₂(rank + 1)."""
        return np.concatenate([[0.0], np.cumsum(gains / np.log2(np.arange(2, gains.size + 2)))])

    def reciprocal(self, chance: Floats, cut: int) -> float:
        """Mean reciprocal of the rank at which a running chance falls."""
        falls = -np.diff(chance)[: self.until(cut)]
        return float(np.sum(falls / np.arange(1, falls.size + 1)))

    def reading(self, chances: Floats) -> Floats:
        """Chance that a reader, satisfied by each document with its chance, still reads after i ranks."""
        stops = np.where(self.list >= 0, chances[np.maximum(self.list, 0)], 0.0)
        out = np.ones(self.length + 1)
        for a, n in self.groups():
            symmetric = np.poly1d(np.ones(1)).coeffs
            for stop in stops[a : a + n]:
                symmetric = np.convolve(symmetric, [1.0, 1.0 - stop])
            for j in range(1, n + 1):
                out[a + j] = out[a] * symmetric[j] / math.comb(n, j)
        return out

    def preferences(self) -> float:
        """Sum over relevant documents of the share of the first R irrelevant ones that do not come before."""
        most, total, before = min(self.irrelevant, self.relevant), 0.0, 0
        for a, n in self.groups():
            group = self.list[a : a + n]
            wanted, unwanted = int((group >= self.level).sum()), int(((group >= 0) & (group < self.level)).sum())
            if wanted:
                kept = [1 - min(before + u, self.relevant) / most if before + u else 1.0 for u in range(unwanted + 1)]
                total += wanted * sum(kept) / len(kept)
            before += unwanted
        return total

    def inferred(self) -> float:
        """Sum over relevant documents of their inferred precision. Yilmaz & Aslam 2006, smoothed as trec_eval does."""
        total, hits, misses, pooled = 0.0, 0, 0, 0
        for rank, value in enumerate(self.list.tolist(), start=1):
            if value >= self.level:
                share = (hits + INFERRED_SMOOTHING) / (hits + misses + 2 * INFERRED_SMOOTHING)
                total += 1.0 if rank == 1 else 1 / rank + (hits + misses + pooled) / rank * share
            hits, misses = hits + (value >= self.level), misses + (0 <= value < self.level)
            pooled += value == -2
        return total

    def interpolated(self, wanted: int) -> float:
        """Highest precision from the requested number of relevant documents on."""
        ranks = np.flatnonzero(self.is_relevant) + 1
        precision = np.arange(1, ranks.size + 1) / ranks
        return float(precision[max(wanted, 1) - 1 :].max(initial=0.0))

    def gain(self, table: Floats) -> float:
        """trec_eval's G: a gain counts less the further the list has fallen behind the best one."""
        gains, ideal = self.gains(table), self.ideal(table)
        best = np.zeros(max(gains.size, ideal.size))
        best[: ideal.size] = ideal
        behind = 2 + np.cumsum(np.maximum(best[: gains.size], 1.0) - gains)
        hits = np.flatnonzero(gains)
        return ratio(float(np.sum(gains[hits] / np.log2(behind[hits]))), ideal.sum())

    def binary_gain(self) -> float:
        """Sum over relevant documents of 1/log₂(2 + irrelevant ones before)."""
        ranks = np.flatnonzero(self.is_relevant)
        return float(np.sum(1 / np.log2(2 + ranks - np.arange(ranks.size))))

    def at_levels(self, table: Floats) -> float:
        """Mean NDCG at the ranks where the best list passes to a lower gain, and at the end of a longer list."""
        ideal, reached = self.ideal(table), self.discounted(self.gains(table))
        best = self.discounted(ideal)
        ranks = [i for i in range(1, ideal.size + 1) if i == ideal.size or ideal[i] != ideal[i - 1]]
        values = [reached[min(i, self.length)] / best[i] for i in ranks]
        if ideal.size and self.length > ideal.size + 1:
            values.append(reached[-1] / best[-1])
        return ratio(sum(values), len(values))

    def at_relevant(self, table: Floats) -> float:
        """Mean NDCG at the documents with a gain; those not retrieved count at the end of the list."""
        gains, ideal = self.gains(table), self.ideal(table)
        reached, best = self.discounted(gains), self.discounted(ideal)
        ranks = np.flatnonzero(gains > 0) + 1
        hits = float(np.sum(reached[ranks] / best[np.minimum(ranks, ideal.size)]))
        rest = ratio((ideal.size - ranks.size) * reached[-1], best[-1])
        return ratio(hits + rest, ideal.size)


# Fewest and most fields of a line, and the places of the document, of the number and of the tag.
FORMS: tuple[tuple[int, float, int, int, int | None], ...] = (
    (4, 4, 2, 3, None), (6, math.inf, 2, 4, 5), (3, 3, 1, 2, None),
)  # fmt: skip


def trec_lines(block: bytes, form: int) -> TrecBlock:
    """Rows of whole lines; numbers are read as Python reads them, and others are left to the caller."""
    least, most, document, number, tag_place = FORMS[form]
    numbers: list[float] = []
    documents: list[bytes] = []
    queries: list[bytes] = []
    query_rows: list[int] = []
    unread: list[tuple[int, int, int]] = []
    bad, tag, at, seen = None, b"", 0, 0
    lines = block.split(b"\n")
    for seen, line in enumerate(lines, start=1):  # noqa: B007  counted to where the loop ends
        fields = line.split()
        start = at + len(line) - len(line.lstrip())
        at += len(line) + 1
        if not fields or fields[0].startswith(b"#"):
            continue
        if not least <= len(fields) <= most:
            bad = (start, len(fields))
            break
        if not queries or fields[0] != queries[-1]:
            queries.append(fields[0])
            query_rows.append(len(numbers))
        try:
            value = float(fields[number]) if b"_" not in fields[number] else None
        except ValueError:
            value = None
        if value is None:
            place = block.index(fields[number], start + sum(map(len, fields[:number])))
            unread.append((len(numbers), place, len(fields[number])))
        numbers.append(math.nan if value is None else value)
        documents.append(fields[document])
        tag = b"" if tag_place is None else fields[tag_place]
    return TrecBlock(
        numbers=np.array(numbers, dtype=np.float64),
        documents=text_column(documents),
        queries=text_column(queries),
        query_rows=np.array(query_rows, dtype=np.int64),
        unread=np.array(unread, dtype=np.int64).reshape(-1, 3),
        bad=bad,
        tag=tag,
        lines=min(seen, len(lines) - 1),
    )


def text_column(texts: list[bytes]) -> TextColumn:
    """Texts one after the other."""
    offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    return TextColumn(np.frombuffer(b"".join(texts), np.uint8), offsets)


def _texts(column: TextColumn) -> list[bytes]:
    content, offsets = column.data.tobytes(), column.offsets.tolist()
    return [content[a:b] for a, b in pairwise(offsets)]


def text_codes(texts: TextColumn) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Codes in order of first appearance."""
    known: dict[bytes, int] = {}
    firsts: list[int] = []
    codes = np.empty(len(texts), np.int32)
    for row, text in enumerate(_texts(texts)):
        if text not in known:
            known[text] = len(known)
            firsts.append(row)
        codes[row] = known[text]
    return codes, np.array(firsts, dtype=np.int64)


def padded_codes(letters: NDArray[np.uint32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Codes of texts of a fixed width in order of first appearance."""
    rows, width = letters.shape
    return text_codes(TextColumn(letters.reshape(-1).view(np.uint8), np.arange(rows + 1) * 4 * width))


def number_texts(values: NDArray[np.int64]) -> TextColumn:
    """Decimal text."""
    return text_column([str(value).encode() for value in values.tolist()])


def fixed_texts(letters: NDArray[np.uint32], threads: int) -> TextColumn:
    """Rows of letters, padded with zeros, as UTF-8."""
    rows = ("".join(map(chr, row)).rstrip("\0") for row in letters.tolist())
    return text_column([row.encode("utf-8", "surrogatepass") for row in rows])


def look_up(
    run_queries: NDArray[np.int32], run: TextColumn, judged_queries: NDArray[np.int32], judged: TextColumn,
    relevance: NDArray[np.int32], queries: int, threads: int,
) -> LookedUp:  # fmt: skip
    """Relevance of every row of a run by query and document."""
    known: dict[tuple[int, bytes], int] = {}
    repeated: tuple[str, int, int] | None = None
    for row, key in enumerate(zip(judged_queries.tolist(), _texts(judged), strict=True)):
        if key in known and repeated is None:
            repeated = ("judged", row, known[key])
        known.setdefault(key, row)
    seen: dict[tuple[int, bytes], int] = {}
    found = np.full(run_queries.size, -1, np.int32)
    for row, key in enumerate(zip(run_queries.tolist(), _texts(run), strict=True)):
        if key in seen and repeated is None:
            repeated = ("listed", row, seen[key])
        seen.setdefault(key, row)
        if key in known:
            found[row] = relevance[known[key]] if relevance[known[key]] >= 0 else -2
    return LookedUp(found, repeated)


def rank_lists(
    codes: NDArray[np.int32], documents: TextColumn | None, scores: Scores, relevance: NDArray[np.int32],
    queries: int, single: bool, threads: int,
) -> ListArrays:  # fmt: skip
    """Rows of every query by falling score, equal ones by falling document."""
    with np.errstate(over="ignore"):
        values = (scores.astype(np.float32) if single else scores) + 0.0
    texts = _texts(documents) if documents is not None else []
    last = sorted(range(codes.size), key=texts.__getitem__, reverse=True) if texts else range(codes.size)
    place = np.empty(codes.size, np.int64)
    place[list(last)] = np.arange(codes.size)
    order = np.lexsort((place, -values, codes))
    tied = np.zeros(codes.size, np.bool_)
    tied[1:] = (values[order][1:] == values[order][:-1]) & (codes[order][1:] == codes[order][:-1])
    starts = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=queries))]).astype(np.int64)
    return ListArrays(starts, relevance[order], tied)


def ranked_measures(
    lists: ListArrays, known_starts: NDArray[np.int64], known: NDArray[np.int32], wanted: WantedArrays,
    level: int, expected: bool, threads: int,
) -> Scores:  # fmt: skip
    """Value (M, Q) of every requested measure for every query.

    ``known`` holds the judged relevance of every query, falling and not negative; ``gains`` (tables, levels) the gain
    of each relevance. Documents judged ``level`` or more are relevant. With ``expected`` a value is its mean over all
    orders of tied documents, for the measures that have one in closed form (McSherry and Najork 2008).
    """
    out = np.empty((wanted.kinds.size, lists.starts.size - 1))
    columns = (wanted.kinds, wanted.tables, wanted.cuts, wanted.numbers)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    for q in range(lists.starts.size - 1):
        here = slice(lists.starts[q], lists.starts[q + 1])
        query = Query(
            lists.ranked[here],
            lists.tied[here] if expected else np.zeros(here.stop - here.start, np.bool_),
            known[known_starts[q] : known_starts[q + 1]],
            level,
        )
        for m, (kind, table, cut, number) in enumerate(rows):
            out[m, q] = KINDS[kind](query, wanted.gains[table], cut, number)
    return out


Measure = Callable[[Query, Scores, int, float], float]


def _dcg(q: Query, gains: Scores, cut: int, _x: float) -> float:
    return float(q.discounted(q.gains(gains))[q.until(cut)])


def _ndcg(q: Query, gains: Scores, cut: int, _x: float) -> float:
    best = q.discounted(q.ideal(gains))
    return ratio(_dcg(q, gains, cut, 0.0), best[min(cut or best.size - 1, best.size - 1)])


def _biased(q: Query, gains: Scores, cut: int, p: float) -> float:
    until = q.until(cut)
    return float(np.sum((1 - p) * p ** np.arange(until) * q.gains(gains)[:until]))


# In the order of native/ranked_measures.cpp.
KINDS: tuple[Measure, ...] = (
    lambda q, _g, cut, _x: ratio(q.found[q.until(cut)], cut or q.length),
    lambda q, _g, cut, _x: ratio(q.found[q.until(cut)], q.relevant),
    lambda q, _g, cut, beta: ratio((1 + beta**2) * q.found[q.until(cut)], beta**2 * q.relevant + (cut or q.length)),
    lambda q, _g, cut, _x: 1 - q.none[q.until(cut)],
    lambda q, _g, cut, _x: ratio(q.precision[q.until(cut)], q.relevant),
    lambda q, *_: ratio(q.found[min(q.length, int(q.relevant))], q.relevant),
    lambda q, _g, cut, _x: q.reciprocal(q.none, cut),
    lambda q, *_: ratio(q.preferences(), q.relevant),
    lambda q, *_: ratio(q.inferred(), q.relevant),
    lambda q, _g, cut, x: q.interpolated((nearest_share if cut else share_of)(x, q.relevant)),
    lambda q, _g, _cut, x: ratio(q.found[min(wanted := share_of(x, q.relevant), q.length)], wanted),
    lambda q, _g, cut, _x: ratio(q.found[q.until(cut)], min(cut or q.length, q.relevant)),
    _dcg,
    _ndcg,
    lambda q, gains, cut, _x: q.reciprocal(q.reading(gains), cut),
    _biased,
    lambda q, gains, *_: q.gain(gains),
    lambda q, *_: ratio(q.binary_gain(), q.relevant),
    lambda q, gains, *_: q.at_levels(gains) if q.relevant else 0.0,
    lambda q, gains, *_: q.at_relevant(gains),
    lambda q, _g, cut, _x: ratio(q.judged[q.until(cut)], q.until(cut)),
    lambda q, *_: float(q.length),
    lambda q, *_: q.relevant,
    lambda q, *_: float(q.found[-1]),
    lambda q, *_: float(((q.list >= 0) & (q.list < q.level)).sum()),
)
