"""The band of a curve, as a value."""

from __future__ import annotations

from typing import Any

from thresher._util.fast_dataclass import dataclass
from thresher._util.jsonable import fields_to_jsonable
from thresher._util.readonly import freeze_fields
from thresher.conventions import Floats
from thresher.errors import Note, Reasoned
from thresher.frames import frame_columns
from thresher.upward_import import plot_method


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Band(Reasoned):
    """Lower and upper limits of a curve at `x`, around its values `y` there.

    A band that `is_simultaneous` covers the whole curve (at the points `x`) with probability `level`, another each
    point by itself. NaN if the curve is undefined; `reason` says why.
    """

    name: str
    x: Floats
    y: Floats
    low: Floats
    high: Floats
    level: float
    method: str
    is_simultaneous: bool
    reason: Note | None = None

    def __post_init__(self) -> None:
        freeze_fields(self, "x", "y", "low", "high")

    plot = plot_method

    def to_dict(self) -> dict[str, Any]:
        """Fields as JSON types; undefined is None, beside the reason."""
        return fields_to_jsonable(self)

    def columns(self) -> dict[str, Any]:
        """One row for each point: x, y, low and high."""
        return {name: getattr(self, name) for name in ("x", "y", "low", "high")}

    to_frame = frame_columns

    def __repr__(self) -> str:
        return f"Band({self.name}: {self.x.size} points, {100 * self.level:g}% {self.method})"
