"""A measure with its parameters is written in one way everywhere: estimate, compare, choose, curve, gate, matrix."""

import math

import numpy as np
import pytest

import thresher as th
from thresher import gate
from thresher.curves import measure_curve, value_at
from thresher.decisions import h_measure
from thresher.decisions.costs import Costs

RNG = np.random.default_rng(5)
Y = np.repeat([1, 0], [20, 30])
A, B = (np.clip(0.3 + 0.3 * Y + 0.3 * RNG.normal(size=50), 0.01, 0.99) for _ in range(2))
EV = th.evaluate(Y, {"a": A, "b": B})
MODEL, MATRIX = EV["a"], th.load_example("cancer")


@pytest.mark.parametrize("written", ["f_beta(beta=2)", "f_beta:beta=2", "F-beta( beta = 2 )", "f_beta(alpha=4)"])
def test_a_parameter_is_written_in_either_way(written: str) -> None:
    expected = MODEL.confusion_matrix.f_beta(beta=2)
    assert MODEL.estimate(written).value == pytest.approx(expected)
    assert MODEL.confusion_matrix.estimate(written).value == pytest.approx(expected)
    assert MODEL.choose(written).value == pytest.approx(max(MODEL.table.f_beta(beta=2)))
    curve = MODEL.curve(x="recall", y=written)
    assert curve.y == pytest.approx(MODEL.table.f_beta(beta=2), nan_ok=True)
    assert EV.compare("a", "b", measure=written).difference == pytest.approx(
        expected - EV["b"].confusion_matrix.f_beta(beta=2)
    )
    assert gate.at_least(MODEL, gate.limit(f"{written}=0.01"), level=0.95).passed


def test_words_and_costs_are_parameters() -> None:
    kappa = MATRIX.estimate("weighted_kappa:weights=linear")
    assert kappa.value == MATRIX.weighted_kappa(weights="linear") == MATRIX.estimate("kappa").value
    assert MODEL.estimate('weighted_kappa(weights="quadratic")').value == MODEL.confusion_matrix.weighted_kappa(
        weights="quadratic"
    )
    for distribution in ("hand_2009", "severity_ratio"):
        found = MODEL.estimate(f'h_measure(distribution="{distribution}")')
        assert found.value == float(h_measure(MODEL.table, distribution=distribution))
        assert found.reason is not None
    assert MODEL.estimate("expected_cost(fp=1, fn=20)").value == MODEL.confusion_matrix.average_cost(1, 20)
    assert MODEL.choose("expected_cost(fp=1, fn=20)").threshold == MODEL.choose(costs=Costs(fp=1, fn=20)).threshold


def test_parameters_by_place_and_by_other_words() -> None:
    assert MATRIX.f_beta(2) == MATRIX.f_beta(beta=2) == MATRIX.f_beta(alpha=4)
    assert MATRIX.f_beta(beta=0) == MATRIX.precision
    assert MATRIX.average_cost(1, 10) == (140 + 10 * 210) / 10_000 == MATRIX.average_cost(fp=1, fn=10)
    assert measure_curve(MODEL.table, x="threshold", y="f_beta", alpha=4).y == pytest.approx(MODEL.table.f_beta(2))


@pytest.mark.parametrize(("written", "taken"), [("top=10%", 5), ("top=0.1", 5), ("k=7", 7), ("7", 7), ("k=50", 50)])
def test_a_measure_at_a_budget_is_that_of_the_top_rows(written: str, taken: int) -> None:
    top = np.argsort(-A, kind="stable")[:taken]
    assert MODEL.estimate(f"precision@{written}").value == Y[top].mean()
    assert MODEL.estimate(f"recall@{written}").value == Y[top].sum() / 20
    assert "between cuts" not in MODEL.estimate(f"precision@{written}").reason


def test_equal_scores_at_the_edge_of_a_budget_stay_out() -> None:
    table = th.ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.1])
    assert value_at(table, "precision", at="k", value=2).value == 1.0
    assert value_at(table, "precision", at="k", value=3).value == pytest.approx(2 / 3)
    assert math.isnan(value_at(table, "precision", at="k", value=0).value)
    tied = th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.1])
    assert tied.estimate("precision@k=2").value == 1.0


def test_a_budget_is_compared_and_resampled() -> None:
    found = EV.compare("a", "b", measure="precision@k=10", bootstrap=50)
    values = [Y[np.argsort(-s, kind="stable")[:10]].mean() for s in (A, B)]
    assert found.difference == pytest.approx(values[0] - values[1])
    assert MODEL.estimate("precision@top=20%", bootstrap=50).low is not None


def test_interpolated_precision_is_the_best_at_any_higher_recall() -> None:
    curve = MODEL.interpolated_precision
    recall, precision = MODEL.pr.x, MODEL.pr.y
    for r in np.linspace(0, 1, 21):
        assert curve.at(r) == pytest.approx(precision[recall >= r].max())
