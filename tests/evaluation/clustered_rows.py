"""Rows in clusters for engines that count a partition at a time: right is what a file of the same rows gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import thresher as th

LIKE_FILES: dict[str, dict[str, Any]] = {
    "whole": {},
    "groups": {"by": "g"},
    "weights": {"weights": "w", "weight_kind": "frequency"},
    "lower": {"direction": {"a": "higher", "b": "lower"}},
}
"""Options with which the numbers of a cluster are those of a file."""


def clustered_columns(rows: int = 900) -> dict[str, list[Any]]:
    """Columns of rows of 30 patients, whose rows lie anywhere, and of which one has no name."""
    draws = np.random.default_rng(5)
    of = draws.integers(0, 30, rows)
    severity = draws.normal(size=30)[of]
    y = (severity + draws.normal(size=rows) > 0.4).astype(int)
    a = np.round(severity + y + draws.normal(size=rows), 1)
    b = severity + y + 2 * draws.normal(size=rows)
    patient = [None if each == 3 else f"p{each}" for each in of.tolist()]
    number = [None if each == 3 else each for each in of.tolist()]
    return {"y": y.tolist(), "a": a.tolist(), "b": b.tolist(), "patient": patient, "number": number,
            "g": (np.arange(rows) % 2).tolist(), "w": draws.integers(1, 4, rows).tolist()}  # fmt: skip


def check_like_a_file(count: Callable[..., Any], folder: Path, options: dict[str, Any]) -> None:
    """Whether AUCs and their differences, of all rows and of groups, have the intervals that a file gives."""
    columns, file = clustered_columns(), str(folder / "rows.parquet")
    query = ", ".join(f"unnest(${name}) AS {name}" for name in columns)
    duckdb.connect().execute(f"COPY (SELECT {query}) TO '{file}'", columns)
    asked = {"label": "y", "pairs": True, **options}
    for column in ("patient", "number"):
        counts, want = (each(["a", "b"], cluster=column, **asked) for each in (count, _of(file)))
        assert counts.clusters.sizes == want.clusters.sizes
        assert counts.clusters.sizes[2] == 30
        assert counts.clusters.bins.second.tolist() == want.clusters.bins.second.tolist()
        assert set(counts.group_clusters) == set(want.group_clusters)
        assert bool(counts.group_clusters) == ("by" in options)
        found, expected = th.evaluate(counts), th.evaluate(want)
        check_alike(found, expected)
        for key, group in expected.groups.items() if "by" in options else ():
            check_alike(found.groups[key], group)


def _of(file: str) -> Callable[..., Any]:
    return lambda *names, **options: th.count(file, *names, **options)


def check_alike(found: Any, want: Any) -> None:
    """Whether two evaluations have the same intervals by clusters."""
    for name in ("a", "b"):
        one, two = found[name].auc, want[name].auc
        assert (one.value, one.low, one.high) == pytest.approx((two.value, two.low, two.high), abs=1e-9)
        assert one.method == two.method
        assert "Obuchowski" in one.method
    one, two = found.compare("a", "b"), want.compare("a", "b")
    assert (one.difference, one.low, one.high) == pytest.approx((two.difference, two.low, two.high), abs=1e-9)
    assert one.p_value == pytest.approx(two.p_value, abs=1e-9)
    assert one.method == two.method
