"""Public names, each imported from its module at its first use."""

from thresher.kernel.backend import implementation as implementation, kept_memory as kept_memory, why as why
from thresher.kernel.classes import (
    assignment_credit as assignment_credit,
    conditional_replicates as conditional_replicates,
    conditional_sums as conditional_sums,
    ordinal_volume as ordinal_volume,
)
from thresher.kernel.resampling import drawn_cells as drawn_cells, draws as draws, replicates as replicates
from thresher.kernel.rows import (
    average_precision as average_precision,
    concordance as concordance,
    confusion as confusion,
    count_rounded as count_rounded,
    curve_points as curve_points,
    extent as extent,
    joint_cells as joint_cells,
    merged_scores as merged_scores,
    placements as placements,
    rounded as rounded,
    score_table as score_table,
    squared_error as squared_error,
)
from thresher.kernel.tables import (
    LONG as LONG,
    Running as Running,
    cumulate_at as cumulate_at,
    delong_sums as delong_sums,
    extremes as extremes,
    fold as fold,
    hull as hull,
    leads as leads,
    loss_moments as loss_moments,
    pr_areas as pr_areas,
    precision_influence as precision_influence,
    range_sums as range_sums,
    thin as thin,
)
from thresher.kernel.values import (
    Concordance as Concordance,
    ConditionalSums as ConditionalSums,
    CurvePoints as CurvePoints,
    DelongSums as DelongSums,
    Extremes as Extremes,
    KernelInputError as KernelInputError,
    Leads as Leads,
    LossMoments as LossMoments,
    Placements as Placements,
    PrAreas as PrAreas,
    RangeSums as RangeSums,
    ScoredUnits as ScoredUnits,
    TableArrays as TableArrays,
    ThresholdArrays as ThresholdArrays,
)
