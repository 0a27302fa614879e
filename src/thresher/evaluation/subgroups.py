"""The evaluations of subgroups as one value: a mapping that is also a dataframe and a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from thresher.frames import to_frame
from thresher.late import drawn
from thresher.results import Estimate, estimate_columns

if TYPE_CHECKING:
    from thresher.evaluation.models import Evaluation

SHOWN = 5
"""Groups that a printed value names."""


@dataclass(frozen=True, eq=False)
class Subgroups(Mapping[Any, "Evaluation"]):
    """Evaluation of each group by its value, or by a tuple of values where there are several columns.

    Groups that lack a class are there: what needs both classes is undefined in them, with the reason. `columns` name
    the subgroup columns.

    >>> import thresher as th
    >>> groups = th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1], by=["x", "x", "y", "y"]).groups
    >>> groups
    Subgroups(2 groups: 'x' (2 rows), 'y' (2 rows))
    >>> groups["x"].auc.value
    1.0
    """

    parts: Mapping[Any, Evaluation] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    backend: str | None = None

    plot = drawn

    def __getitem__(self, key: Any) -> Evaluation:
        return self.parts[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def estimates(self, measure: str) -> dict[tuple[Any, str], Estimate]:
        """Estimate of a measure by group and model."""
        return {(key, name): model.estimate(measure) for key, part in self.items() for name, model in part.items()}

    def to_frame(self, measures: Sequence[str] | None = None, *, backend: str | None = None) -> Any:
        """One row per group, model and measure: all measures, or those named.

        Raises:
            MissingDependencyError: no dataframe library is installed.
        """
        rows = [
            (key, part.n, name, estimate)
            for key, part in self.items()
            for name, model in part.items()
            for estimate in (model.measures.values() if measures is None else map(model.estimate, measures))
        ]
        keys = [key if len(self.columns) > 1 else (key,) for key, *_ in rows]
        owners: dict[str, list[Any]] = {
            column: [key[place] for key in keys] for place, column in enumerate(self.columns)
        }
        owners |= {"rows": [n for _, n, *_ in rows], "model": [name for *_, name, _ in rows]}
        owners["measure"] = [estimate.name for *_, estimate in rows]
        return to_frame(owners | estimate_columns(estimate for *_, estimate in rows), backend or self.backend)

    def __repr__(self) -> str:
        shown = [f"{key!r} ({part.n:,} rows)" for key, part in list(self.items())[:SHOWN]]
        more = [f"and {len(self) - SHOWN} more"] if len(self) > SHOWN else []
        return f"Subgroups({len(self)} group{'s' * (len(self) != 1)}: {', '.join([*shown, *more]) or 'none'})"
