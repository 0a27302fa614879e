"""Long tables in a browser: sorted by their heads, by mouse and keyboard, under a head that stays in view."""

from functools import cache

import numpy as np
import pytest

import thresher as th
from page_checks import assert_accessible, assert_fits, unfold
from report_cases import breast_cancer_in_parts

pytestmark = pytest.mark.browser


@cache
def grouped():
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 1500)
    scores = {name: 1 / (1 + np.exp(-(rng.normal(size=y.size) + ahead * (2 * y - 1)))) for name, ahead in
              (("weak", 0.5), ("strong", 1.0))}  # fmt: skip
    return th.evaluate(y, scores, by={"site": np.array([f"s{i}" for i in rng.integers(0, 25, y.size)])})


def column(table, place):
    return [row.locator("th, td").nth(place).evaluate("n => n.firstChild.textContent") for row in
            table.locator("tbody tr").all()]  # fmt: skip


def test_a_table_of_groups_is_sorted_by_its_heads(opened):
    page = opened(grouped())
    unfold(page)
    table = page.locator("table", has=page.locator("caption", has_text="Groups by site"))
    heads = table.locator("thead th").all_text_contents()
    place = heads.index("ROC AUC")
    assert len(column(table, 1)) == 2 * 26
    head = table.locator("thead th").nth(place)
    head.get_by_role("button").click()
    values = [float(text) for text in column(table, place)]
    assert values == sorted(values)
    assert head.get_attribute("aria-sort") == "ascending"
    assert set(column(table, 0)) == {"weak", "strong"}
    assert len({len(row.locator("th, td").all()) for row in table.locator("tbody tr").all()[:4]}) == 1
    head.get_by_role("button").press("Enter")
    assert [float(text) for text in column(table, place)] == sorted(values, reverse=True)
    table.locator("thead th").nth(1).get_by_role("button").press(" ")
    names = column(table, 1)
    assert names.index("s2") < names.index("s10")
    assert head.get_attribute("aria-sort") is None


def test_the_head_stays_in_view(opened):
    page = opened(grouped(), viewport={"width": 1200, "height": 700})
    unfold(page)
    box = page.locator(".tall", has=page.locator("caption", has_text="Groups by site"))
    box.evaluate("n => { n.scrollIntoView({behavior: 'instant'}); n.scrollTop = 900; }")
    top, head, first = box.evaluate("""n => [n.scrollTop, ...["thead th", "tbody tr"].map(
        s => n.querySelector(s).getBoundingClientRect().top - n.getBoundingClientRect().top)]""")
    assert top > 300
    assert abs(head) < 2
    assert first < -200


def test_groups_are_accessible_and_fit(opened):
    page = opened(grouped(), bypass_csp=True)
    assert_accessible(page)
    unfold(page)
    assert_fits(page, 390)


def test_a_finding_opens_the_table_that_it_leads_to(opened):
    page = opened(breast_cancer_in_parts())
    table = page.locator("[aria-labelledby=about-gaps] table")
    assert not table.is_visible()
    page.locator('.verdict a[href="#about-gaps"]').click()
    assert table.is_visible()


def test_the_picture_of_scores_names_the_classes(opened):
    page = opened(breast_cancer_in_parts())
    page.locator("[data-view=scores]").click()
    named = page.locator("#view-drawn text.positive, #view-drawn text.negative")
    assert named.all_text_contents() == ["■ malignant", "■ benign"]
    assert not page.locator(".explorer .legend").is_visible()
