"""What can be read only once as a temporary file, in folders that do not outlive their process for long."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO

from thresher.database import shared
from thresher.errors import InputError, OptionError

STDIN = "-"
LIMIT = "THRESHER_SPOOL_LIMIT"
"""Environment variable: bytes of a pipe that are kept at most."""

MOST = 16 * 2**30
"""Bytes of a pipe that are kept when the environment says nothing; never more than half of what is free."""

PREFIX = "thresher-"
LOCK = "lock"
_NEW = 60  # seconds in which a folder may still be waiting for its lock
_OLD = 24 * 3600  # seconds after which an unfinished output belongs to nobody
_PIECE = 2**20

_scope: ContextVar[tuple[ExitStack, dict[str, str]] | None] = ContextVar("thresher_spool", default=None)
_kept = ExitStack()
_standard: list[tuple[object, str]] = []
atexit.register(_kept.close)


@contextmanager
def once() -> Iterator[None]:
    """Read every pipe once in this block, however often it is looked at; a block inside one is part of it.

    A database is opened once as well.
    """
    if _scope.get() is not None:
        yield
        return
    with shared(), ExitStack() as stack:
        token = _scope.set((stack, {}))
        try:
            yield
        finally:
            _scope.reset(token)


def spooled(given: str) -> str:
    """Standard input or a named pipe as a temporary file: a table is looked at more than once, and by several threads.

    Standard input is kept until the process ends, a pipe until the outermost block of `once` does: it may hold
    something else the next time.

    Raises:
        InputError: nothing is piped in, it has no end, or it cannot be read.
    """
    if given == STDIN:
        return _standard_input()
    scope = _scope.get()
    if scope is None:
        return _copied(given, _kept)
    stack, known = scope
    if given not in known:
        known[given] = _copied(given, stack)
    return known[given]


def _standard_input() -> str:
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("'-' reads the table from standard input, but nothing is piped in.")
    for source, path in _standard:
        if source is sys.stdin:
            return path
    _standard.append((sys.stdin, _copied(STDIN, _kept)))
    return _standard[-1][1]


def _copied(given: str, stack: ExitStack) -> str:
    name = "standard input" if given == STDIN else given
    _refuse_device(given, name)
    try:
        with ExitStack() as made, ExitStack() as opened:
            path = os.path.join(made.enter_context(scratch()), "input")
            source = sys.stdin.buffer if given == STDIN else opened.enter_context(open(given, "rb"))
            _copy(source, opened.enter_context(open(path, "wb")), name)
            stack.push(made.pop_all())
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}.") from error
    return path


def _refuse_device(given: str, name: str) -> None:
    """Refuse a device, which may have no end; the null device has one at once."""
    try:
        found = os.fstat(sys.stdin.fileno()) if given == STDIN else os.stat(given)
        null = os.path.samestat(found, os.stat(os.devnull))
    except (OSError, ValueError):  # a stream that is no file, or a path whose error is told when it is opened
        return
    if not null and (stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode)):
        raise InputError(f"{name} is a device, not a table: name a file or a pipe.")


def _copy(source: IO[bytes], target: IO[bytes], name: str) -> None:
    most, done = _most(os.path.dirname(target.name)), 0
    while piece := source.read(_PIECE):
        done += len(piece)
        if done > most:
            raise InputError(
                f"{name} has more than {most:,} bytes, the most that is kept of what can be read only once: write it "
                f"to a file and name that, or allow more bytes with the environment variable {LIMIT}."
            )
        try:
            target.write(piece)
            target.flush()
        except OSError as error:
            raise InputError(f"{name} cannot be kept: {no_room(error.strerror)}") from error


def no_room(why: str | None) -> str:
    """What to do where nothing more can be written to the temporary directory.

    >>> no_room("No space left on device").startswith("the temporary directory ")
    True
    """
    import tempfile

    return (
        f"the temporary directory {tempfile.gettempdir()!r} takes no more ({why}). Free space there, or name another "
        f"with the environment variable TMPDIR."
    )


def _most(folder: str) -> int:
    """Bytes that may be kept in a folder."""
    given = os.environ.get(LIMIT, "")
    if given and not (given.isascii() and given.isdigit()):
        raise OptionError(f"the environment variable {LIMIT} is {given!r}: it is a number of bytes.")
    import shutil

    return int(given) if given else min(MOST, shutil.disk_usage(folder).free // 2)


@contextmanager
def scratch() -> Iterator[str]:
    """Folder that is gone when the block ends; one whose process was killed is removed by a later process."""
    import shutil
    import tempfile

    _sweep()
    folder, owner = tempfile.mkdtemp(prefix=PREFIX), os.getpid()
    try:
        with open(os.path.join(folder, LOCK), "wb") as lock:
            _locks(lock)
            yield folder
    finally:
        if os.getpid() == owner:  # a forked child holds a copy of the block, not the folder
            shutil.rmtree(folder, ignore_errors=True)


def _locks(file: IO[bytes]) -> bool:
    """Lock a file until it is closed or the process ends; false when another process has it, or none can."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


@functools.cache
def _sweep() -> None:
    """Remove the folders of processes that were killed: nobody holds their lock."""
    import shutil
    import tempfile

    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{LOCK}"):
        with contextlib.suppress(OSError), folder.open("rb") as lock:
            if time.time() - os.fstat(lock.fileno()).st_mtime > _NEW and _locks(lock):
                shutil.rmtree(folder.parent, ignore_errors=True)


def sweep_beside(folder: Path) -> None:
    """Remove unfinished outputs, `.thresher-….tmp` in their folder, that are older than a day."""
    for left in folder.glob(".thresher-*.tmp"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _OLD:
                left.unlink()
