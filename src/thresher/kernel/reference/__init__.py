"""The kernel in plain NumPy: the definition of each function, and the fallback without a compiled library."""

from thresher.kernel.reference.classes import assignment, conditional_replicates, conditional_sums, ordinal_volume
from thresher.kernel.reference.drawing import cumulate_at, first_reaching, fold, hull, leads, polyline_deviation
from thresher.kernel.reference.resampling import drawn_cells, draws, replicates
from thresher.kernel.reference.rows import (
    average_precision,
    binary_codes,
    concordance,
    confusion,
    count_rounded,
    curve_points,
    joint_cells,
    keep_memory,
    merged_scores,
    placements,
    products,
    score_table,
    squared_error,
    threshold_table,
)
from thresher.kernel.reference.sums import (
    delong_sums,
    extremes,
    loss_moments,
    pr_areas,
    precision_influence,
    range_sums,
)
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
