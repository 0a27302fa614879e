"""Scorers in every meta-estimator of scikit-learn, with and without its metadata routing, against its own scorers."""

import pickle

import numpy as np
import pytest

from thresher.decisions import FixedThreshold
from thresher.metrics import scorers

pytestmark = pytest.mark.peer
routed = pytest.mark.usefixtures("routing")
sklearn = pytest.importorskip("sklearn")

from sklearn import inspection, metrics, model_selection  # noqa: E402
from sklearn.base import BaseEstimator, ClassifierMixin, clone  # noqa: E402
from sklearn.datasets import make_classification  # noqa: E402
from sklearn.dummy import DummyClassifier  # noqa: E402
from sklearn.experimental import enable_halving_search_cv  # noqa: E402, F401
from sklearn.feature_selection import RFECV, SequentialFeatureSelector  # noqa: E402
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

X, Y = make_classification(160, n_features=6, flip_y=0.2, weights=[0.6], random_state=3)
WORDS = np.array(["ham", "spam"])[Y]
W = np.random.default_rng(3).integers(0, 5, len(Y)).astype(float)
MODEL = LogisticRegression(C=0.1)
NAMES = ["accuracy", "roc_auc", "neg_log_loss", "f1", "neg_brier_score", "average_precision"]


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def both(name, **request):
    """The scorer of a name here and in scikit-learn, with the same request."""
    pair = scorers[name], metrics.get_scorer(name)
    return tuple(scorer.set_score_request(**request) if request else scorer for scorer in pair)


def folds(scoring, y=Y, model=MODEL, **options):
    return model_selection.cross_validate(model, X, y, scoring=scoring, error_score="raise", **options)


@routed
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("requested", [True, False, "case"])
def test_weights_reach_a_scorer_that_requests_them(name, requested):
    model = clone(MODEL).set_fit_request(sample_weight=True)
    given = {"sample_weight": W} | ({requested: 5 - W} if requested == "case" else {})
    ours, theirs = (folds(one, model=model, params=given)["test_score"] for one in both(name, sample_weight=requested))
    np.testing.assert_allclose(ours, theirs)
    unweighted, _ = both(name, sample_weight=False)
    plain = folds(unweighted, model=model, params={"sample_weight": W})["test_score"]
    assert np.array_equal(ours, plain) == (requested is False)


@routed
def test_weights_that_nothing_requests_are_refused():
    from sklearn.exceptions import UnsetMetadataPassedError

    for one in both("f1"):
        with pytest.raises(UnsetMetadataPassedError, match=r"set_score_request"):
            folds(one, model=clone(MODEL).set_fit_request(sample_weight=True), params={"sample_weight": W})


@routed
def test_a_request_is_of_one_scorer_alone():
    scorers["f1"].set_score_request(sample_weight=True)
    assert scorers["f1"].get_metadata_routing().score.requests["sample_weight"] is None


def searches(scoring, **options):
    grid = {"C": [0.001, 0.1, 10]}
    yield model_selection.GridSearchCV(MODEL, grid, scoring=scoring, **options)
    yield model_selection.RandomizedSearchCV(MODEL, grid, n_iter=2, random_state=0, scoring=scoring, **options)
    if not isinstance(scoring, dict):
        yield model_selection.HalvingGridSearchCV(MODEL, grid, random_state=0, scoring=scoring, **options)


