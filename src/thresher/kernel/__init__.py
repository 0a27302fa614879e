"""The inner loops: sorting, counting and sweeping, compiled where possible and in NumPy otherwise.

Both implementations take the same checked arrays and return the same values; `thresher.kernel.reference` is the one to
read. `implementation()` says which runs, `why()` says why; the environment variable ``THRESHER_KERNEL`` (``native`` or
``reference``) decides it by hand.
"""

from thresher.lazy import lazy_names

PLACES: dict[str, tuple[str, ...]] = {
    "backend": ("implementation", "kept_memory", "why"),
    "classes": ("assignment_credit", "conditional_replicates", "conditional_sums", "ordinal_volume"),
    "resampling": ("drawn_cells", "draws", "replicates"),
    "rows": (
        "average_precision",
        "binary_codes",
        "concordance",
        "confusion",
        "count_rounded",
        "curve_points",
        "joint_cells",
        "merged_scores",
        "placements",
        "products",
        "rounded",
        "score_table",
        "squared_error",
        "threshold_table",
    ),
    "running": ("LONG", "Running"),
    "scored_units": ("ScoredUnits",),
    "tables": (
        "cumulate_at",
        "delong_sums",
        "extremes",
        "fold",
        "hull",
        "leads",
        "loss_moments",
        "pr_areas",
        "precision_influence",
        "range_sums",
        "thin",
        "thinned_rows",
    ),
    "values": (
        "Concordance",
        "ConditionalSums",
        "CurvePoints",
        "DelongSums",
        "Extremes",
        "KernelInputError",
        "Leads",
        "LossMoments",
        "Placements",
        "PrAreas",
        "RangeSums",
        "TableArrays",
        "ThinnedRows",
        "ThresholdArrays",
    ),
}
"""Module → public names; loaded at first use."""

__all__, __getattr__, __dir__ = lazy_names(__name__, PLACES, is_guarded=False)
