"""Markdown form (GitHub's tables), short enough for a pull request: the main parts, without those for reference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from thresher.counts import ConfusionMatrix
from thresher.report.blocks import Block, Matrices, Prose, Table, Verdict
from thresher.report.document import Document
from thresher.report.numbers import sentence
from thresher.report.render.grid import bullets, escaped, matrix_cells, pipe_table, remarks
from thresher.report.render.text import cells_of, matrix_head
from thresher.report.sections import facts
from thresher.report.sections.chosen import DecisionCard
from thresher.report.sections.order import sections_of

LOOKED_UP = ("calibration", "dominance", "baselines", "gaps", "ranks", "folds")
"""Beginnings of the keys of sections that the other forms have."""
OF_COSTS = ("chosen", "owners")
"""Keys of sections that are read where costs were given."""
MORE = "The page and the text form have the other sections, and JSON and CSV have every measure."


def document_markdown(document: Document) -> str:
    """Document as Markdown; names and labels are escaped, so that they show as they are."""
    has_costs = document.deciding.costs is not None
    read = (each for each in sections_of(document) if each.key.partition("-")[0] not in LOOKED_UP)
    shown = [each for each in read if not getattr(each, "detail", False) and (has_costs or each.key not in OF_COSTS)]
    parts = [f"# {escaped(document.title)}", escaped(facts.lead(document)) + ".", *blocks_markdown(shown)]
    about = bullets(f"{name}: {value}" for name, value in facts.facts(document))
    return "\n\n".join([*parts, "## About these numbers", about, MORE]) + "\n"


def blocks_markdown(blocks: Iterable[Block]) -> list[str]:
    """Blocks as Markdown, each under its heading."""
    return [SHOWN[type(each)](each) for each in blocks if type(each) in SHOWN]


def _verdict(section: Verdict) -> str:
    return f"## {section.title}\n\n{bullets(found.text for found in section.told)}"


def _text(section: Prose) -> str:
    return f"## {escaped(section.title)}\n\n{bullets(section.sentences)}"


def _table(section: Table) -> str:
    head = f"## {escaped(section.title)}" + (f"\n\n{escaped(section.lead)}" if section.lead else "")
    return _joined(head, pipe_table(*cells_of(section)), section.remarks)


def _matrices(section: Matrices) -> str:
    parts = [f"## {section.title}", escaped(section.lead)]
    for each in section.matrices:
        parts.append(f"### {escaped(matrix_head(each))}")
        matrix = each.part.matrix
        parts.append(escaped(sentence(each.part.threshold_reason)) if matrix is None else matrix_table(matrix))
    return "\n\n".join(parts)


SHOWN: dict[type, Callable[[Any], str]] = {Prose: _text, Table: _table, Matrices: _matrices, Verdict: _verdict}
"""Renderer of each kind of block; Markdown omits plots."""


def matrix_table(matrix: ConfusionMatrix) -> str:
    """Return the confusion matrix as a table with the caveats about its numbers."""
    header, *rows = matrix_cells(matrix)
    return _joined("", pipe_table(header, rows, [False] + [True] * (len(header) - 1)), remarks(matrix))


def _joined(head: str, table: Sequence[str], said: Sequence[str]) -> str:
    return "\n\n".join(part for part in (head, "\n".join(table), bullets(said)) if part)


def card_markdown(card: DecisionCard) -> str:
    """Card as Markdown, under a heading."""
    parts = [
        f"## {escaped(card.heading)}",
        escaped(card.rule),
        f"{escaped(card.of)}:" if card.of else "",
        matrix_table(card.matrix),
        "\n".join(pipe_table(card.header, card.cells, [False, True, False])),
        bullets(card.sentences),
    ]
    return "\n\n".join(part for part in parts if part)
