"""Every ranking metric gives what scikit-learn gives, warnings included, on small hard inputs."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher.metrics as ours

theirs = pytest.importorskip("sklearn.metrics")

pytestmark = pytest.mark.peer

SCORES = st.sampled_from([-3.5, -0.0, 0.0, 0.1, 0.25, 0.5, 0.7, 1.0, 40.0])
WEIGHTS = st.sampled_from([0.0, 0.25, 1.0, 3.0])
ROWS = st.lists(st.tuples(st.booleans(), SCORES, WEIGHTS), min_size=1, max_size=25)
NAMINGS = st.sampled_from([(0, 1), (-1, 1), (False, True), (0.0, 1.0), ("benign", "malignant"), (3, 7)])
CURVES = ["roc_curve", "precision_recall_curve", "det_curve", "confusion_matrix_at_thresholds"]


def outcome(function, *args, **kwargs):
    """Result, kinds and texts of warnings, and the kind of error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result, error = function(*args, **kwargs), None
        except Exception as raised:
            result, error = None, raised
    ours_to_say = [(w.category, str(w.message)) for w in caught if w.category is not RuntimeWarning]
    return result, ours_to_say, error


def same(name, *args, tolerance=1e-12, **kwargs):
    got, said, error = outcome(getattr(ours, name), *args, **kwargs)
    want, they_said, their_error = outcome(getattr(theirs, name), *args, **kwargs)
    if their_error is not None:
        plain = type(their_error) in (TypeError, NotImplementedError)
        # scikit-learn's InvalidParameterError is a ValueError and a TypeError.
        assert isinstance(error, type(their_error) if plain else ValueError | TypeError), their_error
        return
    assert error is None, error
    assert said == they_said
    pairs = zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]
    for mine, peers in pairs:
        assert np.asarray(mine).dtype == np.asarray(peers).dtype
        np.testing.assert_allclose(mine, peers, rtol=tolerance, atol=tolerance)


def columns(rows, naming=(0, 1), weighted=False):
    truth, scores, weights = zip(*rows, strict=True)
    labels = np.array([naming[int(t)] for t in truth])
    return labels, np.array(scores), np.array(weights) if weighted else None


@pytest.mark.parametrize("name", CURVES)
@given(
    rows=ROWS, naming=NAMINGS, named=st.booleans(), weighted=st.booleans(), drop=st.sampled_from([None, True, False])
)
def test_curves(name, rows, naming, named, weighted, drop):
    labels, scores, weights = columns(rows, naming, weighted)
    options = {"pos_label": naming[1] if named else None, "sample_weight": weights}
    if drop is not None and name != "confusion_matrix_at_thresholds":
        options["drop_intermediate"] = drop
    if name == "det_curve" and weighted and len({t for t, _, w in rows if w}) < 2:
        return  # scikit-learn divides by a class of weight zero there
    same(name, labels, scores, **options)


@given(rows=ROWS, kind=st.sampled_from(["i1", "u2", "i8", "f4", "f2", "f8"]))
@pytest.mark.parametrize("name", ["precision_recall_curve", "confusion_matrix_at_thresholds", "roc_curve"])
def test_thresholds_keep_the_type_of_the_scores(name, rows, kind):
    labels, scores, _ = columns(rows)
    same(name, labels, np.abs(scores).astype(kind))


def test_whole_scores_that_no_float_holds_stay_apart():
    labels, scores = np.array([0, 1, 0, 1]), np.array([2**60, 2**60 + 1, 2**60 + 2, -5])
    for name in ("precision_recall_curve", "confusion_matrix_at_thresholds", "roc_curve", "roc_auc_score"):
        same(name, labels, scores)


