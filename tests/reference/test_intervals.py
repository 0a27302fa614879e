"""Intervals and power against epiR, pROC and base R."""

import math

import pytest

from reference_values import MODELS, results, scores, truth, value
from thresher.counts import ScoreTable
from thresher.inference.auc.delong import delong_variance, hanley_mcneil_interval, hanley_mcneil_variance
from thresher.inference.power import auc_power, paired_auc_power
from thresher.inference.proportions.differences import diagnostic_odds_ratio_interval, likelihood_ratio_interval
from thresher.inference.proportions.intervals import clopper_pearson_interval

pytestmark = pytest.mark.reference

EPIR = [("p_glm", 0.5), ("p_loo", 0.5), ("p_loo", 0.2), ("p_glm2", 0.5)]
PAIRS = [(a, b) for a in ("wfns", "s100b", "ndka") for b in ("wfns", "s100b", "ndka") if a != b]


def table(name, score):
    return ScoreTable.from_scores(truth(name), scores(name, score))


@pytest.mark.parametrize(("score", "cut"), EPIR)
def test_epi_tests(score, cut):
    found = value("asah", f"epir/{score}/threshold_{cut:g}")
    c = table("asah", score).at(cut).cells
    cells = {name: float(getattr(c, name)) for name in ("tp", "fp", "fn", "tn")}
    for key, interval in (
        ("lr.pos", likelihood_ratio_interval(**cells)), ("lr.neg", likelihood_ratio_interval(**cells, negative=True)),
        ("diag.or", diagnostic_odds_ratio_interval(**cells)), ("se", clopper_pearson_interval(c.tp, c.pos)),
        ("sp", clopper_pearson_interval(c.tn, c.neg)), ("pv.pos", clopper_pearson_interval(c.tp, c.pred_pos)),
        ("pv.neg", clopper_pearson_interval(c.tn, c.pred_neg)),
        ("diag.ac", clopper_pearson_interval(c.tp + c.tn, c.n)),
    ):  # fmt: skip
        assert (interval.low, interval.high) == pytest.approx((found[key]["lower"], found[key]["upper"]), rel=1e-9), key


@pytest.mark.parametrize(("name", "score"), MODELS)
def test_hanley_mcneil(name, score):
    found = value(name, f"base/{score}/hanley_mcneil")
    t = table(name, score)
    area = delong_variance(t).auc
    estimate = hanley_mcneil_interval(area, float(t.P), float(t.N))
    got = (estimate.standard_error, estimate.low, estimate.high)
    assert got == pytest.approx((found["se"], found["lower"], found["upper"]), rel=1e-12)
    assert hanley_mcneil_variance(area, float(t.P), float(t.N)) == pytest.approx(found["se"] ** 2)


def test_power_of_one_area():
    compared = 0
    for key, found in results("asah").items():
        if not key.startswith(("proc/power/", "proc/power_roc")):
            continue
        ours = {"auc": "auc", "positives": "ncases", "alpha": "sig.level", "power": "power"}
        full = {name: found[theirs] for name, theirs in ours.items()}
        if not all(isinstance(x, float | int) and math.isfinite(x) for x in full.values()):
            continue
        alternative = "one-sided" if key == "proc/power/3" else "two-sided"
        ratio = found["ncontrols"] / found["ncases"]
        for name, expected in full.items():
            # Near a power of 1 only the power itself is known to any digits.
            if name != "power" and found["power"] > 0.9999:
                continue
            plan = auc_power(**(full | {name: None}), ratio=ratio, alternative=alternative)
            # pROC searches for alpha and the area with R's uniroot, which stops at 1e-4.
            searched = key in ("proc/power/7", "proc/power/8")
            assert getattr(plan, name) == pytest.approx(expected, rel=1e-3 if searched else 1e-8), (key, name)
            compared += 1
    assert compared >= 30


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_power_of_two_areas_lies_between_the_two_orders_of_proc(a, b):
    """pROC takes the null variance from the first curve; the two answers are the two ends."""
    one, two = (value("asah", f"proc/power_two/delong/{x}_vs_{y}") for x, y in ((a, b), (b, a)))
    areas, variances, positives = {}, {}, 41
    for score in (a, b):
        found = delong_variance(table("asah", score))
        areas[score], variances[score] = found.auc, found.variance
    key = f"proc/cov_delong/{a}_vs_{b}"
    cov = value("asah", key if key in results("asah") else f"proc/cov_delong/{b}_vs_{a}")
    rho = cov / math.sqrt(variances[a] * variances[b])
    units = (variances[a] * positives, variances[b] * positives)
    plan = paired_auc_power(areas[a], areas[b], correlation=rho, unit_variances=units, positives=41, negatives=72)
    assert min(one["power"], two["power"]) < plan.power < max(one["power"], two["power"])
