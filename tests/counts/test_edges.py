"""Bins are cut at thresholds that are known beforehand: the matrices there are those of the rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.counts import ScoreTable

SMALL = {"exact_rows": 4, "bins": 8, "tolerance": 1e-6}
CUTS = (0.3, 0.55, 1 / 3, -0.1, 2.0)

parts = st.lists(
    st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1) | st.sampled_from([0.3, 1 / 3, 0.0])), max_size=15),
    max_size=5,
)
kinds = st.sampled_from([None, "frequency", "importance"])


def built(some, direction="higher", kind=None, **options):
    builder = ScoreTable.builder(direction=direction, weight_kind=kind or "importance", **SMALL, **options)
    for part in some:
        builder.update(*columns(part, kind))
    return builder


def columns(part, kind):
    truth, score = (np.array([row[i] for row in part], dtype=t) for i, t in ((0, np.uint8), (1, float)))
    return truth, score, None if kind is None else 1.0 + np.arange(len(part)) % 3


@given(parts, st.sampled_from(["higher", "lower"]), kinds)
def test_matrices_at_the_thresholds_are_exact(some, direction, kind):
    table = built(some, direction, kind, thresholds=CUTS).table()
    truth, score, weights = (np.concatenate([np.zeros(0), *each]) for each in zip(
        *[(t, s, np.ones(t.size) if w is None else w) for t, s, w in (columns(part, kind) for part in some)] or
        [(np.zeros(0),) * 3], strict=True))  # fmt: skip
    exact = ScoreTable.from_scores(truth.astype(np.uint8), score, weights=weights, direction=direction)
    for cut in CUTS:
        assert table.at(cut).counts == pytest.approx(exact.at(cut).counts, abs=1e-9)
    assert pytest.approx((exact.P, exact.N)) == (table.P, table.N)


@given(parts, parts)
def test_merged_builders_keep_the_edges(some, others):
    one, two = (built(each, thresholds=CUTS) for each in (some, others))
    table, rows = one.merge(two).table(), [row for part in (*some, *others) for row in part]
    for cut in CUTS:
        counted = [[sum(y == label and (s >= cut) == up for y, s in rows) for up in (True, False)] for label in (1, 0)]
        assert table.at(cut).counts.tolist() == counted


@given(parts)
def test_cut_bins_add_to_bins_that_are_not(some):
    cut, plain = built(some, thresholds=CUTS).table(), built(some).table()
    assert (cut + plain).positive.sum() == 2 * plain.P
    assert cut + plain == plain + cut


def test_a_threshold_inside_a_bin_that_was_added_is_given_up():
    bins = ScoreTable(scores=np.array([0.25]), positive=np.array([3]), negative=np.array([4]), binned=True,
                      widths=np.array([0.25]))  # fmt: skip
    builder = ScoreTable.builder(thresholds=[0.3], **SMALL).add(bins)
    builder.update(np.arange(40) % 2, np.linspace(0, 1, 40))
    assert 0.3 not in builder.table().scores
