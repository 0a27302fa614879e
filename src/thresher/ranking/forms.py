"""Evaluations of runs as trec_eval prints them, as tab-separated values, and as JSON lines."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from thresher.ranking.evaluation import RankEvaluation
from thresher.ranking.run import columns_of_means
from thresher.ranking.wanted import Wanted

ALL = "all"


def trec(evaluation: RankEvaluation, *, per_query: bool = False, run_names: bool = True) -> Iterator[str]:
    """Lines of name, query (or `all`) and value, apart by tabs, as trec_eval prints them; several runs in turn.

    Queries that have results stand in the order of their names. `run_names` prints the line `runid` before the means.
    """
    for run in evaluation.values():
        if per_query:
            retrieved = np.flatnonzero(run.lists.retrieved[run.counted]).tolist()
            order = sorted(retrieved, key=lambda i, q=run.queries: q[i].encode())  # type: ignore[misc]
            shown = [(i, one) for i, one in enumerate(run.measures) if one.entry.mean != "geometric"]
            shown = [(i, one) for i, one in shown if one.name != "num_q"]
            for q in order:
                yield "".join(_line(one.name, run.queries[q], _text(one, run.table[i, q])) for i, one in shown)
        if run_names:
            yield _line("runid", ALL, run.tag or run.name)
        yield "".join(_line(one.name, ALL, _text(one, run.mean(one.name).value)) for one in run.measures)


def _line(name: str, query: str, value: str) -> str:
    return f"{name:<22}\t{query}\t{value}\n"


def _text(one: Wanted, value: float) -> str:
    """Whole numbers without decimals, others with four and six columns."""
    if math.isnan(value):
        return "undefined"
    return f"{value:.0f}" if one.entry.mean == "sum" else f"{value:6.4f}"


def tsv(evaluation: RankEvaluation, *, per_query: bool = False) -> Iterator[str]:
    """A header, then one line for each run and measure (or query), numbers in full; undefined is empty."""
    columns = _columns(evaluation, per_query)
    yield "\t".join(columns) + "\n"
    for row in zip(*columns.values(), strict=True):
        yield "\t".join(map(_cell, row)) + "\n"


def jsonl(evaluation: RankEvaluation, *, per_query: bool = False) -> Iterator[str]:
    """One JSON object for each run and measure (or query), numbers in full; undefined is null."""
    columns = _columns(evaluation, per_query)
    for row in zip(*columns.values(), strict=True):
        plain = [None if isinstance(value, float) and not math.isfinite(value) else value for value in row]
        yield json.dumps(dict(zip(columns, plain, strict=True)), ensure_ascii=False) + "\n"


def json_text(evaluation: RankEvaluation, *, per_query: bool = False) -> Iterator[str]:
    """The whole evaluation as one JSON document."""
    yield evaluation.to_json(per_query=per_query) + "\n"


def _columns(evaluation: RankEvaluation, per_query: bool) -> dict[str, list[Any]]:
    return evaluation.per_query() if per_query else columns_of_means(evaluation)


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float | np.floating):
        return repr(float(value))
    return str(value).replace("\t", " ").replace("\n", " ")


FORMS = {"trec": trec, "tsv": tsv, "jsonl": jsonl, "json": json_text}
"""Writers by the name of the form."""
