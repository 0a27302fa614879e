"""A model's ROC as a smooth curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thresher.evaluation.subject import need_scores

if TYPE_CHECKING:
    from thresher.inference.binormal import BinormalRoc


def binormal_roc(model: Any, **options: Any) -> BinormalRoc:
    """Binormal model fitted to the scores: a smooth ROC with its area, to be told apart from the data.

    Options as for `thresher.inference.binormal_roc`: `method`, `categories`, `level`.

    Raises:
        TaskError: the model has no scores.
        InputError: a class has no rows.
    """
    from thresher.inference.binormal import binormal_roc

    need_scores(model, "a ROC")
    return binormal_roc(model.scores, **({"level": model.level} | options))
