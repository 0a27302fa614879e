"""Hard classifiers as points of ROC space: their ROC, the hull over curves and points, and the rules of chance."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.curves import roc_curve
from thresher.decisions import Balance, Costs, contours, expected_cost, iso_cost, joint_hull, roc_hull, slide
from thresher.errors import OptionError
from thresher.inference import chi_squared_test
from thresher.measures.baselines import baselines

Y = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
S = [0.9, 0.8, 0.4, 0.7, 0.3, 0.6, 0.5, 0.2, 0.2, 0.1]
MATRIX = th.ConfusionMatrix.from_cells(tp=3, fn=1, fp=1, tn=5)
COUNTS = st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 9), st.integers(0, 9)).filter(
    lambda c: c[0] + c[1] > 0 and c[2] + c[3] > 0
)


def matrix_of(cells: tuple[int, int, int, int]) -> th.ConfusionMatrix:
    tp, fn, fp, tn = cells
    return th.ConfusionMatrix.from_cells(tp=tp, fn=fn, fp=fp, tn=tn)


def test_the_roc_of_predicted_labels_has_three_points() -> None:
    rows = {"y": ["ill", "ill", "well", "well", "well"], "yhat": ["ill", "well", "ill", "well", "well"]}
    model = th.evaluate(rows, label="y", predicted="yhat", positive="ill")["yhat"]
    assert model.roc.x.tolist() == [0, pytest.approx(1 / 3), 1]
    assert model.roc.y.tolist() == [0, 0.5, 1]
    assert model.roc.area() == pytest.approx(model.balanced_accuracy.value)


@given(COUNTS)
def test_a_matrix_is_a_table_of_two_scores(cells: tuple[int, int, int, int]) -> None:
    matrix, (tp, fn, fp, tn) = matrix_of(cells), cells
    y = np.repeat([1, 1, 0, 0], [tp, fn, fp, tn])
    yhat = np.repeat([1, 0, 1, 0], [tp, fn, fp, tn])
    table = th.ScoreTable.of_decisions(matrix)
    assert table.at(1) == matrix
    curve, rows = roc_curve(matrix), th.ScoreTable.from_scores(y, yhat)
    assert (curve.x.tolist(), curve.y.tolist()) == ([0, fp / (fp + tn), 1], [0, tp / (tp + fn), 1])
    assert roc_hull(matrix).area == pytest.approx(roc_hull(rows).area)


def test_weights_and_a_prevalence_stay_with_the_decisions() -> None:
    weighted = th.ConfusionMatrix.from_predictions([1, 0, 1], [1, 1, 0], weights=[0.5, 2.0, 1.5]).with_prevalence(0.2)
    table = th.ScoreTable.of_decisions(weighted)
    assert (table.positive_squares.tolist(), table.negative_squares.tolist()) == ([0.25, 2.25], [4.0, 0.0])
    assert (table.prior, table.weight_kind) == (0.2, "importance")


def upper_hull(points: list[tuple[Fraction, Fraction]]) -> set[tuple[Fraction, Fraction]]:
    """Points that no segment between two others passes above or through."""
    kept = set()
    for x, y in points:
        under = any(
            a[0] <= x <= b[0] and a[0] < b[0] and a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0]) >= y
            for a, b in combinations(sorted(p for p in points if p != (x, y)), 2)
        )
        if not under and not any(p != (x, y) and p[0] <= x and p[1] >= y for p in points):
            kept.add((x, y))
    return kept | {(Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))}


@given(st.lists(COUNTS, min_size=1, max_size=3), st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=3))
def test_the_joint_hull_of_a_mixture_is_the_hull_of_the_union(matrices, pairs) -> None:
    models = {f"matrix {i}": matrix_of(cells) for i, cells in enumerate(matrices)}
    models |= {f"point {i}": (x / 8, y / 8) for i, (x, y) in enumerate(pairs)}
    models["curve"] = th.ScoreTable.from_scores(Y, S)
    points = {(Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))}
    points |= {(Fraction(fp, fp + tn), Fraction(tp, tp + fn)) for tp, fn, fp, tn in matrices}
    points |= {(Fraction(x, 8), Fraction(y, 8)) for x, y in pairs}
    table = models["curve"]
    points |= set(zip((Fraction(int(c), 6) for c in np.cumsum(table.negative)),
                      (Fraction(int(c), 4) for c in np.cumsum(table.positive)), strict=True))  # fmt: skip
    hull = joint_hull(models)
    found = {(v.fpr, v.tpr) for v in hull.vertices}
    expected = {(float(x), float(y)) for x, y in upper_hull(sorted(points))}
    corners = {(0.0, 0.0), (1.0, 1.0)}
    assert found | corners == expected | corners
    for v in hull.vertices[1:-1]:
        for name in v.models:
            if name.startswith("point"):
                assert models[name] == (v.fpr, v.tpr)


def test_evaluations_matrices_and_pairs_in_one_hull() -> None:
    ev = th.evaluate(Y, S)
    hull = joint_hull({"one": ev, "model": ev["score"], "matrix": MATRIX, "pair": (0.0, 0.9)})
    assert hull.models == ("one", "model", "matrix", "pair")
    assert hull.prevalence is None
    assert [note.code for note in hull.notes] == ["other-rows"]
    assert any(v.models == ("pair",) for v in hull.vertices)
    same = joint_hull({"model": ev["score"], "matrix": MATRIX})
    assert (same.prevalence, same.notes) == (0.4, ())


@pytest.mark.parametrize("measure", ["accuracy", "precision", "f1"])
def test_the_best_over_several_models_is_the_best_of_each(measure: str) -> None:
    other = [0.1, 0.9, 0.8, 0.2, 0.3, 0.7, 0.6, 0.5, 0.4, 0.0]
    ev = th.evaluate(Y, {"a": S, "b": other})
    touch = ev.joint_hull.slide(measure)
    best = {name: model.choose(maximize=measure).value for name, model in ev.items()}
    assert touch.value == pytest.approx(max(best.values()))
    assert all(best[name] == pytest.approx(touch.value) for names in touch.models for name in names)
    assert ev["a"].hull.slide(measure).value == pytest.approx(best["a"])


def test_the_cheapest_over_points_of_other_rows_needs_a_prevalence() -> None:
    hull = joint_hull({"a": (0.1, 0.6), "b": (0.3, 0.9)})
    costs = Costs(fp=1, fn=4)
    touch = hull.slide(costs=costs, skew=3)
    by_hand = {
        name: 0.25 * 4 * (1 - tpr) + 0.75 * fpr for name, (fpr, tpr) in {"a": (0.1, 0.6), "b": (0.3, 0.9)}.items()
    }
    assert touch.models == ((min(by_hand, key=by_hand.get),),)
    assert touch.value == pytest.approx(min(by_hand.values()))
    assert slide(hull, costs=costs, prevalence=0.25).value == pytest.approx(touch.value)
    assert iso_cost(0.2, costs, skew=3) == iso_cost(0.2, costs, prevalence=0.25)
    assert np.array_equal(
        contours("f1", skew=3, points=4).values, contours("f1", prevalence=0.25, points=4).values, True
    )


def test_the_random_rule_is_among_the_baselines() -> None:
    matrix = th.load_example("cancer")
    for p in (0.0, 0.03, 0.5, 1.0):
        found = baselines(matrix, chance=p)
        assert found.points["random"] == (p, p)
        positives, negatives = 300, 9700
        assert found.random["accuracy"] == pytest.approx((p * positives + (1 - p) * negatives) / 10_000)
        assert found.random["true_positive_rate"] == pytest.approx(p)
        assert found.random["f1"] == pytest.approx(2 * p * positives / (p * 10_000 + positives))
    assert baselines(matrix).chance == 0.03
    assert baselines(matrix, chance=1).random == pytest.approx(baselines(matrix).always_positive, nan_ok=True)
    assert baselines(th.ConfusionMatrix.empty([1, 0])).random is None


def test_undominated_thresholds_are_marked_and_listed() -> None:
    model = th.evaluate(Y, S)["score"]
    found = model.non_dominated()
    points = list(zip(model.table.false_positive_rate, model.table.true_positive_rate, strict=True))
    kept = [
        t for t, (x, y) in zip(model.table.thresholds, points, strict=True)
        if not any(p != (x, y) and p[0] <= x and p[1] >= y for p in points)
    ]  # fmt: skip
    assert found["threshold"].tolist() == kept
    vertices = model.hull.thresholds.tolist()
    on_hull = ~np.isnan(found["cost_ratio_low"])
    assert [t in vertices for t in kept] == on_hull.tolist()
    for line in np.flatnonzero(on_hull):
        ratio = (found["cost_ratio_low"][line] + min(found["cost_ratio_high"][line], 100.0)) / 2
        cost = expected_cost(model.table, Costs.of_ratio(ratio))
        assert cost[model.table.thresholds.tolist().index(kept[line])] == pytest.approx(cost.min())
    assert model.non_dominated(skew=9)["precision"][0] == model.table.with_prevalence(0.1).precision[
        model.table.thresholds.tolist().index(kept[0])
    ]  # fmt: skip


@pytest.mark.peer
def test_they_are_marked_in_the_picture() -> None:
    model = th.evaluate(Y, S)["score"]
    ax = model.roc.plot(at=model.non_dominated()["threshold"])
    assert sum(line.get_gid() == "thresher-point" for line in ax.lines) == model.non_dominated().height


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6)), min_size=2, max_size=14))
def test_criteria_that_bring_sensitivity_and_specificity_together(rows) -> None:
    y, s = (np.array(column) for column in zip(*rows, strict=True))
    if not 0 < y.sum() < y.size:
        return
    model = th.evaluate(y, s)["score"]
    pairs = [(np.mean(s[y == 1] >= t), np.mean(s[y == 0] < t)) for t in [np.inf, *sorted(set(s.tolist()))]]
    assert model.choose("sensitivity=specificity").value == pytest.approx(min(abs(a - b) for a, b in pairs))
    assert model.choose("max-min").value == pytest.approx(max(min(a, b) for a, b in pairs))
    if model.auc.value > 0.5 and (best := model.choose("chi_squared")).value > 0:
        statistics = [chi_squared_test(model.at(t)).statistic for t in s]
        phi = [model.at(t).matthews_correlation for t in s]
        above = [c for c, f in zip(statistics, phi, strict=True) if f > 0]
        assert chi_squared_test(best.matrix).statistic == pytest.approx(max(above))
    assert str(Balance()) == "sensitivity = specificity"
    with pytest.raises(OptionError):
        Balance(goal="least")
