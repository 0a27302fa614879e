"""Random tables as files: CSV in several dialects, JSON lines and Parquet; and damage to their bytes."""

import csv
import io
import json
from pathlib import Path

import duckdb
import numpy as np

from fuzz.random_tables import Column

FORMS = ("csv", "jsonl", "parquet")


def write(rng: np.random.Generator, columns: dict[str, Column], form: str, folder: Path) -> Path:
    """Write a table in a form, in a random dialect of it."""
    path = folder / f"rows.{form}"
    if form == "parquet":
        _parquet(rng, columns, path)
    else:
        path.write_bytes(_csv(rng, columns) if form == "csv" else _json(rng, columns))
    return path


def _csv(rng: np.random.Generator, columns: dict[str, Column]) -> bytes:
    text = io.StringIO(newline="")
    ends = str(rng.choice(["\n", "\r\n"]))
    quoting = csv.QUOTE_MINIMAL if rng.random() < 0.7 else csv.QUOTE_NONNUMERIC
    writer = csv.writer(text, delimiter=str(rng.choice(list(",,;\t"))), lineterminator=ends, quoting=quoting)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    content = text.getvalue()
    if rng.random() < 0.2:
        content = content.removesuffix(ends)
    return content.encode("utf-8-sig" if rng.random() < 0.1 else "utf-8")


def _json(rng: np.random.Generator, columns: dict[str, Column]) -> bytes:
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    spaced = bool(rng.random() < 0.5)
    lines = (
        json.dumps(row, ensure_ascii=bool(rng.random() < 0.5), separators=None if spaced else (",", ":"))
        for row in rows
    )
    return ("\n".join(lines) + "\n").encode()


def _parquet(rng: np.random.Generator, columns: dict[str, Column], path: Path) -> None:
    kinds = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", str: "VARCHAR"}
    names = [f'"{name}" {kinds[type(values[0])]}' for name, values in columns.items()]
    codec = rng.choice(["snappy", "zstd", "uncompressed"])
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t ({', '.join(names)})")
        marks = ", ".join("?" * len(columns))
        connection.executemany(
            f"INSERT INTO t VALUES ({marks})", [list(row) for row in zip(*columns.values(), strict=True)]
        )
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet, COMPRESSION {codec})")


def damaged(rng: np.random.Generator, content: bytes) -> bytes:
    """Bytes with a few of them changed, dropped, repeated or cut off."""
    found = bytearray(content)
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(0, len(found) + 1))
        much = int(rng.integers(1, 20))
        kind = int(rng.integers(0, 6))
        if kind == 0:
            found[at : at + 1] = bytes([int(rng.integers(0, 256))])
        elif kind == 1:
            del found[at : at + much]
        elif kind == 2:
            found[at:at] = found[at : at + much] * int(rng.integers(1, 4))
        elif kind == 3:
            del found[at:]
        elif kind == 4:
            found[at:at] = rng.choice(
                [b"\x00", b"\r", b'"', b",", b"\xff", b"1e400", b"nan", b"\n\n", b"{", b"-0", b"NULL"]
            )
        else:
            found[at : at + much] = rng.bytes(much)
    return bytes(found)
