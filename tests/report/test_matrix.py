"""A confusion matrix as text and as HTML: aligned, escaped, readable for labels and weights of any kind."""

from html.parser import HTMLParser

import pytest

from thresher.counts import ConfusionMatrix
from thresher.report.render.grid import matrix_text, shown_width
from thresher.report.render.html.markup import matrix_html


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
