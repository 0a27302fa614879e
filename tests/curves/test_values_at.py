"""A measure at a fixed value of another in every table of a batch: as read from each table by itself."""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher.counts import ScoreTable
from thresher.curves.value_at import value_at, values_at
from thresher.measures.registry import REQUIRED, measures

MEASURES = [
    measure.name for measure in measures() if measure.needs != "table" and REQUIRED not in measure.parameters.values()
]
WHERE: list[dict[str, Any]] = [
    {"at": "k", "value": 3, "rule": "best"},
    {"at": "top", "value": 0.3, "rule": "best"},
    {"at": "recall", "value": 0.5, "rule": "best"},
    {"at": "fpr", "value": 0.25, "rule": "best"},
    {"at": "recall", "value": 0.5, "rule": "interpolated"},
]


@pytest.mark.parametrize("where", WHERE, ids=str)
@pytest.mark.parametrize("prior", [None, 0.3])
@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_a_batch_is_read_as_each_of_its_tables(where: dict[str, Any], prior: float | None, direction: Any) -> None:
    draws = np.random.default_rng(0)
    positive, negative = draws.integers(0, 3, (5, 6)), draws.integers(0, 3, (5, 6))
    scores = np.arange(6.0) if direction == "lower" else np.arange(6.0)[::-1]
    tables = ScoreTable(scores=scores, positive=positive, negative=negative, prior=prior, direction=direction)
    each = [
        replace(tables, scores=scores[p + n > 0], positive=p[p + n > 0], negative=n[p + n > 0])
        for p, n in zip(positive, negative, strict=True)
    ]
    for name in MEASURES:
        found = values_at(tables, name, **where)
        assert np.array_equal(found, [value_at(table, name, **where).value for table in each], equal_nan=True), name


def test_replicates_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifteen groups took half a minute: each replicate of each pair was read by itself."""
    read: list[int] = []
    module: Any = sys.modules[value_at.__module__]
    one = module._best
    monkeypatch.setattr(module, "_best", lambda *given, **more: read.append(1) or one(*given, **more))
    draws = np.random.default_rng(0)
    y = np.arange(120) % 2
    groups = th.evaluate(y, draws.normal(y), by=np.arange(120) // 40)
    found = groups.compare(measure="precision@k=3", by="group")
    assert len(found) == 3
    assert all(each.standard_error for each in found)
    assert len(read) < 100
