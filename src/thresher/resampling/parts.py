"""What each row does in each split: it trains, it tests, both, or neither; what pictures of splits are drawn from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from thresher.predictions import Predictions
    from thresher.resampling.methods import Method
    from thresher.resampling.splits import Split

NEITHER, TRAINS, TRAINS_OFTEN, TESTS, BOTH = range(5)
"""Parts of a row in a split; one that trains often was drawn more than once."""


def row_parts(splits: Iterable[Split], rows: int, most: int) -> NDArray[np.int8]:
    """Part of each row (column) in each of the first splits (line), `most` of them.

    >>> from thresher.resampling.splits import Split
    >>> row_parts([Split(np.array([0, 0, 1]), np.array([2]))], 4, 1).tolist()
    [[2, 1, 3, 0]]
    """
    parts = []
    for split in islice(splits, most):
        times = np.bincount(split.train, minlength=rows)
        part = np.minimum(times, TRAINS_OFTEN).astype(np.int8)
        part[split.test] = np.where(times[split.test] > 0, BOTH, TESTS)
        parts.append(part)
    return np.array(parts, dtype=np.int8).reshape(-1, rows)


def made_again(method: Method, rows: Predictions, rng: int) -> Iterator[Split]:
    """Splits of the rows of an assessment, from its seed, without a fit on all rows."""
    from thresher.resampling.data import Data
    from thresher.resampling.records import APPARENT

    made = method.splits(Data(X=None, y=np.zeros(0), rows=rows).drawable, rng)
    return (split for split in made if split.repeat != APPARENT)
