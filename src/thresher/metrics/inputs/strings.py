"""Codes of text of fixed width without a sort: rows are hashed, and every row is compared with its label.

A hash names at most 65,536 places. The labels are read off the places that occur, and the codes are right only if
each row equals the label of its place, which is checked: the result is exact, and only the speed depends on the hash.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

PLACES_BITS = 16

# More labels than this collide too often in 65,536 places to be worth a second try.
MOST_LABELS = 512
TRIES = 4

# Rows worked on at once, so that what is computed stays in the processor's cache.
BLOCK = 1 << 14


def encode_fixed_width(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Sorted labels and codes of a `U` array; None when there are too many labels for this way."""
    if values.dtype.itemsize == 0 or values.dtype.byteorder not in "=|":
        return None
    words = _words(values)
    for attempt in range(TRIES):
        factors = np.random.default_rng(attempt).integers(1 << 63, size=words.shape[1], dtype=np.uint64)
        places = _places(words, np.asarray(factors | np.uint64(1)))
        labels = _labels(values, places)
        if labels is None:
            return None
        codes = _checked_codes(words, places, *labels)
        if codes is not None:
            return labels[0], codes
    return None


def _words(values: NDArray[Any]) -> NDArray[Any]:
    """Characters of each row as the widest whole numbers that fill it, (n, words)."""
    rows = np.ascontiguousarray(values)
    kind = np.uint64 if values.dtype.itemsize % 8 == 0 else np.uint32
    return rows.view(kind).reshape(values.size, -1)


def _places(words: NDArray[Any], factors: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """Place of each row: the upper bits of a sum of its words times random odd factors."""
    places = np.empty(len(words), dtype=np.uint16)
    shift = np.uint64(64 - PLACES_BITS)
    for start in range(0, len(words), BLOCK):
        block = words[start : start + BLOCK]
        mixed = block[:, 0].astype(np.uint64) * factors[0]
        for column in range(1, words.shape[1]):
            mixed += block[:, column] * factors[column]
        places[start : start + BLOCK] = mixed >> shift
    return places


def _labels(values: NDArray[Any], places: NDArray[np.uint16]) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Sorted labels, one for each place that occurs, and the code of each place."""
    seen = np.zeros(1 << PLACES_BITS, dtype=np.bool_)
    seen[places] = True
    used = np.flatnonzero(seen)
    if used.size > MOST_LABELS:
        return None
    row = np.zeros(1 << PLACES_BITS, dtype=np.int64)
    row[places] = np.arange(places.size)
    found = values[row[used]]
    order = np.argsort(found)
    code = np.zeros(1 << PLACES_BITS, dtype=np.uint8 if used.size <= 256 else np.uint16)
    code[used[order]] = np.arange(used.size)
    return found[order], code


def _checked_codes(
    words: NDArray[Any], places: NDArray[np.uint16], labels: NDArray[Any], code: NDArray[Any]
) -> NDArray[Any] | None:
    """Codes of the rows, or None when two labels share a place."""
    expected = _words(labels)
    codes = np.empty(places.size, dtype=code.dtype)
    for start in range(0, places.size, BLOCK):
        stop = start + BLOCK
        block = code[places[start:stop]]
        codes[start:stop] = block
        for column in range(words.shape[1]):
            if not np.array_equal(expected[:, column][block], words[start:stop, column]):
                return None
    return codes
