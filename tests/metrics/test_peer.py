"""Every classification function against scikit-learn's, on random columns: value, type, warnings and errors."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shares import examples
from thresher import metrics as ours

pytestmark = pytest.mark.peer

theirs = pytest.importorskip("sklearn.metrics")

NAMES = [["ham", "spam", "eggs", "é"], [0, 1, 2, 3], [-1, 1, 5, 9], [1.0, 2.0, 3.0, 4.0], [True, False]]
DRESSES = [list, np.array, lambda v: np.array(v)[:, None], lambda v: np.repeat(np.array(v), 2)[::2]]


@st.composite
def rows(draw):
    names = draw(st.sampled_from(NAMES))
    k = draw(st.integers(1, len(names)))
    n = draw(st.integers(1, 30))
    column = st.lists(st.sampled_from(names[:k]), min_size=n, max_size=n)
    dress = draw(st.sampled_from(DRESSES))
    weights = draw(st.none() | st.lists(st.integers(0, 5), min_size=n, max_size=n).filter(any))
    if weights is not None and draw(st.booleans()):
        weights = [w / 8 for w in weights]  # exact, so that both round a half alike
    return dress(draw(column)), dress(draw(column)), weights, names[:k]


@st.composite
def tables(draw):
    n, k = draw(st.integers(1, 12)), draw(st.integers(2, 4))
    bits = st.lists(st.lists(st.integers(0, 1), min_size=k, max_size=k), min_size=n, max_size=n).map(np.array)
    weights = draw(st.none() | st.lists(st.integers(1, 5).map(float), min_size=n, max_size=n))
    return draw(bits), draw(bits), weights, list(range(k))


def outcome(function, *arguments, **options):
    """Value, or the class of the error; and the classes of the warnings."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            value = function(*arguments, **options)
        except (ValueError, TypeError) as error:
            value = ValueError if isinstance(error, ValueError) else TypeError
    return value, sorted(w.category.__name__ for w in seen if w.category is not RuntimeWarning)


def assert_same(mine, other):
    assert isinstance(mine, type) == isinstance(other, type), (mine, other)
    if isinstance(other, type):
        assert mine is other
    elif isinstance(other, tuple):
        assert len(mine) == len(other)
        for one, two in zip(mine, other, strict=True):
            assert_same(one, two)
    elif isinstance(other, dict):
        assert list(mine) == list(other)
        for key, value in other.items():
            assert_same(mine[key], value)
    elif other is None or isinstance(other, str):
        assert mine == other
    else:
        assert isinstance(mine, np.ndarray) == isinstance(other, np.ndarray)
        if isinstance(other, np.ndarray) and mine.dtype != other.dtype:
            # scikit-learn turns whole counts into floats when not one row is right; ours stay whole.
            assert (mine.dtype, other.dtype) == (np.int64, np.float64)
        np.testing.assert_allclose(mine, other, rtol=1e-10, atol=1e-12)


def compare(name, *arguments, same_warnings=True, **options):
    mine, my_warnings = outcome(getattr(ours, name), *arguments, **options)
    other, their_warnings = outcome(getattr(theirs, name), *arguments, **options)
    assert_same(mine, other)
    if same_warnings and not isinstance(other, type):
        assert my_warnings == their_warnings


AVERAGED = st.sampled_from(["precision_score", "recall_score", "f1_score", "fbeta_score", "jaccard_score"])
AVERAGE = st.sampled_from([None, "micro", "macro", "weighted", "samples", "binary"])
ZERO = st.sampled_from(["warn", 0, 1, np.nan])


def averaged(name, case, average, zero, labels, pos_label):
    truth, predicted, weights, names = case
    options = {"average": average, "zero_division": zero, "sample_weight": weights}
    if name == "fbeta_score":
        options["beta"] = 0.5
    if labels:
        options["labels"] = labels[: len(names)]
    if average == "binary":
        options["pos_label"] = names[pos_label % len(names)]
    compare(name, truth, predicted, **options)


@settings(max_examples=examples(150))
@given(AVERAGED, rows(), AVERAGE, ZERO, st.integers(0, 3), st.booleans())
def test_averaged_columns(name, case, average, zero, pos_label, reverse):
    averaged(name, case, average, zero, case[3][::-1] if reverse else None, pos_label)


@settings(max_examples=examples(120))
@given(AVERAGED, tables(), AVERAGE, ZERO, st.booleans())
def test_averaged_tables(name, case, average, zero, reverse):
    averaged(name, case, average, zero, case[3][:0:-1] if reverse else None, 1)


@settings(max_examples=examples(100))
@given(rows(), AVERAGE, ZERO, st.sampled_from([0, 0.5, 1, 3, np.inf]))
def test_all_at_once(case, average, zero, beta):
    truth, predicted, weights, _ = case
    options = {"average": average, "zero_division": zero, "beta": beta, "sample_weight": weights}
    compare("precision_recall_fscore_support", truth, predicted, **options)


