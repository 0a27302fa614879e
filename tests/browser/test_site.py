"""The built site in a browser: light, readable on a telephone, accessible, and found by searching or two clicks."""

import os
import re
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest

from page_checks import assert_fits
from public_names import is_ours, members, public_names

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page.relative_to(ROOT / "docs").with_suffix(".html").as_posix()
    for page in (ROOT / "docs").rglob("*.md")
    if page.name != "README.md" or page.parent.name == "decisions"
)
LOOKED_AT = (
    "index.html", "search.html", "questions/good.html", "teaching/curve.html", "coming-from/orange.html",
    "reference/thresher.Estimate.html",
)  # fmt: skip
"""Pages of every kind; of the long ones the same kinds of parts stand here."""
HEADINGS = (
    "confusion matrix", "measures of one binary confusion matrix", "per class", "one-vs-rest", "at every threshold",
    "thresholds", "the ROC and its relatives", "areas", "summaries of the ROC", "isometrics", "operating points",
    "calibration", "more than two classes", "ranked retrieval", "estimating performance from data", "uncertainty",
    "comparison", "worked numbers", "positive first", "misprints in textbooks", "sources",
)  # fmt: skip
"""Terms of the headings that the subject is divided by."""
TASKS = {
    "judge a file of predictions": ("Is my model any good?",),
    "say which of two models is better": ("Which of two?",),
    "choose a threshold": ("Where do I put the threshold?",),
    "put a gate into CI": ("All questions", "A gate in CI"),
    "write the sentence and the table of a paper": ("All questions", "What do I report in a paper?"),
    "make a handout for a class": ("All pages", "A teacher’s sheet"),
}
"""What people come for most, and the links from the landing page that lead there."""


SEARCHED = {
    "choose threshold": "questions/threshold", "compare two models": "questions/which-of-two",
    "imbalanced": "questions/rare-positives", "install": "index", "sample size": "questions/how-many-rows",
    "decile": "for/credit-and-fraud", "net benefit": "for/medicine", "LR+": "for/medicine", "STARD": "questions/paper",
    "drift": "for/credit-and-fraud", "confusion matrix": "how-it-works", "fairness": "questions/groups",
    "cross-validation": "assessing", "DeLong": "comparing", "nDCG": "retrieval", "LLM": "for/llm-evaluation",
    "spark": "questions/too-large", "calibration plot": "calibration", "confidence interval": "questions/good",
    "sklearn": "coming-from/scikit-learn",
}  # fmt: skip
"""What people type into the search, and the page that answers."""


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The site that THRESHER_SITE names, or one that is built now."""
    if given := os.environ.get("THRESHER_SITE"):
        return Path(given)
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", ROOT / "docs", folder], check=True, cwd=ROOT)
    return folder


@pytest.fixture
def page(chromium, site):
    """Open a page of the site, which may load only what lies beside it; `went` lists that."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, bypass_csp=True, reduced_motion="reduce")

    def opened(name, **options):
        found = context.new_page(**options)
        found.went = []
        found.on("request", lambda request: found.went.append(request.url))
        found.goto(f"file://{site / name}")
        return found

    yield opened
    context.close()


def test_landing_page_is_light_and_shows_the_live_report(page, site):
    landing = page("index.html")
    landing.wait_for_load_state("networkidle")
    assert all(url.startswith(f"file://{site}") for url in landing.went)
    files = {Path(url.removeprefix("file://").split("?")[0].split("#")[0]) for url in landing.went}
    weight = sum(file.stat().st_size for file in files)
    assert {"index.html", "report.html", "pydata-sphinx-theme.css"} <= {file.name for file in files}
    assert 100_000 < weight < 620_000  # 20,000 of it for the still picture in the report's place
    report = landing.frame(url=re.compile("report.html"))
    report.locator(".desk > summary").click()
    report.locator('[data-explore="fn"]').fill("20")
    report.locator('[data-explore="criterion"]').select_option("cost")
    assert report.locator('[data-explore="said"]').inner_text()
    assert len(landing.query_selector_all(".cards > div")) == 5


LIVE = [
    page.stem
    for page in sorted((ROOT / "docs" / "teaching").glob("*.md"))
    if page.stem not in ("index", "handout", "misprints", "judge-weight")
]


@pytest.mark.parametrize("name", LIVE)
def test_explorers_of_pages_to_teach_with_move(name, page):
    opened = page(f"teaching/{name}.html")
    opened.locator("iframe.live").scroll_into_view_if_needed()
    frame = opened.frame_locator("iframe.live")
    said = frame.locator('[data-explore="said"]')
    frame.locator('[data-explore="criterion"]').select_option("cost")
    frame.locator('[data-explore="fn"]').fill("1")
    texts = [said.inner_text()]
    for field, value in (("fn", "50"), ("prevalence", "0.01")):
        frame.locator(f'[data-explore="{field}"]').fill(value)
        opened.wait_for_timeout(200)
        texts.append(said.inner_text())
    assert texts[0] != texts[1] != texts[2]


