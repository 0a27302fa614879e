"""What a page of a report is held to in a browser, and evaluations that the tests of this kind share."""

from functools import cache
from importlib.resources import files
from typing import Any

import report_cases

case = cache(report_cases.case)
breast_cancer = cache(report_cases.breast_cancer)
breast_cancer_in_parts = cache(report_cases.breast_cancer_in_parts)

# Contrast as WCAG 2.2 defines it, between the color of every text and what is painted behind it.
_CONTRAST = """
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
_RULES = "['wcag2a', 'wcag2aa', 'wcag22aa', 'best-practice']"


def unfold(page: Any) -> None:
    """Open everything that is folded."""
    page.evaluate("document.querySelectorAll('details').forEach(node => { node.open = true; })")


def assert_text_stands_out(page: Any, least: int = 20) -> None:
    """Check the contrast of every text, in the light scheme and in the dark one."""
    unfold(page)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        seen, poor = page.evaluate(_CONTRAST)
        assert seen > least
        assert poor == []


def assert_accessible(page: Any, *, contrast: bool = False) -> None:
    """Check that axe finds nothing; its slow rule of contrast only when asked for, as we look at every text ourselves,
    and then in the dark too.

    The page has to be opened with `bypass_csp=True`, or its policy keeps axe out.
    """
    assert_text_stands_out(page)
    page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    rules = "{}" if contrast else "{'color-contrast': {enabled: false}}"
    options = f"{{runOnly: {_RULES}, rules: {rules}, resultTypes: ['violations'], preload: false}}"
    for scheme in ("light", "dark") if contrast else ("light",):
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate(f"axe.run(document, {options})")
        assert found["testEngine"]["name"] == "axe-core"
        assert [(rule["id"], rule["nodes"][0]["html"][:100]) for rule in found["violations"]] == [], scheme


def assert_fits(page: Any, *widths: int) -> None:
    """Check that nothing sticks out sideways in windows of these widths."""
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("[innerWidth, document.documentElement.scrollWidth <= innerWidth]") == [width, True]
