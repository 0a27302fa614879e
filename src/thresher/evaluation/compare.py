"""Comparing the models of an evaluation, with each other and between groups."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from thresher.errors import OptionError, TaskError
from thresher.evaluation.class_compare import class_difference
from thresher.evaluation.measured import IGNORED, draws_clusters
from thresher.evaluation.value import measured_value
from thresher.inference.bootstrap_config import Bootstrap
from thresher.inference.compare import Comparison, Comparisons, Question, adjusted, compare_sides
from thresher.inference.compare_measure import Wanted
from thresher.inference.compare_rows import Side, placed_sides
from thresher.measures.registry import known
from thresher.sentences import keyword

if TYPE_CHECKING:
    from thresher.evaluation.model import ModelEvaluation
    from thresher.evaluation.models import Evaluation


RESAMPLED = "bootstrap"
"""Word of the methods that draw clusters whole."""


def compare(
    evaluation: Evaluation, models: tuple[str, ...], question: Question, by: str | None = None
) -> Comparison | Comparisons:
    """Compare models pair by pair; with `by` also within each group and the groups with each other, a family apart."""
    named = models or tuple(evaluation)
    for name in named:
        evaluation[name]
    if len(set(named)) < len(named) and len(named) > 2:
        raise OptionError("a model is named twice.")
    if len(named) < 2 and by is None:
        raise OptionError(f"a comparison takes two models or more, and there is {len(named)}: {', '.join(named)}.")
    settings = next((evaluation[name].bootstrap for name in named if evaluation[name].bootstrap), None)
    question = replace(question, fallback=settings, wanted=_of_task(evaluation, question.wanted))
    if question.test == "auto" and question.bootstrap is None and any(draws_clusters(evaluation[n]) for n in named):
        question = replace(question, bootstrap=settings)
    families = [_pairs(evaluation, named, question)]
    if by is not None:
        families.append(_by_group(*_with_clusters(evaluation, question), named, by))
    if evaluation.predictions.cluster is not None:
        families = [[_telling(item) for item in family] for family in families]
    if by is None and len(families[0]) == 1:
        return families[0][0]
    found = tuple(item for family in families for item in adjusted(family))
    return Comparisons(found, evaluation.predictions.backend)


def _telling(found: Comparison) -> Comparison:
    """Comparison whose method says that the clusters of the rows are ignored, unless they were drawn."""
    return found if RESAMPLED in found.method else replace(found, method=f"{found.method}, {IGNORED}")


def _of_task(evaluation: Evaluation, wanted: Wanted) -> Wanted:
    """Measure under the name that its value has in the task: of several labels "accuracy" is the subset accuracy."""
    if evaluation.predictions.task != "multilabel":
        return wanted
    entry = known(wanted.entry.name, "label sets")
    return wanted if entry is None else replace(wanted, text=entry.name, entry=entry)


def side_of(model: ModelEvaluation) -> Side:
    """Model as the tests take it; one with posteriors by the classes that it decides for."""
    rows = model.predictions
    if model.task == "multiclass":
        rows = replace(rows, predicted={**rows.predicted, model.name: model.decided})
    return Side(
        rows=rows,
        model=model.name,
        threshold=model.threshold,
        threshold_reason=model.threshold_reason,
    )


def _pairs(
    evaluation: Evaluation, named: tuple[str, ...], question: Question, group: str | None = None
) -> list[Comparison]:
    """Every two of the models on the same rows; for AUCs each model's rows are placed once."""
    models = [evaluation[name] for name in named]
    sides, values = [side_of(model) for model in models], [_value(model, question) for model in models]
    binary = all(model.task == "binary" for model in models)
    rows = placed_sides(sides, question.wanted) if len(sides) > 2 and binary else None
    return [
        compare_sides(sides[i], sides[j], (values[i], values[j]), question,
                      placed=None if rows is None else (rows, i, j), group=group,
                      found=class_difference(models[i], models[j], question))
        for i, j in combinations(range(len(sides)), 2)
    ]  # fmt: skip


def _with_clusters(evaluation: Evaluation, question: Question) -> tuple[Evaluation, Question]:
    """Rows and question with the column that a bootstrap draws whole as clusters, as a group has no columns to name."""
    rows = evaluation.predictions
    for option in ("bootstrap", "fallback"):
        config = getattr(question, option)
        if isinstance(config, Bootstrap) and config.clusters in rows.by:
            changed: dict[str, Any] = {option: replace(config, clusters=None)}
            return evaluation.on(replace(rows, cluster=rows.by[str(config.clusters)])), replace(question, **changed)
    return evaluation, question


def _by_group(evaluation: Evaluation, question: Question, named: tuple[str, ...], by: str) -> list[Comparison]:
    """Models within each group, then each model between every two groups."""
    groups = groups_of(evaluation, by)
    found = [c for value, part in groups.items() for c in _pairs(part, named, question, f"{by} {value}")]
    for name in named:
        for (one, first), (two, second) in combinations(groups.items(), 2):
            values = _value(first[name], question), _value(second[name], question)
            sides = side_of(first[name]), side_of(second[name])
            pair = f"{by} {one}", f"{by} {two}"
            known = class_difference(first[name], second[name], question, is_paired=False)
            found.append(compare_sides(*sides, values, question, is_paired=False, groups=pair, found=known))
    return found


def groups_of(evaluation: Evaluation, by: str) -> Mapping[Hashable, Evaluation]:
    """Evaluation of each value of one of the subgroup columns.

    Raises:
        OptionError: no such column was named when the evaluation was made.
    """
    columns = evaluation.predictions.by
    if by not in columns:
        known = ", ".join(map(repr, columns)) or "none was given"
        raise OptionError(
            keyword("by", repr(by))
            + ": name the subgroup column in evaluate("
            + keyword("by", "…")
            + f") first; the columns are: {known}."
        )
    rows = replace(evaluation.predictions, by={by: columns[by]})
    groups: Mapping[Hashable, Evaluation] = evaluation.on(rows).groups
    return groups


def _value(model: ModelEvaluation, question: Question) -> float:
    """Value of the measure; NaN where it cannot be read, of which the comparison gives the reason.

    Its own interval is not read, so that none is resampled.
    """
    alone = model if model.bootstrap is None else replace(model, bootstrap=None)
    try:
        return measured_value(alone, question.wanted, level=question.level).value
    except (TaskError, AttributeError):
        return math.nan
