"""Measures of decisions against caret, epiR, yardstick, mlr3measures, dcurves and base R."""

import math

import numpy as np
import pytest

import reference_values
from reference_values import value
from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.measures.baselines import baselines

pytestmark = pytest.mark.reference

PROBABILITIES = [("asah", "p_glm"), ("asah", "p_loo"), ("asah", "p_glm2"), ("rocr_simple", "score")]
CUTS = [*((name, score, 0.5) for name, score in PROBABILITIES), ("asah", "p_loo", 0.2), ("rocr_simple", "score", 0.3)]
YARDSTICK = {
    "accuracy": "accuracy", "bal_accuracy": "balanced_accuracy", "kap": "kappa", "mcc": "mcc",
    "j_index": "informedness", "f1": "f1", "precision": "precision", "recall": "recall", "npv": "npv",
    "detection_prevalence": "predicted_prevalence",
}  # fmt: skip
EPIR = {
    "ap": "predicted_prevalence", "tp": "prevalence", "se": "sensitivity", "sp": "specificity", "diag.ac": "accuracy",
    "diag.or": "diagnostic_odds_ratio", "youden": "informedness", "pv.pos": "ppv", "pv.neg": "npv",
    "lr.pos": "positive_likelihood_ratio", "lr.neg": "negative_likelihood_ratio", "p.tpdn": "false_positive_rate",
    "p.tndp": "false_negative_rate", "p.dntp": "false_discovery_rate", "p.dptn": "false_omission_rate",
}  # fmt: skip
MLR3 = {
    "dor": "diagnostic_odds_ratio", "fbeta": "f1", "gmean": "geometric_mean", "gpr": "fowlkes_mallows",
    "fomr": "false_omission_rate", "fdr": "false_discovery_rate", "mcc": "mcc",
}  # fmt: skip
K_CLASSES = {
    "recall": "recall", "spec": "specificity", "npv": "npv", "bal_accuracy": "balanced_accuracy",
    "j_index": "informedness",
}  # fmt: skip


def close(got: object, expected: object) -> None:
    np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-12)


@pytest.fixture
def matrix(name: str, score: str, cut: float) -> ConfusionMatrix:
    """Matrix of a score at a cut, equal to caret's table, in which truth stands in columns."""
    caret = value(name, f"caret/{score}/threshold_{cut}/table")
    found = ScoreTable.from_scores(reference_values.truth(name), reference_values.scores(name, score)).at(cut)
    assert found == ConfusionMatrix.from_counts(
        np.array(caret["values"]).astype(int), labels=(0, 1), truth_in="columns"
    )
    return found


@pytest.mark.parametrize(("name", "score", "cut"), CUTS)
class TestAtACut:
    def test_yardstick(self, matrix: ConfusionMatrix, name: str, score: str, cut: float) -> None:
        expected = value(name, f"yardstick/{score}/threshold_{cut}")
        for theirs, ours in YARDSTICK.items():
            close(getattr(matrix, ours), expected[theirs])
        for beta in (2, 0.5):
            close(matrix.f_beta(beta=beta), expected[f"f{beta:g}"])
        close(matrix.with_prevalence(0.1).ppv, expected["ppv_prev0.1"])
        close(matrix.with_prevalence(0.1).npv, expected["npv_prev0.1"])

    def test_epir(self, matrix: ConfusionMatrix, name: str, score: str, cut: float) -> None:
        expected = value(name, f"epir/{score}/threshold_{cut}")
        for theirs, ours in EPIR.items():
            close(getattr(matrix, ours), expected[theirs]["est"])

    def test_mlr3measures(self, matrix: ConfusionMatrix, name: str, score: str, cut: float) -> None:
        expected = value(name, f"mlr3measures/{score}/threshold_{cut}")
        for theirs, ours in MLR3.items():
            close(getattr(matrix, ours), expected[theirs])

    def test_caret_at_other_prevalences(self, matrix: ConfusionMatrix, name: str, score: str, cut: float) -> None:
        for prevalence in (0.1, 0.5):
            expected = value(name, f"caret/{score}/threshold_{cut}/byClass_prevalence_{prevalence}")
            moved = matrix.with_prevalence(prevalence)
            close([moved.ppv, moved.npv], [expected["Pos Pred Value"], expected["Neg Pred Value"]])

    def test_wilson_and_the_no_information_rate(
        self, matrix: ConfusionMatrix, name: str, score: str, cut: float
    ) -> None:
        for measure, expected in value(name, f"base/{score}/threshold_{cut}/intervals").items():
            estimate = matrix.estimate(measure)
            close([estimate.low, estimate.high], expected["wilson"])
        overall, found = value(name, f"caret/{score}/threshold_{cut}/overall"), baselines(matrix)
        close(found.no_information_rate, overall["AccuracyNull"])
        np.testing.assert_allclose(found.p_value, overall["AccuracyPValue"], rtol=1e-9)


@pytest.mark.parametrize("model", ["lda", "mnom"])
def test_four_classes(model: str) -> None:
    caret = value("asah_gos6", f"caret/{model}/table")
    labels = caret["rownames"]
    counts = np.array(caret["values"]).astype(int)
    matrix = ConfusionMatrix.from_counts(counts, labels=labels, truth_in="columns")
    expected = value("asah_gos6", f"yardstick/{model}/class_metrics")
    close([matrix.accuracy, matrix.kappa, matrix.mcc], [expected["accuracy"], expected["kap"], expected["mcc"]])
    for weights in ("linear", "quadratic"):
        close(matrix.weighted_kappa(weights=weights), expected[f"kap_{weights}"])
    for theirs, ours in K_CLASSES.items():
        for how in ("macro", "micro", "weighted"):
            close(
                matrix.average(ours, how=how).value, expected[f"{theirs}_{how}".replace("weighted", "macro_weighted")]
            )
    overall = value("asah_gos6", f"caret/{model}/overall")
    close(baselines(matrix).no_information_rate, overall["AccuracyNull"])
    np.testing.assert_allclose(baselines(matrix).p_value, overall["AccuracyPValue"], rtol=1e-9)


def test_a_class_that_is_never_predicted_is_not_dropped() -> None:
    """The packages drop class "4" from the macro precision and F1; its F1 is 0, its precision undefined."""
    caret = value("asah_gos6", "caret/lda/table")
    counts = np.array(caret["values"]).astype(int)
    matrix = ConfusionMatrix.from_counts(counts, labels=caret["rownames"], truth_in="columns")
    expected = value("asah_gos6", "yardstick/lda/class_metrics")
    f1 = [estimate.value for estimate in matrix.average("f1", how="none").values()]
    assert f1[2] == 0
    close(np.mean([f1[0], f1[1], f1[3]]), expected["f_meas_macro"])
    close(matrix.average("f1").value, expected["f_meas_macro"] * 3 / 4)
    precision = matrix.average("precision")
    assert math.isnan(precision.value)
    assert "class '4' (nothing is predicted positive)" in precision.reason
