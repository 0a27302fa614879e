"""Robustness curves: values counted again by hand, bands by their formula, and the same for any number of workers."""

import pickle

import numpy as np
import pytest

import thresher as th
from thresher.errors import InputError, OptionError
from thresher.resampling.corruption import FeatureNoise, HeldOut, LabelNoise, MissingValues, PrevalenceShift
from thresher.resampling.data import checked_data
from thresher.resampling.methods import Holdout, KFold
from thresher.resampling.nearest_mean import NearestMean
from thresher.resampling.robust import DRAWS, robustness, robustness_of_fitted
from thresher.resampling.splits import stream

RANDOM = np.random.default_rng(1)
Y = np.repeat([0, 1], [80, 40])
X = RANDOM.normal(size=(120, 3)) + 0.9 * Y[:, None]
CORRUPTIONS = [
    FeatureNoise(levels=(0, 0.5, 2), draws=3), LabelNoise(levels=(0, 0.2), draws=3),
    MissingValues(levels=(0, 0.3), draws=3), PrevalenceShift(levels=(0.1, 0.6)),
]  # fmt: skip


def by_hand(corruption, method, measure):
    """Mean over draws of a measure on each split and level, with nothing of the module but the streams' places."""
    rows = checked_data(X, Y, positive=None, groups=None, weights=None, weight_kind="importance")
    table = []
    for place, split in enumerate(method.splits(rows.drawable, 0)):
        model = NearestMean().fit(X[split.train], Y[split.train])
        line = []
        for level in corruption.levels:
            values = []
            for draw in range(corruption.draws):
                part = corruption.corrupt(
                    HeldOut(X[split.test], Y[split.test]), X[split.train], level, 2, stream(0, DRAWS, place, draw)
                )
                values.append(measure(part.truth, model, part.X, part.weights))
            line.append(np.mean(values))
        table.append(line)
    return np.array(table).T


def accuracy(truth, model, X, weights):
    return np.average(model.predict(X) == truth, weights=weights)


def auc(truth, model, X, weights):
    w = np.ones(len(truth)) if weights is None else weights
    s = model.decision_function(X)
    i, j = np.flatnonzero(truth == 1), np.flatnonzero(truth == 0)
    wins = (s[i, None] > s[None, j]) + 0.5 * (s[i, None] == s[None, j])
    return float((w[i, None] * w[None, j] * wins).sum() / (w[i].sum() * w[j].sum()))


class LabelsOnly:
    def fit(self, X, y):
        self.inner = NearestMean().fit(X, y)
        return self

    def predict(self, X):
        return self.inner.predict(X)


@pytest.mark.parametrize("corruption", CORRUPTIONS, ids=lambda c: c.title)
def test_values_are_those_counted_by_hand(corruption):
    method = KFold(4)
    series = robustness(NearestMean(), X, Y, corruption, method=method, measures=["accuracy", "auc"])
    for name, measure in (("accuracy", accuracy), ("auc", auc)):
        want = by_hand(corruption, method, measure)
        np.testing.assert_allclose(series[name].by_split, want, atol=1e-12)
        np.testing.assert_allclose(series[name].values, want.mean(axis=1), atol=1e-12)
    assert series.x.tolist() == list(corruption.levels)


def test_level_0_is_the_assessment_itself():
    series = robustness(NearestMean(), X, Y, FeatureNoise(levels=(0,)), method=KFold(5), measures="auc")
    found = th.assess(NearestMean(), X, Y, method=KFold(5), measures="auc", progress=False)["auc"]
    estimate = series["auc"].estimates[0]
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((found.value, found.low, found.high))


def test_a_wrong_label_costs_the_accuracy_what_the_formula_says():
    y = np.tile([0, 1], 2000)
    x = y[:, None] + 0.0
    x[:400] = 1 - x[:400]  # one in ten is not recognized
    model = NearestMean().fit(np.array([[0.0], [1.0]]), np.array([0, 1]))
    series = robustness_of_fitted(model, x, y, LabelNoise(levels=(0, 0.1, 0.3)), X_train=x, measures="accuracy")
    for p, value in zip(series.x, series["accuracy"].values, strict=True):
        assert value == pytest.approx(0.9 * (1 - p) + 0.1 * p, abs=0.01)


def test_prevalence_moves_precision_as_bayes_says_and_not_the_auc():
    levels = (0.01, 0.2, 0.5, 0.9)
    measures = ("precision", "recall", "auc")
    model = NearestMean().fit(X, Y)
    series = robustness_of_fitted(model, X, Y, PrevalenceShift(levels=levels), X_train=X, measures=measures)
    recall, fpr = (np.mean(model.predict(X)[label == Y] == 1) for label in (1, 0))
    want = [p * recall / (p * recall + (1 - p) * fpr) for p in levels]
    np.testing.assert_allclose(series["precision"].values, want)
    assert np.ptp(series["recall"].values) < 1e-12
    assert np.ptp(series["auc"].values) < 1e-12


