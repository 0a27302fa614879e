"""Small prediction files of every format, written into the current directory."""

import json
from pathlib import Path

import duckdb

CSV = "y,a,site\nno,0.25,n\nyes,0.5,\nyes,1.0,s\nno,2.0,n\n"
ROWS = [("no", 0.25, "n"), ("yes", 0.5, None), ("yes", 1.0, "s"), ("no", 2.0, "n")]
OPTIONS = {"label": "y", "positive": "yes", "by": "site"}


def write(name, content, encoding="utf-8"):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return name


def parquet(name, query):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    duckdb.sql(query).write_parquet(name)
    return name


def as_rows(rows):
    site = rows.by["site"]
    names = [None if site.values[code] == "(missing)" else site.values[code] for code in site.codes]
    return list(zip([rows.classes[code] for code in rows.truth], rows.scores["a"].tolist(), names, strict=True))


def lines(rows=ROWS):
    return "".join(json.dumps(dict(zip(("y", "a", "site"), row, strict=True))) + "\n" for row in rows)
