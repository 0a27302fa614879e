"""The same models on a part of the rows: each group apart, and counts each on their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from thresher.evaluation.subject import Subject
from thresher.predictions import Categories, Predictions
from thresher.predictions.places import places_of

S = TypeVar("S", bound=Subject)


def split(
    rows: Predictions, subjects: Mapping[str, S], columns: Sequence[Categories]
) -> dict[Any, tuple[Predictions, dict[str, S]]]:
    """Rows of each combination of values that occurs, in order of the values, with the subjects on them."""
    codes = np.zeros(len(columns[0].codes), dtype=np.int64)
    for column in columns:
        codes = codes * len(column.values) + column.codes
    rows, subjects = _with_clusters(rows, subjects)
    counts, names = rows.counts, [n for n, known in rows.by.items() if any(known is each for each in columns)]
    parts, rows = {}, replace(rows, by={}, fold=None, notes=())
    for code, places in places_of(codes):
        key = []
        rest = code
        for column in reversed(columns):
            rest, where = divmod(rest, len(column.values))
            key.append(column.values[where])
        part = rows.take(places)
        if counts is not None:
            part = replace(part, counts=counts.only(dict(zip(names, reversed(key), strict=True))))
        parts[key[0] if len(key) == 1 else tuple(reversed(key))] = part, on_rows(subjects, part)
    return parts


def sharing(subjects: Mapping[str, S], rows: Predictions) -> Iterator[tuple[Predictions, dict[str, S]]]:
    """Subjects by the rows that they are on: most often the same `rows`, and of counts each on its own."""
    if all(subject.predictions is None or subject.predictions.counts is None for subject in subjects.values()):
        yield rows, dict(subjects)
        return
    for name, subject in subjects.items():
        yield subject.rows, {name: subject}


def on_rows(subjects: Mapping[str, S], rows: Predictions) -> dict[str, S]:
    """Same subjects, thresholds and options on other rows."""
    return {name: replace(subject, predictions=rows) for name, subject in subjects.items()}


def _with_clusters(rows: Predictions, subjects: Mapping[str, S]) -> tuple[Predictions, dict[str, S]]:
    """Rows and subjects with the group column whose values a bootstrap draws whole as its clusters.

    A part of the rows has no group columns that the bootstrap could name.
    """
    found, by = dict(subjects), rows.by
    for name, subject in subjects.items():
        column = by.get(str(subject.bootstrap.clusters)) if subject.bootstrap is not None else None
        if subject.bootstrap is not None and column is not None:
            rows = replace(rows, cluster=column)
            found[name] = replace(subject, bootstrap=replace(subject.bootstrap, clusters=None))
    return rows, found
