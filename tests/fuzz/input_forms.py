"""Every form in which thresher takes the rows of a mixed table, and the answer that it then gives."""

import csv
import gzip
import io
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner

import thresher as th
from fuzz.mixed_tables import Mixed
from fuzz.plain_answer import Answer, ModelAnswer, name_of
from thresher.cli.main import cli

Read = Callable[[Mixed, Path], Answer]
"""Reads a table in a form; files are written into the folder."""
TEXT = ("label", "site", "patient")
"""Columns that may be dictionaries of words."""


def evaluated(table: Mixed, data: Any) -> Answer:
    """Answer of a dataframe or file."""
    return answer_of(table, _evaluation(table, data))


def _evaluation(table: Mixed, data: Any) -> Any:
    given: dict[str, Any] = {"label": "label", ("predicted" if table.is_labels else "scores"): list(table.models)}
    return th.evaluate(data, **given, **options_of(table))


def options_of(table: Mixed) -> dict[str, Any]:
    """Options that name columns of the table, and the others."""
    found: dict[str, Any] = {"missing": "drop"} | ({} if table.is_labels else {"threshold": table.threshold})
    found |= {"positive": table.positive} if table.is_named else {}
    found |= {} if table.weight_kind is None else {"weights": "w", "weight_kind": table.weight_kind}
    found |= {"by": "site"} if table.has_groups else {}
    return found | ({"cluster": "patient"} if table.has_clusters else {})


def answer_of(table: Mixed, evaluation: Any) -> Answer:
    """Answer of an evaluation; groups without rows that count are left out."""
    rows = evaluation.predictions
    groups = {name_of(key): part for key, part in evaluation.groups.items() if part.n} if table.has_groups else None
    clusters = None
    if table.has_clusters and rows.counts is None and rows.cluster is not None:
        counting = np.ones(len(rows), dtype=bool) if rows.weights is None else np.asarray(rows.weights) > 0
        clusters = frozenset(name_of(rows.cluster.values[code]) for code in np.asarray(rows.cluster.codes)[counting])
    return Answer(
        n=evaluation.n, models=_models(table, evaluation), dropped=rows.dropped,
        groups=None if groups is None else {k: Answer(n=p.n, models=_models(table, p)) for k, p in groups.items()},
        clusters=clusters,
    )  # fmt: skip


def _models(table: Mixed, evaluation: Any) -> dict[str, ModelAnswer]:
    return {name: _model(table, evaluation[name]) for name in table.models}


def _model(table: Mixed, model: Any) -> ModelAnswer:
    matrix = model.confusion_matrix
    cells = _cells(table, [str(name_of(label)) for label in matrix.labels], matrix.counts.tolist())
    if table.is_labels:
        return ModelAnswer(matrix=cells)
    values = [float(estimate.value) for estimate in (model.auc, model.brier_score)]
    auc, brier = (None if math.isnan(value) else value for value in values)
    return ModelAnswer(matrix=cells, auc=auc, brier=brier)


def _cells(table: Mixed, labels: list[str], counts: Any) -> tuple[float, float, float, float]:
    """Cells with the positive class first."""
    assert len(labels) == 2, f"classes {labels}"
    first = [name.lstrip("+") for name in labels].index(name_of(table.positive).lstrip("+"))  # "+1" is 1
    return tuple(float(counts[i][j]) for i in (first, 1 - first) for j in (first, 1 - first))  # type: ignore[return-value]


def in_parts(made: Callable[[Mixed, str, list[Any]], Any]) -> Read:
    """Reader of columns that are passed one by one."""

    def read(table: Mixed, _folder: Path) -> Answer:
        return _of_parts(table, {name: made(table, name, values) for name, values in table.columns.items()})

    return read


def frame(made: Callable[[Mixed], Any]) -> Read:
    """Reader of a dataframe."""

    def read(table: Mixed, _folder: Path) -> Answer:
        return evaluated(table, made(table))

    return read


def _of_parts(table: Mixed, given: Mapping[str, Any]) -> Answer:
    asked = options_of(table) | {"weights": given.get("w")}
    asked |= {"by": {"site": given["site"]}} if table.has_groups else {}
    asked |= {"cluster": given["patient"]} if table.has_clusters else {}
    models = {name: given[name] for name in table.models}
    key = "predicted" if table.is_labels else "scores"
    return answer_of(table, th.evaluate(given["label"], **{key: models}, **asked))


