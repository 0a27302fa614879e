"""What a person is shown of a chosen threshold or a reject option, and the same as plain text."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from thresher.counts import ConfusionMatrix
from thresher.report.matrix import matrix_text
from thresher.report.numbers import level, limits, number
from thresher.report.plain import plain_text
from thresher.report.textgrid import grid, wrapped
from thresher.results import Estimate
from thresher.visible import visible

WIDTH, NARROWEST = 100, 40


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionCard:
    """A rule of decision: whose it is, by what it was chosen, what it says, and what comes of it.

    `rows` are measures under their titles; `of` says which rows matrix and measures are of, when not all.
    """

    owner: str
    criterion: str
    rule: str
    matrix: ConfusionMatrix
    rows: tuple[tuple[str, Estimate], ...]
    level: float
    sentences: tuple[str, ...]
    of: str = ""

    @property
    def heading(self) -> str:
        """Owner and criterion on one line."""
        return ": ".join(part for part in (self.owner, self.criterion) if part)

    @property
    def header(self) -> tuple[str, str, str]:
        """Heads of the table of measures."""
        return "Measure", "Value", f"{level(self.level)} interval"

    @property
    def cells(self) -> list[list[str]]:
        """Rows of the table of measures."""
        return [[title, number(e.value), limits(e) or ""] for title, e in self.rows]


def owner_of(model: str | None, group: str | None) -> str:
    """Model, and the group when it is of some rows only."""
    return ", ".join(plain_text(part) for part in (model, group) if part is not None)


def card_text(card: DecisionCard, *, width: int | None = None) -> str:
    """Card as plain text."""
    columns = max(NARROWEST, width or shutil.get_terminal_size((WIDTH, 24)).columns)
    parts = [
        visible(card.heading),
        "\n".join(wrapped(card.rule, columns)),
        "\n".join([*([card.of] if card.of else []), matrix_text(card.matrix)]),
        grid(["", *card.header[1:]], card.cells, ["left", "right", "left"], headers=1, width=columns),
        "\n".join(line for said in card.sentences for line in wrapped(said, columns, "• ")),
    ]
    return "\n\n".join(part for part in parts if part)
