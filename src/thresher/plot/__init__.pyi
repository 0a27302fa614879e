"""Public names, each imported from its module at its first use."""

from thresher.plot.resampled import plot_splits as plot_splits
from thresher.plot.curves import plot_band as plot_band, plot_curve as plot_curve, plot_curves as plot_curves
from thresher.plot.evaluations import PICTURES as PICTURES, plot_evaluation as plot_evaluation
from thresher.plot.looks import STYLES as STYLES, style as style
from thresher.plot.roc_space import (
    plot_contours as plot_contours,
    plot_iso_line as plot_iso_line,
    plot_touch as plot_touch,
)
from thresher.plot.side_by_side import plot_pair_grid as plot_pair_grid, plot_panel as plot_panel
