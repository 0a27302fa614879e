"""Probabilities that rounding has put just outside [0, 1]: clipped, with a note."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.design_warnings import DesignWarning
from thresher.errors import Note
from thresher.predictions.columns import Columns

Floats = NDArray[np.float64]

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
