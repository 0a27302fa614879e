"""What a paper reports: numbers are those of the library, and only who asks for it gets it."""

import pytest

import thresher as th
from report_cases import case
from thresher.report.files import render
from thresher.report.request import DecisionOptions

ROWS = th.load_example("breast_cancer")
MODELS = ["random_forest", "logistic_regression"]


def written(form="text", **options):
    evaluation = th.evaluate(ROWS, label="diagnosis", positive="malignant", scores=MODELS, **options)
    return evaluation, " ".join(
        render(evaluation, form, deciding=DecisionOptions.of(None, None, style="paper")).split()
    )


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_the_sentence_has_the_numbers_of_the_library(form):
    evaluation, text = written(form, threshold=0.5)
    model = evaluation["random_forest"]
    area, found = model.auc, model.estimate("sensitivity")
    assert f"curve of {area.value:.3f} (95 % confidence interval {area.low:.3f} to {area.high:.3f};" in text
    assert "(fixed in advance) its sensitivity was " in text
    assert f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f})" in text
    compared = evaluation.compare(*MODELS)
    assert f"larger by {compared.difference:.3f} for random" in text
    assert f"{compared.low:.3f} to {compared.high:.3f}; DeLong" in text


def test_a_style_is_of_two_classes_and_has_a_name(tmp_path):
    case("plain").report(tmp_path / "a.txt", style="paper")
    assert "For a paper" in (tmp_path / "a.txt").read_text("utf-8")