def _array(table: Mixed, name: str, values: list[Any]) -> np.ndarray[Any, Any]:
    if name in table.models and not table.is_labels:
        kind = np.float32 if table.is_float32 else np.float64
        return np.array([math.nan if v is None else v for v in values], dtype=kind)
    return np.array(values)


def _pandas(table: Mixed) -> pd.DataFrame:
    return pd.DataFrame({name: _array(table, name, values) for name, values in table.columns.items()})


def pandas_categories(table: Mixed) -> pd.DataFrame:
    return _pandas(table).astype(dict.fromkeys(set(TEXT) & set(table.columns), "category"))


def _polars(table: Mixed) -> pl.DataFrame:
    scores = pl.Float32 if table.is_float32 else pl.Float64
    kinds = {} if table.is_labels else dict.fromkeys(table.models, scores)
    return pl.DataFrame(table.columns, schema_overrides=kinds)


def polars_categorical(table: Mixed) -> pl.DataFrame:
    return _polars(table).with_columns(pl.col(_words(table)).cast(pl.Categorical))


def polars_enum(table: Mixed) -> pl.LazyFrame:
    words = [pl.col(name).cast(pl.Enum(sorted(set(table.columns[name])))) for name in _words(table)]
    return _polars(table).with_columns(words).lazy()


def _words(table: Mixed) -> list[str]:
    """Columns of text; decided labels are words as well."""
    return [name for name, values in table.columns.items() if isinstance(values[0], str)]


def _arrow(table: Mixed) -> pa.Table:
    scores = pa.float32() if table.is_float32 else pa.float64()
    return pa.table(
        {
            name: pa.array(values, scores if name in table.models and not table.is_labels else None)
            for name, values in table.columns.items()
        }
    )


def _coded(table: Mixed, kind: pa.DataType) -> pa.Table:
    found = _arrow(table)
    for name in _words(table):
        coded = found[name].combine_chunks().dictionary_encode()
        words = pa.DictionaryArray.from_arrays(coded.indices, coded.dictionary.cast(kind))
        found = found.set_column(found.column_names.index(name), name, words)
    return found


def _delimited(table: Mixed, delimiter: str, quoting: Any = csv.QUOTE_MINIMAL) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=quoting)
    writer.writerow(table.columns)
    writer.writerows(zip(*table.columns.values(), strict=True))
    return text.getvalue().encode()


def _with_commas(table: Mixed) -> bytes:
    """Decimal commas in a file of semicolons, where texts stay as they are."""
    return _delimited(replace(table, columns={
        name: [str(value).replace(".", ",") if isinstance(value, float) else value for value in values]
        for name, values in table.columns.items()
    }), ";")  # fmt: skip


def _lines(table: Mixed) -> bytes:
    rows = (dict(zip(table.columns, row, strict=True)) for row in zip(*table.columns.values(), strict=True))
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _parquet(table: Mixed) -> bytes:
    found = io.BytesIO()
    pq.write_table(_arrow(table), found)
    return found.getvalue()


def _zstd(content: bytes) -> bytes:
    found: bytes = pa.Codec("zstd").compress(content, asbytes=True)
    return found


FILES: Mapping[str, Callable[[Mixed], bytes]] = {
    "rows.csv": lambda table: _delimited(table, ","),
    "quoted.csv": lambda table: _delimited(table, ";", csv.QUOTE_ALL), "commas.csv": _with_commas,
    "rows.tsv": lambda table: _delimited(table, "\t"), "rows.jsonl": _lines, "rows.parquet": _parquet,
    "rows.csv.gz": lambda table: gzip.compress(_delimited(table, ",")),
    "rows.jsonl.gz": lambda table: gzip.compress(_lines(table)),
    "rows.csv.zst": lambda table: _zstd(_delimited(table, ",")),
}  # fmt: skip


def file(name: str) -> Read:
    def read(table: Mixed, folder: Path) -> Answer:
        (folder / name).write_bytes(FILES[name](table))
        return evaluated(table, folder / name)

    return read


def piped(name: str) -> Read:
    """The command on its standard input."""

    def read(table: Mixed, _folder: Path) -> Answer:
        done = CliRunner().invoke(cli, ["report", "-", *_flags(table), "--format", "json"], input=FILES[name](table))
        assert done.exit_code == 0, done.stderr
        return _of_json(table, json.loads(done.stdout))

    return read


