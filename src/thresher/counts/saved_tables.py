"""The saved form of counts: a column for each field of the tables, with a row for each score of each group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import direction_of
from thresher.counts.joint import BITS, CellCounts, JointCells
from thresher.counts.merging import COLUMNS
from thresher.counts.rounding import check_resolution
from thresher.counts.saved import key_from, labels_form, labels_from
from thresher.counts.saved_fields import (
    check_columns,
    check_distinct,
    check_table,
    column,
    directions_from,
    items,
    mapping,
    names,
    notes,
    one_of,
    text,
    texts,
    whole,
)
from thresher.counts.scores import ScoreTable
from thresher.errors import InputError, note_forms

SUMS = ("read", "dropped", "weightless")
"""Numbers of rows that add up."""

Columns = dict[str, NDArray[Any]]

Counted: TypeAlias = Any
"""A `Counts`, as its module imports this one."""


def counts_form(counts: Counted) -> tuple[Columns, dict[str, Any]]:
    """Return the columns of counts, and all else as JSON types."""
    keys, models, pairs = list(counts.groups), list(counts), counts.pairs
    tables: list[Any] = [counts.groups[key][name] for key in keys for name in models]
    parts: list[Any] = [{name: getattr(table, name) for name in ("scores", *COLUMNS)} for table in tables]
    if pairs is not None:
        cells = pairs.of(models)
        parts += [
            {"scores": scores, "positive": own.positive, "negative": own.negative}
            for own in (cells.groups[key] for key in keys) for scores in own.scores
        ]  # fmt: skip
    sizes, code = [part["scores"].size for part in parts], np.arange(len(parts), dtype=np.int32)
    columns: Columns = {
        "model": np.repeat(code % len(models), sizes),
        "group": np.repeat(code // len(models), sizes),
        "score": np.concatenate([part["scores"] for part in parts]),
    }
    for name in COLUMNS if counts.weight_kind == "importance" else COLUMNS[:2]:
        columns[name] = np.concatenate([part[name] for part in parts])
    return columns, {
        "models": models, "by": list(counts.by), "groups": [labels_form(key) for key in keys],
        "classes": labels_form(counts.classes), "direction": counts.direction, "weight_kind": counts.weight_kind,
        "label": counts.label, "notes": note_forms(counts.notes), **{name: getattr(counts, name) for name in SUMS},
        "thresholds": {name: [float(cut).hex() for cut in cuts] for name, cuts in counts.thresholds.items()},
        "least": counts.least, "resolution": [table.resolution for table in tables],
        "pairs": None if pairs is None else pairs.bits,
    }  # fmt: skip


def counts_from(columns: Mapping[str, NDArray[Any]], form: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of counts from the form that `counts_form` returned.

    Raises:
        InputError: they do not fit each other.
    """
    models = names(form, "models")
    keys = [key_from(mapping({"group": each}, "group")) for each in items(form, "groups")]
    check_distinct(keys, "groups")
    weight_kind = one_of(form, "weight_kind", (None, "importance", "frequency"))
    counted = COLUMNS if weight_kind == "importance" else COLUMNS[:2]
    check_columns(columns, ["model", "group", "score", *counted])
    bits = one_of(form, "pairs", (None, *BITS))
    directions, k = directions_from(form, models), len(models)
    rows = _rows_of(columns, len(keys) * (1 if bits is None else 2), k)
    resolutions = items(form, "resolution")
    if len(resolutions) != len(keys) * k:
        raise InputError("its resolutions do not fit its tables")
    groups: dict[Any, dict[str, ScoreTable]] = {key: {} for key in keys}
    for i, (own, resolution) in enumerate(zip(rows, resolutions, strict=False)):
        name, counts = models[i % k], {each: columns[each][own] for each in counted}
        fields: dict[str, Any] = dict(counts)
        table = ScoreTable(
            scores=column(columns, "score", "f")[own], **fields,
            direction=direction_of(directions, name), weight_kind=weight_kind,
            resolution=resolution and check_resolution(resolution),
        )  # fmt: skip
        check_table(table, counts)
        groups[keys[i // k]][name] = table
    thresholds = _thresholds_from(mapping(form, "thresholds"), models)
    negative, positive = labels_from(mapping(form, "classes"))
    pairs = None
    if bits is not None:
        found = {key: _cells_of(columns, rows[(len(keys) + i) * k :][:k]) for i, key in enumerate(keys)}
        _check_cells(found, groups)
        ends = {name: direction_of(directions, name) for name in models}
        pairs = JointCells(directions=ends, groups=found, thresholds=thresholds, bits=bits)
    return {
        "groups": groups, "by": names(form, "by"), "classes": (negative, positive), "label": text(form, "label"),
        "notes": notes(form, "notes"), **{name: whole(form, name) for name in SUMS}, "pairs": pairs,
        "thresholds": thresholds, "least": whole(form, "least"),
    }  # fmt: skip


def _rows_of(columns: Mapping[str, NDArray[Any]], groups: int, models: int) -> list[slice]:
    """Rows of each group and model, which are in this order."""
    code = column(columns, "group", "i", 0, groups - 1).astype(np.int64) * models
    code += column(columns, "model", "i", 0, models - 1)
    if (np.diff(code) < 0).any():
        raise InputError("its rows are out of order")
    ends = np.searchsorted(code, np.arange(groups * models + 1))
    return [slice(*each) for each in pairwise(ends)]


def _cells_of(columns: Mapping[str, NDArray[Any]], rows: Sequence[slice]) -> CellCounts:
    if len({own.stop - own.start for own in rows}) > 1:
        raise InputError("its cells of pairs are not of all its scores")
    scores = np.stack([column(columns, "score", "f")[own] for own in rows])
    return CellCounts(scores=scores, positive=columns["positive"][rows[0]], negative=columns["negative"][rows[0]])


def _check_cells(cells: Mapping[Any, CellCounts], groups: Mapping[Any, Mapping[str, ScoreTable]]) -> None:
    for key, own in cells.items():
        table = next(iter(groups[key].values()))
        if not all((rows >= 0).all() for rows in (own.positive, own.negative)):
            raise InputError("its cells of pairs have negative counts")
        if not np.allclose([own.positive.sum(), own.negative.sum()], [table.P, table.N], rtol=1e-9):
            raise InputError("its cells of pairs are not of its rows")


def _thresholds_from(form: Mapping[str, Any], known: Sequence[str]) -> dict[str, tuple[float, ...]]:
    if not set(form) <= set(known):
        raise ValueError("its thresholds are not of its scores")
    return {name: tuple(map(float.fromhex, texts(form, name))) for name in form}
