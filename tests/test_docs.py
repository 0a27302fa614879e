"""The documentation's examples run and print what the page says."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = ["README.md", *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md"))]

WITH_PEERS = ("docs/study.md", "docs/coming-from/scikit-learn.md", "docs/coming-from/trec-eval.md")
"""Pages whose examples need a peer package."""


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.peer) if page in WITH_PEERS else page for page in PAGES]
)
def test_examples_of_page_run(page):
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    failed, _ = doctest.testfile(str(ROOT / page), module_relative=False, optionflags=options, encoding="utf-8")
    assert failed == 0


@pytest.mark.parametrize("page", PAGES)
def test_links_of_page_lead_somewhere(page):
    import re

    text = (ROOT / page).read_text(encoding="utf-8")
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    missing = [link for link in links if link and not (ROOT / page).parent.joinpath(link).exists()]
    assert missing == []