def _flags(table: Mixed) -> list[str]:
    found = ["--label", "label", "--missing", "drop", "--quiet"]
    for model in table.models:
        found += ["--predicted" if table.is_labels else "--score", model]
    found += [] if table.is_labels else [f"--threshold={table.threshold!r}"]
    found += [f"--positive={table.positive}"] if table.is_named else []
    found += [] if table.weight_kind is None else ["--weight", "w", "--weight-kind", table.weight_kind]
    found += ["--by", "site"] if table.has_groups else []
    return found + (["--cluster", "patient"] if table.has_clusters else [])


def _of_json(table: Mixed, found: Any) -> Answer:
    parts = {name_of(part["by"]["site"]): part for part in found["groups"].values() if part["n"]}
    groups = {key: Answer(n=p["n"], models=_of_json_models(table, p)) for key, p in parts.items()}
    return Answer(
        n=found["n"], models=_of_json_models(table, found), dropped=found["dropped"],
        groups=groups if table.has_groups else None,
    )  # fmt: skip


def _of_json_models(table: Mixed, found: Any) -> dict[str, ModelAnswer]:
    models: dict[str, ModelAnswer] = {}
    for name in table.models:
        model = found["models"][name]
        matrix = model["confusion_matrix"]
        cells = _cells(table, [name_of(label) for label in matrix["labels"]], matrix["counts"])
        values = {} if table.is_labels else {key: model["measures"][key]["value"] for key in ("auc", "brier_score")}
        models[name] = ModelAnswer(matrix=cells, auc=values.get("auc"), brier=values.get("brier_score"))
    return models


def saved_rows(table: Mixed, folder: Path) -> Answer:
    found = _evaluation(table, _pandas(table))
    found.predictions.save(folder / "saved.parquet")
    return answer_of(table, found.on(th.Predictions.load(folder / "saved.parquet")))


def counted(name: str) -> Read:
    """Counts of a frame or of a file, saved and read."""

    def read(table: Mixed, folder: Path) -> Answer:
        asked = options_of(table)
        threshold = asked.pop("threshold")
        asked.pop("cluster", None)
        if name in FILES:
            (folder / name).write_bytes(FILES[name](table))
        data = folder / name if name in FILES else _polars(table)
        counts = th.count(data, list(table.models), label="label", thresholds=[threshold], **asked)
        counts.save(folder / "saved.counts.parquet")
        return answer_of(table, th.evaluate(th.Counts.load(folder / "saved.counts.parquet"), threshold=threshold))

    return read


FRAMES: Mapping[str, Callable[[Mixed], Any]] = {
    "pandas": _pandas,
    "pandas, nullable": lambda table: _pandas(table).convert_dtypes(convert_integer=False),
    "pandas, categories": pandas_categories,
    "polars": _polars,
    "polars, lazy": lambda table: _polars(table).lazy(),
    "polars, categorical": polars_categorical,
    "polars, enum": polars_enum,
    "arrow": _arrow,
    "arrow, dictionary": lambda table: _coded(table, pa.string()),
    "arrow, dictionary of views": lambda table: _coded(table, pa.string_view()),
    "duckdb": lambda table: duckdb.from_arrow(_arrow(table)),
}
OF_ROWS: Mapping[str, Read] = {
    "arrays": in_parts(_array),
    "lists": in_parts(lambda _table, _name, values: [math.nan if v is None else v for v in values]),
    **{name: frame(made) for name, made in FRAMES.items()},
    **{name: file(name) for name in FILES},
    "saved rows": saved_rows,
}
OF_COUNTS: Mapping[str, Read] = {f"counts, {name}": counted(name) for name in ("polars", "rows.csv", "rows.parquet")}
PIPED = ("rows.csv", "rows.jsonl", "rows.tsv", "rows.csv.gz")


def forms(table: Mixed, seed: int) -> Mapping[str, Read]:
    """Forms in which the table can be given; of pipes, each of which takes a report, another one by seed."""
    name = PIPED[seed % len(PIPED)]
    takes_counts = not table.is_labels and table.weight_kind != "importance"
    return {**OF_ROWS, f"stdin, {name}": piped(name), **(OF_COUNTS if takes_counts else {})}
