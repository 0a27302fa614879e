"""Which function draws which result: every `.plot` comes here, and the module is loaded when something is drawn."""

from __future__ import annotations

from importlib import import_module
from typing import Any

DRAWERS = {
    "Assessment": "assessed:plot_assessment",
    "Band": "bands:plot_band",
    "BetaMap": "calibration_maps:plot_map",
    "BinormalRoc": "bands:plot_binormal",
    "Choice": "choices:plot_choice",
    "ChosenThreshold": "choices:plot_chosen",
    "Comparison": "differences:plot_comparisons",
    "Comparisons": "differences:plot_comparisons",
    "ConditionalAuc": "classes:plot_conditional_auc",
    "ConfusionMatrix": "matrices:plot_matrix",
    "Contours": "isometrics:plot_contours",
    "CriticalDifference": "ranks:plot_critical_difference",
    "Curve": "curves:plot_curve",
    "CurveAverage": "curves:plot_average",
    "DistinctRows": "distinct:plot_distinct",
    "Dominance": "leads:plot_dominance",
    "Evaluation": "evaluations:plot_evaluation",
    "Hull": "hulls:plot_hull",
    "IsoLine": "isometrics:plot_iso_line",
    "JointHull": "hulls:plot_joint_hull",
    "KernelRoc": "curves:plot_smoothed",
    "LogisticMap": "calibration_maps:plot_map",
    "PartialAreaEstimate": "parts:plot_part",
    "PiecewiseMap": "calibration_maps:plot_map",
    "RandomizedClassifier": "leads:plot_randomized",
    "RocSurface": "classes:plot_surface",
    "Scalability": "scaling:plot_scalability",
    "ScoreHistogram": "scores:plot_histogram",
    "Series": "series:plot_series",
    "SplitDifferences": "split_differences:plot_split_differences",
    "SplitRoles": "splits:plot_roles",
    "Subgroups": "subgroups:plot_subgroups",
    "TestResult": "rejection:plot_test",
    "Touch": "isometrics:plot_touch",
    "Triples": "triples:plot_triples",
    "dict": "curves:plot_curves",
}
"""Class of a result → module of this package and function."""


def draw(result: Any, *what: Any, ax: Any = None, **options: Any) -> Any:
    """Draw a result on matplotlib axes, new ones if none are given, and return them.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    module, _, function = DRAWERS[type(result).__name__].partition(":")
    return getattr(import_module(f"thresher.plot.{module}"), function)(result, *what, ax=ax, **options)
