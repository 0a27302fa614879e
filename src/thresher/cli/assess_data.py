"""From a file to features that an estimator takes: coding of text, gaps, and notes on both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, field
from thresher.cli.exit import CommandError
from thresher.cli.label_columns import listed
from thresher.errors import Note
from thresher.predictions.columns import counted
from thresher.readers.columns import number_of_text
from thresher.readers.features import FeatureTable

_BOOKKEEPING = re.compile(r"(.*[_ .-])?(id|idx|index|key|row|rowid|folds?|split|seed)", re.IGNORECASE)

MOST = 50
"""Distinct texts that a column may have to be coded; more is an identifier or free text."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Prepared:
    """Features, labels and weights for `assess`, and notes on their preparation."""

    X: Any
    y: NDArray[Any]
    groups: NDArray[Any] | None
    weights: NDArray[np.float64] | None
    columns: tuple[str, ...]
    said: tuple[Note, ...] = ()
    dropped: int = 0
    encoded: dict[str, list[str]] = field(default_factory=dict)


def prepare(
    table: FeatureTable, *, text: str, label: str, groups: str | None, weight: str | None, missing: str, named: bool
) -> Prepared:
    """Features as one table of numbers, or with text="keep" as a dataframe.

    `named`: the user chose the features, so that no column needs a warning.
    """
    kept, said = _rows_with_label(table, label, missing)
    distinct, rows = len(set(table.label[kept].tolist())), int(kept.sum())
    if distinct > 2 and 2 * distinct > rows:
        raise CommandError(
            f"the label column {label!r} of {table.where} has {distinct:,} different values in {rows:,} rows: it looks "
            f"like an identifier or a number to predict. Classes repeat."
        )
    columns = {name: column[kept] for name, column in table.columns.items()}
    said = [*table.notes, *said, *_gaps(columns), *([] if named else _suspects(columns))]
    encoded: dict[str, list[str]] = {}
    if text == "keep":
        from thresher.results import to_frame

        X: Any = to_frame(
            {name: column.tolist() if column.dtype.kind == "O" else column for name, column in columns.items()}
        )
        words = [name for name, column in columns.items() if column.dtype.kind == "O"]
        note = Note("text-features", f"text is left to the estimator: {listed(words)}.", parameter="text")
        said += [note] if words else []
        names = tuple(columns)
    else:
        X, names, encoded, more = _matrix(columns, text, table.where)
        said += more
    values = table.label[kept]
    kinds = {type(value) for value in values}
    return Prepared(
        X=X,
        y=np.array(values.tolist()) if len(kinds) == 1 and kinds <= {str, int, bool} else values,
        groups=None if groups is None else _group(table.others[groups], groups, kept),
        weights=None if weight is None else _numbers(table.others[weight], weight, kept, weight in table.commas),
        columns=names,
        said=tuple(said),
        dropped=int(len(table) - kept.sum()),
        encoded=encoded,
    )


def _rows_with_label(table: FeatureTable, label: str, missing: str) -> tuple[NDArray[np.bool_], list[Note]]:
    has = np.array([value is not None for value in table.label], dtype=bool)
    gone = int((~has).sum())
    if not gone:
        return has, []
    if missing == "error":
        row = int(np.flatnonzero(~has)[0]) + 1
        others = f" ({counted(gone, 'row')} in all)" if gone > 1 else ""
        raise CommandError(
            f"the label column {label!r} is empty in row {row:,} of {table.where}{others}. Fill it in, or leave "
            f"such rows out with --missing drop, which reports their number."
        )
    if gone == len(has):
        raise CommandError(f"no row of {table.where} has a label in column {label!r}.")
    text = f"{gone:,} of {len(has):,} rows without a label are dropped."
    return has, [Note("dropped-rows", text, parameter="missing")]


def _gaps(columns: dict[str, NDArray[Any]]) -> list[Note]:
    """Return a note on missing numbers, which the estimator gets as NaN."""
    gaps = {n: int(np.isnan(c).sum()) for n, c in columns.items() if c.dtype.kind == "f" and np.isnan(c).any()}
    if not gaps:
        return []
    shown = _shown([f"{name} ({count:,})" for name, count in gaps.items()])
    text = f"missing values go to the estimator as NaN, which not every estimator takes: {shown}."
    return [Note("missing-features", text)]


