"""From paths, globs and "-" to files of a known kind; compressed files are checked to be whole."""

from __future__ import annotations

import glob
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Literal

from thresher._util.did_you_mean import nearest
from thresher._util.fast_dataclass import dataclass
from thresher.counts.saved import refuse_saved
from thresher.errors import InputError
from thresher.spool import STDIN, Spool, is_pipe, spool_stream

Kind = Literal["csv", "json", "parquet"]

_SUFFIX: dict[str, Kind] = {
    ".csv": "csv", ".tsv": "csv", ".tab": "csv", ".txt": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
_DATA = re.compile(rf"[^.].*({'|'.join(map(re.escape, _SUFFIX))})(\.gz|\.zst)?", re.IGNORECASE)
LISTED = 5
"""Files that a sentence names before it stops."""

_EXPORT = "export its table as CSV or Parquet"

_NOT_TABLES = {
    b"PK\x03\x04": "a ZIP archive or an Excel workbook: save its table as CSV",
    b"\xd0\xcf\x11\xe0": "an Excel workbook: save its table as CSV",
    b"\xff\xfe": "text in UTF-16: save it as UTF-8",
    b"\xfe\xff": "text in UTF-16: save it as UTF-8",
    b"SQLite f": "a SQLite database: export the table as CSV",
    b"ARROW1": "an Arrow file: write it as Parquet",
    b"Obj\x01": "an Avro file: write it as Parquet",
    b"\x89HDF": "an HDF5 file: save its table as Parquet or CSV",
    b"\x93NUMPY": "an array of NumPy: save it as CSV with column names",
    b"<stata_dta>": f"a Stata file: {_EXPORT}",
    b"$FL2": f"an SPSS file: {_EXPORT}",
    b"$FL3": f"an SPSS file: {_EXPORT}",
    b"RDX2\n": f"a file of R objects: {_EXPORT}",
    b"RDX3\n": f"a file of R objects: {_EXPORT}",
    b"X\n\0\0": f"a file of R objects: {_EXPORT}",
    b"%PDF-": f"a PDF document: {_EXPORT}",
    b"BZh": "compressed with bzip2: use gzip or zstd",
    b"\xfd7zXZ": "compressed with xz: use gzip or zstd",
}


@dataclass(frozen=True)
class File:
    """One file: its path, its kind, and its name in messages.

    It may hold only the beginning of a `pipe`, or a part of its rows after that number of `lines`.
    """

    path: str
    name: str
    kind: Kind
    compression: Literal["none", "gzip", "zstd"] = "none"
    tabs: bool = False
    pipe: Spool | None = None
    is_part: bool = False
    lines: int = 0

    @property
    def where(self) -> str:
        """Words for the place of its columns: in JSON lines they may begin further down."""
        return f"the beginning of {self.name}" if self.is_part and self.kind == "json" else self.name

    @property
    def utf8(self) -> str:
        """Path for DuckDB: UTF-8 in any locale."""
        return os.fsencode(self.path).decode("utf-8")


def find_files(paths: Sequence[str], *, whole: bool = True) -> list[File]:
    """Files that the paths name, in order (a glob's in alphabetical order), all of one kind.

    Unless they must be `whole`, one may be the beginning of a pipe that has more than is kept.
    """
    found = [_inspect(path) for given in paths for path in _expand(given)]
    pipe = next((file.pipe for file in found if file.pipe is not None), None)
    if whole and pipe is not None:
        raise InputError(pipe.refusal)
    other = next((file for file in found if file.kind != found[0].kind), None)
    if other is not None:
        raise InputError(
            f"{found[0].name} is {_called(found[0])} and {other.name} is {_called(other)}: "
            f"files that are read together must be of one kind."
        )
    paths_seen: set[str] = set()
    for file in found:
        if os.path.realpath(file.path) in paths_seen:
            raise InputError(f"{file.name} is named twice: its rows would count twice.")
        paths_seen.add(os.path.realpath(file.path))
    return found


def _called(file: File) -> str:
    return {"csv": "CSV", "json": "JSON", "parquet": "Parquet"}[file.kind]


def _expand(given: str) -> list[str]:
    if given == STDIN:
        return [STDIN]
    if "\0" in given:
        raise InputError(f"{given!r} is not a path: no name of a file has a null byte.")
    if re.match(r"[a-zA-Z][\w+.-]+://", given):
        raise InputError(f"{given} is not on this machine: thresher does not use the network. Download it first.")
    path = os.path.expanduser(given)
    if os.path.isdir(path):
        raise InputError(f"{given} is a directory: name its files, such as '{os.path.join(given, '*.parquet')}'.")
    if os.path.exists(path):
        return [path]
    if glob.has_magic(path):
        found = sorted(name for name in glob.glob(path, recursive=True) if os.path.isfile(name))
        if not found:
            raise InputError(f"no file matches {given}.{_data_files(Path(path).parent)}")
        return found
    raise InputError(no_file(given))


def no_file(given: str) -> str:
    """Return the sentence for a missing file: where the path breaks off, a similar name, or the files there."""
    path = Path(os.path.expanduser(given))
    if path.is_symlink():
        return f"{given} is a link that leads to no file."
    if not path.parent.is_dir():
        here = f" There is {path.name} here." if os.path.exists(path.name) else ""
        return f"there is no file {given}, as there is no directory {path.parent}.{here}"
    near = nearest(path.name, (name for name in os.listdir(path.parent) if not name.startswith(".")))
    if near:
        return f"there is no file {given}. Did you mean {' or '.join(str(path.parent / name) for name in near)}?"
    return f"there is no file {given}.{_data_files(path.parent)}"


def _data_files(folder: Path) -> str:
    names = sorted(os.listdir(folder)) if folder.is_dir() else []
    found = [str(folder / name) for name in names if _DATA.fullmatch(name)]
    listed = ", ".join(found[:LISTED]) + (f" and {len(found) - LISTED} more" if len(found) > LISTED else "")
    return f" Data files there: {listed}." if found else ""


def _inspect(path: str) -> File:
    name = "standard input" if path == STDIN else path
    try:
        os.fsencode(path).decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"the name of the file {name!r} is not UTF-8: rename it.") from None
    pipe = None
    if is_pipe(path):
        kept = spool_stream(path)
        path, pipe = kept.path, None if kept.is_whole else kept
    try:
        with open(path, "rb") as file:
            start = file.read(4096)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}.") from error
    if not start:
        raise InputError(f"{name} is empty.")
    compression: Literal["none", "gzip", "zstd"] = "none"
    stem = path
    if start.startswith(b"\x1f\x8b"):
        compression, start = "gzip", _unzipped(path, name)
        stem = re.sub(r"\.gz(ip)?$", "", path, flags=re.IGNORECASE)
    elif start.startswith(b"\x28\xb5\x2f\xfd") or re.match(rb"[\x50-\x5f]\x2a\x4d\x18", start):  # or one to skip
        compression, start = "zstd", b""
        stem = re.sub(r"\.zstd?$", "", path, flags=re.IGNORECASE)
    _refuse_other(start, name)
    suffix = Path(stem).suffix.lower()
    kind = _kind(start, suffix, name)
    if kind == "parquet":
        refuse_saved(path, name)
    return File(path, name, kind, compression, tabs=suffix in (".tsv", ".tab"), pipe=pipe)


