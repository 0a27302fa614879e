"""TREC files, ranked lists and their measures, in plain Python and NumPy: one query at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.reference.ranked_query import Query, nearest_share, ratio, share_of
from thresher.kernel.texts import TextColumn
from thresher.kernel.values import ListArrays, LookedUp, Scores, TrecBlock, WantedArrays

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