def test_weight_of_a_judge_moves(page):
    opened = page("teaching/judge-weight.html")
    opened.locator("iframe.live").scroll_into_view_if_needed()
    frame = opened.frame_locator("iframe.live")
    found, texts = frame.locator("#found"), []
    for weight in ("0", "0.55", "1"):
        frame.locator("#weight").fill(weight)
        texts.append(found.inner_text())
    starts = ("λ 0.00: 0.800 ± 0.112, variance 1.00", "λ 0.55: 0.734", "λ 1.00: 0.680")
    assert all(text.startswith(start) for text, start in zip(texts, starts, strict=True))
    assert "least at λ 0.55" in texts[0]
    frame.locator("#judge").select_option(index=3)
    assert "least at λ 0.00" in found.inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(scheme, page):
    from importlib.resources import files

    source = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    for name in LOOKED_AT:
        opened = page(name)
        opened.emulate_media(color_scheme=scheme)
        opened.reload()
        opened.evaluate(source)
        rules = "['wcag2a', 'wcag2aa', 'wcag22aa', 'best-practice']"
        found = opened.evaluate(
            f"axe.run({{runOnly: {rules}, resultTypes: ['violations'], preload: false, iframes: false}})"
        )
        assert [(name, rule["id"], rule["nodes"][0]["html"]) for rule in found["violations"]] == []
        opened.close()


def test_every_page_fits_a_telephone(page, site):
    opened = page("index.html")
    for name in (*PAGES, "reference.html", "reference/thresher.evaluate.html", "reference/thresher.Curve.html"):
        opened.goto(f"file://{site / name}")
        assert_fits(opened, 390)


def test_every_public_name_has_a_place_in_the_reference(site):
    listed = zlib.decompress((site / "objects.inv").read_bytes().split(b"\n", 4)[4]).decode()
    placed = {line.split(" ")[0] for line in listed.splitlines() if " py:" in line}
    names = public_names()
    classes = {name: cls for name, cls in names.items() if is_ours(cls) and name.endswith(f".{cls.__name__}")}
    wanted = {*names} | {f"{name}.{member}" for name, cls in classes.items() for member in members(cls)}
    assert len(wanted) > 1500
    assert sorted(wanted - placed) == []


def test_search_finds_every_term(page):
    rows = (ROOT / "docs" / "terms.md").read_text(encoding="utf-8").splitlines()
    terms = [found[1] for row in rows if (found := re.match(r"\| \[([^\]]+)\]", row))]
    assert len(terms) > 100
    searched = page("search.html")
    searched.wait_for_function("typeof Search !== 'undefined' && Search.hasIndex()")
    found = searched.evaluate(
        "terms => terms.map(term => Search._performSearch(...Search._parseQuery(term)).length)", [*HEADINGS, *terms]
    )
    assert [term for term, number in zip([*HEADINGS, *terms], found, strict=True) if not number] == []


def test_search_answers_in_its_first_five_results(page):
    searched = page("search.html")
    searched.wait_for_function("typeof Search !== 'undefined' && Search.hasIndex()")
    ask = "words => words.map(w => Search._performSearch(...Search._parseQuery(w)).map(each => each[0]).reverse())"
    found = dict(zip(SEARCHED, searched.evaluate(ask, list(SEARCHED)), strict=True))
    assert {words: pages[:5] for words, pages in found.items() if SEARCHED[words] not in pages[:5]} == {}


def test_copied_code_has_no_prompts(page):
    copied = page("questions/how-many-rows.html")
    typed = copied.evaluate("Array.from(document.querySelectorAll('div.highlight pre'), pre => typed(pre.textContent))")
    assert any(each.startswith("thresher sample-size") for each in typed)
    assert not [each for each in typed if ">>> " in each or each.startswith("$ ")]
    assert copied.locator("button.copy").count() == len(typed)


def test_signatures_and_addresses_are_those_of_the_sources(site):
    pages = [page.read_text(encoding="utf-8") for page in site.rglob("*.html")]
    assert not [1 for page in pages if "_SupportsArray" in page or "mailto:" in page]


@pytest.mark.parametrize("task", TASKS)
def test_commonest_tasks_are_two_clicks_away(task, page):
    """And no scroll: the lines to copy begin on the first screen. `-rP` prints the table of the docs."""
    opened, links, started = page("index.html"), TASKS[task], time.perf_counter()
    assert len(links) <= 2
    for link in links:
        opened.locator("main").get_by_role("link", name=link, exact=True).first.click()
    assert links[-1] in opened.locator("h1").inner_text()
    lines = opened.locator("main pre").first
    assert lines.bounding_box()["y"] < opened.viewport_size["height"]
    print(f"| {task} | {len(links)} | {time.perf_counter() - started:.1f} |")
