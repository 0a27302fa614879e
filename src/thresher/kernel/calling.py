"""How the compiled library is called: statuses as exceptions, and Ctrl-C during long work."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray

from thresher.errors import InputError
from thresher.kernel.values import SENTENCES, KernelInputError

KINDS = dict(enumerate(SENTENCES, 1))
NO_MEMORY, CANCELLED, CHANGED = -1, -2, -4

# Calls on more rows than this may take long enough for someone to press Ctrl-C.
LONG_CALL = 2_000_000

_thread = threading.local()


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


def run(rows: int, call: Callable[..., int], before: Sequence[Any] = (), after: Sequence[Any] = ()) -> None:
    """Run ``call(*before, cancel, *after, bad_row)``; a long one gives up when the user interrupts it.

    Python runs the handlers of signals in the main thread, between two of its own steps. So a long call goes to another
    thread while the main thread waits, which a signal does interrupt; then the flag makes C++ return. The
    arguments hold every array, so that none is freed under the call, however the wait ends.
    """
    bad_row = ctypes.c_int64(-1)
    if rows < LONG_CALL or threading.current_thread() is not threading.main_thread():
        shared = getattr(_thread, "cancel", None)
        if shared is not None and shared.value:
            raise KeyboardInterrupt
        cancelled = None if shared is None else ctypes.addressof(shared)
        if status := call(*before, cancelled, *after, ctypes.addressof(bad_row)):
            raise error_of(status, bad_row)
        return
    cancel = ctypes.c_int32(0)
    statuses: list[int] = []
    # Thread.join is of no use here: before Python 3.13 one that was interrupted takes the thread for ended.
    done = threading.Event()

    def work() -> None:
        try:
            statuses.append(call(*before, ctypes.addressof(cancel), *after, ctypes.addressof(bad_row)))
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
    if statuses[0]:
        raise error_of(statuses[0], bad_row)


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
