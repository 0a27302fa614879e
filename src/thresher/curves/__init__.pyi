from thresher.curves.averaging import CurveAverage, average_curves
from thresher.curves.cost_curve import cost_curve
from thresher.curves.curve import Curve, Line, Mark
from thresher.curves.decision_curve import decision_curve
from thresher.curves.det import det_curve, deviates
from thresher.curves.gain import gain_curve
from thresher.curves.ks import KsTest, ks_curve, ks_test
from thresher.curves.lift import lift_chart, lift_curve
from thresher.curves.listing import Listing, listing, threshold_listing
from thresher.curves.measure_curve import measure_curve
from thresher.curves.precision_recall import precision_recall_curve
from thresher.curves.rates_by_threshold import rates_by_threshold
from thresher.curves.roc import roc_curve
from thresher.curves.value_at import ValueAt, value_at

__all__ = [
    "Curve",
    "CurveAverage",
    "KsTest",
    "Line",
    "Listing",
    "Mark",
    "ValueAt",
    "average_curves",
    "cost_curve",
    "decision_curve",
    "det_curve",
    "deviates",
    "gain_curve",
    "ks_curve",
    "ks_test",
    "lift_chart",
    "lift_curve",
    "listing",
    "measure_curve",
    "precision_recall_curve",
    "rates_by_threshold",
    "roc_curve",
    "threshold_listing",
    "value_at",
]
