"""`RunEvaluation`: one run against the judgements, its measures for every query and on average."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.front_door import guarded
from thresher._util.frozen_values import cached_property, freeze, rebuilt
from thresher.conventions import LEVEL, option
from thresher.counts.ranked import RankedLists
from thresher.curves.curve import Curve
from thresher.errors import Note, OptionError, note_forms
from thresher.inference.bootstrap.config import Bootstrap
from thresher.measures.ranked_lists import FLOOR, RECALLS
from thresher.ranking.judged import notes_of as judge_notes
from thresher.ranking.judged import powered_means
from thresher.ranking.list_measures import ListMeasure, Version, list_measures
from thresher.ranking.values import DRAWN, ListReading, Selections, means_of_queries, selections, values_of
from thresher.results import Estimate, to_frame
from thresher.upward_import import upward_import

Floats = NDArray[np.float64]
NoRelevant = Literal["zero", "skip"]

CURVE_CUTS = (1, 2, 3, 5, 10, 15, 20, 30, 50, 100, 200, 500, 1000)
"""Cut-offs of the precision and recall of a run, one point each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Rules for queries, the depth of lists, and the intervals of means."""

    reading: ListReading
    complete: bool = False
    no_relevant: NoRelevant = "zero"
    judged_only: bool = False
    most: int | None = None
    interval: Bootstrap | None = None
    level: float = LEVEL
    trec_eval: Version = 9


@guarded
@dataclass(frozen=True, eq=False, kw_only=True)
class RunEvaluation(Mapping[str, Estimate]):
    """One run: a frozen mapping from the names of its measures to their means over queries.

    `lists` hold every judged query as it was read, `queries` are those that count. `remarks` are the assumptions made
    in reading. With a `judge`, the same run by its judgements of all queries, `queries` are those that people judged.

    >>> import thresher as th
    >>> run = th.rank({"q1": {"a": 1, "b": 0}}, {"q1": {"a": 0.2, "b": 0.9}}).run
    >>> run.mean("recip_rank").value, run.by_query("P.1").tolist()
    (0.5, [0.0])
    """

    name: str
    lists: RankedLists
    measures: tuple[ListMeasure, ...]
    rules: Rules
    remarks: tuple[Note, ...] = ()
    backend: str | None = None
    tag: str = ""
    judge: RunEvaluation | None = None

    @cached_property
    def looked_at(self) -> RankedLists:
        """Apply the rules to lists: cut to the first results, then drop unjudged ones."""
        rules = self.rules
        first = self._selections.lists if self._selections else self.lists
        if rules.most is not None and self._selections is None:
            first = self.lists.first(rules.most)
        return first.judged_only() if rules.judged_only else first

    @cached_property
    def _selections(self) -> Selections | None:
        most = self.rules.most
        return selections(self.lists, most) if most is not None and self.rules.reading.expected else None

    @cached_property
    def counted(self) -> NDArray[np.bool_]:
        """Judged queries that count in means."""
        counted = np.ones(len(self.lists), dtype=np.bool_) if self.rules.complete else self.lists.retrieved
        if self.rules.no_relevant == "skip":
            counted = counted & (self.lists.relevant(self.rules.reading.level) > 0)
        return np.asarray(counted)

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """Queries that count."""
        return tuple(query for query, here in zip(self.lists.queries, self.counted.tolist(), strict=True) if here)

    @cached_property
    def table(self) -> Floats:
        """Values (measures, queries) of the requested measures."""
        return self.values_of(self.measures)

    def values_of(self, measures: tuple[ListMeasure, ...]) -> Floats:
        """Values (measures, queries) of some measures."""
        if self._selections is None:
            found = values_of(self.looked_at, measures, self.rules.reading)
        else:
            plain = tuple(one.with_arithmetic_mean() for one in measures)
            found = self._selections.means(values_of(self.looked_at, plain, self.rules.reading))
            for row, one in zip(found, measures, strict=True):
                if one.how.mean == "geometric":
                    np.maximum(row, FLOOR, out=row)
        missing = ~self.lists.retrieved
        for row, one in zip(found, measures, strict=True):
            if one.entry.name not in ("num_rel", "num_q"):
                row[missing & ~np.isnan(row)] = FLOOR if one.how.mean == "geometric" else 0.0
        return freeze(np.asarray(found[:, self.counted]))

    @property
    def _has_looked_at(self) -> NDArray[np.bool_]:
        retrieved = self.looked_at.retrieved
        return retrieved if self._selections is None else self._selections.any(retrieved)

    def by_query(self, measure: str) -> Floats:
        """Value of a measure for every query of `queries`.

        Raises:
            UnknownMeasureError, OptionError: as for `thresher.ranking.list_measures`.
        """
        one = _single(measure, self.rules.trec_eval)
        place = self._places.get(one.name)
        values: Floats = self.values_of((one,))[0] if place is None else self.table[place]
        return values

    def mean(self, measure: str) -> Estimate:
        """Mean of a measure over `queries` (a count's sum, a geometric mean) with its interval.

        Raises:
            UnknownMeasureError, OptionError: as for `thresher.ranking.list_measures`.
        """
        one = _single(measure, self.rules.trec_eval)
        place = self._places.get(one.name)
        return self._means_of((one,), self.values_of((one,)))[0] if place is None else self.means[place]

    @cached_property
    def means(self) -> tuple[Estimate, ...]:
        """Means of the requested measures, in order."""
        return self._means_of(self.measures, self.table)

    def _means_of(self, measures: tuple[ListMeasure, ...], values: Floats) -> tuple[Estimate, ...]:
        expected = self.rules.reading.expected
        found = means_of_queries(measures, values, self.rules.interval, self.rules.level, expected=expected)
        return found if self.judge is None else powered_means(self, measures, values, found)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the requested measures."""
        return tuple(one.name for one in self.measures)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def __getitem__(self, measure: str) -> Estimate:
        return self.mean(measure)

    def __iter__(self) -> Any:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.measures)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on omissions, assumptions and zeros."""
        if self.judge is not None:
            return (*judge_notes(self.lists, self.judge.lists), *self.judge.notes)
        lists, level = self.lists, self.rules.reading.level
        missing = int((~lists.retrieved).sum())
        empty = int((lists.relevant(level) == 0)[lists.retrieved | self.rules.complete].sum())
        emptied = int((self.counted & lists.retrieved & ~self._has_looked_at).sum())
        zero, out = "0 in every mean", "left out of every mean"
        of_missing, of_empty = zero if self.rules.complete else out, out if self.rules.no_relevant == "skip" else zero
        unjudged = lists.unjudged
        found = (
            (unjudged, Note("unjudged-queries", _of(unjudged, "with results {} no judgements: left out."))),
            (missing, Note("missing-queries", _of(missing, f"{{}} judgements and no results: {of_missing}."),
                           parameter="complete")),
            (emptied, Note("no-judged-results", _of(emptied, f"{{}} no judged results: {zero}."),
                           parameter="judged_only")),
            (empty, Note("no-relevant", _of(empty, f"{{}} no relevant documents: {of_empty}."),
                         parameter="no_relevant")),
        )  # fmt: skip
        lines = [*self.remarks, *(note for count, note in found if count)]
        if self._selections is not None and (sampled := self._selections.sampled):
            across = f"{_queries(sampled)} {_have(sampled)} tied results across the first {self.rules.most:,}"
            text = f"{across} of too many kinds to go through: {DRAWN:,} selections of them were drawn."
            lines.append(Note("drawn-selections", text))
        return tuple(lines)

    def per_query(self) -> dict[str, Any]:
        """Columns `query` and one for each measure."""
        return {"query": list(self.queries), **dict(zip(self.names, self.table, strict=True))}

    def plot(self, ax: Any = None, *, kind: str = "interpolated", **options: Any) -> Any:
        """Draw precision against recall, or the means, and return the axes; options as of `RankEvaluation.plot`.

        Raises:
            OptionError: there is no such kind.
            MissingDependencyError: matplotlib is not installed.
        """
        return draw_runs(self, {self.name: self}, kind, ax, options)

    def to_frame(self, *, per_query: bool = False, backend: str | None = None) -> Any:
        """Means with intervals, or one row for each query, as a dataframe.

        Raises:
            MissingDependencyError: no dataframe library is installed.
        """
        if per_query:
            return to_frame(self.per_query(), backend or self.backend)
        return to_frame(columns_of_means({self.name: self}), backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Means and notes as JSON types; counts are whole."""
        means = zip(self.measures, self.means, strict=True)
        return {
            "name": self.name,
            "queries": len(self.queries),
            "measures": {one.name: mean.to_dict() | {"value": jsonable_value(one, mean.value)} for one, mean in means},
            "notes": note_forms(self.notes),
        }

    @property
    def interpolated(self) -> Curve:
        """Mean interpolated precision over queries at recall 0, 0.1, …, 1: the usual precision–recall graph of a run.

        p_interp(r) = max over r' ≥ r of precision at recall r', 0 beyond the recall that a query reaches. Undefined
        over tied documents in expectation. Manning, Raghavan & Schütze (2008), section 8.4.
        """
        x = np.asarray(RECALLS, dtype=np.float64)
        y = np.array([self.mean(f"iprec_at_recall.{recall:g}").value for recall in RECALLS])
        return Curve(
            name="interpolated_precision_recall",
            x=x,
            y=y,
            thresholds=np.full(x.size, np.nan),
            x_name="recall",
            y_name="precision",
            interpolation="linear",
            notes=self.notes,
            summary=replace(self.mean("11pt_avg"), name="11-point mean"),
        )

    @property
    def precision_recall(self) -> Curve:
        """Mean precision against mean recall of the first k documents, one point for each cut-off k."""
        longest = int(self.looked_at.lengths.max(initial=1))
        kept = [cut for cut in CURVE_CUTS if cut <= longest] or [CURVE_CUTS[0]]
        return Curve(
            name="precision_recall",
            x=np.array([self.mean(f"recall.{cut}").value for cut in kept]),
            y=np.array([self.mean(f"P.{cut}").value for cut in kept]),
            thresholds=np.array(kept, dtype=np.float64),
            x_name="recall",
            y_name="precision",
            interpolation="points",
            notes=self.notes,
        )

    __reduce__ = rebuilt

    def __repr__(self) -> str:
        means = ", ".join(f"{name} {self.mean(name).format(4)}" for name in self.names[:3])
        return f"RunEvaluation({self.name!r}: {_queries(len(self.queries))}; {means})"


