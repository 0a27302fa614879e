"""Probabilities: one column for every class in order, checked once; rounded values just outside [0, 1] are clipped."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.design_warnings import DesignWarning
from thresher.errors import InputError, Note, OptionError, keyword, quoted
from thresher.predictions.columns import ClassColumns, Columns, code_type, counted
from thresher.predictions.labels import python_label

ROUNDING = 1e-9
"""How far outside [0, 1] a number is still a probability with a rounding error."""

SMALL = 1e-3
"""Largest value of a scale of small numbers, such as densities, where 1e-9 is not a rounding error."""

MOSTLY = 0.9
"""Share of values in [0, 1] from which the others are likely errors."""

CLIPPED = "clipped-probabilities"
WORDS = f"exceed [0, 1] by at most {ROUNDING:g}: these rounding errors are clipped to 0 or 1"


def are_probabilities(scores: Floats) -> bool:
    """Return whether every score is in [0, 1].

    >>> are_probabilities(np.array([0.0, 1.0])), are_probabilities(np.array([0.5, np.nan]))
    (True, False)
    """
    if not scores.size:
        return True
    low, high = kernel.extent(scores) if scores.dtype == np.float64 else (scores.min(), scores.max())
    return bool(low >= 0 and high <= 1)


def clipped(values: Floats) -> Floats:
    """Return values in [0, 1], up to rounding errors, clipped to it; any other values, or NaN, as they are.

    >>> clipped(np.array([1.0000000000000002, -1e-17, 0.5])).tolist(), clipped(np.array([1.1, 0.5])).tolist()
    ([1.0, 0.0, 0.5], [1.1, 0.5])
    """
    low, high = kernel.extent(values)
    if (low >= 0 and high <= 1) or not (low >= -ROUNDING and SMALL <= high <= 1 + ROUNDING):
        return values
    return np.clip(values, 0.0, 1.0)


def each_clipped(scores: Mapping[str, Floats]) -> tuple[dict[str, Floats], list[Note]]:
    """Return the scores of every model clipped to [0, 1], and a note for each change."""
    found = {name: clipped(values) for name, values in scores.items()}
    changed = [name for name in found if found[name] is not scores[name]]
    return found, [Note(CLIPPED, f"Some scores of {name!r} {WORDS}.") for name in changed]


def strays(columns: Columns) -> list[Note]:
    """Notes of the first value outside [0, 1], with its row, for scores that are nearly all inside."""
    if columns.is_part:  # of which there may be hundreds
        return []
    found = []
    for name, values in columns.scores.items():
        low, high = kernel.extent(values)
        if low >= -ROUNDING and high <= 1 + ROUNDING:
            continue
        outside = (values < -ROUNDING) | (values > 1 + ROUNDING)
        if 0 < (count := np.count_nonzero(outside)) <= (1 - MOSTLY) * len(values):
            row = int(np.argmax(outside))
            text = (
                f"The score {name!r} is {float(values[row])!r} in {columns.locate(row)}: with a value outside [0, 1] "
                f"the scores are not probabilities{f' ({count:,} such rows)' if count > 1 else ''}."
            )
            found.append(Note("out-of-range", text))
    return found


def clipped_warnings(notes: tuple[Note, ...]) -> tuple[DesignWarning, ...]:
    """Return the warnings of scores that were clipped, from the notes of their columns."""
    return tuple(DesignWarning(note.code, note) for note in notes if note.code == CLIPPED)


Floats = NDArray[np.float64]

TOLERANCE = 1e-6
"""How far the probabilities of a row may add up from 1: rounding, but not another scale."""

BLOCK = 1 << 18
"""Numbers of a block of rows: its copy stays in the processor's cache."""

SHOWN = 6


