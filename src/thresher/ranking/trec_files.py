"""TREC files of judgements (qrels) and of results (runs): plain or gzip, read block by block."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import IO, TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from thresher._util.parse_number import parse_number_or_infinity
from thresher._util.threads import current_progress, processors
from thresher.errors import InputError, Note
from thresher.kernel.ranked import text_codes, trec_lines
from thresher.kernel.values import TrecBlock
from thresher.ranking.rows import SWAPPED, Rows, join
from thresher.readers.files import no_file
from thresher.spool import STDIN, is_pipe, spool_stream

if TYPE_CHECKING:
    from concurrent.futures import Future

Form = Literal["judgements", "results"]
Shape = Literal["judgements", "results", "places"]

BLOCK = 2**23
"""Bytes that are read at a time."""

COMMENT = re.compile(rb"(?:^|\n)[ \t\r\v\f]*#")

LONGEST = 2**20
"""Largest number of bytes of a line of a TREC file."""

ZIPPED, MARK = b"\x1f\x8b", b"\xef\xbb\xbf"
NOT_TREC = {
    b"BZh": "compressed with bzip2: use gzip",
    b"\xfd7zXZ": "compressed with xz: use gzip",
    b"\x28\xb5\x2f\xfd": "compressed with zstd: use gzip",
    b"PK\x03\x04": "a ZIP archive: take the file out of it",
    b"\xff\xfe": "text in UTF-16: save it as UTF-8",
    b"\xfe\xff": "text in UTF-16: save it as UTF-8",
}
"""First bytes of files that no line can be read of."""

PLACES = re.compile(rb"\s*(?:#[^\n]*\n\s*)*[^\s#]\S*[ \t]+\S+[ \t]+[0-9]+[ \t\r]*(?:\n|$)")
"""First line of results that say the rank alone: query, document and rank."""

SHAPES = {
    "judgements": "4 (query, iteration, document, relevance)",
    "results": "6 (query, Q0, document, rank, score, tag)",
    "places": "3 (query, document, rank)",
}
LINES = {"places": "results without scores"}
OTHER = {"judgements": 6, "results": 4}
"""Fields of the other form: when the first line has them, one file was given in place of the other."""

NUMBERS = {"judgements": "relevance", "results": "score", "places": "rank"}


def read_trec(path: str, form: Form) -> Rows:
    """Rows of a TREC file, or of results that have three fields a line: query, document and rank, as MS MARCO's."""
    blocks: list[TrecBlock] = []
    codes: list[NDArray[np.int32]] = []
    known: dict[str, int] = {}
    line, comments = 1, 0
    every = _blocks(path)
    first = next(every, b"")
    shape: Shape = "places" if form == "results" and PLACES.match(first) else form
    for data, block in _parsed(chain((first,), every), shape):
        comments += len(COMMENT.findall(data)) if b"#" in data else 0
        if block.bad is not None:
            at, fields = block.bad
            is_other = fields == OTHER[form] and not blocks and not data[:at].strip()
            problem = _bad_line(path, shape, line + data.count(b"\n", 0, at), fields, data[at : at + 200])
            raise InputError(f"{problem} {SWAPPED}" if is_other else problem)
        _read_numbers(block, data, path, shape, line)
        codes.append(_codes(block, known))
        blocks.append(block)
        line += block.lines
    if not known:
        raise InputError(f"{_called(path)} is empty: a TREC file of {form} has one for each document.")
    numbers = np.concatenate([block.numbers for block in blocks])
    return Rows(
        queries=tuple(known),
        codes=np.concatenate(codes),
        documents=join([block.documents for block in blocks]),
        numbers=-numbers if shape == "places" else numbers,
        name=_called(path),
        locate=lambda row: f"line {_line_of(path, row):,}",
        tag=blocks[-1].tag.decode("utf-8", "replace"),
        notes=_left_out(path, comments),
    )


def _left_out(path: str, comments: int) -> tuple[Note, ...]:
    """Note lines read as comments, which trec_eval 9 reads as rows."""
    if not comments:
        return ()
    lines = "1 line begins" if comments == 1 else f"{comments:,} lines begin"
    text = f"{_called(path)}: {lines} with #, left out as comments; no query can have a name that begins so."
    return (Note("comments", text),)


