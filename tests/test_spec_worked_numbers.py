"""Worked examples of the literature, to the digits they are printed with."""

from fractions import Fraction

import numpy as np
import pytest

from thresher.counts import ConfusionMatrix, ScoreTable, ThresholdTable
from thresher.measures import find
from thresher.report.render.grid import matrix_text


def percent(value: float) -> str:
    return f"{100 * value:.2f}"


def points(table: ThresholdTable) -> list[tuple[float, float]]:
    return list(zip(table.false_positive_rate.tolist(), table.true_positive_rate.tolist(), strict=True))


def test_example_1_recognition() -> None:
    matrix = ConfusionMatrix.from_counts([[6954, 46], [412, 2588]], labels=["yes", "no"], positive="yes")
    assert [percent(matrix.one_vs_rest(label).recall) for label in ("yes", "no")] == ["99.34", "86.27"]
    assert percent(matrix.accuracy) == "95.42"
    assert matrix.column_totals.tolist() == [7366, 2634]
    shown = matrix_text(matrix).splitlines()
    assert [line.split()[-2] for line in shown[2:]] == ["99.3", "86.3", "95.4"]
    assert shown[-1].split()[1:4] == ["7,366", "2,634", "10,000"]


def test_example_2_a_rare_class() -> None:
    matrix = ConfusionMatrix.from_counts([[90, 210], [140, 9560]], labels=["yes", "no"], positive="yes")
    names = ("sensitivity", "specificity", "accuracy", "precision", "recall")
    assert [percent(getattr(matrix, name)) for name in names] == ["30.00", "98.56", "96.50", "39.13", "30.00"]


def test_example_3_rates() -> None:
    matrix = ConfusionMatrix.from_cells(tp=100, fn=5, fp=10, tn=50)
    assert (f"{matrix.tpr:.2f}", f"{matrix.fpr:.2f}") == ("0.95", "0.17")


def test_example_4_case_control() -> None:
    matrix = ConfusionMatrix.from_counts([[90, 10], [30, 70]], labels=["case", "control"], positive="case")
    assert matrix.accuracy == 0.8
    population = matrix.with_prevalence(1 / 1000)
    assert f"{population.accuracy:.4f}" == "0.7002"
    always_negative = ConfusionMatrix.from_counts([[0, 100], [0, 100]], labels=["case", "control"], positive="case")
    assert f"{always_negative.with_prevalence(1 / 1000).accuracy:.3f}" == "0.999"


FAWCETT = ScoreTable.from_scores(
    [1, 1, 0, 1, 1, 0, 0, 0, 1, 0], [0.90, 0.80, 0.70, 0.60, 0.55, 0.54, 0.53, 0.51, 0.50, 0.40]
)
FIVE = ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3])


def test_example_5_ten_scores() -> None:
    expected = [(0, 0), (0, 0.2), (0, 0.4), (0.2, 0.4), (0.2, 0.6), (0.2, 0.8), (0.4, 0.8), (0.6, 0.8), (0.8, 0.8),
                (0.8, 1), (1, 1)]  # fmt: skip
    assert points(ThresholdTable.from_table(FAWCETT)) == expected
    assert find("auc")(FAWCETT) == 0.76


def test_example_6_five_scores() -> None:
    third = float(Fraction(1, 3))
    expected = [(0, 0), (0, third), (0, 2 * third), (0.5, 2 * third), (0.5, 1), (1, 1)]
    assert points(ThresholdTable.from_table(FIVE)) == expected
    assert find("auc")(FIVE) == 5 / 6


@pytest.mark.parametrize(("table", "auc"), [(FAWCETT, 0.76), (FIVE, 5 / 6)])
def test_the_area_is_the_trapezoid_and_the_rank_sum(table: ScoreTable, auc: float) -> None:
    thresholds = ThresholdTable.from_table(table)
    assert np.trapezoid(thresholds.tpr, thresholds.fpr) == pytest.approx(auc)
    ranks = np.arange(table.scores.size, 0, -1)
    p, n = int(table.P), int(table.N)
    assert (float(ranks[table.positive == 1].sum()) - p * (p + 1) / 2) / (p * n) == pytest.approx(auc)
