"""Evaluations of runs line by line: as trec_eval prints them, as values between tabs or commas, as JSON lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from thresher._util.json_text import json_line
from thresher._util.safe_text import csv_lines as csv_text
from thresher._util.safe_text import escape_controls
from thresher.ranking.evaluation import RankEvaluation
from thresher.ranking.list_measures import ListMeasure
from thresher.ranking.run import columns_of_means, whole

ALL = "all"


def trec(evaluation: RankEvaluation, *, per_query: bool = False, run_names: bool = True) -> Iterator[str]:
    """Lines of name, query (or `all`) and value, apart by tabs, as trec_eval prints them; several runs in turn.

    Queries with results come in the order of their names, with those without results among them where they count
    and version 10 is followed. `run_names` prints the line `runid` before the means.
    """
    for run in evaluation.values():
        if per_query:
            is_shown = run.lists.retrieved[run.counted] | (run.rules.trec_eval == 10)
            retrieved = np.flatnonzero(is_shown).tolist()
            order = sorted(retrieved, key=lambda i, q=run.queries: q[i].encode())  # type: ignore[misc]
            shown = [(i, one) for i, one in enumerate(run.measures) if one.how.mean != "geometric"]
            shown = [(i, one) for i, one in shown if one.name != "num_q"]
            for q in order:
                yield "".join(_line(one.name, run.queries[q], _text(one, run.table[i, q])) for i, one in shown)
        if run_names:
            yield _line("runid", ALL, run.tag or run.name)
        yield "".join(_line(one.name, ALL, _text(one, run.mean(one.name).value)) for one in run.measures)


def _line(name: str, query: str, value: str) -> str:
    return f"{name:<22}\t{query}\t{value}\n"


def _text(one: ListMeasure, value: float) -> str:
    if math.isnan(value):
        return "undefined"
    return f"{value:.0f}" if one.how.mean == "sum" and value.is_integer() else f"{value:6.4f}"


def tsv(evaluation: RankEvaluation, *, per_query: bool = False) -> Iterator[str]:
    """A header, then one line for each run and measure (or query), numbers in full; undefined is empty."""
    for row in _rows(evaluation, per_query):
        yield (
            "\t".join(escape_controls(str(_cell(value)).replace("\t", " ").replace("\n", " ")) for value in row) + "\n"
        )


def csv_lines(evaluation: RankEvaluation, *, per_query: bool = False) -> Iterator[str]:
    """The same with commas, and quotation marks where they are needed."""
    for row in _rows(evaluation, per_query):
        yield csv_text([[_cell(value) for value in row]])


def jsonl(evaluation: RankEvaluation, *, per_query: bool = False) -> Iterator[str]:
    """One JSON object for each run and measure (or query), numbers in full; undefined is null."""
    rows = _rows(evaluation, per_query)
    columns = next(rows)
    for row in rows:
        shown = [None if isinstance(value, float) and not math.isfinite(value) else value for value in row]
        yield json_line(dict(zip(columns, shown, strict=True))) + "\n"


def _rows(evaluation: RankEvaluation, per_query: bool) -> Iterator[Sequence[Any]]:
    columns = evaluation.per_query() if per_query else columns_of_means(evaluation)
    yield tuple(columns)
    counted = {one.name for one in next(iter(evaluation.values())).measures if one.how.mean == "sum"}
    if per_query:
        counts = [name in counted for name in columns]
        for row in zip(*columns.values(), strict=True):
            yield [whole(v) if c else v for v, c in zip(row, counts, strict=True)]
        return
    place = list(columns).index("value")
    for run, measure, *rest in zip(*columns.values(), strict=True):
        cells = [run, measure, *rest]
        cells[place] = whole(cells[place]) if measure in counted else cells[place]
        yield cells


def _cell(value: Any) -> Any:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(float(value)) if isinstance(value, float | np.floating) else value


FORMS: dict[str, Callable[..., Iterator[str]]] = {"trec": trec, "tsv": tsv, "csv": csv_lines, "jsonl": jsonl}
"""Writers of lines by the name of the form."""
