"""`RankedLists`: for every query the relevance of its results in rank order, and all that was judged."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.front_door import guarded
from thresher._util.frozen_values import ByFields
from thresher.counts import saved
from thresher.counts.saved_fields import check_columns, column, names, whole, wholes
from thresher.errors import InputError
from thresher.results import Shown

KIND = "thresher.RankedLists"
SCHEMA = 1

UNJUDGED = -1
"""Relevance of an unjudged document."""

POOLED = -2
"""Relevance of a document with a negative judgement: it was in the pool, yet not judged."""

Whole = NDArray[np.int32]


@guarded
@dataclass(frozen=True, eq=False, kw_only=True)
class RankedLists(ByFields, Shown):
    """Results of one system: query q has `relevance[starts[q]:starts[q + 1]]`, best first.

    Relevance is −1 where a document was not judged and −2 where its judgement is negative. `tied` says that a document
    scores as much as the one before it. `judged[judged_starts[q]:judged_starts[q + 1]]` are the judgements of the
    query that are not negative, falling, retrieved or not. A judged query without results has an empty list.
    `unjudged` counts queries that have results and no judgement; they are left out.

    >>> lists = RankedLists.from_lists({"q1": [0, 1, -1], "q2": []}, {"q1": [2, 1, 0], "q2": [1]})
    >>> lists.lengths.tolist(), lists.relevant().tolist()
    ([3, 0], [2, 1])
    """

    queries: tuple[str, ...]
    starts: NDArray[np.int64]
    relevance: Whole
    tied: NDArray[np.bool_]
    judged_starts: NDArray[np.int64]
    judged: Whole
    unjudged: int = 0

    def __post_init__(self) -> None:
        shapes = {
            "starts": (len(self.queries) + 1,),
            "judged_starts": (len(self.queries) + 1,),
            "relevance": (int(self.starts[-1]),),
            "tied": (int(self.starts[-1]),),
            "judged": (int(self.judged_starts[-1]),),
        }
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape:
                raise InputError(f"{name} has shape {getattr(self, name).shape} where {shape} fits the other columns.")
        super().__post_init__()

    @classmethod
    def from_lists(cls, lists: Mapping[str, ArrayLike], judged: Mapping[str, ArrayLike] | None = None) -> RankedLists:
        """Lists of relevance in rank order, without ties; `judged` all judgements, by default those that are listed.

        Raises:
            InputError: judgements of other queries, or fewer than are listed.
        """
        ranked = {query: np.asarray(values, dtype=np.int32) for query, values in lists.items()}
        known = {query: values[values >= 0] for query, values in ranked.items()}
        if judged is not None:
            if set(judged) != set(ranked):
                raise InputError("lists and judged must have the same queries.")
            known = {query: np.asarray(judged[query], dtype=np.int32) for query in ranked}
        for query, values in known.items():
            listed, counts = np.unique(ranked[query][ranked[query] >= 0], return_counts=True)
            for value, count in zip(listed.tolist(), counts.tolist(), strict=True):
                if int((values == value).sum()) < count:
                    what = f"{count} documents of relevance {value}, more than were judged so."
                    raise InputError(f"query {query!r} lists {what}")
        return cls(
            queries=tuple(map(str, ranked)),
            starts=_starts(ranked.values()),
            relevance=_joined(ranked.values()),
            tied=np.zeros(sum(map(len, ranked.values())), dtype=np.bool_),
            judged_starts=_starts([values[values >= 0] for values in known.values()]),
            judged=_joined([np.sort(values[values >= 0])[::-1] for values in known.values()]),
        )

    @classmethod
    def empty(cls) -> RankedLists:
        """No queries: adding it changes nothing."""
        return cls.from_lists({})

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Results of every query."""
        return np.diff(self.starts)

    @property
    def retrieved(self) -> NDArray[np.bool_]:
        """Whether a query has results."""
        return self.lengths > 0

    def relevant(self, level: int = 1) -> NDArray[np.int64]:
        """Documents of every query that are judged `level` or more, retrieved or not."""
        hits = np.concatenate([[0], np.cumsum(self.judged >= level)])
        return np.asarray(np.diff(hits[self.judged_starts]))

    @property
    def highest(self) -> int:
        """Highest relevance that was given, 0 without any."""
        return int(self.judged.max(initial=0))

    @property
    def highest_by_query(self) -> NDArray[np.int64]:
        """Highest relevance that was given to a document of each query, 0 without any."""
        judged = np.append(self.judged, 0)[self.judged_starts[:-1]].astype(np.int64)
        return np.where(np.diff(self.judged_starts) > 0, judged, 0)

    def only(self, chosen: NDArray[np.bool_]) -> RankedLists:
        """Lists of the chosen queries."""
        rows = np.repeat(chosen, self.lengths)
        judged_lengths = np.diff(self.judged_starts)
        return replace(
            self,
            queries=tuple(q for q, take in zip(self.queries, chosen.tolist(), strict=True) if take),
            starts=_running(self.lengths[chosen]),
            relevance=self.relevance[rows],
            tied=self.tied[rows],
            judged_starts=_running(judged_lengths[chosen]),
            judged=self.judged[np.repeat(chosen, judged_lengths)],
        )

    def judged_only(self) -> RankedLists:
        """Lists without the documents that were not judged (trec_eval's -J)."""
        return self._keep(self.relevance >= 0)

    def first(self, most: int) -> RankedLists:
        """Lists of no more than `most` documents (trec_eval's -M)."""
        rank = np.arange(self.relevance.size) - np.repeat(self.starts[:-1], self.lengths)
        return self._keep(rank < most)

    def _keep(self, rows: NDArray[np.bool_]) -> RankedLists:
        """Lists of selected rows; rows are tied when no row of another score was between them."""
        score = np.cumsum(~self.tied)[rows]
        kept = np.concatenate([[0], np.cumsum(rows)])[self.starts]
        tied = np.zeros(score.size, dtype=np.bool_)
        tied[1:] = score[1:] == score[:-1]
        return replace(self, starts=kept, relevance=self.relevance[rows], tied=tied)

    def __add__(self, other: RankedLists) -> RankedLists:
        if not isinstance(other, RankedLists):
            return NotImplemented
        both = set(self.queries) & set(other.queries)
        if both:
            raise InputError(f"query {min(both)!r} is in both of the lists that are added: its results would be two.")
        return RankedLists(
            queries=self.queries + other.queries,
            starts=np.concatenate([self.starts, self.starts[-1] + other.starts[1:]]),
            relevance=np.concatenate([self.relevance, other.relevance]),
            tied=np.concatenate([self.tied, other.tied]),
            judged_starts=np.concatenate([self.judged_starts, self.judged_starts[-1] + other.judged_starts[1:]]),
            judged=np.concatenate([self.judged, other.judged]),
            unjudged=self.unjudged + other.unjudged,
        )

    def to_dict(self) -> dict[str, Any]:
        """Relevance, ties and judgements of each query as JSON types, under the names and codes of the fields."""
        parts = ("relevance", self.starts), ("tied", self.starts), ("judged", self.judged_starts)
        lists: list[dict[str, Any]] = [{} for _ in self.queries]
        for name, starts in parts:
            for found, values in zip(lists, np.split(getattr(self, name), starts[1:-1]), strict=False):
                found[name] = values.tolist()
        return {"queries": dict(zip(self.queries, lists, strict=True)), "unjudged": self.unjudged}

    def columns(self) -> dict[str, Any]:
        """One row for each result: query, rank from 1, relevance (by the fields' codes), and whether it is tied."""
        rank = 1 + np.arange(self.relevance.size) - np.repeat(self.starts[:-1], self.lengths)
        query = np.repeat(np.array(self.queries, dtype=object), self.lengths).tolist()
        return {"query": query, "rank": rank, "relevance": self.relevance, "tied": self.tied}

    def save(self, path: str | Path) -> None:
        """Write as Parquet: one row for each result and each judgement."""
        kinds = np.repeat(np.array([0, 1], dtype=np.uint8), [self.relevance.size, self.judged.size])
        columns = {
            "judgement": kinds,
            "relevance": np.concatenate([self.relevance, self.judged]),
            "tied": np.concatenate([self.tied, np.zeros(self.judged.size, dtype=np.bool_)]),
        }
        form = {
            **{"kind": KIND, "schema": SCHEMA, "queries": self.queries, "unjudged": self.unjudged},
            **{"starts": self.starts.tolist(), "judged_starts": self.judged_starts.tolist()},
        }
        saved.write_parquet(path, columns, form)

    @classmethod
    def load(cls, path: str | Path) -> RankedLists:
        """Lists from the file that `save` wrote.

        Raises:
            SavedFormError: there is no such file, or it is damaged, of another kind or schema version.
        """
        columns, form = saved.read_parquet(path, KIND, SCHEMA)
        with saved.checked_form(KIND, path):
            check_columns(columns, ("judgement", "relevance", "tied"))
            rows = column(columns, "judgement", "u", 0, 1) == 0
            relevance = column(columns, "relevance", "i", POOLED, 2**31 - 1).astype(np.int32)
            tied = column(columns, "tied", "b")
            lists = cls(
                queries=names(form, "queries"),
                starts=np.array(wholes(form, "starts"), dtype=np.int64),
                relevance=relevance[rows],
                tied=tied[rows],
                judged_starts=np.array(wholes(form, "judged_starts"), dtype=np.int64),
                judged=relevance[~rows],
                unjudged=whole(form, "unjudged"),
            )
            _check_saved(lists, rows, tied)
            return lists

    def __repr__(self) -> str:
        missing = int((~self.retrieved).sum())
        without = f", {missing:,} of them without results" if missing else ""
        return f"RankedLists({len(self):,} queries{without}, {self.relevance.size:,} results)"


