"""A compressed file that is not whole is never read as if it were."""

import gzip
from pathlib import Path

import duckdb
import pytest

from shares import few
from thresher.errors import InputError
from thresher.readers import load
from written_files import write

ROWS = 60_000
QUERY = f"SELECT i % 2 AS y, (i * 7919 % 10007) / 10007 AS a FROM range({ROWS}) t(i)"


@pytest.fixture
def gzipped():
    duckdb.sql(QUERY).write_csv("x.csv")
    return gzip.compress(Path("x.csv").read_bytes())


@pytest.fixture
def zstandard():
    duckdb.sql(QUERY).write_csv("x.csv.zst", compression="zstd")
    return Path("x.csv.zst").read_bytes()


def read(name, content):
    return len(load(write(name, content), "a", label="y"))


def refused(name, content):
    with pytest.raises(InputError, match="is damaged or cut off: its compressed content is not whole"):
        read(name, content)


@pytest.mark.parametrize("cut", few([1, 4, 8, 9, 100, 20_000], 3))
def test_a_gzip_file_that_is_cut_off(gzipped, cut):
    refused("x.csv.gz", gzipped[:-cut])


def test_a_gzip_file_of_another_checksum_or_length(gzipped):
    for place in (-1, -6):
        content = bytearray(gzipped)
        content[place] ^= 1
        refused("x.csv.gz", bytes(content))


def test_a_gzip_file_of_several_members(gzipped):
    more = gzip.compress(b"1,0.5\n0,0.25\n")
    assert read("x.csv.gz", gzipped + more) == ROWS + 2
    refused("x.csv.gz", gzipped + more[:-1])


@pytest.mark.parametrize("cut", [1, 3, 8, 100, 20_000])
def test_a_zstd_file_that_is_cut_off(zstandard, cut):
    refused("x.csv.zst", zstandard[:-cut])


def test_a_zstd_file_of_several_frames(zstandard):
    duckdb.sql("SELECT 1, 0.5").write_csv("y.csv.zst", header=False, compression="zstd")
    more = Path("y.csv.zst").read_bytes()
    assert read("x.csv.zst", zstandard + more) == ROWS + 1
    refused("x.csv.zst", zstandard + more[:-1])
    refused("x.csv.zst", zstandard + b"rubbish at the end")
