"""Memory that is kept while several long tables are made, so that the system clears it once, not for each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from thresher.kernel.backend import active


@contextmanager
def kept_memory() -> Iterator[None]:
    """Keep the memory of large arrays that the kernel makes for those it makes next; all goes back at the end.

    Arrays that are still in use stay as they are.
    """
    backend = active()
    backend.keep_memory(1)
    try:
        yield
    finally:
        backend.keep_memory(-1)
