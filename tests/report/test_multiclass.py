"""What a report says of several classes: tables, curves, shaded numbers, and that it stays small."""

import csv
import io
import json

import numpy as np
import pytest

import thresher as th
from thresher.analysis.classes import confusions
from thresher.report.blocks import Plots, Table
from thresher.report.build import build
from thresher.report.render.html.page import document_page
from thresher.report.render.json import document_json
from thresher.report.render.text import document_text
from thresher.report.sections.order import sections_of


@pytest.fixture(scope="module")
def digits():
    return th.evaluate(th.load_example("digits"), label="digit", probabilities=["forest_*", "logistic_*"], by="ink")


@pytest.fixture(scope="module")
def document(digits):
    return build(digits, points=True)


def sections(document, kind):
    return [section for section in sections_of(document) if isinstance(section, kind)]


def test_every_class_has_its_row_and_the_numbers_are_the_evaluations(digits, document):
    tables = {table.title: table for table in sections(document, Table)}
    shown = tables["Each class against the rest: logistic"]
    assert [row[0] for row in shown.rows] == [str(k) for k in range(10)]
    assert shown.columns == ("Class", "Rows", "Predicted", "Recall (sensitivity)", "Precision", "F1", "ROC AUC")
    view = digits["logistic"].classes[8]
    recall, precision, f1, auc = shown.rows[8][3:]
    assert (recall.value, precision.value, f1.value) == (view.recall.value, view.precision.value, view.f1.value)
    assert auc.value == pytest.approx(view.auc.value)
    assert (auc.low, auc.high) == pytest.approx((view.auc.low, view.auc.high), rel=1e-6)


def test_what_is_taken_for_what_is_the_largest_wrong_cells_first(digits, document):
    shown = next(table for table in sections(document, Table) if table.key == "confused")
    counts = digits["logistic"].confusion_matrix.counts.copy()
    np.fill_diagonal(counts, 0)
    worst = next(row for row in shown.rows if row[0] == "logistic")
    i, j = np.unravel_index(counts.argmax(), counts.shape)
    assert worst[1:4] == (str(i), str(j), int(counts.max()))
    assert worst[4].value == counts.max() / digits["logistic"].confusion_matrix.row_totals[i]


def test_areas_of_pairs_are_a_shaded_table(digits, document):
    found = [table for table in sections(document, Table) if table.shade]
    assert [section.title.split(": ")[1] for section in found] == ["forest", "logistic"]
    matrix = digits["forest"].auc_estimates.auc.matrix
    assert found[0].rows[3][0] == "3"
    assert found[0].rows[3][1 + 5] == matrix[3, 5]
    assert found[0].rows[4][1 + 4] is None
    page = document_page(document)
    assert page.count('class="matrix heat"') == 2
    assert "AUC of each class against each other" not in document_text(document)


def test_curves_of_ten_classes_one_plot_a_class(digits, document):
    (plots,) = sections(document, Plots)
    assert plots.is_small
    assert [plot.title for plot in plots.plots] == [f"Class {digit}" for digit in range(10)]
    line = plots.plots[8].lines[2]
    matrix = digits["logistic"].confusion_matrix.one_vs_rest(8)
    assert (line.name, line.model) == ("logistic", 1)
    assert line.dot == pytest.approx((np.log10(float(matrix.false_positive_rate)), float(matrix.true_positive_rate)))
    area = np.trapezoid(line.y, 10**line.x)
    assert area == pytest.approx(digits["logistic"].classes[8].auc.value, abs=0.005)
    assert plots.plots[8].x_labels == ("0.0001", "0.001", "0.01", "0.1", "1")


def test_the_rule_that_always_says_one_class_has_every_measure(document):
    shown = next(table for table in sections(document, Table) if table.key == "baselines")
    truth = np.repeat(list(document.class_counts), list(document.class_counts.values()))
    rule = max(document.class_counts, key=document.class_counts.get)
    matrix = th.ConfusionMatrix.from_predictions(truth, np.full(truth.size, rule))
    found = dict(zip(shown.columns, shown.rows[-1], strict=True))
    assert found["Accuracy"] == pytest.approx(matrix.accuracy)
    assert found["Balanced accuracy"] == pytest.approx(matrix.balanced_accuracy)
    assert np.isnan(found["Matthews correlation"])
    assert np.isnan(matrix.matthews_correlation)


def test_csv_has_a_line_for_every_class_and_measure(digits):
    from thresher.report.files import render

    lines = list(csv.DictReader(io.StringIO(render(digits, "csv"))))
    of_eight = {row["measure"]: row for row in lines if (row["model"], row["group"]) == ("forest", "class=8")}
    assert set(of_eight) == {"true_positive_rate", "positive_predictive_value", "f1", "auc"}
    assert float(of_eight["f1"]["value"]) == digits["forest"].classes[8].f1.value


@pytest.mark.slow
def test_many_classes_are_listed_worst_first_and_the_report_stays_small():
    k, n = 200, 4000
    rng = np.random.default_rng(0)
    truth = np.arange(n) % k
    posteriors = rng.dirichlet(np.full(k, 0.2), n) + 0.5 * np.eye(k)[truth]
    found = th.evaluate(truth, {"m": posteriors}, normalize=True)
    document = build(found, points=True)
    shown = next(table for table in sections(document, Table) if table.key == "classes-m")
    f1 = [row.measures["f1"].value for row in document.models[0].classes.rows]
    assert sorted(row[5].value for row in shown.rows) == sorted(f1)[:30]
    assert "30 of 200 classes with the smallest F1" in shown.remarks[0]
    (plots,) = sections(document, Plots)
    assert len(plots.plots) == 10
    assert "of 200 classes with the smallest areas" in plots.lead
    assert not [table for table in sections(document, Table) if table.shade]
    assert len(document_page(document)) < 250_000
    assert len(document_text(document)) < 20_000
    result = json.loads(document_json(document))["models"]["m"]["classes"]
    assert len(result["one_vs_rest"]) == k
    assert result["auc_of_pairs"] is None


def test_confusions_are_wrong_cells_only():
    matrix = th.ConfusionMatrix.from_counts([[5, 2, 0], [1, 7, 1], [0, 0, 3]])
    found = [(c.truth, c.predicted, c.rows) for c in confusions(matrix)]
    assert found == [("0", "1", 2.0), ("1", "0", 1.0), ("1", "2", 1.0)]
    assert confusions(th.ConfusionMatrix.from_counts(np.eye(3, dtype=int))) == ()


def test_the_weakest_label_is_one_that_is_given_too_often():
    truth = np.array([[1, 1], [1, 1], [1, 1], [1, 0], [0, 0], [0, 0], [0, 0], [0, 0]])
    said = np.array([[1, 1], [1, 1], [1, 1], [0, 1], [0, 1], [0, 1], [0, 1], [0, 1]])
    document = build(th.evaluate(truth, predicted=said))
    assert "weakest “1” (F1 0.545)" in document_page(document)
