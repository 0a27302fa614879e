"""Listings of rows and of thresholds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curve_definitions import ROWS, overlapping
from thresher.curves import listing, threshold_listing

ROW_SETS = st.tuples(ROWS, st.sampled_from([None, "importance", "frequency"]), st.sampled_from(["higher", "lower"]))


class Rows:
    """The part of predictions that a listing reads."""

    def __init__(self, truth, scores, *, weights=None, weight_kind=None, direction="higher"):
        self.truth = np.array(truth, dtype=np.uint8)
        self.scores = {name: np.array(column, dtype=float) for name, column in scores.items()}
        self.weights = None if weights is None else np.array(weights, dtype=float)
        self.weight_kind, self.direction = weight_kind, direction
        self.classes, self.backend, self.counts = ("benign", "malignant"), None, None


@given(ROW_SETS)
def test_every_row_has_the_counts_of_cutting_at_its_score(given_rows):
    rows, kind, direction = given_rows
    y, s, w = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    w = np.ceil(w) if kind == "frequency" else w
    weights = None if kind is None else w
    found = listing(Rows(y, {"m": s}, weights=weights, weight_kind=kind, direction=direction))
    w = np.ones(y.size) if kind is None else w
    assert sorted(found["row"].tolist()) == list(range(1, y.size + 1))
    sign = 1 if direction == "higher" else -1
    for k, row in enumerate(found["row"] - 1):
        called = sign * s >= sign * s[row]
        assert found["score"][k] == s[row]
        assert found["truth"][k] == ("malignant" if y[row] else "benign")
        assert found["rank"][k] == 1 + (sign * s > sign * s[row]).sum()
        cells = [w[called & (y == 1)].sum(), w[called & (y == 0)].sum()]
        cells += [w[~called & (y == 0)].sum(), w[~called & (y == 1)].sum()]
        assert [found[name][k] for name in ("tp", "fp", "tn", "fn")] == pytest.approx(cells, abs=1e-12)
    assert np.all(np.diff(found["rank"]) >= 0)
    assert ("weight" in found) == (kind is not None)


def test_the_model_is_named_when_there_are_several():
    rows = Rows([1, 0], {"a": [2, 1], "b": [1, 2]})
    assert listing(rows, "b")["truth"].tolist() == ["benign", "malignant"]


def test_thinned_thresholds_have_exact_counts():
    table = overlapping(3000)
    full, thin = threshold_listing(table), threshold_listing(table, keep=100)
    assert thin.height <= 101
    rows = np.isin(full["threshold"], thin["threshold"])
    for name in full:
        assert full[name][rows].tolist() == thin[name].tolist()


def test_long_listings_print_both_ends():
    found = listing(Rows([1, 0] * 50, {"m": np.arange(100)}))
    assert "… 90 more" in repr(found)
    assert len(repr(found).splitlines()) == 12
