"""Subsets of rows: groups with their evaluations, gaps and means, and how a measure varies over the folds."""

from __future__ import annotations

import math
import statistics
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, field
from thresher._util.json_values import as_dict
from thresher.analysis.comparing import on_rows, rows_of, sharing
from thresher.conventions import LEVEL
from thresher.errors import OptionError, keyword
from thresher.evaluation.estimate import estimate, measures_of_each
from thresher.evaluation.subject import Subject
from thresher.evaluation.within_folds import classes_held
from thresher.inference.estimates.methods import ranks_rows
from thresher.measures.measure_text import MeasureSpec, parse_measure
from thresher.measures.shown import GAPS, GAPS_OF_CLASSES, OVER_GROUPS
from thresher.predictions import Predictions
from thresher.results import Estimate, estimate_columns, to_frame
from thresher.upward_import import as_html, as_text, plot_method

if TYPE_CHECKING:
    from thresher.inference.comparing.compare import ComparisonSpec
    from thresher.inference.comparing.comparison import Comparison, Comparisons
    from thresher.inference.differences.over_sites import RandomEffects


REST = "the rest"
MOST_VALUES = 20_000_000
"""Rows times models times groups up to which a report compares them: a few seconds."""

WITHOUT = "gaps are of groups: name a column in evaluate(" + keyword("by", "…") + ") first."
APART = "Groups are not compared with the rest here"


def gaps_of(subjects: Mapping[str, Subject], measures: Sequence[str] = ()) -> Comparisons:
    """Each group of each subgroup column against the rest of the rows, by model and measure: first minus second.

    With several columns each column forms its own groups. All p values are Holm's of one family.
    """
    first = next(iter(subjects.values()))
    if not rows_of(subjects).by:
        raise OptionError(WITHOUT)
    from thresher.inference.comparing.compare import ComparisonSpec, adjusted

    names = measures or usual_measures(subjects)
    found = _gaps(subjects, [ComparisonSpec.of(name, level=first.level, rng=first.rng) for name in names])
    return adjusted(found, rows_of(subjects).backend)


def usual_measures(subjects: Mapping[str, Subject]) -> tuple[str, ...]:
    """Measures with gaps by default."""
    models = subjects.values()
    if any(model.task not in ("binary", "labels") or len(model.rows.classes) > 2 for model in models):
        return GAPS_OF_CLASSES if all(model.confusion_matrix is not None for model in models) else ()
    scored = GAPS[:1] if all(model.task == "binary" for model in models) else ()
    return (*scored, *(GAPS[1:] if all(model.confusion_matrix is not None for model in models) else ()))


@dataclass(frozen=True, kw_only=True)
class ReportedGaps:
    """Gaps that a report shows, or the reason for their absence."""

    found: tuple[Comparison, ...] = ()
    omitted: str | None = None


def reported_gaps(subjects: Mapping[str, Subject]) -> ReportedGaps:
    """Gaps of a report: none for a single group, or for too many rows."""
    rows = rows_of(subjects)
    groups = sum(len(column.values) for column in rows.by.values())
    if groups < 2 or rows.task == "multilabel" or len(rows) < 2:
        return ReportedGaps()
    if not usual_measures(subjects):
        return ReportedGaps()
    if groups * len(subjects) * len(rows) > MOST_VALUES:
        size = f"{groups:,} groups of {len(rows):,} rows take long; .groups.gaps() does it"
        return ReportedGaps(omitted=f"{APART}: {size}")
    return ReportedGaps(found=tuple(gaps_of(subjects)))


def _gaps(subjects: Mapping[str, Subject], questions: Sequence[ComparisonSpec]) -> list[Comparison]:
    """Every gap of the first question, then of the next; computed together while a group's rows are at hand."""
    from thresher.evaluation.differences import difference

    found: list[list[Comparison]] = [[] for _ in questions]
    for name in rows_of(subjects).by:
        for value, parts in _parts(subjects, name).items():
            for asked, question in zip(found, questions, strict=True):
                for part, rest in parts.values():
                    gap = difference(part, rest, question, is_paired=False, groups=(f"{name} {value}", REST))
                    asked.append(gap)
    return [gap for asked in found for gap in asked]


def _parts(subjects: Mapping[str, Subject], name: str) -> dict[object, dict[str, tuple[Subject, Subject]]]:
    """Models on the rows of each group of a column, and on all others; counted models have their own rows."""
    parts: dict[object, dict[str, tuple[Subject, Subject]]] = {}
    for rows, models in sharing(subjects, rows_of(subjects)):
        column = rows.by[name]
        for code, value in enumerate(column.values):
            inside = np.asarray(column.codes) == code
            if inside.any() and not inside.all():
                taken = (_taken(rows, name, value, inside, others=others) for others in (False, True))
                group, rest = (on_rows(models, part) for part in taken)
                parts.setdefault(value, {}).update({model: (group[model], rest[model]) for model in models})
    return parts


