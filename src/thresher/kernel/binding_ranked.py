"""The compiled functions of ranked lists and of TREC files, with the signatures of `thresher.kernel.reference.ranked`.

As in `thresher.kernel.binding`, arrays arrive checked.
"""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.library import Library, fit
from thresher.kernel.values import ListArrays, LookedUp, Scores, TextColumn, TrecBlock, WantedArrays

REPORT = 10
SHORTEST = 5
"""Bytes of the shortest line that is a row, without its end: four fields of one letter."""

_int32, _int64 = np.dtype(np.int32), np.dtype(np.int64)


class RankedNative:
    """The functions of one loaded library."""

    def __init__(self, library: Library) -> None:
        self._call, self._run = library.call, library.run

    def trec_lines(self, block: bytes, form: int) -> TrecBlock:
        data = np.frombuffer(block, np.uint8)
        lines = len(block) // (SHORTEST + 1) + 1
        numbers, unread = np.empty(lines), np.empty((lines, 3), _int64)
        documents, queries = np.empty(len(block), np.uint8), np.empty(len(block), np.uint8)
        ends = [np.zeros(lines + 1, _int64) for _ in range(2)]
        rows, report = np.empty(lines, _int64), np.zeros(REPORT, _int64)
        report[[5, 7]] = -1
        self._call(
            "trec_lines", data, len(block), form, numbers, documents, ends[0][1:], queries, ends[1][1:], rows, unread,
            report,
        )  # fmt: skip
        count, used, distinct, query_bytes, left, bad_at, bad_fields, tag_at, tag_size, ended = report.tolist()
        return TrecBlock(
            numbers=fit(count, numbers)[0],
            documents=TextColumn(fit(used, documents)[0], fit(count + 1, ends[0])[0]),
            queries=TextColumn(queries[:query_bytes].copy(), ends[1][: distinct + 1]),
            query_rows=rows[:distinct].copy(),
            unread=unread[:left].copy(),
            bad=None if bad_at < 0 else (bad_at, bad_fields),
            tag=b"" if tag_at < 0 else block[tag_at : tag_at + tag_size],
            lines=ended,
        )

    def text_codes(self, texts: TextColumn) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        codes, firsts, count = np.empty(len(texts), _int32), np.empty(len(texts), _int64), ctypes.c_int64(0)
        self._call("text_codes", texts.data, texts.offsets, len(texts), codes, firsts, ctypes.byref(count))
        return codes, firsts[: count.value].copy()

    def padded_codes(self, letters: NDArray[np.uint32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        rows, width = letters.shape
        codes, firsts, count = np.empty(rows, _int32), np.empty(rows, _int64), ctypes.c_int64(0)
        self._call("padded_codes", letters, 4 * width, rows, codes, firsts, ctypes.byref(count))
        return codes, firsts[: count.value].copy()

    def number_texts(self, values: NDArray[np.int64]) -> TextColumn:
        data, offsets = np.empty(20 * values.size, np.uint8), np.zeros(values.size + 1, _int64)
        self._call("number_texts", values, values.size, data, offsets)
        return TextColumn(data[: offsets[-1]].copy(), offsets)

    def fixed_texts(self, letters: NDArray[np.uint32], threads: int) -> TextColumn:
        # Zeros, because where there are no letters nothing is written.
        offsets, matched = np.zeros(len(letters) + 1, _int64), ctypes.c_int64(0)
        for most in (1, 4):
            data = np.empty(most * letters.size, np.uint8)
            self._call("fixed_texts", letters, *letters.shape, most, threads, data, offsets, ctypes.byref(matched))
            if matched.value:
                break
        return TextColumn(fit(int(offsets[-1]), data)[0], offsets)

    def look_up(
        self, run_queries: NDArray[np.int32], run: TextColumn, judged_queries: NDArray[np.int32], judged: TextColumn,
        relevance: NDArray[np.int32], queries: int, threads: int,
    ) -> LookedUp:  # fmt: skip
        found, report = np.empty(run_queries.size, _int32), np.zeros(3, _int64)
        self._run(
            "look_up", run_queries.size + judged_queries.size, run_queries, run.data, run.offsets, run_queries.size,
            judged_queries, judged.data, judged.offsets, relevance, judged_queries.size, queries, threads, found,
            report,
        )  # fmt: skip
        kind, row, first = report.tolist()
        return LookedUp(found, None if kind == 0 else ("listed" if kind == 1 else "judged", row, first))

    def rank_lists(
        self, codes: NDArray[np.int32], documents: TextColumn | None, scores: Scores, relevance: NDArray[np.int32],
        queries: int, single: bool, threads: int,
    ) -> ListArrays:  # fmt: skip
        starts = np.zeros(queries + 1, _int64)
        ranked, tied = np.empty(codes.size, _int32), np.empty(codes.size, np.uint8)
        texts = (None, None) if documents is None else (documents.data, documents.offsets)
        self._run(
            "rank_lists", codes.size, codes, *texts, scores, relevance, codes.size, queries, single, threads, starts,
            ranked, tied,
        )  # fmt: skip
        return ListArrays(starts, ranked, tied.view(np.bool_))

    def ranked_measures(
        self, lists: ListArrays, known_starts: NDArray[np.int64], known: NDArray[np.int32], wanted: WantedArrays,
        level: int, expected: bool, threads: int,
    ) -> Scores:  # fmt: skip
        queries, measures = lists.starts.size - 1, wanted.kinds.size
        out = np.empty((measures, queries))
        tied = lists.tied.view(np.uint8) if expected else None
        self._run(
            "ranked_measures", lists.ranked.size * max(1, measures // 8), lists.starts, lists.ranked, tied,
            known_starts, known, queries, level, wanted.kinds, wanted.tables, wanted.cuts, wanted.numbers, measures,
            wanted.gains, *wanted.gains.shape, threads, out,
        )  # fmt: skip
        return out
