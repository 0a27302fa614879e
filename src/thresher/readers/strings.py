"""Distinct texts of a block of rows, by the kernel's table of hashes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.kernel.ranked import fixed_codes, text_codes
from thresher.kernel.texts import SHORT, TextColumn
from thresher.readers.codes import Block, distinct_dictionary, without_blank


def distinct_texts(texts: TextColumn, missing: NDArray[np.bool_] | None = None) -> Block:
    """Return a block of texts without the `missing` rows; an empty text is missing too."""
    codes, firsts = text_codes(texts)
    return _block(codes, texts.texts(firsts), missing)


def are_short(views: NDArray[np.uint8]) -> bool:
    """Return whether all texts fit in their views (n, 16)."""
    return bool((views.view("<i4")[:, 0] <= SHORT).all())


def distinct_short(views: NDArray[np.uint8], missing: NDArray[np.bool_] | None) -> Block:
    """Block of views of short texts: equal ones are equal texts."""
    codes, firsts = fixed_codes(views.view("<U4").reshape(-1))
    return _block(codes, TextColumn.of_views(views[firsts], ()).texts(np.arange(firsts.size)), missing)


def distinct_fixed(array: NDArray[Any]) -> Block:
    """Block of NumPy's fixed-width text ('U')."""
    codes, firsts = fixed_codes(array)
    return without_blank(codes, array[firsts].tolist())


def _block(codes: NDArray[np.int32], values: list[str], missing: NDArray[np.bool_] | None) -> Block:
    return without_blank(codes, values) if missing is None else distinct_dictionary(codes, values, missing)
