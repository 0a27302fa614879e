"""Drawing with matplotlib, which is imported when something is drawn."""

from thresher.lazy import lazy_names

PLACES: dict[str, tuple[str, ...]] = {
    "bands": ("plot_band",),
    "curves": ("plot_curve", "plot_curves"),
    "evaluations": ("PICTURES", "plot_evaluation"),
    "isometrics": ("plot_contours", "plot_iso_line", "plot_touch"),
    "looks": ("STYLES", "style"),
    "panel": ("plot_pair_grid", "plot_panel"),
    "assessed": ("plot_splits",),
}
"""Module → public names; loaded at first use."""

__all__, __getattr__, __dir__ = lazy_names(__name__, PLACES)
