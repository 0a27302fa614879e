"""Models of several classes: their bootstrap, and the difference of a measure between two of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher import kernel
from thresher.conventions import Floats, stand_in
from thresher.counts import ConfusionMatrix
from thresher.errors import OptionError, TaskError, keyword
from thresher.evaluation.class_tasks import Multilabel
from thresher.evaluation.subject import Subject
from thresher.inference.bootstrap.config import Bootstrap, as_bootstrap
from thresher.inference.bootstrap.limits import fewer
from thresher.inference.bootstrap.sample import unrolled
from thresher.inference.comparing.compare import ComparisonSpec
from thresher.inference.comparing.rows import mean_difference
from thresher.inference.differences.difference import Difference, difference_bounds
from thresher.inference.estimates.methods import methods_of_posteriors, right_and_wrong
from thresher.inference.multiclass.bootstrap import (
    Drawn,
    Part,
    Statistic,
    auc_replicates,
    by_weights,
    drawn_estimates,
    replicates,
    volume_replicates,
    weighted,
)
from thresher.inference.multiclass.tests import auc_average_difference, volume_difference
from thresher.measures import find
from thresher.measures.averaging import split_average
from thresher.measures.registry import known
from thresher.measures.several_classes import guesses_of, of_posteriors
from thresher.multiclass import posterior_volume
from thresher.multiclass.losses import class_ranks, shared_credit
from thresher.results import Estimate


def row_values(subject: Subject, name: str) -> Any:
    """Contribution of each row to a measure that is a mean over rows, (n,); None for another measure."""
    rows = subject.posteriors
    if (guesses := guesses_of(name)) is not None:
        return shared_credit(*class_ranks(rows.codes, rows.matrix), guesses)
    losses = methods_of_posteriors(name).losses
    return None if losses is None else losses(rows)


def resampled_estimates(subject: Subject, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates with intervals from resampled rows."""
    config = subject.bootstrap or Bootstrap()
    subject = drawable(subject)
    drawn = replicates(subject.rows, statistic(subject, list(found)), config)
    bounds = [bounds_of(name) for name in found]
    return drawn_estimates(drawn, list(found.values()), bounds, subject.level)


def drawable(subject: Subject) -> Subject:
    """Model on rows that can be drawn one by one."""
    rows = unrolled(subject.rows)
    return subject if rows is subject.rows else replace(subject, predictions=rows)


def bounds_of(name: str) -> tuple[float, float]:
    """Range of a measure, or of an average of it."""
    plain = split_average(name.removeprefix("samples_"))[1]
    return (of_posteriors(name) or known(name, "label sets") or find(plain)).bounds


def statistic(subject: Subject, names: Sequence[str], **parameters: Any) -> Statistic:
    """Values of some measures of one subject, (R, names), from how often each of its rows is drawn, (R, n)."""
    if subject.task == "multilabel":
        return _of_labels(subject, names)
    parts = _parts(subject, names, parameters)
    number = stand_in(subject.undefined)

    def values(drawn: Drawn) -> Floats:
        found = {name: column for own, part in parts for name, column in zip(own, part(drawn).T, strict=True)}
        table = np.stack([found[name] for name in names], axis=1)
        return np.where(np.isnan(table), number, table)

    return values


def _of_labels(subject: Subject, names: Sequence[str]) -> Statistic:
    """Values of some measures, (R, names), from how often each row is drawn, (R, n)."""
    undefined = stand_in(subject.undefined)

    def values(weights: Floats) -> list[float]:
        kept = np.flatnonzero(weights)
        rows = replace(subject.rows.take(kept), weights=weights[kept], weight_kind="importance")
        drawn = replace(subject, predictions=rows, undefined=undefined)
        (found,) = Multilabel().measures([drawn])
        return [(found[name] if name in found else Multilabel().estimate(drawn, name)).value for name in names]

    return by_weights(values, subject.rows.weights)


def _parts(subject: Subject, names: Sequence[str], parameters: dict[str, Any]) -> list[Part]:
    """Names and statistic of each kind of measure; each kind is computed once per resample."""
    entries = {name: of_posteriors(name) for name in names}
    areas = tuple(name for name in names if methods_of_posteriors(name).of_areas)
    volumes = tuple(name for name in names if methods_of_posteriors(name).of_tuples)
    decided = [name for name, entry in entries.items() if entry is None]
    rest = [name for name in names if name not in (*areas, *volumes, *decided)]
    rows = {name: values for name in rest if (values := row_values(subject, name)) is not None}
    others = [entry for name, entry in entries.items() if entry and name in rest and name not in rows]
    weights = subject.rows.weights
    parts: list[Part] = []
    if areas:
        parts.append((areas, auc_replicates(subject.posteriors, areas)))
    if volumes:
        parts.append((volumes, volume_replicates(subject.posteriors)))
    if rows:
        parts.append((list(rows), _mean_replicates(np.stack(list(rows.values()), axis=1), weights)))
    if others:
        of = by_weights(lambda w: [float(e(replace(subject.posteriors, weights=w))) for e in others], weights)
        parts.append(([entry.name for entry in others], of))
    if decided:
        parts.append((decided, _decision_replicates(subject, decided, parameters)))
    return parts


