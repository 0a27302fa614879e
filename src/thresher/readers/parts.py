"""Binary predictions in parts, for counting."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from thresher._util.foreign_arrays import to_host
from thresher.conventions import spelled
from thresher.errors import InputError, OptionError, keyword, quoted
from thresher.predictions import Columns, Encoded, Predictions, build
from thresher.predictions.build import MISSING_GROUP
from thresher.predictions.labels import distinct_labels, find_classes, kind
from thresher.readers import read_columns, whole_table
from thresher.readers.arrays import is_multilabel
from thresher.readers.columns import values_of_texts

Progress = Callable[[float | None, str], None]

ROWS = 2**21
"""Rows of a part: 18 MB for a column of scores. The C library reuses blocks of this size, but not of 32 MB."""


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
    cluster: Any = None,
    progress: Progress | None = None,
    most: int | None = None,
    **options: Any,
) -> Iterator[LoadedPart]:
    """Checked predictions, a part of the rows of files and streams at a time, or all of arrays and dataframes at once.

    The options are as for `load`. Labels mean the same in every part: where a later part shows that the first was
    read wrongly, an error says so. The last part may be empty.
    """
    columns = {"label": label, "scores": scores, "weights": weights, "by": by, "cluster": cluster}
    seen: tuple[Hashable, ...] = ()
    last: LoadedPart | None = None
    dropped = weightless = 0  # in parts without a counted row
    absent: OptionError | None = None  # while the positive label has not come
    for part in _columns(data, columns, progress, most or ROWS):
        found = checked(part, **options)
        if found.rows is None:
            dropped, weightless = dropped + found.dropped, weightless + found.weightless
            continue
        if last is not None:
            check_positive(last.rows.positive, found.rows.positive, part.truth.name)
            _check_kinds(last.rows, found.rows)
        seen = distinct_labels((*seen, *found.labels))
        try:
            absent, classes = None, classes_of(part.truth.name, seen, scored=bool(part.scores), **options)
        except OptionError as error:
            absent, classes = error, found.rows.classes
        last = LoadedPart(replace(found.rows, classes=classes), found.weightless)
        yield last
    if absent is not None:
        raise absent
    if last is None:
        build(part, **options)  # which says why no row is left
    elif dropped or weightless:
        yield LoadedPart(replace(last.rows.take(np.zeros(0, dtype=np.intp)), dropped=dropped), weightless)


class Checked(NamedTuple):
    """Rows of a part that count, None where none does, with their labels, and how many of the others there are."""

    rows: Predictions | None
    labels: tuple[Hashable, ...]
    dropped: int
    weightless: int


def checked(part: Columns, **options: Any) -> Checked:
    """Check a part of the rows, possibly all of weight 0."""
    part.truth, part.is_part = part.truth.seen(), True
    counts = np.ones(len(part.truth.codes), dtype=bool) if part.weights is None else part.weights != 0
    if options.get("missing") == "drop":
        counts &= ~part.truth.missing
        for values in part.scores.values():
            counts &= ~np.isnan(values)
    if not counts.any():
        weightless = 0 if part.weights is None else int(np.count_nonzero(part.weights == 0))
        return Checked(None, (), counts.size - weightless, weightless)
    # The reader reports notes, such as the number of rows without a score, for the whole.
    rows = replace(build(_with_one_other(part, **options), **options), notes=tuple(part.notes))
    labels = part.truth if counts.all() else replace(part.truth, codes=part.truth.codes[counts]).seen()
    return Checked(rows, labels.values, rows.dropped, counts.size - len(rows) - rows.dropped)


def _with_one_other(part: Columns, *, positive: Hashable | None = None, rest: Any = None, **_: Any) -> Columns:
    """Return a part without the positive label; all its labels count as one negative."""
    values = part.truth.values
    if rest is None or len(values) < 2 or any(value == positive or spelled(value, positive) for value in values):
        return part
    codes = np.minimum(part.truth.codes, len(values)) // len(values)  # 1 where there is none
    return replace(part, truth=replace(part.truth, codes=codes, values=values[:1]))


def classes_of(
    name: str,
    seen: Iterable[Hashable],
    *,
    scored: bool = True,
    positive: Hashable | None = None,
    rest: Any = None,
    **_: Any,
) -> tuple[Hashable, ...]:
    """Classes of all labels so far, against which later labels are checked."""
    labels = Encoded(name, np.zeros(0, dtype=np.uint8), tuple(seen))
    return find_classes([labels], scored=scored, positive=positive, rest=rest).labels


def check_positive(before: Hashable, after: Hashable, label: str) -> None:
    """Refuse labels that are read otherwise in one part than in another; a text may spell a label to come."""
    if before != after and not spelled(after, before) and not spelled(before, after):
        raise InputError(
            f"the label column {label!r} is read otherwise from its first rows, where {before!r} is positive, than "
            f"later, where {after!r} is: name the positive label with " + keyword("positive", "…") + "."
        )


def _check_kinds(before: Predictions, after: Predictions) -> None:
    if before.cluster is not None and after.cluster is not None:
        check_kind(before.cluster.values, after.cluster.values)
    for name, column in after.by.items():
        check_kind(before.by[name].values, column.values, f"the group column {name!r}")


def check_kind(before: Iterable[Hashable], after: Iterable[Hashable], what: str = "the column of clusters") -> None:
    """Refuse clusters or groups that are read otherwise in one part than in another, as each would be two."""
    known, found = ([value for value in values if value != MISSING_GROUP] for values in (before, after))
    if not known or not found or kind(known[0]) == kind(found[0]):
        return
    # A text that is a number by itself is text for the sake of another one.
    odd = [
        value for value in found if isinstance(value, str) and kind(values_of_texts([value])[value]) != kind(known[0])
    ]
    raise InputError(
        f"{what} is read as {kind(known[0])} from its first rows, and as {kind(found[0])} from later ones"
        f"{f', such as {quoted(odd[0])}' if odd else ''}: write it as values of one kind."
    )


def _columns(data: Any, named: dict[str, Any], progress: Progress | None, most: int) -> Iterator[Columns]:
    named = {name: to_host(value) for name, value in named.items()}
    named |= dict.fromkeys(("predicted", "probabilities", "fold"))
    data = to_host(whole_table(data, label=named["label"]))
    if is_multilabel(data, named):
        raise OptionError("counts are of one label a row, and these rows may have several: count one label at a time.")
    return read_columns(data, named, progress=progress, most=most)
