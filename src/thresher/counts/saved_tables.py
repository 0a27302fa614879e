"""Tables of the saved form of counts: which rows of the file are of which, and what stands for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.counts.merging import COLUMNS
from thresher.counts.rank_sums import rank_sums_from
from thresher.counts.saved import key_from
from thresher.counts.saved_fields import check_table, column, items, mapping, names, texts
from thresher.counts.scores import ScoreTable
from thresher.errors import InputError


def rows_of(columns: Any, kinds: Sequence[tuple[int, int]]) -> list[slice]:
    """Rows of each group and model, which are in this order, and no others."""
    groups, models = (max(kind[k] for kind in kinds) for k in (0, 1))
    place = column(columns, "group", "i", 0, groups).astype(np.int64) * (models + 1)
    place += column(columns, "model", "i", 0, models)
    wanted = np.array([group * (models + 1) + model for group, model in kinds])
    if (np.diff(place) < 0).any() or not np.isin(place, wanted).all():
        raise InputError("its rows are out of order")
    first, after = (np.searchsorted(place, wanted, side) for side in ("left", "right"))
    return [slice(*ends) for ends in zip(first, after, strict=True)]


def of_each(form: Any, key: str, tables: int) -> list[Any]:
    """Sums of every table, None where there are none."""
    found = items(form, key) if key in form else [None] * tables
    if len(found) != tables:
        raise InputError(f"its {key.replace('_', ' ')} are not those of its tables")
    return list(found)


def table_of(columns: Mapping[str, Any], shape: dict[str, Any], ranks: Any) -> ScoreTable:
    """One score of one group, checked."""
    counts: dict[str, Any] = {name: values for name, values in columns.items() if name in COLUMNS}
    widths = columns["width"] if (columns["width"] > 0).any() else None
    table = ScoreTable(scores=columns["score"], **counts, binned=widths is not None, widths=widths, **shape)
    table = replace(table, rank_sums=rank_sums_from(ranks, table.positive, table.negative))
    check_table(table, counts)
    return table


def part_names(form: Any, known: Sequence[str]) -> dict[Any, tuple[str, ...]]:
    """Scores of which there are tables over all groups that begin with some values; earlier files have none."""
    found = {key_from(head): names({"names": named}, "names") for head, named in form.get("part_whole", ())}
    if not all(set(named) <= set(known) for named in found.values()):
        raise ValueError("its tables of parts are not of its scores")
    return found


def thresholds_form(found: Mapping[str, Sequence[float]]) -> dict[str, list[str]]:
    """Thresholds by score as JSON types that come back to the last bit."""
    return {name: [float(cut).hex() for cut in cuts] for name, cuts in found.items()}


def thresholds_from(form: Any, known: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """Thresholds of the `known` scores from what `thresholds_form` makes of them; earlier files have none."""
    given = mapping(form, "thresholds") if "thresholds" in form else {}
    if not set(given) <= set(known):
        raise ValueError("its thresholds are not of its scores")
    return {name: tuple(map(float.fromhex, texts(given, name))) for name in given}
