"""The compiled functions of ranked lists and of TREC files, with the signatures of `thresher.kernel.reference.ranked`.

As in `thresher.kernel.binding`, arrays arrive checked, and every one that is named stays referenced until the call
returns.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.calling import at as _at
from thresher.kernel.calling import check as _check
from thresher.kernel.calling import fit as _fit
from thresher.kernel.calling import run as _run
from thresher.kernel.texts import TextColumn
from thresher.kernel.values import ListArrays, LookedUp, Scores, TrecBlock, WantedArrays

REPORT = 10
SHORTEST = 5
"""Bytes of the shortest line that is a row, without its end: four fields of one letter."""

_int32, _int64 = np.dtype(np.int32), np.dtype(np.int64)


class RankedNative:
    """The functions of one loaded library."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library

    def _call(self, name: str, *arguments: Any) -> None:
        bad_row = ctypes.c_int64(-1)
        _check(getattr(self._library, name)(*arguments, ctypes.addressof(bad_row)), bad_row)

    def trec_lines(self, block: bytes, form: int) -> TrecBlock:
        data = np.frombuffer(block, np.uint8)
        lines = len(block) // (SHORTEST + 1) + 1
        numbers, unread = np.empty(lines), np.empty((lines, 3), _int64)
        documents, queries = np.empty(len(block), np.uint8), np.empty(len(block), np.uint8)
        ends = [np.zeros(lines + 1, _int64) for _ in range(2)]
        rows, report = np.empty(lines, _int64), np.zeros(REPORT, _int64)
        report[[5, 7]] = -1
        self._call(
            "thresher_trec_lines", _at(data), len(block), form, _at(numbers), _at(documents), _at(ends[0][1:]),
            _at(queries), _at(ends[1][1:]), _at(rows), _at(unread), _at(report),
        )  # fmt: skip
        count, used, distinct, query_bytes, left, bad_at, bad_fields, tag_at, tag_size, ended = report.tolist()
        return TrecBlock(
            numbers=_fit(numbers, count),
            documents=TextColumn(_fit(documents, used), _fit(ends[0], count + 1)),
            queries=TextColumn(queries[:query_bytes].copy(), ends[1][: distinct + 1]),
            query_rows=rows[:distinct].copy(),
            unread=unread[:left].copy(),
            bad=None if bad_at < 0 else (bad_at, bad_fields),
            tag=b"" if tag_at < 0 else block[tag_at : tag_at + tag_size],
            lines=ended,
        )

    def text_codes(self, texts: TextColumn) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        codes, firsts, count = np.empty(len(texts), _int32), np.empty(len(texts), _int64), ctypes.c_int64(0)
        places = _at(codes), _at(firsts), ctypes.addressof(count)
        self._call("thresher_text_codes", _at(texts.data), _at(texts.offsets), len(texts), *places)
        return codes, firsts[: count.value].copy()

    def padded_codes(self, letters: NDArray[np.uint32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        rows, width = letters.shape
        codes, firsts, count = np.empty(rows, _int32), np.empty(rows, _int64), ctypes.c_int64(0)
        places = _at(codes), _at(firsts), ctypes.addressof(count)
        self._call("thresher_padded_codes", _at(letters), 4 * width, rows, *places)
        return codes, firsts[: count.value].copy()

    def number_texts(self, values: NDArray[np.int64]) -> TextColumn:
        data, offsets = np.empty(20 * values.size, np.uint8), np.zeros(values.size + 1, _int64)
        self._call("thresher_number_texts", _at(values), values.size, _at(data), _at(offsets))
        return TextColumn(data[: offsets[-1]].copy(), offsets)

    def fixed_texts(self, letters: NDArray[np.uint32], threads: int) -> TextColumn:
        # Zeros, because where there are no letters nothing is written.
        offsets, matched = np.zeros(len(letters) + 1, _int64), ctypes.c_int64(0)
        for most in (1, 4):
            data = np.empty(most * letters.size, np.uint8)
            places = _at(data), _at(offsets), ctypes.addressof(matched)
            self._call("thresher_fixed_texts", _at(letters), *letters.shape, most, threads, *places)
            if matched.value:
                break
        return TextColumn(_fit(data, int(offsets[-1])), offsets)

    def split_texts(self, joined: bytes, separator: int, rows: int) -> TextColumn | None:
        data, offsets = np.empty(len(joined), np.uint8), np.empty(rows + 1, _int64)
        matched = ctypes.c_int64(0)
        place = _at(np.frombuffer(joined, np.uint8))
        addresses = _at(data), _at(offsets), ctypes.addressof(matched)
        self._call("thresher_split_texts", place, len(joined), separator, rows, *addresses)
        return TextColumn(data[: offsets[-1]], offsets) if matched.value else None

    def look_up(
        self, run_queries: NDArray[np.int32], run: TextColumn, judged_queries: NDArray[np.int32], judged: TextColumn,
        relevance: NDArray[np.int32], queries: int, threads: int,
    ) -> LookedUp:  # fmt: skip
        found, report = np.empty(run_queries.size, _int32), np.zeros(3, _int64)
        function = self._library.thresher_look_up
        _run(
            run_queries.size + judged_queries.size,
            lambda cancel, bad: function(
                _at(run_queries), _at(run.data), _at(run.offsets), run_queries.size,
                _at(judged_queries), _at(judged.data), _at(judged.offsets), _at(relevance), judged_queries.size,
                queries, threads, cancel, _at(found), _at(report), bad,
            ),
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
        function = self._library.thresher_rank_lists
        _run(
            codes.size,
            lambda cancel, bad: function(
                _at(codes), *map(_at, texts), _at(scores), _at(relevance), codes.size, queries, single, threads,
                cancel, _at(starts), _at(ranked), _at(tied), bad,
            ),
        )  # fmt: skip
        return ListArrays(starts, ranked, tied.view(np.bool_))

    def ranked_measures(
        self, lists: ListArrays, known_starts: NDArray[np.int64], known: NDArray[np.int32], wanted: WantedArrays,
        level: int, expected: bool, threads: int,
    ) -> Scores:  # fmt: skip
        queries, measures = lists.starts.size - 1, wanted.kinds.size
        out = np.empty((measures, queries))
        tied = lists.tied.view(np.uint8) if expected else None
        function, tables = self._library.thresher_ranked_measures, wanted.gains
        _run(
            lists.ranked.size * max(1, measures // 8),
            lambda cancel, bad: function(
                _at(lists.starts), _at(lists.ranked), _at(tied), _at(known_starts), _at(known), queries, level,
                _at(wanted.kinds), _at(wanted.tables), _at(wanted.cuts), _at(wanted.numbers), measures,
                _at(tables), *tables.shape, threads, cancel, _at(out), bad,
            ),
        )  # fmt: skip
        return out