def _refuse_other(start: bytes, name: str) -> None:
    for magic, what in _NOT_TABLES.items():
        if start.startswith(magic):
            raise InputError(f"{name} is {what}.")
    if re.match(rb"\x80[\x02-\x05]", start):
        raise InputError(f"{name} is a pickle of Python, which is not read. Write its table as CSV or Parquet.")
    if re.match(rb"[\x69-\x76][\x01\x02]\x01\0", start):  # the versions before 117
        raise InputError(f"{name} is a Stata file: {_EXPORT}.")
    if not start.startswith(b"PAR1") and b"\0" in start and _is_no_utf8(start):
        raise InputError(f"{name} is not a text file and not Parquet: {_EXPORT}.")


def _is_no_utf8(start: bytes) -> bool:
    """Return whether the beginning of a file, which may end within a letter, is not UTF-8."""
    try:
        start.decode()
    except UnicodeDecodeError as error:
        return error.start < len(start) - 4
    return False


def pipe_beyond(paths: Sequence[str]) -> Spool | None:
    """Return the first pipe longer than the spool limit; its rows can be read once."""
    found = (spool_stream(path) for path in paths if is_pipe(path))
    return next((pipe for pipe in found if not pipe.is_whole), None)


def _kind(start: bytes, suffix: str, name: str) -> Kind:
    if start.startswith(b"PAR1"):
        return "parquet"
    kind = _SUFFIX.get(suffix)
    if kind == "parquet":
        raise InputError(f"{name} is called Parquet but does not begin as a Parquet file does.")
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith((b'{"', b"[{", b"[\n", b"[\r", b"{}")) or (kind != "csv" and text.startswith((b"{", b"["))):
        return "json"
    if kind == "json" and text:
        raise InputError(f"{name} is called JSON but begins with {text[:1].decode('latin-1')!r}.")
    return kind or "csv"


def _unzipped(path: str, name: str) -> bytes:
    import gzip

    try:
        with gzip.open(path) as file:
            start = file.read(4096)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{name} is damaged or cut off: its compressed content is not whole.") from error
    if not start:
        raise InputError(f"{name} is empty.")
    return start


_MAGIC = 0xFD2FB528
_SKIPPABLE = range(0x184D2A50, 0x184D2A60)
_CHUNK = 2**20


@contextmanager
def compression_checked(files: Sequence[File]) -> Iterator[None]:
    """Check compressed files in a thread while the block reads them; the first damage is raised when it ends."""
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
    import gzip

    with gzip.open(path) as content:
        while content.read(_CHUNK) and not stop.is_set():
            pass
    return True


def _zstd_is_whole(path: str) -> bool:
    """Walk from block to block to the end of the file [RFC 8878]; the reader compares checksums."""
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
