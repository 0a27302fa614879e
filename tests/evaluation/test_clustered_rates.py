"""Rates of rows in clusters: a ratio of two sums over clusters, the same from rows and matrices."""

import math

import numpy as np
import pytest
from scipy.stats import t as student

import thresher as th
from thresher.counts.cluster_rates import rates_from
from thresher.errors import InputError
from thresher.inference.proportions.intervals import wilson_interval
from thresher.measures import find

CUT = 0.4
RATES = {  # cells that are counted, and of which
    "recall": ("tp", "tp fn"),
    "specificity": ("tn", "tn fp"),
    "precision": ("tp", "tp fp"),
    "npv": ("tn", "tn fn"),
    "accuracy": ("tp tn", "tp tn fp fn"),
    "f1": ("tp tp", "tp tp fp fn"),
}


def drawn(seed, clusters=25, n=200):
    draws = np.random.default_rng(seed)
    of = draws.integers(0, clusters, n)
    severity = draws.normal(size=clusters)[of]
    y = (severity + draws.normal(size=n) > 0.3).astype(int)
    s = 1 / (1 + np.exp(-severity - y - draws.normal(size=n)))
    return {"y": y, "a": s, "b": s[::-1].copy(), "of": of + 1000 * seed, "w": draws.integers(1, 4, n)}


def by_hand(rows, name, weights=None, level=0.95, cut=CUT):
    """Limits of the ratio estimator, each cluster by itself."""
    cell = np.where(rows["a"] >= cut, np.where(rows["y"], "tp", "fp"), np.where(rows["y"], "fn", "tn"))
    weight = np.ones(cell.size) if weights is None else weights
    above, below = (sum((cell == each) * weight for each in cells.split()) for cells in RATES[name])
    ratio = above.sum() / below.sum()
    sums = [(above[rows["of"] == each].sum(), below[rows["of"] == each].sum()) for each in np.unique(rows["of"])]
    sums = [each for each in sums if each[1] > 0]
    m = len(sums)
    error = math.sqrt(m / (m - 1) * sum((a - ratio * b) ** 2 for a, b in sums)) / below.sum()
    half = student.ppf((1 + level) / 2, m - 1) * error / (ratio * (1 - ratio))
    logit = math.log(ratio / (1 - ratio))
    return ratio, error, *(1 / (1 + math.exp(-logit + sign * half)) for sign in (1, -1)), m


def assert_as_by_hand(model, want, name):
    assert_is_by_hand(getattr(model, name), want)


def assert_is_by_hand(found, want):
    assert (found.value, found.standard_error, found.low, found.high) == pytest.approx(want[:4])
    assert found.method == f"ratio of sums over {want[4]} clusters, logit scale"


@pytest.mark.parametrize("options", [{}, {"weights": "w", "weight_kind": "frequency"}], ids=["rows", "weights"])
@pytest.mark.parametrize("name", list(RATES))
def test_a_rate_has_the_interval_of_a_ratio_of_sums_over_clusters(name, options):
    how = {"label": "y", "cluster": "of"} | options
    rows = drawn(1)
    want = by_hand(rows, name, rows["w"] if options else None)
    assert_as_by_hand(th.evaluate(rows, ["a", "b"], threshold=CUT, **how)["a"], want, name)


@pytest.mark.parametrize("name", list(RATES))
def test_a_matrix_and_a_threshold_that_was_chosen_have_the_same_interval(name):
    rows = drawn(1)
    want = by_hand(rows, name)
    model = th.evaluate(rows, "a", label="y", cluster="of")["a"]
    for found in (model.at(CUT), th.ConfusionMatrix.from_json(model.at(CUT).to_json())):
        assert_is_by_hand(found.estimate(name), want)
        assert_is_by_hand(found.summary()[find(name).name], want)
    chosen = model.choose("mcc")
    assert_as_by_hand(chosen, by_hand(rows, name, cut=chosen.threshold), name)
    assert "intervals do not allow for the choice" in chosen.notes[0]


def test_a_matrix_of_rows_in_clusters_says_what_takes_them_as_independent():
    rows, how = drawn(1), {"label": "y", "cluster": "of"}
    model = th.evaluate(rows, "a", **how)["a"]
    for found in (
        model.at(CUT).estimate("mcc"),
        model.at(CUT).with_prevalence(0.1).estimate("precision"),
        (model.at(CUT) + model.at(CUT)).estimate("recall"),
        model.choose("mcc").mcc,
        th.evaluate(rows, "a", bootstrap=th.Bootstrap(n=9, clusters=False), **how)["a"].at(CUT).estimate("recall"),
    ):
        assert found.method.endswith(", clusters ignored")
    assert "ratio of sums" in model.at(CUT).with_prevalence(0.1).estimate("recall").method
    assert "cluster" not in th.evaluate(rows, "a", label="y")["a"].at(CUT).estimate("recall").method
    labels = th.evaluate({"y": rows["y"], "hard": (rows["a"] >= CUT) * 1, "of": rows["of"]}, predicted="hard", **how)
    assert labels.confusion_matrix.estimate("recall") == labels.recall


def test_importance_weights_of_rows_are_summed_by_cluster():
    rows = drawn(3)
    model = th.evaluate(rows, "a", label="y", cluster="of", weights="w", threshold=CUT)["a"]
    assert_as_by_hand(model, by_hand(rows, "recall", rows["w"]), "recall")


def test_a_rate_without_variance_has_the_interval_of_its_clusters():
    rows = drawn(4)
    found = th.evaluate(rows | {"a": rows["y"] * 1.0}, "a", label="y", cluster="of", threshold=0.5)["a"].recall
    m = len(np.unique(rows["of"][rows["y"] == 1]))
    want = wilson_interval(m, m, level=0.95)
    assert (found.value, found.low, found.high) == (1.0, want.low, want.high)
    assert f"a row for each of {m} clusters" in found.method
    alone = rows | {"of": np.where(rows["y"] == 1, 0, rows["of"])}
    found = th.evaluate(alone, "a", label="y", cluster="of", threshold=CUT)["a"].recall
    assert (found.low, "one cluster has the rows" in found.reason) == (None, True)


def test_what_is_resampled_or_told_to_ignore_clusters_has_no_such_interval():
    rows, how = drawn(5), {"label": "y", "cluster": "of", "threshold": CUT}
    for bootstrap in (50, th.Bootstrap(n=50, clusters=False)):
        assert "ratio of sums" not in th.evaluate(rows, "a", bootstrap=bootstrap, **how)["a"].recall.method


def test_clustered_limits_hold_as_often_as_they_say():
    """Of 400 draws of 40 clusters."""
    held = 0
    truth = float(np.mean([by_hand(drawn(i, clusters=400, n=20000), "accuracy")[0] for i in range(5)]))
    for seed in range(400):
        _, _, low, high, _ = by_hand(drawn(seed, clusters=40, n=400), "accuracy")
        held += low <= truth <= high
    assert 0.91 <= held / 400 <= 0.98


@pytest.mark.parametrize(
    "change", [{"cuts": [["c", "x"]]}, {"second": [[[-1.0] * 4] * 4]}, {"totals": []}, {"cuts": 1}]
)
def test_sums_that_are_none_are_refused(change):
    form = {"cuts": [["a", (0.5).hex()]], "totals": [[1.0] * 4], "second": [[[1.0] * 4] * 4], "kinds": [[1.0] * 16]}
    assert rates_from(form).totals.tolist() == form["totals"]
    with pytest.raises(InputError, match="sums of clusters at thresholds"):
        rates_from(form | change)