def row_blocks(values: Floats) -> Iterator[tuple[slice, Floats]]:
    """Blocks of rows, each as a contiguous copy when the columns are contiguous."""
    step = max(1, BLOCK // max(1, values.shape[1]))
    for start in range(0, len(values), step):
        rows = slice(start, start + step)
        yield rows, np.ascontiguousarray(values[rows])


def placed(model: str, given: ClassColumns, labels: Sequence[Hashable], *, stated: bool = False) -> list[int]:
    """Column of each label, in the order of the labels; `stated` says that this order is the user's."""
    count, texts = len(given.columns), [str(label) for label in labels]
    if given.classes is not None:
        return _by_class(model, given, given.classes, labels)
    if given.named and (found := within_names(given.columns, texts)) is not None:
        return found
    if count != len(labels):
        raise _wrong_count(model, count, labels)
    if given.named and not stated:
        raise InputError(
            f"the columns {_listed(given.columns)} of model {model!r} do not say which class each is for: "
            "name the classes in their order with "
            + keyword("labels", "[…]")
            + ", or name the columns alike except for the class (proba_…)."
        )
    return list(range(count))


def within_names(columns: Sequence[str], texts: Sequence[str]) -> list[int] | None:
    """Column of each class when the names are the classes between one beginning and one end; None otherwise.

    >>> within_names(["p_b", "p_a"], ["a", "b"]), within_names(["x", "y"], ["a", "b"])
    ([1, 0], None)
    """
    known, first = set(columns), texts[0]
    for column in columns:
        start = column.find(first)
        while start >= 0:
            before, after = column[:start], column[start + len(first) :]
            names = [before + text + after for text in texts]
            if set(names) == known:
                return [columns.index(name) for name in names]
            start = column.find(first, start + 1)
    return None


def _by_class(model: str, given: ClassColumns, classes: Sequence[str], labels: Sequence[Hashable]) -> list[int]:
    """Column of each label by the text of its class."""
    texts = [str(label) for label in labels]
    places = {text: place for place, text in enumerate(classes)}
    if len(places) < len(classes):
        twice = next(text for text in classes if list(classes).count(text) > 1)
        raise InputError(f"two columns of model {model!r} are for class {twice!r}: name one of them.")
    strangers = [place for text, place in places.items() if text not in texts]
    if strangers:
        name, text = given.columns[strangers[0]], classes[strangers[0]]
        if all((bare := each.lstrip("_-. ")) in texts and bare != each for each in classes):
            prefix = name.removesuffix(text.lstrip("_-. "))
            raise InputError(f"no class is called {text!r} (column {name!r}). Did you mean the prefix {prefix!r}?")
        raise InputError(
            f"column {name!r} of model {model!r} is for a class {text!r} that is not among the labels "
            f"{_listed(labels)}{_more(strangers, 'such column')}. A class that no row has is named with "
            + keyword("labels", "…")
            + ", all classes in order; another column is left out by naming the columns."
        )
    lacking = [label for label, text in zip(labels, texts, strict=True) if text not in places]
    if lacking:
        raise InputError(
            f"class {lacking[0]!r} lacks a column of probabilities by model {model!r}"
            f"{_more(lacking, 'such class')}; its columns are for {_listed(classes)}."
        )
    return [places[text] for text in texts]


def _wrong_count(model: str, count: int, labels: Sequence[Hashable]) -> InputError:
    advice = (
        "Give every class its column."
        if count < len(labels)
        else (
            "Name the classes in the order of the columns with "
            + keyword("labels", "[…]")
            + ", those that no row has included."
        )
    )
    return InputError(
        f"model {model!r} has {counted(count, 'column')} of probabilities, and the labels are {len(labels)}: "
        f"{_listed(labels)}. " + advice
    )


def _more(found: Sequence[Any], what: str) -> str:
    return f" ({counted(len(found), what)})" if len(found) > 1 else ""


def _listed(labels: Sequence[Any]) -> str:
    shown = ", ".join(map(quoted, labels[:SHOWN]))
    return shown if len(labels) <= SHOWN else f"{shown}, … ({len(labels):,})"


def checked(
    model: str, values: Floats, names: Sequence[str], *, normalize: bool, locate: Callable[[int], str]
) -> tuple[Floats, list[Note]]:
    """Probabilities of every row, checked to add up to 1, or divided by their sum; notes describe the change."""
    found, rounded = each_clipped({model: values})
    values = found[model]
    low, high = float(values.min(initial=0.0)), float(values.max(initial=0.0))
    if low < 0 or not np.isfinite(high):
        raise _not_a_probability(model, values, names, locate)
    sums = np.zeros(len(values))
    for column in values.T:  # which is how they are stored
        sums += column
    off = np.abs(sums - 1) > TOLERANCE
    if not normalize:
        if off.any():
            raise _sum_error(model, sums, off, locate)
        return values, rounded
    if not sums.all():
        row = int(np.argmin(sums))
        raise InputError(
            f"the probabilities of model {model!r} are all 0 in {locate(row)}, which no sum can normalize."
        )
    if not off.any():
        return values, rounded
    changed = np.asfortranarray(values / sums[:, None])
    said = Note(
        "normalized",
        keyword("normalize", "True"),
        f": the probabilities of {model!r} were divided by their sum in each row; they did not add up to "
        f"1 in {counted(int(off.sum()), 'row')}, with sums from {sums.min():.6g} to {sums.max():.6g}.",
    )
    return changed, [*rounded, said]


def _sum_error(model: str, sums: Floats, off: NDArray[np.bool_], locate: Callable[[int], str]) -> InputError:
    row, count = int(np.argmax(off)), int(off.sum())
    others = f" ({counted(count, 'row')} in all are off by more than {TOLERANCE:g})" if count > 1 else ""
    return InputError(
        f"the probabilities of model {model!r} add up to {sums[row]:.9g} in {locate(row)}{others}, not to "
        "1. Pass "
        + keyword("normalize", "True")
        + " to divide each row by its sum, if they were rounded or are proportional to probabilities."
    )


def _not_a_probability(model: str, values: Floats, names: Sequence[str], locate: Callable[[int], str]) -> InputError:
    bad = ~((values >= 0) & np.isfinite(values))
    row = int(np.argmax(bad.any(axis=1)))
    column = int(np.argmax(bad[row]))
    return InputError(
        f"column {names[column]!r} of model {model!r} is {values[row, column]:g} in {locate(row)}: a "
        "probability is a finite number of at least 0. Other scores can be judged by their "
        "labels with " + keyword("predicted", "…") + ", or one class at a time."
    )


def largest(values: Floats) -> NDArray[Any]:
    """Class of the largest value of each row; the first of tied classes.

    >>> largest(np.array([[0.2, 0.5, 0.3], [0.4, 0.2, 0.4]])).tolist()
    [1, 0]
    """
    found = np.empty(len(values), dtype=code_type(values.shape[1]))
    for rows, block in row_blocks(values):
        found[rows] = block.argmax(axis=1)
    return found


def tied_rows(values: Floats) -> int:
    """Number of rows in which several classes share the largest value."""
    return sum(int(((block == block.max(axis=1)[:, None]).sum(axis=1) > 1).sum()) for _, block in row_blocks(values))


def class_order(labels: Sequence[Hashable] | None) -> tuple[Hashable, ...] | None:
    """Check the classes that the user gives in order."""
    if labels is None:
        return None
    if isinstance(labels, str) or not hasattr(labels, "__iter__"):
        raise OptionError(
            keyword("labels", repr(labels)) + ": it is the list of all classes, in the order of the columns."
        )
    found = tuple(python_label(label) for label in labels)
    twice = [label for label in found if found.count(label) > 1]
    if twice:
        raise OptionError(keyword("labels", "…") + f" names the class {twice[0]!r} twice.")
    if len(found) < 2:
        raise OptionError(keyword("labels", repr(list(found))) + ": a task has two classes or more.")
    return found
