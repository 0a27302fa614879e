"""The kernel in plain NumPy: what each function means, and what runs when no compiled library is there."""

from thresher.kernel.reference.conditional import conditional_replicates, conditional_sums
from thresher.kernel.reference.drawing import cumulate_at, first_reaching, fold, hull, polyline_deviation
from thresher.kernel.reference.forecasts import binary_codes, squared_error
from thresher.kernel.reference.leads import leads
from thresher.kernel.reference.moments import loss_moments, precision_influence
from thresher.kernel.reference.placements import placements, products
from thresher.kernel.reference.points import average_precision, curve_points
from thresher.kernel.reference.resampling import drawn_cells, draws, replicates
from thresher.kernel.reference.rows import (
    concordance,
    confusion,
    count_rounded,
    joint_cells,
    keep_memory,
    merged_scores,
    score_table,
    threshold_table,
)
from thresher.kernel.reference.sums import delong_sums, extremes, pr_areas, range_sums
from thresher.kernel.reference.volumes import assignment, ordinal_volume
from thresher.kernel.rounding import rounded

__all__ = [
    "assignment",
    "average_precision",
    "binary_codes",
    "concordance",
    "conditional_replicates",
    "conditional_sums",
    "confusion",
    "count_rounded",
    "cumulate_at",
    "curve_points",
    "delong_sums",
    "drawn_cells",
    "draws",
    "extremes",
    "first_reaching",
    "fold",
    "hull",
    "joint_cells",
    "keep_memory",
    "leads",
    "loss_moments",
    "merged_scores",
    "ordinal_volume",
    "placements",
    "polyline_deviation",
    "pr_areas",
    "precision_influence",
    "products",
    "range_sums",
    "replicates",
    "rounded",
    "score_table",
    "squared_error",
    "threshold_table",
]
