"""Which of the two implementations runs, and why; and the memory that it keeps."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

from thresher.kernel.binding import Native
from thresher.kernel.library import UnusableLibraryError, load, path

Name = Literal["native", "reference"]


def _choose() -> tuple[Any, Name, str]:
    """Take the compiled library unless it is absent, unfit or declined by THRESHER_KERNEL."""
    wish = os.environ.get("THRESHER_KERNEL", "")
    if wish not in ("", "native", "reference"):
        raise ImportError(f"THRESHER_KERNEL is {wish!r}; it can be 'native' or 'reference'")
    if wish == "reference":
        return _reference(), "reference", "THRESHER_KERNEL=reference asks for the NumPy functions"
    try:
        library = load()
    except UnusableLibraryError as problem:
        if wish == "native":
            raise ImportError(f"THRESHER_KERNEL=native, but {problem}") from problem
        return _reference(), "reference", str(problem)
    return Native(library), "native", f"{path()} is loaded"


def _reference() -> Any:
    from thresher.kernel import reference

    return reference


_backend, _name, _why = _choose()
_in_use: list[Any] = []

if TYPE_CHECKING:
    # The reference says what each function takes and returns. What it is called with has been through `checks`.
    from thresher.kernel import reference as use
else:
    use = SimpleNamespace()


def _take(implementation: Any) -> None:
    """Make an implementation the one that `use` calls."""
    _in_use[:] = [implementation]
    vars(use).update((name, getattr(implementation, name)) for name in dir(implementation) if name[0] != "_")


_take(_backend)


def active() -> Any:
    """Return the implementation in use."""
    return _in_use[0]


def implementation() -> Name:
    """Say which implementation runs: ``"native"`` (compiled) or ``"reference"`` (NumPy)."""
    return _name


def why() -> str:
    """Say in one sentence why that implementation was taken."""
    return _why


@contextlib.contextmanager
def using(backend: Any) -> Iterator[None]:
    """Run a block with one implementation; for tests and benchmarks that compare the two."""
    before = active()
    _take(backend)
    try:
        yield
    finally:
        _take(before)


@contextlib.contextmanager
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


__all__ = ["active", "implementation", "kept_memory", "use", "using", "why"]
