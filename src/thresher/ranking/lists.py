"""From judgements and results to `RankedLists`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from thresher.counts.ranked import POOLED, UNJUDGED, RankedLists
from thresher.errors import InputError
from thresher.kernel.ranked import look_up, rank_lists
from thresher.kernel.values import TextColumn, running
from thresher.ranking.rows import SWAPPED, Rows, encoded

ScoreType = Literal["float32", "float64"]

Codes = NDArray[np.int32]


def ranked_lists(judgements: Rows, results: Rows, *, score_type: ScoreType = "float32") -> RankedLists:
    """Lists of one system: its documents by falling score, ties by falling document, with their judgements.

    Raises:
        InputError: a query lists or judges a document twice, or no query has both results and judgements.
    """
    relevance = judgements.relevance(SWAPPED)
    if judgements.documents is None or results.documents is None:
        raise InputError("judgements and results are matched by their documents: both need a document column.")
    known = {query: code for code, query in enumerate(judgements.queries)}
    places = [known.get(query, len(known) + i) for i, query in enumerate(results.queries)]
    codes = np.array(places, dtype=np.int32)[results.codes]
    listed = codes < len(judgements.queries)
    if not listed.any():
        raise InputError(
            f"{results.name} and {judgements.name} do not share any query: {_some(results)} here, "
            f"{_some(judgements)} there."
        )
    documents, numbers = results.documents, results.numbers
    everything = len(judgements.queries) + len(results.queries)
    found = look_up(codes, documents, judgements.codes, judgements.documents, relevance, everything)
    if found.repeated is not None:
        raise _twice(found.repeated, judgements, results)
    values = found.found
    if not listed.all():
        rows = np.flatnonzero(listed)
        codes, documents, numbers, values = codes[rows], documents.take(rows), numbers[rows], values[rows]
    lists = rank_lists(codes, documents, numbers, values, len(judgements.queries), single=score_type == "float32")
    starts, judged = _judged(judgements.codes, relevance, len(judgements.queries))
    return RankedLists(
        queries=judgements.queries,
        starts=lists.starts,
        relevance=lists.ranked,
        tied=lists.tied,
        judged_starts=starts,
        judged=judged,
        unjudged=len(set(results.queries) - set(judgements.queries)),
    )


def lists_of_columns(
    queries: TextColumn, documents: TextColumn | None, relevance: NDArray[Any], scores: NDArray[np.float64], *,
    score_type: ScoreType = "float32",
) -> RankedLists:  # fmt: skip
    """Lists of a table that holds query, score and relevance of every row.

    A row with relevance NaN is not judged, a row with score NaN was judged and not retrieved.
    """
    names, codes = encoded(queries)
    known = ~np.isnan(relevance)
    places = np.flatnonzero(known)
    judged = Rows(
        queries=names, codes=codes[known], documents=None, numbers=relevance[known], name="the table",
        locate=lambda row: f"row {places[row] + 1:,}",
    )  # fmt: skip
    values = np.full(codes.size, UNJUDGED, dtype=np.int32)
    values[known] = np.where(judged.relevance() < 0, POOLED, judged.relevance())
    listed = ~np.isnan(scores)
    if not (listed | known).all():
        row = int((listed | known).argmin())
        raise InputError(f"row {row + 1:,} of the table has neither a score nor a relevance: it needs one of them.")
    if documents is not None:
        _refuse_twice(names, codes, documents)
    rows = np.flatnonzero(listed)
    ranked = None if documents is None else documents.take(rows)
    lists = rank_lists(codes[rows], ranked, scores[rows], values[rows], len(names), single=score_type == "float32")
    starts, falling = _judged(judged.codes, judged.relevance(), len(names))
    every = RankedLists(
        queries=names,
        starts=lists.starts,
        relevance=lists.ranked,
        tied=lists.tied,
        judged_starts=starts,
        judged=falling,
    )
    has = np.bincount(judged.codes, minlength=len(names)) > 0
    if not has.any():
        raise InputError("no query of the table has a judgement: its relevance is missing everywhere.")
    return every if has.all() else replace(every.only(has), unjudged=int((~has).sum()))


def _refuse_twice(names: tuple[str, ...], codes: Codes, documents: TextColumn) -> None:
    none = np.zeros(0, dtype=np.int32)
    empty = TextColumn(np.zeros(0, np.uint8), np.zeros(1, np.int64))
    repeated = look_up(codes, documents, none, empty, none, len(names)).repeated
    if repeated is not None:
        _, row, first = repeated
        raise InputError(
            f"query {names[codes[row]]!r} lists the document {documents.text(row)!r} twice, in rows {first + 1:,} "
            f"and {row + 1:,}."
        )


def _judged(codes: Codes, relevance: Codes, queries: int) -> tuple[NDArray[np.int64], Codes]:
    kept = relevance >= 0
    codes, relevance = codes[kept], relevance[kept]
    # One key for both, because a sort of numbers is many times faster than one by two columns.
    key = (codes.astype(np.int64) << 32) - relevance
    key.sort()
    starts = running(np.bincount(codes, minlength=queries))
    owner = np.repeat(np.arange(queries, dtype=np.int64), np.diff(starts))
    return starts, ((owner << 32) - key).astype(np.int32)


def _twice(repeated: tuple[str, int, int], judgements: Rows, results: Rows) -> InputError:
    kind, row, first = repeated
    rows = judgements if kind == "judged" else results
    verb = "judges" if kind == "judged" else "lists"
    document = "" if rows.documents is None else repr(rows.documents.text(row))
    return InputError(
        f"{rows.name} {verb} the document {document} of query {rows.queries[rows.codes[row]]!r} twice, in "
        f"{rows.locate(first)} and {rows.locate(row)}: keep one of them."
    )


def _some(rows: Rows) -> str:
    return ", ".join(map(repr, rows.queries[:3])) + (", …" if len(rows.queries) > 3 else "")
