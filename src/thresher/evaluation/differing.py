"""The difference of a measure between two subjects: by formula where there is one, else by resampling."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import NDArray

from thresher.counts.decimal_cuts import written
from thresher.counts.remarks import LEFT_OUT
from thresher.dataclass import dataclass
from thresher.errors import OptionError, TaskError
from thresher.evaluation.assumed import at_own_cut
from thresher.evaluation.class_bootstrap import bounds_of, drawable, row_values, statistic
from thresher.evaluation.estimating import measured_value
from thresher.evaluation.fold_differences import difference_between, difference_of_folds
from thresher.evaluation.intervals import side_of
from thresher.evaluation.left_out import difference_of_clusters
from thresher.evaluation.multilabel import Multilabel, bounds_of_labels, statistic_of_labels
from thresher.evaluation.subject import Subject
from thresher.evaluation.values import in_task, value_of
from thresher.evaluation.within_folds import has_fits
from thresher.inference.bootstrap.config import Bootstrap, as_bootstrap
from thresher.inference.bootstrap.limits import fewer
from thresher.inference.comparing.compare import Question, compare_sides, difference_of_sides
from thresher.inference.comparing.comparison import Comparison
from thresher.inference.comparing.rows import OWN_TESTS, PlacedPair
from thresher.inference.differences.changed import centred, swapped
from thresher.inference.differences.difference import Difference, apart, difference_bounds
from thresher.inference.differences.means import mean_of, paired_mean_difference, unpaired_mean_difference
from thresher.inference.estimates.methods import methods_of_posteriors, ranks_rows, right_and_wrong
from thresher.inference.multiclass.bootstrap import Statistic, replicates, resampled_difference, unrolled
from thresher.inference.multiclass.tests import auc_average_difference, volume_difference
from thresher.measures.posteriors import of_posteriors
from thresher.multiclass import posterior_volume
from thresher.sentences import keyword

if TYPE_CHECKING:
    from thresher.counts import Counts

UNPAIRED = (
    "counts do not say which values of two scores belong to one row, so that the scores cannot be compared: count "
    "with " + keyword("pairs", "True") + ", or compare them where the rows are"
)
"""Why the scores of counts without pairs have no comparison."""

ALIKE = 1e-12
"""Values nearer to each other are equal, but for the order in which they were added up."""

Kind = Literal["two classes", "several classes", "several labels"]


@dataclass(frozen=True, kw_only=True)
class ComparedPair:
    """Two subjects with their values of a measure, on the same rows or not, and the groups that they are of."""

    first: Subject
    second: Subject
    values: tuple[float, float]
    groups: tuple[str, str] | None = None
    is_paired: bool = True

    @property
    def is_lower(self) -> bool:
        """Whether the first has the lower value; equal ones are ordered by their names, undefined ones as they come."""
        one, two = self.values
        if math.isnan(one) or math.isnan(two) or not math.isclose(one, two, abs_tol=ALIKE):
            return one < two
        first, second = self.groups or (self.first.name, self.second.name)
        return first > second

    @property
    def swapped(self) -> ComparedPair:
        """The second before the first."""
        groups = self.groups and (self.groups[1], self.groups[0])
        return replace(self, first=self.second, second=self.first, values=self.values[::-1], groups=groups)


def difference(
    a: Subject,
    b: Subject,
    measure: str | Question,
    *,
    values: tuple[float, float] | None = None,
    is_paired: bool = True,
    **where: Any,
) -> Comparison:
    """Comparison of two subjects by one measure: of the same rows, or not `is_paired`; `values` are reused.

    `where`: the `group` whose rows these are, the `groups` they are of, or rows `placed` once for many comparisons.

    >>> import thresher as th
    >>> models = th.evaluate([1, 0, 1, 0], {"a": [0.9, 0.6, 0.4, 0.1], "b": [0.8, 0.3, 0.5, 0.2]})
    >>> difference(models["a"], models["b"], "auc").difference
    -0.25
    """
    question = Question.of(measure, level=a.level, rng=a.rng) if isinstance(measure, str) else measure
    a, b = at_own_cut(a, question.wanted), at_own_cut(b, question.wanted)
    values = values or (value_compared(a, question), value_compared(b, question))
    pair = ComparedPair(first=a, second=b, values=values, groups=where.get("groups"), is_paired=is_paired)
    found = difference_of(pair, question, where.pop("placed", None))
    return compare_sides(side_of(a), side_of(b), values, question, found, is_paired=is_paired, **where)


def difference_of(pair: ComparedPair, question: Question, placed: PlacedPair | None = None) -> Difference:
    """Difference of a pair, first minus second.

    It is computed in one order and turned about, so that both orders draw the same replicates and mirror each other.
    """
    if question.test in OWN_TESTS or not pair.is_lower:
        return _difference(pair, question, placed)
    turned = None if placed is None else (placed[0], placed[2], placed[1])
    found = _difference(pair.swapped, question, turned)
    if found.limits is None and found.p_value is None:  # for a reason, which may name the first or the second
        return _difference(pair, question, placed)
    return swapped(found)


def _difference(pair: ComparedPair, question: Question, placed: PlacedPair | None) -> Difference:
    """Difference of a pair by the method that serves it, computed in this order."""
    a, b, is_paired = pair.first, pair.second, pair.is_paired
    if is_paired and _is_counted(a, b):
        return _difference_of_counts(pair, question)
    if question.test not in OWN_TESTS:
        clustered = difference_of_clusters(a, b, question, is_paired=is_paired)
        if clustered is not None:
            return clustered
    if has_fits(a) and has_fits(b) and ranks_rows(question.wanted):
        if is_paired:
            return difference_of_folds(a, b, question, difference)
        return difference_between(a, b, question, partial(measured_value, level=question.level))
    if (found := class_difference(a, b, question, is_paired=is_paired)) is not None:
        return found
    return difference_of_sides(side_of(a), side_of(b), question, is_paired=is_paired, placed=placed)


def _difference_of_counts(pair: ComparedPair, question: Question) -> Difference:
    """Difference of the values of two tables, with the standard error of their joint cells."""
    a, b = on_cells(pair.first, pair.second)
    both = replace(pair, first=a, second=b, values=(value_compared(a, question), value_compared(b, question)))
    found = difference_of(both, question)
    if found.values or question.test in OWN_TESTS or any(map(math.isnan, both.values)):
        return found if found.values else replace(found, values=both.values)
    return centred(found, apart(*pair.values))


def _is_counted(*pair: Subject) -> bool:
    """Whether rows of one of the models were counted."""
    return any(subject.predictions is not None and subject.predictions.counts is not None for subject in pair)


def on_cells(a: Subject, b: Subject) -> tuple[Subject, Subject]:
    """Two counted models on the same rows, which are the joint cells of their scores.

    Raises:
        OptionError: the scores were counted apart.
    """
    from thresher.evaluation.counted_rows import hides_pairs, paired_rows

    counts: dict[str, Any] = {
        subject.name: None if subject.predictions is None else subject.rows.counts for subject in (a, b)
    }
    known = counts[a.name]
    if len(counts) < 2 or known is None or known.pairs is None or not set(counts) <= set(known.pairs.directions):
        raise OptionError(why_unpaired(known))
    rows = paired_rows(counts)
    found = []
    for subject in (a, b):
        changed: dict[str, Any] = {"predictions": rows}
        cut = None if subject.threshold is None else subject.counted_at(subject.threshold)
        changed |= {"threshold": cut}
        if cut is not None and hides_pairs(counts[subject.name], subject.name, cut):
            why = f"pairs do not tell decisions at {written(cut)}: name the threshold when counting"
            changed |= {"threshold": None, "threshold_reason": why}
        found.append(replace(subject, **changed))
    return found[0], found[1]


def why_unpaired(counts: Counts | None) -> str:
    """Why the scores of counts have no comparison, and what to do: as a note of them says, or `UNPAIRED`."""
    noted = () if counts is None else counts.notes
    known = next((note for note in LEFT_OUT if note in noted), None)
    return UNPAIRED if known is None else f"{known[0].lower()}{known[1:-1]}"


def value_compared(subject: Subject, question: Question) -> float:
    """Value of the measure; NaN where it cannot be read, of which the comparison gives the reason."""
    known = vars(subject).get("measures", {}).get(question.wanted.text)
    if known is not None and known.reason is None:
        return float(known.value)
    try:
        return value_of(at_own_cut(subject, question.wanted), in_task(subject, question.wanted))
    except (TaskError, AttributeError):
        return math.nan


def class_difference(a: Subject, b: Subject, question: Question, *, is_paired: bool = True) -> Difference | None:
    """Difference of a measure between two models of several classes; None where the tests of two classes serve it.

    Raises:
        OptionError: the test asked for does not serve the measure.
    """
    return DIFFERENCES[_kind(a, b)](a, b, question, is_paired)


def _kind(a: Subject, b: Subject) -> Kind:
    if a.task == b.task == "multilabel":
        return "several labels"
    is_decided = all(model.task in ("multiclass", "labels") for model in (a, b))
    return "several classes" if is_decided and len(a.rows.classes) > 2 else "two classes"


def _of_two(a: Subject, _b: Subject, question: Question, _is_paired: bool) -> None:
    """Nothing: the tests of two classes serve their measures, and those of several classes or labels are refused."""
    entry = question.wanted.entry
    if entry.of_classes or entry.needs == "label sets":
        task = "multilabel" if entry.needs == "label sets" else "multiclass"
        raise TaskError(f"{question.wanted.title} belongs to a {task} task, and this one is {a.task}.")


def _of_classes(a: Subject, b: Subject, question: Question, is_paired: bool) -> Difference | None:
    """Difference between two models of several classes: by a formula where there is one, else by resampling."""
    _check(a, b, question)
    name, test = question.wanted.entry.name, question.test
    methods = methods_of_posteriors(name)
    by_resampling = question.bootstrap is not None or test == "bootstrap"
    if right_and_wrong(question.wanted.entry) and not by_resampling:  # a share of the rows, which McNemar's test serves
        return None
    values = None if by_resampling or test not in ("auto", "means") else _means(a, b, name)
    if values is not None:
        return _of_means(a, b, *values, difference_bounds(bounds_of(name)), is_paired=is_paired)
    if test == "auto" and not by_resampling and (methods.of_areas or methods.of_tuples):
        return _of_parts(a, b, name, is_paired=is_paired)
    if test not in ("auto", "bootstrap"):
        raise OptionError(keyword("test", repr(test)) + f" does not serve a difference of {question.wanted.title}.")
    config = as_bootstrap(question.bootstrap or question.fallback, question.rng)
    return _by_resampling(a, b, question, config, is_paired=is_paired)


def _of_labels(a: Subject, b: Subject, question: Question, is_paired: bool) -> Difference:
    """Difference of two models where a row may have several labels: by resampling, whatever the measure."""
    if question.test not in ("auto", "bootstrap") or question.wanted.at is not None or question.wanted.parameters:
        raise OptionError(
            "two models of a multilabel task are compared by the bootstrap of a measure without parameters."
        )
    config = as_bootstrap(question.bootstrap or question.fallback, question.rng)
    pair = [replace(m, predictions=unrolled(m.rows), bootstrap=None) for m in (a, b)]
    name = Multilabel().estimate(pair[0], question.wanted.entry.name).name
    return _drawn(
        pair, [statistic_of_labels(m, [name]) for m in pair], bounds_of_labels(name), config, is_paired=is_paired
    )


def _check(a: Subject, b: Subject, question: Question) -> None:
    """Refuse measures of two classes, and those of posteriors where a model has none."""
    entry, title = question.wanted.entry, question.wanted.title
    in_posteriors = of_posteriors(entry.name) is not None
    if question.wanted.at is not None or (entry.needs != "matrix" and not in_posteriors):
        raise TaskError(
            f"{title} is a measure of two classes, and these are {len(a.rows.classes)}: compare an average over "
            f"the classes, such as macro_auc, hand_till or macro_f1."
        )
    lacking = next((model.name for model in (a, b) if model.task == "labels"), None)
    if in_posteriors and lacking is not None:
        raise TaskError(f"{title} needs posteriors, and {lacking!r} has predicted labels only.")


def _means(a: Subject, b: Subject, name: str) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """What each row adds to the measure, for both models; None when it is no mean over rows."""
    if of_posteriors(name) is None or "labels" in (a.task, b.task):
        return None
    one, two = row_values(a, name), row_values(b, name)
    return None if one is None or two is None else (one, two)


def _of_means(
    a: Subject, b: Subject, one: NDArray[Any], two: NDArray[Any], bounds: Any, *, is_paired: bool
) -> Difference:
    rows, others = a.rows, b.rows
    if is_paired:
        return paired_mean_difference(one, two, rows.weights, rows.weight_kind, bounds=bounds)
    first = mean_of(one, rows.weights, rows.weight_kind)
    second = mean_of(two, others.weights, others.weight_kind)
    return unpaired_mean_difference(first, second, bounds=bounds, effective=rows.weight_kind == "importance")


def _of_parts(a: Subject, b: Subject, name: str, *, is_paired: bool) -> Difference:
    """Difference of an average AUC or of the volume by each row's part in it."""
    if methods_of_posteriors(name).of_areas:
        return auc_average_difference(a.posteriors, b.posteriors, name, is_paired=is_paired)
    pair = posterior_volume(a.posteriors), posterior_volume(b.posteriors)
    return volume_difference(*pair, a.posteriors, is_paired=is_paired)


