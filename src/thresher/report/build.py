"""From an `Evaluation` to the `Document` that every view reads."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from thresher import __version__
from thresher._util.frozen_values import scoped
from thresher._util.json_values import label_to_jsonable, plain_text
from thresher._util.threads import background_calls
from thresher.analysis.calibration import calibration_findings
from thresher.analysis.chosen import at_prevalences
from thresher.analysis.class_decisions import costed_decisions
from thresher.analysis.comparing import Pairwise, comparable, dominances_of, pairwise
from thresher.analysis.roc_findings import optional_findings
from thresher.analysis.subsets import means_over_groups, reported_gaps
from thresher.analysis.thresholds import (
    CHOSEN,
    NOTE,
    at_costs,
    drawn_band,
    points_of,
    shown_threshold,
    threshold_findings,
    top_findings,
)
from thresher.conventions import common
from thresher.design_warnings import DesignWarning, distinct
from thresher.errors import Note
from thresher.evaluation import Evaluation, ModelEvaluation
from thresher.evaluation.assumptions import score_kind
from thresher.evaluation.estimate import design_warnings, remarks, without_interval
from thresher.evaluation.model import keep_measures
from thresher.kernel import kept_memory
from thresher.measures import measures
from thresher.measures.areas import sweep_areas, sweep_corners, sweep_extremes
from thresher.measures.calibration import sweep_losses
from thresher.measures.shown import FOLDS, SUBSETS
from thresher.predictions import Predictions
from thresher.registration import later
from thresher.report.added import found_of
from thresher.report.document import Document, ModelPart, SubsetPart, named_as_shown
from thresher.report.numbers import MOST_GROUPS, heading_of
from thresher.report.request import DecisionOptions
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.decisions.dominance import Dominance
    from thresher.inference.comparing.comparison import Comparison

class_findings = later("thresher.analysis.classes:class_findings")
rows_of = later("thresher.counts.remarks:rows_of")

MOST_FOLDS = 1_000
"""Folds up to which each has intervals; of more the spread of the values is read."""

LARGE = ("scores", "table")
"""Results as large as the rows of a model: a report of many models holds one of them at a time."""

SWEEPS = (sweep_corners, sweep_losses), (sweep_areas, sweep_extremes)
"""Sweeps of a score table, two at a time that need nothing of each other and take about as long."""

TOGETHER = 1 << 17
"""Rows of groups that have score tables in memory at a time."""

NAMED = 3
"""Differences without a test that are named."""

POINTS = 4000
"""Thresholds embedded over all models: a curve is then drawn to within a pixel, and a page stays below 500 kB."""

UNTELLING = ("label", "labels", "y", "y_true")
"""Names that the labels have when they came without one."""

FEWEST, MOST = 100, 1000
"""Thresholds of one model, whatever the number of models."""


def build(
    evaluation: Evaluation,
    *,
    title: str | None = None,
    source: str | None = None,
    points: bool = False,
    deciding: DecisionOptions | None = None,
    every: bool = True,
    is_compared: bool = True,
) -> Document:
    """Document of an evaluation; `points` asks for the counts that drawings and sliders need.

    Models that are compared elsewhere, by tests of their splits, are not tested here: `is_compared=False`.

    Of groups and folds it has `every` measure and the notes, as the data forms write them, or the measures that a
    reader is shown.
    """
    keep = min(MOST, max(FEWEST, POINTS // max(1, len(evaluation)))) if points else None
    deciding = deciding or DecisionOptions()
    deciding.check(evaluation)
    if deciding.costs is not None:  # all of a report is of one threshold a model
        evaluation = replace(evaluation, models=at_costs(evaluation, deciding.costs, deciding.prevalence))
    with kept_memory():
        models, (dominances, uncompared) = _models(evaluation, keep, deciding)
        compared = _pairwise(evaluation) if is_compared else Pairwise()
    apart = reported_gaps(evaluation)
    untested = Note("not-compared", compared.omitted or _untested(compared.untested))
    left_out = (untested, Note("no-dominance", uncompared or ""), Note("no-gaps", apart.omitted or ""))
    lines = (
        *((NOTE,) if any(m.threshold_reason.code == CHOSEN.code for m in evaluation.values()) else ()),
        *remarks(evaluation),
        *filter(None, left_out),
        *deciding.optional.left_out(evaluation),
    )
    warnings = _warnings(evaluation, models, compared.tested)
    lines += tuple(warning.note for warning in warnings if warning.text not in lines)
    return Document(
        **_facts(evaluation),
        title=_title(evaluation) if title is None else plain_text(title),
        source=None if source is None else plain_text(source),
        notes=tuple(note.cleaned(plain_text) for note in lines),
        models=models,
        groups=_groups(evaluation, every),
        folds=_folds(evaluation, every),
        comparisons=named_as_shown(compared.tested),
        dominances=dominances,
        gaps=named_as_shown(apart.found),
        over_groups=means_over_groups(evaluation),
        warnings=warnings,
        deciding=deciding,
        added=found_of(evaluation),
    )


def _warnings(
    evaluation: Evaluation, models: tuple[ModelPart, ...], compared: tuple[Comparison, ...]
) -> tuple[DesignWarning, ...]:
    """Return the distinct warnings about the rows, the measures shown and the comparisons."""
    measured = (warning for model in models for each in model.measures.values() for warning in each.warnings)
    return distinct((*design_warnings(evaluation), *measured, *(warning for c in compared for warning in c.warnings)))


def _weight_kind(rows: Predictions) -> str | None:
    """Return the kind of the weights as the user gave them; counts of unweighted rows are not weights."""
    if rows.counts is not None:
        named: str | None = rows.counts.weight_kind
        return named
    if getattr(rows.partial_labels, "is_sampled", False):
        return "sampling"
    if rows.partial_labels is not None and rows.partial_labels.kind == "weight":
        return "verification"
    return None if rows.weights is None else rows.weight_kind


def _rows_known(evaluation: Evaluation) -> int | None:
    """Rows, however often their weights repeat them; None where these are counted and only their weights are known."""
    rows = evaluation.predictions
    if _weight_kind(rows) != "frequency":
        return evaluation.n
    return len(rows) if rows.counts is None else rows_of(rows.counts)


def _facts(evaluation: Evaluation) -> dict[str, Any]:
    """Return the basis of the numbers: rows, classes, weights and evaluation options."""
    rows = evaluation.predictions
    direction = common({name: end for name, model in evaluation.items() if (end := model.direction) is not None})
    return {
        "label": plain_text(rows.label),
        "positive": None if evaluation.positive is None else label_to_jsonable(evaluation.positive),
        "n": evaluation.n,
        "rows": _rows_known(evaluation),
        "dropped": rows.dropped,
        "class_counts": _class_counts(evaluation),
        "class_weights": None if _weight_kind(rows) is None else _class_weights(rows),
        "weight_kind": _weight_kind(rows),
        "clusters": None if rows.cluster is None else (len(rows.cluster.values), rows.cluster_name or "cluster"),
        "direction": direction if isinstance(direction, str) else None,
        "level": evaluation.level,
        "rate_interval": evaluation.rate_interval,
        "stand_in": None if isinstance(evaluation.undefined, str) else float(evaluation.undefined),
        "seed": evaluation.rng,
        "version": __version__,
    }


def _models(
    evaluation: Evaluation, keep: int | None, deciding: DecisionOptions
) -> tuple[tuple[ModelPart, ...], tuple[tuple[Dominance, ...], str | None]]:
    """Return all parts of every model, and which ROC dominates which, while score tables are in memory."""
    parts, tables = [], {}
    for name, model in evaluation.items():
        with scoped(model, *LARGE) as read:
            tables[name] = comparable(evaluation, read)
            _swept(read)
            _ = read.remarks  # kept by the model, so that notes do not make its score table again
            parts.append(model_part(read, keep, deciding=deciding))
    return tuple(parts), dominances_of(evaluation, evaluation.predictions, tables)


def _swept(model: ModelEvaluation) -> None:
    """Sweep a long score table in two threads, and cache the sums that its measures need."""
    if model.task != "binary" or model.scores.running is None:
        return
    for one, two in SWEEPS:
        with background_calls() as background:
            background(one, model.scores)
            two(model.scores)


def _pairwise(evaluation: Evaluation) -> Pairwise:
    """Comparisons of the models, for which the score tables of all of them are at hand."""
    with ExitStack() as scope:
        models = {name: scope.enter_context(scoped(model, *LARGE)) for name, model in evaluation.items()}
        return pairwise(models, evaluation.predictions)


def _untested(found: Sequence[Comparison]) -> str:
    """Name the first few untested differences, with the reasons."""
    if not found:
        return ""
    pairs = [f"{heading_of(c.measure)} of {' and '.join(c.models)} ({c.reason or 'no test'})" for c in found]
    more = f" and {len(pairs) - NAMED} more" if len(pairs) > NAMED else ""
    return f"Not compared: {'; '.join(pairs[:NAMED])}{more}"


def model_part(
    model: ModelEvaluation, keep: int | None, *, whole: bool = True, deciding: DecisionOptions | None = None
) -> ModelPart:
    """Return everything about one model with its score table open; single classes on the `whole` only."""
    with scoped(model, *LARGE) as read:
        part = ModelPart(
            **_known(read),
            decided=_decided(read),
            measures=dict(read.measures),
            matrix=read.confusion_matrix,
            baselines=read.baselines,
            score_kind=score_kind(read.scores) if read.task == "binary" else None,
            shown_threshold=shown_threshold(read),
        )
        if not whole:
            return part
        found = _findings(read, part.decided, keep, deciding or DecisionOptions())
        return replace(part, top=top_findings(read), **found)


def _findings(model: ModelEvaluation, decided: str | None, keep: int | None, asked: DecisionOptions) -> dict[str, Any]:
    decisions = threshold_findings(model, asked.criteria, prevalence=asked.prevalence)
    chosen = () if decisions is None else decisions.chosen.values()
    points = None
    if keep is not None and model.task == "binary":
        points = points_of(model, keep, own=decided == "threshold", chosen=chosen)
    return {
        "points": points,
        "band": None if points is None else drawn_band(model),
        "classes": None if model.task == "binary" else class_findings(model, drawn=keep is not None),
        "decisions": decisions,
        "calibration": calibration_findings(model, model.measures, drawn=keep is not None),
        "optional": optional_findings(model, **asked.optional.options, prevalence=asked.prevalence),
        "costed": costed_decisions(model, asked.cost_matrix, benefit=asked.gains),
        "elsewhere": at_prevalences(model, asked.prevalences),
    }


def _decided(model: ModelEvaluation) -> Literal["threshold", "labels"] | None:
    if model.name in model.predictions.predicted or model.task == "multiclass":
        return "labels"
    return None if model.threshold is None else "threshold"


def _groups(evaluation: Evaluation, every: bool) -> tuple[SubsetPart, ...]:
    """Return all groups; compute only shown results unless `every` is set."""
    with scoped(evaluation, "groups") as read:
        parts, columns = read.groups, tuple(evaluation.predictions.by)
        if every:
            return _subsets(parts, columns, None)
        largest = set(sorted(parts, key=lambda key: -parts[key].n)[:MOST_GROUPS])
        return _subsets(parts, columns, SUBSETS, largest)


def _folds(evaluation: Evaluation, every: bool) -> tuple[SubsetPart, ...]:
    with scoped(evaluation, "folds") as read:
        return _subsets(read.folds, ("fold",), None if every else FOLDS)


def _subsets(
    parts: Mapping[Any, Evaluation],
    columns: tuple[str, ...],
    names: Sequence[str] | None,
    shown: Collection[Any] | None = None,
) -> tuple[SubsetPart, ...]:
    """Groups or folds in their order, each under a key of its own; `names` are measures of those `shown`, None all."""
    found: dict[str, SubsetPart] = {}
    models = _whole_parts(parts) if names is None else _shown_parts(parts, names, shown)
    for (values, evaluation), own in zip(parts.items(), models, strict=True):
        each = values if len(columns) > 1 else (values,)
        by = {plain_text(column): label_to_jsonable(value) for column, value in zip(columns, each, strict=True)}
        key = _unused(", ".join(f"{column}={plain_text(value)}" for column, value in by.items()), found)
        found[key] = SubsetPart(
            key=key,
            by=by,
            n=evaluation.n,
            class_counts=_class_counts(evaluation),
            class_weights=_class_weights(evaluation.predictions),
            models=own,
            notes=tuple(note.cleaned(plain_text) for note in remarks(evaluation)) if names is None else (),
        )
    return tuple(found.values())


def _whole_parts(parts: Mapping[Any, Evaluation]) -> Iterator[tuple[ModelPart, ...]]:
    """Yield the models of each group or fold with every measure, in batches with small score tables."""
    for batch in _batches(list(parts.values())):
        with ExitStack() as scope:
            groups = [{name: scope.enter_context(scoped(m, *LARGE)) for name, m in each.items()} for each in batch]
            for name in dict.fromkeys(name for models in groups for name in models):
                keep_measures([models[name] for models in groups if name in models])
            found = [tuple(model_part(m, None, whole=False) for m in models.values()) for models in groups]
        yield from found  # the models hold their other results by now


def _batches(parts: Sequence[Evaluation]) -> Iterator[Sequence[Evaluation]]:
    start = rows = 0
    for i, part in enumerate(parts, 1):
        rows += len(part.predictions)
        if rows >= TOGETHER or i == len(parts):
            yield parts[start:i]
            start, rows = i, 0


def _shown_parts(
    parts: Mapping[Any, Evaluation], names: Sequence[str], shown: Collection[Any] | None
) -> Iterator[tuple[ModelPart, ...]]:
    """Models with the few measures that a reader is shown, of some groups, so that a thousand take no minute."""
    is_many = names is FOLDS and len(parts) > MOST_FOLDS
    for key, part in parts.items():
        wanted = names if shown is None or key in shown else ()
        found = []
        for model in part.values():
            with scoped(model, *LARGE) as read:
                found.append(ModelPart(**_known(read), measures=_measures(read, wanted, is_many)))
        yield tuple(found)


def _known(model: ModelEvaluation) -> dict[str, Any]:
    names = {"name": plain_text(model.name), "threshold_reason": model.threshold_reason.cleaned(plain_text)}
    return names | {"task": model.task, "threshold": model.threshold, "direction": model.direction}


def _measures(model: ModelEvaluation, names: Sequence[str], is_many: bool) -> dict[str, Estimate]:
    """Measures one by one where that is less work: a bootstrap, and sums over classes, serve all of them at once."""
    if not names:
        return {}
    known = {entry.name: entry for entry in measures() if not entry.needs_parameters}
    if is_many and model.task == "binary":
        return {name: without_interval(model, known[name]) for name in names if name in known}
    if model.bootstrap is not None or model.task != "binary":
        return {name: model.measures[name] for name in names if name in model.measures}
    return {name: getattr(model, name) for name in names if name in known}


def _unused(key: str, taken: Mapping[str, Any]) -> str:
    """Key, numbered when the values 1 and "1" (or a comma in a value) would give the same one twice."""
    return next(k for n in count(1) if (k := key if n == 1 else f"{key} ({n})") not in taken)


def _class_counts(evaluation: Evaluation) -> dict[str, int]:
    """Rows of each class under its text, the positive class first."""
    found: dict[str, int] = {}
    for label, rows in evaluation.class_counts.items():
        found[_unused(plain_text(label), found)] = round(rows)
    return found


def _class_weights(rows: Predictions) -> dict[str, float] | None:
    if rows.weights is None:
        return None
    if rows.task == "multilabel":
        sums = (rows.weights @ rows.truth).tolist()
    else:
        sums = np.bincount(rows.truth, weights=rows.weights, minlength=len(rows.classes)).tolist()
    pairs = list(zip(map(plain_text, rows.classes), sums, strict=True))
    return dict(pairs[::-1] if rows.positive is not None else pairs)


def _title(evaluation: Evaluation) -> str:
    """Title when none was given: the models, after the column that they predict unless its name says nothing."""
    names, label = list(evaluation), plain_text(evaluation.predictions.label)
    models = plain_text(names[0]) if len(names) == 1 else f"{len(names)} models"
    return f"Evaluation of {models}" if label in UNTELLING else f"{label}: {models}"