def _running(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _starts(parts: Any) -> NDArray[np.int64]:
    return _running(np.array([len(part) for part in parts], dtype=np.int64))


def _joined(parts: Any) -> Whole:
    return np.concatenate([np.zeros(0, dtype=np.int32), *parts])


def _check_saved(lists: RankedLists, rows: NDArray[np.bool_], tied: NDArray[np.bool_]) -> None:
    """Check lists from a file: refuse ones without an order, or with results that were never judged so."""
    for starts in (lists.starts, lists.judged_starts):
        if starts[0] != 0 or (np.diff(starts) < 0).any():
            raise InputError("the starts of the queries do not rise from 0")
    if (rows[1:] > rows[:-1]).any() or tied[~rows].any() or lists.tied[lists.starts[:-1][lists.lengths > 0]].any():
        raise InputError("a judgement comes before a result, or is tied, or the first result of a query is")
    query, judged = np.arange(len(lists)), lists.judged.astype(np.int64)
    owner = np.repeat(query, np.diff(lists.judged_starts))
    if judged.size and (judged.min() < 0 or ((np.diff(judged) > 0) & (owner[1:] == owner[:-1])).any()):
        raise InputError("the judgements of a query are negative, or do not fall")
    listed = lists.relevance >= 0
    found, counts = _pairs(np.repeat(query, lists.lengths)[listed], lists.relevance[listed])
    known, most = _pairs(owner, judged)
    place = np.minimum(np.searchsorted(known, found), max(known.size - 1, 0))
    if found.size and (not known.size or ((known[place] != found) | (most[place] < counts)).any()):
        raise InputError("a query lists more documents of a relevance than were judged so")


def _pairs(owner: NDArray[Any], value: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Distinct pairs of a query and a relevance, and how often each occurs."""
    found: tuple[NDArray[Any], NDArray[Any]] = np.unique(owner * 2**31 + value, return_counts=True)
    return found
