"""Calibration: whether scores are probabilities, how far off they are, and maps that put them right.

>>> from thresher.calibration import decomposition, reliability
>>> from thresher.counts import ScoreTable
>>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
>>> decomposition(table)
Decomposition(Brier score 0.1667 = miscalibration 0.08333 − discrimination 0.1667 + uncertainty 0.25)
"""

from thresher.lazy import lazy_names

PLACES: dict[str, tuple[str, ...]] = {
    "calibrated": ("CalibratedClassifier",),
    "classes": (
        "ClasswiseError",
        "classwise_calibration_error",
        "top_label_calibration_error",
        "top_label_table",
    ),
    "cox": ("CoxCalibration", "cox_calibration"),
    "decompositions": ("BinnedDecomposition", "Decomposition", "binned_decomposition", "decomposition", "murphy_curve"),
    "distances": (
        "adaptive_calibration_error",
        "calibration_error",
        "debiased_calibration_error",
        "smooth_calibration_error",
    ),
    "fitting": (
        "SameRowsError",
        "SameRowsWarning",
        "apply_map",
        "fit_classwise",
        "fit_map",
        "fit_map_table",
        "fit_temperature",
    ),
    "goodness": ("hosmer_lemeshow_test", "spiegelhalter_test"),
    "maps": (
        "BetaMap",
        "CalibrationMap",
        "ClasswiseMap",
        "LogisticMap",
        "PiecewiseMap",
        "TemperatureMap",
        "map_from_dict",
        "map_from_json",
    ),
    "diagram": ("Reliability", "ScoreHistogram", "calibration_curve", "reliability", "score_histogram"),
}
"""Module → public names; loaded at first use."""

__all__, __getattr__, __dir__ = lazy_names(__name__, PLACES)
