"""Predictions a part at a time, of one score or several of two classes: for what only counts rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from thresher.engines import is_frame, load, paths_of
from thresher.errors import InputError, OptionError
from thresher.predictions import Predictions, build
from thresher.sentences import keyword

Progress = Callable[[float | None, str], None]

ROWS = 2**22
"""Rows of a part: 34 MB a column of scores."""


class Part(NamedTuple):
    """Rows that count, and how many of those read for them weighed nothing, unless the notes of the rows say it all."""

    rows: Predictions
    weightless: int | None = None


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
) -> Iterator[Part]:
    """Checked predictions, a part of the rows of files at a time, or all of arrays and dataframes at once.

    The options are those of `load`. Labels mean the same in every part: where a later part shows that they were read
    wrongly in the first, an error says so.

    Raises:
        InputError, OptionError: as `load`, when the part that shows it is read.
    """
    paths = paths_of(data, label)
    if paths is None:
        named: dict[str, Any] = {"label": label} if is_frame(data, {"label": label, "scores": scores}) else {}
        yield Part(load(data, scores, **named, weights=weights, by=by, **options))
        return
    from thresher.engines.frame import roles
    from thresher.engines.stream import read_file_parts

    columns = {"label": label, "scores": scores, "weights": weights, "by": by}
    found = roles(**columns, predicted=None, probabilities=None, fold=None, cluster=None)
    if not found.scores:
        raise OptionError("name the columns to count: " + keyword("scores", "…") + ".")
    positive: Hashable = None
    for part in read_file_parts(paths, found, most=most or ROWS, progress=progress):
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
        yield Part(replace(rows, notes=tuple(part.notes)), len(part.truth.codes) - len(rows) - rows.dropped)
