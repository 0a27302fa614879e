"""The compiled library: where it is found, how it is loaded, and how its functions are called: statuses and Ctrl-C."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from thresher.errors import InputError
from thresher.kernel.signatures import SIGNATURES, ArrayKind, addresses, argument_types, array_kinds, kinds_of
from thresher.kernel.values import SENTENCES, KernelInputError

# Equal to kAbiVersion in native/abi.hpp: a library built from other sources is refused, never called.
ABI_VERSION = 22

# Large enough for the library's own memory, as kLarge in native/memory.hpp.
LARGE = 4 << 20

KINDS = dict(enumerate(SENTENCES, 1))
NO_MEMORY, CANCELLED, CHANGED = -1, -2, -4

# Calls on more rows than this may take long enough for someone to press Ctrl-C.
LONG_CALL = 2_000_000

_thread = threading.local()


class UnusableLibraryError(Exception):
    """Why there is no library to use, as a sentence."""


def path() -> Path:
    """Return where the library is expected: THRESHER_NATIVE_LIBRARY, else beside this file."""
    named = os.environ.get("THRESHER_NATIVE_LIBRARY")
    if named:
        return Path(named)
    suffix = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
    return Path(__file__).with_name(f"_native{suffix}")


class Together:
    """Work of several threads that stop their kernel calls together when nobody needs the result any more.

    Only the main thread is interrupted, while calls of others go on. Work that one of these threads begins belongs to
    the same.
    """

    def __init__(self) -> None:
        known = getattr(_thread, "cancel", None)
        self._is_own = known is None
        self._cancel = ctypes.c_int32(0) if known is None else known

    def run(self, work: Callable[[Any], Any], item: Any) -> Any:
        """Result of work in a thread of these."""
        _thread.cancel = self._cancel
        return work(item)

    def give_up(self) -> None:
        """Make the calls return, unless this is part of other work, which gives up by itself."""
        if self._is_own:
            self._cancel.value = 1


def error_of(status: int, bad_row: ctypes.c_int64) -> BaseException:
    """Return the exception of a status that is not 0."""
    if status in KINDS:
        return KernelInputError(KINDS[status], bad_row.value)
    if status == NO_MEMORY:
        return MemoryError("not enough memory to sort the scores")
    if status == CANCELLED:
        return KeyboardInterrupt()
    if status == CHANGED:
        return InputError(
            "the arrays were changed while they were being read: another thread writes to them; pass a copy."
        )
    return RuntimeError(f"the compiled kernel failed with status {status}; THRESHER_KERNEL=reference avoids it")


class Library:
    """The compiled functions, called by their names with arrays and numbers as `signatures` has them."""

    def __init__(self, loaded: ctypes.CDLL) -> None:
        self.loaded = loaded
        self._functions: dict[str, tuple[Any, list[ArrayKind | None], int | None]] = {}
        for name in SIGNATURES:
            function, kinds = getattr(loaded, f"thresher_{name}"), kinds_of(name)
            function.argtypes, function.restype = argument_types(name), ctypes.c_int32
            flag = kinds.index("cancel") if "cancel" in kinds else None
            self._functions[name] = function, array_kinds(name), flag

    def call(self, name: str, *arguments: Any) -> None:
        """Call a short function, and raise the exception of its status."""
        function, kinds, _ = self._functions[name]
        bad_row = ctypes.c_int64(-1)
        if status := function(*addresses(kinds, arguments), ctypes.byref(bad_row)):
            raise error_of(status, bad_row)

    def run(self, name: str, rows: int, *arguments: Any) -> None:
        """Call a function that does the work of `rows` rows, which the user may interrupt."""
        function, kinds, flag = self._functions[name]
        given, bad_row = addresses(kinds, arguments), ctypes.c_int64(-1)
        place, before, after = ctypes.addressof(bad_row), given[:flag], given[flag:]
        if rows >= LONG_CALL and threading.current_thread() is threading.main_thread():
            status = _interruptible(function, before, after, place)
        else:
            shared = getattr(_thread, "cancel", None)
            if shared is not None and shared.value:
                raise KeyboardInterrupt
            status = function(*before, None if shared is None else ctypes.addressof(shared), *after, place)
        if status:
            raise error_of(status, bad_row)

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


def _interruptible(call: Callable[..., int], before: Sequence[Any], after: Sequence[Any], place: Any) -> int:
    """Return the status of a long ``call(*before, cancel, *after, place)``, which gives up when the user interrupts it.

    Python runs the handlers of signals in the main thread, between two of its own steps. So a long call goes to another
    thread while the main thread waits, which a signal does interrupt; then the flag makes C++ return. The
    arguments hold every array, so that none is freed under the call, however the wait ends.
    """
    cancel = ctypes.c_int32(0)
    statuses: list[int] = []
    # Thread.join is of no use here: before Python 3.13 one that was interrupted takes the thread for ended.
    done = threading.Event()

    def work() -> None:
        try:
            statuses.append(call(*before, ctypes.addressof(cancel), *after, place))
        finally:
            done.set()

    try:
        threading.Thread(target=work).start()
    except RuntimeError:
        work()
    try:
        # The system may hand a signal to another thread, which does not end a wait of this one: so it wakes by itself.
        while not done.wait(0.1):
            pass
    except BaseException:
        cancel.value = 1
        done.wait()
        raise
    return statuses[0]


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


def wide(words: Sequence[int] | ctypes.Array[ctypes.c_int64]) -> int:
    """Join the low and high 64 bits of a whole number."""
    return (words[1] << 64) | (words[0] & (2**64 - 1))


def fit(rows: int, *columns: NDArray[Any], at_end: bool = False) -> list[NDArray[Any]]:
    """Cut new columns to the rows that were written, at their start or at their end.

    The room of the others may have been written to on the way, and stays in use as long as a view of the column does.
    """
    found = []
    for column in columns:
        if column.flags.owndata and not at_end:
            column.resize(rows, refcheck=False)  # gives the room back without a copy
            found.append(column)
            continue
        kept = column[column.size - rows :] if at_end else column[:rows]
        found.append(kept if 3 * rows > column.size else kept.copy())
    return found