def _suspects(columns: dict[str, NDArray[Any]]) -> list[Note]:
    """Columns with names unlike a feature's."""
    found = [name for name in columns if _BOOKKEEPING.fullmatch(name)]
    if not found:
        return []
    one = len(found) == 1
    text = (
        f"{listed(found)} {'is' if one else 'are'} taken as {'a feature' if one else 'features'}; leave "
        f"{'it' if one else 'them'} out with {' '.join(f'--drop {name}' for name in found)}."
    )
    return [Note("suspect-features", text)]


def _shown(parts: list[str], most: int = 12) -> str:
    return ", ".join(parts[:most]) + (f" and {len(parts) - most:,} more" if len(parts) > most else "")


def _matrix(
    columns: dict[str, NDArray[Any]], text: str, where: str
) -> tuple[NDArray[np.float64], tuple[str, ...], dict[str, list[str]], list[Note]]:
    """Numbers unchanged and text as indicators, in the order of the file."""
    words = [name for name, column in columns.items() if column.dtype.kind == "O"]
    if words and text == "error":
        raise CommandError(
            f"{listed(words)} of {where} {'is' if len(words) == 1 else 'are'} text, and estimators take numbers: code "
            f"text with --text one-hot, hand it on with --text keep (for a pipeline that codes it), or leave it out "
            f"with --drop."
        )
    parts: list[NDArray[np.float64]] = []
    names: list[str] = []
    encoded: dict[str, list[str]] = {}
    for name, column in columns.items():
        if column.dtype.kind != "O":
            parts.append(column)
            names.append(name)
            continue
        made = indicators(column, name, where)
        encoded[name] = list(made)
        names += [f"{name}={value}" for value in made]
        parts += list(made.values())
    shown = _shown([f"{name} ({counted(len(made), 'column')})" for name, made in encoded.items()])
    said = Note("text-features", f"text is coded by an indicator (0 or 1) for each value: {shown}.", parameter="text")
    return np.column_stack(parts), tuple(names), encoded, [said] if encoded else []


def indicators(column: NDArray[Any], name: str, where: str) -> dict[str, NDArray[np.float64]]:
    """One column of 0 and 1 for each value (a missing one too); of two values one column says it all.

    >>> import numpy as np
    >>> [(value, ones.tolist()) for value, ones in indicators(np.array(["b", None, "a"], object), "x", "f").items()]
    [('a', [0.0, 0.0, 1.0]), ('b', [1.0, 0.0, 0.0]), ('(missing)', [0.0, 1.0, 0.0])]
    """
    texts = np.array(["(missing)" if value is None else str(value) for value in column], dtype=object)
    values = sorted(set(texts) - {"(missing)"}) + (["(missing)"] if "(missing)" in texts else [])
    if len(values) > MOST:
        raise CommandError(
            f"column {name!r} of {where} is text with {len(values):,} values, such as {values[0]!r}: an identifier or "
            f"free text is not a feature. Leave it out with --drop {name}, or name the features with --features."
        )
    coded = values[1:] if len(values) == 2 else values
    return {value: (texts == value).astype(np.float64) for value in coded}


def _group(values: NDArray[Any], name: str, kept: NDArray[np.bool_]) -> NDArray[Any]:
    gone = [i for i in np.flatnonzero(kept).tolist() if values[i] is None]
    if gone:
        raise CommandError(f"the group column {name!r} is empty in row {gone[0] + 1:,}: every row needs a group.")
    return np.array([str(value) for value in values[kept]])


def _numbers(values: NDArray[Any], name: str, kept: NDArray[np.bool_], has_comma: bool) -> NDArray[np.float64]:
    numbers = [number_of_text(value, has_comma=has_comma) if isinstance(value, str) else value for value in values]
    for row in np.flatnonzero(kept).tolist():
        value = values[row]
        if isinstance(value, bool) or not isinstance(numbers[row], int | float):
            shown = "no value" if value is None else repr(value)
            raise CommandError(f"the weight column {name!r} has {shown} in row {row + 1:,}: a weight is a number.")
    return np.array(numbers, dtype=object)[kept].astype(np.float64)


def refuse_both(features: Sequence[str], drop: Sequence[str]) -> None:
    """Check that features are named or left out, not both."""
    both = sorted(set(features) & set(drop))
    if both:
        raise CommandError(f"{listed(both)} is given to --features and to --drop.")