@given(rows=ROWS, naming=NAMINGS, weighted=st.booleans(), max_fpr=st.sampled_from([None, 1.0, 0.3, 0.05]))
def test_roc_auc_score(rows, naming, weighted, max_fpr):
    labels, scores, weights = columns(rows, naming, weighted)
    if weighted and len({t for t, _, w in rows if w}) < len({t for t, _, _ in rows}):
        return  # a class whose rows all weigh nothing: scikit-learn warns about its own roc_curve instead
    same("roc_auc_score", labels, scores, sample_weight=weights, max_fpr=max_fpr)


@given(rows=ROWS, naming=NAMINGS, weighted=st.booleans(), positive=st.sampled_from([0, 1]))
def test_average_precision_score(rows, naming, weighted, positive):
    labels, scores, weights = columns(rows, naming, weighted)
    same("average_precision_score", labels, scores, pos_label=naming[positive], sample_weight=weights)


@st.composite
def matrices(draw, least=2):
    n, m = draw(st.integers(1, 6)), draw(st.integers(least, 5))
    cells = st.lists(st.tuples(st.booleans(), SCORES), min_size=n * m, max_size=n * m)
    table = np.array([(float(t), s) for t, s in draw(cells)]).reshape(n, m, 2)
    weights = draw(st.one_of(st.none(), st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=n, max_size=n)))
    return table[..., 0].astype(int), table[..., 1], weights


@pytest.mark.parametrize("name", ["roc_auc_score", "average_precision_score"])
@given(table=matrices(), average=st.sampled_from(["macro", "micro", "weighted", "samples", None]))
def test_multilabel(name, table, average):
    truth, scores, weights = table
    same(name, truth, scores, average=average, sample_weight=weights)


@pytest.mark.parametrize("name", ["coverage_error", "label_ranking_average_precision_score", "label_ranking_loss"])
@given(table=matrices(), sparse=st.booleans())
def test_multilabel_rankings(name, table, sparse):
    from scipy.sparse import csr_array

    truth, scores, weights = table
    same(name, csr_array(truth) if sparse else truth, scores, sample_weight=weights)


@given(table=matrices(), k=st.one_of(st.none(), st.integers(1, 6)), ignore=st.booleans(), grades=st.integers(1, 4))
def test_gains(table, k, ignore, grades):
    truth, scores, weights = table
    gains = truth * (1 + np.arange(truth.size).reshape(truth.shape) % grades)
    same("dcg_score", gains, scores, k=k, sample_weight=weights, ignore_ties=ignore, log_base=3)
    same("ndcg_score", gains, scores, k=k, sample_weight=weights, ignore_ties=ignore)


@st.composite
def classified(draw):
    k = draw(st.integers(2, 4))
    rows = draw(st.lists(st.tuples(st.integers(0, k - 1), st.lists(st.integers(1, 4), min_size=k, max_size=k)),
                         min_size=1, max_size=15))  # fmt: skip
    scores = np.array([row for _, row in rows], dtype=float)
    weights = draw(st.one_of(st.none(), st.lists(st.sampled_from([0.5, 2.0]), min_size=len(rows), max_size=len(rows))))
    names = np.array(["a", "b", "c", "d"])[:k] if draw(st.booleans()) else np.arange(k)
    return names[[c for c, _ in rows]], scores / scores.sum(axis=1, keepdims=True), names, weights


@given(
    table=classified(),
    how=st.sampled_from(["ovo", "ovr"]),
    average=st.sampled_from(["macro", "weighted", "micro", None]),
    named=st.booleans(),
)
def test_multiclass_auc(table, how, average, named):
    truth, scores, names, weights = table
    if how == "ovo" and (np.unique(truth).size < 2 or weights is not None):
        return  # no pair: scikit-learn divides by zero; weights: scikit-learn refuses them
    same("roc_auc_score", truth, scores, multi_class=how, average=average, labels=names if named else None,
         sample_weight=weights)  # fmt: skip


