"""Blocks that a report is made of: text, table, plots, matrices and verdict. Data only; each form shows these five.

A section is a function that returns blocks, with its place in `sections/order.py`; no form knows of sections.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher.finding import Finding, in_short
from thresher.report.document import ModelPart
from thresher.report.numbers import decimals
from thresher.results import DECIMALS, Estimate

if TYPE_CHECKING:
    from thresher.inference.differences.several_models import CriticalDifference

# Blocks of `add_section`.
__all__ = ["Figures", "Forest", "Plot", "PlotBand", "PlotLine", "Plots", "Prose", "Share", "Table"]


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
    """Value with its interval, drawn on a span that its column shares, where a page can; `origin` is a line to beat."""

    estimate: Estimate
    span: tuple[float, float]
    origin: float | None = 0.0


Cell = str | int | float | Figures | Share | Estimate | Forest | None
"""A text; a count; a number with decimals; numbers in a text; a share; a value with its interval, or drawn; nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Conclusion of a report, read first: findings by question, with sentences."""

    findings: tuple[Finding, ...]
    key: str = "verdict"
    title: str = "Verdict"

    @property
    def told(self) -> tuple[Finding, ...]:
        """At most four findings that answer every question; the others go to the notes."""
        return in_short(self.findings)

    @classmethod
    def of(cls, findings: tuple[Finding, ...]) -> Verdict | None:
        """Verdict of some findings; None without any."""
        return cls(findings=findings) if findings else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """Independent sentences under a heading."""

    key: str
    title: str
    sentences: tuple[str, ...]


def findings_once(blocks: Iterable[Block]) -> Iterator[Block]:
    """Blocks with notes that leave out findings, for a form that shows all findings in the verdict."""
    known = list(blocks)
    shown = {found.text for each in known if isinstance(each, Verdict) for found in each.findings}
    for each in known:
        if not isinstance(each, Prose) or each.key != "notes":
            yield each
        elif left := tuple(text for text in each.sentences if text not in shown):
            yield replace(each, sentences=left)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SplitParts:
    """Role of each row (columns, in order of first evaluation) in each split (lines): `resampling.splits`."""

    parts: NDArray[np.int8]
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows and columns; the first `headers` columns head their row.

    `detail` marks reference material: shown folded, or left out where there is no folding.
    `groups` are titles of consecutive rows with their number. Numbers are shaded from the first to the second of
    `shade`; `model` is the owner of the classes. `picture` is drawn above the table where a form can draw. Without
    intervals numbers have `bare` decimals.
    """

    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    headers: int = 1
    lead: str = ""
    remarks: tuple[str, ...] = ()
    detail: bool = False
    groups: tuple[tuple[str, int], ...] = ()
    shade: tuple[float, float] | None = None
    model: int | None = None
    picture: CriticalDifference | SplitParts | None = None
    bare: int = DECIMALS

    @property
    def decimals(self) -> int:
        """Decimals of all measures of the table, which its narrowest interval carries."""
        drawn = (cell.estimate if isinstance(cell, Forest) else cell for row in self.rows for cell in row)
        known = [each for each in drawn if isinstance(each, Estimate) and each.interval]
        return decimals(*known) if known else self.bare

    @property
    def is_right(self) -> list[bool]:
        """Whether each column holds numbers alone, which are aligned to the right."""
        columns = ([row[i] for row in self.rows if row[i] is not None] for i in range(len(self.columns)))
        return [bool(self.rows) and all(isinstance(cell, int | float | Share) for cell in cells) for cells in columns]

    def without_one(self, models: int) -> Table:
        """Return the table without its first column, the models, if there is one model."""
        if models > 1:
            return self
        rows = tuple(row[1:] for row in self.rows)
        return replace(self, columns=self.columns[1:], rows=rows, headers=self.headers - 1)


UNIT = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Ticks from 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlotLine:
    """Line of one model, counted in the document's order, or of a trivial rule (`model` None).

    NaN is a gap; `dot` is the point of the decisions, `value` is written behind the name where a drawing names its
    lines. By its `look` a line is a curve, faint for comparison, a hull, a contour of equal values that is named at the
    upper edge, or points too few for a line.
    """

    name: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    model: int | None = None
    look: Literal["curve", "faint", "hull", "contour", "points"] = "curve"
    dot: tuple[float, float] | None = None
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlotBand:
    """Outline of an area that belongs to one model's line."""

    model: int
    x: NDArray[np.float64]
    y: NDArray[np.float64]

    @classmethod
    def between(
        cls, model: int, x: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]
    ) -> PlotBand | None:
        """Area between two lines, where both are known; None where fewer than two points are."""
        known = np.isfinite(low) & np.isfinite(high)
        x, low, high = x[known], low[known], high[known]
        outline = np.concatenate([low, high[::-1]])
        return cls(model=model, x=np.concatenate([x, x[::-1]]), y=outline) if len(x) > 1 else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plot:
    """Lines over axes; `x_labels` label the ticks where these are transformed, as logarithms.

    `measures` belong to the axes where a page moves the operating points of models along their lines. `bars` are
    edges along x and heights, as shares of the drawing.
    """

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
    measures: tuple[str, str] | None = None
    bars: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plots:
    """Plots side by side; `is_small` for many of one kind, with their axes named in the lead."""

    key: str
    title: str
    plots: tuple[Plot, ...]
    lead: str
    is_small: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matrix:
    """Confusion matrix of one model at its threshold, and the measures that follow from it.

    `model` counts in the document's order. A part with points can be read at every embedded threshold; `note` is about
    the intervals there, if their method differs from that in `measures`. `asked` is the embedded threshold
    chosen by the stated costs, where a reader begins; None for the model's own.
    """

    model: int
    part: ModelPart
    measures: Mapping[str, Estimate]
    note: str = ""
    asked: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matrices:
    """Confusion matrix of every model. `labels` are the classes.

    A reader begins with `ratio`, the cost of a missed positive in false alarms, with `prevalence` and with the model
    `first`. `has_costs` is whether costs were given; without them, `ratio_reason` explains the ratio. All measures have
    the same `decimals`.
    """

    key: str
    title: str
    labels: tuple[str, ...]
    matrices: tuple[Matrix, ...]
    lead: str = ""
    remarks: tuple[str, ...] = ()
    ratio: float = 1.0
    ratio_reason: str = ""
    prevalence: float = 0.5
    has_costs: bool = False
    first: int = 0
    decimals: int = DECIMALS


Block = Prose | Table | Plots | Matrices | Verdict
