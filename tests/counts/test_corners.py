"""A long table's corners give what the table gives."""

import numpy as np
import pytest

from thresher import kernel
from thresher.counts import ScoreTable
from thresher.kernel import backend, reference
from thresher.measures.areas import gaps


def long_table(rows: int, share: float, digits: int) -> ScoreTable:
    rng = np.random.default_rng(0)
    truth = rng.random(rows) < share
    return ScoreTable.from_scores(truth, (rng.normal(size=rows) + truth).round(digits))


@pytest.mark.parametrize("share", [0.1, 0.4, 0.9])
@pytest.mark.parametrize("digits", [4, 12])
def test_sweeps_of_corners_are_those_of_the_table(share: float, digits: int) -> None:
    table = long_table(40_000, share, digits)
    whole = table.positive, table.negative
    if share == 0.1:
        assert table.corners[0].size < table.scores.size / 2
    assert kernel.delong_sums(*table.corners) == pytest.approx(kernel.delong_sums(*whole), rel=1e-13)
    assert kernel.pr_areas(*table.corners) == pytest.approx(kernel.pr_areas(*whole), rel=1e-13)
    options = {"value": 0.3, "scales": (1.0, 1.0)}
    squares = None, None
    np.testing.assert_allclose(
        kernel.precision_influence(*table.corners, *squares, **options),
        kernel.precision_influence(*whole, *squares, **options), rtol=1e-12,
    )  # fmt: skip
    assert gaps(table) == kernel.extremes(*whole)
    assert table.hull_rows.tolist() == kernel.hull(*whole).tolist()


@pytest.mark.parametrize("rows", [0, 1, 2, 300])
def test_folding_is_that_of_the_reference(rows: int) -> None:
    rng = np.random.default_rng(rows)
    positive, negative = rng.integers(0, 2, (2, rows)) * rng.integers(0, 3, (2, rows))
    found = [use.fold(positive, negative) for use in (backend.active(), reference)]
    for ours, theirs in zip(*found, strict=True):
        assert ours.tolist() == theirs.tolist()
    assert [column.sum() for column in found[0]] == [positive.sum(), negative.sum()]
