"""Arrays that the compiled functions fill, in memory that the library keeps where somebody asked it to.

Arrays of which most stays empty do not belong here: what was never written takes no memory until it is used again.
"""

from __future__ import annotations

import ctypes
from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

# Large enough for the library's own memory, as kLarge in native/memory.hpp.
LARGE = 4 << 20


class _Taken:
    """Memory of the library, given back after the last array that lies in it."""

    def __init__(self, library: ctypes.CDLL, address: ctypes.c_int64, size: int, array: dict[str, Any]) -> None:
        self.__array_interface__ = {**array, "data": (address.value, False), "version": 3}
        self._give, self._size, self._address = library.thresher_give_memory, size, address

    def __del__(self) -> None:
        self._give(self._size, ctypes.addressof(self._address))


def room(library: ctypes.CDLL, shape: int | tuple[int, ...], kind: DTypeLike) -> NDArray[Any]:
    """Array whose values are yet to be written."""
    shape, kind = (shape,) if isinstance(shape, int) else shape, np.dtype(kind)
    size, address = prod(shape) * kind.itemsize, ctypes.c_int64(0)
    if size >= LARGE:
        library.thresher_take_memory(size, ctypes.addressof(address))
    if not address.value:
        return np.empty(shape, kind)
    return np.asarray(_Taken(library, address, size, {"shape": shape, "typestr": kind.str}))
