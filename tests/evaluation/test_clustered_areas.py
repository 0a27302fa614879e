"""AUCs of rows in clusters: Obuchowski's variance."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import t as student

import thresher as th
from thresher.inference.auc.clustered import clustered_covariance

RNG = np.random.default_rng(5)
CLUSTER = RNG.integers(0, 25, 160)
SEVERITY = RNG.normal(size=25)[CLUSTER]
Y = (SEVERITY + RNG.normal(size=160) > 0.4).astype(int)
SCORES = {name: np.round(SEVERITY + Y + RNG.normal(size=160), 1) for name in ("a", "b", "c")}
WEIGHTS = RNG.integers(1, 4, 160)


def covariance(y, scores, cluster):
    """Obuchowski's (1997), as her formulas read: placements by comparing every two rows, sums cluster by cluster."""
    aucs, of_x, of_y = [], [], []
    for s in scores:
        x, z = s[y == 1], s[y == 0]
        above = (x[:, None] > z) + 0.5 * (x[:, None] == z)
        aucs.append(above.mean())
        of_x.append(above.mean(axis=1))
        of_y.append(above.mean(axis=0))
    m, n = int((y == 1).sum()), int((y == 0).sum())
    found = np.zeros((len(scores),) * 2)
    both = np.unique(cluster)
    with_x, with_y = np.unique(cluster[y == 1]), np.unique(cluster[y == 0])
    for r in range(len(scores)):
        for q in range(len(scores)):

            def of_class(i, placed, label, k):
                own = cluster[y == label] == i
                return placed[k][own].sum() - own.sum() * aucs[k]

            s10 = sum(of_class(i, of_x, 1, r) * of_class(i, of_x, 1, q) for i in with_x)
            s01 = sum(of_class(i, of_y, 0, r) * of_class(i, of_y, 0, q) for i in with_y)
            s11 = [
                sum(of_class(i, of_x, 1, one) * of_class(i, of_y, 0, two) for i in both) * both.size / (both.size - 1)
                for one, two in ((r, q), (q, r))
            ]
            s10 *= with_x.size / ((with_x.size - 1) * m)
            s01 *= with_y.size / ((with_y.size - 1) * n)
            found[r, q] = s10 / m + s01 / n + sum(s11) / (m * n)
    return np.array(aucs), found, min(with_x.size, with_y.size) - 1


AUCS, COVARIANCE, DF = covariance(Y, list(SCORES.values()), CLUSTER)


def test_the_covariance_is_that_of_its_definition():
    models = th.evaluate(Y, SCORES, cluster=CLUSTER)
    found = models["a"].cluster_sums.beside(models["b"].cluster_sums).beside(models["c"].cluster_sums)
    assert found.aucs == pytest.approx(AUCS, abs=1e-14)
    assert clustered_covariance(found) == pytest.approx(COVARIANCE, abs=1e-14)
    assert clustered_covariance(found.of(["c", "a"])) == pytest.approx(COVARIANCE[np.ix_([2, 0], [2, 0])], abs=1e-14)


def score_limits(y, s, cluster):
    """Both x with (A − x)² = t²·V(x), as docs/coverage.md has V; sizes of classes over the design effect."""
    (auc,), ((variance,),), df = covariance(y, [s], cluster)
    x, z = s[y == 1], s[y == 0]
    above = (x[:, None] > z) + 0.5 * (x[:, None] == z)
    placed = {1: above.mean(axis=1), 0: above.mean(axis=0)}
    effect = max(variance / sum(np.var(each, ddof=1) / each.size for each in placed.values()), 1)
    small, large = sorted(each.size / effect for each in placed.values())
    least = min(auc, 1 - auc)
    errors = []
    for label, each in placed.items():
        names = np.unique(cluster[y == label])
        sums = np.array([(each - auc)[cluster[y == label] == name].sum() for name in names])
        spread = names.size**2 / (names.size - 1) * (sums**2).sum() / each.size**2
        errors.append(names.size * least**2 / (least**2 + spread))
    doubt = 4 / (4 + min(errors))

    def excess(at):
        far = max(at, 1 - at)
        supposed = ((large + 1) / 2 + (small - 1) * (1 - far) / (2 - far)) / (small * large)
        ratio = variance / (auc * (1 - auc))
        own = at * (1 - at) * (ratio + doubt * max(supposed - ratio, 0))
        return (auc - at) ** 2 - student.ppf(0.975, df) ** 2 * own

    return brentq(excess, 0, auc, xtol=1e-14), brentq(excess, auc, 1, xtol=1e-14)


def test_the_interval_is_a_score_interval_of_effective_rows():
    models = th.evaluate(Y, SCORES, cluster=CLUSTER)
    for (name, scores), variance in zip(SCORES.items(), np.diag(COVARIANCE), strict=True):
        found = models[name].auc
        assert (found.low, found.high) == pytest.approx(score_limits(Y, scores, CLUSTER), abs=1e-9)
        assert found.standard_error == pytest.approx(math.sqrt(variance), abs=1e-12)
        assert found.method == "Obuchowski's variance of 25 clusters, score limits"
        assert [warning.code for warning in found.warnings] == ["few-clusters"]


