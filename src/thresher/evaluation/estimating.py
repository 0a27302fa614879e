"""Any measure of any subject: what each task knows of it stands behind one protocol."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Protocol

from thresher.conventions import Task, confidence_level, resolve_undefined
from thresher.evaluation.assumed import at_own_cut
from thresher.evaluation.binary import Binary, HardLabels
from thresher.evaluation.left_out import with_clusters
from thresher.evaluation.subject import TASKS, Subject, Unavailable, need_scores
from thresher.evaluation.within_folds import within_folds
from thresher.inference.bootstrap.config import Bootstrap, as_bootstrap
from thresher.inference.estimates.of_scores import lacks_probabilities
from thresher.measures.measure_text import Wanted, wanted
from thresher.measures.registry import Measure, reason_undefined
from thresher.results import Estimate


class TaskKind(Protocol):
    """What a task knows of a subject."""

    def measures(self, subjects: Sequence[Subject]) -> list[dict[str, Estimate]]:
        """Every measure by name, those of the scores first, of each of some subjects with the same options."""

    def estimate(self, subject: Subject, name: str) -> Estimate:
        """One measure by its name; raises AttributeError or TaskError where the subject has none of this name."""

    def value(self, subject: Subject, wanted: Wanted) -> Estimate:
        """One measure as it is written on one line; undefined, with its reason, where it cannot be read."""

    def notes(self, subject: Subject, /) -> list[str]:
        """What a reader must know about the numbers."""


@cache
def kind_of(task: Task) -> TaskKind:
    """What a task knows; that of several classes or labels is loaded where there are any."""
    if task == "multiclass":
        from thresher.evaluation.multiclass import Multiclass

        return Multiclass()
    if task == "multilabel":
        from thresher.evaluation.multilabel import Multilabel

        return Multilabel()
    return Binary() if task == "binary" else HardLabels()


def measures_of(subject: Subject) -> dict[str, Estimate]:
    """Every measure by name: those of the scores first, then those of the confusion matrix."""
    return measures_of_each([subject])[0]


def measures_of_each(subjects: Sequence[Subject]) -> list[dict[str, Estimate]]:
    """The same of each of many subjects of one model, such as its groups, which are computed together."""
    found = kind_of(subjects[0].task).measures(subjects)
    return [noted(subject, each) for subject, each in zip(subjects, found, strict=True)]


def noted(subject: Subject, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates with what clusters and folds make of them."""
    return with_clusters(subject, within_folds(subject, found, measured_alone))


def measured_alone(subject: Subject, wanted: Wanted) -> Estimate:
    """Estimate of a measure of the rows of one fold."""
    return kind_of(subject.task).value(subject, wanted)


def measured_within(subject: Subject, wanted: Wanted) -> Estimate:
    """Estimate of a measure with the level and the bootstrap of the subject."""
    return noted(subject, {wanted.text: kind_of(subject.task).value(subject, wanted)})[wanted.text]


def notes_of(subject: Subject) -> list[str]:
    """What a reader must know about the numbers of one subject."""
    return kind_of(subject.task).notes(subject)


def estimate_of(subject: Subject, name: str) -> Estimate:
    """One measure by its name alone.

    Raises:
        AttributeError: there is none of this name, or it takes parameters.
        TaskError: it belongs to another task.
    """
    found = kind_of(subject.task).estimate(subject, name)
    return noted(subject, {name: found})[name]


def measured_value(
    subject: Subject, wanted: Wanted, *, level: float, bootstrap: Bootstrap | None = None, every: bool = False
) -> Estimate:
    """Estimate of a measure; undefined, with its reason, where it needs a threshold and there is none.

    With `bootstrap`, here or in the subject, a measure without an analytic interval has one by resampling; with
    `every` so has each other.
    """
    subject = replace(
        at_own_cut(subject, wanted), level=level, bootstrap=bootstrap or subject.bootstrap, is_resampled=every
    )
    return measured_within(subject, wanted)


def without_interval(subject: Subject, entry: Measure) -> Estimate:
    """Estimate of a measure without an interval, as of thousands of folds whose values alone are summed up."""
    statistic = subject.statistic(entry.needs)
    if isinstance(statistic, Unavailable):
        return Estimate(name=entry.name, value=math.nan, reason=statistic.reason)
    value = float(entry(statistic))
    reason = (reason_undefined(entry, statistic) or "it is 0/0") if math.isnan(value) else None
    value = resolve_undefined(value, subject.undefined, entry.title, reason or "")
    return Estimate(name=entry.name, value=value, reason=reason)


def estimate(
    subject: Subject, measure: str, *, bootstrap: Bootstrap | int | None = None, level: float | None = None
) -> Estimate:
    """`Estimate` of a measure by its name, with parameters after a colon, or at a fixed value of another measure.

    "auc", "f_beta:beta=2", or "sensitivity@specificity=0.95": there the threshold is the best observed one that
    keeps to the fixed value, and the interval of a rate takes in that it was estimated; ",interpolated" at the end
    reads between the cuts, on the straight lines of ROC space, with an interval by the bootstrap. `bootstrap` makes
    the interval of any measure by resampling; that of the evaluation serves those that have no formula.

    Raises:
        UnknownMeasureError: there is no such measure.
        OptionError: a parameter, a fixed value or the level is none.
        TaskError: the measure belongs to another task.
        UndefinedError: the measure is undefined, and the evaluation has `undefined="raise"`.

    >>> import thresher as th
    >>> rows = th.load_example("breast_cancer")
    >>> forest = th.evaluate(rows, label="diagnosis", positive="malignant", scores="random_forest")["random_forest"]
    >>> forest.estimate("sensitivity@specificity=0.95").format(3)
    '0.915 [0.836, 0.958]'

    Source of the interval at a fixed rate: Pepe 2003, section 5.2; Bahadur 1966; Hall & Sheather 1988.
    """
    config = None if bootstrap is None else as_bootstrap(bootstrap, subject.rng)
    level = subject.level if level is None else confidence_level(level)
    asked = wanted(measure)
    scored = asked.at is not None or asked.entry.needs == "table"
    if scored and not (subject.task in TASKS and asked.at is None):
        need_scores(subject, asked.title)
    found = measured_value(subject, asked, level=level, bootstrap=config, every=config is not None)
    unfit = scored and subject.task == "binary" and lacks_probabilities(asked.entry, subject.scores)
    if not math.isnan(found.value) or unfit:
        return found
    value = resolve_undefined(found.value, subject.undefined, asked.title, found.reason or "it is 0/0")
    return replace(found, value=value)
