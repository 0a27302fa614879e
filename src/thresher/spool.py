"""Streams that can be read once, as temporary files."""

from __future__ import annotations

import atexit
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from functools import partial
from typing import IO

from thresher._util.fast_dataclass import dataclass
from thresher._util.parse_number import parse_size
from thresher.database import shared
from thresher.errors import InputError, OptionError

STDIN = "-"
LIMIT = "THRESHER_SPOOL_LIMIT"
"""Environment variable: bytes of a pipe that are kept at most."""

MOST = 16 * 2**30
"""Default number of kept bytes of a pipe; never more than half the free space."""

_PIECE = 2**20


@dataclass(frozen=True)
class Spool:
    """A pipe as a file; where it has more than `most` bytes, its beginning, and the `rest`.

    The rest is taken out of its list when it is read.
    """

    path: str
    name: str
    most: int
    rest: list[IO[bytes]] | None = None

    @property
    def is_whole(self) -> bool:
        """Whether it is complete."""
        return self.rest is None

    def whole(self) -> str:
        """Return the path of the complete file."""
        if not self.is_whole:
            raise InputError(self.refusal)
        return self.path

    def blocks(self) -> Iterator[bytes]:
        """Yield the kept beginning and the rest of a pipe, once.

        Raises:
            InputError: it was read before, or cannot be read to its end.
        """
        if not self.rest:
            raise InputError(f"{self.too_long}: it was read already, and comes once.")
        rest = self.rest.pop()
        with _readable(self.name), open(self.path, "rb") as kept:
            for source in (kept, rest):
                yield from iter(partial(source.read, _PIECE), b"")

    @property
    def refusal(self) -> str:
        """Advice where all of it is needed."""
        return (
            f"{self.too_long}: write it to a file and name that, or allow more bytes with the environment variable "
            f"{LIMIT}."
        )

    @property
    def too_long(self) -> str:
        """Reason why not all of it is there, as the beginning of a sentence."""
        return f"{self.name} has more than {self.most:,} bytes, the limit for input that can be read only once"


_scope: ContextVar[tuple[ExitStack, dict[str, Spool]] | None] = ContextVar("thresher_spool", default=None)
_kept = ExitStack()
_standard: list[tuple[object, Spool]] = []
atexit.register(_kept.close)


@contextmanager
def once() -> Iterator[None]:
    """Read every pipe once in this block, however often it is used; an inner block is part of it.

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


def is_pipe(path: str) -> bool:
    """Return whether a path is a pipe, such as a shell makes of <(zcat run.gz): it can be read once."""
    return path == STDIN or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path))


def spool_stream(given: str) -> Spool:
    """Standard input or a named pipe as a temporary file: a table is looked at more than once, and by several threads.

    Standard input is kept until the process ends, a pipe until the outermost block of `once` does: it may hold
    something else the next time.
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


def _standard_input() -> Spool:
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("'-' reads the table from standard input, but nothing is piped in.")
    for source, found in _standard:
        if source is sys.stdin:
            return found
    _standard.append((sys.stdin, _copied(STDIN, _kept)))
    return _standard[-1][1]


def _copied(given: str, stack: ExitStack) -> Spool:
    name = "standard input" if given == STDIN else given
    _refuse_device(given, name)
    with _readable(name), ExitStack() as made, ExitStack() as opened:
        path = os.path.join(made.enter_context(scratch()), "input")
        source = sys.stdin.buffer if given == STDIN else opened.enter_context(open(given, "rb"))
        most = _most(os.path.dirname(path))
        with open(path, "wb") as target:
            is_whole = _copy(source, target, name, most)
        stack.push(made.pop_all())
        if not is_whole:
            stack.push(opened.pop_all())
    return Spool(path, name, most, None if is_whole else [source])


def _refuse_device(given: str, name: str) -> None:
    """Refuse a device, which may be endless; the null device is empty."""
    try:
        found = os.fstat(sys.stdin.fileno()) if given == STDIN else os.stat(given)
        null = os.path.samestat(found, os.stat(os.devnull))
    except (OSError, ValueError):  # a stream that is not a file, or a path that fails when it is opened
        return
    if not null and (stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode)):
        raise InputError(f"{name} is a device, not a table: name a file or a pipe.")


def _copy(source: IO[bytes], target: IO[bytes], name: str, most: int) -> bool:
    done = 0
    while done <= most:
        piece = source.read(_PIECE)
        if not piece:
            return True
        done += len(piece)
        with writing_spool(name):
            target.write(piece)
            target.flush()
    return False


@contextmanager
def _refused(say: Callable[[str | None], str]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(say(error.strerror)) from error


def _readable(name: str) -> AbstractContextManager[None]:
    return _refused(lambda why: f"{name} cannot be read: {why}.")


def writing_spool(name: str) -> AbstractContextManager[None]:
    """Block that writes the stream of this name to the temporary directory, which may be full."""
    return _refused(lambda why: f"{name} cannot be kept: {disk_full_advice(why)}")


def disk_full_advice(why: str | None) -> str:
    """Return advice where the temporary directory is full."""
    import tempfile

    return (
        f"the temporary directory {tempfile.gettempdir()!r} is full ({why}). Free space there, or name another "
        f"with the environment variable TMPDIR."
    )


def _most(folder: str) -> int:
    import shutil

    given = os.environ.get(LIMIT, "")
    try:
        if given.isascii() and given.isdigit():
            return int(given)
        return parse_size(given) if given else min(MOST, shutil.disk_usage(folder).free // 2)
    except ValueError:
        raise OptionError(
            f"the environment variable {LIMIT} is {given!r}: give a number of bytes, or text such as '2GB' or '512MB'."
        ) from None


@contextmanager
def scratch() -> Iterator[str]:
    """Temporary folder that is gone when the block ends; a forked child that leaves its copy of the block keeps it."""
    import shutil
    import tempfile

    folder, owner = tempfile.mkdtemp(prefix="thresher-"), os.getpid()
    try:
        yield folder
    finally:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)
