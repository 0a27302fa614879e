"""`RankEvaluation`: several runs against the same judgements, returned by `thresher.rank`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.front_door import guarded
from thresher._util.json_text import to_json
from thresher.conventions import LEVEL, SEED
from thresher.errors import Note, OptionError, TaskError, keyword
from thresher.inference.bootstrap.config import Bootstrap, as_bootstrap
from thresher.inference.comparing.compare import adjusted
from thresher.inference.comparing.comparison import Comparison
from thresher.inference.differences.difference import (
    Alternative,
    difference_bounds,
)
from thresher.inference.differences.p_values import correction_name
from thresher.ranking.compare import PERMUTATIONS, Outcomes, Test, comparison_of, query_difference
from thresher.ranking.judged import GOLD_ALONE, powered_difference
from thresher.ranking.list_measures import ListMeasure, list_measures
from thresher.ranking.run import RunEvaluation, columns_of_means, draw_runs, jsonable_value
from thresher.results import Estimate, to_frame
from thresher.upward_import import as_html, as_latex, as_text, upward_import

if TYPE_CHECKING:
    from thresher.finding import Finding

IN_BOTH = "only queries in both runs"
"""Note on a comparison with fewer queries than the mean of a run, and so other means."""


@guarded
@dataclass(frozen=True, eq=False)
class RankEvaluation(Mapping[str, RunEvaluation]):
    """A frozen mapping from the names of runs to their evaluations.

    With one run, `mean`, `by_query`, `queries` and `notes` can be read on the evaluation itself.

    >>> import thresher as th
    >>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}
    >>> found = th.rank(qrels, {"q1": {"a": 2, "b": 1}, "q2": {"d": 2, "c": 1}}, measures=["map", "P.1"])
    >>> found.mean("map").value, found.by_query("P.1").tolist()
    (0.75, [1.0, 0.0])
    """

    runs: Mapping[str, RunEvaluation]
    backend: str | None = None

    def __getitem__(self, name: str) -> RunEvaluation:
        if name not in self.runs:
            raise OptionError(f"there is no run {name!r}; the runs are {', '.join(map(repr, self.runs))}.")
        return self.runs[name]

    def __contains__(self, name: object) -> bool:
        return name in self.runs

    def __iter__(self) -> Iterator[str]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def run(self) -> RunEvaluation:
        """The only run.

        Raises:
            TaskError: there are several.
        """
        if len(self.runs) != 1:
            raise TaskError(f"there are {len(self.runs)} runs: name one of {', '.join(map(repr, self.runs))}.")
        return next(iter(self.runs.values()))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the requested measures."""
        return next(iter(self.runs.values())).names

    @property
    def comparable(self) -> tuple[str, ...]:
        """Requested measures that are means over queries and defined in every run."""
        means = [one.name for one in next(iter(self.runs.values())).measures if one.how.mean == "arithmetic"]
        return tuple(name for name in means if all(run.mean(name).is_defined for run in self.runs.values()))

    @property
    def headline(self) -> str:
        """Measure of the verdict, mean ranks, `compare` and `outcomes`: the first comparable one, or map."""
        return next(iter(self.comparable), "map")

    @property
    def queries(self) -> tuple[str, ...]:
        """Queries of the only run that count."""
        return self.run.queries

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on omissions, assumptions and zeros, each once, with the run where they differ."""
        said = {name: run.notes for name, run in self.runs.items()}
        common = [note for note in next(iter(said.values())) if all(note in notes for notes in said.values())]
        single = len(said) == 1
        own = [f"{name}: " + note for name, notes in said.items() for note in notes if note not in common]
        return tuple(common + ([] if single else own))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings about the runs by question: how good, how sure, which is better, and warnings.

        >>> import thresher as th
        >>> qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(9)}
        >>> runs = {"x": {q: {"a": 2, "b": 1} for q in qrels}, "y": {q: {"a": int(q[1]) % 3, "b": 1} for q in qrels}}
        >>> print(th.rank(qrels, runs, measures="map").findings[1])
        x is better than y: mean average precision higher by 0.33 [0.14, 0.53], p = 0.0039.
        """
        found: tuple[Finding, ...] = upward_import("form")(self, "findings")
        return found

    def mean(self, measure: str) -> Estimate:
        """Mean of a measure of the only run; see `RunEvaluation.mean`."""
        return self.run.mean(measure)

    def by_query(self, measure: str) -> Any:
        """Value of a measure for every query of the only run."""
        return self.run.by_query(measure)

    def compare(
        self,
        a: str | None = None,
        b: str | None = None,
        *,
        measure: str | None = None,
        test: Test = "t",
        alternative: Alternative = "two-sided",
        bootstrap: Bootstrap | int | None = None,
        n: int = PERMUTATIONS,
        level: float = LEVEL,
        rng: int = SEED,
        margin: float | None = None,
        correction: str = "holm",
    ) -> Any:
        """Compare the mean of a measure of two runs over the queries that count in both, first minus second.

        `measure` is by default `headline`, the measure of the verdict.
        `test`: "t" (paired t), "randomization" (Fisher's; `n` exchanges drawn unless few queries differ),
        "bootstrap" (of queries, as `bootstrap` says), "wilcoxon" (signed ranks) or "sign". `margin` adds tests that the
        first is not worse by it or more, and that both differ by less. Without names every two runs are compared, with
        one name all pairs that it is in, and the p values are also adjusted by `correction`: "holm", "hochberg",
        "hommel", "bonferroni", "bh" or "by". A run against itself has difference 0 and p = 1.

        Raises:
            OptionError: the run or test is unknown, or the measure is not an arithmetic mean.

        Source: Smucker, Allan & Carterette 2007; Holm 1979.
        """
        measure = measure or self.headline
        options: dict[str, Any] = {"test": test, "bootstrap": as_bootstrap(bootstrap, rng), "n": n, "rng": rng}
        asked: dict[str, Any] = {"level": level, "alternative": alternative, "margin": margin}
        correction_name(correction)
        if a is not None and b is not None:
            return self._compared(a, b, measure, options, **asked)
        names, named = list(self.runs), a if b is None else b
        if named is not None:
            self[named]  # refuses a run that is not there
        if len(names) < 2:
            raise OptionError("a comparison takes two runs, and there is one.")
        pairs = [pair for pair in itertools.combinations(names, 2) if named is None or named in pair]
        found = [self._compared(*pair, measure, options, **asked) for pair in pairs]
        return adjusted(found, self.backend, correction=correction)

    def compare_all(self, **options: Any) -> list[Comparison]:
        """Compare every two runs on every requested mean, with the options of `compare`.

        Nothing with one run. The p values are adjusted for each measure.
        """
        if len(self) < 2:
            return []
        measures = next(iter(self.runs.values())).measures
        names = [one.name for one in measures if one.how.mean == "arithmetic"]
        return [item for name in names for item in self.compare(measure=name, **options)]

    def report(self, path: Any, *, per_query: bool = False, **options: Any) -> Any:
        """Write a report and return its path: means, comparisons of every two runs, and in .html the curves.

        The suffix chooses the form: .html, .htm, .md, .json and .txt; .csv, .tsv, .jsonl and .trec hold the numbers of
        the runs alone. `options` are passed to `compare`, such as test="randomization"; `per_query` adds the values of
        every query (in .csv, .tsv and .jsonl instead of the means).

        Raises:
            OptionError: another suffix, or the file cannot be written.
        """
        return upward_import("form")(self, "file", path, self.compare_all(**options), per_query=per_query)

    def _compared(self, a: str, b: str, measure: str, options: dict[str, Any], **asked: Any) -> Comparison:
        one = self._single(measure)
        if one.how.mean != "arithmetic":
            raise OptionError(f"{one.name} is not a mean over queries, so it is not compared over them: take 'map'.")
        first, second, queries = self._paired(a, b, measure)
        judges = {name: judge for name in (a, b) if (judge := self[name].judge) is not None}
        if judges:
            if options["test"] != "t":
                raise OptionError(keyword("test", "…") + " compares gold queries alone: with a judge leave it out.")
            judged = RankEvaluation(judges)._paired(a, b, measure)
            powered = powered_difference((first, second, queries), judged, difference_bounds(one.bounds))
            if powered is not None:
                return comparison_of(powered[0], powered[1], measure=one.name, title=one.title, models=(a, b),
                                     n=len(queries), **asked)  # fmt: skip
        found = query_difference(first, second, bounds=difference_bounds(one.bounds), **options)
        if len(queries) < max(len(self[name].queries) for name in (a, b)):
            found = replace(found, method=f"{found.method}, {IN_BOTH}")
        if judges:
            found = replace(found, method=f"{found.method}, {GOLD_ALONE}")
        defined = [bool(queries) and bool(np.isfinite(values).all()) for values in (first, second)]
        means = (float(first.mean()) if defined[0] else np.nan, float(second.mean()) if defined[1] else np.nan)
        return comparison_of(
            found, means, measure=one.name, title=one.title, models=(a, b), n=len(queries), **asked
        )  # fmt: skip

    def _single(self, measure: str) -> ListMeasure:
        return list_measures(measure, next(iter(self.runs.values())).rules.trec_eval)[0]

    def _paired(self, a: str, b: str, measure: str) -> tuple[Any, Any, list[str]]:
        runs = [self[name] for name in (a, b)]
        columns = [dict(zip(run.queries, run.by_query(measure).tolist(), strict=True)) for run in runs]
        queries = [query for query in columns[0] if query in columns[1]]
        first, second = (np.array([column[query] for query in queries]) for column in columns)
        return first, second, queries

    def outcomes(self, a: str, b: str, *, measure: str | None = None, within: float = 0.0) -> Outcomes:
        """Query by query which of two runs is better by `headline`, or the measure named.

        A difference of no more than `within` is a tie.

        Raises:
            OptionError: there is no such run, or `within` is negative.
        """
        if not within >= 0:
            raise OptionError(f"within={within!r}: a difference that counts as a tie is at least 0.")
        measure = measure or self.headline
        first, second, queries = self._paired(a, b, measure)
        return Outcomes(
            measure=self._single(measure).name, runs=(a, b), queries=tuple(queries), first=first, second=second,
            within=within, backend=self.backend,
        )  # fmt: skip

    def plot(self, ax: Any = None, *, kind: str = "interpolated", **options: Any) -> Any:
        """Draw precision against recall of every run on the same axes, or their means, and return them.

        `kind`: "interpolated" (the mean at eleven recalls), "cut-offs" (mean precision and recall of the first k) or
        "means" (every mean with its interval, but sums of counts).

        Raises:
            OptionError: there is no such kind.
            MissingDependencyError: matplotlib is not installed.
        """
        return draw_runs(self, self.runs, kind, ax, options)

    def to_frame(self, *, per_query: bool = False, backend: str | None = None) -> Any:
        """One row for each run and measure, or (with `per_query`) for each run and query, as a dataframe.

        Raises:
            MissingDependencyError: no dataframe library is installed.
        """
        columns = self.per_query() if per_query else columns_of_means(self.runs)
        return to_frame(columns, backend or self.backend)

    def per_query(self) -> dict[str, list[Any]]:
        """Columns run, query and one for each measure."""
        columns: dict[str, list[Any]] = {name: [] for name in ("run", "query", *self.names)}
        for name, run in self.runs.items():
            columns["run"] += [name] * len(run.queries)
            for column, values in run.per_query().items():
                columns[column] += list(values) if isinstance(values, Sequence) else values.tolist()
        return columns

    def to_dict(self, *, per_query: bool = False) -> dict[str, Any]:
        """Evaluation as JSON types; undefined is None, beside its reason, and counts are whole.

        The schema is `thresher/report/ranking.schema.json`.
        """
        rules = next(iter(self.runs.values())).rules
        document: dict[str, Any] = {
            "schema": 1,
            "level": rules.level,
            "relevance_level": rules.reading.level,
            "ties": "expected" if rules.reading.expected else "trec_eval",
            "trec_eval": rules.trec_eval,
            "complete": rules.complete,
            "no_relevant": rules.no_relevant,
            "runs": [run.to_dict() for run in self.runs.values()],
        }
        if per_query:
            for entry, run in zip(document["runs"], self.runs.values(), strict=True):
                entry["per_query"] = {
                    query: {one.name: jsonable_value(one, value) for one, value in zip(run.measures, row, strict=True)}
                    for query, row in zip(run.queries, run.table.T.tolist(), strict=True)
                }
        return document

    def to_json(self, *, per_query: bool = False, indent: int | None = 2) -> str:
        """Evaluation as JSON text."""
        return to_json(self.to_dict(per_query=per_query), indent=indent)

    to_latex, __str__, __repr__, _repr_html_ = as_latex, as_text, as_text, as_html
