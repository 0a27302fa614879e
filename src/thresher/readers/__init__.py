"""Readers: how arrays, dataframes and files become `Predictions`."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from inspect import isroutine
from typing import Any, Literal

import numpy as np

from thresher._util.foreign_arrays import to_host
from thresher.conventions import Directions, Unlabelled, WeightKind
from thresher.counts.saved import refuse_saved
from thresher.errors import InputError, OptionError, choice, keyword
from thresher.predictions import Columns, Predictions, build
from thresher.predictions.build import check_options
from thresher.predictions.judged import refuse_options
from thresher.readers.arrays import frame_columns, is_multilabel, read_arrays
from thresher.readers.csv_files import decimal_mark, read_small
from thresher.readers.roles import MARKS, Join, roles
from thresher.spool import once

__all__ = ["load"]

Progress = Callable[[float | None, str], None]


@once()
def load(
    data: Any,
    scores: Any = None,
    *,
    label: str | Sequence[str] | None = None,
    positive: Hashable | None = None,
    rest: Literal["negative"] | None = None,
    predicted: Any = None,
    probabilities: Any = None,
    labels: Sequence[Hashable] | None = None,
    normalize: bool = False,
    weights: Any = None,
    weight_kind: WeightKind = "importance",
    by: Any = None,
    fold: Any = None,
    cluster: Any = None,
    judge: Any = None,
    sampling: Any = None,
    verified: Any = None,
    direction: Directions = "higher",
    missing: Unlabelled = "error",
    decimal: Literal[",", "."] | None = None,
    truth: Any = None,
    key: str | None = None,
    model_column: str | None = None,
    progress: Progress | None = None,
) -> Predictions:
    """Read and check predictions from arrays, a dataframe, or files, with the options of `thresher.evaluate`.

    With `missing="weight"` or "bounds" rows without a label are read; `partial_labels` marks rows with one, or has all.
    `progress(fraction, text)` is called while files are read; the fraction is None while it is not known.

    Raises:
        InputError: the data cannot be evaluated as they are; the sentence names the column and the first row.
        OptionError: an option has a value that it does not take.

    >>> load(["ill", "well"], [0.9, 0.2], positive="ill")
    Predictions(2 rows, 1 'ill' (positive), 1 'well'; scores score)
    """
    treatments = ("error", "drop", "weight", "bounds")
    check_options(rest=rest, weight_kind=weight_kind, direction=direction, missing=missing, treatments=treatments)
    missing = "weight" if verified is not None and missing == "error" else missing
    is_partly = missing in ("weight", "bounds")
    if verified is not None and missing == "drop":
        raise OptionError(keyword("verified", "…") + " goes with " + choice("missing", "weight") + " or "
                          + choice("missing", "bounds") + ".")  # fmt: skip
    if is_partly and judge is not None:
        given = keyword("judge", "…")
        raise OptionError(
            "leave " + keyword("missing" if verified is None else "verified", "…") + " out: " + given
            + " uses the rows without a label already."
        )  # fmt: skip
    if missing == "weight" and weights is not None:
        if verified is not None:
            weighting = " makes weights itself, from the labels alone: leave "
            raise OptionError(keyword("verified", "…") + weighting + keyword("weights", "…") + " out.")
        raise OptionError(choice("missing", "weight") + ' makes weights itself, from the labels alone: use "drop".')
    named = {
        "label": label, "scores": scores, "predicted": predicted, "probabilities": probabilities, "weights": weights,
        "by": by, "fold": fold, "cluster": cluster,
    }  # fmt: skip
    join = Join(truth, key, model_column)
    of_judge = {"judge": judge, "sampling": sampling}
    refuse_options({**named, **of_judge, **vars(join), "weight_kind": weight_kind})
    options: dict[str, Any] = {"labels": labels, "weight_kind": weight_kind, "missing": missing}
    data = to_host(whole_table(data, joined=join.is_wanted, label=label))
    named = {name: to_host(value) for name, value in named.items()}
    if isinstance(label, str) and any(mark in label for mark in MARKS):
        own = data if isinstance(data, Mapping) else frame_columns(data) or ()
        named["label"] = label if label in own else [label]
    elif isinstance(label, list | tuple) and len(label) == 1 and not any(mark in str(label[0]) for mark in MARKS):
        named["label"] = label[0]
    with decimal_mark(decimal):
        if is_multilabel(data, named):
            if is_partly:
                raise OptionError(choice("missing", missing) + " is for one label a row: evaluate them one by one.")
            from thresher.readers.multilabel import load_multilabel, refuse, refuse_joins

            refuse(named, positive, rest, direction, normalize)
            refuse_joins(vars(join))
            paths = None if label is None else paths_of(data, named["label"])
            if label is not None and paths is None:
                is_frame(data, named)  # which refuses a lazy one
            return load_multilabel(data, named | of_judge, paths=paths, progress=progress, **options)
        options |= {"positive": positive, "rest": rest, "direction": direction, "normalize": normalize}
        if judge is not None:
            from thresher.readers.judged import read_judged

            return read_judged(data, named, of_judge, join, progress, **options)
        if is_partly:
            from thresher.readers.judged import read_partly_labelled

            return read_partly_labelled(data, named, verified, join, progress, **options)
        [columns] = read_columns(data, named, join, progress)
        return build(columns, **options, offers=KEPT)


KEPT = (
    " Rows without a label are kept by " + choice("missing", "weight") + " or " + choice("missing", "bounds")
    + ". To use a judge's labels for them, give " + keyword("judge", "…") + "."
)  # fmt: skip
"""Other ways to handle rows without a label."""


def read_columns(
    data: Any,
    named: dict[str, Any],
    join: Join | None = None,
    progress: Progress | None = None,
    *,
    most: int | None = None,
) -> Iterator[Columns]:
    """Read columns by their roles, not yet checked against each other: all rows at once, or parts of about `most`.

    Arrays, dataframes and joined tables, which are in memory, are always one part.
    """
    paths, join = paths_of(data, named["label"]), join or Join()
    may_stream = paths is None and not join.is_wanted
    if may_stream and (parts := _stream_parts(data, named, progress, most)) is not None:
        yield from parts
        return
    if paths is None and not is_frame(data, named):
        for option, value in {**vars(join), "label": named["label"]}.items():
            if value is not None:
                raise OptionError(
                    keyword(option, "…") + " names a column of a dataframe or a file, but the data are arrays."
                )
        yield read_arrays(data, **{role: given for role, given in named.items() if role != "label"})
        return
    found = roles(**named)
    if join.is_wanted:
        from thresher.readers.joins import read_joined

        yield read_joined(data if paths is None else paths, found, join, progress)
    elif paths is not None:
        from thresher.readers.files import find_files

        files = find_files(paths, whole=most is None)
        if most is None and (small := read_small(files, found)) is not None:
            yield small
            return
        from thresher.readers.duckdb_files import read_files

        yield from read_files(files, found, progress, most=most)
    else:
        from thresher.readers.frames import read_frame

        yield read_frame(data, found)


def whole_table(data: Any, *, joined: bool = False, label: Any = None) -> Any:
    """A batch of PyArrow as a table, a reader of batches where it is not read by batches; anything else as it is."""
    if isinstance(data, Predictions):
        raise InputError(
            "Predictions are already checked rows. Evaluate them with evaluate(predictions), or count one score with "
            "ScoreTable.of_rows(predictions, model)."
        )
    if isroutine(data):
        name = data.__name__
        raise InputError(f"the data are the function {name}, not its result: call it, as in {name}().")
    kind = type(data)
    if not kind.__module__.startswith("pyarrow") or kind.__name__ not in ("RecordBatch", "RecordBatchReader"):
        return data
    if kind.__name__ == "RecordBatchReader":
        return data.read_all() if joined or isinstance(label, list | tuple) else data
    from pyarrow import Table

    return Table.from_batches([data])


def _stream_parts(
    data: Any, named: dict[str, Any], progress: Progress | None, most: int | None
) -> Iterator[Columns] | None:
    if isinstance(data, np.ndarray | Sequence | Mapping):  # recognized without importing other libraries
        return None
    from thresher.readers.frames import read_stream_parts, stream_of
    from thresher.readers.where import SomeRows

    if isinstance(data, SomeRows):
        from thresher.readers.duckdb_files import read_files

        return read_files(data.files, roles(**named), progress, most=most, where=data)
    stream = stream_of(data, named["label"])
    return None if stream is None else read_stream_parts(stream, roles(**named), progress, most=most)


def paths_of(data: Any, label: str | None) -> list[str] | None:
    """Paths, when the data are paths: any path object, or text with label=…, alone or in a list."""
    if isinstance(data, os.PathLike) or (isinstance(data, str) and label is not None):
        return [os.fspath(data)]
    if isinstance(data, str):
        refuse_saved(data, data)
        raise OptionError(
            f"{data!r} is read as a file when " + keyword("label", "…") + " names its column of true labels."
        )
    if isinstance(data, list | tuple) and data:
        kinds = str | os.PathLike if label is not None else os.PathLike
        if all(isinstance(item, kinds) for item in data):
            return [os.fspath(item) for item in data]
    return None


def known_rows(paths: Sequence[str]) -> int | None:
    """Return the number of rows of Parquet files, from their metadata; None for other files."""
    from thresher.readers.files import find_files

    files = [] if "-" in paths else find_files(paths)
    if not files or not all(file.name.lower().endswith((".parquet", ".pq")) for file in files):
        return None
    from thresher.readers.session import session
    from thresher.readers.tables import open_table

    with session(files) as connection:
        return open_table(connection, files).rows


def cluster_of(data: Any) -> str | None:
    """Return the cluster library of a dataframe, "dask" or "pyspark"; None for other data."""
    kinds = {(kind.__module__.split(".")[0], kind.__name__) for kind in type(data).__mro__}
    return next((name for name in ("dask", "pyspark") if (name, "DataFrame") in kinds), None)


def is_frame(data: Any, named: Mapping[str, Any]) -> bool:
    """Return whether the data are a table of named columns; refuse a lazy one that cannot be read in batches."""
    if isinstance(data, np.ndarray | Sequence):
        return False
    if isinstance(data, Mapping):
        return True
    import narwhals.stable.v2 as nw

    from thresher.readers.frames import refuse_repeated

    refuse_repeated(data)
    frame = nw.from_native(data, pass_through=True, allow_series=True)
    if isinstance(frame, nw.LazyFrame):
        raise InputError(
            f"this {type(data).__module__.split('.')[0]} {type(data).__name__} is lazy: collect it into a dataframe "
            f"first, or pass the path of the file."
        )
    single = named["label"] is None and named["scores"] is not None and not isinstance(named["scores"], str)
    return isinstance(frame, nw.DataFrame) and not (single and frame.shape[1] == 1)