def _mean_replicates(values: Floats, weights: Floats | None) -> Statistic:
    """Means over rows of their contributions, `values` (n, measures)."""

    def means(drawn: Drawn) -> Floats:
        of_rows = weighted(drawn, weights)
        return np.asarray(of_rows @ values / of_rows.sum(axis=1, keepdims=True))

    return means


def _decision_replicates(subject: Subject, names: Sequence[str], parameters: Mapping[str, Any]) -> Statistic:
    """Measures of the confusion matrices of resamples, averages of classes for all of them at once."""
    rows, number = subject.rows, stand_in(subject.undefined)
    decided = subject.decided if subject.task == "multiclass" else rows.predicted[subject.name]

    def values(matrices: ConfusionMatrix, name: str) -> Floats:
        how, rest = split_average(name)
        if how:
            return np.asarray(matrices.average(rest, how=how, undefined=number, **parameters), dtype=np.float64)
        # One after the other: a formula of one's own may not take several at once.
        return np.array([find(name)(replace(matrices, counts=each), **parameters) for each in matrices.counts])

    def of_matrices(drawn: Drawn) -> Floats:
        of_rows = weighted(drawn, rows.weights)
        counts = np.stack([kernel.confusion(rows.truth, decided, len(rows.classes), each) for each in of_rows])
        matrices = ConfusionMatrix(counts=counts, labels=rows.classes, ordered=rows.ordered)
        return np.stack([values(matrices, name) for name in names], axis=1)

    return of_matrices


def class_difference(a: Subject, b: Subject, question: ComparisonSpec, *, is_paired: bool) -> Difference | None:
    """Difference between two models of several classes: by a formula where there is one, else by resampling.

    None of a share of rows, which the tests of two classes serve.
    """
    _check_classes(a, b, question)
    name, test = question.spec.entry.name, question.test
    methods = methods_of_posteriors(name)
    if question.bootstrap is None and test != "bootstrap":
        if right_and_wrong(question.spec.entry):  # a share of the rows, which McNemar's test serves
            return None
        found = _of_means(a, b, name, is_paired=is_paired) if test in ("auto", "means") else None
        if found is not None:
            return found
        if test == "auto" and methods.of_areas:
            return auc_average_difference(a.posteriors, b.posteriors, name, is_paired=is_paired)
        if test == "auto" and methods.of_tuples:
            pair = posterior_volume(a.posteriors), posterior_volume(b.posteriors)
            return volume_difference(*pair, a.posteriors, is_paired=is_paired)
    if test not in ("auto", "bootstrap"):
        raise OptionError(keyword("test", repr(test)) + f" does not serve a difference of {question.spec.title}.")
    return drawn_difference(a, b, name, question, is_paired=is_paired)


def _check_classes(a: Subject, b: Subject, question: ComparisonSpec) -> None:
    """Refuse measures of two classes, and measures of posteriors if a model lacks posteriors."""
    entry, title = question.spec.entry, question.spec.title
    in_posteriors = of_posteriors(entry.name) is not None
    if question.spec.at is not None or (entry.needs != "matrix" and not in_posteriors):
        raise TaskError(
            f"{title} is a measure of two classes, and these are {len(a.rows.classes)}: compare an average over "
            f"the classes, such as macro_auc, hand_till or macro_f1."
        )
    lacking = next((model.name for model in (a, b) if model.task == "labels"), None)
    if in_posteriors and lacking is not None:
        raise TaskError(f"{title} needs posteriors, and {lacking!r} has predicted labels only.")


def _of_means(a: Subject, b: Subject, name: str, *, is_paired: bool) -> Difference | None:
    """Difference of a measure of posteriors that is a mean over rows; None of another measure."""
    if of_posteriors(name) is None or "labels" in (a.task, b.task):
        return None
    one, two = row_values(a, name), row_values(b, name)
    if one is None or two is None:
        return None
    return mean_difference(one, two, a.rows, b.rows, difference_bounds(bounds_of(name)), is_paired=is_paired)


def drawn_difference(a: Subject, b: Subject, name: str, question: ComparisonSpec, *, is_paired: bool) -> Difference:
    """Paired: the same rows are drawn for both models. Unpaired: each from its own rows."""
    config = as_bootstrap(question.bootstrap or question.fallback, question.rng)
    a, b = drawable(a), drawable(b)
    first, second = (statistic(subject, [name], **dict(question.spec.parameters)) for subject in (a, b))
    ends = difference_bounds(bounds_of(name))
    if is_paired:
        (both,) = replicates(a.rows, lambda drawn: first(drawn) - second(drawn), config)
        return replace(both, bounds=ends).difference("paired")
    if config.method == "bca":
        raise OptionError("method='bca' is not there for models on different rows: take 'percentile' or 'basic'.")
    (one,) = replicates(a.rows, first, config)
    (two,) = replicates(b.rows, second, replace(config, rng=config.rng + 1))
    apart = replace(one, value=one.value - two.value, replicates=one.replicates - two.replicates, bounds=ends)
    return replace(apart, clusters=fewer(one.clusters, two.clusters)).difference("unpaired")
