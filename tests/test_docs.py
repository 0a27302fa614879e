"""The documentation's examples run and print what the page says."""

import doctest
from pathlib import Path

import pytest

from doc_blocks import blocks
from shares import few

ROOT = Path(__file__).parents[1]
PAGES = ["README.md", *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md"))]

WITH_PEERS = tuple(
    f"docs/{page}.md" for page in ("study", "coming-from/scikit-learn", "coming-from/trec-eval", "coming-from/mlxtend")
)
"""Pages whose examples need a peer package."""
WITH_NEIGHBOURS = {"docs/coming-from/ranx.md": "ranx", "docs/coming-from/orange.md": "Orange"}
"""Pages of packages that bring too much for our own environment, which their section `Side by side` needs."""
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.peer) for page in WITH_PEERS]
    + few([page for page in PAGES if page not in (*WITH_PEERS, *WITH_NEIGHBOURS)], 15),
)
def test_examples_of_page_run(page):
    failed, _ = doctest.testfile(str(ROOT / page), module_relative=False, optionflags=OPTIONS, encoding="utf-8")
    assert failed == 0


@pytest.mark.parametrize("page", WITH_NEIGHBOURS)
def test_our_side_of_page_runs(page):
    ours, beside = (ROOT / page).read_text(encoding="utf-8").split("## Side by side")
    example = doctest.DocTestParser().get_doctest(ours, {}, page, page, 0)
    assert example.examples
    assert doctest.DocTestRunner(optionflags=OPTIONS).run(example).failed == 0
    assert ">>> " not in beside.split("## Differences")[1]  # all that needs the other package comes before


@pytest.mark.peer
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("page", "package"), WITH_NEIGHBOURS.items())
def test_both_sides_of_page_run(page, package):
    pytest.importorskip(package)
    test_examples_of_page_run(page)


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs" / "questions").glob("[!i]*.md"), key=str), ids=lambda page: page.stem
)
def test_question_is_answered_in_its_first_three_lines(page):
    title, gap, *answer, end = page.read_text(encoding="utf-8").split("\n")[:6]
    assert title.startswith("# ")
    assert (gap, end) == ("", "")
    assert all(answer)


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "teaching").glob("*.md"), key=str), ids=lambda page: page.stem)
def test_examples_to_teach_with_have_at_most_five_statements(page):
    blocks = page.read_text(encoding="utf-8").split("```python\n")[1:]
    lengths = [sum(line.startswith(">>>") for line in block.split("```")[0].split("\n")) for block in blocks]
    assert max(lengths, default=0) <= 5


@pytest.mark.parametrize("page", PAGES)
def test_code_to_copy_fits_into_75_columns(page):
    typed = []
    for block in blocks(page):
        is_prompted, lines = block.language in ("python", "console"), block.text.splitlines()
        if is_prompted and (">>> " in block.text or "$ " in block.text):
            typed += [line[4:] for line in lines if line.startswith((">>> ", "... ", "$ "))]
        elif block.language in ("python", "sh", ""):
            typed += lines
    assert [line for line in typed if len(line) > 75] == []


def test_every_page_is_in_a_table_of_contents():
    docs = ROOT / "docs"
    listed = {docs / "index.md"}
    for page in docs.rglob("*.md"):
        for table in page.read_text(encoding="utf-8").split("```{toctree}\n:hidden:\n")[1:]:
            listed |= {page.parent / f"{name}.md" for name in table.split("```")[0].split()}
    assert set(docs.rglob("*.md")) - listed == set()
    assert listed - set(docs.rglob("*.md")) == {docs / "reference.md"}  # a page of reStructuredText


@pytest.mark.parametrize("page", PAGES)
def test_links_of_page_lead_somewhere(page):
    import re

    text = (ROOT / page).read_text(encoding="utf-8")
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    missing = [link for link in links if link and not (ROOT / page).parent.joinpath(link).exists()]
    assert missing == []
