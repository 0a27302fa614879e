"""Bands of the curves of a display: how sure each is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from thresher.conventions import option
from thresher.counts import ScoreTable
from thresher.displays.answers import Answer
from thresher.inference.curves.averaged import averaged_curve
from thresher.inference.curves.band import Band
from thresher.inference.curves.bands import precision_recall_band, roc_band
from thresher.metrics.scored import ScoredRows, scored_rows
from thresher.predictions import Predictions

MAKERS: dict[str, Any] = {"roc": roc_band, "precision_recall": precision_recall_band}


def band_of(curve: str, answer: Answer, band: Any, x: Any = None) -> Band | None:
    """Bootstrap band of the curve of some rows at `x`: "simultaneous" where True is asked for, else of the kind named.

    Raises:
        OptionError: there is no such kind of band.
        InputError: a band cannot be drawn from the rows.
    """
    if band is False or band is None:
        return None
    rows = _rows(answer)
    kept = slice(None) if rows.weights is None else rows.weights > 0
    data = Predictions(
        truth=rows.truth[kept],
        classes=(0, 1),
        scores={"score": rows.scores[kept]},
        weights=None if rows.weights is None else rows.weights[kept],
        weight_kind=None if rows.weights is None else "importance",
    )
    made: Band = MAKERS[curve](data, kind="simultaneous" if band is True else band, x=x)
    return made


def band_of_mean(curve: Any, answers: Iterable[Answer], band: Any) -> Band | None:
    """Band of the mean of the curves of folds, by Student's t over the folds: pointwise where True is asked for.

    Raises:
        OptionError: there is no such kind of band.
    """
    if band is False or band is None:
        return None
    kind = "pointwise" if band is True else band
    option("band", kind, ("pointwise", "simultaneous"))
    tables = [ScoreTable.from_scores(r.truth, r.scores, weights=r.weights) for r in map(_rows, answers)]
    return averaged_curve(tables, curve=curve, simultaneous=kind == "simultaneous").band


def of_misses(band: Band | None) -> Band | None:
    """Band of FNR = 1 − TPR from that of a ROC."""
    if band is None:
        return None
    return replace(band, name="det", y=1 - band.y, low=1 - band.high, high=1 - band.low)


def _rows(answer: Answer) -> ScoredRows:
    return scored_rows(answer.y_true, answer.y_score, answer.pos_label, answer.sample_weight)
