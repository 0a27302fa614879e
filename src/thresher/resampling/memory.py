"""Peak memory of a call: of the whole process where the system can tell (Linux), else of what Python allocated."""

from __future__ import annotations

import ctypes
import gc
import os
import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

from thresher.conventions import option

Way = Literal["auto", "process", "traced"]

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")

WAYS = {
    "process": "peak resident memory of this process while fitting, less that before",
    "traced": "peak of what Python and NumPy allocated while fitting; what native libraries allocate themselves is "
    "not seen",
}
"""What the number is, by the way in which it was taken."""


class Peak(NamedTuple):
    """What the call returned, and by how many bytes its peak exceeded the memory before it."""

    result: Any
    bytes: int


def memory_way(wanted: Way) -> Literal["process", "traced"]:
    """Way of measuring that this system offers: the process's own peak where it can be set back."""
    option("memory", wanted, ("auto", "process", "traced"))
    if wanted != "auto":
        return wanted
    try:
        return "process" if os.access(_RESET, os.W_OK) and _resident("VmHWM") else "traced"
    except OSError:
        return "traced"


def peak_memory(call: Callable[[], Any], way: Literal["process", "traced"]) -> Peak:
    """Run a call and take its peak memory."""
    gc.collect()
    return _of_process(call) if way == "process" else _traced(call)


def _of_process(call: Callable[[], Any]) -> Peak:
    """Peak resident memory less that before; memory that was freed goes back first, or it would be used unseen."""
    _give_back()
    _RESET.write_text("5")
    before = _resident("VmRSS")
    result = call()
    return Peak(result, max(0, _resident("VmHWM") - before))


def _traced(call: Callable[[], Any]) -> Peak:
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        result = call()
        return Peak(result, max(0, tracemalloc.get_traced_memory()[1] - before))
    finally:
        if not was_tracing:
            tracemalloc.stop()


def _resident(field: str) -> int:
    found = re.search(rf"^{field}:\s+(\d+) kB", _STATUS.read_text(), re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def _give_back() -> None:
    """Return freed memory to the system, where the C library can."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
