"""Compressed files are whole: DuckDB takes a zstd file that is cut off, and a gzip file of a wrong checksum, as is."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event

from thresher.engines.files import File
from thresher.errors import InputError

_MAGIC = 0xFD2FB528
_SKIPPABLE = range(0x184D2A50, 0x184D2A60)
_CHUNK = 2**20


@contextmanager
def compression_checked(files: Sequence[File]) -> Iterator[None]:
    """Check compressed files in a thread while the block reads them; the first damage is raised when it ends.

    Raises:
        InputError: a file is cut off, or does not have the content that its checksum is of.
    """
    compressed = [file for file in files if file.compression != "none" and file.kind != "parquet"]
    if not compressed:
        yield
        return
    from concurrent.futures import ThreadPoolExecutor

    stop = Event()
    with ThreadPoolExecutor(max_workers=1) as pool:
        checks = [pool.submit(check, file, stop) for file in compressed]
        try:
            yield
        except BaseException:
            stop.set()
            raise
        for done in checks:
            done.result()


def check(file: File, stop: Event) -> None:
    """Raise an error when a compressed file is damaged; `stop` ends the check early."""
    try:
        whole = _gzip_is_whole(file.path, stop) if file.compression == "gzip" else _zstd_is_whole(file.path)
    except (OSError, EOFError, zlib.error):
        whole = False
    if not whole:
        raise InputError(f"{file.name} is damaged or cut off: its compressed content is not whole.")


def _gzip_is_whole(path: str, stop: Event) -> bool:
    """Decompress to the end, where length and checksum are compared."""
    import gzip

    with gzip.open(path) as content:
        while content.read(_CHUNK) and not stop.is_set():
            pass
    return True


def _zstd_is_whole(path: str) -> bool:
    """Walk from block to block to the end of the file [RFC 8878]; checksums are compared when it is read."""
    end = os.path.getsize(path)
    with open(path, "rb") as file:

        def number(size: int) -> int:
            return int.from_bytes(file.read(size), "little")

        while file.tell() < end:
            magic = number(4)
            if magic in _SKIPPABLE:
                file.seek(number(4), os.SEEK_CUR)
                continue
            if magic != _MAGIC:
                return False
            descriptor = number(1)
            single = descriptor >> 5 & 1
            content_size = (single, 2, 4, 8)[descriptor >> 6]
            file.seek((1 - single) + (0, 1, 2, 4)[descriptor & 3] + content_size, os.SEEK_CUR)
            last = 0
            while not last and file.tell() < end:
                header = number(3)
                last, kind, size = header & 1, header >> 1 & 3, header >> 3
                file.seek(1 if kind == 1 else size, os.SEEK_CUR)
            file.seek(4 * (descriptor >> 2 & 1), os.SEEK_CUR)
            if not last:
                return False
        return file.tell() == end
