"""Compare subjects by name, with each other and between groups, and pairwise for a report."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.json_values import plain_text
from thresher._util.threads import ordered_map
from thresher.counts import ScoreTable
from thresher.errors import OptionError, keyword
from thresher.evaluation.intervals import draws_clusters, sample_of
from thresher.evaluation.subject import Subject
from thresher.inference.bootstrap.config import Bootstrap
from thresher.measures.measure_text import MeasureSpec
from thresher.measures.registry import find, known, reason_undefined
from thresher.measures.shown import DECIDING
from thresher.predictions import Categories, Predictions
from thresher.predictions.columns import places_of
from thresher.results import about_value

if TYPE_CHECKING:
    from thresher.decisions.dominance import Dominance
    from thresher.evaluation import ModelEvaluation
    from thresher.inference.comparing.compare import ComparisonSpec
    from thresher.inference.comparing.comparison import Comparison, Comparisons


def compare(
    subjects: Mapping[str, Subject],
    models: tuple[str, ...],
    question: ComparisonSpec,
    by: str | None = None,
    *,
    best: str | None = None,
) -> Comparison | Comparisons:
    """Compare models pair by pair, or the `best` with each of the others.

    With `by` they are also compared within each group, and the groups with each other, a family apart.
    """
    named = models or tuple(subjects)
    for name in named:
        subjects[name]
    if len(set(named)) < len(named) and len(named) > 2:
        raise OptionError("a model is named twice.")
    if len(named) < 2 and by is None:
        raise OptionError(f"a comparison takes two models or more, and there is {len(named)}: {', '.join(named)}.")
    settings = next((subjects[name].bootstrap for name in named if subjects[name].bootstrap), None)
    question = replace(question, fallback=settings, spec=_of_task(subjects, question.spec))
    if question.test == "auto" and question.bootstrap is None and any(draws_clusters(subjects[n]) for n in named):
        question = replace(question, bootstrap=settings)
    families = [_pairs(subjects, named, question, best=best)]
    if by is not None:
        families.append(_by_group(*with_clusters(subjects, question), named, by))
    if by is None and len(families[0]) == 1:
        return families[0][0]
    from thresher.inference.comparing.compare import adjusted
    from thresher.inference.comparing.comparison import Comparisons

    found = tuple(item for family in families for item in adjusted(family, correction=question.correction))
    return Comparisons(found, rows_of(subjects).backend)


def headline(subjects: Mapping[str, Subject]) -> str:
    """Return the default measure of comparisons, the verdict's: AUC, else accuracy.

    The AUC needs two classes and scores of every model; without decisions of every model either, it names the lack.
    """
    rows = rows_of(subjects)
    if rows.positive is None:
        return "accuracy"
    if rows.class_counted.all() and all(subject.task == "binary" for subject in subjects.values()):
        return "auc"
    return "accuracy" if all(subject.confusion_matrix is not None for subject in subjects.values()) else "auc"


def _of_task(subjects: Mapping[str, Subject], spec: MeasureSpec) -> MeasureSpec:
    """Measure under the name that its value has in the task: of several labels "accuracy" is the subset accuracy."""
    if rows_of(subjects).task != "multilabel":
        return spec
    entry = known(spec.entry.name, "label sets")
    return spec if entry is None else replace(spec, text=entry.name, entry=entry)


def _pairs(
    subjects: Mapping[str, Subject],
    named: tuple[str, ...],
    question: ComparisonSpec,
    group: str | None = None,
    *,
    best: str | None = None,
) -> list[Comparison]:
    """Every two of the subjects, or those with the best, on the same rows; for AUCs each one's rows are placed once."""
    from thresher.evaluation.differences import difference, value_compared
    from thresher.inference.comparing.rows import placed_samples

    chosen = [subjects[name] for name in named]
    values = [value_compared(subject, question) for subject in chosen]
    alone = all(s.task == "binary" and s.rows.counts is None and s.cluster is None for s in chosen)
    is_placed = len(chosen) > 2 and alone
    rows = placed_samples([sample_of(subject) for subject in chosen], question.spec) if is_placed else None
    return [
        difference(chosen[i], chosen[j], question, values=(values[i], values[j]), group=group,
                   placed=None if rows is None else (rows, i, j))
        for i, j in combinations(range(len(chosen)), 2)
        if best is None or best in (named[i], named[j])
    ]  # fmt: skip


def with_clusters(
    subjects: Mapping[str, Subject], question: ComparisonSpec
) -> tuple[Mapping[str, Subject], ComparisonSpec]:
    """Return subjects and question with the column that a bootstrap draws as clusters; a group lacks columns."""
    rows = rows_of(subjects)
    for option in ("bootstrap", "fallback"):
        config = getattr(question, option)
        if isinstance(config, Bootstrap) and config.clusters in rows.by:
            changed: dict[str, Any] = {option: replace(config, clusters=None)}
            rows = replace(rows, cluster=rows.by[str(config.clusters)])
            return on_rows(subjects, rows), replace(question, **changed)
    return subjects, question