def _parsed(blocks: Iterator[bytes], form: Shape) -> Iterator[tuple[bytes, TrecBlock]]:
    """Parse blocks in parallel with reading; yield them in order."""
    first = next(blocks, b"")
    second = next(blocks, None)
    if second is None:
        yield first, trec_lines(first, form)
        return
    from concurrent.futures import ThreadPoolExecutor

    most = processors()
    waiting: deque[tuple[bytes, Future[TrecBlock]]] = deque()
    with ThreadPoolExecutor(most) as pool:
        for data in chain((first, second), blocks):
            waiting.append((data, pool.submit(trec_lines, data, form)))
            if len(waiting) > most:
                yield _ready(*waiting.popleft())
        while waiting:
            yield _ready(*waiting.popleft())


def _ready(data: bytes, block: Future[TrecBlock]) -> tuple[bytes, TrecBlock]:
    return data, block.result()


def _codes(block: TrecBlock, known: dict[str, int]) -> NDArray[np.int32]:
    local, firsts = text_codes(block.queries)
    places = [known.setdefault(query, len(known)) for query in block.queries.texts(firsts)]
    lengths = np.diff(block.query_rows, append=block.numbers.size)
    return np.repeat(np.array(places, dtype=np.int32)[local], lengths)


def _read_numbers(block: TrecBlock, data: bytes, path: str, form: Shape, line: int) -> None:
    """Parse numbers that the kernel left: those with very many digits, and errors."""
    for row, at, size in block.unread.tolist():
        text = data[at : at + size].decode("utf-8", "replace")
        try:
            block.numbers[row] = parse_number_or_infinity(text)
        except ValueError:
            block.numbers[row] = np.nan
        if np.isnan(block.numbers[row]):
            number = line + data.count(b"\n", 0, at)
            raise InputError(
                f"{_called(path)}, line {number:,}: the {NUMBERS[form]} {text!r} is not a number. A line has "
                f"{SHAPES[form]} fields."
            )


def _bad_line(path: str, form: Shape, line: int, fields: int, text: bytes) -> str:
    shown = text.split(b"\n")[0].strip().decode("utf-8", "replace")
    shown = shown if len(shown) <= 60 else f"{shown[:60]}…"
    count = f"{fields} field{'' if fields == 1 else 's'}"
    return f"{_called(path)}, line {line:,} has {count} where {LINES.get(form, form)} have {SHAPES[form]}: {shown!r}."


def _line_of(path: str, row: int) -> int:
    """Find the line number of a row for an error message."""
    line = seen = 0
    for data in _blocks(path):
        for text in data.split(b"\n")[: data.count(b"\n") or 1]:
            line += 1
            if (content := text.lstrip()) and not content.startswith(b"#"):
                seen += 1
            if seen > row:
                return line
    return line


def _blocks(path: str) -> Iterator[bytes]:
    """Blocks of whole lines, without a byte order mark; only the last may end without a line end."""
    rest, mark = b"", MARK
    with _opened(path) as (raw, file):
        size, report = os.fstat(raw.fileno()).st_size, current_progress(None)
        while chunk := file.read(BLOCK):
            report(raw.tell(), size)
            chunk, mark = chunk.removeprefix(mark), b""
            if not rest and b"\r" in chunk and b"\n" not in chunk:
                raise InputError(f"{_called(path)} ends its lines with carriage returns alone: write line feeds.")
            end = chunk.rfind(b"\n") + 1
            if not end and len(rest) + len(chunk) > max(LONGEST, BLOCK):
                raise InputError(f"{_called(path)} has a line of more than {LONGEST:,} bytes: is it a TREC file?")
            if end:
                yield rest + chunk[:end]
                rest = chunk[end:]
            else:
                rest += chunk
    if rest:
        yield rest


@contextmanager
def _opened(path: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    if "\0" in path:
        raise InputError(f"{path!r} is not a path: no name of a file has a null byte.")
    real = spool_stream(path).whole() if is_pipe(path) else path
    try:
        with open(real, "rb") as raw:
            start = raw.read(8)
            raw.seek(0)
            for magic, what in NOT_TREC.items():
                if start.startswith(magic):
                    raise InputError(f"{_called(path)} is {what}.")
            if start.startswith(ZIPPED):
                with gzip.open(raw) as unzipped:
                    yield raw, unzipped  # type: ignore[misc]
            else:
                yield raw, raw
    except FileNotFoundError:
        raise InputError(no_file(path)) from None
    except IsADirectoryError:
        raise InputError(f"{path} is a directory: name a file.") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
        raise InputError(f"{path} is damaged or cut off: its compressed content is not whole.") from problem
    except OSError as problem:
        raise InputError(f"{path} cannot be read: {problem.strerror}.") from None


def _called(path: Any) -> str:
    return "standard input" if path == STDIN else str(path)