def _by_resampling(a: Subject, b: Subject, question: Question, config: Bootstrap, *, is_paired: bool) -> Difference:
    """Difference of a measure of several classes by the bootstrap."""
    pair = [drawable(a), drawable(b)]
    name, given = question.wanted.entry.name, dict(question.wanted.parameters)
    return _drawn(pair, [statistic(m, [name], **given) for m in pair], bounds_of(name), config, is_paired=is_paired)


def _drawn(
    pair: Sequence[Subject],
    of: Sequence[Statistic],
    bounds: tuple[float, float],
    config: Bootstrap,
    *,
    is_paired: bool,
) -> Difference:
    """Paired: the same rows are drawn for both models. Unpaired: each from its own rows."""
    (a, b), (first, second) = pair, of
    ends = difference_bounds(bounds)
    if is_paired:
        both = replicates(a.rows, lambda drawn: first(drawn) - second(drawn), config)
        return resampled_difference(both, ends, config, design="paired")
    if config.method == "bca":
        raise OptionError("method='bca' is not there for models on different rows: take 'percentile' or 'basic'.")
    one = replicates(a.rows, first, config)
    two = replicates(b.rows, second, replace(config, rng=config.rng + 1))
    apart = replace(
        one,
        observed=one.observed - two.observed,
        values=one.values - two.values,
        clusters=fewer(one.clusters, two.clusters),
    )
    return resampled_difference(apart, ends, config, design="unpaired")


DIFFERENCES: Mapping[Kind, Callable[[Subject, Subject, Question, bool], Difference | None]] = {
    "two classes": _of_two,
    "several classes": _of_classes,
    "several labels": _of_labels,
}
"""What gives a difference that the tests of two classes do not, by what the subjects are of."""
