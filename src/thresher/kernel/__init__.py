"""The inner loops: sorting, counting and sweeping, compiled where possible and in NumPy otherwise.

Both implementations take the same checked arrays and return the same values; `thresher.kernel.reference` is the one to
read. `implementation()` says which runs, `why()` says why; the environment variable ``THRESHER_KERNEL`` (``native`` or
``reference``) decides it by hand.
"""

from thresher.lazy import lazy_names

PLACES: dict[str, tuple[str, ...]] = {
    "backend": ("implementation", "why"),
    "conditional": ("conditional_replicates", "conditional_sums"),
    "forecasts": ("binary_codes", "squared_error"),
    "leads": ("leads",),
    "memory": ("kept_memory",),
    "moments": ("loss_moments", "precision_influence"),
    "placements": ("placements", "products"),
    "points": ("average_precision", "curve_points"),
    "resampling": ("drawn_cells", "draws", "replicates"),
    "rows": (
        "concordance",
        "confusion",
        "count_rounded",
        "joint_cells",
        "merged_scores",
        "rounded",
        "score_table",
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
        "pr_areas",
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
    "volumes": ("assignment_credit", "ordinal_volume"),
}
"""Module → public names; loaded at first use."""

__all__, __getattr__, __dir__ = lazy_names(__name__, PLACES, is_guarded=False)
