"""Power and sample sizes against R's pROC on data that ships, and against simulation-free identities."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, norm

from golden_values import load
from thresher.inference import delong_test
from thresher.inference.power import (
    auc_power,
    auc_sample_size,
    binormal_variance,
    paired_auc_power,
    placement_variance,
    rate_sample_size,
)
from thresher.inference.proportions.intervals import wilson_interval

GOLDEN = load("breast_cancer")["results"]
MODELS = ("logistic_regression", "random_forest", "naive_bayes")


@pytest.mark.parametrize("model", MODELS)
def test_power_roc_test_of_proc(model: str) -> None:
    value = GOLDEN[f"proc/{model}/power"]["value"]
    plan = auc_power(auc=value["auc"], positives=value["ncases"], negatives=value["ncontrols"])
    assert plan.power == pytest.approx(value["power"], abs=1e-12)
    cases = GOLDEN[f"proc/{model}/cases_for_power_0.9"]["value"]
    plan = auc_sample_size(value["auc"], power=0.9, ratio=2)
    assert (plan.positives, plan.negatives) == pytest.approx((cases["ncases"], cases["ncontrols"]), rel=1e-12)


@pytest.mark.parametrize("alternative", ["two-sided", "one-sided"])
@pytest.mark.parametrize("auc", [0.55, 0.7, 0.75])
def test_each_quantity_is_found_again(auc: float, alternative: str) -> None:
    options = {"ratio": 3.0, "alternative": alternative}
    full = auc_power(auc=auc, positives=40, alpha=0.03, **options)
    assert auc_power(auc=auc, alpha=0.03, power=full.power, **options).positives == pytest.approx(40, rel=1e-9)
    assert auc_power(auc=auc, positives=40, alpha=None, power=full.power, **options).alpha == pytest.approx(0.03)
    if full.power > 0.1:
        assert auc_power(positives=40, alpha=0.03, power=full.power, **options).auc == pytest.approx(auc, rel=1e-9)
    assert full.negatives == 120


def test_an_area_below_a_half_is_as_far_from_it() -> None:
    assert auc_power(auc=0.3, power=0.8).positives == pytest.approx(auc_power(auc=0.7, power=0.8).positives)
    assert auc_power(auc=0.7, power=0.8, ratio=1).rows == auc_power(auc=0.7, power=0.8).rows


def test_the_published_variance_at_a_half() -> None:
    """V(½) = 0.0099·8·(1 + 1/r) ≈ (1 + 1/r)/12, that of the Mann–Whitney statistic."""
    for ratio in (0.5, 1.0, 4.0):
        assert binormal_variance(0.5, ratio) == pytest.approx(0.0792 * (1 + 1 / ratio))
        assert binormal_variance(0.5, ratio) == pytest.approx((1 + 1 / ratio) / 12, rel=0.06)


def test_two_areas_in_either_order() -> None:
    one = paired_auc_power(0.85, 0.8, correlation=0.4, positives=60, negatives=90)
    two = paired_auc_power(0.8, 0.85, correlation=0.4, positives=60, negatives=90)
    assert one.power == two.power
    found = paired_auc_power(0.8, 0.85, correlation=0.4, ratio=1.5, power=one.power)
    assert (found.positives, found.negatives) == pytest.approx((60, 90), rel=1e-9)
    assert paired_auc_power(
        0.8, 0.85, correlation=0.4, positives=60, negatives=90, alpha=None, power=one.power
    ).alpha == pytest.approx(0.05)
    more = paired_auc_power(0.8, 0.85, correlation=0.8, positives=60, negatives=90)
    assert more.power > one.power


def test_a_pair_takes_the_variances_of_a_pilot() -> None:
    """The power is then that of a normal difference with the variance var₁ + var₂ − 2·cov of DeLong's test."""
    var1, var2, cov, positives = 0.00147, 0.00267, 0.0007, 41
    rho = cov / math.sqrt(var1 * var2)
    plan = paired_auc_power(
        0.82, 0.73, correlation=rho, unit_variances=(var1 * positives, var2 * positives), positives=41, negatives=72
    )
    z = 0.09 / math.sqrt(var1 + var2 - 2 * cov)
    assert plan.power == pytest.approx(0.5 * math.erfc(-(z - 1.959963984540054) / math.sqrt(2)), rel=1e-9)


