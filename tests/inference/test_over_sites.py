"""Random effects over sites: published values, the formulas written out, coverage, and what is left out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t

import thresher as th
from thresher.errors import InputError, OptionError
from thresher.inference import random_effects

# Trials of BCG vaccine: tuberculosis or none, vaccinated and not (Colditz et al. 1994).
BCG = np.array([
    (4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619), (33, 5036, 47, 5761),
    (180, 1361, 372, 1079), (8, 2537, 10, 619), (505, 87886, 499, 87892), (29, 7470, 45, 7232), (17, 1699, 65, 1600),
    (186, 50448, 141, 27197), (5, 2493, 3, 2338), (27, 16886, 29, 17825),
])  # fmt: skip


def test_published_values_of_the_vaccine_trials():
    """Log relative risks: mean −0.7141, τ² 0.3088, Q 152.23, I² 92.12 %, as meta-analyses of these trials print."""
    a, b, c, d = BCG.T.astype(float)
    y, v = np.log(a / (a + b) / (c / (c + d))), 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)
    found = random_effects(y, np.sqrt(v))
    assert found.value == pytest.approx(-0.7141, abs=5e-5)
    assert found.tau**2 == pytest.approx(0.3088, abs=5e-5)
    assert found.q == pytest.approx(152.2330, abs=5e-5)
    assert found.i2 == pytest.approx(0.9212, abs=5e-5)


@given(st.lists(st.tuples(st.floats(0.05, 0.95), st.floats(0.01, 0.2)), min_size=2, max_size=8), st.booleans())
def test_formulas_written_out(sites, is_share):
    values, errors = zip(*sites, strict=True)
    found = random_effects(values, errors, is_share=is_share, level=0.9)
    y = [np.log(p / (1 - p)) if is_share else p for p in values]
    s = [e / (p * (1 - p)) if is_share else e for p, e in sites]
    k, v = len(y), [1 / each**2 for each in s]
    fixed = sum(a * b for a, b in zip(v, y, strict=True)) / sum(v)
    q = sum(a * (b - fixed) ** 2 for a, b in zip(v, y, strict=True))
    tau2 = max(0, (q - (k - 1)) / (sum(v) - sum(a * a for a in v) / sum(v)))
    w = [1 / (each**2 + tau2) for each in s]
    mean = sum(a * b for a, b in zip(w, y, strict=True)) / sum(w)
    observed = sum(a * (b - mean) ** 2 for a, b in zip(w, y, strict=True)) / (k - 1)
    error = (observed / sum(w)) ** 0.5
    back = (lambda x: 1 / (1 + np.exp(-x))) if is_share else (lambda x: x)
    assert found.value == pytest.approx(back(mean))
    wider = t.ppf(0.95, k - 1) * (max(1, observed) / sum(w)) ** 0.5
    assert found.modified == pytest.approx((back(mean - wider), back(mean + wider)), abs=1e-9)
    if found.low is None:
        assert error < 1e-12
        return
    assert found.is_alike == (q < k - 1)
    reach = t.ppf(0.95, k - 1) * error
    assert (found.low, found.high) == pytest.approx((back(mean - reach), back(mean + reach)), abs=1e-9)
    if k > 2:
        ahead = t.ppf(0.95, k - 2) * (error**2 + tau2) ** 0.5
        assert found.prediction == pytest.approx((back(mean - ahead), back(mean + ahead)), abs=1e-9)


def test_each_site_with_its_interval_and_its_share_of_the_mean():
    found = random_effects([0.9, 0.8, 0.7], [0.05, 0.04, 0.03], names=["a", "b", "c"], level=0.9)
    assert [each.site for each in found.each] == ["a", "b", "c"]
    assert sum(each.weight * each.value for each in found.each) == pytest.approx(found.value, abs=1e-15)
    assert [1 / (s * s + found.tau**2) for s in (0.05, 0.04, 0.03)] == pytest.approx(
        [each.weight / found.each[0].weight / (0.05**2 + found.tau**2) for each in found.each]
    )
    for each, s in zip(found.each, (0.05, 0.04, 0.03), strict=True):
        assert (each.low, each.high) == pytest.approx(
            (each.value - norm.ppf(0.95) * s, each.value + norm.ppf(0.95) * s)
        )


@pytest.mark.peer
def test_frame_has_the_sites_then_their_mean_then_a_site_to_come():
    frame = random_effects([0.9, 0.8, 0.7], [0.05, 0.04, 0.03], is_share=True).to_frame("polars")
    assert frame["part"].to_list() == ["site", "site", "site", "mean", "prediction"]
    assert frame["site"].to_list() == ["1", "2", "3", None, None]
    assert frame["value"].null_count() == 1
    assert (frame["low"] < frame["high"]).all()
    assert random_effects([0.9], [0.05]).to_frame("polars")["low"].to_list()[1] is None


def test_sites_that_are_alike_by_chance_are_no_better_known_than_their_own_errors_allow():
    """Two sites of 0.86 and 0.8601, each known to ±0.06, had a mean known to ±0.0006."""
    for values in ([0.86, 0.8601], [0.86, 0.86], [0.5, 0.5, 0.5]):
        found = random_effects(values, [0.03] * len(values))
        reach = t.ppf(0.975, len(values) - 1) * 0.03 / len(values) ** 0.5
        assert found.is_alike
        assert found.modified == pytest.approx((found.value - reach, found.value + reach))
    assert not random_effects([0.1, 0.9], [0.03, 0.03]).is_alike


def test_sites_that_differ_are_not_alike_though_weights_expect_a_little_more():
    """The modified interval was wider in the tenth digit, of sites with an I² above 0."""
    found = random_effects([0.5, 0.52, 0.575], [0.02, 0.03, 0.03])
    assert found.i2 > 0
    assert found.modified[0] < found.low
    assert not found.is_alike


def test_a_share_that_is_hardly_known_has_limits():
    """On the logit scale they lay beyond what exp takes."""
    found = random_effects([0.9999, 0.5], [0.05, 0.1], is_share=True)
    assert 0 <= found.modified[0] < 0.01 < found.value < found.modified[1] <= 1
    assert 0 <= found.each[0].low < 0.01


@pytest.mark.slow
@pytest.mark.parametrize(("k", "tau", "least"), [
    (2, 0.0, 0.98), (2, 0.5, 0.98), (3, 0.0, 0.98), (3, 0.5, 0.93), (5, 0.0, 0.98), (5, 0.4, 0.93), (10, 0.2, 0.93)
])  # fmt: skip
def test_intervals_cover_at_least_as_often_as_they_say(k, tau, least):
    """Unequal sites, 2,000 rounds, ± 4 standard errors: the modified interval; that of Hartung and Knapp holds 88 %."""
    rng = np.random.default_rng(k)
    errors = np.linspace(0.1, 0.4, k)
    truth = rng.normal(0.7, tau, (2000, k)) if tau else np.full((2000, k), 0.7)
    rounds = truth + rng.normal(0.0, 1.0, (2000, k)) * errors
    found = [random_effects(y, errors) for y in rounds]
    assert np.mean([each.modified[0] <= 0.7 <= each.modified[1] for each in found]) >= least
    assert 0.88 <= np.mean([each.low <= 0.7 <= each.high for each in found]) <= 0.975


def test_sites_of_an_evaluation():
    rng = np.random.default_rng(3)
    site = np.repeat(list("abcde"), [60, 80, 100, 120, 2])
    y = (rng.random(site.size) < 0.4).astype(int)
    y[-2:] = 0
    rows = {"y": y, "s": rng.normal(y, 1.0), "site": site}
    groups = th.evaluate(rows, scores="s", label="y", by="site", threshold=0.5).groups
    found = groups.random_effects("auc")["s"]
    each = [groups[name]["s"].auc for name in "abcd"]
    assert found == random_effects(
        [e.value for e in each], [e.standard_error for e in each], measure="auc", is_share=True, omitted=1
    )
    recall = groups.random_effects("recall")["s"]
    cells = [groups[name]["s"].at(0.5).counts[0] for name in "abcd"]
    share = [c[0] / c.sum() for c in cells]
    assert recall == random_effects(
        share, [(p * (1 - p) / c.sum()) ** 0.5 for p, c in zip(share, cells, strict=True)], measure="recall",
        is_share=True, omitted=1,
    )  # fmt: skip
    assert groups.random_effects("specificity")["s"].sites == 5  # of two rows, both right or wrong, or one of each
    with pytest.raises(OptionError, match="in no group of 's'"):
        th.evaluate(rows, scores="s", label="y", by="site").groups.random_effects("accuracy")
    counts = th.count(rows, "s", label="y")
    sites = {name: th.count({k: v[site == name] for k, v in rows.items()}, "s", label="y") for name in "abcd"}
    merged = th.Counts.of_parts(sites, by="site")
    assert th.evaluate(merged).groups.random_effects("auc")["s"].value == pytest.approx(found.value, rel=1e-9)
    assert merged["s"].P == counts["s"].P
    assert found.to_dict()["sites"] == 4
    for parts in ({}, {"a": merged, "b": merged}):
        with pytest.raises(InputError):
            th.Counts.of_parts(parts, by="site")


def test_what_cannot_be_said_has_a_reason():
    assert random_effects([0.5], [0.1]).reason_code == "no-spread"
    assert random_effects([0.5, 0.5], [0.1, 0.2]).reason_code == "no-spread"
    assert "all sites have the same value" in repr(random_effects([0.5, 0.5], [0.1, 0.2]))
