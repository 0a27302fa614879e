"""Drawing with matplotlib, which is imported when something is drawn."""

from thresher.plot.curves import plot_curve, plot_curves
from thresher.plot.evaluations import plot_evaluation, plot_panel
from thresher.plot.isometrics import plot_contours, plot_iso_line, plot_touch

__all__ = ["plot_contours", "plot_curve", "plot_curves", "plot_evaluation", "plot_iso_line", "plot_panel", "plot_touch"]