@pytest.mark.parametrize("auc", [0.5, 0.7, 0.95, 0.995])
def test_the_variance_of_placements_is_that_of_normal_scores(auc: float) -> None:
    shift = math.sqrt(2) * norm.ppf(auc)
    mean, square = (quad(lambda x, k=k: norm.cdf(x) ** k * norm.pdf(x - shift), -12, 16)[0] for k in (1, 2))
    assert mean == pytest.approx(auc)
    assert placement_variance(auc) == pytest.approx(square - mean**2, abs=1e-8)


def rejected(areas: tuple[float, float], correlation: float, rows: int, samples: int) -> float:
    """Share of samples in which DeLong's test tells two models with so many rows of each class apart."""
    rng, y, count = np.random.default_rng(7), np.repeat([1, 0], rows), 0
    shifts = [math.sqrt(2) * norm.ppf(area) for area in areas]
    for _ in range(samples):
        shared = math.sqrt(correlation) * rng.normal(size=2 * rows)
        noise = (shared + math.sqrt(1 - correlation) * rng.normal(size=2 * rows) for _ in shifts)
        a, b = (scores + shift * y for scores, shift in zip(noise, shifts, strict=True))
        count += delong_test(y, a, b).p_value < 0.05
    return count / samples


@pytest.mark.parametrize("samples", [200, pytest.param(4000, marks=pytest.mark.long)])
def test_two_areas_near_1_have_the_power_that_was_planned(samples: int) -> None:
    """0.98 with the 256 rows that the published approximation asked for; 0.85 with these. Latent correlation 0.5."""
    plan = paired_auc_power(0.95, 0.98, correlation=0.353, power=0.8)
    assert 0.77 <= rejected((0.95, 0.98), 0.5, plan.rows[0], samples) <= 0.92


@pytest.mark.parametrize(("rate", "width"), [(0.9, 0.1), (0.2, 0.15), (0.5, 0.2), (0.02, 0.05), (0.0, 0.1), (1.0, 0.3)])
def test_an_assured_width_is_exceeded_rarely(rate: float, width: float) -> None:
    def assured(n: int) -> float:
        each = np.arange(n + 1)
        found = wilson_interval(each, n)
        return float(binom.pmf(each, n, rate)[found.high - found.low <= width + 1e-12].sum())

    plan = rate_sample_size(rate, width=width, assurance=0.9)
    assert min(assured(n) for n in range(plan.rows, plan.rows + 40)) >= 0.9
    assert assured(plan.rows - 1) < 0.9 or plan.rows == rate_sample_size(rate, width=width).rows
    assert plan.assurance == 0.9


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("rate", [0.0, 0.02, 0.3, 0.5])
@pytest.mark.parametrize("width", [0.02, 0.1, 0.3])
def test_a_rate_s_rows_give_the_width(rate: float, width: float, level: float) -> None:
    plan = rate_sample_size(rate, width=width, level=level)
    interval = wilson_interval(rate * plan.trials, plan.trials, level=level)
    assert interval.high - interval.low == pytest.approx(width, rel=1e-9)
    assert rate_sample_size(rate, trials=plan.trials, level=level).width == pytest.approx(width, rel=1e-9)
    assert rate_sample_size(rate, width=width, trials=plan.trials, level=None).level == pytest.approx(level, abs=1e-8)
    back = rate_sample_size(None, width=width, trials=plan.trials, level=level).rate
    assert back == pytest.approx(rate, abs=1e-6)
    assert rate_sample_size(1 - rate, width=width, level=level).trials == pytest.approx(plan.trials)
    assert plan.rows >= plan.trials