def _by_group(
    subjects: Mapping[str, Subject], question: ComparisonSpec, named: tuple[str, ...], by: str
) -> list[Comparison]:
    """Subjects within each group, then each between every two groups."""
    from thresher.evaluation.differences import difference

    groups = _groups(subjects, by)
    found = [c for value, part in groups.items() for c in _pairs(part, named, question, f"{by} {value}")]
    for name in named:
        for (one, first), (two, second) in combinations(groups.items(), 2):
            pair = f"{by} {one}", f"{by} {two}"
            found.append(difference(first[name], second[name], question, is_paired=False, groups=pair))
    return found


def _groups(subjects: Mapping[str, Subject], by: str) -> Mapping[Hashable, Mapping[str, Subject]]:
    """Subjects of each value of one of the subgroup columns."""
    columns = rows_of(subjects).by
    if by not in list(columns):  # also a list of columns
        known = ", ".join(map(repr, columns)) or "none was given"
        raise OptionError(
            keyword("by", repr(by))
            + ": compare by one column of evaluate("
            + keyword("by", "…")
            + f"); the columns are: {known}."
        )
    parts: dict[Hashable, dict[str, Subject]] = {}
    for rows, named in sharing(subjects, rows_of(subjects)):
        alone = replace(rows, by={by: rows.by[by]})
        for value, (_, part) in split(alone, on_rows(named, alone), [rows.by[by]]).items():
            parts.setdefault(value, {}).update(part)
    return parts


def rows_of(subjects: Mapping[str, Subject]) -> Predictions:
    """Rows that all share."""
    return next(iter(subjects.values())).rows


S = TypeVar("S", bound=Subject)


def split(
    rows: Predictions, subjects: Mapping[str, S], columns: Sequence[Categories]
) -> dict[Any, tuple[Predictions, dict[str, S]]]:
    """Rows of each combination of values that occurs, in order of the values, with the subjects on them."""
    codes = np.zeros(len(columns[0].codes), dtype=np.int64)
    for column in columns:
        codes = codes * len(column.values) + column.codes
    rows, subjects = _with_clusters(rows, subjects)
    counts, names = rows.counts, [n for n, known in rows.by.items() if any(known is each for each in columns)]
    is_by_fold = any(column is rows.fold for column in columns)
    parts, rows = {}, replace(rows, by={}, fold=None if is_by_fold else rows.fold, notes=())
    for code, places in places_of(codes):
        key = []
        rest = code
        for column in reversed(columns):
            rest, where = divmod(rest, len(column.values))
            key.append(column.values[where])
        if counts is None:
            values = [column.codes[places[0]] for column in columns]
            part = rows.take(places, partial(_alike, None if is_by_fold else names, values))
        else:
            from thresher.evaluation.counted_rows import predictions_of

            some = counts.only(dict(zip(names, reversed(key), strict=True)))
            part = replace(predictions_of(some), notes=(), dropped=0)
        parts[key[0] if len(key) == 1 else tuple(reversed(key))] = part, on_rows(subjects, part)
    return parts


def _alike(names: Sequence[str] | None, values: Sequence[Any], every: Predictions) -> Any:
    """Mask of the rows with these values of columns, or of this fold."""
    columns: list[Any] = [every.fold] if names is None else [every.by[name] for name in names]
    return np.logical_and.reduce([each.codes == value for each, value in zip(columns, values, strict=True)])


def sharing(subjects: Mapping[str, S], rows: Predictions) -> Iterator[tuple[Predictions, dict[str, S]]]:
    """Subjects by the rows that they are on: most often the same `rows`, and of counts each on its own."""
    if all(subject.predictions.counts is None for subject in subjects.values()):
        yield rows, dict(subjects)
        return
    for name, subject in subjects.items():
        yield subject.rows, {name: subject}


def on_rows(subjects: Mapping[str, S], rows: Predictions) -> dict[str, S]:
    """Same subjects, thresholds and options on other rows."""
    return {name: replace(subject, predictions=rows) for name, subject in subjects.items()}


def _with_clusters(rows: Predictions, subjects: Mapping[str, S]) -> tuple[Predictions, dict[str, S]]:
    """Rows and subjects with the group column that a bootstrap draws whole as its clusters.

    A part of the rows lacks group columns that the bootstrap could name.
    """
    found, by = dict(subjects), rows.by
    for name, subject in subjects.items():
        column = by.get(str(subject.bootstrap.clusters)) if subject.bootstrap is not None else None
        if subject.bootstrap is not None and column is not None:
            rows = replace(rows, cluster=column)
            found[name] = replace(subject, bootstrap=replace(subject.bootstrap, clusters=None))
    return rows, found


