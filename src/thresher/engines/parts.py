"""Predictions a part at a time, of one score or several of two classes: for what only counts rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.engines import paths_of, read_columns, stream_parts, whole_table
from thresher.engines.multilabel import is_multilabel
from thresher.errors import InputError, OptionError
from thresher.predictions import Columns, Encoded, Predictions, build
from thresher.predictions.labels import find_classes
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
    """Checked predictions, a part of the rows of files and streams at a time, or all of arrays and dataframes at once.

    The options are those of `load`. Labels mean the same in every part: where a later part shows that they were read
    wrongly in the first, an error says so.

    Raises:
        InputError, OptionError: as `load`, when the part that shows it is read.
    """
    columns = {"label": label, "scores": scores, "weights": weights, "by": by}
    seen: dict[Hashable, None] = {}
    last: LoadedPart | None = None
    gone = [0, 0]  # rows that weigh nothing, and that lack a value, of parts in which no other was
    for part in _columns(data, columns, progress, most or ROWS):
        part.truth = part.truth.seen()
        counts = _counting(part, options.get("missing", "error"))
        if not counts.any() and counts.size:
            weightless = 0 if part.weights is None else int(np.count_nonzero(part.weights == 0))
            gone = [gone[0] + weightless, gone[1] + counts.size - weightless]
            empty = part
            continue
        rows = build(part, **options)
        _check_positive(last, rows, label)
        seen |= dict.fromkeys(part.truth.values if counts.all() else _labels(part, counts))
        # What is said of a part alone, such as how many of its rows lack a score, its reader says of the whole.
        rows = replace(rows, classes=_classes(part.truth.name, seen, options), notes=tuple(part.notes))
        last = LoadedPart(rows, len(part.truth.codes) - len(rows) - rows.dropped)
        yield last
    if last is None:
        build(empty, **options)  # which says why no row is left
    elif any(gone):
        yield LoadedPart(replace(last.rows.take(np.zeros(0, dtype=np.intp)), dropped=gone[1]), gone[0])


def _counting(part: Columns, missing: Any) -> NDArray[np.bool_]:
    """Rows that a part counts: they weigh something and, where such rows are dropped, lack no value."""
    counts = np.ones(len(part.truth.codes), dtype=bool) if part.weights is None else part.weights != 0
    if missing == "drop":
        counts &= ~part.truth.missing
        for values in part.scores.values():
            counts &= ~np.isnan(values)
    return counts


def _labels(part: Columns, counts: NDArray[np.bool_]) -> tuple[Hashable, ...]:
    return replace(part.truth, codes=part.truth.codes[counts]).seen().values


def _classes(name: str, seen: Iterable[Hashable], options: dict[str, Any]) -> tuple[Hashable, ...]:
    """Classes of all labels so far, by which a label of a later part may be one too many."""
    labels = Encoded(name, np.zeros(0, dtype=np.uint8), tuple(seen))
    return find_classes([labels], scored=True, positive=options.get("positive"), rest=options.get("rest")).labels


def _check_positive(last: LoadedPart | None, rows: Predictions, label: str | None) -> None:
    if last is not None and rows.positive != last.rows.positive:
        raise InputError(
            f"the label column {label!r} is read otherwise from its first rows, where {last.rows.positive!r} is "
            f"positive, than later, where {rows.positive!r} is: name the positive label with "
            + keyword("positive", "…")
            + "."
        )


def _columns(data: Any, named: dict[str, Any], progress: Progress | None, most: int) -> Iterator[Columns]:
    """Columns of all rows of arrays and dataframes, or of a part of those of files."""
    named |= dict.fromkeys(("predicted", "probabilities", "fold", "cluster"))
    data = whole_table(data, label=named["label"])
    if is_multilabel(data, named):
        raise OptionError("counts are of one label a row, and these rows may have several: count one label at a time.")
    paths = paths_of(data, named["label"])
    if paths is None and (parts := stream_parts(data, named, progress, most=most)) is not None:
        yield from parts
        return
    if paths is None:
        yield read_columns(data, named, dict.fromkeys(("truth", "key", "model_column")))
        return
    from thresher.engines.frame import roles
    from thresher.engines.stream import read_file_parts

    yield from read_file_parts(paths, roles(**named), most=most, progress=progress)