def draw_runs(found: Any, runs: Mapping[str, RunEvaluation], kind: str, ax: Any, options: dict[str, Any]) -> Any:
    """Picture of runs: a curve of each, or their means with intervals."""
    option("kind", kind, ("interpolated", "cut-offs", "means"))
    if kind == "means":
        return upward_import("pictures").draw(found, ax=ax, **options)
    curves = {n: r.interpolated if kind == "interpolated" else r.precision_recall for n, r in runs.items()}
    return upward_import("pictures").draw(curves, ax=ax, **options)


def jsonable_value(one: ListMeasure, value: float) -> float | int | None:
    """A value as JSON has it: whole where it counts (but an expected count), None where undefined or infinite."""
    if not math.isfinite(value):
        return None
    return whole(value) if one.how.mean == "sum" else value


def whole(value: float) -> float | int:
    """A count without decimals; an expected one over ties may have some."""
    return int(value) if math.isfinite(value) and float(value).is_integer() else value


def columns_of_means(runs: Mapping[str, RunEvaluation]) -> dict[str, list[Any]]:
    """One row for each run and measure."""
    means = [(run, name, found.mean(name)) for run, found in runs.items() for name in found.names]
    columns: dict[str, list[Any]] = {"run": [run for run, *_ in means], "measure": [name for _, name, _ in means]}
    fields = ("value", "low", "high", "standard_error", "n", "method", "reason")
    return columns | {field: [getattr(mean, field) for *_, mean in means] for field in fields}


def _single(measure: str, version: Version) -> ListMeasure:
    found = list_measures(measure, version)
    if len(found) > 1:
        raise OptionError(f"{measure!r} matches {len(found)} measures, such as {found[0].name!r}: name one.")
    return found[0]


def _queries(count: int) -> str:
    return f"{count:,} {'query' if count == 1 else 'queries'}"


def _of(queries: int, text: str) -> str:
    return f"{_queries(queries)} {text.format(_have(queries))}"


def _have(count: int) -> str:
    return "has" if count == 1 else "have"
