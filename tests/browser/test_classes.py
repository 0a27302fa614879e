"""The page of several classes in a browser: nothing goes wrong in it, and its boxes show and hide classes."""

import pytest

import thresher as th
from page_checks import assert_fits, case

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def digits():
    return th.evaluate(th.load_example("digits"), label="digit", probabilities=["forest_*", "logistic_*"], by="ink")


@pytest.mark.parametrize("name", ["posteriors", "posteriors_without_a_class", "many_classes", "multilabel"])
def test_pages_open_without_a_complaint(opened, name):
    page = opened(case(name))
    assert page.locator("h1").count() == 1


def test_boxes_show_and_hide_a_class_in_every_chart(opened, digits):
    page = opened(digits)
    curves = page.locator('svg.chart g[data-model="8"]')
    assert curves.count() == 2
    assert all(curve.is_visible() for curve in curves.all())
    page.get_by_role("checkbox", name="8", exact=True).uncheck()
    assert not any(curve.is_visible() for curve in curves.all())


def test_the_areas_of_pairs_unfold(opened, digits):
    page = opened(digits)
    table = page.locator("table.heat").first
    assert not table.is_visible()
    page.get_by_role("heading", name="AUC of each class against each other: forest").click()
    assert table.is_visible()
    assert table.locator("tbody tr").count() == 10


def test_nothing_sticks_out_of_the_page(opened, digits):
    assert_fits(opened(digits), 360, 800, 1320)


def test_without_a_script_everything_is_there(opened, digits):
    page = opened(digits, java_script_enabled=False)
    assert page.locator("svg.chart").count() == 2
    assert page.get_by_role("heading", name="Most frequent confusions").is_visible()