def test_of_one_split_the_band_is_the_measure_s_own():
    model = NearestMean().fit(X[::2], Y[::2])
    series = robustness_of_fitted(model, X[1::2], Y[1::2], FeatureNoise(levels=(0, 1)), X_train=X[::2])
    want = th.evaluate(Y[1::2], model.decision_function(X[1::2])).auc
    found = series["auc"].estimates[0]
    assert (found.value, found.low, found.high) == pytest.approx((want.value, want.low, want.high))
    assert found.method == f"{want.method}; limits averaged over 10 draws"
    one = robustness(NearestMean(), X, Y, FeatureNoise(levels=(0,), draws=1), method=Holdout())
    assert one["auc"].estimates[0].method == "DeLong, score limits"


def test_weights_count_and_zero_weights_do_not():
    weights = np.where(np.arange(120) % 3 == 0, 0.0, 2.0)
    keep = weights > 0
    options = {"corruption": LabelNoise(levels=(0, 0.2)), "method": KFold(3), "measures": ["accuracy"]}
    found = robustness(NearestMean(), X, Y, weights=weights, **options)
    want = robustness(NearestMean(), X[keep], Y[keep], **options)
    np.testing.assert_allclose(found["accuracy"].values, want["accuracy"].values)


def test_same_seed_same_numbers_and_another_seed_others():
    one, two = (robustness(NearestMean(), X, Y, method=KFold(3), rng=4) for _ in range(2))
    assert one == two
    assert one != robustness(NearestMean(), X, Y, method=KFold(3), rng=5)
    assert pickle.loads(pickle.dumps(one)) == one


def test_sparse_features_serve_where_they_are_not_changed():
    from scipy import sparse

    class Dense(NearestMean):
        def fit(self, X, y):
            return super().fit(X.toarray(), y)

        def decision_function(self, X):
            return super().decision_function(X.toarray())

    options = {"method": KFold(3), "measures": "accuracy"}
    found = robustness(Dense(), sparse.csr_matrix(X), Y, LabelNoise(levels=(0, 0.2)), **options)
    want = robustness(NearestMean(), X, Y, LabelNoise(levels=(0, 0.2)), **options)
    np.testing.assert_array_equal(found["accuracy"].values, want["accuracy"].values)
    with pytest.raises(InputError, match="sparse matrix"):
        robustness(Dense(), sparse.csr_matrix(X), Y, **options)


@pytest.mark.peer
def test_frame_and_plot():
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot

    series = robustness({"a": NearestMean(), "b": NearestMean()}, X, Y, method=KFold(3), measures=["auc", "f1"])
    frame = series.to_frame("pandas")
    assert len(frame) == 2 * 2 * 6
    assert list(frame.columns)[:4] == ["model", "measure", "noise", "value"]
    ax = series.plot("f1")
    assert ax.get_xlabel() == "Noise added (standard deviations of each feature)"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
    assert sum(child.get_gid() == "thresher-band" for child in ax.collections) == 2
    np.testing.assert_allclose(ax.lines[0].get_ydata(), series["a", "f1"].values)
    pyplot.close("all")
    with pytest.raises(OptionError, match="name one of 'auc', 'f1'"):
        series.plot()


def test_several_models_meet_the_same_draws():
    series = robustness({"a": NearestMean(), "b": NearestMean()}, X, Y, method=KFold(3))
    assert series["a", "auc"].by_split.tolist() == series["b", "auc"].by_split.tolist()
    assert series.models == ("a", "b")
    with pytest.raises(KeyError, match="several models"):
        series["auc"]
    with pytest.raises(KeyError, match="there is no line 'recall'"):
        series["recall"]


def test_what_a_model_does_not_give_has_a_reason():
    series = robustness(LabelsOnly(), X, Y, method=KFold(3))
    assert "undefined in 3 of 3 splits" in series["auc"].estimates[0].reason
    assert "predicted labels only" in series["auc"].estimates[0].reason
    assert robustness(LabelsOnly(), X, Y, LabelNoise(levels=(0,)), method=KFold(3), measures="f1")["f1"].values[0] > 0.5


def test_notebooks_get_a_table_with_names_that_are_text():
    page = robustness({"<b>": NearestMean()}, X, Y, FeatureNoise(levels=(0, 1)), method=KFold(3))._repr_html_()
    assert "<caption>Robustness to feature noise: values</caption>" in page
    assert "Against noise added (standard deviations of each feature)." in page
    assert '<th scope="col">&lt;b&gt;</th>' in page
    assert page.count("<tr>") == 3
