"""From columns to `Predictions`: every check across columns, in one place, once."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher._util.front_door import guarded
from thresher.conventions import (
    WHOLE_FREQUENCY,
    Directions,
    Missing,
    WeightKind,
    check_directions,
    directions,
    option,
)
from thresher.errors import InputError, Note, OptionError, choice, keyword
from thresher.predictions.columns import (
    NO_ROWS,
    ClassColumns,
    Columns,
    Encoded,
    code_type,
    counted,
    each_column,
    recode,
)
from thresher.predictions.judged import is_of_judge
from thresher.predictions.labels import Classes, find_classes, kind, python_label, sorted_labels
from thresher.predictions.probabilities import checked, class_order, each_clipped, placed, strays
from thresher.predictions.rows import Categories, Predictions

MISSING_GROUP = "(missing)"
"""Name of the group of rows without one."""

CALLED_MISSING = "(missing), as text"
"""Name of a group called like the missing one, as one part of the data does not show whether others lack a group."""

MEASURABLE = (1e-50, 1e50)
"""Weights taken: a product of four sums of them, as in Matthews' correlation, neither overflows nor vanishes."""

COUNTABLE = 2.0**53
"""Rows up to which float64 counts without a gap."""


@guarded
def build(
    columns: Columns,
    *,
    positive: Hashable | None = None,
    rest: Literal["negative"] | None = None,
    weight_kind: WeightKind = "importance",
    direction: Directions = "higher",
    missing: Missing = "error",
    labels: Sequence[Hashable] | None = None,
    normalize: bool = False,
    offers: str = "",
) -> Predictions:
    """Check columns against each other and make them predictions.

    `labels` are all classes in order, `normalize` divides the posteriors of each row by their sum, and `offers` are
    more ways out where unweighted rows lack a label.
    """
    check_options(rest=rest, weight_kind=weight_kind, direction=direction, missing=missing)
    _check_lengths(columns)
    if not len(columns.truth.codes):
        raise InputError(NO_ROWS)
    columns, notes = without_zero_weights(columns)
    check_scale(columns, weight_kind)
    columns, dropped, said = without_missing(columns, missing, offers)
    scores, rounded = each_clipped(columns.scores)
    columns = replace(columns, scores=scores)
    columns.notes += rounded  # which the reader of a part says too
    classes = find_classes(
        [columns.truth, *columns.predicted.values()],
        scored=bool(columns.scores),
        positive=positive,
        rest=rest,
        order=_order(columns, labels),
    )
    direction = directions(direction, [*columns.scores, *columns.posteriors])
    scores, posteriors, changed = _judged(columns, classes, labels, normalize, direction, rest)
    notes = [*columns.notes, *notes, *said, *classes.notes, *changed, *strays(columns), *_remarks(columns)]
    return Predictions(
        truth=_codes(columns.truth, classes),
        classes=classes.labels,
        task="binary" if scores else "multiclass" if posteriors else "labels",
        scores=scores,
        posteriors=posteriors,
        predicted={name: _codes(column, classes) for name, column in columns.predicted.items()},
        direction=direction,
        notes=tuple(notes),
        dropped=dropped,
        label=columns.truth.name,
        ordered=classes.ordered,
        **facts(columns, weight_kind),
    )


def facts(columns: Columns, weight_kind: WeightKind) -> dict[str, Any]:
    """Facts of rows for predictions of every task: weights, groups, folds, clusters, and the source."""
    return {
        "weights": columns.weights,
        "weight_kind": None if columns.weights is None else weight_kind,
        "by": {name: categories(column) for name, column in columns.by.items()},
        "fold": None if columns.fold is None else categories(columns.fold),
        "cluster": None if columns.cluster is None else categories(columns.cluster),
        "cluster_name": None if columns.cluster is None else columns.cluster.name,
        "backend": columns.backend,
    }


