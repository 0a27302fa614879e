"""What is known about one model that gives a posterior for every class."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import final

from thresher import inference, multiclass
from thresher.conventions import resolve_undefined
from thresher.counts.loss_sums import LossSums
from thresher.errors import OptionError
from thresher.evaluation.decided import decision_measures, of_decisions, refuse_fitted, registered
from thresher.evaluation.reading import read
from thresher.evaluation.subject import Subject
from thresher.inference.estimates.methods import methods_of_posteriors
from thresher.measures import Measure
from thresher.measures.measure_text import Wanted
from thresher.measures.posteriors import GUESSES, guesses_of, of_posteriors
from thresher.measures.shown import UNASKED
from thresher.predictions.posteriors import tied_rows
from thresher.results import NO_INTERVAL, Estimate


@final
class Multiclass:
    """Rows with a posterior for every class, decided for by the largest."""

    def measures(self, subjects: Sequence[Subject]) -> list[dict[str, Estimate]]:
        """Every measure by name: those of the posteriors first, then those of the decisions."""
        return [_of_posteriors(subject) | decision_measures(subject) for subject in subjects]

    def estimate(self, subject: Subject, name: str) -> Estimate:
        """A measure of posteriors, of the decisions, or an average over the classes."""
        refuse_fitted(subject, name)
        if (entry := of_posteriors(name)) is None:
            return registered(subject, name)
        return of_decisions(subject, {entry.name: _value(subject, entry)})[entry.name]

    def value(self, subject: Subject, wanted: Wanted) -> Estimate:
        """A measure as it is written on one line."""
        return self.estimate(subject, wanted.entry.name) if wanted.is_plain else read(subject, wanted)

    def notes(self, subject: Subject) -> list[str]:
        """What a reader must know about the numbers."""
        rows = subject.rows
        said = []
        if subject.name not in rows.predicted and (ties := tied_rows(rows.posteriors[subject.name])):
            what = "row has its largest posterior" if ties == 1 else "rows have their largest posterior"
            said.append(
                f"{ties:,} {what} in several classes; the first of them, in the order of the labels, is decided for"
            )
        absent = [label for label, count in zip(rows.classes, rows.class_rows.tolist(), strict=True) if not count]
        if absent:
            shown = ", ".join(map(repr, absent[:5])) + (", …" if len(absent) > 5 else "")
            verb = "class {} has" if len(absent) == 1 else "classes {} have"
            said.append(
                f"{verb.format(shown)} no rows, so what is about {'it' if len(absent) == 1 else 'them'} is undefined"
            )
        return said


def _of_posteriors(subject: Subject) -> dict[str, Estimate]:
    """Every measure of the posteriors by name."""
    k = len(subject.labels)
    names = [name for name, most in UNASKED.items() if k <= most]
    names += [f"top_{guesses}_accuracy" for guesses in GUESSES if guesses < k]
    sums = _all_sums(subject)
    found = {name: _value(subject, entry, sums) for name in names if (entry := of_posteriors(name))}
    return of_decisions(subject, found)


def _value(subject: Subject, entry: Measure, sums: Mapping[str, LossSums] | None = None) -> Estimate:
    """Value of one measure of posteriors, with its analytic interval where there is one; `sums` are reused."""
    methods = methods_of_posteriors(entry.name)
    if methods.of_areas:
        found = subject.areas_of_rows[entry.name]
    elif methods.of_tuples:
        found = replace(
            inference.volume_interval(multiclass.posterior_volume(subject.posteriors), level=subject.level),
            name=entry.name,
        )
    elif entry.group == "guesses" or methods.losses is not None:
        known = _sums(subject, entry.name) if sums is None else sums[entry.name]
        found = inference.loss_sums_interval(known, entry.name, bounds=entry.bounds, level=subject.level)
    else:
        found = Estimate(name=entry.name, value=float(entry(subject.posteriors)), n=subject.n, reason=NO_INTERVAL)
    if not math.isnan(found.value):
        return found
    reason = found.reason or "a class has no rows"
    return replace(found, value=resolve_undefined(found.value, subject.undefined, entry.title, reason), reason=reason)


def _all_sums(subject: Subject) -> dict[str, LossSums]:
    """Sums of everything shown unasked that is a mean over rows; the rows are ranked once."""
    sums: dict[str, LossSums] = dict(multiclass.loss_sums(subject.posteriors))
    credit = multiclass.top_k_accuracy(subject.posteriors, k=GUESSES)
    return sums | {f"top_{k}_accuracy": each for k, each in credit.items()}


def _sums(subject: Subject, name: str) -> LossSums:
    """Sums of what each row adds to a mean."""
    guesses = guesses_of(name)
    if guesses is None:
        losses: LossSums = multiclass.loss_sums(subject.posteriors)[name]
        return losses
    if guesses >= len(subject.labels):
        raise OptionError(f"top_{guesses}_accuracy is 1 with {len(subject.labels)} classes.")
    credit: LossSums = multiclass.top_k_accuracy(subject.posteriors, k=guesses)[guesses]
    return credit
