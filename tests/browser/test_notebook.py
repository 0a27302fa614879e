"""A real notebook, executed by its own kernel and opened in a browser: what stands below its cells."""

import os

import pytest

from page_checks import assert_fits, breast_cancer

pytestmark = pytest.mark.browser

# Collected with every run, and needed only where the marker is selected.
expect = pytest.importorskip("playwright.sync_api").expect

CELLS = (
    """import thresher as th
models = ["logistic_regression", "random_forest", "naive_bayes"]
data = th.load_example("breast_cancer")
ev = th.evaluate(data, label="diagnosis", positive="malignant", scores=models, by="nucleus_size")
ev""",
    "print(ev)",
    "ev.explore()",
    """from thresher.resampling.nearest_mean import NearestMean
import numpy as np
rng = np.random.default_rng(0)
y = np.arange(60) % 2
th.assess(NearestMean(), rng.normal(size=(60, 2)) + y[:, None], y, method=th.KFold(3), progress=False)""",
    "ev.groups",
)


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """Page of the executed notebook, of which nothing is loaded from elsewhere."""
    import nbformat
    from nbconvert import HTMLExporter
    from nbconvert.preprocessors import ExecutePreprocessor

    os.environ.setdefault("JUPYTER_PLATFORM_DIRS", "1")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS])
    ExecutePreprocessor(timeout=300, kernel_name="python3").preprocess(book, {})
    body, _ = HTMLExporter(template_name="basic").from_notebook_node(book)
    path = tmp_path_factory.mktemp("notebook") / "notebook.html"
    path.write_text(f"<!doctype html><meta charset=utf-8><title>Notebook</title>{body}", encoding="utf-8")
    return book, path


@pytest.fixture
def page(chromium, notebook):
    context, wrong = chromium.new_context(viewport={"width": 1100, "height": 900}), []
    found = context.new_page()
    found.on("console", lambda message: wrong.append(message.text))
    found.on("pageerror", lambda error: wrong.append(str(error)))
    found.on("request", lambda request: wrong.append(request.url) if request.url.startswith("http") else None)
    found.goto(f"file://{notebook[1]}")
    yield found
    context.close()
    assert wrong == []


def test_an_evaluation_shows_its_verdict_a_small_table_and_its_curves(page):
    shown = page.locator(".thresher-report").first
    said = shown.inner_text().replace("−", "-")
    shortest = [finding.text for finding in breast_cancer().findings if finding.question in ("good", "better", "cut")]
    assert [text for text in shortest if text not in said] == []
    assert shown.locator("table").first.locator("tbody tr").count() == 3
    assert shown.locator("table").first.locator("thead th").count() <= 7
    drawn = shown.locator("svg[role=img]")
    assert [svg.is_visible() for svg in drawn.all()] == [True, True]
    assert drawn.first.locator(".curve").count() == drawn.first.locator(".op").count() == 3
    expect(drawn.first.get_by_text("False positive rate (1 − specificity)", exact=True)).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 800})
    box = drawn.first.bounding_box()
    assert box["x"] + box["width"] <= 390


def test_print_is_short(notebook):
    (printed,) = notebook[0].cells[1].outputs
    assert printed.text.count("\n") <= 25
    assert "random_forest" in printed.text.splitlines()[0] + printed.text


def test_the_explorer_runs_in_its_frame_and_reaches_nothing_else(page):
    frame = page.locator("iframe")
    assert frame.get_attribute("sandbox") == "allow-scripts allow-downloads"
    inside = page.frame_locator("iframe")
    inside.locator(".desk > summary").click()
    inside.locator("#pick-2").click()
    inside.locator('[data-view="pr"]').click()
    expect(inside.locator("#plot-pr .op").first).to_be_visible()
    expect(inside.locator("#model-2 .matrix")).to_be_visible()


def test_assessments_and_groups_show_themselves(notebook, page):
    expect(page.locator("body")).to_contain_text("nearest")
    groups = notebook[0].cells[4].outputs[0]["data"]
    assert len(groups["text/plain"]) < 2000
    expect(page.get_by_role("columnheader", name="Gaps to the rest")).to_be_visible()
    assert_fits(page, 1100)