def _order(columns: Columns, labels: Sequence[Hashable] | None) -> tuple[Hashable, ...] | None:
    """Classes in the order that the user gave; a model with scores does not use one."""
    order = class_order(labels)
    if order is None and columns.posteriors and len(columns.truth.values) == 1:
        raise OptionError(
            f"every row has the label {columns.truth.values[0]!r}: name all classes, in the order of the "
            "columns, with " + keyword("labels", "[…]") + "."
        )
    if order is not None and columns.scores and len(order) > 2:
        raise OptionError(
            keyword("labels", "…") + " with three or more classes takes a posterior for every class, not one score."
        )
    return order


Floats = NDArray[np.float64]


def _judged(
    columns: Columns,
    classes: Classes,
    labels: Sequence[Hashable] | None,
    normalize: bool,
    direction: Directions,
    rest: str | None,
) -> tuple[dict[str, Floats], dict[str, Floats], list[Note]]:
    """Scores, posteriors with a column for each class in the order of the classes, and notes on changes."""
    if not columns.posteriors:
        if normalize:
            raise OptionError(keyword("normalize", "True") + " divides posteriors by their sum, and there are none.")
        return columns.scores, {}, []
    if columns.scores:
        raise OptionError(
            keyword("scores")
            + " are of two classes and "
            + keyword("probabilities")
            + " of all of them: evaluate one kind at a time."
        )
    if rest is not None:
        raise OptionError(
            choice("rest", "negative") + " is for one score; read a class against the rest as model.classes[label]."
        )
    if direction != "higher":
        raise OptionError(
            choice("direction", "lower") + " is for scores; a posterior is larger for the more likely class."
        )
    found: dict[str, Floats] = {}
    notes: list[Note] = []
    for model, given in columns.posteriors.items():
        values = _in_class_order(model, given, classes, labels)
        values, said = checked(model, values, given.columns, normalize=normalize, locate=columns.locate)
        found[model] = values
        notes += said
    if len(classes.labels) == 2:  # of two posteriors the positive class's says it all
        return {name: values[:, 1] for name, values in found.items()}, {}, notes
    return {}, found, notes


def _in_class_order(
    model: str, given: ClassColumns, classes: Classes, labels: Sequence[Hashable] | None
) -> NDArray[np.float64]:
    """Values with the columns in the order of the classes; columns without names are in the order of the labels."""
    stated = classes.labels
    if len(stated) == 2:
        first = (class_order(labels) or sorted_labels(stated))[0]
        stated = stated if str(first) == str(stated[0]) else stated[::-1]
    places = placed(model, given, stated, stated=labels is not None)
    if stated != classes.labels:
        places = places[::-1]
    return given.values if places == list(range(len(places))) else np.asfortranarray(given.values[:, places])


def check_options(
    *, rest: Any, weight_kind: Any, direction: Any, missing: Any, treatments: tuple[str, ...] = ("error", "drop")
) -> None:
    """Check the options that choose between named treatments."""
    option("rest", rest, (None, "negative"))
    option("weight_kind", weight_kind, ("importance", "frequency"))
    check_directions(direction)
    option("missing", missing, treatments)


def categories(column: Encoded) -> Categories:
    """Group column with its values in order; rows without a value are a group of their own."""
    kinds = {kind(value): value for value in column.values}
    if len(kinds) > 1:
        (first, a), (second, b) = list(kinds.items())[:2]
        raise InputError(f"the group column {column.name!r} mixes {first} and {second} ({a!r} and {b!r}).")
    meaning = [CALLED_MISSING if value == MISSING_GROUP else value for value in map(python_label, column.values)]
    values = sorted_labels(meaning, ordered=column.ordered)
    if (column.codes == len(column.values)).any():
        values.append(MISSING_GROUP)
    code = {value: i for i, value in enumerate(values)}
    places = np.array([*(code[value] for value in meaning), len(values) - 1], dtype=code_type(len(values)))
    return Categories(recode(column.codes, places), tuple(values))


def _codes(column: Encoded, classes: Classes) -> NDArray[Any]:
    places = [classes.place[value] for value in column.values]
    return recode(column.codes, np.array(places, dtype=code_type(len(classes.labels))))


