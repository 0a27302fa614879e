"""Output of estimators in every form, read alike by every function that takes an estimator."""

import numpy as np
import pytest

import thresher as th
from thresher.calibration import CalibratedClassifier, LogisticMap
from thresher.decisions import ClassRule, FixedThreshold, RuleClassifier, ScoreRule
from thresher.errors import FitError, InputError
from thresher.readers.estimator_output import read_scores

pytest.importorskip("sklearn")
RocCurveDisplay, score = th.displays.RocCurveDisplay, th.displays.curves.score
pytestmark = pytest.mark.peer

RNG = np.random.default_rng(5)
N = 40
Y = (RNG.random(N) < 0.4).astype(int)
P = np.round(np.clip(0.3 * Y + 0.6 * RNG.random(N), 0.01, 0.99), 3)
TABLE = np.column_stack([1 - P, P])
KINDS = RNG.integers(0, 3, N)
POSTERIORS = RNG.dirichlet(np.ones(3), N)
X = np.arange(N)[:, None]
AUC = np.mean([(P[i] > P[j]) + 0.5 * (P[i] == P[j]) for i in range(N) if Y[i] for j in range(N) if not Y[j]])


class Says:
    """An estimator whose methods give these values for the rows that X numbers."""

    _estimator_type = "classifier"

    def __init__(self, classes=None, predict=None, **values):
        if classes is not None:
            self.classes_ = classes
        self.values = values | ({} if predict is None else {"predict": predict})

    def __getattr__(self, name):
        if name.startswith("_") or name not in self.values:
            raise AttributeError(name)
        return lambda X: self.given(self.values[name], X)

    def given(self, values, X):
        return values(np.asarray(X)[:, 0]) if callable(values) else values

    def fit(self, X, y):  # noqa: ARG002  an estimator's signature
        return self


def rows_of(table):
    """Values for the rows that are asked for, in the form of a whole table."""
    return lambda rows: table[rows] if isinstance(table, np.ndarray) else [table[row] for row in rows]


def auc_by_each(estimator):
    """The AUC of all rows, by every function that reads scores of two classes."""
    by = {"evaluate_estimator": th.evaluate_estimator(estimator, X, Y)["Says"].auc.value}
    by["FixedThreshold"] = th.evaluate(Y, read_scores(estimator, X, 1)).auc.value
    if hasattr(estimator, "classes_"):
        by["displays"] = th.evaluate(Y, np.asarray(score(estimator, X, pos_label=1)[0])).auc.value
        identity = LogisticMap(method="platt", intercept=0.0, slope=1.0)
        mapped = CalibratedClassifier.of(estimator, identity, 1)
        place = [float(label) for label in mapped.classes_].index(1)
        by["CalibratedClassifier"] = th.evaluate(Y, mapped.predict_proba(X)[:, place]).auc.value
    return by


def assessed(estimator, y=Y):
    """An assessment whose estimator is never fitted, so that its posteriors are of all rows."""
    return th.assess(estimator, X, y, method="kfold:2", progress=False)