@given(table=classified(), k=st.integers(1, 4), normalize=st.booleans())
def test_top_k(table, k, normalize):
    truth, scores, names, weights = table
    if names.size > 2:
        same("top_k_accuracy_score", truth, scores, k=k, labels=names, normalize=normalize, sample_weight=weights)
    else:
        same("top_k_accuracy_score", truth, scores[:, 1], k=k, labels=names, normalize=normalize, sample_weight=weights)


@pytest.mark.parametrize("package", [ours, theirs])
@given(rows=ROWS, weighted=st.booleans(), positive=st.sampled_from([None, 0, 1]),
       name=st.sampled_from(["f1_score", "fbeta_score", "jaccard_score", "precision_score", "recall_score",
                             "accuracy_score", "balanced_accuracy_score", "cohen_kappa_score", "hamming_loss",
                             "matthews_corrcoef", "zero_one_loss", "roc_auc_score"]))  # fmt: skip
def test_metric_at_thresholds(package, rows, weighted, positive, name):
    labels, scores, weights = columns(rows, (0, 1), weighted)
    metric, parameters = getattr(package, name), {"beta": 2.0} if name == "fbeta_score" else {}
    if positive is not None and name in ("f1_score", "fbeta_score", "jaccard_score", "precision_score", "recall_score"):
        parameters = {**parameters, "pos_label": positive, "zero_division": 1}
    arguments = {"sample_weight": weights, "metric_params": parameters or None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want, _, refused = outcome(theirs.metric_at_thresholds, labels, scores, metric, **arguments)
        got, _, error = outcome(ours.metric_at_thresholds, labels, scores, metric, **arguments)
    assert (error is None) == (refused is None)
    if refused is None:
        for mine, peers in zip(got, want, strict=True):
            np.testing.assert_allclose(mine, peers, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("truth", "scores"), [
    (["0", "1", "1"], [0.1, 0.4, 0.3]), ([0, 1, 2], [0.1, 0.4, 0.3]), ([0.5, 1, 1], [0.1, 0.4, 0.3]),
    ([0, 1], [0.1, 0.4, 0.3]), ([0, 1, 1], [0.1, np.nan, 0.3]), ([0, 1, 1], [0.1, np.inf, 0.3]),
    ([0, np.nan, 1], [0.1, 0.2, 0.3]), ([[0, 1], [1, 1]], [0.1, 0.2]),
    ([0, 1, 1], [[0.1, 0.2], [0.1, 0.2], [0.3, 0.4]]), ([0, 1, 1], "abc"), ([], []),
])  # fmt: skip
@pytest.mark.parametrize("name", ["roc_curve", "precision_recall_curve", "det_curve", "roc_auc_score"])
def test_refusals(name, truth, scores):
    _, _, error = outcome(getattr(ours, name), truth, scores)
    _, _, their_error = outcome(getattr(theirs, name), truth, scores)
    if their_error is None:
        same(name, truth, scores)
    else:
        assert isinstance(error, ValueError | TypeError)


@pytest.mark.parametrize(("name", "options"), [
    ("average_precision_score", {"pos_label": None}), ("average_precision_score", {"pos_label": 2}),
    ("average_precision_score", {"average": "binary"}), ("roc_auc_score", {"max_fpr": 0}),
    ("roc_auc_score", {"max_fpr": 1.5}), ("roc_auc_score", {"average": "binary"}),
    ("roc_auc_score", {"multi_class": "ova"}), ("roc_curve", {"drop_intermediate": 1}),
    ("roc_curve", {"pos_label": [1]}), ("det_curve", {"drop_intermediate": None}), ("top_k_accuracy_score", {"k": 0}),
    ("top_k_accuracy_score", {"k": 1.5}), ("top_k_accuracy_score", {"normalize": "yes"}),
    ("metric_at_thresholds", {"metric_func": "f1"}),
])  # fmt: skip
def test_options_that_are_refused(name, options):
    for package in (ours, theirs):
        with pytest.raises(ValueError, match=r"."):
            getattr(package, name)([0, 1, 1], [0.1, 0.4, 0.3], **options)