def _encoded(columns: Columns) -> Iterator[tuple[str, Encoded]]:
    """Every column of labels or groups, with its role."""
    yield "label", columns.truth
    for name, column in columns.predicted.items():
        yield "judge" if is_of_judge(name) else "prediction", column
    yield from (("group", column) for column in columns.by.values())
    yield from ((role, c) for role, c in (("fold", columns.fold), ("cluster", columns.cluster)) if c is not None)


def _check_lengths(columns: Columns) -> None:
    n = len(columns.truth.codes)
    sizes = [(f"score column {name!r}", len(values)) for name, values in columns.scores.items()]
    sizes += [(f"matrix of posteriors {name!r}", len(given.values)) for name, given in columns.posteriors.items()]
    sizes += [(f"{role} column {column.name!r}", len(column.codes)) for role, column in _encoded(columns)]
    if columns.weights is not None:
        sizes.append((f"weight column {columns.weights_name!r}", len(columns.weights)))
    for text, size in sizes:
        if size != n:
            raise InputError(f"the {text} has {size:,} rows and the label column {columns.truth.name!r} has {n:,}.")


def without_zero_weights(columns: Columns) -> tuple[Columns, list[Note]]:
    """Check the weights and leave out the rows that count for nothing."""
    weights = columns.weights
    if weights is None:
        return columns, []
    low, high = kernel.extent(weights)
    if not (low >= 0 and np.isfinite(high)):
        row = int(np.flatnonzero(~((weights >= 0) & np.isfinite(weights)))[0])
        value = "missing" if np.isnan(weights[row]) else f"{weights[row]:g}"
        raise InputError(
            f"the weight column {columns.weights_name!r} is {value} in {columns.locate(row)}: "
            f"a weight is a finite number of at least 0."
        )
    if high == 0:
        raise InputError(f"every weight in column {columns.weights_name!r} is 0: no row counts.")
    if low > 0:
        return columns, []
    keep = weights > 0
    zero = int(np.count_nonzero(~keep))
    return _take(columns, keep), [Note("zero-weight", f"{counted(zero, 'row')} of weight 0 {_are(zero)} left out.")]


def check_scale(columns: Columns, weight_kind: WeightKind) -> None:
    """Refuse frequencies of parts of rows, and weights with sums or products that float64 cannot hold or tell apart."""
    weights = columns.weights
    if weights is None:
        return
    small, large = MEASURABLE
    odd = [weights.argmax()] if weights.max() > large else [weights.argmin()] if weights.min() < small else []
    for row in map(int, odd):
        raise InputError(
            f"the weight column {columns.weights_name!r} is {weights[row]:g} in {columns.locate(row)}: weights are "
            f"taken from {small:g} to {large:g}. Rescale them all by one factor, which changes no measure."
        )
    if weight_kind != "frequency":
        return
    parts = weights != np.rint(weights)
    if parts.any():
        row = int(parts.argmax())
        raise InputError(
            f"the frequency weight column {columns.weights_name!r} is {weights[row]:g} in {columns.locate(row)}."
            + WHOLE_FREQUENCY
        )
    if weights.sum() > COUNTABLE:
        raise InputError(
            f"the frequency weights in column {columns.weights_name!r} add up to {weights.sum():.3g} rows; more than "
            f"2**53 cannot be counted exactly. Are they importance weights?"
        )


