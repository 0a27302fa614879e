"""`rank`: how good ranked results are, from files, dataframes, dictionaries or arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from thresher._util.fast_dataclass import dataclass, field, replace
from thresher.conventions import LEVEL, check_whole, confidence_level, option
from thresher.counts.ranked import RankedLists
from thresher.errors import InputError, Note, OptionError, choice, keyword
from thresher.inference.bootstrap.config import Bootstrap, as_bootstrap
from thresher.kernel.values import TextColumn
from thresher.ranking.evaluation import RankEvaluation
from thresher.ranking.inputs import (
    ColumnNames,
    Form,
    OneTable,
    has_columns,
    is_frame,
    is_nested,
    is_ordered,
    is_path,
    one_table,
    rows_of,
)
from thresher.ranking.judged import gold_lists
from thresher.ranking.list_measures import LARGEST, Version, list_measures
from thresher.ranking.lists import ScoreType, lists_of_columns, ranked_lists
from thresher.ranking.rows import MOST, Rows, text_column
from thresher.ranking.run import NoRelevant, Rules, RunEvaluation
from thresher.ranking.values import ListReading
from thresher.readers import series
from thresher.readers.csv_files import decimal_mark
from thresher.spool import once

Ties = Literal["trec_eval", "expected"]

NO_DOCUMENTS = Note(
    "no-documents",
    "There is no document column to break ties by, so every value is its mean over the orders of tied results; ",
    keyword("document", "…"),
    " names one.",
)

ONE_TABLE = Note(
    "judged-in-one-table",
    "The judged documents come from the table, which lacks relevant documents that were not retrieved, and recall, MAP "
    "and NDCG are too high without them; judgements that are given apart from the results have them.",
)


@once()
def rank(
    qrels: Any,
    runs: Any = None,
    *,
    judge: Any = None,
    measures: str | Sequence[str] = "summary",
    query: Any = None,
    document: Any = None,
    score: Any = None,
    relevance: str | None = None,
    relevance_level: int = 1,
    ties: Ties | None = None,
    score_type: ScoreType = "float32",
    complete: bool = False,
    no_relevant: NoRelevant = "zero",
    judged_only: bool = False,
    most: int | None = None,
    collection: int = 0,
    bootstrap: Bootstrap | int | None = None,
    level: float = LEVEL,
    trec_eval: Version = 9,
    decimal: Literal[",", "."] | None = None,
) -> RankEvaluation:
    """Evaluate ranked results against relevance judgements.

    Args:
        qrels: judgements: a TREC qrels file (plain or gzip), a table file, a dataframe, or a dictionary
            {query: {document: relevance}}, also in a JSON file. Or one table that holds judgements and scores, an array
            of relevance, or `RankedLists` (by run, when there are several).
        runs: results in the same forms, or as ordered lists {query: [documents, best first]}, or a file of query,
            document and rank (MS MARCO's); a list of them or a dictionary by name. None when the table holds them; an
            array of scores (or a dictionary of arrays) when `qrels` is an array.
        judge: a judge's judgements of all queries, such as a language model's, in the forms of `qrels`; of one
            table the column, of arrays an array. Queries with no fewer judgements by people are gold, and correct the
            judge in every mean.
        measures: names as trec_eval has them ("map", "P.10", "ndcg_cut_10"), others ("nDCG@10", "RBP(p=0.5)"), or
            groups: "summary", "official", "all_trec", "set", "all". Any other measure is available later.
        query: column of the queries; with arrays the queries themselves.
        document: column of the documents; with arrays the documents themselves.
        score: column of the scores, missing in one table where a judged document was not retrieved; a list or a
            dictionary of columns makes several runs of one table.
        relevance: column of the relevance: whole numbers, negative (or missing, in one table) for not judged.
        relevance_level: least relevance that counts as relevant in binary measures.
        ties: "trec_eval" orders equal scores by falling document; "expected" gives the mean over all orders of them.
            By default the former where there are documents.
        score_type: "float32", as trec_eval compares scores, or "float64".
        complete: whether judged queries without results count as 0 (trec_eval's -c), rather than being left out.
        no_relevant: "zero" counts queries without relevant documents as 0, as trec_eval does; "skip" leaves them out.
        judged_only: whether unjudged results are removed from the lists (trec_eval's -J); a query that has
            no others counts as 0.
        most: results of a query that are looked at, at most, judged or not (trec_eval's -M).
        collection: documents in the collection, for `utility` (trec_eval's -N).
        bootstrap: settings of the intervals, or a number of replicates; by default Student's t over queries.
        level: confidence level of the intervals.
        trec_eval: version of the definitions where they differ: 10 rounds the documents that a recall asks
            for to the nearest, its `rbp` takes p = 0.9 and gains by relevance, `all_trec` has its additions, and its
            lines list queries without results when they count.
        decimal: decimal mark of the numbers in CSV and other text tables, as in `thresher.evaluate`.

    Raises:
        InputError: the data cannot be read, matched or ranked: names the file and line, or the column and row.
        OptionError: an option has a value that it does not take.
        UnknownMeasureError: there is no such measure.

    >>> import thresher as th
    >>> found = th.rank({"q1": {"d1": 0, "d2": 2}}, {"q1": {"d1": 1.5, "d2": 0.5}}, measures=["map", "ndcg"])
    >>> found.mean("map").value, round(found.mean("ndcg").value, 4)
    (0.5, 0.6309)

    trec_eval 9 (Buckley, NIST); Manning, Raghavan & Schütze 2008; McSherry & Najork 2008 for expected ties.
    """
    option("trec_eval", trec_eval, (9, 10))
    chosen = list_measures(measures, trec_eval)
    _check(ties, score_type, no_relevant, complete, judged_only, relevance_level, most, collection, level)
    names = {"query": query, "document": document, "score": score, "relevance": relevance}
    with decimal_mark(decimal):
        read = _read(qrels, runs, names, score_type)
        by_judge = None if judge is None else _read_judge(judge, qrels, runs, names, score_type)
    if by_judge is not None:
        if no_relevant == "skip" or bootstrap is not None:
            taken = keyword("bootstrap", "…") if bootstrap is not None else choice("no_relevant", "skip")
            raise OptionError(taken + " does not go with " + keyword("judge", "…") + ": leave one of them out.")
        gold = {n: gold_lists(lists, by_judge.lists[n]) for n, lists in read.lists.items()}
        read = replace(read, lists={name: lists for name, (lists, _) in gold.items()})
        notes = {name: (*text, *by_judge.notes.get(name, ())) for name, (_, text) in gold.items()}
        by_judge = replace(by_judge, notes=notes)
    expected, assumed = _ties(ties, read.has_documents)
    every = [*read.lists.values(), *(() if by_judge is None else by_judge.lists.values())]
    highest = max([1, *(one.highest for one in every)])
    reading = ListReading(level=relevance_level, expected=expected, highest=highest, documents=collection)
    interval = None if bootstrap is None else as_bootstrap(bootstrap)
    rules = Rules(
        reading=reading, complete=complete, no_relevant=no_relevant, judged_only=judged_only, most=most,
        interval=interval, level=level, trec_eval=trec_eval,
    )  # fmt: skip
    options: dict[str, Any] = {"measures": chosen, "rules": rules, "backend": _backend(qrels)}
    found = _evaluated(read, assumed, options)
    if by_judge is not None:
        judged = _evaluated(by_judge, assumed, options)
        found = {name: replace(run, judge=judged[name]) for name, run in found.items()}
    return RankEvaluation(found, backend=_backend(qrels))


def _evaluated(read: Read, assumed: tuple[Note, ...], options: dict[str, Any]) -> dict[str, RunEvaluation]:
    found = {}
    for name, lists in read.lists.items():
        remarks = (*read.notes.get(name, ()), *assumed)
        run = RunEvaluation(name=name, lists=lists, remarks=remarks, tag=read.tags.get(name, ""), **options)
        if not run.queries:
            raise InputError(f"{name}: no query counts: {' '.join(run.notes)}")
        found[name] = run
    return found


def _ties(ties: Ties | None, has_documents: bool) -> tuple[bool, tuple[Note, ...]]:
    if ties == "trec_eval" and not has_documents:
        raise OptionError(
            choice("ties", "trec_eval")
            + " orders equal scores by document: name the document column, "
            + keyword("document", "…")
            + "."
        )
    assumed = (NO_DOCUMENTS,) if ties is None and not has_documents else ()
    return ties == "expected" or not has_documents, assumed


def _check(
    ties: Any, score_type: Any, no_relevant: Any, complete: Any, judged_only: Any, relevance_level: Any, most: Any,
    collection: Any, level: Any,
) -> None:  # fmt: skip
    option("ties", ties, (None, "trec_eval", "expected"))
    option("score_type", score_type, ("float32", "float64"))
    option("no_relevant", no_relevant, ("zero", "skip"))
    option("complete", complete, (True, False))
    option("judged_only", judged_only, (True, False))
    confidence_level(level)
    check_whole("relevance_level", relevance_level, 1, MOST)
    check_whole("most", 1 if most is None else most, 1, LARGEST)
    check_whole("collection", collection, 0, LARGEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """Lists of every run by its name, with the runs' own tags and the assumptions made in reading."""

    lists: dict[str, RankedLists]
    has_documents: bool = True
    tags: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, tuple[Note, ...]] = field(default_factory=dict)


def _read(qrels: Any, runs: Any, names: dict[str, Any], score_type: ScoreType, *, name: str = "qrels") -> Read:
    given = {"run": qrels} if isinstance(qrels, RankedLists) else qrels
    if isinstance(given, Mapping) and any(isinstance(one, RankedLists) for one in given.values()):
        if runs is not None or not all(isinstance(one, RankedLists) for one in given.values()):
            raise OptionError(
                "RankedLists hold judgements and results: give one, or a dictionary of them by run, alone."
            )
        return Read(lists={str(name): lists for name, lists in given.items()})
    if runs is None:
        single = isinstance(names["score"], str)
        columns = ColumnNames(**names | {"score": names["score"] if single else None})
        return _of_columns(one_table(qrels, columns, names["score"]), score_type)
    if _is_array(qrels):
        return _of_columns(_of_arrays(qrels, runs, names), score_type)
    if names["score"] is not None and not isinstance(names["score"], str):
        raise OptionError(
            "several score columns are runs of one table; with runs= each run has one, " + keyword("score", "'…'") + "."
        )
    named = next((keyword(role, repr(name)) for role, name in names.items() if name is not None), None)
    if named is not None and not any(map(has_columns, (qrels, *_runs_of(runs)))):
        raise OptionError(named + " names a column, and neither TREC files nor dictionaries have any.")
    columns = ColumnNames(**names)
    judgements = rows_of(qrels, "judgements", columns, name=name)
    found = _read_runs(runs, columns)
    return Read(
        lists={name: ranked_lists(judgements, rows, score_type=score_type) for name, rows in found.items()},
        tags={name: rows.tag for name, rows in found.items()},
        notes={name: (*judgements.notes, *rows.notes) for name, rows in found.items()},
    )


def _read_judge(judge: Any, qrels: Any, runs: Any, names: dict[str, Any], score_type: ScoreType) -> Read:
    """Lists by the judge's judgements of all queries."""
    if runs is None:
        if not isinstance(judge, str):
            raise OptionError(keyword("judge", "…") + " is a column of the table that has the judgements and scores.")
        return _read(qrels, None, names | {"relevance": judge}, score_type)
    return _read(judge, runs, names, score_type, name="judge")


def _of_arrays(relevance: Any, runs: Any, names: dict[str, Any]) -> OneTable:
    if names["query"] is None or isinstance(names["query"], str):
        raise OptionError("with arrays, " + keyword("query", "…") + " is the array of the queries, one for each row.")
    notes: list[Note] = []
    given = dict(runs) if isinstance(runs, Mapping) else {"run": runs}
    return OneTable(
        query=names["query"],
        document=names["document"],
        scores={str(name): series.floats(values, str(name), "score", notes) for name, values in given.items()},
        relevance=series.floats(relevance, "relevance", "relevance", notes),
        notes=tuple(notes),
    )


def _of_columns(table: OneTable, score_type: ScoreType) -> Read:
    queries, documents = _texts(table.query, "query"), None
    sizes = {"query": len(queries), "relevance": len(table.relevance)}
    sizes |= {name: len(column) for name, column in table.scores.items()}
    if table.document is not None:
        documents = _texts(table.document, "document")
        sizes["document"] = len(documents)
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
        raise InputError(f"the columns differ in length: {listed}.")
    if not len(queries):
        raise InputError("there are no rows.")
    lists = {
        name: lists_of_columns(queries, documents, table.relevance, column, score_type=score_type)
        for name, column in table.scores.items()
    }
    missing = {name: int(np.isnan(column).sum()) for name, column in table.scores.items()}
    notes = {name: (*table.notes, _not_retrieved(count) if count else ONE_TABLE) for name, count in missing.items()}
    return Read(lists=lists, has_documents=documents is not None, notes=notes)


def _not_retrieved(count: int) -> Note:
    rows = "1 judged row lacks a score: it counts" if count == 1 else f"{count:,} judged rows lack a score: they count"
    return Note("not-retrieved", f"{rows} as judged and not retrieved.")


def _texts(values: Any, name: str) -> TextColumn:
    return values if isinstance(values, TextColumn) else text_column(values, name)


def _is_array(data: Any) -> bool:
    if isinstance(data, np.ndarray):
        return data.ndim == 1
    if isinstance(data, list | tuple):
        return not all(is_path(item) for item in data)
    if isinstance(data, Mapping) or is_path(data) or is_frame(data):
        return False
    return hasattr(data, "dtype") or hasattr(data, "type")


def _read_runs(runs: Any, columns: ColumnNames) -> dict[str, Rows]:
    form: Form = "results"
    if is_path(runs):
        runs = [runs]
    if isinstance(runs, list | tuple):
        if not runs:
            raise OptionError("there is no run.")
        read = [rows_of(run, form, columns, name=f"run {i}") for i, run in enumerate(runs, start=1)]
        return dict(zip(_names(runs, read), read, strict=True))
    named = isinstance(runs, Mapping) and bool(runs) and _has_runs(runs)
    if named:
        if twice := next((name for name in runs if not isinstance(name, str) and str(name) in runs), None):
            raise InputError(f"two runs have the name {str(twice)!r} as text: give them different names.")
        return {str(name): rows_of(run, form, columns, name=str(name)) for name, run in runs.items()}
    return {"run": rows_of(runs, form, columns, name="run")}


def _runs_of(runs: Any) -> Sequence[Any]:
    if isinstance(runs, list | tuple):
        return runs
    return list(runs.values()) if isinstance(runs, Mapping) and runs and _has_runs(runs) else [runs]


def _has_runs(runs: Mapping[Any, Any]) -> bool:
    values = list(runs.values())
    if is_nested(runs):
        return any(is_nested(inner) or _is_of_texts(inner) for inner in values)
    return all(is_path(value) or is_nested(value) or is_frame(value) for value in values)


def _is_of_texts(data: Any) -> bool:
    return is_ordered(data) and all(isinstance(one, str) for documents in data.values() for one in documents[:1])


def _names(runs: Sequence[Any], read: Sequence[Rows]) -> list[str]:
    tags = [rows.tag for rows in read]
    if all(tags) and len(set(tags)) == len(tags):
        return tags
    stems = [Path(os.fspath(run)).name if is_path(run) else f"run {i}" for i, run in enumerate(runs, start=1)]
    if len(set(stems)) == len(stems):
        return stems
    names = [os.fspath(run) if is_path(run) else stem for run, stem in zip(runs, stems, strict=True)]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"the run {twice} is given twice: a run is not compared with itself.")
    return names


def _backend(data: Any) -> str | None:
    return type(data).__module__.split(".")[0] if is_frame(data) else None
