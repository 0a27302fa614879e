"""Public names, each imported from its module at its first use."""

# fmt: off
from thresher.curves.averaging import CurveAverage as CurveAverage, average_curves as average_curves
from thresher.curves.cost_curves import cost_curve as cost_curve, decision_curve as decision_curve
from thresher.curves.curve import Curve as Curve, Line as Line, Mark as Mark
from thresher.curves.kinds import register_curve as register_curve
from thresher.curves.cumulative import (
    KsTest as KsTest, gain_curve as gain_curve, ks_curve as ks_curve, ks_test as ks_test, lift_chart as lift_chart,
    lift_curve as lift_curve,
)
from thresher.curves.listing import (
    Listing as Listing, Pairs as Pairs, listing as listing, pairs as pairs, threshold_listing as threshold_listing,
    walk as walk,
)
from thresher.curves.measure_curve import measure_curve as measure_curve, rates_by_threshold as rates_by_threshold
from thresher.curves.partial_areas import (
    least_average_precision as least_average_precision, least_pr_area as least_pr_area,
)
from thresher.curves.roc_and_precision import (
    coverage_curve as coverage_curve, det_curve as det_curve, deviates as deviates,
    precision_recall_curve as precision_recall_curve, precision_recall_gain_curve as precision_recall_gain_curve,
    roc_curve as roc_curve,
)
from thresher.curves.value_at import ValueAt as ValueAt, value_at as value_at
