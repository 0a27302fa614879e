"""Dispatch `.plot` of every result to the function that draws it, whose module is loaded then.

`frame` gives the data of a picture, for results that are not tables themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from thresher.plot.bars import BARS
from thresher.plot.forests import FORESTS
from thresher.results import estimate_columns, to_frame

DRAWERS = {
    "Assessment": "resampled:plot_assessment",
    "AucCovariance": "evaluations:plot_covariance",
    "Band": "curves:plot_band",
    "Baselines": "matrices:plot_baselines",
    "BinormalRoc": "curves:plot_binormal",
    "Choice": "scores:plot_choice",
    "ChosenThreshold": "scores:plot_chosen",
    "ClassViews": "evaluations:plot_class_curves",
    "ClasswiseMap": "side_by_side:plot_class_maps",
    "Comparison": "forests:plot_comparisons",
    "Comparisons": "forests:plot_comparisons",
    "Concavity": "roc_space:plot_concavity",
    "ConditionalAuc": "evaluations:plot_conditional_auc",
    "ConfusionMatrix": "matrices:plot_matrix",
    "Contours": "roc_space:plot_contours",
    "Counts": "evaluations:plot_counts",
    "CoxCalibration": "side_by_side:plot_recalibration",
    "CriticalDifference": "bars:plot_critical_difference",
    "Curve": "curves:plot_curve",
    "CurveAverage": "curves:plot_average",
    "DistinctRows": "scores:plot_distinct",
    "Dominance": "roc_space:plot_dominance",
    "Evaluation": "evaluations:plot_evaluation",
    "HMeasure": "scores:plot_costs",
    "Hull": "roc_space:plot_hull",
    "IsoLine": "roc_space:plot_iso_line",
    "JointHull": "roc_space:plot_joint_hull",
    "KernelRoc": "curves:plot_smoothed",
    "Listing": "scores:plot_listing",
    "ModelAssessment": "resampled:plot_assessment",
    "OperatingPoint": "matrices:plot_operating_point",
    "Outcomes": "bars:plot_outcomes",
    "PartialAreaEstimate": "curves:plot_part",
    "Posterior": "scores:plot_posterior",
    "RandomEffects": "forests:plot_sites",
    "RandomizedClassifier": "roc_space:plot_randomized",
    "RankedLists": "bars:plot_lists",
    "RejectOption": "scores:plot_zone",
    "Reliability": "side_by_side:plot_reliability",
    "ResampledThreshold": "scores:plot_resampled",
    "RocSurface": "evaluations:plot_surface",
    "Scalability": "resampled:plot_scalability",
    "ScoreHistogram": "scores:plot_histogram",
    "ScoreTable": "scores:plot_scores",
    "Series": "resampled:plot_series",
    "SplitDifferences": "resampled:plot_split_differences",
    "SplitRoles": "resampled:plot_roles",
    "Subgroups": "forests:plot_subgroups",
    "TestResult": "forests:plot_test",
    "ThresholdTable": "scores:plot_thresholds",
    "Touch": "roc_space:plot_touch",
    "Triples": "evaluations:plot_triples",
    "dict": "curves:plot_curves",
    **dict.fromkeys(BARS, "bars:plot_bars"),
    **dict.fromkeys(FORESTS, "forests:plot_estimates"),
    **dict.fromkeys(("BetaMap", "LogisticMap", "PiecewiseMap", "TemperatureMap"), "side_by_side:plot_map"),
}
"""Class of a result → module of this package and function."""


def draw(result: Any, *what: Any, ax: Any = None, **options: Any) -> Any:
    """Draw a result on matplotlib axes, new ones if none are given, and return them."""
    module, _, function = DRAWERS[type(result).__name__].partition(":")
    return getattr(import_module(f"thresher.plot.{module}"), function)(result, *what, ax=ax, **options)


def frame(result: Any, backend: str | None = None) -> Any:
    """Return the data of a result's `.plot()` as a dataframe of the library named, else the first installed."""
    kind = type(result).__name__
    if kind in FORESTS:
        rows = FORESTS[kind](result).rows
        return to_frame({"name": list(rows)} | estimate_columns(rows.values()), backend)
    if kind in BARS:
        numbers = BARS[kind](result).numbers
        return to_frame({"name": list(numbers), "value": [float(value) for value in numbers.values()]}, backend)
    if kind in COLUMNS:
        return to_frame(COLUMNS[kind](result), backend)
    scalars = {name: [value] for name, value in result.to_dict().items() if not isinstance(value, list | Mapping)}
    return to_frame(scalars, backend)


def _rules(found: Any) -> dict[str, Any]:
    fpr, tpr = zip(*found.points.values(), strict=True) if found.points else ((), ())
    return {"rule": list(found.points), "false_positive_rate": list(fpr), "true_positive_rate": list(tpr)}


def _pairs_of_models(found: Any) -> dict[str, Any]:
    first, second = (place.ravel() for place in np.indices(found.covariance.shape))
    names = {"first": first, "second": second}
    columns: dict[str, Any] = {name: [found.models[i] for i in places] for name, places in names.items()}
    return columns | {"covariance": found.covariance.ravel()}


def _maps(found: Any) -> dict[str, Any]:
    names = found.labels or [f"class {place}" for place in range(len(found.maps))]
    points = [each.points for each in found.maps]
    owners = [name for name, (x, _) in zip(names, points, strict=True) for _ in x]
    scores, probabilities = (np.concatenate(parts) for parts in zip(*points, strict=True))
    return {"class": owners, "score": scores, "probability": probabilities}


COLUMNS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "AucCovariance": _pairs_of_models,
    "Baselines": _rules,
    "ClasswiseMap": _maps,
}
"""Class of a result → columns of its picture's data; one row of its fields for other classes."""
