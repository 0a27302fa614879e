"""Curves over all thresholds, as values that interpolate, draw themselves and turn into dataframes."""

from thresher.lazy import lazy_names

PLACES: dict[str, tuple[str, ...]] = {
    "partial_precision": ("least_average_precision", "least_pr_area"),
    "averaging": ("CurveAverage", "average_curves"),
    "cost_curve": ("cost_curve",),
    "curve": ("Curve", "Line", "Mark"),
    "decision_curve": ("decision_curve",),
    "det": ("det_curve", "deviates"),
    "kinds": ("register_curve",),
    "ks": ("KsTest", "ks_curve", "ks_test"),
    "lift": ("gain_curve", "lift_chart", "lift_curve"),
    "listing": ("Listing", "listing", "threshold_listing", "walk"),
    "measure_curve": ("measure_curve", "rates_by_threshold"),
    "pairs": ("Pairs", "pairs"),
    "precision_recall": ("precision_recall_curve", "precision_recall_gain_curve"),
    "roc": ("coverage_curve", "roc_curve"),
    "value_at": ("ValueAt", "value_at"),
}
"""Module → public names; loaded at first use, so that one of them does not cost the import of all."""

__all__, __getattr__, __dir__ = lazy_names(__name__, PLACES)
