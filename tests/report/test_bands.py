"""The band of the explorer's ROC is Python's, where it can be had in no time; and none where there is none."""

import numpy as np

import thresher as th
from report_cases import breast_cancer, case
from thresher.analysis import points
from thresher.analysis.points import POINTS, REPLICATES, drawn_band
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.curves.bands import roc_band
from thresher.report.build import build
from thresher.report.sections.curves import curves

X = np.linspace(0, 1, POINTS) ** 2


def evaluated(n=40, **options):
    rng = np.random.default_rng(8)
    y = np.arange(n) % 2
    return th.evaluate(y, {"m": y + rng.normal(size=n)}, **options)["m"]


def test_the_chart_has_the_bands_of_python():
    chart = curves(build(breast_cancer(), points=True)).plots[0]
    for band, model in zip(chart.bands, breast_cancer().values(), strict=True):
        found = roc_band(model.scores, x=X, config=Bootstrap(n=REPLICATES))
        assert band.x.tolist() == [*X, *X[::-1]]
        assert band.y.tolist() == [*found.low, *found.high[::-1]]
    assert f"95 % simultaneous bootstrap, {REPLICATES} replicates" in chart.caption


def test_clusters_and_weights_are_drawn_as_they_are():
    clusters = np.arange(40) // 4
    whole = drawn_band(evaluated(cluster=clusters))
    assert "clusters" in whole.method
    weighted = drawn_band(evaluated(weights=np.linspace(1, 2, 40)))
    assert np.isfinite(weighted.low).all()


def test_many_rows_have_the_band_without_replicates(monkeypatch):
    monkeypatch.setattr(points, "QUICK", 10)
    assert drawn_band(evaluated()).method == "fixed-width Kolmogorov"
    assert drawn_band(evaluated(cluster=np.arange(40) // 4)) is None
    assert drawn_band(evaluated(weights=np.linspace(1, 2, 40))) is None


def test_where_there_is_no_curve_there_is_no_band():
    band = drawn_band(case("one_class")["m"])
    assert band is None or not np.isfinite(band.low).any()
    assert build(breast_cancer()).models[0].band is None
