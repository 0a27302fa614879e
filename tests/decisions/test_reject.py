"""Reject options against the search over all pairs of thresholds, row by row in fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import thresher as th
from curve_definitions import ROWS, at_prevalence, has_both, table_of, total
from thresher.counts import ScoreTable, ThresholdTable
from thresher.decisions import Constraint, Costs, RejectOption, reject_option
from thresher.errors import OptionError
from thresher.inference import reject_summary, rejected_cost

COSTS = st.sampled_from([(1, 1, 0, 0), (1, 20, 0, 0), (2, 3, -1, 0), (1, 4, 0, -0.5)])


def pairs(rows):
    """(upper, lower) of every two cuts, and TP, FP, FN, TN, deferred of each."""
    cuts = [math.inf, *sorted({s for _, s, _ in rows}, reverse=True)]
    for i, upper in enumerate(cuts):
        for lower in cuts[i:]:
            cells = dict.fromkeys(("tp", "fp", "fn", "tn", "deferred"), Fraction(0))
            for y, s, w in rows:
                name = ("tp" if y else "fp") if s >= upper else ("fn" if y else "tn") if s < lower else "deferred"
                cells[name] += Fraction(w)
            yield upper, lower, cells


def decided(c):
    return c["tp"] + c["fp"] + c["fn"] + c["tn"]


def cells_of(found):
    (tp, fn), (fp, tn) = found.matrix.counts.tolist()
    return {"tp": tp, "fp": fp, "fn": fn, "tn": tn}


@given(ROWS, st.integers(0, 6), st.integers(0, 6))
def test_counts_of_two_thresholds(rows, i, j):
    table = ThresholdTable.from_table(table_of(rows, "importance"))
    cuts = table.thresholds.tolist()
    upper, lower = cuts[min(i, j) % len(cuts)], cuts[-1 - max(i, j) % len(cuts)]
    assume(upper >= lower)
    found = reject_option(table, lower=lower, upper=upper)
    expected = next(c for u, low, c in pairs(rows) if (u, low) == (upper, lower))
    assert (found.upper, found.lower) == (upper, lower)
    assert cells_of(found) == pytest.approx({k: float(v) for k, v in expected.items() if k != "deferred"}, abs=1e-9)
    assert found.deferral_rate == pytest.approx(float(expected["deferred"] / (total(rows, 0) + total(rows, 1))))
    assert found.reportable_rate + found.deferral_rate == pytest.approx(1)
    codes = found.predict([s for _, s, _ in rows])
    wanted = [1 if s >= upper else 0 if s < lower else -1 for _, s, _ in rows]
    assert codes.tolist() == wanted


@pytest.mark.parametrize("prior", [None, 0.25])
@given(ROWS.filter(has_both), COSTS, st.sampled_from([-0.3, 0, 0.1, 0.25, 0.5, 2]))
def test_least_cost_over_all_pairs(prior, rows, costs, deferral):
    table = table_of(rows, "importance")
    read = rows if prior is None else at_prevalence(rows, prior)
    n = total(read, 0) + total(read, 1)
    value = Costs(fp=costs[0], fn=costs[1], tp=costs[2], tn=costs[3], fixed=0.5)
    names = ("fp", "fn", "tp", "tn")

    def cost(c):
        known = sum(Fraction(x) * c[k] for x, k in zip(costs, names, strict=True))
        return float((known + Fraction(deferral) * c["deferred"]) / n) + 0.5

    every = [(cost(c), c["deferred"]) for _, _, c in pairs(read)]
    found = reject_option(table, costs=value, deferral=deferral, prevalence=prior)
    assert found.expected_cost(value, deferral=deferral) == pytest.approx(min(every)[0], abs=1e-9)
    fewest = min(float(d) for c, d in every if c <= min(every)[0] + 1e-9)
    assert found.deferral_rate * float(n) == pytest.approx(fewest, abs=1e-6)


@given(ROWS.filter(has_both), COSTS)
def test_gains_are_negative_costs(rows, costs):
    fp, fn, tp, tn = costs
    table = table_of(rows)
    found = reject_option(table, costs=Costs(fp=fp, fn=fn, tp=tp, tn=tn), deferral=0.2)
    gains = Costs(fp=-fp, fn=-fn, tp=-tp, tn=-tn, benefit=True)
    same = reject_option(table, costs=gains, deferral=0.2)
    assert (found.upper_row, found.lower_row) == (same.upper_row, same.lower_row)
    assert same.expected_cost(gains, deferral=0.2) == pytest.approx(
        found.expected_cost(Costs(fp=fp, fn=fn, tp=tp, tn=tn), deferral=0.2)
    )


@pytest.mark.parametrize("prior", [None, 0.25])
@given(ROWS.filter(has_both), st.sampled_from([0.2, 0.5, 0.6, 0.75, 0.9, 1.0]))
def test_most_rows_at_an_accuracy(prior, rows, accuracy):
    read = rows if prior is None else at_prevalence(rows, prior)
    wrong = [(decided(c), c["fp"] + c["fn"]) for _, _, c in pairs(read)]
    kept = [float(n) for n, e in wrong if n and float(e) <= (1 - accuracy) * float(n) + 1e-9]
    table = table_of(rows, "importance")
    if not kept:
        with pytest.raises(OptionError, match="accuracy"):
            reject_option(table, accuracy=accuracy, prevalence=prior)
        return
    found = reject_option(table, accuracy=accuracy, prevalence=prior)
    n = float(total(read, 0) + total(read, 1))
    assert found.reportable_rate * n == pytest.approx(max(kept), abs=1e-6)
    assert found.matrix.accuracy >= accuracy - 1e-9


def most_decided(rows, keeps, **bounds):
    """Bounds decide the most rows of all pairs of thresholds that keep them, or are refused where none decides any."""
    most = max(decided(c) for _, _, c in pairs(rows) if keeps(c))
    table = table_of(rows, "importance")
    if not most:
        with pytest.raises(OptionError, match="no row can be decided"):
            reject_option(table, **bounds)
    else:
        found = reject_option(table, **bounds)
        assert found.reportable_rate * float(total(rows, 0) + total(rows, 1)) == pytest.approx(float(most), abs=1e-6)


@given(ROWS.filter(has_both), st.sampled_from([0.5, 0.75, 1.0]), st.sampled_from([0.5, 0.75, 1.0]))
def test_most_rows_with_a_precision_and_a_negative_predictive_value(rows, precision, npv):
    def keeps(c):
        right = c["tp"] >= Fraction(precision) * (c["tp"] + c["fp"])
        return right and c["tn"] >= Fraction(npv) * (c["tn"] + c["fn"])

    most_decided(rows, keeps, upper=f"precision>={precision}", lower=f"npv>={npv}")


@given(ROWS.filter(has_both), st.sampled_from([0.5, 0.9, 1.0]), st.sampled_from([0.0, 0.1, 0.4]))
def test_two_cut_offs_of_sensitivity_and_specificity(rows, tpr, fpr):
    """Two-graph ROC: the lower cut-off misses at most 1 − tpr of the positives, the upper one alarms at most fpr."""
    p, n = total(rows, 1), total(rows, 0)

    def keeps(c):
        return float(p - c["fn"]) >= tpr * float(p) - 1e-12 and float(c["fp"]) <= fpr * float(n) + 1e-12

    most_decided(rows, keeps, lower=f"tpr>={tpr}", upper=Constraint(measure="fpr", comparison="<=", bound=fpr))


def test_chows_rule_on_probabilities_that_are_right():
    """With calibrated scores the zone is d/c_FN ≤ p < 1 − d/c_FP."""
    rng = np.random.default_rng(0)
    p = np.round(rng.random(400_000), 2)
    table = ScoreTable.from_scores(rng.random(p.size) < p, p)
    found = reject_option(table, costs=Costs(fp=1, fn=2), deferral=0.2)
    assert found.lower == pytest.approx(0.1, abs=0.02)
    assert found.upper == pytest.approx(0.8, abs=0.02)


def test_low_scores_positive():
    high = ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    low = ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [-6, -5, -4, -3, -2, -1], direction="lower")
    a, b = (reject_option(t, accuracy=1.0) for t in (high, low))
    assert (b.upper, b.lower) == (-a.upper, -a.lower)
    assert b.predict([-6, -4, -1]).tolist() == a.predict([6, 4, 1]).tolist() == [1, -1, 0]
    assert (a.zone, b.zone) == ("defers 3 ≤ score < 5", "defers -5 < score ≤ -3")
    given = reject_option(low, lower=-3, upper=-5)
    assert given.matrix.counts.tolist() == a.matrix.counts.tolist()
    assert reject_option(low, lower=-4, upper=-4).zone == "defers none"


def test_summary_has_intervals_and_says_what_it_takes_for_granted():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 500)
    table = ScoreTable.from_scores(truth, rng.normal(size=500) + 2 * truth, weights=np.full(500, 2.0))
    chosen = reject_summary(reject_option(table, accuracy=0.95), level=0.9)
    share = chosen.option.reportable_rate
    assert chosen.reportable_rate.value == pytest.approx(share)
    assert chosen.reportable_rate.low < share < chosen.reportable_rate.high
    assert chosen.measures["accuracy"].value >= 0.95
    assert chosen.measures["accuracy"].level == 0.9
    assert chosen.notes[0].code == "chosen-on-same-rows"
    for fixed in ({"lower": 0, "upper": 1}, {"lower": 0}, {"upper": 1}):
        assert reject_summary(reject_option(table, **fixed)).notes == ()
    for bounds in ({"lower": "npv>=0.5", "upper": 1}, {"lower": 0, "upper": "precision>=0.5"}):
        assert reject_summary(reject_option(table, **bounds)).notes[0].code == "chosen-on-same-rows"
    assert chosen.to_dict()["reportable_rate"]["value"] == pytest.approx(share)


@pytest.mark.parametrize("prior", [None, 0.25])
@given(ROWS.filter(has_both), COSTS, st.sampled_from([0, 0.1, 0.5]), st.integers(0, 6), st.integers(0, 6))
def test_cost_with_deferral_is_the_mean_over_rows(prior, rows, four, deferral, i, j):
    table = ThresholdTable.from_table(table_of(rows, "importance"))
    table = table if prior is None else table.with_prevalence(prior)
    cuts = table.thresholds.tolist()
    upper, lower = cuts[min(i, j) % len(cuts)], cuts[-1 - max(i, j) % len(cuts)]
    assume(upper >= lower)
    costs = Costs(**dict(zip(("fp", "fn", "tp", "tn"), four, strict=True)), fixed=0.5)
    found = rejected_cost(reject_option(table, lower=lower, upper=upper), costs, deferral=deferral)
    each = [
        (y, w, deferral + 0.5 if lower <= s < upper else 0.5 + getattr(costs, ("f" if y != (s >= upper) else "t") +
         ("p" if s >= upper else "n")))
        for y, s, w in rows
    ]  # fmt: skip
    mean = {k: sum(float(w) * c for y, w, c in each if y == k) / float(total(rows, k)) for k in (0, 1)}
    share = float(total(rows, 1) / (total(rows, 0) + total(rows, 1))) if prior is None else prior
    value = share * mean[1] + (1 - share) * mean[0]
    assert found.value == pytest.approx(value, abs=1e-9)
    if found.standard_error is not None:
        sizes = [float(total(rows, k)) for k in (0, 1)]
        whole = sum(float(w) ** 2 * (c - value) ** 2 for _, w, c in each) / sum(sizes) ** 2
        apart = sum(
            ((1 - share, share)[y] * float(w) * (c - mean[y]) / sizes[y]) ** 2 for y, w, c in each
        )  # fmt: skip
        assert found.standard_error**2 == pytest.approx(whole if prior is None else apart, rel=1e-6, abs=1e-15)
        assert found.low <= found.value <= found.high


def test_summary_tells_the_cost_beside_that_of_one_threshold():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    model = th.evaluate(truth, 1 / (1 + np.exp(-rng.normal(size=300) - truth)))["score"]
    costs = Costs(fp=1, fn=5)
    found = model.with_reject("deferral=0.2", costs=costs)
    assert found.option.criterion == model.with_reject(costs=costs, deferral=0.2).option.criterion
    assert found.expected_cost.value == pytest.approx(found.option.expected_cost(costs, deferral=0.2))
    assert found.undeferred_cost == pytest.approx(model.choose(costs=costs).value)
    assert found.expected_cost.value <= found.undeferred_cost
    assert found.matrix.labels == (1, 0)
    assert found.model == "score"
    assert model.with_reject(accuracy=0.8).expected_cost is None


@pytest.mark.parametrize(("truth", "reason"), [([1, 1, 1], "rows of both classes"), ([], "there are no rows")])
def test_cost_without_a_class_at_a_prevalence_is_undefined(truth, reason):
    table = ThresholdTable.from_scores(truth, [0.9, 0.5, 0.1][: len(truth)])
    option = RejectOption(table=table.with_prevalence(0.2), upper_row=0, lower_row=0)
    found = rejected_cost(option, Costs(fp=1, fn=1), deferral=0.3)
    assert math.isnan(found.value)
    assert reason in found.reason
    assert found.low is None


def test_what_the_rule_says_is_not_given_beside_it():
    model = th.evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.6, 0.4, 0.3, 0.1])["score"]
    assert model.with_reject("accuracy=0.9", prevalence=0.5).option.table.prior == 0.5
