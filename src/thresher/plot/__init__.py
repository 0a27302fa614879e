"""Drawing with matplotlib, which is imported when something is drawn."""

from thresher.plot.curves import plot_curve, plot_curves

__all__ = ["plot_curve", "plot_curves"]
