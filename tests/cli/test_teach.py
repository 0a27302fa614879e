"""`thresher teach`: which files have the answers, and what is refused."""

from __future__ import annotations

import pytest

TEN = ("teach", "ten.csv", "--label", "truth", "--score", "score")


@pytest.fixture
def ten(run):
    assert run("example", "ten").code == 0
    return run


def test_answers_have_a_file_of_their_own(ten, tmp_path):
    found = ten(*TEN, "-o", "handout.html", "--answers", "key.txt")
    assert found.code == 0
    assert found.out == "All 10 rows.\n"
    assert "wrote handout.html" in found.err
    assert "wrote key.txt" in found.err
    assert "0.76" not in (tmp_path / "handout.html").read_text(encoding="utf-8")
    assert ": 0.76" in (tmp_path / "key.txt").read_text(encoding="utf-8")


def test_a_page_alone_has_its_key_folded(ten, tmp_path):
    found = ten(*TEN, "-o", "handout.html", "-q")
    assert (found.code, found.out, found.err) == (0, "", "")
    page = (tmp_path / "handout.html").read_text(encoding="utf-8")
    assert page.index('<details class="key">') < page.index("0.76") < page.index("</details>")
