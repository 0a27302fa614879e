"""Thresholds as the shortest decimals that decide the same rows: by brute force, and in every text that names one."""

import json
import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from thresher.counts import ScoreTable
from thresher.counts.thresholds import decimal_cuts
from thresher.decisions import Costs, choose, reject_option
from thresher.report.build import build
from thresher.report.files import render
from thresher.report.request import DecisionOptions

RNG = np.random.default_rng(15)
TRUTH = RNG.integers(0, 2, 80)
SCORE = 1 / (1 + np.exp(-RNG.normal(TRUTH * 1.5, 1.0)))


def fewest(low: float, high: float) -> int:
    """Decimals of the shortest one in (low, high]."""
    return next(d for d in range(400) if float(Fraction(math.floor(Fraction(high) * 10**d), 10**d)) > low)


@given(st.lists(st.floats(-1000, 1000), min_size=1, max_size=20, unique=True), st.sampled_from(["higher", "lower"]))
@settings(max_examples=200, deadline=None)
def test_each_decides_the_same_rows_and_none_is_shorter(values: list[float], direction: Any) -> None:
    table = ScoreTable.from_scores([1] * len(values), values, direction=direction)
    away = 1 if direction == "higher" else -1
    for rank, (score, cut) in enumerate(zip(table.scores, decimal_cuts(table, table.scores), strict=True), start=1):
        assert table.rank_of(float(cut)) == rank
        below = None if rank == table.scores.size else away * float(table.scores[rank])
        if cut != score and below is not None:
            assert -Decimal(repr(float(cut))).as_tuple().exponent <= max(1, fewest(below, away * float(score)))


def test_short_thresholds_stay_and_singles_are_written_as_such() -> None:
    table = ScoreTable.from_scores([1, 0, 1], [0.868, 0.8667, 12.0])
    assert decimal_cuts(table, table.scores).tolist() == [12.0, 0.868, 0.8667]
    single = np.array([0.7, 0.6, 0.31234], dtype=np.float32)
    assert decimal_cuts(ScoreTable.from_scores([1, 0, 1], single), single).tolist() == [0.7, 0.6, 0.0]


def decided(cut: float) -> list[list[int]]:
    yes = cut <= SCORE
    return [[int((yes & (t == TRUTH)).sum()), int((~yes & (t == TRUTH)).sum())] for t in (1, 0)]


def test_texts_of_choices_decide_as_the_choices_do() -> None:
    model = th.evaluate(TRUTH, SCORE)["score"]
    for criterion in ("youden", "max f1", "max tpr s.t. fpr<=0.1", "top 20%", "closest", "max accuracy"):
        chosen = model.choose(criterion)
        for text in (repr(chosen), str(chosen), repr(choose(model.table, criterion))):
            named = re.search(r"at threshold ([\d.]+)", text)
            assert named is not None, text
            assert decided(float(named[1].rstrip("."))) == chosen.matrix.counts.tolist()
        (rule,) = re.findall(r"the score is ≥ ([\d.]+)\.", str(chosen))
        assert decided(float(rule)) == chosen.matrix.counts.tolist()


def test_a_report_names_thresholds_that_decide_its_rows() -> None:
    evaluation = th.evaluate(TRUTH, {"a": SCORE, "b": np.roll(SCORE, 3)})
    document = build(evaluation, points=True, deciding=DecisionOptions(costs=Costs(fp=1, fn=3)))
    for part in document.models:
        assert part.decisions is not None
        scores = evaluation[part.name].scores
        for chosen in part.decisions.chosen.values():
            assert scores.at(chosen.decimal).counts.tolist() == chosen.matrix.counts.tolist()
        assert [scores.rank_of(cut) for cut in part.decisions.hull_cuts] == [
            scores.rank_of(cut) for cut in part.decisions.hull.thresholds
        ]
        assert part.points is not None
        assert len(part.points.cuts) == len(part.points.table)
        assert scores.at(part.shown_threshold or 0.0).counts.tolist() == part.matrix.counts.tolist()
    page = json.loads(re.findall(r'id="data">(.*?)</script>', render(evaluation, "html"))[0])
    scores, drawn = th.evaluate(TRUTH, SCORE)["score"].scores, page["models"][0]
    ranks = [[scores.rank_of(float(cut)) for cut in drawn[name]] for name in ("cuts", "thresholds")]
    assert ranks[0] == ranks[1]


def test_reject_options_name_their_ends_so() -> None:
    found = reject_option(ScoreTable.from_scores(TRUTH, SCORE), accuracy=0.9)
    low, high = map(float, re.findall(r"([\d.]+) ≤ score < ([\d.]+)", found.zone)[0])
    wanted = found.predict(SCORE)
    assert (np.where(high <= SCORE, 1, np.where(low <= SCORE, -1, 0)) == wanted).all()
    small = th.evaluate(TRUTH, SCORE)["score"].with_reject(accuracy=0.9)
    assert f"{small.option.decimals[0]!r}" in str(small)


@pytest.mark.parametrize("shift", [1, -1])
def test_rounding_to_six_digits_would_decide_other_rows(shift: int) -> None:
    values = np.array([0.52010161, 0.52010161 + shift * 4e-9, 0.3])
    table = ScoreTable.from_scores([1, 0, 0], values)
    for rank, cut in enumerate(decimal_cuts(table, table.scores).tolist(), start=1):
        assert table.rank_of(cut) == rank
    assert any(
        table.rank_of(float(f"{score:.6g}")) != rank for rank, score in enumerate(table.scores.tolist(), start=1)
    )
