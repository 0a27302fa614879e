"""A confusion matrix as text and as HTML: aligned, escaped, readable for labels and weights of any kind."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from thresher.counts import ConfusionMatrix
from thresher.report.render.grid import matrix_text, shown_width
from thresher.report.render.html.markup import matrix_html

MATRIX = ConfusionMatrix.from_counts([[6954, 46], [412, 2588]], labels=["yes", "no"], positive="yes")


class Parsed(HTMLParser):
    """Cells of a table by row, and every tag with its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict]] = []
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.caption = ""
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data
        if self.open[-1] == "caption":
            self.caption += data


def grid_of(text: str) -> list[list[str]]:
    return [re.split(r"  +", line.strip()) for line in text.splitlines() if not set(line) <= {"─"}]


def test_totals_and_recognition() -> None:
    expected = [
        ["truth \\ predicted", "yes", "no", "total", "correct"],
        ["yes", "6,954", "46", "7,000", "99.34 %"],
        ["no", "412", "2,588", "3,000", "86.27 %"],
        ["total", "7,366", "2,634", "10,000", "95.42 %"],
    ]
    assert grid_of(matrix_text(MATRIX)) == expected
    assert Parsed(matrix_html(MATRIX)).rows == expected
    assert str(MATRIX) == repr(MATRIX) == matrix_text(MATRIX)
    assert MATRIX._repr_html_() == matrix_html(MATRIX)


def test_the_html_table_can_be_heard_and_brings_no_colors() -> None:
    html = matrix_html(MATRIX)
    parsed = Parsed(html)
    heads = [attributes for tag, attributes in parsed.tags if tag == "th"]
    assert [head["scope"] for head in heads] == ["col"] * 5 + ["row"] * 3
    assert parsed.caption.startswith("Confusion matrix: rows are the true class")
    assert "style" not in html
    assert "color" not in html


@pytest.mark.parametrize(
    "name", ["<b>", "a&b", "\x1b[31mred", "line\nbreak", "良性", "naïve", "", "x" * 60, "\u202eevil"]
)
def test_labels_of_any_kind(name: str) -> None:
    matrix = ConfusionMatrix.from_counts([[1, 2, 3], [4, 5, 6], [7, 8, 9]], labels=[name, 2.5, None])
    text = matrix_text(matrix)
    widths = {shown_width(line) for line in text.splitlines()}
    assert len(widths) == 1
    assert len(text.splitlines()) == 6
    assert all(c.isprintable() or c == "\n" for c in text)
    parsed = Parsed(matrix_html(matrix))
    assert len(parsed.rows) == 5
    assert {tag for tag, _ in parsed.tags} == {"table", "caption", "thead", "tbody", "tr", "th", "td"}


def test_weights_have_the_same_number_of_decimals() -> None:
    matrix = ConfusionMatrix.from_counts([[12.25, 0.5], [3, 100.125]], labels=(1, 0), weight_kind="importance")
    table = grid_of(matrix_text(matrix))
    assert [row[1:4] for row in table[1:4]] == [
        ["12.2", "0.5", "12.8"],
        ["3.0", "100.1", "103.1"],
        ["15.2", "100.6", "115.9"],
    ]
    assert table[4] == ["Cells are sums of weights."]
    tiny = grid_of(matrix_text(ConfusionMatrix.from_counts([[0.00012, 0], [0.00001, 0.0003]], labels=(1, 0))))
    assert tiny[1][1:3] == ["0.0001200", "0.0000000"]


def test_a_prevalence_that_was_set_is_said() -> None:
    text = matrix_text(MATRIX.with_prevalence(0.001))
    assert "The prevalence was set to 0.001" in text
    assert "86.28 %" in text
    assert "7,000" in text
    assert "The prevalence was set to 0.001" in matrix_html(MATRIX.with_prevalence(0.001))


def test_no_rows() -> None:
    table = grid_of(matrix_text(ConfusionMatrix.empty(["a", "b"])))
    assert table[1:] == [["a", "0", "0", "0", "undefined"], ["b", "0", "0", "0", "undefined"],
                         ["total", "0", "0", "0", "undefined"]]  # fmt: skip


def test_many_classes_have_a_line_each_and_thousands_are_cut() -> None:
    counts = np.zeros((200, 200), dtype=int)
    np.fill_diagonal(counts, 3)
    counts[0, 1] = 1
    table = grid_of(matrix_text(ConfusionMatrix.from_counts(counts)))
    assert table[0] == ["class", "rows", "predicted", "correct", "recall"]
    assert table[1] == ["0", "4", "3", "3", "75.00 %"]
    assert table[51] == ["… 150 more classes"]
    assert table[52] == ["total", "601", "601", "600", "99.83 %"]
    assert len(Parsed(matrix_html(ConfusionMatrix.from_counts(counts))).rows) == 53


def test_a_wide_table_is_broken_and_keeps_its_row_heads() -> None:
    names = [f"a rather long name {i}" for i in range(12)]
    text = matrix_text(ConfusionMatrix.from_counts(np.ones((12, 12), dtype=int), labels=names))
    assert max(map(len, text.splitlines())) <= 120
    assert text.count("truth \\ predicted") > 1
    assert text.count("\na rather long name 3 ") == text.count("truth \\ predicted")


def test_a_batch_is_described() -> None:
    batch = ConfusionMatrix(counts=np.arange(24).reshape(3, 2, 2, 2)[:, :1], labels=("ill", "well"))
    assert matrix_text(batch) == ("Batch of 3 confusion matrices, shape (3, 1), of 6 to 70 rows; classes ill, well.")
    assert Parsed(matrix_html(batch)).tags == [("p", {})]
