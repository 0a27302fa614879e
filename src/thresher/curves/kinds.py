"""The kinds of curve of one score, a row for each: the source of pictures, lists and attributes of a model."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from thresher._util.fast_dataclass import dataclass
from thresher.errors import OptionError, ended
from thresher.registration import Registration, later, put

if TYPE_CHECKING:
    from thresher.curves.curve import Curve


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveKind:
    """One kind of curve: its subject, the attribute of a model that gives it, and its function of a table.

    `make` is None where it takes more than the table; `estimate` is the measure in legends. A user registered one that
    `is_own`.
    """

    attribute: str
    text: str
    make: Callable[..., Curve] | None = None
    estimate: str | None = None
    is_own: bool = False


def _row(attribute: str, place: str | None, text: str, estimate: str | None = None) -> CurveKind:
    make = None if place is None else later(f"thresher.curves.{place}")
    return CurveKind(attribute=attribute, text=text, make=make, estimate=estimate)


CURVES: dict[str, CurveKind] = {
    "roc": _row("roc", "roc_and_precision:roc_curve", "true positive rate against false positive rate", "auc"),
    "pr": _row("pr", "roc_and_precision:precision_recall_curve", "precision against recall", "average_precision"),
    "prg": _row("prg", "roc_and_precision:precision_recall_gain_curve", "precision gain against recall gain"),
    "coverage": _row(
        "coverage_curve", "roc_and_precision:coverage_curve", "true positives against false positives, in counts"
    ),
    "det": _row("det", "roc_and_precision:det_curve", "misses against false alarms, on normal-deviate axes"),
    "gain": _row("gain_curve", "cumulative:gain_curve", "true positive rate against the share predicted positive"),
    "lift": _row(
        "lift_curve", "cumulative:lift_curve", "precision over prevalence against the share predicted positive"
    ),
    "ks": _row(
        "ks_curve",
        "cumulative:ks_curve",
        "both rates against the threshold, with their largest distance",
        "ks_statistic",
    ),
    "calibration": _row("calibration_curve", None, "observed share of positives against the score"),
    "cost": _row("cost_curve", "cost_curves:cost_curve", "expected cost against prevalence and costs"),
    "decision": _row("decision_curve", "cost_curves:decision_curve", "net benefit against the threshold probability"),
}
"""Kinds by the name that pictures take."""


def register_curve(make: Callable[[Any], Curve], *, estimate: str | None = None) -> Registration[CurveKind]:
    """Add a kind of curve of your own, until `undo()` or the end of a `with` block.

    It is then `model.curve(NAME)`, `evaluation.plot(NAME)` and `thresher plot NAME`, is listed by
    `thresher plot --list`, and is part of every report and its JSON (under `sections`).

    Args:
        make: function of a `ThresholdTable` that gives a `Curve`, named as the kind, with one sentence about it.
        estimate: the measure in legends.

    Raises:
        OptionError: there is a curve or a measure of this name, or no sentence about it.

    >>> import thresher as th
    >>> from thresher.curves import measure_curve
    >>> def gain_of_lift(table):
    ...     "Lift against the share predicted positive."
    ...     return measure_curve(table, x="predicted_prevalence", y="lift")
    >>> with register_curve(gain_of_lift):
    ...     th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])["score"].curve("gain_of_lift").y.round(2).tolist()
    [nan, 2.0, 1.0, 1.33, 1.0]
    """
    from thresher.measures.registry import known

    name, text = make.__name__, inspect.getdoc(make)
    if not text or not name.isidentifier():
        raise OptionError(f"curve {name!r}: a function with a new name and a docstring of one sentence is needed.")
    if known(name) is not None:
        raise OptionError(f"curve {name!r}: a measure has this name, which a model's attribute gives.")
    said = text.split("\n\n", maxsplit=1)[0].replace("\n", " ").rstrip(".")
    row = CurveKind(attribute=name, text=said[:1].lower() + said[1:], make=make, estimate=estimate, is_own=True)
    from thresher.counts import ThresholdTable
    from thresher.curves.curve import Curve

    try:
        made = make(ThresholdTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]))
    except Exception as problem:  # whatever a user's function raises
        raise OptionError(f"curve {name!r} fails on an example: {ended(str(problem))}") from problem
    if not isinstance(made, Curve):
        raise OptionError(f"curve {name!r} gives a {type(made).__name__} for an example, and no Curve.")
    return put(CURVES, name, row)
