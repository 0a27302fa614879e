"""Listings and walks as pages of HTML, and all of their rows as text."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import thresher as th
from thresher.curves.listing import threshold_listing
from thresher.report.render.html.fragment import path_of

ROWS = "y,<b>s\n" + "".join(f"{k % 2},{k / 20}\n" for k in range(14))


class Tables(HTMLParser):
    """Cells of all tables of a page, and what it loads or runs."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside = False
        self.loaded: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag == "tr":
            self.rows.append([])
        self.inside = tag in ("td", "th")
        if self.inside:
            self.rows[-1].append("")
        self.loaded += [tag] if tag in ("script", "img", "iframe") else []

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.rows[-1][-1] += data


def test_a_walk_is_a_page(run, tmp_path):  # type: ignore[no-untyped-def]
    (tmp_path / "a.csv").write_text(ROWS)
    done = run("table", "a.csv", "--label", "y", "--score", "<b>s", "--walk", "-o", "walk.html", "-q")
    assert (done.code, done.out) == (0, ""), done.err
    page = (tmp_path / "walk.html").read_text(encoding="utf-8")
    found = Tables(page)
    model = th.evaluate([k % 2 for k in range(14)], [k / 20 for k in range(14)])["score"]
    walk = model.walk()
    assert [name.lower() for name in found.rows[0]] == list(walk)
    assert len(found.rows) == 15
    assert float(found.rows[-1][-1]) == walk["area"][-1] == model.auc.value * 49
    assert "in 14 steps, from (0, 0) to (7, 7)" in page
    assert not found.loaded
    assert "<b>s" not in page
    assert re.search(r'<html lang="en"><head>', page)


def test_a_table_of_thresholds_is_a_page_too(run, tmp_path):  # type: ignore[no-untyped-def]
    (tmp_path / "a.csv").write_text(ROWS)
    page = run("table", "a.csv", "--label", "y", "--score", "<b>s", "--format", "html").out
    assert len(Tables(page).rows) == 16
    assert Tables(page).rows[1][:2] == ["0", "+inf"]


def test_the_path_of_a_walk_has_a_corner_for_each_step_and_one_edge_for_a_tie() -> None:
    model = th.evaluate([1, 0, 1, 0, 1], [0.9, 0.6, 0.6, 0.3, 0.1])["score"]
    for listing in (model.walk(), model.listing(), threshold_listing(model.table)):
        (_, path) = path_of(listing, "score").lines
        assert ">score" in listing.to_html()
        assert list(zip(path.x, path.y, strict=True)) == [(0, 0), (0, 1), (1, 2), (2, 2), (2, 3)]
    assert path_of(th.evaluate([1, 1], [0.9, 0.6], positive=1)["score"].walk(), "score") is None


def test_all_rows_are_shown_when_asked() -> None:
    model = th.evaluate([k % 2 for k in range(30)], np.arange(30) / 30)["score"]
    walk = model.walk()
    assert "… 20 more" in repr(walk)
    assert len(walk.to_text().splitlines()) == 31
    assert "… 26 more" in walk.to_text(4)
    rows = Tables(walk.to_html(title="Walk", name="a & b")).rows
    assert [row[1] for row in rows[1:]] == [str(row) for row in walk["row"]]


def test_the_prediction_stands_beside_each_row_at_every_threshold() -> None:
    for direction in ("higher", "lower"):
        y, s = ["ill", "well", "ill", "well", "ill"], [3.0, 2.0, 2.0, 1.0, 1.0]
        model = th.evaluate(y, s, positive="ill", direction=direction)["score"]
        for cut in model.table.thresholds:
            listed = model.listing(at=cut)
            matrix = th.ConfusionMatrix.from_predictions(listed["truth"], listed["prediction"], positive="ill")
            assert matrix.counts.tolist() == model.at(float(cut)).counts.tolist()
        assert "prediction" not in model.listing()


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
