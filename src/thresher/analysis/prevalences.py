"""The same decisions where positives are rarer or more frequent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from thresher.dataclass import dataclass
from thresher.errors import TaskError
from thresher.evaluation.subject import Subject
from thresher.frozen import check_prevalence
from thresher.late import drawn, framed
from thresher.measures.shown import MOVED
from thresher.results import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class AtPrevalence:
    """Measures that a prevalence changes, by name, of decisions that stay as they are."""

    prevalence: float
    measures: Mapping[str, Estimate]

    plot, to_frame = drawn, framed

    def __getitem__(self, name: str) -> Estimate:
        return self.measures[name]

    def to_dict(self) -> dict[str, Any]:
        """Prevalence and measures as JSON types."""
        return {"prevalence": self.prevalence, "measures": {name: e.to_dict() for name, e in self.measures.items()}}


def at_prevalence(model: Subject, share: float) -> AtPrevalence:
    """Precision, negative predictive value, accuracy and F1 of a model's decisions at another share of positives.

    Raises:
        OptionError: the share is not in [0, 1].
        TaskError: the model decides between more than two classes, or has no threshold.

    >>> import thresher as th
    >>> model = th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])["score"]
    >>> round(model.at_prevalence(0.1)["positive_predictive_value"].value, 3)
    0.1
    """
    check_prevalence(share)
    matrix = model.confusion_matrix
    if matrix is None or len(matrix.labels) != 2:
        raise TaskError(f"{model.name!r} has no decisions between two classes to be read at another prevalence.")
    moved = matrix.with_prevalence(share)
    options: dict[str, Any] = {"level": model.level, "interval": model.rate_interval}
    found = {name: moved.estimate(name, **options) for name in MOVED}
    return AtPrevalence(prevalence=share, measures=found)


def at_prevalences(model: Subject, shares: Iterable[float]) -> tuple[AtPrevalence, ...]:
    """Measures at each share; none of a model without decisions between two classes."""
    matrix = model.confusion_matrix
    if matrix is None or len(matrix.labels) != 2:
        return ()
    return tuple(at_prevalence(model, share) for share in shares)
