"""Ranked lists: reading TREC files, looking documents up among the judged ones, ordering, and measures of lists."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from thresher.kernel import checks
from thresher.kernel.backend import use
from thresher.kernel.values import ListArrays, LookedUp, Scores, TextColumn, TrecBlock, WantedArrays

FORMS = ("judgements", "results", "places")
MOST_TEXTS = 2**31 - 1


def trec_lines(block: bytes, form: Literal["judgements", "results", "places"]) -> TrecBlock:
    """Rows of a block of whole lines of a TREC file; blank lines and lines that begin with # are skipped.

    Judgements are "query iteration document relevance", results "query iteration document rank score tag" and whatever
    follows, places "query document rank", as MS MARCO writes results; fields are apart by blanks or tabs.

    >>> found = trec_lines(b"q1 Q0 d1 1 2.5 tag\\nq1 Q0 d2 2 1e-3 tag\\n", "results")
    >>> found.numbers.tolist(), found.queries.text(0), found.documents.text(1)
    ([2.5, 0.001], 'q1', 'd2')
    """
    return use.trec_lines(block, FORMS.index(form))


def text_codes(texts: TextColumn) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Codes of texts in order of first appearance, and the row at which each appears first."""
    if len(texts) > MOST_TEXTS:
        raise ValueError(f"{len(texts)} texts are more than {MOST_TEXTS}")
    return use.text_codes(_texts(texts))


def number_texts(values: Any) -> TextColumn:
    """Whole numbers as decimal text."""
    return use.number_texts(np.ascontiguousarray(values, dtype=np.int64))


def fixed_texts(values: NDArray[Any], *, threads: int | None = None) -> TextColumn:
    """Texts of a NumPy array of fixed width (dtype U)."""
    return use.fixed_texts(_letters(values), checks.threads(threads, values.size))


def fixed_codes(values: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """`text_codes` of a NumPy array of fixed width (dtype U), which need not become texts for that."""
    if values.size > MOST_TEXTS:
        raise ValueError(f"{values.size} texts are more than {MOST_TEXTS}")
    return use.padded_codes(_letters(values))


def _letters(values: NDArray[Any]) -> NDArray[np.uint32]:
    """Letters (rows, width) of an array of fixed width."""
    letters = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("=")).view(np.uint32)
    return letters.reshape(values.size, values.dtype.itemsize // 4)


def look_up(
    run_queries: Any, run: TextColumn, judged_queries: Any, judged: TextColumn, relevance: Any, queries: int, *,
    threads: int | None = None,
) -> LookedUp:  # fmt: skip
    """Judged relevance of every document of a run: −1 where there is none, −2 where the judgement is negative.

    Rows belong together when their query codes (0 … queries − 1) and their texts are equal. A document that a query
    lists or judges twice is reported, the earliest row that repeats one; judgements go first.
    """
    codes = [_codes(column, texts, queries) for column, texts in ((run_queries, run), (judged_queries, judged))]
    values = np.ascontiguousarray(relevance, dtype=np.int32)
    checks.same_length(codes[1], values, "judged queries and relevance")
    count = checks.threads(threads, 4 * (codes[0].size + codes[1].size))
    return use.look_up(codes[0], _texts(run), codes[1], _texts(judged), values, queries, count)


def rank_lists(
    codes: Any, documents: TextColumn | None, scores: Any, relevance: Any, queries: int, *, single: bool,
    threads: int | None = None,
) -> ListArrays:  # fmt: skip
    """Relevance of every query's rows by falling score; equal ones by falling document, or in the given order.

    `single` compares scores as 32-bit floats. Scores hold no NaN.
    """
    # The codes come first: more than can be counted are refused before anything is copied.
    rows = _codes(codes, documents, queries)
    values = checks.as_floats(scores, "scores")
    known = np.ascontiguousarray(relevance, dtype=np.int32)
    checks.same_length(rows, values, "codes and scores")
    checks.same_length(rows, known, "codes and relevance")
    if np.isnan(values).any():
        raise ValueError("a score is NaN")
    # A sort goes astray when an answer of its comparisons changes, as it would if another thread wrote to the texts.
    texts = None if documents is None else _texts(TextColumn(documents.data.copy(), documents.offsets))
    return use.rank_lists(rows, texts, values, known, queries, single, checks.threads(threads, 4 * rows.size))


def ranked_measures(
    lists: ListArrays, known_starts: Any, known: Any, wanted: WantedArrays, *, level: int = 1, expected: bool = False,
    threads: int | None = None,
) -> Scores:  # fmt: skip
    """Measures (M, Q) of ranked lists; see `thresher.kernel.reference.ranked.ranked_measures`."""
    starts = np.array(known_starts, dtype=np.int64)
    values = np.array(known, dtype=np.int32)
    # Copies, because what is relevant is counted first and then gone through.
    rows = ListArrays._make(np.array(column, order="C") for column in lists)
    wanted = WantedArrays._make(column.copy() for column in wanted)
    for name, given, size in (("lists", rows.starts, rows.ranked.size), ("judgements", starts, values.size)):
        if given[0] != 0 or given[-1] != size or (np.diff(given) < 0).any():
            raise ValueError(f"the starts of the {name} do not fit {size} rows")
    levels = wanted.gains.shape[1]
    if rows.starts.size != starts.size or rows.tied.size != rows.ranked.size or rows.tied.dtype != np.bool_:
        raise ValueError("the lists and their judgements do not fit together")
    if max(int(rows.ranked.max(initial=-1)), int(values.max(initial=-1))) >= levels or values.min(initial=0) < 0:
        raise ValueError(f"relevance is outside the {levels} levels of the gains")
    if not (wanted.kinds.size == wanted.tables.size == wanted.cuts.size == wanted.numbers.size):
        raise ValueError("kinds, tables, cuts and numbers differ in length")
    if wanted.tables.size and not 0 <= wanted.tables.min() <= wanted.tables.max() < len(wanted.gains):
        raise ValueError("a table of gains is missing")
    if not -MOST_TEXTS <= level <= MOST_TEXTS:
        raise ValueError(f"level {level} is not a 32-bit number")
    count = checks.threads(threads, rows.ranked.size * max(1, wanted.kinds.size // 4))
    return use.ranked_measures(rows, starts, values, wanted, level, expected, count)


def _texts(texts: TextColumn) -> TextColumn:
    data, offsets = np.ascontiguousarray(texts.data, np.uint8), np.array(texts.offsets, np.int64)
    if not offsets.size or offsets[0] < 0 or offsets[-1] > data.size or (np.diff(offsets) < 0).any():
        raise ValueError("the offsets of the texts do not fit their bytes")
    return TextColumn(data, offsets)


def _codes(codes: Any, texts: TextColumn | None, queries: int) -> NDArray[np.int32]:
    if np.size(codes) > MOST_TEXTS:  # places in a hash table and rows of one query are 32-bit numbers
        raise ValueError(f"at most {MOST_TEXTS:,} rows are taken, not {np.size(codes):,}")
    rows = np.array(codes, dtype=np.int32)
    if texts is not None and len(texts) != rows.size:
        raise ValueError(f"{rows.size} queries and {len(texts)} documents")
    if rows.size and not 0 <= int(rows.min()) <= int(rows.max()) < queries:
        raise ValueError(f"a query code is outside 0 … {queries - 1}")
    return rows
