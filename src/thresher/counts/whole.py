"""Counts that take few bytes in memory and are int64 wherever they are read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.frozen_values import freeze


class WholeCounts:
    """Attribute of a table: whole counts stored as int8 or int32 are read as int64, converted once; others as stored.

    So no sum or product overflows. Functions of the kernel take the stored columns.
    """

    def __init__(self, name: str) -> None:
        self.name, self.as_int64 = name, f"{name} as int64"

    def __get__(self, table: Any, kind: type | None = None) -> Any:
        if table is None:
            raise AttributeError(self.name)  # as of a field without a default
        held = vars(table)
        counts = held[self.name]
        if counts.dtype.kind != "i" or counts.dtype.itemsize == 8:
            return counts
        if self.as_int64 not in held:
            held[self.as_int64] = freeze(counts.astype(np.int64))
        return held[self.as_int64]

    def __set__(self, table: Any, counts: NDArray[Any]) -> None:
        vars(table)[self.name] = counts
