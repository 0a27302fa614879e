"""`Evaluation.compare`: the method for each measure, groups, margins, Holm, and what the sentence says."""

import html
import math

import numpy as np
import pytest

import thresher as th
from thresher.errors import InputError, OptionError
from thresher.inference.auc.tests import auc_test, auc_test_unpaired, delong_test
from thresher.inference.comparing.resampling import venkatraman_test, venkatraman_test_unpaired
from thresher.inference.differences.difference import scaled
from thresher.inference.differences.means import paired_mean_difference
from thresher.inference.differences.p_values import adjust_p_values
from thresher.inference.differences.tests_of_counts import agreement_table, mcnemar_test
from thresher.measures.measure_text import parse_measure


def rows(seed=0, n=400):
    """Truth, three probabilities and a group."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    scores = {
        name: 1 / (1 + np.exp(-(k * y - k / 2 + rng.normal(size=n)))) for name, k in (("a", 1), ("b", 2), ("c", 2))
    }
    return y, scores, np.where(rng.random(n) < 0.5, "east", "west")


@pytest.fixture(scope="module")
def evaluation():
    """Shared by all tests, as what it has computed stays with it."""
    y, scores, group = rows()
    return th.evaluate(y, scores, by={"site": group} if isinstance(group, dict) else group)


@pytest.mark.parametrize(("test", "function"), [("auto", auc_test), ("delong", delong_test)])
def test_auc_is_compared_by_its_score_test_or_by_delongs(evaluation, test, function):
    y, scores, _ = rows()
    found, want = evaluation.compare("a", "b", test=test), function(y, scores["a"], scores["b"])
    got = (found.difference, found.p_value, found.low, found.high)
    assert got == pytest.approx((want.estimate, want.p_value, want.low, want.high), rel=1e-12)
    assert found.values == pytest.approx((evaluation["a"].auc.value, evaluation["b"].auc.value))
    gini = evaluation.compare("a", "b", measure="gini", test=test)
    assert gini.difference == 2 * found.difference
    assert gini.high == pytest.approx(2 * found.high)
    assert gini.p_value == found.p_value


@pytest.mark.parametrize("measure", ["auc", "gini", "brier_score", "recall@fpr=0.1"])
@pytest.mark.parametrize(("alternative", "quantile"), [("two-sided", 1.6448536), ("less", 1.2815516)])
def test_a_difference_says_what_its_statistic_is_compared_with(evaluation, measure, alternative, quantile):
    found = evaluation.compare("a", "b", measure=measure, level=0.9, alternative=alternative)
    assert found.critical_value == pytest.approx(quantile)
    assert found.df is None
    assert found.difference / found.standard_error == pytest.approx(found.statistic)
    if measure not in ("auc", "gini"):  # the standard error of an AUC depends on the value that is held against it
        assert found.high == pytest.approx(found.difference + quantile * found.standard_error)
    size = abs(found.statistic) if alternative == "two-sided" else -found.statistic
    assert (size > found.critical_value) == (found.p_value < 0.1)


def test_a_binomial_test_has_no_critical_value_and_two_shares_have_that_of_their_z(evaluation):
    assert evaluation.compare("a", "b", measure="accuracy").critical_value is None
    by = next(iter(evaluation.predictions.by))
    groups = next(one for one in evaluation.compare("a", "b", measure="accuracy", by=by) if one.groups is not None)
    assert groups.critical_value == pytest.approx(1.959964)
    assert (abs(groups.statistic) > groups.critical_value) == (groups.p_value < 0.05)
    assert groups.statistic * groups.standard_error == pytest.approx(groups.difference)


def test_a_chi_square_has_the_quantile_of_its_degree_of_freedom():
    found = mcnemar_test([[40, 12], [3, 20]], method="chi2")
    assert (found.df, found.critical_value) == (1.0, pytest.approx(3.841459))
    assert (found.statistic > found.critical_value) == (found.p_value < 0.05)


@pytest.mark.parametrize("is_by", [False, True])
def test_a_bootstrap_tests_margins_by_its_limits_and_compares_its_statistic_with_nothing(evaluation, is_by):
    """The percentile limit, not a normal one of the same standard error, decides."""

    def compared(**options):
        options |= {"test": "bootstrap", "bootstrap": 200}
        if not is_by:
            return evaluation.compare("a", "b", **options)
        by = next(iter(evaluation.predictions.by))
        return next(one for one in evaluation.compare("a", by=by, **options) if one.groups)

    one_sided = compared(alternative="greater")
    assert one_sided.standard_error > 0
    assert one_sided.critical_value is None
    edge = -one_sided.low
    assert compared(margin=edge + 1e-6).noninferiority_p <= 0.05 < compared(margin=edge - 1e-6).noninferiority_p


def test_infinite_replicates_are_left_out_of_the_correlation():
    rng, y = np.random.default_rng(0), np.arange(60) % 2
    scores = {name: y + rng.normal(size=60) * 0.45 for name in "ab"}
    found = th.evaluate(y, scores, threshold=0.5).compare("a", "b", measure="diagnostic_odds_ratio")
    assert 0 < found.p_value <= 1


@pytest.mark.parametrize(
    ("measure", "among"), [("accuracy", None), ("recall", 1), ("specificity", 0), ("error_rate", None), ("fnr", 1)]
)
def test_shares_of_the_same_rows_are_compared_by_mcnemar(evaluation, measure, among):
    y, scores, _ = rows()
    keep = np.ones(y.size, dtype=bool) if among is None else y == among
    right = [((scores[m] >= 0.5) == y)[keep] for m in "ab"]
    want = mcnemar_test(agreement_table(*right))
    found = evaluation.compare("a", "b", measure=measure)
    sign = -1 if measure in ("error_rate", "fnr") else 1
    assert found.difference == pytest.approx(sign * want.estimate)
    assert found.p_value == pytest.approx(want.p_value)
    assert sorted((sign * found.low, sign * found.high)) == pytest.approx([want.low, want.high])
    assert found.difference == pytest.approx(found.values[0] - found.values[1])
    exact = evaluation.compare("a", "b", measure=measure, test="mcnemar-exact")
    assert exact.p_value == pytest.approx(mcnemar_test(agreement_table(*right), method="exact").p_value)


def test_losses_are_compared_row_by_row(evaluation):
    y, scores, _ = rows()
    for measure, loss in (
        ("brier_score", lambda p: (p - y) ** 2),
        ("log_loss", lambda p: -np.log(np.where(y == 1, p, 1 - p))),
    ):
        d = loss(scores["a"]) - loss(scores["b"])
        found = evaluation.compare("a", "b", measure=measure)
        assert found.difference == pytest.approx(d.mean())
        assert found.difference == pytest.approx(found.values[0] - found.values[1])
        assert found.statistic == pytest.approx(d.mean() / (d.std(ddof=1) / math.sqrt(y.size)))
        assert found.lower_is_better


def test_an_infinite_loss_is_a_reason():
    found = th.evaluate([1, 0, 1, 0], {"a": [0, 0.2, 0.9, 0.1], "b": [0.8, 0.1, 0.9, 0.2]}).compare(measure="log_loss")
    assert found.reason_code == "infinite"
    assert "cannot be compared" in found.sentence


@pytest.mark.parametrize("measure", ["recall@fpr=0.1", "fpr@recall=0.9", "specificity@recall=0.9", "fnr@fpr=0.2",
                                     "recall@specificity=0.9"])  # fmt: skip
def test_rates_at_a_point_are_the_difference_of_the_values(evaluation, measure):
    found = evaluation.compare("a", "b", measure=measure)
    assert found.difference == pytest.approx(found.values[0] - found.values[1])
    assert found.low < found.difference < found.high
    less, greater = (evaluation.compare("a", "b", measure=measure, alternative=s).p_value for s in ("less", "greater"))
    assert less + greater == pytest.approx(1)
    assert (less < greater) == (found.difference < 0)


@pytest.mark.parametrize("measure", ["precision", "f1", "kappa"])
def test_predicted_labels_are_compared_as_scores_at_a_cut_are(evaluation, measure):
    labels = {name: (evaluation.predictions.scores[name] >= 0.5).astype(int) for name in "ab"}
    found = th.evaluate(evaluation.predictions.truth, predicted=labels).compare(measure=measure, bootstrap=50)
    want = th.evaluate(evaluation.predictions.truth, dict(evaluation.predictions.scores), threshold=0.5)
    want = want.compare("a", "b", measure=measure, bootstrap=50)
    assert (found.difference, found.low, found.high) == (want.difference, want.low, want.high)


@pytest.mark.parametrize("measure", ["precision", "f1", "average_precision", "f_beta:beta=2", "precision@recall=0.8"])
def test_other_measures_are_compared_by_the_bootstrap(evaluation, measure):
    found = evaluation.compare("a", "b", measure=measure, bootstrap=200)
    assert found.difference == pytest.approx(found.values[0] - found.values[1])
    assert found.low < found.difference < found.high
    assert 0 < found.p_value < 0.05
    assert "bootstrap" in found.method
    assert found == evaluation.compare("a", "b", measure=measure, bootstrap=200)
    same = evaluation.compare("a", "a", measure=measure, bootstrap=50)
    assert (same.difference, same.p_value) == (0, 1)


def test_each_model_keeps_its_own_cut_in_the_bootstrap():
    y, scores, _ = rows()
    moved = {"a": scores["a"], "b": scores["b"] + 10}
    cut = th.evaluate(y, moved, threshold={"a": 0.5, "b": 10.5})
    plain = th.evaluate(y, {m: scores[m] for m in "ab"})
    one, two = (e.compare("a", "b", measure="precision", bootstrap=100) for e in (cut, plain))
    assert (one.difference, one.low, one.high) == (two.difference, two.low, two.high)
    none = th.evaluate(y, moved).compare("a", "b", measure="precision")
    assert none.reason_code == "no-threshold"


def test_all_pairs_are_adjusted_by_holm(evaluation):
    found = evaluation.compare()
    assert [item.models for item in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [item.adjusted_p_value for item in found] == adjust_p_values([i.p_value for i in found]).tolist()
    assert "after Holm for 3 comparisons" in found[0].sentence
    assert len(found[:2]) == 2
    lines = str(found).splitlines()
    assert ["adjusted p" in line for line in lines] == [True, True, True, False, False]
    assert [sum(text in line for line in lines) for text in ("DeLong's", "Holm's")] == [1, 1]


def test_groups_within_and_between():
    y, scores, group = rows()
    data = {"y": y, "site": group, **scores}
    pandas = pytest.importorskip("pandas")
    found = th.evaluate(pandas.DataFrame(data), label="y", scores=["a", "b"], by="site").compare(by="site")
    places = [(item.group, item.groups) for item in found]
    between = ("site east", "site west")
    assert places == [(None, None), ("site east", None), ("site west", None), (None, between), (None, between)]
    east = group == "east"
    want = auc_test(y[east], scores["a"][east], scores["b"][east])
    assert found[1].p_value == want.p_value
    want = auc_test_unpaired(y[east], scores["a"][east], y[~east], scores["a"][~east])
    assert (found[3].difference, found[3].p_value) == (want.estimate, want.p_value)
    assert not found[3].is_paired
    assert "a in site east" in found[3].sentence
    assert [item.family for item in found] == [1, 4, 4, 4, 4]


test_groups_within_and_between = pytest.mark.peer(test_groups_within_and_between)


def test_the_comparison_on_all_rows_is_a_family_of_its_own():
    rng = np.random.default_rng(5)
    y = rng.random(120) < 0.5
    scores = {"a": y + rng.normal(size=120), "b": y + 2 * rng.normal(size=120), "c": rng.normal(size=120)}
    ev = th.evaluate(y, scores, by={"site": np.array(list("uvwxyz"))[np.arange(120) % 6]})
    alone, split = ev.compare("a", "b"), ev.compare("a", "b", by="site")
    assert split[0] == alone
    assert split[0].adjusted_p_value is None
    assert {item.family for item in split[1:]} == {len(split) - 1}
    assert tuple(ev.compare(by="site"))[:3] == tuple(ev.compare())


def test_margin_says_not_worse_and_equivalent(evaluation):
    better = evaluation.compare("b", "a", margin=0.05)
    assert better.noninferiority_p < 0.05 < better.equivalence_p
    assert "is not worse than a by 0.05" in better.sentence
    wide = evaluation.compare("b", "c", margin=0.5)
    assert wide.equivalence_p < 1e-6
    assert "equivalent within 0.5" in wide.sentence
    loss = evaluation.compare("b", "a", measure="brier_score", margin=0.01)
    assert loss.difference < 0
    assert loss.noninferiority_p < 0.05


def test_predicted_labels_say_how_many_rows_they_have():
    labels = th.evaluate([1, 0, 1], predicted={"p": [1, 0, 0], "q": [1, 1, 1]})
    assert labels.compare("p", "q").n == (3, 3)


def test_numbers_of_a_measure():
    assert parse_measure("recall@fpr= 1e-2").at_value == 0.01
    assert parse_measure("precision@positive_likelihood_ratio=inf").at_value == math.inf


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("measure", ["accuracy", "brier_score", "mean_score"])
def test_limits_of_means_stay_in_the_range_of_the_difference(measure, alternative):
    y, weights = np.array([1, 0, 1, 0, 1, 0]), np.array([1, 2, 1, 1.5, 1, 1])
    scores = {"a": np.array([0.98, 0.01] * 3), "b": np.array([0.02, 0.99, 0.02, 0.99, 0.9, 0.1])}
    for ranked in ("a", "b"), ("b", "a"):
        found = th.evaluate(y, scores, weights=weights).compare(*ranked, measure=measure, alternative=alternative)
        assert -1 <= found.low <= found.difference <= found.high <= 1
    assert "inf" not in found.sentence


def test_limits_of_means_of_several_classes_stay_in_the_range_of_the_difference():
    y, wrong = np.arange(6) % 3, np.eye(3)[(np.arange(6) + 1) % 3]
    wrong[0] = [0.5, 0.25, 0.25]
    found = th.evaluate(y, probabilities={"right": np.eye(3)[y], "wrong": wrong}).compare(measure="brier_score")
    losses = np.array([0.375, 2, 2, 2, 2, 2])
    half = 1.959964 * losses.std(ddof=1) / math.sqrt(6)
    assert losses.mean() + half > 2
    assert (found.low, found.high) == (-2, pytest.approx(half - losses.mean()))
    softer = {"right": np.eye(3)[y] * 0.8 + 0.2 / 3, "wrong": wrong * 0.8 + 0.2 / 3}
    assert th.evaluate(y, probabilities=softer).compare(measure="log_loss", alternative="less").low == -math.inf


def test_a_difference_of_losses_turned_round_keeps_its_range():
    y, scores, _ = rows(n=50)
    found = th.evaluate(y, scores).compare("a", "b", measure="log_loss", margin=0.1)
    assert found.noninferiority_p is not None
    change = scaled(paired_mean_difference(np.array([0.0, 3.0]), np.array([1.0, 7.0])), -1.0)
    assert change.bounds == (-math.inf, math.inf)
    assert change.interval(0.95, "greater")[1] == math.inf


@pytest.mark.slow
def test_permutation_has_a_p_value_and_no_interval():
    y, scores, _ = rows(n=150)
    evaluation = th.evaluate(y, scores)
    for measure in ("auc", "f1", "brier_score"):
        found = evaluation.compare("a", "b", measure=measure, test="permutation")
        assert found.low is None
        assert found.p_value < 0.01
        assert "permutation" in found.sentence
        assert found.difference == pytest.approx(found.values[0] - found.values[1])
    assert evaluation.compare("a", "a", test="permutation").p_value == 1
    with pytest.raises(OptionError, match="does not serve"):
        evaluation.compare("a", "b", measure="recall@fpr=0.1", test="permutation")


@pytest.mark.slow
@pytest.mark.parametrize(("test", "measure"), [("permutation", "auc"), ("permutation", "f1"), ("venkatraman", "auc")])
def test_rows_that_count_several_times_are_permuted_one_by_one(test, measure):
    y, scores, _ = rows(n=60)
    times = np.random.default_rng(5).integers(1, 5, 60)
    counted = th.evaluate(y, scores, weights=times, weight_kind="frequency")
    repeated = th.evaluate(np.repeat(y, times), {name: np.repeat(s, times) for name, s in scores.items()})
    one, two = (each.compare("a", "b", measure=measure, test=test) for each in (counted, repeated))
    assert (one.p_value, one.method) == (two.p_value, two.method)
    with pytest.raises(InputError, match="whole"):
        th.evaluate(y, scores, weights=times + 0.5, weight_kind="frequency").compare("a", "b", test=test)


def test_a_notebook_shows_the_sentence(evaluation):
    one, every = evaluation.compare("a", "b"), evaluation.compare()
    for found, count, more in ((one, 1, 0), (every, 3, 2)):  # the tests and the adjustment
        shown = found._repr_html_()
        assert shown.count("<li>") - more == shown.count("<tr>") - 1 == count
    assert html.escape(one.sentence.replace("-", "\N{MINUS SIGN}")) in one._repr_html_().replace("-", "\N{MINUS SIGN}")
    named = th.evaluate([0, 1, 0, 1], {"<b>": [0.1, 0.2, 0.3, 0.4], "c": [0.4, 0.2, 0.3, 0.1]})
    assert "<b>" not in named.compare("<b>", "c")._repr_html_()


@pytest.mark.slow
def test_whole_curves_are_compared_by_venkatraman_s_test():
    y, scores, group = rows(n=150)
    evaluation = th.evaluate(y, scores, by=group)
    found, want = evaluation.compare("a", "b", test="venkatraman"), venkatraman_test(y, scores["a"], scores["b"])
    assert (found.p_value, found.statistic, found.method) == (want.p_value, want.statistic, want.method)
    assert (found.measure, found.title, found.low) == ("roc", "ROC curve", None)
    assert found.difference == pytest.approx(evaluation["a"].auc.value - evaluation["b"].auc.value)
    assert "differ significantly" in found.sentence
    assert "curves are the same" in evaluation.compare("a", "a", test="venkatraman").sentence
    by = next(iter(evaluation.predictions.by))
    split = evaluation.compare("a", test="venkatraman", by=by)[0]
    east = group == "east"
    parts = (y[east], scores["a"][east], y[~east], scores["a"][~east])
    assert split.p_value == venkatraman_test_unpaired(*parts).p_value
    assert "No significant difference between the ROC curves" in split.sentence


def test_measures_of_several_labels_are_called_by_their_own_names():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, (30, 2))
    both = th.evaluate(truth, {name: rng.random((30, 2)) for name in "pq"}, bootstrap=20)
    found = both.compare("p", "q")
    assert (found.measure, found.title) == ("subset_accuracy", "subset accuracy")
    assert found.values == (both["p"].subset_accuracy.value, both["q"].subset_accuracy.value)
    assert "Hamming loss" in both.compare("p", "q", measure="error_rate").sentence


@pytest.mark.peer
@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_one_comparison_is_a_frame_of_one_row(evaluation, library):
    pytest.importorskip(library)
    one, several = evaluation.compare("a", "b"), evaluation.compare("a", "b", "c")
    frame = one.to_frame(library)
    assert frame.shape == (1, len(several.to_frame(library).columns))
    assert type(frame).__module__.startswith(library)
    assert list(frame["difference"]) == [one.difference]
    assert several.to_frame(library).shape[0] == 3


def test_the_caveat_is_said_once():
    rng = np.random.default_rng(5)
    y, names = rng.random(80) < 0.5, "abcd"
    found = th.evaluate(y, {name: rng.normal(size=80) for name in names}).compare()
    assert sum("not show equality" in item.sentence for item in found) == 6
    lines = str(found).splitlines()
    assert len(lines) == 6 + len(("caveat", "tests", "adjustment"))
    assert [line for line in lines if "equality" in line] == [
        "A difference that is not significant does not show equality: every difference in the interval is compatible "
        "with the data."
    ]
    assert found._repr_html_().count("equality") == 1
    assert str(found[:1]) == found[0].sentence


def test_sentences_never_call_no_difference_equality(evaluation):
    shown, hidden = evaluation.compare("a", "b"), evaluation.compare("b", "c")
    assert shown.sentence.startswith("a has a significantly lower ROC AUC than b: ")
    assert hidden.sentence.startswith("No significant difference in ROC AUC: ")
    assert "This does not show equality: every difference in the interval" in hidden.sentence
    assert evaluation.compare("a", "a").sentence.startswith("a and a have the same ROC AUC, ")
