"""Distinct texts of a block of rows in Arrow's and NumPy's layouts, through the hash table of the kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.ranked import fixed_codes, text_codes
from thresher.kernel.texts import TextColumn
from thresher.readers.codes import Block, distinct_dictionary, without_blank

Bytes = NDArray[np.uint8]

SHORT = 12
"""Bytes of a text that stands in its view."""


def distinct_strings(offsets: NDArray[Any], data: Bytes, missing: NDArray[np.bool_] | None) -> Block:
    """Block of an Arrow string array: row i is `data[offsets[i]:offsets[i+1]]`; an empty text is missing."""
    ends = offsets.astype(np.int64)
    texts = TextColumn(data[ends[0] : ends[-1]], ends - ends[0])
    codes, firsts = text_codes(texts)
    return _block(codes, texts.texts(firsts), missing)


def distinct_views(views: Bytes, data: list[Bytes], missing: NDArray[np.bool_] | None) -> Block:
    """Block of an Arrow string-view array: 16 bytes a row, with texts of up to 12 bytes inside them."""
    parts = views.reshape(-1, 16).view("<i4")
    lengths = parts[:, 0].astype(np.int64)
    if missing is not None:
        lengths = np.where(missing, 0, lengths)
    inside = lengths <= SHORT
    if inside.all():  # equal views are equal texts
        codes, firsts = fixed_codes(views.reshape(-1).view("<U4"))
        ends = lengths[firsts] + 4
        found = [views.reshape(-1, 16)[row, 4:end].tobytes().decode() for row, end in zip(firsts, ends, strict=True)]
        return _block(codes, found, missing)
    buffer = np.where(inside, -1, parts[:, 2])
    starts = np.where(inside, np.arange(len(parts)) * 16 + 4, parts[:, 3])
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    text = np.empty(offsets[-1], dtype=np.uint8)
    for number, source in enumerate([views.reshape(-1), *data], -1):
        rows = np.flatnonzero(buffer == number)
        if not rows.size:
            continue
        size = lengths[rows]
        within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        text[np.repeat(offsets[rows], size) + within] = source[np.repeat(starts[rows], size) + within]
    return distinct_strings(offsets, text, missing)


def distinct_fixed(array: NDArray[Any]) -> Block:
    """Block of NumPy's fixed-width text ('U'), four bytes a character, padded with zeros."""
    codes, firsts = fixed_codes(array)
    return without_blank(codes, array[firsts].tolist())


def _block(codes: NDArray[np.int32], values: list[Any], missing: NDArray[np.bool_] | None) -> Block:
    """Block of codes; the text of a row that is missing means nothing."""
    return without_blank(codes, values) if missing is None else distinct_dictionary(codes, values, missing)
