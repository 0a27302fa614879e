"""Which function draws which result: every `.plot` comes here, and the module is loaded when something is drawn."""

from __future__ import annotations

from importlib import import_module
from typing import Any

DRAWERS = {
    "Assessment": "assessed:plot_assessment",
    "AtPrevalence": "forests:plot_estimates",
    "AucCovariance": "classes:plot_covariance",
    "AucEstimates": "forests:plot_estimates",
    "Band": "bands:plot_band",
    "Baselines": "matrices:plot_baselines",
    "BetaMap": "calibration_maps:plot_map",
    "BinnedDecomposition": "bars:plot_bars",
    "BinormalRoc": "bands:plot_binormal",
    "CalibrationSummary": "forests:plot_estimates",
    "Check": "forests:plot_estimates",
    "Choice": "choices:plot_choice",
    "ChosenThreshold": "choices:plot_chosen",
    "ClassDecision": "forests:plot_estimates",
    "ClassViews": "classes:plot_class_curves",
    "ClassWeights": "bars:plot_bars",
    "ClasswiseError": "bars:plot_bars",
    "ClasswiseMap": "calibration_maps:plot_class_maps",
    "Comparison": "differences:plot_comparisons",
    "Comparisons": "differences:plot_comparisons",
    "Concavity": "hulls:plot_concavity",
    "ConditionalAuc": "classes:plot_conditional_auc",
    "ConfusionMatrix": "matrices:plot_matrix",
    "Contours": "isometrics:plot_contours",
    "Counts": "tables:plot_counts",
    "CoxCalibration": "calibration_maps:plot_recalibration",
    "CriticalDifference": "ranks:plot_critical_difference",
    "Curve": "curves:plot_curve",
    "CurveAverage": "curves:plot_average",
    "Decomposition": "bars:plot_bars",
    "DistinctRows": "tables:plot_distinct",
    "Dominance": "hulls:plot_dominance",
    "Estimate": "forests:plot_estimates",
    "Evaluation": "evaluations:plot_evaluation",
    "HMeasure": "scores:plot_costs",
    "Hull": "hulls:plot_hull",
    "IsoLine": "isometrics:plot_iso_line",
    "JointHull": "hulls:plot_joint_hull",
    "KernelRoc": "curves:plot_smoothed",
    "Listing": "tables:plot_listing",
    "LogisticMap": "calibration_maps:plot_map",
    "ModelAssessment": "assessed:plot_assessment",
    "ModelFacts": "bars:plot_bars",
    "OperatingPoint": "matrices:plot_operating_point",
    "Outcomes": "ranks:plot_outcomes",
    "Pairs": "bars:plot_bars",
    "PartialAreaEstimate": "bands:plot_part",
    "PiecewiseMap": "calibration_maps:plot_map",
    "Posterior": "scores:plot_posterior",
    "RandomEffects": "forests:plot_sites",
    "RandomizedClassifier": "hulls:plot_randomized",
    "RankEvaluation": "forests:plot_estimates",
    "RankedLists": "ranks:plot_lists",
    "Reclassification": "forests:plot_estimates",
    "RejectOption": "scores:plot_zone",
    "RejectSummary": "forests:plot_estimates",
    "Reliability": "calibration_maps:plot_reliability",
    "ResampledThreshold": "choices:plot_resampled",
    "RocSurface": "classes:plot_surface",
    "RunEvaluation": "forests:plot_estimates",
    "Scalability": "scaling:plot_scalability",
    "ScoreHistogram": "scores:plot_histogram",
    "ScoreTable": "scores:plot_scores",
    "Series": "series:plot_series",
    "Speed": "bars:plot_bars",
    "SplitDifferences": "assessed:plot_split_differences",
    "SplitRoles": "assessed:plot_roles",
    "Subgroups": "forests:plot_subgroups",
    "TemperatureMap": "calibration_maps:plot_map",
    "TestResult": "differences:plot_test",
    "ThresholdTable": "tables:plot_thresholds",
    "Touch": "isometrics:plot_touch",
    "Triples": "classes:plot_triples",
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


def frame(result: Any, backend: str | None = None) -> Any:
    """Dataframe of what the picture of a result shows, of the library named, else the first installed.

    Raises:
        MissingDependencyError: no dataframe library is installed.
    """
    return import_module("thresher.plot.framing").frame(result, backend)
