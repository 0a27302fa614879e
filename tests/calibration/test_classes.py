"""Classwise and top-label calibration errors against loops over rows."""

import numpy as np
import pytest

import calibration_definitions as by_definition
from thresher.calibration import classwise_calibration_error, top_label_calibration_error, top_label_table


def sample(n=60, k=4, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(k), n)
    return rng.integers(0, k, n), p, rng.choice([0.5, 1.0, 3.0], n)


def ece(rows, bins):
    parts = by_definition.width_bins(rows, bins)
    total = by_definition.weight(rows)
    return sum(by_definition.weight(p) * abs(by_definition.share(p) - by_definition.score(p)) for p in parts) / total


@pytest.mark.parametrize("weighted", [False, True])
def test_classwise_is_the_mean_over_columns(weighted):
    y, p, w = sample()
    w = w if weighted else np.ones_like(w)
    found = classwise_calibration_error(y, p, weights=w if weighted else None, bins=7)
    each = [ece(list(zip((y == k).astype(int), p[:, k], w, strict=True)), 7) for k in range(4)]
    np.testing.assert_allclose(found.by_class, each)
    assert float(found) == pytest.approx(np.mean(each))


def test_top_label_is_the_error_of_the_confidence():
    y, p, w = sample()
    top = p.argmax(axis=1)
    rows = list(zip((y == top).astype(int), p.max(axis=1), w, strict=True))
    assert top_label_calibration_error(y, p, weights=w, bins=7) == pytest.approx(ece(rows, 7))
    by = [[row for row, label in zip(rows, top, strict=True) if label == k] for k in range(4)]
    expected = sum(by_definition.weight(part) * ece(part, 7) for part in by if part) / w.sum()
    assert top_label_calibration_error(y, p, weights=w, bins=7, by_label=True) == pytest.approx(expected)
    assert pytest.approx(w[y == top].sum()) == top_label_table(y, p, weights=w).P


def test_an_absent_class_is_there():
    found = classwise_calibration_error([0, 1], [[0.5, 0.3, 0.2], [0.2, 0.7, 0.1]])
    assert found.by_class[2] == pytest.approx(0.15)