MOST_MODELS = 8
"""Most models for pairwise comparison: 28 pairs a measure are readable."""

MOST_OTHERS = 28
"""Models that the best of more is compared with."""

COMMAND = "thresher compare"

MANY = 1_000_000
"""Least number of rows for comparing measures in parallel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairwise:
    """Comparisons of every two models, differences without a test, and the reason for omitted comparisons."""

    tested: tuple[Comparison, ...] = ()
    untested: tuple[Comparison, ...] = ()
    omitted: str | None = None


def pairwise(models: Mapping[str, ModelEvaluation], rows: Predictions) -> Pairwise:
    """Comparisons of every two models on the same rows, and why there are none where one would look for them."""
    if len(models) < 2:
        return Pairwise()
    is_many = len(models) > MOST_MODELS
    if len(models) > MOST_OTHERS + 1:
        return Pairwise(omitted=f"The {len(models)} models are not compared here; {COMMAND} does it")
    counts = rows.counts
    if counts is not None and counts.pairs is None:
        from thresher.evaluation.differences import UNPAIRED

        is_noted = any(note.code == "no-pairs" for note in counts.notes)
        return Pairwise(omitted=None if is_noted else "The models are not compared here: " + UNPAIRED)
    if not (measures := list(_measures(list(models.values())))):
        why = "as no test by formula serves their measures"
        return Pairwise(omitted=f"The models are not compared here, {why}; {COMMAND} resamples")
    best = _best(models, next(name for name in DECIDING if name in measures)) if is_many else None
    from thresher.inference.comparing.compare import ComparisonSpec

    first = next(iter(models.values()))

    def compared(measure: str) -> Sequence[Comparison]:
        found = compare(models, (), ComparisonSpec.of(measure, level=first.level, rng=first.rng), best=best)
        return found if isinstance(found, Sequence) else [found]

    # Of many rows in threads, as one thread does most of the work.
    each = ordered_map if round(rows.counted) >= MANY else map
    found = [c for some in each(compared, measures) for c in some]
    untested = tuple(c for c in found if not c.is_defined or math.isnan(c.p_value))
    return Pairwise(tested=tuple(c for c in found if c not in untested), untested=untested)


def _measures(models: Sequence[ModelEvaluation]) -> Iterator[str]:
    """Measures with a test by formula that every model has."""
    if all(model.task == "binary" for model in models):
        yield "auc"
        # A score table takes as long as the comparison.
        if not any(about_value(model.measures["brier_score"].reason) for model in models):
            yield "brier_score"
    if all(model.task == "multiclass" for model in models):
        yield "brier_score"
    if all(model.confusion_matrix is not None for model in models):
        yield "accuracy"
    if all(model.task == "multilabel" and model.rows.partial_labels is not None for model in models):
        yield from ("subset_accuracy", "macro_f1")


def _best(models: Mapping[str, ModelEvaluation], measure: str) -> str:
    """The model of the highest value, compared with the others when pairs would be too many."""
    values = {name: model.measures[measure].value for name, model in models.items()}
    return max(values, key=lambda name: -math.inf if math.isnan(values[name]) else values[name])


MOST_SCORES = 2_000_000
"""Distinct scores over all pairs up to which curves are compared: an eighth of a second."""


def comparable(models: Mapping[str, Subject], model: Subject) -> ScoreTable | None:
    """Score table of a model that is compared with others; None without a ROC, and where it is too long."""
    others = sum(other.task == "binary" for other in models.values()) - 1
    if model.task != "binary" or not 0 < others < MOST_MODELS:
        return None
    if reason_undefined(find("auc"), model.scores) is not None:
        return None
    return model.scores if model.scores.scores.size * others <= MOST_SCORES else None


def dominances_of(
    models: Mapping[str, Subject], rows: Predictions, tables: Mapping[str, ScoreTable | None]
) -> tuple[tuple[Dominance, ...], str | None]:
    """Dominance of every two models, and why there is none where one would look for it."""
    scored = [model for model in models.values() if model.task == "binary"]
    if len(scored) < 2 or not rows.class_counted.all():
        return (), None
    left_out = "ROC curves are not compared in pairs for {}; evaluation.dominance(a, b) compares two models"
    if len(scored) > MOST_MODELS:
        return (), left_out.format(f"{len(scored)} models")
    known = {name: table for name, table in tables.items() if table is not None}
    if len(known) < len(scored) or (len(known) - 1) * sum(t.scores.size for t in known.values()) > MOST_SCORES:
        return (), left_out.format(f"{round(rows.counted):,} rows")
    from thresher.decisions.dominance import dominance

    pairs = combinations(known.items(), 2)
    each = (dominance(one, two, names=(plain_text(a), plain_text(b))) for (a, one), (b, two) in pairs)
    return tuple(each), None
