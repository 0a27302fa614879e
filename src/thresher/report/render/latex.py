"""LaTeX form: the tables of a result with the rules of booktabs, names and labels escaped; no figures, no preamble."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from thresher._util.safe_text import escape_controls
from thresher.inference.comparing.comparison import Comparison
from thresher.report.blocks import Block, Matrices, Table
from thresher.report.document import Document
from thresher.report.render.grid import matrix_cells, remarks
from thresher.report.render.text import cells_of, matrix_head
from thresher.report.sections.comparisons import compared_blocks
from thresher.report.sections.order import sections_of

PREAMBLE = "% The document needs \\usepackage{booktabs}."

GREEK = (
    "alpha beta gamma delta epsilon theta kappa lambda mu pi rho sigma tau varphi chi psi omega "
    "Gamma Delta Pi Sigma Phi"
)
SIGNS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "[": "{[}", "]": "{]}", "−": "$-$", "≥": r"$\geq$", "≤": r"$\leq$",
    "≠": r"$\neq$", "×": r"$\times$", "·": r"$\cdot$", "±": r"$\pm$", "∞": r"$\infty$", "→": r"$\to$", "√": r"$\surd$",
    "⌊": r"$\lfloor$", "⌋": r"$\rfloor$", "½": r"$1/2$", "¼": r"$1/4$",
    "≈": r"$\approx$", "∓": r"$\mp$", "∫": r"$\int$", "∏": r"$\prod$", "∂": r"$\partial$", "′": "$'$",
    "…": r"\ldots{}", "•": r"\textbullet{}", "\u202f": r"\,", "\u00a0": "~",
    **{sign: f"$\\{name}$" for sign, name in zip("αβγδεθκλμπρστφχψωΓΔΠΣΦ", GREEK.split(), strict=True)},
    **{sign: f"\\textsuperscript{{{plain}}}" for sign, plain in zip("¹²³⁴⁵ⁿ⁻ᵀ", "12345n-T", strict=True)},
    **{sign: f"\\textsubscript{{{plain}}}" for sign, plain in zip("₀₁₂₃ᵢⱼₖₐ₍₎", "0123ijka()", strict=True)},
}  # fmt: skip
"""Replacements of signs that LaTeX reads otherwise, or that its fonts lack."""

_SPECIAL = re.compile("[" + re.escape("".join(SIGNS)) + "]")


def escaped(text: str) -> str:
    r"""Text that LaTeX sets as it is, on one line.

    >>> escaped("random_forest & 95% χ² ≥ [0, 1]")
    'random\\_forest \\& 95\\% $\\chi$\\textsuperscript{2} $\\geq$ {[}0, 1{]}'
    """
    return _SPECIAL.sub(lambda found: SIGNS[found[0]], " ".join(escape_controls(text).split()))


def latex_table(
    head: Sequence[Any], rows: Iterable[Iterable[Any]], right: Sequence[bool] = (), *, caption: str = "",
    said: Sequence[str] = (),
) -> str:  # fmt: skip
    """Return a table with its caption above and its caveats below; `right` are columns of numbers.

    >>> print(latex_table(["model", "AUC"], [["a_1", "0.81"]], [False, True]))
    \\begin{table}[htbp]
    \\centering
    \\begin{tabular}{lr}
    \\toprule
    model & AUC \\\\
    \\midrule
    a\\_1 & 0.81 \\\\
    \\bottomrule
    \\end{tabular}
    \\end{table}
    """
    sides = "".join("r" if side else "l" for side in right or [False] * len(head))
    notes = " ".join(map(escaped, said))
    parts = [
        r"\begin{table}[htbp]", r"\centering", f"\\caption{{{escaped(caption)}}}" if caption else "",
        f"\\begin{{tabular}}{{{sides}}}", r"\toprule", _line(head), r"\midrule", *map(_line, rows), r"\bottomrule",
        r"\end{tabular}", f"\\par\\medskip\\begin{{minipage}}{{\\linewidth}}\\footnotesize {notes}\\end{{minipage}}"
        if notes else "", r"\end{table}",
    ]  # fmt: skip
    return "\n".join(part for part in parts if part)


def _line(cells: Iterable[Any]) -> str:
    return " & ".join(escaped(str(cell)) for cell in cells) + r" \\"


def _table(section: Table) -> list[str]:
    return [latex_table(*cells_of(section), caption=section.title, said=section.remarks)]


def _matrices(section: Matrices) -> list[str]:
    tables = []
    for each in section.matrices:
        if (matrix := each.part.matrix) is not None:
            header, *rows = matrix_cells(matrix)
            right = [False] + [True] * (len(header) - 1)
            tables.append(latex_table(header, rows, right, caption=matrix_head(each), said=remarks(matrix)))
    return tables


SHOWN: dict[type, Callable[[Any], list[str]]] = {Table: _table, Matrices: _matrices}
"""Tables of each kind of block; none for sentences and pictures."""


def blocks_latex(blocks: Iterable[Block]) -> str:
    """Tables of blocks, ready to be read in."""
    tables = [table for each in blocks if type(each) in SHOWN for table in SHOWN[type(each)](each)]
    return "\n\n".join([PREAMBLE, *tables]) + "\n"


def document_latex(document: Document) -> str:
    """Tables of a report."""
    return blocks_latex(sections_of(document))


def comparisons_latex(found: Comparison | Sequence[Comparison]) -> str:
    """Table of comparisons, the conclusions below it."""
    said, table = compared_blocks([found] if isinstance(found, Comparison) else list(found))
    shown = table or Table(key="differences", title="Differences", columns=("",), rows=())
    return blocks_latex([replace(shown, remarks=said.sentences)])
