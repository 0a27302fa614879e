"""P values at the floor of their replicates: "at most" in every view, the number in JSON."""

import math

import numpy as np
import pytest
from scipy.stats import norm

import thresher as th
from thresher.cli.compare import _written
from thresher.inference.comparing.compare import adjusted
from thresher.inference.comparing.comparison import Comparison
from thresher.inference.comparing.permutation import permutation_test, permutation_test_unpaired
from thresher.inference.comparing.resampling import venkatraman_test, venkatraman_test_unpaired
from thresher.inference.differences.difference import normal_difference
from thresher.report.render.html.markup import tag, unbroken
from thresher.report.render.latex import comparisons_latex
from thresher.report.render.results import compared_form
from thresher.report.sections.comparisons import p_cell
from thresher.results import TestResult

Y = np.repeat([1, 0], 100)
NOISE = np.random.default_rng(1).normal(size=(3, 200))
GOOD, BAD = Y * 4 + NOISE[0], NOISE[1]


@pytest.mark.parametrize("found", [
    permutation_test(Y, GOOD, BAD, n=99), permutation_test_unpaired(Y, GOOD, Y, BAD, n=99),
    permutation_test(Y, GOOD, BAD, n=99, alternative="greater"), venkatraman_test(Y, GOOD, BAD, n=99),
    venkatraman_test_unpaired(Y, GOOD, Y, BAD, n=99),
])  # fmt: skip
def test_results(found: TestResult) -> None:
    assert found.p_value == found.p_floor == 0.01
    assert ", p ≤ 0.01" in repr(found)
    assert found.to_dict()["p_value"] == found.to_dict()["p_floor"] == 0.01


def test_above_the_floor() -> None:
    same = permutation_test(Y, BAD, NOISE[2], n=99)
    assert same.p_floor == 0.01 < same.p_value
    assert ", p = " in repr(same)
    analytic = normal_difference(0.3, 0.01, method="DeLong").test()
    assert (analytic.p_floor, "p_floor" in analytic.to_dict()) == (None, False)


def test_compared() -> None:
    pair = th.evaluate(Y, {"a": GOOD, "b": BAD})
    twice = pair.compare("a", "b", bootstrap=th.Bootstrap(n=99), margin=0.05)
    assert twice.p_value == twice.p_floor == 0.02
    assert "p ≤ 0.02, paired" in str(twice)
    assert "p ≤ 0.02, paired" in repr(twice)
    assert str(twice).endswith("a is not worse than b by 0.05 or more (p ≤ 0.01).")
    once = pair.compare("a", "b", bootstrap=th.Bootstrap(n=99), margin=0.05, alternative="greater")
    assert "p ≤ 0.01, one-sided" in str(once)
    assert str(once).endswith("a is not worse than b by 0.05 or more (p ≤ 0.01).")
    assert "(p ≤ 0.0005," in str(pair.compare("a", "b", test="venkatraman")).replace("ROC", "")
    assert "p_floor" not in pair.compare("a", "b").to_dict()


def test_adjusted() -> None:
    """An adjusted p value that a floor decides is one, even of a comparison whose own is none."""
    facts = {"measure": "auc", "title": "ROC AUC", "models": ("a", "b"), "values": (0.7, 0.5), "difference": 0.2,
             "low": None, "high": None, "level": 0.95, "method": "permutation"}  # fmt: skip
    family = [Comparison(p_value=p, p_floor=0.01, **facts) for p in (0.01, 0.012, 0.5)]
    found = adjusted(family)
    assert [round(each.adjusted_p_value or math.nan, 6) for each in found] == [0.03, 0.03, 0.5]
    assert [each.adjusted_p_floor is not None for each in found] == [True, True, False]
    assert "adjusted p ≤ 0.03" in str(found)
    assert "p ≤ 0.01, ≤ 0.03 after Holm" in repr(found[0])
    assert "p = 0.012, ≤ 0.03 after Holm" in repr(found[1])
    frame = found.to_dict()["comparisons"][0]
    assert (frame["p_value"], frame["p_floor"], frame["adjusted_p_floor"]) == (0.01, 0.01, frame["adjusted_p_value"])


def test_views() -> None:
    found = th.evaluate(Y, {"a": GOOD, "b": BAD}).compare("a", "b", bootstrap=th.Bootstrap(n=99))
    assert r"$\leq$ 0.02" in comparisons_latex(found)
    assert p_cell(found) == "≤ 0.02"
    assert "≤ 0.02" in compared_form([found], "text", 100)
    assert "| ≤ 0.02 |" in compared_form([found], "markdown")
    assert ",0.02," in _written([found], "csv", None)
    assert '"p_value": 0.02' in _written([found], "json", None)
    assert unbroken(tag("p", "x, p ≤ 0.01")).split(" ") == ["<p>x,", "p\xa0≤\xa00.01</p>"]


def test_inverted_limits_have_a_floor_at_eight_standard_deviations() -> None:
    """Of combined intervals: there the p value is an upper limit in text and in JSON; before, a number."""
    truth = np.repeat([1, 0], 1500)
    good, bad = (truth * by + np.random.default_rng(2).normal(size=3000) for by in (5, 0.1))
    pair = th.evaluate(truth, {"a": good, "b": bad}, threshold=0.05)
    for measure in ("f1", "average_precision", "mcc", "ks", "kappa", "precision"):
        found = pair.compare("a", "b", measure=measure, margin=0.01)
        assert found.to_dict()["p_floor"] == found.p_value == pytest.approx(2 * norm.sf(8), rel=1e-12, abs=0)
        assert ", p ≤ 1.3e-15, " in repr(found)
        assert "p < 0.0001" in str(found)
        assert pair.compare("a", "b", measure=measure, alternative="less").p_floor is None
    near = th.evaluate(truth, {"a": good, "b": good + bad * 9}, threshold=0.05).compare("a", "b", measure="f1")
    assert (near.p_floor is None) == (near.p_value > 1.3e-15)