@pytest.mark.parametrize(("name", "weights"), [("roc_auc", None), ("neg_log_loss", W)])
def test_searches(name, weights):
    for ours, theirs in zip(searches(scorers[name]), searches(name), strict=True):
        found, expected = (one.fit(X, Y, sample_weight=weights) for one in (ours, theirs))
        np.testing.assert_allclose(found.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"])
        assert found.best_params_ == expected.best_params_
        assert found.score(X, Y) == pytest.approx(expected.score(X, Y))


def test_searches_by_several_measures_with_weights():
    names = ["accuracy", "neg_brier_score"]
    pairs = zip(searches({n: scorers[n] for n in names}, refit=names[1]),
                searches({n: n for n in names}, refit=names[1]), strict=True)  # fmt: skip
    for pair in pairs:
        ours, theirs = (one.fit(X, Y, sample_weight=W).cv_results_ for one in pair)
        for name in names:
            np.testing.assert_allclose(ours[f"mean_test_{name}"], theirs[f"mean_test_{name}"])


@routed
def test_searches_with_routed_weights():
    model = clone(MODEL).set_fit_request(sample_weight=True)
    found = [
        model_selection.GridSearchCV(model, {"C": [0.001, 0.1, 10]}, scoring=one).fit(X, Y, sample_weight=W)
        for one in both("neg_log_loss", sample_weight=True)
    ]
    np.testing.assert_allclose(*(one.cv_results_["mean_test_score"] for one in found))
    several = [{n: both(n, sample_weight=True)[place] for n in NAMES} for place in (0, 1)]
    ours, theirs = (folds(one, model=model, params={"sample_weight": W}) for one in several)
    for name in NAMES:
        np.testing.assert_allclose(ours[f"test_{name}"], theirs[f"test_{name}"])


class Counted(ClassifierMixin, BaseEstimator):
    """A classifier that counts how often it is asked for probabilities."""

    asked = 0

    def fit(self, X, y):  # noqa: ARG002  scikit-learn's signature
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        Counted.asked += 1
        return np.column_stack([X[:, 0] < 0, X[:, 0] >= 0]).astype(float)

    def predict(self, X):
        return self.classes_[self.predict_proba(X)[:, 1].astype(int)]


def test_several_scorers_ask_an_estimator_once():
    asked = []
    for several in ({n: scorers[n] for n in ("neg_log_loss", "neg_brier_score")}, ["neg_log_loss", "neg_brier_score"]):
        Counted.asked = 0
        folds(several, model=Counted(), cv=2)
        asked.append(Counted.asked)
    assert asked == [2, 2]


@pytest.mark.parametrize("name", ["roc_auc", "neg_brier_score"])
def test_curves_of_learning_and_of_a_parameter(name):
    for ours, theirs in (
        [model_selection.learning_curve(MODEL, X, Y, scoring=one)[2] for one in (scorers[name], name)],
        [
            model_selection.validation_curve(MODEL, X, Y, param_name="C", param_range=[0.01, 1], scoring=one)[1]
            for one in (scorers[name], name)
        ],
        [model_selection.cross_val_score(MODEL, X, Y, scoring=one) for one in (scorers[name], name)],
        [
            model_selection.permutation_test_score(MODEL, X, Y, scoring=one, n_permutations=5, random_state=0)[1]
            for one in (scorers[name], name)
        ],
    ):
        np.testing.assert_allclose(ours, theirs)


def test_selection_of_features():
    name = "neg_log_loss"
    found = [RFECV(MODEL, scoring=one).fit(X, Y).cv_results_["mean_test_score"] for one in (scorers[name], name)]
    np.testing.assert_allclose(*found)
    kept = [
        SequentialFeatureSelector(MODEL, n_features_to_select=2, scoring=one).fit(X, Y).support_
        for one in (scorers[name], name)
    ]
    assert np.array_equal(*kept)
    fitted = clone(MODEL).fit(X, Y)
    for weights in (None, W):
        drops = [
            inspection.permutation_importance(
                fitted, X, Y, scoring=one, n_repeats=2, random_state=0, sample_weight=weights
            ).importances
            for one in (scorers[name], name)
        ]
        np.testing.assert_allclose(*drops, atol=1e-12)


@pytest.mark.parametrize("name", ["accuracy", "neg_log_loss", "roc_auc", "neg_brier_score"])
@pytest.mark.parametrize("y", [Y, WORDS], ids=["numbers", "words"])
def test_the_logistic_regression_that_tunes_itself(name, y):
    options = {"Cs": 3, "cv": 3, "l1_ratios": (0,), "use_legacy_attributes": False}
    found = [LogisticRegressionCV(scoring=one, **options).fit(X, y) for one in (scorers[name], name)]
    np.testing.assert_allclose(*(one.scores_ for one in found))
    if y is Y or name != "neg_brier_score":  # whose scorer in scikit-learn takes no words
        assert found[0].score(X, y) == pytest.approx(found[1].score(X, y))


@pytest.mark.parametrize("name", ["f1", "balanced_accuracy", "matthews_corrcoef", "specificity", "neg_zero_one_loss"])
def test_a_threshold_is_tuned(name):
    metric = scorers[name]._score_func
    theirs = metrics.make_scorer(metric, greater_is_better=not name.startswith("neg_"), **scorers[name]._kwargs)
    found = [
        model_selection.TunedThresholdClassifierCV(MODEL, scoring=one, store_cv_results=True, thresholds=20).fit(X, Y)
        for one in (scorers[name], theirs)
    ]
    np.testing.assert_allclose(*(one.cv_results_["scores"] for one in found))
    assert found[0].best_threshold_ == found[1].best_threshold_
    fixed = model_selection.FixedThresholdClassifier(MODEL, threshold=found[0].best_threshold_).fit(X, Y)
    assert scorers[name](fixed, X, Y) == theirs(fixed, X, Y)


@routed
def test_a_threshold_is_tuned_with_routed_weights():
    model = clone(MODEL).set_fit_request(sample_weight=False)
    tuned = [
        model_selection.TunedThresholdClassifierCV(model, scoring=one, thresholds=20).fit(X, Y, sample_weight=W)
        for one in both("f1", sample_weight=True)
    ]
    assert tuned[0].best_score_ == pytest.approx(tuned[1].best_score_)


@routed
def test_a_classifier_with_a_threshold_is_scored_in_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), MODEL).fit(X, Y)
    fixed = FixedThreshold.of(pipeline[-1], 0.5, 1, "higher")
    with_threshold = make_pipeline(pipeline[0], fixed)
    assert with_threshold.score(X, Y) == pipeline.score(X, Y) == scorers["accuracy"](with_threshold, X, Y)