def _taken(rows: Predictions, name: str, value: Hashable, inside: NDArray[np.bool_], *, others: bool) -> Predictions:
    """Rows of a group or all others."""
    if rows.counts is not None:
        from thresher.evaluation.counted_rows import predictions_of

        return predictions_of(rows.counts.only({name: value}, others=others))
    chosen = lambda every: (every.by[name].codes == every.by[name].values.index(value)) != others  # noqa: E731
    return rows.take(np.flatnonzero(inside != others), chosen)


E = TypeVar("E", bound=Mapping[str, Subject])

SHOWN = 5
"""Groups that a printed value names."""


@dataclass(frozen=True, eq=False)
class Subgroups(Mapping[Any, E], Generic[E]):
    """Evaluation of each group by its value, or by a tuple of values where there are several columns.

    Groups that lack a class are kept: measures of both classes are undefined there, with the reason. `columns` name
    the subgroup columns.

    >>> import thresher as th
    >>> groups = th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1], by=["x", "x", "y", "y"]).groups
    >>> groups
    Subgroups(2 groups: 'x' (2 rows), 'y' (2 rows))
    >>> groups["x"].auc.value
    1.0
    """

    parts: Mapping[Any, E] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    backend: str | None = None
    whole: Mapping[str, Subject] = field(default_factory=dict, repr=False)

    plot = plot_method

    def __getitem__(self, key: Any) -> E:
        return self.parts[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def estimates(self, measure: str) -> dict[tuple[Any, str], Estimate]:
        """Estimate of a measure by group and model."""
        return {(key, name): estimate(model, measure) for key, part in self.items() for name, model in part.items()}

    def random_effects(self, measure: str) -> dict[str, RandomEffects]:
        """Mean of a measure over the groups, such as sites, as a random effect, by model.

        A share of decisions has the binomial variance, with clusters the variance of the jackknife over them; where
        the share in a group of independent rows is 0 or 1, half a row is added to both. Groups without a value or
        a standard error are `omitted`. The mean lacks an interval where groups share clusters.

        Raises:
            OptionError: no group has a value with a standard error.

        >>> import thresher as th
        >>> rows = {"y": [1, 0] * 20, "s": [0.9, 0.4, 0.3, 0.5] * 10, "site": ["a", "b", "c", "d"] * 10}
        >>> rows["site"] = [site for site in "abcd" for _ in range(10)]
        >>> th.evaluate(rows, "s", label="y", by="site").groups.random_effects("recall")["s"].sites
        4
        """
        asked = parse_measure(measure)
        clustered = any(model.cluster is not None for part in self.values() for _, model in part.items())
        low, high = asked.entry.bounds
        is_share = (low, high) == (0, 1)
        from thresher.inference.differences.over_sites import random_effects

        found: dict[str, RandomEffects] = {}
        for name in dict.fromkeys(name for part in self.values() for name, _ in part.items()):
            each = {key: estimate for (key, model), estimate in self.estimates(measure).items() if model == name}
            errors_of = {key: _with_error(e, asked, is_share=is_share, clustered=clustered) for key, e in each.items()}
            pairs = {key: pair for key, pair in errors_of.items() if pair is not None}
            if not pairs:
                why = next((f": {e.reason}" for e in each.values() if e.reason), "")
                raise OptionError(f"{asked.title} has a value with a standard error in no group of {name!r}{why}.")
            values, errors = zip(*pairs.values(), strict=True)
            level = next((e.level for e in each.values() if e.level is not None), LEVEL)
            mean = random_effects(
                values, errors, measure=measure, is_share=is_share, names=tuple(pairs),
                omitted=len(each) - len(pairs), level=level, share_clusters=_share_clusters(self.values(), name),
            )  # fmt: skip
            found[name] = mean
        return found

    def to_frame(self, measures: Sequence[str] | None = None, *, backend: str | None = None) -> Any:
        """One row per group, model and measure: all measures, or those named.

        Raises:
            MissingDependencyError: no dataframe library is installed.
        """
        every = self._measured() if measures is None else {}
        rows = [
            (key, _size(part), name, found)
            for key, part in self.items()
            for name, model in part.items()
            for found in (
                next(every[name]).values() if measures is None else (estimate(model, each) for each in measures)
            )
        ]
        keys = [key if len(self.columns) > 1 else (key,) for key, *_ in rows]
        owners: dict[str, list[Any]] = {
            column: [key[place] for key in keys] for place, column in enumerate(self.columns)
        }
        owners |= {"rows": [n for _, n, *_ in rows], "model": [name for *_, name, _ in rows]}
        owners["measure"] = [found.name for *_, found in rows]
        return to_frame(owners | estimate_columns(found for *_, found in rows), backend or self.backend)

    def _measured(self) -> dict[str, Iterator[dict[str, Estimate]]]:
        """Every measure by model, group after group."""
        models: dict[str, list[Subject]] = {}
        for part in self.values():
            for name, model in part.items():
                models.setdefault(name, []).append(model)
        return {name: iter(measures_of_each(each)) for name, each in models.items()}

    def gaps(self, *measures: str) -> Comparisons:
        """Each group against the rest of the rows, by model and measure, as one family (Holm): group minus rest.

        With several columns each column forms its own groups. No measure named: the AUC, recall and
        specificity, of several classes the accuracy.

        Raises:
            OptionError: there are no groups, or a measure is unknown.

        >>> import thresher as th
        >>> groups = th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1], by=["x", "x", "y", "y"]).groups
        >>> [(gap.groups, gap.difference) for gap in groups.gaps("recall")]
        [(('group x', 'the rest'), 1.0), (('group y', 'the rest'), -1.0)]
        """
        if not self.whole:
            raise OptionError(WITHOUT)
        return gaps_of(self.whole, measures)

    __str__, _repr_html_ = as_text, as_html

    def __repr__(self) -> str:
        shown = [f"{key!r} ({_size(part):,} rows)" for key, part in list(self.items())[:SHOWN]]
        more = [f"and {len(self) - SHOWN} more"] if len(self) > SHOWN else []
        return f"Subgroups({len(self)} group{'s' * (len(self) != 1)}: {', '.join([*shown, *more]) or 'none'})"


def _share_clusters(parts: Iterable[Mapping[str, Subject]], name: str) -> bool:
    """Whether a model's rows of one cluster are in several groups."""
    columns = [column for part in parts if name in part and (column := part[name].cluster) is not None]
    found = [label for column in columns for label in {column.values[code] for code in np.unique(column.codes)}]
    return len(found) > len(set(found))


def _size(part: Mapping[str, Subject]) -> int:
    """Rows of a group that count."""
    return round(rows_of(part).counted)


def _with_error(found: Estimate, asked: MeasureSpec, *, is_share: bool, clustered: bool) -> tuple[float, float] | None:
    """Value of an estimate with its standard error, by clusters where the interval is to be; None without one."""
    value, error = found.value, found.standard_error
    if asked.entry.proportion and asked.at is None and found.n and math.isfinite(value) and not clustered:
        n = found.n
        value, n = ((value * n + 0.5) / (n + 1), n + 1) if value in (0.0, 1.0) else (value, n)
        return value, math.sqrt(value * (1 - value) / n)
    if error is None or not error > 0 or not math.isfinite(value) or (is_share and not 0 < value < 1):
        return None
    return value, error


MOST_GROUPS = 200
"""Groups up to which a report sums up."""


def means_over_groups(evaluation: Any) -> tuple[tuple[str, RandomEffects], ...]:
    """Mean of each measure over the groups of counts by one column, as a random effect, with the model that it is of.

    Only for counts: rows of one place have groups of another kind, such as ages, which are not drawn at random.
    """
    rows = evaluation.predictions
    if rows.counts is None or len(rows.by) != 1 or not 2 <= len(evaluation.groups) <= MOST_GROUPS:
        return ()
    found: list[tuple[str, RandomEffects]] = []
    for measure in OVER_GROUPS:
        with suppress(OptionError):  # no group has a value
            found += evaluation.groups.random_effects(measure).items()
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldSpread:
    """A measure on all rows, and the mean, spread (k − 1 in the divisor) and ends of the folds where it is finite.

    `folds` is how many there are, `defined` how many have a finite value. `pooled` is NaN for a ranking measure, as
    scores of different folds come from different fits and do not compare.
    """

    measure: str
    pooled: float
    mean: float
    standard_deviation: float
    smallest: float
    largest: float
    folds: int
    defined: int

    to_dict = as_dict


def spread_of(measure: str, pooled: Estimate | None, folds: Sequence[Estimate | None]) -> FoldSpread:
    """Spread of estimates of one measure on the folds; None is a fold without one.

    >>> spread_of("auc", None, [Estimate(name="auc", value=v) for v in (0.7, 0.9, float("nan"))]).mean
    0.8
    """
    values = [each.value for each in folds if each is not None and math.isfinite(each.value)]
    return FoldSpread(
        measure=measure,
        pooled=math.nan if pooled is None else pooled.value,
        mean=statistics.fmean(values) if values else math.nan,
        standard_deviation=statistics.stdev(values) if len(values) > 1 else math.nan,
        smallest=min(values, default=math.nan),
        largest=max(values, default=math.nan),
        folds=len(folds),
        defined=len(values),
    )


def fold_spread(
    models: Mapping[str, Subject], folds: Collection[Mapping[str, Subject]], measure: str
) -> dict[str, FoldSpread]:
    """Spread of a measure over the folds, by model; `folds` are the models on the rows of each fold.

    Raises:
        OptionError: there are no folds.
    """
    if not folds:
        raise OptionError("a spread over folds needs folds: name their column with " + keyword("fold") + ".")
    return {
        name: spread_of(
            (whole := estimate(model, measure)).name,
            None if ranks_rows(parse_measure(measure)) else whole,
            [None if _is_unranked(fold[name], model, measure) else estimate(fold[name], measure) for fold in folds],
        )
        for name, model in models.items()
    }


def _is_unranked(part: Subject, whole: Subject, measure: str) -> bool:
    """Whether a fold lacks a class that a ranking measure needs rows of."""
    return ranks_rows(parse_measure(measure)) and classes_held(part.rows) < classes_held(whole.rows)
