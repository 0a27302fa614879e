"""`TextColumn`: many texts without a Python object for each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class TextColumn:
    """Texts in UTF-8, one after the other: text i is ``data[offsets[i]:offsets[i + 1]]``."""

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return int(self.offsets.size) - 1

    def texts(self, rows: NDArray[np.int64]) -> list[str]:
        """Some of them."""
        content = self.data.tobytes()
        pairs = zip(self.offsets[rows].tolist(), self.offsets[rows + 1].tolist(), strict=True)
        return [content[start:stop].decode("utf-8", "backslashreplace") for start, stop in pairs]

    def text(self, row: int) -> str:
        """One of them."""
        return self.data[self.offsets[row] : self.offsets[row + 1]].tobytes().decode("utf-8", "backslashreplace")
