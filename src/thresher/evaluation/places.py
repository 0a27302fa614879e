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
    order = np.argsort(codes, kind="stable")
    ends = np.flatnonzero(np.diff(codes[order])) + 1
    for places in np.split(order, ends):
        if places.size:
            yield int(codes[places[0]]), places
