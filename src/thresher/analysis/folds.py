"""How a measure varies over the folds, beside its value on all rows."""

from __future__ import annotations

import math
import statistics
from collections.abc import Collection, Mapping, Sequence

from thresher._util.fast_dataclass import dataclass
from thresher._util.jsonable import as_dict
from thresher.errors import OptionError, keyword
from thresher.evaluation.estimate import estimate
from thresher.evaluation.subject import Subject
from thresher.evaluation.within_folds import classes_held
from thresher.inference.estimates.methods import ranks_rows
from thresher.measures.measure_text import parse_measure
from thresher.results import Estimate


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
