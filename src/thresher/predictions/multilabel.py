"""From matrices to the `Predictions` of a task in which a row may have several labels."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Missing, WeightKind
from thresher.errors import InputError, OptionError
from thresher.predictions.build import check_scale, facts, without_missing, without_zero_weights
from thresher.predictions.clipping import each_clipped
from thresher.predictions.columns import ClassColumns, Columns
from thresher.predictions.posteriors import class_order, placed
from thresher.predictions.rows import Predictions
from thresher.sentences import keyword

TRUTH = "the labels"


def build_multilabel(
    columns: Columns,
    truth: ClassColumns,
    scores: Mapping[str, ClassColumns],
    predicted: Mapping[str, ClassColumns],
    *,
    labels: Sequence[Hashable],
    weight_kind: WeightKind = "importance",
    missing: Missing = "error",
) -> Predictions:
    """Check matrices against each other and make them predictions.

    Raises:
        InputError: shapes that differ, a truth or prediction that is not 0 or 1, a missing value: names the row.
        OptionError: labels that are named twice, or not for every column.
    """
    names = class_order(labels) or ()
    if len(names) != len(truth.columns):
        raise OptionError(
            keyword("labels", "…") + f" names {len(names)} labels, and the matrix has {len(truth.columns)} columns."
        )
    parts = {TRUTH: truth, **{f"score {m}": v for m, v in scores.items()},
             **{f"prediction {m}": v for m, v in predicted.items()}}  # fmt: skip
    _check_lengths(parts)
    columns.posteriors = {said: _in_order(said, part, names) for said, part in parts.items()}
    columns, left_out = without_zero_weights(columns)
    check_scale(columns, weight_kind)
    columns, dropped, said = without_missing(columns, missing)
    found = columns.posteriors
    clipped, rounded = each_clipped({model: found[f"score {model}"].values for model in scores})
    return Predictions(
        truth=_indicator(found[TRUTH], TRUTH, columns),
        classes=names,
        task="multilabel",
        posteriors=clipped,
        predicted={m: _indicator(found[f"prediction {m}"], f"the prediction {m!r}", columns) for m in predicted},
        notes=(*columns.notes, *rounded, *left_out, *said),
        dropped=dropped,
        label="labels",
        **facts(columns, weight_kind),
    )


def _check_lengths(parts: Mapping[str, ClassColumns]) -> None:
    truth = parts[TRUTH]
    rows, width = truth.values.shape
    for name, part in parts.items():
        if part.named and part.values.shape[0] != rows:
            raise InputError(f"the columns of {name} have {len(part.values):,} rows, and those of the labels {rows:,}.")
        if part.named and part.values.shape[1] != width:
            raise InputError(
                f"there are {width} labels ({', '.join(truth.columns)}), and the columns of {name} are "
                f"{len(part.columns)}: {', '.join(part.columns)}. Name one column for every label."
            )
        if part.values.shape != (rows, width):
            raise InputError(
                f"the matrix of {name} has shape {part.values.shape}, and that of the labels has {(rows, width)}."
            )


def _in_order(said: str, part: ClassColumns, names: Sequence[Hashable]) -> ClassColumns:
    """Columns in the order of the labels; those that do not say their label stand in that order."""
    if said == TRUTH:
        return ClassColumns(part.values, part.columns)
    places = placed(said, part, names, stated=True)
    values = part.values if places == list(range(len(places))) else np.asfortranarray(part.values[:, places])
    return ClassColumns(values, part.columns)


def _indicator(part: ClassColumns, said: str, columns: Columns) -> NDArray[Any]:
    odd = (part.values != 0) & (part.values != 1)
    if odd.any():
        row = int(np.argmax(odd.any(axis=1)))
        column = int(np.argmax(odd[row]))
        raise InputError(
            f"{said}: column {part.columns[column]!r} holds {part.values[row, column]:g} in {columns.locate(row)}: a "
            f"multilabel task has 1 for a label that the row has, else 0."
        )
    return part.values.astype(np.uint8)
