"""`Outcomes`: query by query, which of two runs is better."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.dataclass import dataclass
from thresher.frames import to_frame
from thresher.frozen import freeze
from thresher.late import drawn
from thresher.plain import plain

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcomes:
    """Values of a measure for two runs on the queries that count in both; within `within` of each other is a tie.

    >>> found = Outcomes(measure="map", runs=("a", "b"), queries=("q1", "q2", "q3"),
    ...                  first=np.array([0.5, 0.2, 0.7]), second=np.array([0.4, 0.2, 0.1]))
    >>> found
    Outcomes(map: a wins 2 queries, b 0, tied 1)
    """

    measure: str
    runs: tuple[str, str]
    queries: tuple[str, ...]
    first: Floats
    second: Floats
    within: float = 0.0
    backend: str | None = None

    plot = drawn

    def __post_init__(self) -> None:
        for name in ("first", "second"):
            object.__setattr__(self, name, freeze(getattr(self, name)))

    @property
    def difference(self) -> Floats:
        """First minus second; NaN where a value is undefined."""
        with np.errstate(invalid="ignore"):  # of two infinite values
            return np.asarray(self.first - self.second)

    @property
    def winner(self) -> tuple[str, ...]:
        """Name of the better run for every query, "tie", or "undefined" where a value is."""
        sign = np.where(np.abs(self.difference) <= self.within, 0, np.sign(self.difference))
        words = {1.0: self.runs[0], -1.0: self.runs[1], 0.0: "tie"}
        return tuple(words.get(s, "undefined") for s in sign.tolist())

    @property
    def wins(self) -> int:
        """Queries on which the first is better."""
        return int((self.difference > self.within).sum())

    @property
    def losses(self) -> int:
        """Queries on which the second is better."""
        return int((self.difference < -self.within).sum())

    @property
    def ties(self) -> int:
        """Queries on which neither is."""
        return int((np.abs(self.difference) <= self.within).sum())

    @property
    def undefined(self) -> int:
        """Queries on which a value is undefined."""
        return int(np.isnan(self.difference).sum())

    def columns(self) -> dict[str, Any]:
        """Columns query, first, second, difference and winner, with an entry for each query."""
        columns = {"query": list(self.queries), "first": self.first, "second": self.second}
        return columns | {"difference": self.difference, "winner": list(self.winner)}

    def to_dict(self) -> dict[str, Any]:
        """What was compared, how often who wins, and the columns as lists; JSON types, undefined is None."""
        names = ("measure", "runs", "within", "wins", "losses", "ties", "undefined")
        columns: dict[str, Any] = plain(self.columns())
        return {name: plain(getattr(self, name)) for name in names} | columns

    def to_frame(self, backend: str | None = None) -> Any:
        """One row for each query, as a dataframe.

        Raises:
            MissingDependencyError: no dataframe library is installed.
        """
        return to_frame(self.columns(), backend or self.backend)

    @property
    def sentence(self) -> str:
        """Who wins how often, in words."""
        first, second = self.runs
        tied = f"{self.ties:,} {'is' if self.ties == 1 else 'are'} tied"
        of = f"{self.wins:,} of {len(self.queries):,} queries"
        more = f", {self.undefined:,} undefined" if self.undefined else ""
        return f"By {self.measure} {first} wins {of}, {second} {self.losses:,}; {tied}{more}."

    def __repr__(self) -> str:
        first, second = self.runs
        counts = f"{first} wins {self.wins:,} queries, {second} {self.losses:,}, tied {self.ties:,}"
        counts += f", undefined {self.undefined:,}" if self.undefined else ""
        return f"Outcomes({self.measure}: {counts})"