def test_clusters_of_one_row_each_have_the_interval_of_rows_but_for_students_quantile():
    rows, alone = (th.evaluate(Y, SCORES["a"], **more)["score"].auc for more in ({}, {"cluster": np.arange(Y.size)}))
    assert (alone.low, alone.high) == pytest.approx((rows.low, rows.high), abs=4e-3)
    assert alone.high - alone.low > rows.high - rows.low


def test_every_two_of_several_models_are_compared():
    for found, (i, j) in zip(th.evaluate(Y, SCORES, cluster=CLUSTER).compare(), [(0, 1), (0, 2), (1, 2)], strict=True):
        error = math.sqrt(COVARIANCE[i, i] + COVARIANCE[j, j] - 2 * COVARIANCE[i, j])
        apart = AUCS[i] - AUCS[j]
        assert found.difference == pytest.approx(apart, abs=1e-12)
        assert found.standard_error == pytest.approx(error, abs=1e-12)
        assert found.p_value == pytest.approx(2 * student.sf(abs(apart) / error, DF), abs=1e-9)
        ends = [apart + side * student.ppf(0.975, DF) * error for side in (-1, 1)]
        assert (found.low, found.high) == pytest.approx(ends, abs=1e-9)
        assert found.method == "DeLong's paired test, Obuchowski's variance of 25 clusters"
        assert found.family == 3


def test_a_weight_repeats_a_row_of_its_cluster():
    repeated = np.repeat(np.arange(Y.size), WEIGHTS)
    _, expected, _ = covariance(Y[repeated], [SCORES["a"][repeated]], CLUSTER[repeated])
    options = {"weights": WEIGHTS, "weight_kind": "frequency", "cluster": CLUSTER}
    found = th.evaluate(Y, SCORES["a"], **options)["score"].cluster_sums
    assert clustered_covariance(found) == pytest.approx(expected, abs=1e-14)


def test_a_cluster_of_every_row_gives_delongs_variance():
    found = th.evaluate(Y, SCORES["a"], cluster=np.arange(Y.size))["score"].auc
    assert found.standard_error == pytest.approx(th.evaluate(Y, SCORES["a"])["score"].auc.standard_error, abs=1e-12)


def test_without_two_clusters_of_each_class_there_is_no_interval():
    one = th.evaluate(Y, SCORES["a"], cluster=np.zeros(160))["score"].auc
    assert (one.low, one.value) == (None, pytest.approx(AUCS[0]))
    said = "Obuchowski's variance needs two clusters with rows of each class, and there is 1 with positives"
    assert one.reason == f"no interval, as {said}"
    both = th.evaluate(Y, SCORES, cluster=np.where(Y == 1, 1, CLUSTER + 2)).compare("a", "b")
    assert both.low is None
    assert "there is 1 with positives" in both.reason


def test_models_that_separate_the_classes_or_rank_alike():
    whole = th.evaluate(Y, {"a": Y, "b": Y, "c": SCORES["a"], "d": 2 * SCORES["a"]}, cluster=CLUSTER)
    perfect = whole["a"].auc
    assert (perfect.high, perfect.standard_error) == (1.0, None)
    assert perfect.method == "Obuchowski's variance of 25 clusters, score limits"
    assert 0.6 < perfect.low < th.evaluate(Y, Y)["score"].auc.low
    alike = whole.compare("c", "d")
    assert (alike.difference, alike.p_value, alike.low, alike.high) == (0, 1, 0, 0)
    assert alike.method.endswith("both place the clusters alike")
    same = whole.compare("a", "b")
    assert (same.difference, same.p_value) == (0, 1)
    assert same.low < 0 < same.high


def test_few_clusters_that_hold_the_errors_are_warned_of():
    cluster, y = np.repeat(np.arange(40), 4), np.tile([0, 1], 80)
    s = 10.0 * y + np.arange(160) % 7
    many = th.evaluate(y, np.arange(160) % 7 + y, cluster=cluster)["score"].auc
    few = th.evaluate(y, np.where(np.isin(np.arange(160), [1, 9]), -1, s), cluster=cluster)["score"].auc
    assert [each.code for each in few.warnings] == ["few-clusters"]
    assert "2 clusters that the errors are spread over, fewer than 10" in few.warnings[0].text
    assert few.warnings[0].where == "ROC AUC of score"
    assert many.warnings == ()


@pytest.mark.slow
def test_intervals_cover_and_tests_of_equal_models_reject_as_often_as_they_say():
    """40 clusters of 6 rows, half of the variance within them, two equally good models: both near their 95 and 5 %."""
    rng = np.random.default_rng(11)
    cluster, y = np.repeat(np.arange(40), 6), np.tile([0, 1], 120)
    truth, held, rejected, by_rows, samples = 0.7156, 0, 0, 0, 400
    for _ in range(samples):
        severity = np.repeat(rng.normal(size=40), 6)
        # Placements of one cluster are alike where a class of it is shifted together.
        shared = np.repeat(rng.normal(size=40), 6) * y
        a, b = (y + severity * 0.2 + shared + rng.normal(size=240) for _ in (1, 2))
        found = th.evaluate(y, {"a": a, "b": b}, cluster=cluster)
        auc, each = found["a"].auc, th.evaluate(y, a)["score"].auc
        held += auc.low <= truth <= auc.high
        by_rows += each.low <= truth <= each.high
        rejected += found.compare("a", "b").p_value < 0.05
    assert 0.925 < held / samples < 0.975
    assert by_rows / samples < 0.925
    assert 0.025 < rejected / samples < 0.08
