"""H against the integral of the least loss over all thresholds, not only those of the hull."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import thresher as th
from curve_definitions import ROWS, counts, has_both, read_at, table_of, total
from shares import examples
from thresher.counts import ScoreTable
from thresher.decisions import h_measure, minimum_weighted_loss

DISTRIBUTIONS = ("hand_2009", "severity_ratio", "hand_anagnostopoulos_2014")


def by_integration(rows, share, alpha, beta):
    """1 − L/L_ref with L = ∫ min over thresholds of c(1 − π)FPR + (1 − c)π FNR, for c of a Beta distribution."""
    p, n = float(total(rows, 1)), float(total(rows, 0))
    points = [(float(fp) / n, 1 - float(tp) / p) for tp, fp in counts(rows)]
    fpr, fnr = np.array(points).T
    c = (np.arange(40_000) + 0.5) / 40_000
    weight = stats.beta(alpha, beta).pdf(c)
    least = (c[:, None] * (1 - share) * fpr + (1 - c[:, None]) * share * fnr).min(axis=1)
    return 1 - (least * weight).sum() / (np.minimum(c * (1 - share), (1 - c) * share) * weight).sum()


@settings(max_examples=examples(40))
@given(ROWS, st.sampled_from(DISTRIBUTIONS), st.sampled_from([None, 0.1, 0.6]))
def test_h_is_the_integral(rows, distribution, prevalence):
    assume(has_both(rows))
    _, table = read_at(rows, prevalence)
    share = float(table.prevalence)
    found = h_measure(table, distribution=distribution)
    shapes = {
        "hand_2009": (2, 2),
        "severity_ratio": (2, 1 + (1 - share) / share),
        "hand_anagnostopoulos_2014": (1 + share, 2 - share),
    }
    assert (found.alpha, found.beta) == pytest.approx(shapes[distribution])
    assert float(found) == pytest.approx(by_integration(rows, share, *shapes[distribution]), abs=2e-5)
    assert -1e-12 <= found.value <= 1 + 1e-12


def test_perfect_scores_have_1_and_constant_ones_0():
    for distribution in DISTRIBUTIONS:
        perfect = h_measure(ScoreTable.from_scores([1, 1, 0], [3, 2, 1]), distribution=distribution)
        constant = h_measure(ScoreTable.from_scores([1, 1, 0], [1, 1, 1]), distribution=distribution)
        assert (float(perfect), float(constant)) == (pytest.approx(1), pytest.approx(0, abs=1e-12))


def test_undefined_says_why():
    found = h_measure(ScoreTable.from_scores([1, 1], [1, 2]))
    assert math.isnan(found.value)
    assert found.reason_code == "no-rows"
    table = ScoreTable.from_scores([1, 0], [1, 2])
    assert h_measure(table.with_prevalence(0)).reason == "there are no positives at a prevalence of 0"


@given(ROWS, st.sampled_from([None, 0.2, 1.0, 5.0]))
def test_minimum_weighted_loss_is_least_over_all_thresholds(rows, ratio):
    assume(has_both(rows))
    table = table_of(rows, "importance")
    p, n = float(total(rows, 1)), float(total(rows, 0))
    share = p / (p + n)
    c = share if ratio is None else ratio / (1 + ratio)
    least = min(
        2 * (c * (1 - share) * fp / n + (1 - c) * share * (p - tp) / p)
        for tp, fp in ((float(a), float(b)) for a, b in counts(rows))
    )
    assert minimum_weighted_loss(table, severity_ratio=ratio) == pytest.approx(least, abs=1e-12)


@pytest.mark.peer
@pytest.mark.parametrize("ratio", [None, 0.5, 3.0])
@pytest.mark.parametrize("model", ["logistic_regression", "random_forest", "naive_bayes"])
def test_severity_ratio_of_hmeasure(model, ratio):
    peer = pytest.importorskip("hmeasure")
    rows = th.load_example("breast_cancer")
    truth = np.asarray(rows["diagnosis"] == "malignant", dtype=int)
    scores = np.asarray(rows[model], dtype=float)
    found = h_measure(ScoreTable.from_scores(truth, scores), distribution="severity_ratio", severity_ratio=ratio)
    assert float(found) == pytest.approx(peer.h_score(truth, scores, severity_ratio=ratio), abs=1e-9)
