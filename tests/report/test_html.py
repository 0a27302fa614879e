"""The page as text: well-formed, escaped, under its own security policy, with exact counts inside."""

import base64
import hashlib
import json
import math
import re
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest

import thresher as th
from example_rows import columns
from lean_pages import close_before, close_within, full
from report_cases import CASES, EVIL, breast_cancer, case, named
from thresher.report.build import build
from thresher.report.files import render

VOID = {"meta", "link", "input", "wbr"}
NAMES = """
html head title style body a div header main section footer article fieldset legend label figure figcaption
h1 h2 h3 h4 p b ul li dl dt dd table caption thead tbody tr th td span data button details summary script
svg desc path rect line circle text g select option code
"""
ALLOWED = VOID | set(NAMES.split())


class Page(HTMLParser):
    """Elements of a page, checked for balance as they come."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.found, self.text = [], [], {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        assert len(dict(attributes)) == len(attributes), f"an attribute of {tag} stands twice"
        self.found.append((tag, dict(attributes)))
        close_before(tag, self.open)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        close_within(tag, self.open)
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.setdefault(self.open[-1] if self.open else "", []).append(data)

    def values(self, attribute):
        return [attributes[attribute] for _, attributes in self.found if attribute in attributes]


@cache
def page_of(name):
    text = render(case(name), "html")
    return text, Page(text)


@pytest.fixture(params=named())
def page(request):
    return page_of(request.param)


def test_elements_are_balanced_and_known(page):
    assert {tag for tag, _ in page[1].found} <= ALLOWED


def test_nothing_is_loaded_and_nothing_runs_but_the_script(page):
    text, parsed = page
    for tag, attributes in parsed.found:
        assert "style" not in attributes
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("src", "href", "action", "xlink:href"):
            assert attributes.get(name, "#").startswith(("#", "data:image/svg+xml,")), (tag, name)
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text
    assert "@import" not in text
    assert "url(" not in text


def test_no_line_ends_between_a_number_and_its_sign(page):
    shown = "\n".join(words for tag, each in page[1].text.items() if tag not in ("script", "style") for words in each)
    assert not re.search(r"\d %|\bp [=<>] \d", shown)


def test_policy_names_the_style_and_the_script(page):
    text, parsed = page
    policy = next(a["content"] for tag, a in parsed.found if a.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in policy
    for rule, pattern in (("style-src", r"<style>(.*?)</style>"), ("script-src", r"<script>(.*?)</script>")):
        (content,) = re.findall(pattern, text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"


def test_identifiers_are_single_and_references_lead_somewhere(page):
    identifiers = page[1].values("id")
    assert len(set(identifiers)) == len(identifiers)
    for attribute in ("aria-labelledby", "for"):
        for value in page[1].values(attribute):
            assert set(value.split()) <= set(identifiers)


def test_every_table_has_a_caption_and_heads_with_a_scope(page):
    tags = [tag for tag, _ in page[1].found]
    assert tags.count("table") == tags.count("caption")
    assert all(a.get("scope") in ("row", "col", "colgroup", "rowgroup") for tag, a in page[1].found if tag == "th")
    assert page[1].found[0] == ("html", {"lang": "en"})


def test_rows_of_a_table_fill_the_same_columns(page):
    """Spans included, as a browser would lay them out."""
    for table in re.findall(r"<table.*?</table>", full(page[0]), re.DOTALL):
        widths, hanging = set(), []
        for row in re.findall(r"<tr.*?</tr>", table, re.DOTALL):
            cells = re.findall(r"<t[hd]([^>]*)>", row)
            spans = [
                [int((re.search(rf'{name}="(\d+)"', c) or [0, 1])[1]) for name in ("colspan", "rowspan")] for c in cells
            ]
            widths.add(sum(columns for columns, _ in spans) + sum(columns for columns, _ in hanging))
            hanging = [[c, r - 1] for c, r in [*hanging, *spans] if r > 1]
        assert len(widths) == 1


def test_text_of_the_user_comes_back_as_text():
    parsed = Page(render(case("evil"), "html", title="<i>&amp;</i>", source="</style>"))
    assert parsed.text["h1"] == ["<i>&amp;</i>"]
    assert parsed.text["title"][0] == "<i>&amp;</i>"
    assert any(EVIL in text for text in parsed.text["p"])
    assert sum(tag == "script" for tag, _ in parsed.found) == 2
    assert not [tag for tag, _ in parsed.found if tag in ("img", "i")]


OF_TWO_CLASSES = [
    name
    for name, given in CASES.items()
    if "predicted" not in given and all(score.ndim == 1 for score in given["scores"].values())
]


def counts(column):
    """Counts of an island, where whole ones stand as their steps."""
    return np.cumsum([int(step) for step in column["steps"]]).tolist() if isinstance(column, dict) else column


@pytest.mark.parametrize("name", named(OF_TWO_CLASSES))
def test_island_holds_the_exact_counts(name):
    evaluation = case(name)
    (island,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', render(evaluation, "html"))
    data = json.loads(island)
    assert not set(island) & set("<>&")
    models = build(evaluation, points=True).models
    if name == "constant":  # no threshold separates equal scores, so that none can be chosen
        models = ()
    for model, part in zip(data["models"], models, strict=True):
        table = part.points.table
        assert (counts(model["tp"]), counts(model["fp"])) == (table.tp.tolist(), table.fp.tolist())
        assert [float(t) for t in model["thresholds"]] == table.thresholds.tolist()
        scores = evaluation[part.name].scores
        for cut, row in zip(map(float, model.get("cuts", model["thresholds"])), range(len(table)), strict=True):
            # An infinite score is at no finite threshold, and an infinite one is the sentinel.
            assert math.isinf(cut) or np.allclose(scores.at(cut).counts, table.row(row).counts, rtol=1e-12)
        assert model["start"] == model["chosen"] or model["chosen"] is None


def test_slider_without_a_threshold_starts_where_the_rates_differ_most():
    data = re.findall(r'id="data">(.*?)</script>', render(case("no_threshold"), "html"))[0]
    model = json.loads(data)["models"][0]
    gap = np.array(counts(model["tp"])) / 3 - np.array(counts(model["fp"])) / 5
    assert model["chosen"] is None
    assert gap[model["start"]] == gap.max()


def test_page_of_many_rows_stays_small():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 100_000)
    models = {name: rng.random(100_000) + 0.3 * truth for name in "ab"}
    assert len(render(th.evaluate(truth, models), "html").encode()) < 500_000


def test_own_style_and_script_are_small():
    text = render(case("plain"), "html")
    own = sum(len(part) for part in re.findall(r"<(?:style|script)>(.*?)</", text, re.DOTALL))
    assert 10_000 < own < 68_000


@pytest.mark.parametrize("name", named())
def test_fragment_is_small_escaped_and_without_a_script(name):
    fragment = case(name)._repr_html_()
    parsed = Page(fragment)
    tags = {tag for tag, _ in parsed.found}
    assert tags <= ALLOWED - {"script", "html", "body", "head"}
    assert parsed.found[0] == ("div", {"class": "thresher-report"})
    assert not parsed.values("id") + parsed.values("style")
    assert len(fragment) < 40_000
    (style,) = re.findall(r"<style>(.*?)</style>", fragment, re.DOTALL)
    for rule in re.findall(r"([^{}]+)\{", style):
        assert all(selector.strip().startswith(".thresher-report") for selector in rule.split(","))


AHEAD = {"a": 0.5, "b": 1.0, "c": 0.7}


def size(evaluation):
    return len(render(evaluation, "html").encode())


def scores(rng, y):
    return {name: 1 / (1 + np.exp(-(rng.normal(size=y.size) + ahead * (2 * y - 1)))) for name, ahead in AHEAD.items()}


def test_the_example_is_below_200_kilobytes():
    assert size(breast_cancer()) <= 200_000


def test_the_example_with_groups_is_below_215_kilobytes():
    rows = columns("breast_cancer")
    models = {name: rows[name] for name in ("logistic_regression", "random_forest", "naive_bayes")}
    found = th.evaluate(rows["diagnosis"], models, positive="malignant", by={"nucleus_size": rows["nucleus_size"]})
    assert size(found) <= 215_000


@pytest.mark.slow
def test_a_million_rows_of_three_models_are_below_350_kilobytes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 1_000_000)
    assert size(th.evaluate(y, scores(rng, y))) <= 350_000


@pytest.mark.slow
def test_fifty_groups_are_below_450_kilobytes():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 20_000)
    assert size(th.evaluate(y, scores(rng, y), by={"g": rng.integers(0, 50, y.size)})) <= 450_000


@pytest.mark.slow
def test_ten_classes_of_three_models_are_below_300_kilobytes():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 10, 3000)
    found = {str(k): np.eye(10)[y] * k + rng.dirichlet(np.ones(10), y.size) for k in (1, 0.5, 0.2)}
    assert size(th.evaluate(y, {name: p / p.sum(1, keepdims=True) for name, p in found.items()})) <= 300_000
