"""The compiled library: where it is found, how it is loaded, and how its functions are called."""

from __future__ import annotations

import ctypes
import os
import sys
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from thresher.kernel.calling import error_of, run
from thresher.kernel.signatures import SIGNATURES, ArrayKind, addresses, argument_types, array_kinds, kinds_of

# Equal to kAbiVersion in native/abi.hpp: a library built from other sources is refused, never called.
ABI_VERSION = 19

# Large enough for the library's own memory, as kLarge in native/memory.hpp.
LARGE = 4 << 20


class UnusableLibraryError(Exception):
    """Why there is no library to use, as a sentence."""


def path() -> Path:
    """Return where the library is expected: THRESHER_NATIVE_LIBRARY, else beside this file."""
    named = os.environ.get("THRESHER_NATIVE_LIBRARY")
    if named:
        return Path(named)
    suffix = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
    return Path(__file__).with_name(f"_native{suffix}")


class Library:
    """The compiled functions, called by their names with arrays and numbers as `signatures` has them."""

    def __init__(self, loaded: ctypes.CDLL) -> None:
        self.loaded = loaded
        self._functions = {name: _declared(loaded, name) for name in SIGNATURES}

    def call(self, name: str, *arguments: Any) -> None:
        """Call a short function, and raise the exception of its status."""
        function, kinds, _ = self._functions[name]
        bad_row = ctypes.c_int64(-1)
        if status := function(*addresses(kinds, arguments), ctypes.byref(bad_row)):
            raise error_of(status, bad_row)

    def run(self, name: str, rows: int, *arguments: Any) -> None:
        """Call a function that does the work of `rows` rows, which the user may interrupt."""
        function, kinds, flag = self._functions[name]
        given = addresses(kinds, arguments)
        run(rows, function, given[:flag], given[flag:])

    def room(self, shape: int | tuple[int, ...], kind: DTypeLike) -> NDArray[Any]:
        """Return an uninitialized array, in the kernel's reused memory on request.

        Mostly empty arrays do not belong here: unwritten pages take no memory only until they are reused.
        """
        shape, kind = (shape,) if isinstance(shape, int) else shape, np.dtype(kind)
        size, address = prod(shape) * kind.itemsize, ctypes.c_int64(0)
        if size >= LARGE:
            self.loaded.thresher_take_memory(size, ctypes.byref(address))
        if not address.value:
            return np.empty(shape, kind)
        return np.asarray(_Taken(self, address, size, {"shape": shape, "typestr": kind.str}))


class _Taken:
    """Memory of the library, given back after the last array in it."""

    def __init__(self, library: Library, address: ctypes.c_int64, size: int, array: dict[str, Any]) -> None:
        self.__array_interface__ = {**array, "data": (address.value, False), "version": 3}
        self._give, self._size, self._address = library.loaded.thresher_give_memory, size, address

    def __del__(self) -> None:
        self._give(self._size, ctypes.byref(self._address))


def _declared(loaded: ctypes.CDLL, name: str) -> tuple[Any, list[ArrayKind | None], int | None]:
    """A function with declared arguments, which of them are arrays, and the place of its cancel flag."""
    function = getattr(loaded, f"thresher_{name}")
    function.argtypes, function.restype = argument_types(name), ctypes.c_int32
    kinds = kinds_of(name)
    return function, array_kinds(name), kinds.index("cancel") if "cancel" in kinds else None


def load() -> Library:
    """Load the library and declare its functions; raise `UnusableLibraryError` if that cannot be done."""
    where = path()
    if not where.exists():
        raise UnusableLibraryError(f"no compiled library at {where}; it is built where a C++20 compiler is found")
    try:
        library = ctypes.CDLL(str(where))
        library.thresher_abi_version.restype = ctypes.c_int64
        version = library.thresher_abi_version()
        if version != ABI_VERSION:
            raise UnusableLibraryError(f"{where} is of interface version {version}, {ABI_VERSION} is needed; reinstall")
        return Library(library)
    except (OSError, AttributeError) as error:
        raise UnusableLibraryError(f"{where} cannot be loaded: {error}") from error
