"""What a series of scores starts from: models, checked rows, splits and measures; and its lines with their bands."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.cached import cached_property
from thresher.conventions import Floats, check_seed, confidence_level
from thresher.dataclass import dataclass
from thresher.errors import OptionError
from thresher.measures.measure_text import Wanted
from thresher.resampling.data import Data, checked_data
from thresher.resampling.estimates import Spread, dependence, mean_of_splits
from thresher.resampling.front import checked_measures, method_for, named_estimators, tried_by
from thresher.resampling.method_forms import as_method
from thresher.resampling.methods import Holdout
from thresher.resampling.remarks import group_remarks, single_remarks, weight_remarks
from thresher.resampling.series import SeriesLine
from thresher.resampling.splits import Split, is_torn, learns_one_class
from thresher.results import Estimate


@dataclass(frozen=True, kw_only=True, eq=False)
class Study:
    """Models by name, rows, splits and measures of a series; `summary` says how rows are split, `notes` what is so."""

    models: Mapping[str, Any]
    data: Data
    splits: tuple[Split, ...]
    measures: tuple[Wanted, ...]
    level: float
    rng: int
    summary: str
    notes: tuple[str, ...] = ()

    @property
    def is_single(self) -> bool:
        """Whether there is one split, so that bands are the measures' own intervals."""
        return len(self.splits) == 1

    @cached_property
    def spread(self) -> Spread:
        """What the intervals of means over the splits rest on."""
        tests = np.concatenate([split.test for split in self.splits])
        is_shared = len(np.unique(tests)) < len(tests)
        learned = np.mean([len(np.unique(split.train)) for split in self.splits])
        judged = np.mean([len(split.test) for split in self.splits])
        classes = len(self.data.rows.classes)
        ratio = dependence(float(judged / learned), is_shared=is_shared)
        return Spread(ratio=ratio, rows=len(self.data.rows), classes=classes, is_shared=is_shared)

    def line(
        self,
        model: str,
        place: int,
        values: Floats,
        reasons: Sequence[str | None],
        alone: tuple[Estimate, ...],
        done: NDArray[np.bool_],
    ) -> SeriesLine:
        """One model's line of a measure from its values (x × splits), of fits that are `done`.

        `reasons` say at each x why a value is undefined; `alone` are the estimates of a single split.
        """
        measure = self.measures[place]
        means = (
            self._mean(row[ok], measure, "" if why is None else f": {why}")
            for row, ok, why in zip(values, done, reasons, strict=True)
        )
        return SeriesLine(
            model=model,
            measure=measure.text,
            estimates=alone if self.is_single else tuple(means),
            by_split=values,
        )

    def _mean(self, values: Floats, measure: Wanted, gap: str) -> Estimate:
        if not values.size:
            return Estimate(name=measure.text, value=math.nan, reason="no fit succeeded")
        return mean_of_splits(values, measure, self.spread, self.level, gap)


def studied(
    estimators: Any, X: Any, y: Any, *, method: Any, measures: Any, level: float, rng: int, **about: Any
) -> Study:
    """Check what a series is asked for; `about` are the options of the rows: positive, groups, weights, their kind.

    Raises:
        InputError: the data cannot be used as they are.
        OptionError: an option has a value that it does not take.
    """
    level, rng = confidence_level(level), check_seed(rng)
    named = named_estimators(estimators)
    chosen = method_for(as_method(method), named)
    check_separate(chosen)
    data = checked_data(X, y, **about)
    wanted = measures_of(measures, len(data.rows.classes))
    models = tried_by(chosen, named, rng, data)
    splits = tuple(split for split in chosen.splits(data.drawable, rng) if len(split.test))
    groups = data.drawable.groups
    torn = sum(is_torn(split, groups) for split in splits)
    single = sum(learns_one_class(split, data.rows.truth) for split in splits)
    notes = [*weight_remarks(data, models), *group_remarks(data, chosen, torn, len(splits)), *data.rows.notes]
    notes += single_remarks(single, len(splits))
    return Study(
        models=models,
        data=data,
        splits=splits,
        measures=wanted,
        level=level,
        rng=rng,
        summary=chosen.summary,
        notes=tuple(notes),
    )


def check_separate(method: Any) -> None:
    """Check that a method judges each split by itself.

    Raises:
        OptionError: it needs all its splits together, as bootstraps and leave-one-out do.
    """
    if method.combine != "mean" and not isinstance(getattr(method, "outer", method), Holdout):
        raise OptionError(
            f"method={method!r} does not judge each split by itself: take KFold, GroupKFold, TimeSplits, "
            f"RandomSubsampling or Holdout."
        )


def measures_of(measures: str | Sequence[str] | None, classes: int) -> tuple[Wanted, ...]:
    """Measures from their texts; when none is named that of the number of classes."""
    usual = "auc" if classes == 2 else "accuracy"
    return checked_measures(usual if measures is None else measures, classes)