def without_missing(
    columns: Columns, missing: Missing, offers: str = "", parts: Mapping[str, str] | None = None
) -> tuple[Columns, int, list[Note]]:
    """Refuse rows without a label, score or prediction, or drop them for all models and say so.

    `parts` are names of posteriors that are labels or scores of several labels.
    """
    gaps: dict[str, NDArray[np.bool_]] = {}
    # Beside a judge, a row without a label lacks the label of the judge too.
    required = ("judge", "prediction") if any(map(is_of_judge, columns.predicted)) else ("label", "prediction")
    for role, column in _encoded(columns):
        if role in required and int(column.codes.max(initial=0)) == len(column.values):
            gaps[f"the {role} column {column.name!r}"] = column.missing
    for name, values in columns.scores.items():
        if math.isnan(kernel.extent(values)[0]):
            gaps[f"the score column {name!r}"] = np.isnan(values)
    for name, given in columns.posteriors.items():
        if (mask := given.missing).any():
            place = int(np.argmax(np.isnan(given.values[int(np.argmax(mask))])))
            part = f"posteriors of {name!r}" if parts is None else parts[name]
            gaps[f"the column {given.columns[place]!r} of the {part}"] = mask
    if not gaps:
        return columns, 0, []
    if missing == "error":
        raise _gap(columns, gaps, offers)
    gone = np.logical_or.reduce(list(gaps.values()))
    count = int(np.count_nonzero(gone))
    if count == len(gone):
        raise InputError(f"no row is left: every row lacks a value in {' or '.join(gaps)}.")
    because = "; ".join(f"{int(mask.sum()):,} without a value in {where}" for where, mask in gaps.items())
    for_all = ", for all models" if len({*columns.scores, *columns.posteriors, *columns.predicted}) > 1 else ""
    text = f"{count:,} of {len(gone):,} rows {_are(count)} dropped{for_all}: {because}."
    return _take(columns, ~gone), count, [Note("dropped-rows", text, parameter="missing")]


def without_labels(columns: Columns) -> tuple[Columns, NDArray[np.bool_]]:
    """Return columns with a substitute where a label is missing, and which rows have a label."""
    labelled = ~columns.truth.missing
    if not labelled.any():
        raise InputError(f"no row has a label in the column {columns.truth.name!r}.")
    stand_in = columns.truth.codes[int(np.argmax(labelled))]
    truth = replace(columns.truth, codes=np.where(labelled, columns.truth.codes, stand_in))
    return replace(columns, truth=truth), labelled


def _gap(columns: Columns, gaps: dict[str, NDArray[np.bool_]], offers: str) -> InputError:
    """Error for the first gap of the first column that has one."""
    where, mask = next(iter(gaps.items()))
    first, count = int(np.argmax(mask)), int(mask.sum())
    many = f"at least {counted(count, 'row')}" if columns.is_part else f"{counted(count, 'row')} in all"
    others = f" ({many})" if count > 1 else ""
    return InputError(
        f"{where} is empty in {columns.locate(first)}{others}. Fill it in, or leave such rows out with "
        + choice("missing", "drop") + ", which reports their number."
        + (offers if columns.weights is None and where.startswith("the label column") else "")
    )  # fmt: skip


def _take(columns: Columns, keep: NDArray[np.bool_]) -> Columns:
    """Columns on the rows kept, one at a time, with values that no longer occur forgotten."""

    def kept(column: Any) -> Any:
        if isinstance(column, Encoded):
            return replace(column, codes=column.codes[keep]).seen()
        if isinstance(column, ClassColumns):
            return replace(column, values=np.asfortranarray(column.values[keep]))
        return column[keep]

    rows, locate = np.flatnonzero(keep), columns.locate
    return replace(columns, **each_column(columns, kept), locate=lambda row: locate(int(rows[row])))


def _remarks(columns: Columns) -> list[Note]:
    """Return warnings about legal input that is likely not meant."""
    same = [
        (name, float(values[0])) for name, values in columns.scores.items()
        if values[0] == values[-1] and values.min() == values.max()
    ]  # fmt: skip
    return [
        Note("constant-score", f"The score {name!r} is {value + 0.0:g} in every row: it does not rank them.")
        for name, value in same
    ] + units_without_value(columns)


def units_without_value(columns: Columns) -> list[Note]:
    """Return notes on rows that do not say their fold or cluster."""
    text = "Rows without a value in the {0} column {1!r} are taken as one {0}."
    return [
        Note("missing-fold" if role == "fold" else "missing-cluster", text.format(role, column.name), parameter=role)
        for role, column in (("fold", columns.fold), ("cluster", columns.cluster))
        if column is not None and column.missing.any()
    ]


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
