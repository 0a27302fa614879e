"""`--where` keeps the same rows of every format, and what is said of them is what is said of a file of no others."""

import json
import re
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from thresher.counts import Counts
from written_files import parquet

ROWS = (
    "SELECT (hash(i) % 3 = 0)::INT AS y, (hash(i, 1) % 1000)::INT / 1000 AS a, (hash(i, 2) % 1000)::INT / 1000 AS b, "
    "DATE '2026-01-01' + (i % 9)::INT AS day, CASE i % 3 WHEN 0 THEN '01' WHEN 1 THEN 'x, \"y\"' END AS site "
    "FROM range(600) t(i)"
)
FORMATS = {
    "parquet": "FORMAT parquet", "csv": "HEADER", "csv.gz": "HEADER, COMPRESSION gzip",
    "tsv": "HEADER, DELIMITER '\t'", "jsonl": "FORMAT json",
}  # fmt: skip
WHERE = ("--where", "day >= '2026-01-04'", "--where", "site = '01' OR site IS NULL")
NAMES = ("--label", "y", "--score", "a", "--score", "b")


OF_A_FILE = ("source", "notes", "checksum")
"""Parts of a report that say which file it is of."""


def without(found, names=OF_A_FILE):
    """What was printed, as JSON, without some parts."""
    if isinstance(found, dict):
        return {name: without(value) for name, value in found.items() if name not in names}
    return [*map(without, found)] if isinstance(found, list) else found


@pytest.fixture(name="files")
def _files(run, request):
    kept = parquet("kept.parquet", f"FROM ({ROWS}) WHERE day >= '2026-01-04' AND (site = '01' OR site IS NULL)")
    asked = getattr(request.node, "callspec", None)
    forms = [asked.params["form"]] if asked and "form" in asked.params else FORMATS
    for form, how in ((form, FORMATS[form]) for form in forms):
        duckdb.sql(f"COPY ({ROWS}) TO 'x.{form}' ({how})")
        duckdb.sql(f"COPY (FROM '{kept}') TO 'kept.{form}' ({how})")
    return run


COMMANDS = {
    "csv": ("report", "--by", "site"), "jsonl": ("report", "--resolution", "exact"), "csv.gz": ("compare",),
    "parquet": ("check", "--fail-under", "auc=0.5"), "tsv": ("table",),
}  # fmt: skip
"""Commands, each with a format of its own: what is read is the same to all of them."""


@pytest.mark.parametrize(("form", "command"), COMMANDS.items(), ids=COMMANDS)
def test_what_is_said_is_that_of_a_file_that_was_filtered(files, form, command):
    some = files(command[0], f"x.{form}", *NAMES, *WHERE, *command[1:], "--format", "json")
    other = files(command[0], f"kept.{form}", *NAMES, *command[1:], "--format", "json")
    assert some.code == other.code in (0, 1)
    assert without(json.loads(some.out)) == without(json.loads(other.out))
    assert "rows filtered by: (day >= '2026-01-04') and" in (some.out + some.err).lower()


@pytest.mark.parametrize("form", FORMATS)
def test_counts_are_those_of_a_file_that_was_filtered(files, form):
    for name, more in (("x", WHERE), ("kept", ())):
        assert files("count", f"{name}.{form}", *NAMES, *more, "-o", f"{name}.counts.parquet").code == 0
    some, other = (Counts.load(f"{name}.counts.parquet") for name in ("x", "kept"))
    assert replace(some, notes=other.notes) == other


def test_a_threshold_is_chosen_on_the_rows_that_are_kept(files):
    """`--where` of `threshold` was of measures only, and the page's command left the rows' condition out."""
    for form in FORMATS:
        how = (*NAMES[:4], "--max", "tpr", "--bound", "fpr<=0.5", "--format", "json")
        some, kept = files("threshold", f"x.{form}", *how, *WHERE), files("threshold", f"kept.{form}", *how)
        assert some.code == kept.code == 0, some.err
        assert without(json.loads(some.out)) == without(json.loads(kept.out))
    assert files("report", "x.csv", *NAMES, *WHERE, "-o", "page.html").code == 0
    page = Path("page.html").read_text("utf-8")
    (command,) = re.findall(r'"command":(\[.*?\])', page)
    assert ["x.csv", *WHERE] == json.loads(command)[:5]


def test_a_column_of_numbers_is_compared_by_value_and_split_by_its_text(run, write):
    write("v.csv", "y,a,v\n1,0.9,1.1\n0,0.2,1.10\n1,0.7,1.1\n0,0.8,1.10\n1,0.5,2\n")
    names = ("report", "v.csv", "--label", "y", "--score", "a", "--where", "v = '1.1'", "--by", "v", "--format", "json")
    found = json.loads(run(*names).out)
    assert (found["n"], list(found["groups"])) == (4, ["v=1.1", "v=1.10"])
    assert "1.10 = 1.1" in " ".join(run("report", "--help").out.split())
