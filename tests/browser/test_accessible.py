"""The page for readers who do not see it, see it faintly, or use no mouse."""

from itertools import pairwise

import pytest

from page_checks import assert_accessible, assert_text_stands_out, breast_cancer_in_parts, case

pytestmark = pytest.mark.browser

# Collected with every run, and needed only where the marker is selected.
expect = pytest.importorskip("playwright.sync_api").expect


@pytest.mark.parametrize("name", ["group_of_one_class", "no_threshold", "posteriors"])
def test_all_text_stands_out(opened, name):
    assert_text_stands_out(opened(case(name)), least=100)


def test_the_check_of_contrast_sees_faint_text(opened):
    page = opened(case("plain"), bypass_csp=True)
    page.evaluate("document.querySelector('h1').style.color = '#999'")
    with pytest.raises(AssertionError, match="<h1"):
        assert_text_stands_out(page)
    with pytest.raises(AssertionError):
        assert_accessible(page)


def test_lines_stand_out(opened):
    """Curves of eight models against the page: at least 3 : 1, and no two look alike."""
    page = opened(case("many_models"))
    grounds = set()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        looks = page.evaluate("""() => [...document.querySelectorAll('#plot-roc .curve')].map(n => {
            const style = getComputedStyle(n); return [style.stroke, style.strokeDasharray]; })""")
        assert len({tuple(look) for look in looks[:8]}) == 8
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        grounds.add(ground)
        for stroke, _ in looks:
            assert contrast(stroke, ground) >= 3
    assert len(grounds) == 2


def contrast(first, second):
    """Contrast ratio of two `rgb(…)` colors."""

    def light(color):
        parts = [float(part) / 255 for part in color.removeprefix("rgb(").removesuffix(")").split(",")]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    high, low = sorted((light(first), light(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_controls_have_names_and_values_that_are_spoken(opened):
    page = opened(breast_cancer_in_parts())
    tree = page.locator("main").aria_snapshot()
    assert tree.count("slider ") == 3  # the chosen model's threshold, cost ratio, prevalence
    for model in ("logistic_regression", "random_forest", "naive_bayes"):
        page.get_by_role("button", name=model, exact=True).click()
        expect(page.locator(".card:not(.aside) h3")).to_have_text(model)
        tree = page.locator("main").aria_snapshot()
        assert f'slider "Threshold of {model}"' in tree
        assert f'spinbutton "Recall, {model}"' in tree
        assert f'checkbox "{model}" [checked]' in tree
        assert f'button "Reset the threshold of {model}"' in tree
    page.get_by_role("button", name="logistic_regression", exact=True).click()
    expect(page.locator(".card:not(.aside) h3")).to_have_text("logistic_regression")
    assert page.locator("#model-0 .slide").get_attribute("aria-valuetext").startswith("0.5, recall 0.811")
    assert 'img "ROC' in tree


def test_headings_descend_without_a_gap(opened):
    levels = [int(tag[1]) for tag in opened(breast_cancer_in_parts()).evaluate(
        "[...document.querySelectorAll('h1, h2, h3, h4')].map(node => node.tagName)")]  # fmt: skip
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_focus_is_seen_and_goes_through_the_page_in_order(opened):
    page = opened(breast_cancer_in_parts())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.evaluate("getComputedStyle(document.activeElement).left") == "8px"
    places = []
    while page.evaluate("document.activeElement !== document.body"):
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        # Contents and curves stand beside what they lead to.
        if not page.evaluate("!!document.activeElement.closest('nav, .views')"):
            places.append(page.evaluate("document.activeElement.getBoundingClientRect().top + scrollY"))
        page.keyboard.press("Tab")
    assert len(places) > 15
    assert all(after >= before - 60 for before, after in pairwise(places[1:]))


def test_only_tables_that_scroll_stop_the_keyboard(opened):
    page = opened(case("three_classes"), viewport={"width": 220, "height": 900})
    stops = page.locator('main > section:not(.folded) .scroll[tabindex="0"]')
    assert stops.count() > 0
    page.set_viewport_size({"width": 1400, "height": 900})
    expect(stops).to_have_count(0)


@pytest.mark.parametrize("name", ["two_columns", "no_threshold", "three_classes", "evil"])
def test_axe_finds_nothing(opened, name):
    assert_accessible(opened(case(name), bypass_csp=True), contrast=name == "three_classes")
