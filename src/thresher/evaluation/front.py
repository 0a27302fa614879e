"""`evaluate`: the front door from Python."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from thresher import readers
from thresher.conventions import (
    LEVEL,
    SEED,
    Directions,
    Undefined,
    Unlabelled,
    WeightKind,
    check_named,
    check_seed,
    check_undefined,
    confidence_level,
    option,
)
from thresher.errors import Note, OptionError, keyword
from thresher.evaluation.assumptions import counted_threshold, default_threshold
from thresher.evaluation.estimate import treatment_of
from thresher.evaluation.model import ModelEvaluation
from thresher.evaluation.models import Evaluation
from thresher.evaluation.subject import LARGEST, PREDICTED
from thresher.inference.bootstrap.config import Bootstrap, as_bootstrap
from thresher.inference.proportions import INTERVALS
from thresher.predictions import Predictions

if TYPE_CHECKING:
    from thresher.counts import Counts


def evaluate(
    data: Any,
    scores: Any = None,
    *,
    label: str | Sequence[str] | None = None,
    positive: Hashable | None = None,
    rest: Literal["negative"] | None = None,
    predicted: Any = None,
    probabilities: Any = None,
    labels: Sequence[Hashable] | None = None,
    normalize: bool = False,
    weights: Any = None,
    weight_kind: WeightKind = "importance",
    by: Any = None,
    fold: Any = None,
    cluster: Any = None,
    judge: Any = None,
    sampling: Any = None,
    verified: Any = None,
    direction: Directions = "higher",
    missing: Unlabelled = "error",
    decimal: Literal[",", "."] | None = None,
    threshold: float | Mapping[str, float] | None = None,
    level: float = LEVEL,
    undefined: Undefined = "nan",
    bootstrap: Bootstrap | int | None = None,
    rate_interval: str = "wilson",
    rng: int = SEED,
    truth: Any = None,
    key: str | None = None,
    model_column: str | None = None,
) -> Evaluation:
    """Evaluate predictions against the truth: one model or several on the same rows.

    Args:
        data: the true labels (with `scores` an array, or a dictionary of arrays by model name), or a dataframe of
            any library, lazy or not, an Arrow stream or an iterator of small tables, or one path or several (CSV, TSV,
            JSON lines, Parquet, gzip, globs, "-" for stdin), or `Counts`, from which `scores` chooses one score, or
            `Predictions`.
        scores: scores, or names of the score columns. A series' name and the named columns of a dataframe name the
            models; other matrices (n, K) are read as `probabilities`.
        label: column of the true labels, for a dataframe or a file; several columns of 0 and 1, or their pattern
            ("tag_*"), when a row may have several labels, which arrays say by a matrix as `data`.
        positive: positive label; needed unless the labels are {0, 1}, {−1, 1} or {False, True}.
        rest: with three or more labels and `positive=`, "negative" takes all the others as negative.
        predicted: hard labels: an array, a dictionary of arrays, or column names.
        probabilities: posteriors, one column for every class: a matrix (n, K) or a dictionary of them by model; with
            a dataframe or file a prefix ("proba_") or pattern ("rf_*", "p(<class>)") that the columns have beside the
            text of their class, a list of columns, or a dictionary of these by model.
        labels: all classes in the order of the columns, those that no row has included; needed when the columns have
            no clear names and the labels are not in sorted order.
        normalize: divide the posteriors of each row by their sum; without it a row that does not add up to 1 within
            1e-6 is an error.
        weights: weight of each row, or the column's name; `weight_kind` says how to read them: "importance", or
            "frequency" when a weight of 3 means three equal rows.
        by: subgroup column or columns; `fold` and `cluster` name the fold and the cluster of each row. With several
            folds, each scored by a fit of its own, ranking measures are means over the folds that hold every class.
        judge: column of a judge's labels, such as a language model's, for all rows, or several columns for their
            majority vote; rows with a `label` too are gold, and correct it. `sampling` is the column of the known
            probability that a row had of being labelled; without it the gold rows are a simple random sample.
        direction: "higher" when a high score means positive, "lower" when a low one does, or a dictionary of these by
            model, which names every model with scores; thresholds are on each model's own scale.
        verified: column of 0 and 1 (or true and false): whether the truth of a row was checked; `missing` is then
            "weight" or "bounds".
        missing: "error" for a missing label or score, "drop", which says how many rows it dropped, "weight": rows with
            a label represent those without, by weights in strata of predicted class and score (Begg & Greenes 1983), or
            "bounds": labelled rows alone; `.bounds(measure)` of a model and the report have the lowest and highest
            value over all possible labels of the others.
        decimal: decimal mark of the numbers in CSV and other text files, "," or "."; by default decimal commas are read
            where the delimiter is not a comma and the first lines have them.
        threshold: cut of the confusion matrix, or a dictionary by model; 0.5 is assumed, with a note, when every
            score is in [0, 1].
        level: confidence level of the intervals.
        undefined: value of 0/0: "nan", "warn", "raise", or a number.
        bootstrap: `Bootstrap(…)`, or a number of replicates, for intervals of measures without an analytic one.
        rate_interval: method of the intervals of proportions and of F1: "wilson", "agresti-coull", "jeffreys",
            "clopper-pearson", "wilson-continuity" or "wald"; each number says its own.
        rng: seed of everything random, recorded in the result.
        truth: file with the true labels when they are not in `data`, matched by the column `key`.
        model_column: column that names the model, when each row is one model's score.

    Raises:
        InputError: the data cannot be evaluated as they are; the sentence names the column and the first row.
        OptionError: an option has a value that it does not take.

    >>> import thresher as th
    >>> evaluation = th.evaluate(["ill", "well", "ill", "well"], {"marker": [7.1, 3.2, 2.9, 1.4]}, positive="ill")
    >>> evaluation["marker"].auc.value
    0.75
    """
    from thresher.counts import Counts
    from thresher.evaluation.counted_rows import refuse_clusters

    level = confidence_level(level)
    check_undefined(undefined)
    option("rate_interval", rate_interval, tuple(INTERVALS))
    named = {
        "label": label, "positive": positive, "rest": rest, "predicted": predicted, "probabilities": probabilities,
        "labels": labels, "weights": weights, "by": by, "fold": fold, "cluster": cluster, "judge": judge,
        "sampling": sampling, "verified": verified, "truth": truth, "key": key, "model_column": model_column,
    }  # fmt: skip
    options: dict[str, Any] = {
        "threshold": threshold, "level": level, "undefined": undefined, "bootstrap": bootstrap,
        "rate_interval": rate_interval, "rng": rng,
    }  # fmt: skip
    how: dict[str, Any]
    if not isinstance(data, Predictions) and isinstance(counted := getattr(data, "counts", None), Counts):
        data = counted  # of a counter
    chosen = ("label", "positive", "rest", "weights", "by")
    others = {name: value for name, value in named.items() if name not in ("positive", "rest")}
    from thresher.evaluation.on_device import is_large

    if (on_device := is_large(data, scores, others)) or readers.cluster_of(data) is not None:
        from thresher.evaluation.counting import count

        _refuse({name: value for name, value in named.items() if name not in chosen}, ON_CLUSTER)
        option("missing", missing, ("error", "drop"))
        how = {name: named.pop(name) for name in chosen}
        cuts: Any = () if threshold is None else [threshold]
        if isinstance(threshold, Mapping):
            cuts = {name: [cut] for name, cut in threshold.items()}
        how |= {"weight_kind": weight_kind, "direction": direction, "missing": missing}
        data, scores = count(data, scores, **how, thresholds=cuts, pairs=not on_device), None
    if isinstance(data, Counts):
        refuse_clusters(cluster)
        _refuse(named, " is for rows, and these are counts: it was chosen when they were made.")
        names = [scores] if isinstance(scores, str) else list(data if scores is None else scores)
        return evaluate_counts(data, names, **options)
    how = {"normalize": normalize, "weight_kind": weight_kind, "direction": direction}
    if isinstance(data, Predictions):
        usual = {"normalize": False, "weight_kind": "importance", "direction": "higher"}
        changed = {name: value for name, value in how.items() if value != usual[name]}
        _refuse({"scores": scores, **named, **changed}, " was chosen when these Predictions were made: leave it out.")
        return evaluate_predictions(data, **options)
    rows = readers.load(data, scores, **named, **how, missing=missing, decimal=decimal)
    return evaluate_predictions(rows, **options)


def evaluate_counts(counts: Counts, names: Sequence[str], **options: Any) -> Evaluation:
    """Evaluate scores of counts, each on its own weighted rows; takes the options of `evaluate`."""
    from thresher.evaluation.counted_rows import notes_of, predictions_of

    parts = {name: predictions_of(counts, name) for name in names}
    threshold = options.pop("threshold", None)
    if isinstance(threshold, Mapping):
        check_named("threshold", threshold, tuple(parts))
        cuts = {name: threshold.get(name) for name in parts}
    else:
        cuts = dict.fromkeys(parts, threshold)
    found = [evaluate_predictions(rows, threshold=cuts[name], **options) for name, rows in parts.items()]
    models = {name: model for each in found for name, model in each.models.items()}
    notes = notes_of(counts, names)
    for name, cut in cuts.items():
        notes += () if cut is None else _inexact(counts, models[name], cut)
    return replace(found[0], predictions=replace(found[0].predictions, notes=notes), models=models)


def _inexact(counts: Counts, model: ModelEvaluation, cut: float) -> tuple[Note, ...]:
    """Note on a threshold at which counts do not tell the confusion matrix exactly."""
    from thresher.counts.remarks import has_merged, is_exact

    start = f"The threshold {cut:g} of {model.name} was not "
    if has_merged(counts) and not is_exact(counts, model.name, cut):
        text = start + "kept when neighbouring scores were merged, so confusion matrices at it can be far off. Name it "
        return (Note("approximate-threshold", text + "when the rows are counted.", parameter="threshold"),)
    if model.counted_at(cut) != cut:
        text = start + "named when the scores were counted and rounded, so scores that round to the same value as it "
        return (Note("rounded-threshold", text + "count as positive.", parameter="threshold"),)
    return ()


ON_CLUSTER = " needs the rows, and of a dataframe on a cluster only counts are taken: write the columns as Parquet."


def _refuse(named: Mapping[str, Any], why: str) -> None:
    """Refuse the first option that was given."""
    given = next((name for name, value in named.items() if value is not None), None)
    if given is not None:
        raise OptionError(keyword(given, "…") + why)


def evaluate_predictions(
    rows: Predictions,
    *,
    threshold: float | Mapping[str, float] | None = None,
    level: float = LEVEL,
    undefined: Undefined = "nan",
    bootstrap: Bootstrap | int | None = None,
    rate_interval: str = "wilson",
    rng: int = SEED,
) -> Evaluation:
    """Evaluate checked predictions; takes the options of `evaluate`."""
    rng = check_seed(rng)
    rows = treatment_of(rows).rows(rows, threshold)
    drawn = None if bootstrap is None else as_bootstrap(bootstrap, rng)
    options: dict[str, Any] = {"level": level, "undefined": undefined, "bootstrap": drawn}
    options |= {"rate_interval": rate_interval, "rng": rng}
    cuts = _thresholds(rows, threshold)
    models = {
        name: ModelEvaluation(name=name, predictions=rows, threshold=cut, threshold_reason=why, **options)
        for name, (cut, why) in cuts.items()
    }
    return Evaluation(predictions=rows, models=models, level=level, undefined=undefined, rng=rng)


GIVEN = Note("given-threshold", "given", parameter="threshold")
"""Reason of a threshold of the user."""


def _thresholds(rows: Predictions, threshold: Any) -> dict[str, tuple[float | None, Note]]:
    """Cut of each model with where it came from."""
    if threshold is not None and rows.task == "multiclass":
        raise OptionError(
            keyword("threshold", "…") + " is for one score; with posteriors the class of the largest one is predicted."
        )
    if isinstance(threshold, Mapping):
        check_named("threshold", threshold, rows.models)
    if threshold is not None and not rows.scores and not rows.posteriors:
        raise OptionError(keyword("threshold", repr(threshold)) + f" cuts scores, and there are none: {PREDICTED}.")
    cuts: dict[str, tuple[float | None, Note]] = {}
    for name in rows.models:
        given = threshold.get(name) if isinstance(threshold, Mapping) else threshold
        if rows.task == "multilabel" and name in rows.posteriors and name not in rows.predicted:
            cuts[name] = default_threshold(rows.posteriors[name]) if given is None else (_number(given), GIVEN)
        elif name in rows.posteriors and name not in rows.predicted:
            cuts[name] = (None, LARGEST)
        elif name not in rows.scores:
            cuts[name] = (None, PREDICTED)
        elif given is not None:
            cuts[name] = (_number(given), GIVEN)
        else:
            cuts[name] = counted_threshold(rows, name) or default_threshold(rows.scores[name])
    return cuts


def _number(threshold: Any) -> float:
    if isinstance(threshold, bool) or not isinstance(threshold, int | float | np.number) or np.isnan(threshold):
        raise OptionError(
            keyword("threshold", repr(threshold)) + ": a threshold is a number on the scale of the scores."
        )
    return float(threshold)
