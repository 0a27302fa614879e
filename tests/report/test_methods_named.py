"""Which model an interval's method, or the reason for its absence, is of."""

import thresher as th
from thresher.report.files import render


def test_a_method_or_reason_that_not_all_models_share_names_its_models():
    rows = th.load_example("breast_cancer")
    names = ["logistic_regression", "random_forest", "naive_bayes"]
    evaluation = th.evaluate(rows, label="diagnosis", positive="malignant", scores=names)
    text = " ".join(render(evaluation, "text", title="x", width=100).split())
    assert "DeLong, score limits (ROC AUC);" in text
    assert "Log loss of random_forest, naive_bayes: no interval, as a probability of 0 or 1 was wrong" in text
    one = " ".join(render(th.evaluate(rows, label="diagnosis", positive="malignant", scores=names[:1]), "text",
                                   title="x", width=100).split())  # fmt: skip
    assert "DeLong, score limits (ROC AUC);" in one
