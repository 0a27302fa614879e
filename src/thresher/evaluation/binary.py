"""What is known about one model that gives a score of two classes, or predicted labels only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from thresher.errors import TaskError
from thresher.evaluation.assumed import beyond, score_hints
from thresher.evaluation.decided import decisions_of_each, of_scores, refuse_fitted, registered
from thresher.evaluation.subject import Subject
from thresher.evaluation.within_folds import has_fits
from thresher.inference.estimates.methods import methods_of_posteriors
from thresher.inference.estimates.of_scores import summaries_of_scores
from thresher.measures.measure_text import Wanted, wanted
from thresher.measures.posteriors import of_posteriors
from thresher.measures.registry import known
from thresher.results import Estimate


@final
class Binary:
    """Rows of two classes with a score: decided for at a threshold, or as was predicted beside the score."""

    def measures(self, subjects: Sequence[Subject]) -> list[dict[str, Estimate]]:
        """Every measure by name: those of the scores first, then those of the decisions."""
        tables, (first, *_) = [subject.scores for subject in subjects], subjects
        scored = summaries_of_scores(tables, level=first.level, undefined=first.undefined)
        each = zip(subjects, scored, decisions_of_each(subjects), strict=True)
        return [of_scores(subject, found) | decided for subject, found, decided in each]

    def estimate(self, subject: Subject, name: str) -> Estimate:
        """A measure of the scores, of their calibration, or of the decisions."""
        if (entry := known(name)) is not None and entry.fitted:
            return _read(subject, wanted(entry.name))
        _refuse_classes(subject, name)
        return registered(subject, name)

    def value(self, subject: Subject, wanted: Wanted) -> Estimate:
        """A measure as it is written on one line."""
        return _read(subject, wanted)

    def notes(self, subject: Subject) -> list[str]:
        """What a reader must know about the numbers."""
        decides = subject.predictions is not None and subject.name in subject.predictions.predicted
        said = [subject.threshold_reason] if subject.threshold is None and not decides else []
        if subject.threshold_reason == "given" and decides:
            said.append("the matrix is of its predicted labels, not of the threshold that was given")
        if not decides:
            said += beyond(subject.scores, subject.threshold, subject.labels)
        if has_fits(subject):  # whose scores are of several fits, so that their common order says nothing
            return said
        of_several = subject.predictions is not None and len(subject.predictions.scores) > 1
        area, model = lambda: self.estimate(subject, "auc"), subject.name if of_several else None
        return said + score_hints(subject.scores, area, model)


@final
class HardLabels:
    """Rows of two classes or more with predicted labels and no scores, or their confusion matrix."""

    def measures(self, subjects: Sequence[Subject]) -> list[dict[str, Estimate]]:
        """Every measure of the decisions by name."""
        return decisions_of_each(subjects)

    def estimate(self, subject: Subject, name: str) -> Estimate:
        """A measure of the decisions, or an average of one over the classes."""
        refuse_fitted(subject, name)
        _refuse_classes(subject, name)
        return registered(subject, name)

    def value(self, subject: Subject, wanted: Wanted) -> Estimate:
        """A measure as it is written on one line."""
        of_matrix = subject.has_several_classes and wanted.entry.needs in ("cells", "matrix")
        return self.estimate(subject, wanted.entry.name) if of_matrix and wanted.is_plain else _read(subject, wanted)

    def notes(self, _subject: Subject, /) -> list[str]:
        """Nothing that the predictions do not say."""
        return []


def _read(subject: Subject, wanted: Wanted) -> Estimate:
    from thresher.evaluation.reading import read

    return read(subject, wanted)


def _refuse_classes(subject: Subject, name: str) -> None:
    """Refuse a measure of the posteriors of several classes; losses are of two classes too.

    Raises:
        TaskError: it is one.
    """
    entry = of_posteriors(name)
    if entry is not None and methods_of_posteriors(entry.name).losses is None:
        raise TaskError(f"{entry.title} belongs to a multiclass task, and {subject.name!r} is {subject.task}.")
