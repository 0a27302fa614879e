"""Where the rows of each group stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray


def places_of(codes: NDArray[Any]) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Code and rows, in their order, of every group that has rows; sorted once, however many groups there are.

    >>> [(code, rows.tolist()) for code, rows in places_of(np.array([2, 0, 2]))]
    [(0, [1]), (2, [0, 2])]
    """
    # Numbers of 16 bits are sorted by their digits, in a tenth of the time.
    is_short = codes.size > 0 and codes.min() >= 0 and codes.max() < 2**16
    order = np.argsort(codes.astype(np.uint16) if is_short else codes, kind="stable")
    ends = np.flatnonzero(np.diff(codes[order])) + 1
    for places in np.split(order, ends):
        if places.size:
            yield int(codes[places[0]]), places
