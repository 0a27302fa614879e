"""What a bootstrap and clusters make of the intervals of a subject."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from thresher.conventions import stand_in
from thresher.counts.clusters import DEPENDENT
from thresher.evaluation.subject import Subject
from thresher.inference.estimates.methods import methods_of
from thresher.measures.averaging import split_average
from thresher.measures.registry import known
from thresher.results import Estimate, TestResult, about_value

if TYPE_CHECKING:
    from thresher.inference.comparing.rows import Side


UNTESTED = f"{DEPENDENT}, and the test takes them as if they were"
"""Why a test of one model has no outcome for rows in clusters."""


def draws_clusters(subject: Subject) -> bool:
    """Whether a bootstrap was asked for that draws clusters, which no formula does as well."""
    if subject.bootstrap is None or subject.bootstrap.clusters is False:
        return False
    return subject.cluster is not None or isinstance(subject.bootstrap.clusters, str)


def resamples_all(subject: Subject) -> bool:
    """Whether the bootstrap serves every measure: it was given for the very measure, or draws clusters."""
    return subject.bootstrap is not None and (subject.is_resampled or draws_clusters(subject))


def to_resample(subject: Subject, found: dict[str, Estimate]) -> list[str]:
    """Names of the estimates that a bootstrap gives an interval.

    Those without one, what several classes have in common, of which formulas are approximate, or all that it serves.
    """
    if subject.bootstrap is None:
        return []
    every = resamples_all(subject)
    wanted = (name for name, e in found.items() if every or e.low is None or _of_several_classes(subject, name))
    return [name for name in wanted if math.isfinite(found[name].value) and not _is_refused(name)]


def _is_refused(name: str) -> bool:
    """Whether a measure, or that of an average, is given no interval at all."""
    entry = known(split_average(name)[1])
    return entry is not None and methods_of(entry.name).refused is not None


def _of_several_classes(subject: Subject, name: str) -> bool:
    """Whether a measure is a mean over several classes of decisions, or the information of their matrix."""
    if not subject.has_several_classes or name.endswith("_auc"):
        return False
    own = methods_of(name)
    return name.startswith(("macro_", "weighted_")) or own.mean_of is not None or own.limits == "information"


def withheld(subject: Subject, tests: Mapping[str, TestResult]) -> dict[str, TestResult]:
    """Tests of one model by formulas that take rows as independent; of rows in clusters without an outcome."""
    if subject.cluster is None:
        return dict(tests)
    return {name: test.withheld(UNTESTED) for name, test in tests.items()}


def side_of(subject: Subject) -> Side:
    """Subject as the tests take it; one with posteriors by the classes that it decides for."""
    from thresher.inference.comparing.rows import Side

    rows = subject.rows
    if subject.task == "multiclass":
        rows = replace(rows, predicted={**rows.predicted, subject.name: subject.decided})
    return Side(
        rows=rows,
        model=subject.name,
        threshold=subject.threshold,
        threshold_reason=subject.threshold_reason,
        kept=subject.compared,
    )


def resampled(
    subject: Subject, wanted: dict[str, Estimate], rows: Any, name: str, **options: Any
) -> dict[str, Estimate]:
    """Estimates with intervals from one set of replicates; a reason that is about the value stays."""
    from thresher.inference.bootstrap.intervals import bootstrap_replicates, estimates_of

    options["undefined"] = stand_in(subject.undefined)
    replicates = bootstrap_replicates(rows, list(wanted), subject.bootstrap, models=(name,), **options)
    found = {}
    for (key, before), after in zip(wanted.items(), estimates_of(replicates, level=subject.level), strict=True):
        reasons = [*about_value(before.reason), *(() if after.reason is None else (after.reason,))]
        is_worse = after.low is None and before.low is not None
        found[key] = before if is_worse else replace(after, reason="; ".join(reasons) or None)
    return found
