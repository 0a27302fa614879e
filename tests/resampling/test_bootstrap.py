"""The bootstrap estimates: by hand, by their definitions, and on pure noise."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import thresher as th
from resampling_definitions import Always, NearestMean, NearestNeighbour, fitted_on, scored, three_classes, two_classes
from shares import examples
from thresher.measures.measure_text import parse_measure
from thresher.resampling.sampled import left_out_error, no_information, overfitting_rate, plus, row_losses
from thresher.resampling.splits import Split, SplitRows, all_rows
from thresher.resampling.values import JudgedRows

numbers = st.floats(0, 1).map(lambda x: round(x, 4))


def samples(method, y, rng=0):
    codes = np.unique(y, return_inverse=True)[1]
    return [s for s in method.splits(SplitRows(truth=codes), rng) if s.repeat >= 0]


def left_out_by_row(model, X, y, method):
    """Mean over rows of the mean error of the models that had not learned from the row."""
    wrong, often = np.zeros(len(y)), np.zeros(len(y))
    for s in samples(method, y):
        out = np.setdiff1d(np.arange(len(y)), s.train)
        wrong[out] += fitted_on(model, X, y, s.train, out) != y[out]
        often[out] += 1
    return float((wrong[often > 0] / often[often > 0]).mean())


@settings(max_examples=examples(15))
@given(st.integers(0, 1000))
def test_leave_one_out_bootstrap_averages_each_row_first(seed):
    X, y = two_classes(24, seed=seed)
    method = th.BootstrapOOB(8)
    a = th.assess(NearestNeighbour(), X, y, method=method, progress=False)
    assert a["error_rate"].value == pytest.approx(left_out_by_row(NearestNeighbour(), X, y, method))
    assert a["accuracy"].value == pytest.approx(1 - a["error_rate"].value)


def test_or_averages_the_samples_when_asked():
    X, y = two_classes(24)
    method = th.BootstrapOOB(8, average="sample")
    each = []
    for s in samples(method, y):
        each.append((fitted_on(NearestNeighbour(), X, y, s.train, s.test) == y[s.test]).mean())
    a = th.assess(NearestNeighbour(), X, y, method=method, progress=False)
    assert a["accuracy"].value == pytest.approx(np.mean(each))
    assert (
        a["accuracy"].value
        != th.assess(NearestNeighbour(), X, y, method=th.BootstrapOOB(8), progress=False)["accuracy"].value
    )
    assert "mean over samples" in a["accuracy"].method


def test_losses_of_probabilities_are_averaged_by_row_too_and_areas_by_sample():
    X, y = two_classes(24)
    total, often, areas = np.zeros(24), np.zeros(24), []
    for s in samples(th.BootstrapOOB(8), y):
        model = NearestMean().fit(X[s.train], y[s.train])
        p = model.predict_proba(X[s.test])[:, 1]
        total[s.test] += (p - y[s.test]) ** 2
        often[s.test] += 1
        areas.append(th.evaluate(y[s.test], p).auc.value)
    a = th.assess(NearestMean(), X, y, method=th.BootstrapOOB(8), progress=False)
    assert a["brier_score"].value == pytest.approx((total[often > 0] / often[often > 0]).mean())
    assert a["auc"].value == pytest.approx(np.mean(areas))
    assert "mean over samples" in a["auc"].method


@settings(max_examples=examples(15))
@given(st.integers(0, 1000))
def test_632_weighs_the_left_out_rows_and_the_model_of_all_rows(seed):
    X, y = two_classes(24, seed=seed)
    method = th.Bootstrap632(8)
    a = th.assess(NearestMean(), X, y, method=method, progress=False)
    err1 = left_out_by_row(NearestMean(), X, y, method)
    apparent = (fitted_on(NearestMean(), X, y, np.arange(24), np.arange(24)) != y).mean()
    assert a["error_rate"].value == pytest.approx(0.632 * err1 + 0.368 * apparent)


@settings(max_examples=examples(15))
@given(st.integers(0, 1000))
def test_the_textbook_632_is_the_mean_over_samples_of_both_parts(seed):
    X, y = two_classes(24, seed=seed)
    method = th.Bootstrap632(8, average="sample", apparent="per_sample")
    a = th.assess(NearestMean(), X, y, method=method, progress=False)
    values, apart = [], []
    for s in samples(method, y):
        said = fitted_on(NearestMean(), X, y, s.train, np.arange(24))
        out = np.setdiff1d(np.arange(24), s.train)
        values.append(0.632 * (said[out] == y[out]).mean() + 0.368 * (said == y).mean())
        apart.append(((said[out] == y[out]).mean(), (said == y).mean()))
    assert a["accuracy"].value == pytest.approx(np.mean(values))
    left_out, apparent = np.mean(apart, axis=0)
    assert a["NearestMean"].parts("accuracy") == pytest.approx(
        {"left_out": left_out, "apparent": apparent, "weight": 0.632}
    )
    assert "averaged over samples" in method.summary


def test_632_plus_by_its_equations():
    X, y = two_classes(30, shift=0.6)
    method = th.Bootstrap632Plus(12)
    a = th.assess(NearestMean(), X, y, method=method, progress=False)
    err1 = left_out_by_row(NearestMean(), X, y, method)
    said = fitted_on(NearestMean(), X, y, np.arange(30), np.arange(30))
    err = (said != y).mean()
    # No-information rate: every prediction with every truth (quadratic, so here only).
    gamma = (said[:, None] != y[None, :]).mean()
    assert gamma == pytest.approx(y.mean() * (1 - said.mean()) + (1 - y.mean()) * said.mean())
    rate = (min(err1, gamma) - err) / (gamma - err) if err1 > err and gamma > err else 0
    expected = 0.368 * err + 0.632 * err1 + (min(err1, gamma) - err) * 0.368 * 0.632 * rate / (1 - 0.368 * rate)
    assert a["error_rate"].value == pytest.approx(expected)
    assert a["accuracy"].value == pytest.approx(1 - expected)
    # Where nothing is capped this is the weight .632/(1 − .368·R) of the left-out error.
    weight = 0.632 / (1 - 0.368 * rate)
    assert err < err1 < gamma
    assert expected == pytest.approx((1 - weight) * err + weight * err1)
    parts = {"left_out": err1, "apparent": err, "no_information": gamma, "overfitting_rate": rate, "weight": weight}
    assert a["NearestMean"].parts("error_rate") == pytest.approx(parts)


@given(numbers, numbers, numbers)
def test_plus_lies_between_its_parts_and_does_not_depend_on_the_direction(err1, err, gamma):
    found = plus(err1, err, gamma, lower_is_better=True)
    assert plus(1 - err1, 1 - err, 1 - gamma, lower_is_better=False) == pytest.approx(1 - found)
    assert min(err1, err, gamma) - 1e-12 <= found <= max(err1, err, gamma) + 1e-12
    assert 0 <= overfitting_rate(err1, err, gamma, lower_is_better=True) <= 1
    if err1 <= err or gamma <= err:
        assert found == pytest.approx(0.632 * err1 + 0.368 * err)


@given(numbers, numbers)
def test_plus_at_no_information_and_beyond(err, gamma):
    assume(gamma > err + 0.01)
    assert plus(gamma, err, gamma, lower_is_better=True) == pytest.approx(gamma)
    beyond = gamma + 0.1
    assert plus(beyond, err, gamma, lower_is_better=True) == pytest.approx(0.632 * beyond + 0.368 * gamma)


def test_nearest_neighbour_on_pure_noise():
    """.632 says 0.632·(left out) + 0.368·1, about 0.69, for a model that knows nothing; .632+ says about ½."""
    random = np.random.default_rng(7)
    X, y = random.normal(size=(200, 5)), np.arange(200) % 2
    basic = th.assess(NearestNeighbour(), X, y, method=th.Bootstrap632(60), progress=False)["accuracy"].value
    left = th.assess(NearestNeighbour(), X, y, method=th.BootstrapOOB(60), progress=False)["accuracy"].value
    better = th.assess(NearestNeighbour(), X, y, method=th.Bootstrap632Plus(60), progress=False)["accuracy"].value
    assert basic == pytest.approx(0.632 * left + 0.368 * 1.0)
    assert abs(left - 0.5) < 0.08
    assert basic == pytest.approx(0.69, abs=0.05)
    assert abs(better - 0.5) < 0.06


def micro_auc(posteriors, codes):
    """Share of pairs of a true cell and a wrong one, of whatever rows, in which the true one is higher, ties ½."""
    true = np.eye(posteriors.shape[1], dtype=bool)[codes]
    right, wrong = posteriors[true], np.sort(posteriors[~true])
    below, upto = (np.searchsorted(wrong, right, side=side) for side in ("left", "right"))
    return ((below + upto) / 2).mean() / wrong.size


@settings(max_examples=examples(10))
@given(st.integers(0, 1000))
def test_no_information_values_are_those_of_every_pair_of_truth_and_prediction(seed):
    for X, y in (two_classes(18, seed=seed), three_classes(18, seed=seed)):
        a = th.assess(NearestMean(), X, y, method=th.Bootstrap632Plus(2), progress=False)
        source = JudgedRows(rows=a.rows, splits=a.splits, judged=a.judged["NearestMean"])
        model = NearestMean().fit(X, y)
        p, said, k = model.predict_proba(X), model.predict(X), len(a.classes)
        codes = a.rows.truth
        pairs = {
            "accuracy": (said[:, None] == y[None, :]).mean(),
            "log_loss": np.mean([[-math.log(p[i, codes[j]]) for j in range(18)] for i in range(18)]),
        }
        if k == 2:
            pairs["brier_score"] = ((p[:, 1][:, None] - codes[None, :]) ** 2).mean()
            above = (p[:, 1][:, None] >= p[:, 1]).mean(axis=0)
            pairs |= {"auc": 0.5, "recall@fpr=0.2": max(above[above <= 0.2], default=0.0)}
        else:
            pairs["brier_score"] = np.mean(
                [[((p[i] - np.eye(3)[codes[j]]) ** 2).sum() for j in range(18)] for i in range(18)]
            )
            pairs |= dict.fromkeys(("hand_till", "hand_till_weighted", "macro_auc", "weighted_auc"), 0.5)
            every = np.repeat(p, 18, axis=0), np.tile(codes, 18)
            pairs["micro_auc"] = micro_auc(*every)
            true = every[0][np.arange(324), every[1]][:, None]
            greater, tied = (every[0] > true).sum(axis=1), (every[0] == true).sum(axis=1)
            pairs["top_2_accuracy"] = np.clip((2 - greater) / tied, 0, 1).mean()
        for name, expected in pairs.items():
            assert no_information(source, parse_measure(name)) == pytest.approx(expected), name


class FailingOnce(NearestMean):
    """Refuses rows that are all different, as only the fit on all rows has them."""

    def fit(self, X, y):
        if len(np.unique(X[:, 0])) == len(X):
            raise ValueError("no luck")
        return super().fit(X, y)


@pytest.mark.parametrize("method", [th.Bootstrap632Plus(10), th.Bootstrap632(10), th.OptimismBootstrap(10)])
def test_without_the_fit_on_all_rows_there_is_no_value_and_that_is_said(method):
    X, y = two_classes(24)
    a = th.assess(FailingOnce(), X, y, method=method, on_error="skip", progress=False)
    for measure in ("accuracy", "auc", "brier_score"):
        assert math.isnan(a[measure].value)
        assert a[measure].reason_code == "failed-fits"
        assert math.isfinite(np.nanmean(a["FailingOnce"].values(measure)))


def test_optimism_is_taken_from_the_apparent_value():
    X, y = two_classes(30, shift=0.6)
    method = th.OptimismBootstrap(10)
    a = th.assess(NearestMean(), X, y, method=method, progress=False)
    every, gaps = np.arange(30), []
    for s in samples(method, y):
        on = (fitted_on(NearestMean(), X, y, s.train, s.train) == y[s.train]).mean()
        gaps.append(on - (fitted_on(NearestMean(), X, y, s.train, every) == y).mean())
    apparent = (fitted_on(NearestMean(), X, y, every, every) == y).mean()
    assert a["accuracy"].value == pytest.approx(apparent - np.mean(gaps))


@pytest.mark.parametrize(("measure", "b"), [("auc", 30), ("accuracy", 30), ("accuracy", 10)])
def test_the_interval_of_the_optimism_corrected_value_has_the_error_of_the_rows_left_out(measure, b):
    X, y = two_classes(30, shift=0.6)
    found = th.assess(NearestMean(), X, y, method=th.OptimismBootstrap(b), progress=False)[measure]
    left_out = th.assess(NearestMean(), X, y, method=th.BootstrapOOB(b), progress=False)
    values, splits = left_out["NearestMean"].values(measure), left_out.splits
    ratio = splits.test.mean() / splits.distinct.mean()
    is_delta = "delta" in found.method
    error = left_out[measure].standard_error if is_delta else math.sqrt((1 / b + ratio) * values.var(ddof=1))
    assert found.standard_error == pytest.approx(error)
    quantile = 1.959964 if is_delta else stats.t.ppf(0.975, b - 1)
    assert (found.low, found.high) == pytest.approx(scored(found.value, found.standard_error, quantile))
    assert "error of the left-out part" in found.method


@pytest.mark.slow
def test_standard_error_of_a_rule_that_does_not_learn_is_the_usual_one():
    """What is predicted depends on no sample, so the estimate is a share and its error √(p(1 − p)/n)."""
    y = np.array([1] * 30 + [0] * 70)
    a = th.assess(Always(0), np.zeros((100, 1)), y, method=th.BootstrapOOB(4000), progress=False)
    found = a["accuracy"]
    assert found.value == pytest.approx(0.7)
    assert found.standard_error == pytest.approx(math.sqrt(0.7 * 0.3 / 100), rel=0.05)
    assert found.method.startswith("delta method after the bootstrap")


def test_standard_error_is_the_derivative_written_out():
    X, y = two_classes(20, shift=0.5)
    b, n = 30, 20
    a = th.assess(NearestNeighbour(), X, y, method=th.BootstrapOOB(b), progress=False)
    source = JudgedRows(rows=a.rows, splits=a.splits, judged=a.judged["NearestNeighbour"])
    from thresher.measures.measure_text import parse_measure

    losses = row_losses(source, parse_measure("error_rate"))
    counts = np.array([np.bincount(s.train, minlength=n) for s in samples(th.BootstrapOOB(b), y)])
    wrong = np.zeros((b, n))
    for i, s in enumerate(samples(th.BootstrapOOB(b), y)):
        wrong[i, s.test] = fitted_on(NearestNeighbour(), X, y, s.train, s.test) != y[s.test]
    out = counts == 0
    means = wrong.sum(axis=0) / out.sum(axis=0)
    q = ((wrong - means.mean()) * out).sum(axis=1) / n
    expand = (1 - 1 / n) ** -n
    slopes = (2 + 1 / (n - 1)) * (means - means.mean()) / n + expand * ((counts - 1) * (q - q.mean())[:, None]).mean(
        axis=0
    )
    noise = n * (1 - 1 / n) * expand**2 * q.var(ddof=1) / b
    expected = math.sqrt(max((slopes**2).sum() - noise, means.var() / n))
    assert left_out_error(source, losses, 0) == pytest.approx(expected)


def _accuracy_of_a_sample(seed, n, fresh_X, fresh_y):
    """Accuracy on new rows of a model that learned from as many different rows as a bootstrap sample holds."""
    X, y = two_classes(n, seed=seed, shift=0.8)
    kept = round(0.632 * n)
    return (NearestMean().fit(X[:kept], y[:kept]).predict(fresh_X) == fresh_y).mean()


@pytest.mark.slow
def test_intervals_of_the_leave_one_out_bootstrap_cover_the_expected_accuracy():
    """A study of 300 data sets: the accuracy that models trained on such rows have on many new ones."""
    inside, n = 0, 60
    fresh_X, fresh_y = two_classes(20_000, seed=99, shift=0.8)
    target = np.mean([_accuracy_of_a_sample(seed, n, fresh_X, fresh_y) for seed in range(1000, 1100)])
    for seed in range(300):
        X, y = two_classes(n, seed=seed, shift=0.8)
        found = th.assess(NearestMean(), X, y, method=th.BootstrapOOB(100), rng=seed, progress=False)["accuracy"]
        inside += found.low <= target <= found.high
    assert 0.90 <= inside / 300 <= 0.995


def test_measures_of_decisions_are_read_from_the_mean_matrix_of_the_rows():
    X, y = two_classes(30, shift=0.6)
    hits = np.zeros(30)
    often = np.zeros(30)
    for s in samples(th.BootstrapOOB(10), y):
        hits[s.test] += fitted_on(NearestMean(), X, y, s.train, s.test)
        often[s.test] += 1
    share = hits[often > 0] / often[often > 0]
    truth = y[often > 0]
    tp, fp = share[truth == 1].sum(), share[truth == 0].sum()
    fn = (1 - share[truth == 1]).sum()
    a = th.assess(NearestMean(), X, y, method=th.BootstrapOOB(10), progress=False)
    assert a["f1"].value == pytest.approx(2 * tp / (2 * tp + fp + fn))


def test_samples_that_leave_nothing_out_are_skipped_and_counted():
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0])
    a = th.assess(Always(0), X, y, method=th.BootstrapOOB(60, average="sample"), progress=False)
    whole = sum(len(np.unique(s.train)) == 3 for s in th.BootstrapOOB(60).splits(SplitRows(truth=y), 0))
    assert whole > 0
    assert len(a.splits) == 60 - whole
    assert any(note.startswith(f"{whole} samples left no row out for testing") for note in a.notes)


def test_the_spread_of_a_row_average_says_which_samples_have_no_value_and_counts_the_others():
    """The value of recall rests on the rows, its error on the samples that left a positive one out."""
    X, y = two_classes(40)
    y = np.zeros(40, dtype=int)
    y[:3] = 1
    a = th.assess(NearestMean(), X, y, method=th.BootstrapOOB(30), progress=False)
    found, values = a["recall"], a["NearestMean"].values("recall")
    known, source = values[~np.isnan(values)], a["NearestMean"].source
    gone = len(values) - len(known)
    assert 0 < gone < 30
    assert f"({gone} of 30 samples are undefined: there are no positives)" in found.method
    assert found.reason.startswith(f"{gone} of 30 samples are undefined")
    counted = source.splits.sampled[~np.isnan(values)]
    ratio = source.splits.test[counted].mean() / source.splits.distinct[counted].mean()
    share = ratio / (1 + ratio)  # of the rows that are judged
    correlation = share * (2 - share) / (1 + share)
    error = math.sqrt((1 / len(known) + correlation / (1 - correlation)) * known.var(ddof=1))
    assert found.standard_error == pytest.approx(error)
    assert found.low == pytest.approx(scored(found.value, error, stats.t.ppf(0.975, len(known) - 1))[0])


def test_memory_grows_with_the_rows_and_not_with_their_square():
    import tracemalloc

    def peak(n):
        X, y = np.zeros((n, 1)), np.arange(n) % 2
        tracemalloc.start()
        a = th.assess(Always(0), X, y, method=th.Bootstrap632Plus(20), measures="accuracy", progress=False)
        a["accuracy"]
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(100)
    assert peak(8000) < 2.6 * peak(4000)


class GivenSamples:
    """Bootstrap samples that another program drew, with all rows first, as `Bootstrap632Plus` has them."""

    def __init__(self, samples, combine):
        self.samples, self.combine = samples, combine
        self.apparent, self.average, self.summary = "fit", "row", "given samples"

    def count(self, rows):  # noqa: ARG002
        return len(self.samples) + 1

    def splits(self, rows, rng):  # noqa: ARG002
        yield all_rows(rows)
        for i, sample in enumerate(self.samples):
            yield Split(np.array(sample), np.setdiff1d(np.arange(rows.n), sample), i, 0)


GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "resampling.json").read_text())


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["rule"])
def test_ipred_finds_the_same_on_the_same_samples(case):
    model = {"nearest_mean": NearestMean(), "nearest_row": NearestNeighbour()}[case["rule"]]
    X, y = np.column_stack([case["a"], case["b"]]), np.array(case["y"])
    left = th.assess(model, X, y, method=GivenSamples(case["samples"], "oob"), progress=False)["error_rate"].value
    found = th.assess(model, X, y, method=GivenSamples(case["samples"], "632+"), progress=False)["error_rate"].value
    assert left == pytest.approx(case["boot"], abs=1e-12)
    said = fitted_on(model, X, y, np.arange(36), np.arange(36))
    err, gamma = (said != y).mean(), (said[:, None] != y[None, :]).mean()
    if left <= gamma:
        assert found == pytest.approx(case["plus"], abs=1e-12)
        return
    # Beyond γ ipred keeps R above 1 and so ends above the left-out error; ours stays between γ and that error.
    rate = (left - err) / (gamma - err) if gamma > err else 0.0
    basic = 0.632 * left + 0.368 * err
    assert case["plus"] == pytest.approx(basic + (gamma - err) * 0.368 * 0.632 * rate / (1 - 0.368 * rate), abs=1e-12)
    assert (found == pytest.approx(basic)) if gamma <= err else (gamma < found < left)


def test_optimism_without_spread_has_no_interval():
    found = th.assess(Always(1), np.zeros((30, 1)), np.arange(30) % 2, method=th.OptimismBootstrap(10), progress=False)
    assert (found["recall"].value, found["recall"].low) == (1.0, None)
    assert "no spread" in found["recall"].reason
