"""Measures of decisions against caret, ROCR, R's own tests and scikit-learn, on the example data."""

import math
from typing import Any

import numpy as np
import pytest

from example_rows import scores, truth
from golden_values import load
from thresher.counts import ConfusionMatrix, ThresholdTable

NAMES = ["breast_cancer", "digit_eight"]
CARET = {
    "Sensitivity": "true_positive_rate", "Specificity": "true_negative_rate",
    "Pos Pred Value": "positive_predictive_value", "Neg Pred Value": "negative_predictive_value",
    "Precision": "precision", "Recall": "recall", "Prevalence": "prevalence",
    "Detection Prevalence": "predicted_prevalence", "Balanced Accuracy": "balanced_accuracy",
}  # fmt: skip
ROCR = {
    "acc": "accuracy", "err": "error_rate", "fpr": "false_positive_rate", "tpr": "true_positive_rate", "rec": "recall",
    "prec": "precision", "npv": "negative_predictive_value", "mat": "matthews_correlation",
    "odds": "diagnostic_odds_ratio", "lift": "lift", "rpp": "predicted_prevalence",
}  # fmt: skip


def entries(name: str, start: str, end: str) -> list[tuple[str, Any]]:
    found = [(key.split("/")[1], e["value"]) for key, e in load(name)["results"].items()
             if key.startswith(start) and end in key]  # fmt: skip
    assert found
    return found


@pytest.mark.parametrize("name", NAMES)
def test_caret_at_three_thresholds(name: str) -> None:
    for cut in (0.5, 0.2, 2):
        for model, caret in entries(name, "caret/", f"confusion_at_{cut}"):
            matrix = ThresholdTable.from_scores(truth(name), scores(name, model)).at(cut)
            assert matrix.counts.tolist() == caret["counts"]["values"]
            for theirs, ours in CARET.items():
                np.testing.assert_allclose(getattr(matrix, ours), caret["byClass"][theirs], rtol=1e-12)
            np.testing.assert_allclose(matrix.kappa, caret["overall"]["Kappa"], rtol=1e-12, atol=1e-15)
            if not math.isnan(caret["byClass"]["F1"]):
                np.testing.assert_allclose(matrix.f1, caret["byClass"]["F1"], rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_rocr_at_every_cutoff(name: str) -> None:
    for model, rocr in entries(name, "rocr/", "by_cutoff"):
        table = ThresholdTable.from_scores(truth(name), scores(name, model))
        rows = [table.index(cut) for cut in rocr["cutoff"]]
        assert table.thresholds[rows].tolist() == rocr["cutoff"]
        for theirs, ours in ROCR.items():
            np.testing.assert_allclose(getattr(table, ours)[rows], rocr[theirs], rtol=1e-10, atol=1e-12, err_msg=theirs)
        # ROCR has 0/0 for F where nothing is predicted positive; from counts it is 0. Its alpha is 1/(1 + β²).
        for theirs, ours in (("f", table.f1), ("f2", table.f_beta(beta=2))):
            np.testing.assert_allclose(ours[rows], np.nan_to_num(rocr[theirs]), rtol=1e-10, err_msg=theirs)
        cost = table.average_cost(cost_fp=1, cost_fn=5)[rows]
        np.testing.assert_allclose(cost, rocr["cost_fn_5"], rtol=1e-10)


def wine(predicted: str, weight: np.ndarray | None = None) -> ConfusionMatrix:
    """Matrix of the wine labels; `blind` never predicts class 2."""
    data = load("sklearn")["data"]["wine"]
    actual, hard = np.array(data["y"]), np.array(data["hard"])
    hard = np.where(hard == 2, 1, hard) if predicted == "blind" else hard
    counts = np.bincount(3 * actual + hard, weights=weight, minlength=9).reshape(3, 3)
    return ConfusionMatrix.from_counts(counts, labels=(0, 1, 2))


@pytest.mark.parametrize("predicted", ["hard", "blind"])
def test_caret_on_three_classes(predicted: str) -> None:
    key = "caret/confusion" if predicted == "hard" else "caret/confusion_blind"
    caret, matrix = load("wine")["results"][key]["value"], wine(predicted)
    np.testing.assert_allclose(matrix.accuracy, caret["overall"]["Accuracy"], rtol=1e-12)
    np.testing.assert_allclose(matrix.kappa, caret["overall"]["Kappa"], rtol=1e-12)
    for line, label in zip(caret["byClass"]["values"], matrix.labels, strict=True):
        one = matrix.one_vs_rest(label)
        for theirs, value in zip(caret["byClass"]["colnames"], line, strict=True):
            if theirs in CARET:
                np.testing.assert_allclose(getattr(one, CARET[theirs]), value, rtol=1e-12, err_msg=theirs)


def test_scikit_learn_s_zero_division_is_our_undefined() -> None:
    results = {k.removeprefix("wine/blind/"): e["value"] for k, e in load("sklearn")["results"].items()}
    matrix = wine("blind")
    for how in ("macro", "weighted"):
        got = matrix.average("precision", how=how, undefined=0)
        np.testing.assert_allclose(got.value, results[f"precision_score/average={how}/zero_division=0.0"], rtol=1e-12)
        f1 = matrix.average("f1", how=how).value
        np.testing.assert_allclose(f1, results[f"f1_score/average={how}/zero_division=nan"], rtol=1e-12)
    # With nan scikit-learn drops the class from the mean; here the mean is undefined, and says so.
    assert math.isnan(matrix.average("precision").value)
    assert results["precision_score/average=macro/zero_division=nan"] == pytest.approx(0.6216897856242118)
