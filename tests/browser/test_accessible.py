"""The page for readers who do not see it, see it faintly, or use no mouse."""

from importlib.resources import files
from itertools import pairwise

import pytest

from report_cases import breast_cancer_in_parts, case

pytestmark = pytest.mark.browser

# Contrast as WCAG 2.2 defines it, between the color of every text and what is painted behind it.
CONTRAST = """
() => {
  const parse = (text) => { const c = text.match(/[\\d.]+/g).map(Number); return c.length < 4 ? [...c, 1] : c; };
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3]));
  const light = (c) => c.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => {
    const layers = [];
    for (let n = node; n; n = n.parentElement) layers.push(parse(getComputedStyle(n).backgroundColor));
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const poor = [];
  let seen = 0;
  for (const node of document.querySelectorAll('body *')) {
    const own = [...node.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    const hidden = !node.getClientRects().length || node.disabled || node.closest('script,style,.vh,desc');
    if (!own || hidden || node.tagName === 'title') continue;
    const style = getComputedStyle(node), ground = behind(node);
    const color = over(parse(node instanceof SVGElement ? style.fill : style.color), ground);
    const [a, b] = [light(color), light(ground)].sort((x, y) => y - x);
    seen += 1;
    if ((a + 0.05) / (b + 0.05) < 4.5) poor.push([node.outerHTML.slice(0, 80), (a + 0.05) / (b + 0.05)]);
  }
  return [seen, poor];
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["group_of_one_class", "no_threshold", "posteriors"])
def test_all_text_stands_out(opened, name, scheme):
    page = opened(case(name), color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(node => { node.open = true; })")
    seen, poor = page.evaluate(CONTRAST)
    assert seen > 100
    assert poor == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_lines_stand_out(opened, scheme):
    """Curves of eight models against the page: at least 3 : 1, and no two look alike."""
    page = opened(case("many_models"), color_scheme=scheme)
    looks = page.evaluate("""() => [...document.querySelectorAll('#chart-roc .curve')].map(n => {
        const style = getComputedStyle(n); return [style.stroke, style.strokeDasharray]; })""")
    assert len({tuple(look) for look in looks[:8]}) == 8
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    for stroke, _ in looks:
        assert contrast(stroke, ground) >= 3


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
    assert tree.count("slider ") == 3
    for model in ("logistic_regression", "random_forest", "naive_bayes"):
        assert f'slider "Threshold of {model}"' in tree
        assert f'checkbox "{model}" [checked]' in tree
        assert f'button "Reset the threshold of {model}"' in tree
    assert page.get_by_role("slider").first.get_attribute("aria-valuetext").startswith("0.5, recall 0.8113")
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
        places.append(page.evaluate("document.activeElement.getBoundingClientRect().top + scrollY"))
        page.keyboard.press("Tab")
    assert len(places) > 15
    assert all(after >= before - 60 for before, after in pairwise(places[1:]))


def test_only_tables_that_scroll_stop_the_keyboard(opened):
    wide = opened(breast_cancer_in_parts(), viewport={"width": 1400, "height": 900})
    narrow = opened(breast_cancer_in_parts(), viewport={"width": 400, "height": 900})
    stops = [page.locator('main > section:not(.folded) .scroll[tabindex="0"]').count() for page in (wide, narrow)]
    assert stops[0] == 0
    assert stops[1] >= 4


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["two_columns", "no_threshold", "three_classes", "evil"])
def test_axe_finds_nothing(opened, name, scheme):
    page = opened(case(name), color_scheme=scheme, bypass_csp=True)
    page.evaluate("document.querySelectorAll('details').forEach(node => { node.open = true; })")
    page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag22aa', 'best-practice']})")
    assert [(rule["id"], rule["nodes"][0]["html"][:100]) for rule in found["violations"]] == []
