"""A file is there whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_OLD = 24 * 3600  # seconds after which an unfinished output belongs to nobody

OTHER_SUFFIXES = (
    ".csv", ".tsv", ".txt", ".md", ".json", ".jsonl", ".ndjson", ".html", ".htm", ".xlsx", ".arrow", ".feather", ".pkl",
    ".svg", ".png", ".pdf", ".gz", ".zst",
)  # fmt: skip
"""Suffixes of other formats, which a Parquet file must not have."""


@contextmanager
def atomic_write(target: Path) -> Iterator[Path]:
    """Path to write a file to; when the block ends without an error it takes the place of `target`.

    The file is made beside its place, so that a reader never sees half of it. A named pipe or a device keeps its place:
    the content is written into it.

    Raises:
        OSError: the folder is missing, or something may not be written.
    """
    if "\0" in str(target):
        raise OSError(errno.EINVAL, "No name of a file has a null byte", str(target))
    into = target.exists() and (not target.is_file() or target.is_relative_to("/dev"))
    final = target if into else Path(os.path.realpath(target)) if target.is_symlink() else target
    if final.is_dir():
        raise IsADirectoryError(21, "Is a directory", str(target))
    folder = final.parent
    if into:
        from tempfile import gettempdir

        folder = Path(gettempdir())
    else:
        for left in folder.glob(".thresher-*.tmp"):
            with suppress(OSError):
                if time.time() - left.stat().st_mtime > _OLD:
                    left.unlink()
    beside = folder / f".thresher-{os.urandom(6).hex()}.tmp"
    try:
        mode = stat.S_IMODE(final.stat().st_mode) if final.exists() and not into else 0o666
        os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        yield beside
        if into:
            from shutil import copyfileobj

            with beside.open("rb") as made, target.open("wb") as out:
                copyfileobj(made, out)
        else:
            os.replace(beside, final)
    finally:
        beside.unlink(missing_ok=True)