CLASSES = np.array([0, 1])
FORMS = {
    "table": (CLASSES, {"predict_proba": rows_of(TABLE)}),
    "a list of classes": ([0, 1], {"predict_proba": rows_of(TABLE)}),
    "classes that are whole floats": (np.array([0.0, 1.0]), {"predict_proba": rows_of(TABLE)}),
    "classes turned": (CLASSES[::-1], {"predict_proba": rows_of(TABLE[:, ::-1])}),
    "one column": (CLASSES, {"predict_proba": rows_of(P)}),
    "a table of one column": (CLASSES, {"predict_proba": rows_of(P[:, None])}),
    "lists": (CLASSES, {"predict_proba": rows_of(TABLE.tolist())}),
    "objects": (CLASSES, {"predict_proba": rows_of(TABLE.astype(object))}),
    "masked, with nothing missing": (CLASSES, {"predict_proba": rows_of(np.ma.array(TABLE))}),
    "decision values": (CLASSES, {"decision_function": rows_of(P)}),
    "a table of decision values": (CLASSES, {"decision_function": rows_of(P[:, None])}),
    "decision values of both": (CLASSES, {"decision_function": rows_of(TABLE)}),
    "decision values of classes turned": (CLASSES[::-1], {"decision_function": rows_of(-P)}),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_scores(form):
    classes, values = FORMS[form]
    estimator = Says(classes, predict=lambda rows: (P[rows] > 0.5).astype(int), **values)
    for by, found in auc_by_each(estimator).items():
        assert found == pytest.approx(AUC), by
    source = assessed(estimator)
    assert source.judged["Says"].scores.shape == (N,)
    assert sorted(source.judged["Says"].scores) == pytest.approx(sorted(P if "ion" not in form else auc_scores(form)))


def auc_scores(form):
    return TABLE[:, 1] - TABLE[:, 0] if "both" in form else P


@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
@pytest.mark.parametrize("classes", [None, ()])
def test_an_estimator_without_classes_has_those_of_the_labels(method, classes):
    estimator = Says(**{method: rows_of(TABLE if method == "predict_proba" else P)})
    if classes is not None:
        estimator.classes_ = None
    assert th.evaluate_estimator(estimator, X, Y)["Says"].auc.value == pytest.approx(AUC)
    words = np.where(Y == 1, "well", "ill")
    found = th.evaluate_estimator(estimator, X, words, positive="well")["Says"]
    assert found.auc.value == pytest.approx(AUC)
    three = th.evaluate_estimator(Says(predict_proba=rows_of(POSTERIORS)), X, KINDS)["Says"]
    assert np.array_equal(three.posteriors.matrix, POSTERIORS)


def test_without_classes_the_predictions_must_be_the_labels():
    outlier = Says(decision_function=rows_of(P), predict=lambda rows: np.where(P[rows] > 0.5, 1, -1))
    with pytest.raises(InputError, match="predict of Says gave -1, which is not one of the labels 0, 1"):
        th.evaluate_estimator(outlier, X, Y)
    of_both = Says(decision_function=rows_of(P), predict=lambda rows: np.where(P[rows] > 0.5, 1, -1))
    found = th.evaluate_estimator(of_both, X, np.where(Y, 1, -1))["Says"]
    assert found.auc.value == pytest.approx(AUC)


def test_labels_of_one_class_do_not_tell_the_columns():
    estimator = Says(predict_proba=rows_of(TABLE))
    with pytest.raises(InputError, match=r"Says lacks classes_, and y has the label 1 alone: name all with labels="):
        th.evaluate_estimator(estimator, X, np.ones(N, dtype=int))
    found = th.evaluate_estimator(estimator, X, np.ones(N, dtype=int), labels=[0, 1])["Says"]
    assert found.mean_score.value == pytest.approx(P.mean())


def test_stated_labels_name_the_columns_in_their_order():
    expected = th.evaluate(KINDS, probabilities=POSTERIORS)
    for labels in ([0, 1, 2], [2, 0, 1], [2, 1, 0, 3]):
        found = th.evaluate_estimator(Says([0, 1, 2], predict_proba=rows_of(POSTERIORS)), X, KINDS, labels=labels)
        assert found["Says"].log_loss.value == pytest.approx(expected["model"].log_loss.value)
    with pytest.raises(InputError, match="predict_proba of Says is for the class 2; the labels are 0, 1"):
        th.evaluate_estimator(Says([0, 1, 2], predict_proba=rows_of(POSTERIORS)), X, Y, labels=[0, 1])


MASK = np.arange(N) == 3
MASKED = np.ma.array(TABLE, mask=np.column_stack([MASK, MASK]))
BAD = {
    "three columns for two": (CLASSES, rows_of(POSTERIORS), r"gave shape \((40|20), 3\) for 2 classes, 0, 1"),
    "rows lost": (CLASSES, lambda rows: TABLE[rows][:-1], r"gave (39|19) values for (40|20) rows of X: one per row"),
    "three dimensions": (CLASSES, lambda rows: TABLE[rows][:, :, None], r"gave shape \((40|20), 2, 1\): a value, or"),
    "a number": (CLASSES, lambda _rows: 0.5, r"gave shape \(\): a value, or a row of values, is needed"),
    "a list of tables": (CLASSES, lambda rows: [TABLE[rows], TABLE[rows]], r"gave shape \(2, (40|20), 2\): a value"),
    "ragged": (CLASSES, lambda _rows: [[0.1, 0.9], [0.3]], "gave rows that are not a table"),
    "text": (CLASSES, lambda rows: TABLE[rows].astype(str), "are not a table of numbers"),
    "complex": (CLASSES, lambda rows: TABLE[rows].astype(complex), "are not a table of numbers"),
    "nothing": (CLASSES, lambda _rows: None, r"gave shape \(\)|not a table of numbers"),
}


@pytest.mark.parametrize("form", BAD)
def test_the_output_is_blamed_and_not_the_rows(form):
    classes, values, why = BAD[form]
    estimator = Says(classes, predict=lambda rows: Y[rows], predict_proba=values)
    readers = {
        "evaluate_estimator": lambda: th.evaluate_estimator(estimator, X, Y),
        "assess": lambda: assessed(estimator),
    }
    if form != "rows lost":  # a wrapper is not told how many rows there are
        readers |= {
            "FixedThreshold": lambda: FixedThreshold.of(estimator, 0.5, 1, "higher").predict(X),
            "RuleClassifier": lambda: RuleClassifier.of(estimator, ScoreRule(upper=0.5, lower=0.5)).predict(X),
            "displays": lambda: RocCurveDisplay.from_estimator(estimator, X, Y),
        }
    for reader, call in readers.items():
        with pytest.raises((InputError, FitError), match=f"predict_proba of Says {why}|{why}") as caught:
            call()
        assert "predict_proba of Says" in str(caught.value), reader


@pytest.mark.parametrize("table", [MASKED, np.where(MASK[:, None], np.nan, TABLE)], ids=["masked", "NaN"])
def test_what_is_missing_is_missing(table):
    estimator = Says(CLASSES, predict=lambda rows: Y[rows], predict_proba=lambda rows: table[rows])
    with pytest.raises(InputError, match="the score column 'Says' is empty in row 4"):
        th.evaluate_estimator(estimator, X, Y)
    found = th.evaluate_estimator(estimator, X, Y, missing="drop")["Says"]
    assert found.auc.value == th.evaluate(Y[~MASK], P[~MASK]).auc.value
    for call in (
        lambda: FixedThreshold.of(estimator, 0.5, 1, "higher").predict(X),
        lambda: RuleClassifier.of(estimator, ClassRule(labels=(0, 1), weights=(1.0, 1.0))).predict(X),
        lambda: FixedThreshold.of(estimator, 0.5, 1, "higher").predict_proba(X),
        lambda: CalibratedClassifier.fit(estimator, X, Y),
        lambda: assessed(estimator),
    ):
        with pytest.raises(
            (InputError, FitError), match=r"predict_proba of Says gave NaN for 2 values, first in row \d"
        ):
            call()
    three = np.ma.array(POSTERIORS, mask=np.column_stack([MASK] * 3))
    with pytest.raises(InputError, match=r"posteriors of 'Says' is empty in row 4"):
        th.evaluate_estimator(Says([0, 1, 2], predict_proba=lambda rows: three[rows]), X, KINDS)


def test_masked_predictions_are_missing():
    labels = np.ma.array(Y, mask=MASK)
    with pytest.raises(InputError, match="is empty in row 4"):
        th.evaluate_estimator(Says(predict=lambda rows: labels[rows]), X, Y)
    with pytest.raises(FitError, match=r"predict of Says gave no label in row \d"):
        assessed(Says(predict=lambda rows: labels[rows]))


@pytest.mark.parametrize("y", [Y, KINDS, np.where(Y, "a", "b")], ids=["two", "three", "words"])
def test_a_regressor_is_told_that_it_is_none_of_a_label(y):
    positive = {"positive": "a"} if y.dtype.kind == "U" else {}
    regressor = Says(predict=rows_of(P))
    with pytest.raises(InputError, match=r"predict of Says gave 0\.\d+, which is not one of the labels .* classifier"):
        th.evaluate_estimator(regressor, X, y, **positive)
    with pytest.raises(FitError, match=r"predicts 0\.\d+, which is not among the labels"):
        th.assess(regressor, X, y, method="kfold:2", progress=False, **positive)


@pytest.mark.parametrize("method", ["predict_proba", "decision_function", "predict"])
@pytest.mark.parametrize("y", [Y, np.eye(2, dtype=int)[Y]], ids=["one label", "several"])
def test_what_an_estimator_raises_is_its_own(method, y):
    def fails(_rows):
        raise IndexError("index 3 is out of bounds")

    with pytest.raises(FitError, match="Says failed to predict X: IndexError: index 3 is out of bounds"):
        th.evaluate_estimator(Says(CLASSES, **{method: fails}), X, y)


def test_several_outputs_for_one_label_a_row():
    several = Says([CLASSES, CLASSES], predict=lambda rows: Y[rows], predict_proba=lambda rows: [TABLE[rows]] * 2)
    with pytest.raises(InputError, match="Says has 2 outputs a row; one label a row needs one"):
        th.evaluate_estimator(several, X, Y)


def test_scores_keep_their_precision():
    scores = P.astype(np.float32)
    estimator = Says(CLASSES, predict_proba=lambda rows: np.column_stack([1 - scores, scores])[rows])
    assert read_scores(estimator, X, 1).dtype == np.float32
    cut = float(P[0])
    hits = FixedThreshold.of(estimator, cut, 1, "higher").predict(X)
    assert (hits == (cut <= P)).all()


@pytest.mark.peer
def test_dataframes_series_and_sparse_matrices():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pa, sparse = pytest.importorskip("pyarrow"), pytest.importorskip("scipy.sparse")
    gone = pd.DataFrame(TABLE).convert_dtypes()
    gone.loc[3] = pd.NA
    forms = {
        "pandas": pd.DataFrame(TABLE),
        "pandas by name": pd.DataFrame({"1": P, "0": 1 - P}),
        "pandas by number": pd.DataFrame({1: P, 0: 1 - P}),
        "pandas with a prefix": pd.DataFrame({"p_1": P, "p_0": 1 - P}),
        "pandas with other names": pd.DataFrame({"no": 1 - P, "yes": P}),
        "nullable": pd.DataFrame(TABLE).convert_dtypes(),
        "a series": pd.Series(P, index=range(N, 2 * N)),
        "Polars": pl.DataFrame({"1": P, "0": 1 - P}),
        "a Polars series": pl.Series(P),
        "Arrow": pa.table({"1": P, "0": 1 - P}),
        "an Arrow column": pa.chunked_array([P[:10], P[10:]]),
        "sparse": sparse.csr_matrix(TABLE),
        "sparse array": sparse.csr_array(TABLE),
    }
    for form, values in forms.items():
        estimator = Says(CLASSES, predict_proba=lambda _rows, values=values: values)
        for by, found in auc_by_each(estimator).items():
            assert found == pytest.approx(AUC), (form, by)
    with pytest.raises(InputError, match="is empty in row 4"):
        th.evaluate_estimator(Says(CLASSES, predict_proba=lambda _rows: gone), X, Y)
    labels = pd.Categorical.from_codes(Y, categories=[0, 1])
    for predicted in (pd.Series(Y, index=range(N, 2 * N)), pl.Series(Y), pa.array(Y), pd.Series(labels), Y[:, None]):
        found = th.evaluate_estimator(Says(predict=lambda _rows, values=predicted: values), X, Y)["Says"]
        assert found.accuracy.value == 1


@pytest.mark.parametrize("only", [0, 1])
def test_a_classifier_fitted_on_one_class_gives_it_the_probability_1(only):
    model = Says([only], predict=np.full(N, only), predict_proba=np.ones((N, 1)))
    found = th.evaluate_estimator(model, X, Y)
    assert (found.auc.value, found.brier_score.value) == (0.5, np.mean((Y - only) ** 2))
    assert "fitted-on-one-class" in [note.code for note in found.notes]
    several = th.evaluate_estimator({"one": model, "all": Says([0, 1], Y, predict_proba=TABLE)}, X, Y)
    assert several["one"].auc == found.auc
    assert several["all"].auc.value == pytest.approx(AUC)


def test_one_class_of_text_and_of_three_labels_and_of_a_truth_of_one_class():
    text = np.where(Y, "ill", "well")
    model = Says(["ill"], predict=np.full(N, "ill"), predict_proba=np.ones((N, 1)))
    assert th.evaluate_estimator(model, X, text, positive="ill").recall.value == 1
    assert th.evaluate_estimator(model, X, text, positive="well").recall.value == 0
    of_three = th.evaluate_estimator(Says([2], np.full(N, 2), predict_proba=np.ones((N, 1))), X, KINDS)
    assert (of_three.task, of_three.accuracy.value) == ("multiclass", np.mean(KINDS == 2))
    for only in (0, 1):
        alone = Says([only], predict=np.full(N, only), predict_proba=np.ones((N, 1)))
        assert th.evaluate_estimator(alone, X, np.full(N, only)).brier_score.value == 0
        assert th.evaluate_estimator(alone, X, np.full(N, 1 - only)).brier_score.value == 1


def test_one_class_that_is_no_label_is_refused():
    with pytest.raises(InputError, match="predict_proba of Says is for the class 7; the labels are 0, 1"):
        th.evaluate_estimator(Says([7], np.full(N, 7), predict_proba=np.ones((N, 1))), X, Y)


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("at", [0.0, 0.3, 0.5, 0.9, 2.0])
@pytest.mark.parametrize("ties", ["positive", "negative"])
@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
def test_decisions_are_those_of_predict(method, ties, at, positive):
    """They were those at 0.5, or none."""
    values = np.round(P, 1)
    labels = (values >= at) if ties == "positive" else (values > at)
    scores = np.column_stack([1 - values, values]) if method == "predict_proba" else values - 0.5
    says = Says(np.array([0, 1]), labels.astype(int), **{method: scores})
    matrix = th.evaluate_estimator(says, X, Y, positive=positive)["Says"].confusion_matrix
    direct = th.ConfusionMatrix.from_predictions(Y, labels.astype(int), positive=positive)
    assert matrix.counts.tolist() == direct.counts.tolist()


def test_predictions_that_are_no_threshold_of_the_scores_are_told_and_a_given_threshold_holds():
    says = Says(np.array([0, 1]), np.arange(N) % 2, predict_proba=TABLE)
    found = th.evaluate_estimator(says, X, Y)
    assert "own-predictions" in [note.code for note in found.notes]
    assert found["Says"].threshold == 0.5
    given = th.evaluate_estimator(Says(np.array([0, 1]), P > 0.3, predict_proba=TABLE), X, Y, threshold=0.8)
    assert given["Says"].threshold == 0.8
