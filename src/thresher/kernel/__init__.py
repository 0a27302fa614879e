"""The inner loops: sorting, counting and sweeping, compiled where possible and in NumPy otherwise.

Both implementations take the same checked arrays and return the same values; `thresher.kernel.reference` is the one to
read. `implementation()` says which runs, `why()` says why; the environment variable ``THRESHER_KERNEL`` (``native`` or
``reference``) decides it by hand.
"""

from thresher.kernel.backend import implementation, why
from thresher.kernel.conditional import conditional_replicates, conditional_sums
from thresher.kernel.forecasts import binary_codes, squared_error
from thresher.kernel.leads import leads
from thresher.kernel.moments import loss_moments, precision_influence, row_losses
from thresher.kernel.paired import paired_rows
from thresher.kernel.placements import placements
from thresher.kernel.points import average_precision, curve_points
from thresher.kernel.resampling import drawn_cells, draws, replicates
from thresher.kernel.rows import bin_rows, concordance, confusion, score_table, spread_rows, threshold_table
from thresher.kernel.running import LONG, Running
from thresher.kernel.scored_units import ScoredUnits
from thresher.kernel.tables import (
    cumulate_at,
    delong_sums,
    extremes,
    fold,
    hull,
    loss_sums,
    miss_sums,
    pr_areas,
    thin,
    thinned_rows,
)
from thresher.kernel.values import (
    Concordance,
    ConditionalSums,
    CurvePoints,
    DelongSums,
    Extremes,
    KernelInputError,
    Leads,
    LossMoments,
    LossSums,
    MissSums,
    PairedRows,
    Placements,
    PrAreas,
    SpreadRows,
    TableArrays,
    ThinnedRows,
    ThresholdArrays,
)
from thresher.kernel.volumes import assignment_credit, ordinal_volume

__all__ = [
    "LONG",
    "Concordance",
    "ConditionalSums",
    "CurvePoints",
    "DelongSums",
    "Extremes",
    "KernelInputError",
    "Leads",
    "LossMoments",
    "LossSums",
    "MissSums",
    "PairedRows",
    "Placements",
    "PrAreas",
    "Running",
    "ScoredUnits",
    "SpreadRows",
    "TableArrays",
    "ThinnedRows",
    "ThresholdArrays",
    "assignment_credit",
    "average_precision",
    "bin_rows",
    "binary_codes",
    "concordance",
    "conditional_replicates",
    "conditional_sums",
    "confusion",
    "cumulate_at",
    "curve_points",
    "delong_sums",
    "drawn_cells",
    "draws",
    "extremes",
    "fold",
    "hull",
    "implementation",
    "leads",
    "loss_moments",
    "loss_sums",
    "miss_sums",
    "ordinal_volume",
    "paired_rows",
    "placements",
    "pr_areas",
    "precision_influence",
    "replicates",
    "row_losses",
    "score_table",
    "spread_rows",
    "squared_error",
    "thin",
    "thinned_rows",
    "threshold_table",
    "why",
]
