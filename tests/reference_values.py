"""Reads results of R packages on data that may not ship: the directory that THRESHER_REFERENCE names.

The directory holds ``<name>.csv`` with the columns and ``<name>.json`` with ``results``: id → {call, value, …}.
"""

import csv
import json
import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from golden_values import as_floats

SCORES = {
    "asah": ["wfns", "s100b", "ndka", "age", "p_glm", "p_loo", "p_glm2"],
    "rocr_simple": ["score"],
}
MODELS = [(name, score) for name, scores in SCORES.items() for score in scores]
"""Every score of every data set."""

TRUTH = {"asah": "y", "rocr_simple": "label"}


def folder():
    """The directory; the test is skipped where none is named."""
    if not os.environ.get("THRESHER_REFERENCE"):
        pytest.skip("THRESHER_REFERENCE names no directory")
    return Path(os.environ["THRESHER_REFERENCE"])


@cache
def results(name):
    """Entries by id, numbers as floats."""
    entries = json.loads((folder() / f"{name}.json").read_text(encoding="utf-8"))["results"]
    return {key: as_floats(entry.get("value")) for key, entry in entries.items()}


def value(name, key):
    """Value of an entry; the test is skipped where the R package was not run on this score."""
    found = results(name)
    if key not in found:
        pytest.skip(f"{key} is not among the reference values")
    return found[key]


@cache
def columns(name):
    """Columns of the data by name, as text."""
    with (folder() / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {key: [row[key] for row in rows] for key in rows[0]}


def truth(name):
    """Truth as 0 and 1."""
    return np.array(columns(name)[TRUTH[name]], dtype=int)


def scores(name, score):
    """A column of scores."""
    return np.array(columns(name)[score], dtype=float)
