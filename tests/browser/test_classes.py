"""The page of several classes in a browser: nothing goes wrong in it, and its boxes show and hide classes."""

import numpy as np
import pytest

import thresher as th
from page_checks import assert_accessible, assert_fits, case, unfold
from thresher.report.build import build
from thresher.report.numbers import number, recognized

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def digits():
    return th.evaluate(th.load_example("digits"), label="digit", probabilities=["forest_*", "logistic_*"], by="ink")


@pytest.mark.parametrize("name", ["posteriors", "posteriors_without_a_class", "many_classes", "multilabel"])
def test_pages_open_without_a_complaint(opened, name):
    page = opened(case(name))
    assert page.locator("h1").count() == 1


def test_every_class_has_a_small_plot_of_all_models(opened, digits):
    page = opened(digits)
    unfold(page)
    assert page.locator(".small figure h4").all_text_contents() == [f"Class {digit}" for digit in range(10)]
    assert page.locator(".small svg .curve").count() == 20
    assert page.locator(".legend .key").evaluate_all("nodes => nodes.filter(n => n.offsetParent).length") == 2


def test_two_classes_are_looked_at_alone(opened, digits):
    page, matrix = opened(digits), digits["logistic"].confusion_matrix
    pair = page.locator("#model-1 .pair")
    wrong = matrix.counts - np.diag(np.diag(matrix.counts))
    i, j = map(int, np.unravel_index(wrong.argmax(), wrong.shape))
    assert [select.input_value() for select in pair.locator("select").all()] == [str(i), str(j)]
    page.locator("#model-1 table.matrix tbody tr").nth(3).locator("td.cell").nth(9).click()
    rows = [row.locator("td").all_text_contents() for row in pair.locator("tbody tr").all()]
    areas = digits["logistic"].auc_estimates.auc.matrix
    for row, (a, b) in zip(rows, [(3, 9), (9, 3)], strict=True):
        total = matrix.row_totals[a]
        parts = [matrix.counts[a, 3], matrix.counts[a, 9], total - matrix.counts[a, [3, 9]].sum()]
        assert [cell.replace("\xa0", " ") for cell in row[:3]] == [
            f"{int(part)} ({recognized(part / total)})" for part in parts
        ]
        assert row[3] == number(areas[a, b], build(digits).decimals)
    pair.locator("select").nth(1).select_option("4")
    assert "Predicted 4" in pair.locator("thead").text_content()


def test_axe_finds_nothing_with_many_classes(opened, digits):
    assert_accessible(opened(digits, bypass_csp=True))


def test_the_areas_of_pairs_unfold(opened, digits):
    page = opened(digits)
    table = page.locator("table.heat").first
    page.get_by_role("heading", name="Classes of").click()
    assert not table.is_visible()
    page.get_by_role("heading", name="AUC of each class against each other: forest").click()
    assert table.is_visible()
    assert table.locator("tbody tr").count() == 10


def test_nothing_sticks_out_of_the_page(opened, digits):
    assert_fits(opened(digits), 360, 800, 1320)


def test_without_a_script_everything_is_there(opened, digits):
    page = opened(digits, java_script_enabled=False)
    page.get_by_role("heading", name="Classes of").click()
    assert page.locator("svg.chart").count() == 10
    assert page.get_by_role("heading", name="Most frequent confusions").is_visible()
