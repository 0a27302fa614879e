"""A model's curves averaged over the folds of its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thresher.counts import ScoreTable
from thresher.errors import OptionError
from thresher.evaluation.places import places_of
from thresher.evaluation.subject import need_scores
from thresher.predictions import Predictions
from thresher.sentences import keyword

if TYPE_CHECKING:
    from thresher.curves.averaging import Averaged, How
    from thresher.inference.averaged_curves import AveragedCurve


def fold_tables(rows: Predictions, model: str) -> dict[Any, ScoreTable]:
    """Score table of a model in each fold that has rows.

    Raises:
        OptionError: the rows have no folds.
    """
    if rows.fold is None:
        raise OptionError("these rows have no folds: name the column of folds with " + keyword("fold", "…") + ".")
    codes, scores = rows.fold.codes, rows.scores[model]
    found = {}
    for code, places in places_of(codes):
        found[rows.fold.values[code]] = ScoreTable.from_scores(
            rows.truth[places],
            scores[places],
            weights=None if rows.weights is None else rows.weights[places],
            weight_kind=rows.weight_kind or "importance",
            direction=rows.direction,
        )
    return found


def average_roc(model: Any, how: How = "vertical", **options: Any) -> AveragedCurve:
    """Mean of the folds' ROC curves with its band: "vertical", by "threshold", or "pooled".

    Options as for `thresher.inference.averaged_curve`: `interval`, `level`, `x`, `config`.

    Raises:
        TaskError: the model has no scores.
        OptionError: the rows have no folds, or an option is wrong.
    """
    return _averaged(model, "roc", how, options)


def average_pr(model: Any, how: How = "vertical", **options: Any) -> AveragedCurve:
    """Mean of the folds' precision–recall curves with its band, as `average_roc`."""
    return _averaged(model, "precision_recall", how, options)


def _averaged(model: Any, curve: Averaged, how: How, options: dict[str, Any]) -> AveragedCurve:
    from thresher.inference.averaged_curves import averaged_curve

    need_scores(model, "a curve")
    tables = fold_tables(model.predictions, model.name)
    return averaged_curve(tables, curve=curve, how=how, **({"level": model.level} | options))
