"""Predictions a part at a time, of one score or several of two classes: for what only counts rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from thresher.engines import paths_of, read_columns, whole_table
from thresher.engines.multilabel import is_multilabel
from thresher.errors import InputError, OptionError
from thresher.predictions import Columns, Predictions, build
from thresher.sentences import keyword

Progress = Callable[[float | None, str], None]

ROWS = 2**22
"""Rows of a part: 34 MB a column of scores."""


class LoadedPart(NamedTuple):
    """Rows that count, with the notes on their columns alone, and how many of those read for them weighed nothing."""

    rows: Predictions
    weightless: int


def load_parts(
    data: Any,
    scores: Any = None,
    *,
    label: str | None = None,
    weights: Any = None,
    by: Any = None,
    progress: Progress | None = None,
    most: int | None = None,
    **options: Any,
) -> Iterator[LoadedPart]:
    """Checked predictions, a part of the rows of files at a time, or all of arrays and dataframes at once.

    The options are those of `load`. Labels mean the same in every part: where a later part shows that they were read
    wrongly in the first, an error says so.

    Raises:
        InputError, OptionError: as `load`, when the part that shows it is read.
    """
    positive: Hashable = None
    columns = {"label": label, "scores": scores, "weights": weights, "by": by}
    for part in _columns(data, columns, progress, most or ROWS):
        rows = build(part, **options)
        positive = rows.positive if positive is None else positive
        if rows.positive != positive:
            raise InputError(
                f"the label column {label!r} is read otherwise from its first rows, where {positive!r} is positive, "
                f"than later, where {rows.positive!r} is: name the positive label with "
                + keyword("positive", "…")
                + "."
            )
        # What is said of a part alone, such as how many of its rows lack a score, its reader says of the whole.
        yield LoadedPart(replace(rows, notes=tuple(part.notes)), len(part.truth.codes) - len(rows) - rows.dropped)


def _columns(data: Any, named: dict[str, Any], progress: Progress | None, most: int) -> Iterator[Columns]:
    """Columns of all rows of arrays and dataframes, or of a part of those of files."""
    named |= dict.fromkeys(("predicted", "probabilities", "fold", "cluster"))
    data = whole_table(data)
    if is_multilabel(data, named):
        raise OptionError("counts are of one label a row, and these rows may have several: count one label at a time.")
    paths = paths_of(data, named["label"])
    if paths is None:
        yield read_columns(data, named, dict.fromkeys(("truth", "key", "model_column")))
        return
    from thresher.engines.frame import roles
    from thresher.engines.stream import read_file_parts

    yield from read_file_parts(paths, roles(**named), most=most, progress=progress)
