"""Partly labelled rows: intervals that allow for the sample of labelled rows in strata, and bounds without one."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.errors import OptionError, choice
from thresher.evaluation.influence import influence
from thresher.evaluation.intervals import measure_named
from thresher.evaluation.subject import Subject
from thresher.evaluation.tasks import LabelTreatment, ValueOf
from thresher.inference.limits import NO_WIDTH, limited
from thresher.inference.strata import SecondPhase
from thresher.inference.verified import verified_model, weighted
from thresher.measures import shown
from thresher.predictions.judged import LabelMask
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.inference.missing_bounds import Bounds

METHOD = "Begg–Greenes"


def with_second_phase(subject: Subject, found: dict[str, Estimate], _value_of: ValueOf) -> dict[str, Estimate]:
    """Estimates of weighted rows, with limits from both phases: which rows there are, and which were verified."""
    phase, rows = subject.rows.partial_labels, subject.rows
    if not isinstance(phase, SecondPhase) or rows.fold is not None or subject.cluster is not None or subject.bootstrap:
        return found
    return {name: _estimate(subject, phase, name, each) for name, each in found.items()}


def _estimate(subject: Subject, phase: SecondPhase, name: str, found: Estimate) -> Estimate:
    """Estimate by both phases; with an empty cell or without a formula the interval takes the weights as given."""
    measure = None if found.low is None else measure_named(subject, name)
    adds = None if measure is None else influence(subject, measure)
    if measure is None or adds is None or subject.rows.weights is None or _has_empty_cell(subject, measure.entry.needs):
        return found
    variance, df = phase.variance(adds / subject.rows.weights)
    error, n = math.sqrt(variance), len(subject.rows)
    if not math.isfinite(error) or error * math.sqrt(n) < NO_WIDTH:
        return found
    found = replace(found, n=float(n))
    return limited(found, error, measure.entry.bounds, level=subject.level, method=METHOD, df=max(df, 1.0))


def _has_empty_cell(subject: Subject, needs: str) -> bool:
    matrix = subject.confusion_matrix if needs in ("cells", "matrix") else None
    return matrix is not None and bool((np.asarray(matrix.counts) == 0).any())


def bounds(subject: Subject, measure: str, other: Subject | None = None) -> Bounds:
    """Lowest and highest value of a measure over all possible labels of the rows without one.

    With another model, they are of the difference, this model minus the other. For measures of decisions, the AUC, and
    means over rows such as the Brier score. They assume nothing.

    Raises:
        OptionError: the evaluation is without `missing="bounds"`, or bounds of this measure are not known.

    >>> import thresher as th
    >>> model = th.evaluate([1, 1, 0, 0, None], predicted=[1, 1, 0, 1, 0], missing="bounds")["predicted"]
    >>> model.recall.value, model.bounds("recall")
    (1.0, Bounds(low=0.6666666666666666, high=1.0))
    """
    every = subject.rows.partial_labels
    if not isinstance(every, LabelMask) or every.rows is None:
        raise OptionError("bounds are for all rows of an evaluation with " + choice("missing", "bounds") + ".")
    models = [subject] if other is None else [subject, other]
    found = [verified_model(every.rows, every.is_labelled, each.name, each.threshold) for each in models]
    return found[0].bounds(measure, *found[1:])


def bounds_found(evaluation: Any) -> list[tuple[str, Estimate, Bounds]] | None:
    """Bounds of the usual measures of each model, beside the estimate from labelled rows; None without any."""
    found = [(name, model, measure) for name, model in evaluation.items() for measure in shown.BOUNDED]
    known = [(name, each, bounds(model, measure)) for name, model, measure in found
             if (each := model.measures.get(measure)) is not None and each.is_defined]  # fmt: skip
    return known or None


WEIGHTED = LabelTreatment(rows=weighted, estimates=with_second_phase)
BOUNDED = LabelTreatment(bounds=bounds)