def test_words_as_labels():
    for name in ("accuracy", "roc_auc", "neg_log_loss", "f1_macro", "roc_auc_ovr"):
        ours, theirs = (folds(one, y=WORDS)["test_score"] for one in (scorers[name], name))
        np.testing.assert_allclose(ours, theirs)
    for one in both("f1"):  # of words it must be said which is positive
        with pytest.raises(ValueError, match="pos_label=1 is not a valid label"):
            one(clone(MODEL).fit(X, WORDS), X, WORDS)


@pytest.mark.parametrize("name", ["average_precision", "roc_auc", "neg_log_loss", "f1", "neg_brier_score"])
def test_labels_1_and_2(name):
    y = Y + 1
    fitted = make_pipeline(StandardScaler(), MODEL).fit(X, y)
    ours, theirs = both(name)
    try:
        expected = theirs(fitted, X, y)
    except ValueError:
        assert name == "neg_brier_score"  # which of two labels is positive is no matter to it
        assert ours(fitted, X, y) == pytest.approx(theirs(clone(MODEL).fit(X, Y), X, Y), rel=0.1)
    else:
        assert ours(fitted, X, y) == pytest.approx(expected)


def test_undefined_likelihood_ratios_are_those_of_scikit_learn():
    never = DummyClassifier(strategy="constant", constant=0).fit(X, Y)
    for name in ("positive_likelihood_ratio", "neg_negative_likelihood_ratio"):
        with pytest.warns(UserWarning, match="."):
            ours, theirs = (one(never, X, Y) for one in both(name))
        assert ours == theirs


@pytest.mark.parametrize("name", sorted(scorers))
def test_a_scorer_is_a_value(name):
    scorer = scorers[name]
    assert metrics.get_scorer(scorer) is scorer
    assert metrics.check_scoring(MODEL, scorer) is scorer
    for copy in (pickle.loads(pickle.dumps(scorer)), clone(scorer, safe=False)):
        assert repr(copy) == repr(scorer)
        assert vars(copy) == vars(scorer)
    assert scorer._score_func.__name__ in repr(scorer)
    if name in metrics.get_scorer_names():
        assert repr(scorer) == repr(metrics.get_scorer(name))
