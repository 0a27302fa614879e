"""The reliability diagram as a plot."""

import numpy as np
import pytest

import thresher as th
from thresher.plot import plot_curve

pytestmark = pytest.mark.peer


def test_band_curve_and_diagonal():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    rng = np.random.default_rng(0)
    s = rng.random(300)
    model = th.evaluate((rng.random(300) < s).astype(int), {"a": s})["a"]
    ax = model.calibration_curve.plot(label="a")
    (band,) = [c for c in ax.collections if c.get_gid() == "thresher-band"]
    assert band.get_paths()
    (line,) = [drawn for drawn in ax.lines if drawn.get_gid() == "thresher-curve"]
    np.testing.assert_array_equal(line.get_ydata(), model.calibration_curve.y)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Score", "Share of positives")
    assert "calibrated" in [text.get_text() for text in ax.get_legend().get_texts()]
    binned = plot_curve(model.reliability(method="equal_count", bins=5), ax)
    assert len([drawn for drawn in binned.lines if drawn.get_gid() == "thresher-curve"]) == 2
    pyplot.close("all")
    model.murphy_curve.plot()
    pyplot.close("all")
