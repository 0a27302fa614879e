"""Lines on the charts: through every threshold, straight in counts between them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from report_cases import breast_cancer, case
from thresher.analysis import thresholds
from thresher.analysis.thresholds import POINTS, REPLICATES, drawn_band
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.curves.bands import roc_band
from thresher.report.build import build
from thresher.report.sections.curves import curves, line

ROC = ("false_positive_rate", "true_positive_rate")
PR = ("true_positive_rate", "positive_predictive_value")


@st.composite
def both_classes(draw):
    rows = draw(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=2, max_size=30))
    truth = np.array([1, 0, *[int(y) for y, _ in rows]])
    return truth, np.array([draw(st.integers(0, 9)), draw(st.integers(0, 9)), *[s for _, s in rows]]) / 9


@given(both_classes())
def test_roc_is_the_polyline_of_its_thresholds(rows):
    truth, score = rows
    points = build(th.evaluate(truth, {"m": score}), points=True).models[0].points
    x, y = line(points, *ROC)
    cuts = [np.inf, *sorted(set(score), reverse=True)]
    fpr = [np.mean(score[truth == 0] >= cut) for cut in cuts]
    tpr = [np.mean(score[truth == 1] >= cut) for cut in cuts]
    assert {(0.0, 0.0), (1.0, 1.0)} <= set(zip(x.tolist(), y.tolist(), strict=True))
    assert np.trapezoid(y, x) == pytest.approx(np.trapezoid(tpr, fpr), abs=1e-12)
    for a, b in zip(fpr, tpr, strict=True):
        assert np.min(np.hypot(x - a, y - b)) < 1e-12


@given(both_classes())
def test_precision_recall_bends_as_davis_and_goadrich_say(rows):
    truth, score = rows
    points = build(th.evaluate(truth, {"m": score}), points=True).models[0].points
    recall, precision = line(points, *PR)
    P = truth.sum()
    cuts = sorted(set(score), reverse=True)
    tp = np.array([np.sum(score[truth == 1] >= cut) for cut in cuts])
    fp = np.array([np.sum(score[truth == 0] >= cut) for cut in cuts])
    first = int(np.argmax(tp > 0))
    for r, p in zip(recall, precision, strict=True):
        if r * P <= tp[first]:
            assert p == pytest.approx(tp[first] / (tp[first] + fp[first])) or r * P == pytest.approx(tp[first])
            continue
        inside = np.flatnonzero((tp[:-1] <= r * P + 1e-9) & (r * P - 1e-9 <= tp[1:]))
        possible = [
            (fp[i] + s * (fp[i + 1] - fp[i]))
            for i in inside
            for s in ([(r * P - tp[i]) / (tp[i + 1] - tp[i])] if tp[i + 1] > tp[i] else [0, 1])
        ]
        assert any(p == pytest.approx(r * P / (r * P + f), abs=1e-9) for f in possible)


def test_area_under_the_drawn_curve_is_the_measure():
    document = build(breast_cancer(), points=True)
    for part in document.models:
        recall, precision = line(part.points, *PR)
        assert np.trapezoid(precision, recall) == pytest.approx(part.measures["pr_auc_davis_goadrich"].value, abs=2e-4)


def test_operating_points_are_those_of_the_matrices():
    evaluation = breast_cancer()
    for plot in curves(build(evaluation, points=True)).plots:
        drawn = [each for each in plot.lines if each.model is not None and each.look == "curve"]
        assert [each.name for each in drawn] == list(evaluation)
        for each in drawn:
            matrix = evaluation[each.name].confusion_matrix
            assert each.dot == tuple(float(getattr(matrix, axis)) for axis in plot.measures)


def test_rules_are_chance_and_prevalence():
    roc, pr = curves(build(case("importance"), points=True)).plots
    chance, level = roc.lines[0], next(each for each in pr.lines if each.name.startswith("prevalence"))
    assert chance.x.tolist() == chance.y.tolist() == [0, 0.5, 1]
    assert set(level.y.tolist()) == {build(case("importance")).prevalence}


@pytest.mark.parametrize("name", ["one_class", "labels", "three_classes"])
def test_nothing_is_drawn_where_a_curve_is_undefined(name):
    assert curves(build(case(name), points=True)) is None


def test_predicted_labels_are_one_point_beside_the_curve():
    roc = curves(build(case("labels_and_scores"), points=True)).plots[0]
    matrix = case("labels_and_scores")["m"].confusion_matrix
    assert roc.lines[-1].dot == (float(matrix.false_positive_rate), float(matrix.true_positive_rate))


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
    monkeypatch.setattr(thresholds, "QUICK", 10)
    assert drawn_band(evaluated()).method == "fixed-width Kolmogorov"
    assert drawn_band(evaluated(cluster=np.arange(40) // 4)) is None
    assert drawn_band(evaluated(weights=np.linspace(1, 2, 40))) is None


def test_where_there_is_no_curve_there_is_no_band():
    band = drawn_band(case("one_class")["m"])
    assert band is None or not np.isfinite(band.low).any()
    assert build(breast_cancer()).models[0].band is None
