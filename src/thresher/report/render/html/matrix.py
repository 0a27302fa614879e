"""A confusion matrix as an HTML table for a notebook."""

from __future__ import annotations

from thresher.counts import ConfusionMatrix
from thresher.report.render.html.markup import tag
from thresher.report.render.html.tables import text_table
from thresher.report.sections.matrix import batch_text, matrix_cells, remarks


def matrix_html(matrix: ConfusionMatrix) -> str:
    """Confusion matrix as an HTML table with a caption and row and column heads; colors are those of the page."""
    if matrix.counts.ndim > 2:
        return tag("p", batch_text(matrix))
    header, *rows = matrix_cells(matrix)
    caption = " ".join(["Confusion matrix: rows are the true class, columns the predicted one.", *remarks(matrix)])
    return text_table(header, rows, caption=caption, class_="thresher-matrix")
