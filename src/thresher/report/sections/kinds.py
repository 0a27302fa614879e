"""Kinds of section that a report is made of: data only, so that a view is one function per kind.

A new kind is a dataclass here and one function in each view that can show it; a view passes over kinds that it has no
function for. A new section of a kind that there is needs a function beside this file, and its place in `order.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from thresher.analysis.calibration import Drawing
from thresher.counts import ConfusionMatrix
from thresher.dataclass import dataclass
from thresher.finding import Finding
from thresher.report.document import ModelPart
from thresher.report.numbers import level, limits, number
from thresher.results import Estimate

__all__ = [
    "Figures",
    "Forest",
    "Plot",
    "PlotBand",
    "PlotLine",
    "Plots",
    "Prose",
    "Share",
    "Table",
]  # what `add_section` shows

if TYPE_CHECKING:
    from thresher.inference.differences.several_models import CriticalDifference


@dataclass(frozen=True, slots=True)
class Share:
    """Number that is read in percent."""

    value: float | None


@dataclass(frozen=True, slots=True)
class Figures:
    """Text of numbers, such as a threshold; a page writes them with true minus signs."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """Difference with its interval, drawn on a span that its column shares, where a page can."""

    estimate: Estimate
    span: tuple[float, float]


Cell = str | int | float | Figures | Share | Estimate | Forest | None
"""A text; a count; a number with decimals; numbers in a text; a share; a value with its interval, or drawn; nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a report comes to, the first thing read."""

    findings: tuple[Finding, ...]
    key: str = "verdict"
    title: str = "Verdict"

    @classmethod
    def of(cls, findings: tuple[Finding, ...]) -> Verdict | None:
        """Verdict of some findings; None without any."""
        return cls(findings=findings) if findings else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """Sentences under a heading; `listed` when each stands for itself."""

    key: str
    title: str
    sentences: tuple[str, ...]
    listed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SplitParts:
    """What rows (columns, in the order in which they are first judged) do in each split (line): `resampling.splits`."""

    parts: NDArray[np.int8]
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows and columns; the first `headers` columns head their row.

    `detail` marks what a reader looks up rather than reads: shown folded, or left out where there is no folding.
    `picture` is drawn above the table where a view can draw.
    """

    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    headers: int = 1
    lead: str = ""
    remarks: tuple[str, ...] = ()
    detail: bool = False
    picture: CriticalDifference | SplitParts | None = None

    @property
    def is_right(self) -> list[bool]:
        """Whether each column holds numbers alone, which are aligned to the right."""
        columns = ([row[i] for row in self.rows if row[i] is not None] for i in range(len(self.columns)))
        return [bool(self.rows) and all(isinstance(cell, int | float | Share) for cell in cells) for cells in columns]

    def without_one(self, models: int) -> Table:
        """The same without its first column, that of the models, where there is one model."""
        if models > 1:
            return self
        rows = tuple(row[1:] for row in self.rows)
        return replace(self, columns=self.columns[1:], rows=rows, headers=self.headers - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One measure of every model, in the order of the models."""

    name: str
    title: str
    estimates: tuple[Estimate | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Measures that answer one question."""

    title: str
    rows: tuple[Compared, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The main measures of every model, side by side; `glanced` are the names of the few that are read first.

    `thresholds` are texts; empty when no model has scores.
    """

    key: str
    title: str
    models: tuple[str, ...]
    thresholds: tuple[str, ...]
    blocks: tuple[Block, ...]
    remarks: tuple[str, ...]
    glanced: tuple[str, ...] = ()

    def has_thresholds(self, block: Block) -> bool:
        """Whether a block begins with the thresholds."""
        return block.title == "Decisions" and bool(self.thresholds)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChartLine:
    """Line of one model on a chart, and where its operating point lies; `model` counts in the document's order."""

    model: int
    name: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    point: tuple[float, float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """Straight line that knows nothing: what the curves are compared with."""

    label: str
    start: tuple[float, float]
    end: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chart:
    """Curves of all models with the names of the two measures they are made of, both in [0, 1].

    `hulls` and `bands` are drawn under them; `contours`, lines of equal value, are named at the upper edge.
    """

    key: str
    title: str
    x: str
    y: str
    x_title: str
    y_title: str
    series: tuple[ChartLine, ...] = ()
    references: tuple[Reference, ...] = ()
    description: str = ""
    caption: str = ""
    hulls: tuple[ChartLine, ...] = ()
    bands: tuple[PlotBand, ...] = ()
    contours: tuple[ChartLine, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Charts:
    """Charts that stand side by side, and plots of the same curves over other axes."""

    key: str
    title: str
    charts: tuple[Chart, ...]
    lead: str = ""
    legend: str = "Models shown"
    plots: tuple[Plot, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Decision:
    """One model at its threshold: confusion matrix and the measures that follow from it.

    `model` counts in the document's order. A part with points can be read at every embedded threshold; `slider_note` is
    about the intervals there, when they are not found as those of `measures` are. `asked` is the embedded threshold
    that the stated costs choose, where a reader begins; None for the model's own.
    """

    model: int
    part: ModelPart
    measures: tuple[Compared, ...]
    slider_note: str = ""
    asked: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Decisions:
    """Every model at its threshold. `labels` are the classes.

    `costs` of a false positive and a false negative, and `prevalence`, are what a reader begins to explore with, and
    `first` is the model.
    """

    key: str
    title: str
    labels: tuple[str, ...]
    decisions: tuple[Decision, ...]
    lead: str = ""
    remarks: tuple[str, ...] = ()
    costs: tuple[float, float] = (1.0, 1.0)
    prevalence: float = 0.5
    has_costs: bool = False
    first: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Explorer:
    """Curves, costs and decisions of the models on one screen."""

    key: str
    title: str
    curves: Charts
    decisions: Decisions
    costs: Plots | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heat:
    """Square table of numbers, shaded by how far they lie from `low` to `high`; None where there is none.

    `model` is the one whose classes these are, in the document's order.
    """

    key: str
    title: str
    corner: str
    names: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    low: float
    high: float
    lead: str = ""
    detail: bool = False
    model: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Diagram:
    """Reliability diagram of one model; `model` counts in the document's order."""

    model: int
    name: str
    drawing: Drawing
    description: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Diagrams:
    """Reliability diagrams side by side."""

    key: str
    title: str
    diagrams: tuple[Diagram, ...]
    lead: str = ""
    caption: str = ""


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


UNIT = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Ticks from 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlotLine:
    """Line of one model, or of a rule that looks at nothing (`model` None); a faint one is there to compare with.

    NaN is a gap; `dot` is where the decisions lie.
    """

    name: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    model: int | None = None
    is_faint: bool = False
    dot: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlotBand:
    """Outline of an area that belongs to one model's line."""

    model: int
    x: NDArray[np.float64]
    y: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plot:
    """Lines over axes of their own; `x_labels` stand at the ticks where these are not what is read, as logarithms."""

    key: str
    title: str
    x_title: str
    y_title: str
    lines: tuple[PlotLine, ...]
    description: str
    caption: str = ""
    x_ticks: tuple[float, ...] = UNIT
    y_ticks: tuple[float, ...] = UNIT
    bands: tuple[PlotBand, ...] = ()
    x_labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plots:
    """Plots that stand side by side; `is_small` when there are many of one kind, whose axes the lead names."""

    key: str
    title: str
    plots: tuple[Plot, ...]
    lead: str
    is_small: bool = False


Section = Heat | Prose | Table | Verdict | Summary | Charts | Plots | Diagrams | Decisions | Explorer
