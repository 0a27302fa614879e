"""`TextColumn`: many texts without a Python object for each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass

ROWS = 2**17
"""Rows that are gathered at a time: their places take eight bytes for every byte of text."""

SHORT = 12
"""Bytes of a text that is stored in its view."""


@dataclass(frozen=True, slots=True, eq=False)
class TextColumn:
    """Texts in UTF-8, one after the other: text i is ``data[offsets[i]:offsets[i + 1]]``."""

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return int(self.offsets.size) - 1

    @classmethod
    def of_views(
        cls, views: NDArray[np.uint8], data: Sequence[NDArray[np.uint8]], gone: NDArray[np.bool_] | None = None
    ) -> TextColumn:
        """Texts of Arrow's views (n, 16): a row holds up to 12 bytes of text, or says where in `data` a longer one is.

        Rows that are `gone` have an empty text.
        """
        fields, parts = views.view("<i4"), [views.reshape(-1), *data]
        lengths = np.where(False if gone is None else gone, 0, fields[:, 0]).astype(np.int64)
        inside, base = lengths <= SHORT, running(np.array([part.size for part in parts]))
        elsewhere = fields[:, 3] + base[1:][np.where(inside, 0, fields[:, 2])]
        places = np.where(inside, 16 * np.arange(len(fields)) + 4, elsewhere)
        return cls._gathered(np.concatenate(parts), places, lengths)

    @classmethod
    def of_joined(cls, joined: bytes, separator: bytes) -> TextColumn:
        """Pieces between the separators (one byte).

        >>> TextColumn.of_joined(b"d1,d12", b",").text(1)
        'd12'
        """
        data = np.frombuffer(joined, np.uint8)
        apart = data == ord(separator)
        ends = np.append(np.flatnonzero(apart), data.size)
        return cls(data[~apart], np.append(0, ends - np.arange(ends.size)))

    @classmethod
    def _gathered(cls, data: NDArray[np.uint8], places: NDArray[np.int64], lengths: NDArray[np.int64]) -> TextColumn:
        """Copy texts from anywhere in a block of bytes into one run."""
        offsets = running(lengths)
        out = np.empty(int(offsets[-1]), np.uint8)
        for at in range(0, lengths.size, ROWS):
            here = slice(at, min(at + ROWS, lengths.size))
            first, last = offsets[here.start], offsets[here.stop]
            shift = np.repeat(places[here] - offsets[here.start : here.stop], lengths[here])
            out[first:last] = data[shift + np.arange(first, last)]
        return cls(out, offsets)

    def take(self, rows: NDArray[np.int64]) -> TextColumn:
        """Some of them, in the order given."""
        return self._gathered(self.data, self.offsets[:-1][rows], np.diff(self.offsets)[rows])

    def part(self, rows: slice) -> TextColumn:
        """View of the texts of neighboring rows, in place."""
        ends = self.offsets[rows.start : rows.stop + 1]
        return TextColumn(self.data[ends[0] : ends[-1]], ends - ends[0])

    def texts(self, rows: NDArray[np.int64]) -> list[str]:
        """Some of them."""
        content = self.data.tobytes()
        pairs = zip(self.offsets[rows].tolist(), self.offsets[rows + 1].tolist(), strict=True)
        return [content[start:stop].decode("utf-8", "backslashreplace") for start, stop in pairs]

    def text(self, row: int) -> str:
        """One of them."""
        return self.data[self.offsets[row] : self.offsets[row + 1]].tobytes().decode("utf-8", "backslashreplace")


def running(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each text begins, and where the last ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
