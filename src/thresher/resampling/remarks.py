"""Sentences that a reader of resampled values must see: about weights, groups and rare classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from thresher.design_warnings import DesignWarning, few_clusters, few_folds, few_of_class, pooled_folds
from thresher.errors import Note
from thresher.predictions import Predictions
from thresher.predictions.columns import counted
from thresher.resampling.data import Data
from thresher.resampling.fitting import has_search, routes_metadata, weight_keyword, why_unweighted
from thresher.resampling.method_forms import Method
from thresher.resampling.methods import KFold


def weight_remarks(data: Data, tried: Mapping[str, Any]) -> list[Note]:
    """Return notes on fits that take no weights, and on the choice inside a search."""
    if data.rows.weights is None:
        return []
    lines: list[Note] = []
    fitted: dict[str, Any] = {}
    for name, estimator in tried.items():
        fitted |= estimator.inside(name) if hasattr(estimator, "inside") else {name: estimator}
    for name, estimator in fitted.items():
        if weight_keyword(estimator) is None:
            why = why_unweighted(estimator)
            text = f"{name}: {why}, so it learned unweighted; weights count in the measures."
            lines.append(Note("unweighted-fit", text, parameter="weights"))
        elif has_search(estimator):
            how = ", unless their scorer requests sample_weight" if routes_metadata(estimator) else ""
            text = f"{name}: the search fits with weights, but compares its candidates by unweighted scores{how}."
            lines.append(Note("unweighted-search", text, parameter="weights"))
    return lines


def group_remarks(data: Data, method: Method, torn: int, splits: int) -> list[Note]:
    """Return a note on whether groups were kept whole; `torn` of the splits have rows of one group on both sides."""
    if data.rows.cluster is None or method.combine == "resubstitution":
        return []
    if torn:
        text = (
            f"{torn:,} of {splits:,} splits tear groups apart: models judged rows of groups that they learned from, "
            f"which is optimistic. GroupKFold keeps groups whole."
        )
        return [Note("torn-groups", text, parameter="groups")]
    groups = len(data.rows.cluster.values)
    text = f"{groups:,} groups are kept whole: no row held out is of a group that its model learned from."
    return [Note("whole-groups", text, parameter="groups")]


def rare_remarks(data: Data, method: Method) -> list[Note]:
    """Classes with fewer rows than folds, of methods that put every row into one fold."""
    outer = getattr(method, "outer", method)
    k = outer.k if isinstance(outer, KFold) else 0
    counts = np.bincount(data.rows.truth, minlength=len(data.rows.classes))
    rare = [(label, int(c)) for label, c in zip(data.rows.classes, counts, strict=True) if 0 < c < k]
    if len(rare) > 3:
        named = ", ".join(repr(label) for label, _ in rare[:3])
        texts = [f"{len(rare):,} classes have fewer rows than there are folds ({k}), such as {named}."]
    else:
        texts = [f"Class {label!r} has {counted(c, 'row')} for {k} folds: some judge none of it." for label, c in rare]
    return [Note("fewer-rows-than-folds", text) for text in texts]


def single_remarks(single: int, splits: int) -> list[Note]:
    """Return a note on splits with training rows of one class: their model can only predict that class."""
    if not single:
        return []
    text = f"{single:,} of {splits:,} splits learn from one class only: their models cannot tell the classes apart."
    return [Note("fitted-on-one-class", text)]


STEADY = 30
"""Splits from which on the width of a mean's interval hardly depends on the random split."""


def width_remarks(method: Method, splits: int) -> list[Note]:
    """Return a note on intervals of the mean over few folds, whose width is itself uncertain."""
    outer = getattr(method, "outer", method)
    if not isinstance(outer, KFold) or outer.combine != "mean" or not few_folds.least <= splits < STEADY:
        return []
    text = f"Intervals rest on the variance over {splits} folds, so another seed may give another width; "
    return [Note("uncertain-width", text + "repeated folds (repeated:5x10) are steadier.")]


def design_warnings(rows: Predictions, method: Method, splits: int) -> tuple[DesignWarning, ...]:
    """Return warnings on intervals: few splits to average or many to pool, few rows of a class, or groups drawn."""
    outer = getattr(method, "outer", method)
    found = few_folds(splits) if outer.combine == "mean" else ()
    found += pooled_folds(splits) if outer.combine == "pooled" else ()
    if len(rows.classes) == 2:
        for count, name in zip(rows.class_rows.tolist(), ("negatives", "positives"), strict=True):
            found += few_of_class(count, name, instead="more rows of the class help, more splits do not")
    if rows.cluster is not None and outer.combine in ("oob", "632", "632+", "optimism"):
        found += few_clusters(len(rows.cluster.values))
    return found


def failure_remarks(by_model: Mapping[str, Iterable[Any]]) -> list[Note]:
    """Return notes on fits that failed and were left out, from the `error` of the results by model."""
    lines = []
    for name, results in by_model.items():
        errors = [result.error for result in results]
        failed = [error for error in errors if error is not None]
        if failed:
            text = f"{name}: {len(failed):,} of {len(errors):,} fits failed and are left out; first {failed[0]}"
            lines.append(Note("failed-fits", text))
    return lines
