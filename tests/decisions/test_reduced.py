"""A reduced table decides as the whole one."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curve_definitions import ROWS, has_both, table_of
from shares import examples
from thresher.counts import ScoreTable, ThresholdTable
from thresher.curves import cost_curve, decision_curve
from thresher.decisions import Best, ClosestCorner, Costs, choose, objective, roc_hull
from thresher.decisions.objective import criterion_values, reduced_table, seeks_lowest
from thresher.errors import InputError
from thresher.measures import measures

MONOTONE = [entry.name for entry in measures() if entry.monotone]
CRITERIA = [*(Best(measure=name) for name in MONOTONE), ClosestCorner(), Costs(fp=1, fn=20), Costs(fp=3, fn=1)]
CUTS = np.arange(1, 100) / 100


def check(scores, prevalence=None):
    small = reduced_table(scores, CRITERIA, cuts=CUTS, prevalence=prevalence)
    whole = ThresholdTable.from_table(scores)
    whole = whole if prevalence is None else whole.with_prevalence(prevalence)
    for criterion in CRITERIA:
        try:
            b = choose(whole, criterion)
        except InputError:
            with pytest.raises(InputError, match="undefined at every threshold"):
                choose(small, criterion)
            continue
        a = choose(small, criterion)
        assert (a.value, a.thresholds.tolist()) == (b.value, b.thresholds.tolist())
        for mine, theirs in zip(a.points, b.points, strict=True):
            assert (mine.matrix, mine.valid) == (theirs.matrix, theirs.valid)
    for mine, theirs in zip(*(roc_hull(t).to_dict().values() for t in (small, whole)), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert cost_curve(small) == cost_curve(whole)
    for cut in CUTS:
        assert small.at(cut) == whole.at(cut)
    return small


@pytest.fixture
def tiny(monkeypatch):
    """Search that begins with few rows and cuts into few pieces: small tables are searched as large ones are."""
    for name, value in {"SMALL": 0, "SPREAD": 2, "PIECES": 2}.items():
        monkeypatch.setattr(objective, name, value)


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS.filter(has_both), st.sampled_from([None, "importance", "frequency"]), st.sampled_from([None, 0.1, 0.9]))
def test_small_tables(tiny, rows, kind, prevalence):  # noqa: ARG001  a fixture
    if kind == "frequency":
        rows = [(y, s, float(round(4 * w))) for y, s, w in rows]
    check(table_of([(y, s / 4 + 0.5, w) for y, s, w in rows], kind), prevalence)


@pytest.mark.parametrize(("share", "apart", "digits"), [(0.1, 2, 9), (0.4, -2, 9), (0.003, 3, 9), (0.3, 1, 4)])
def test_large_tables(share, apart, digits):
    rng = np.random.default_rng(3)
    truth = rng.random(60_000) < share
    scores = np.round(1 / (1 + np.exp(-(rng.normal(size=60_000) * 1.5 + apart * truth - 2))), digits)
    table = ScoreTable.from_scores(truth, scores)
    small = check(table)
    assert len(small) < len(table.scores) / 2
    np.testing.assert_array_equal(decision_curve(small).y, decision_curve(table).y)


@settings(max_examples=examples(200))
@given(st.lists(st.integers(0, 6), min_size=4, max_size=4), st.sampled_from(CRITERIA))
def test_criteria_never_get_worse_with_a_true_positive_more_or_a_false_positive_less(counts, criterion):
    tp, fp, p, n = counts[0], counts[1], counts[0] + counts[2] + 1, counts[1] + counts[3] + 1

    def height(tp, fp):
        table = ThresholdTable(
            thresholds=np.array([np.inf, 1.0, 0.0]), tp=np.array([0, tp, p]), fp=np.array([0, fp, n])
        )
        sign = -1 if seeks_lowest(criterion) else 1
        return sign * criterion_values(table, criterion)[1]

    here = height(tp, fp)
    for better in (height(tp + 1, fp), height(tp, fp - 1) if fp else np.nan):
        assert np.isnan(here) or np.isnan(better) or better >= here - 1e-12