@settings(max_examples=examples(120))
@given(rows(), st.sampled_from([None, "true", "pred", "all"]), st.permutations(range(4)), st.booleans())
def test_matrices(case, normalize, order, chosen):
    truth, predicted, weights, names = case
    labels = [names[i] for i in order if i < len(names)][:2] if chosen else None
    options = {"sample_weight": weights, "labels": labels}
    compare("confusion_matrix", truth, predicted, normalize=normalize, **options)
    compare("multilabel_confusion_matrix", truth, predicted, **options)


@given(tables(), st.booleans())
def test_matrices_of_tables(case, samplewise):
    truth, predicted, weights, _ = case
    compare("multilabel_confusion_matrix", truth, predicted, sample_weight=weights, samplewise=samplewise)


SINGLE = ["accuracy_score", "zero_one_loss", "hamming_loss", "matthews_corrcoef", "balanced_accuracy_score"]


@settings(max_examples=examples(120))
@given(st.sampled_from([*SINGLE, "cohen_kappa_score"]), rows())
def test_single_numbers(name, case):
    truth, predicted, weights, _ = case
    compare(name, truth, predicted, sample_weight=weights)
    if name in ("accuracy_score", "zero_one_loss"):
        compare(name, truth, predicted, sample_weight=weights, normalize=False)


@given(rows(), st.sampled_from(["linear", "quadratic"]))
def test_weighted_kappa(case, how):
    truth, predicted, weights, _ = case
    # scikit-learn sorts text by the alphabet, which thresher asks for by name.
    order = sorted({*truth, *predicted}) if isinstance(truth[0], str) else None
    compare("cohen_kappa_score", truth, predicted, weights=how, labels=order, sample_weight=weights)


@given(st.sampled_from(["accuracy_score", "zero_one_loss", "hamming_loss", "matthews_corrcoef"]), tables())
def test_single_numbers_of_tables(name, case):
    truth, predicted, weights, _ = case
    compare(name, truth, predicted, sample_weight=weights)


@settings(max_examples=examples(100))
@given(rows() | tables(), st.booleans(), st.integers(0, 5), ZERO)
def test_reports(case, as_dictionary, digits, zero):
    truth, predicted, weights, _ = case
    # Where nothing at all is right, scikit-learn's counts turn into floats, which a text shows (docs/metrics.md).
    one, other = np.asarray(truth), np.asarray(predicted)
    assume(as_dictionary or weights is not None or ((one == other) & ((one != 0) | (one.ndim == 1))).any())
    options = {"output_dict": as_dictionary, "digits": digits, "zero_division": zero, "sample_weight": weights}
    compare("classification_report", truth, predicted, same_warnings=False, **options)


@given(rows())
def test_likelihood_ratios(case):
    truth, predicted, weights, _ = case
    for replacement in (np.nan, 1.0, {"LR+": np.inf, "LR-": 0.0}):
        compare("class_likelihood_ratios", truth, predicted, sample_weight=weights, replace_undefined_by=replacement)


@settings(max_examples=examples(120))
@given(rows(), st.integers(0, 9999), st.sampled_from(["f4", "f8"]), st.booleans())
def test_losses(case, seed, kind, name_labels):
    truth, _, weights, names = case
    rng = np.random.default_rng(seed)
    table = rng.dirichlet(np.ones(len(names)), len(truth)).astype(kind)
    column = rng.random(len(truth)).astype(kind)
    labels = sorted(names) if name_labels else None
    for probabilities in (table, column, column[:, None]):
        for name in ("log_loss", "d2_log_loss_score", "brier_score_loss", "d2_brier_score"):
            if (
                name.startswith("d2")
                and len(np.unique(np.asarray(truth)[np.asarray(weights or [1] * len(truth)) > 0])) < 2
            ):
                continue  # x/0: scikit-learn returns the rounding error of its 0
            mine, my_warnings = outcome(getattr(ours, name), truth, probabilities, sample_weight=weights, labels=labels)
            other, their_warnings = outcome(
                getattr(theirs, name), truth, probabilities, sample_weight=weights, labels=labels
            )
            assert isinstance(mine, type) == isinstance(other, type), (name, mine, other)
            if not isinstance(other, type):
                np.testing.assert_allclose(mine, other, rtol=1e-4 if kind == "f4" else 1e-9, atol=1e-6)
                assert my_warnings == their_warnings


@given(rows(), st.integers(0, 9999))
def test_hinge(case, seed):
    truth, _, weights, names = case
    decisions = np.random.default_rng(seed).normal(size=(len(truth), len(names)))
    compare("hinge_loss", truth, decisions[:, 0], sample_weight=weights)
    compare("hinge_loss", truth, decisions, sample_weight=weights, labels=sorted(names))


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(0, 99), st.integers(1, 9))
def test_calibration_curve(truth, seed, bins):
    from sklearn.calibration import calibration_curve

    forecast = np.random.default_rng(seed).random(len(truth)).round(1)
    for strategy in ("uniform", "quantile"):
        mine = ours.calibration_curve(truth, forecast, n_bins=bins, strategy=strategy)
        other = calibration_curve(truth, forecast, n_bins=bins, strategy=strategy)
        assert_same(mine, other)
