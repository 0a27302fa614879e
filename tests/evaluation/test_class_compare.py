"""Comparing models of several classes: the right method for each measure, against definitions."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher import Bootstrap
from thresher._util.threads import progress_scope
from thresher.errors import OptionError
from thresher.inference import mcnemar_test, multiclass_auc_test, multiclass_auc_test_unpaired, multiclass_bootstrap
from thresher.inference.differences.tests_of_counts import agreement_table
from thresher.inference.multiclass.tests import BY_CLASS

RNG = np.random.default_rng(8)
Y = RNG.integers(0, 3, 150)


def posteriors(strength):
    scores = np.eye(3)[Y] * strength + RNG.normal(size=(150, 3))
    e = np.exp(scores)
    return e / e.sum(axis=1, keepdims=True)


A, B = posteriors(1.5), posteriors(0.5)
EV = th.evaluate(Y, {"a": A, "b": B})


def test_accuracy_is_the_default_and_mcnemars():
    found = EV.compare("a", "b")
    table = agreement_table(A.argmax(1) == Y, B.argmax(1) == Y)
    assert found.measure == "accuracy"
    assert found.p_value == mcnemar_test(table).p_value
    assert found.difference == pytest.approx((A.argmax(1) == Y).mean() - (B.argmax(1) == Y).mean())


def test_the_error_rate_is_the_accuracy_turned_round():
    right, wrong = EV.compare("a", "b"), EV.compare("a", "b", measure="error_rate")
    assert wrong.p_value == right.p_value
    assert (wrong.difference, wrong.low, wrong.high) == pytest.approx((-right.difference, -right.high, -right.low))


@pytest.mark.parametrize("measure", ["accuracy", "error_rate"])
def test_shares_of_several_classes_are_compared_between_groups(measure):
    sides = np.where(np.arange(150) % 2, "x", "y")
    found = th.evaluate(Y, {"a": A}, by=sides).compare("a", measure=measure, by="group")[0]
    correct = A.argmax(1) == Y if measure == "accuracy" else A.argmax(1) != Y
    one, two = correct[sides == "x"], correct[sides == "y"]
    pooled = correct.mean()
    z = (one.mean() - two.mean()) / math.sqrt(pooled * (1 - pooled) * (1 / len(one) + 1 / len(two)))
    assert abs(found.difference) == pytest.approx(abs(one.mean() - two.mean()))
    assert found.p_value == pytest.approx(math.erfc(abs(z) / math.sqrt(2)), rel=1e-6)


@pytest.mark.parametrize("measure", ["log_loss", "brier_score", "top_2_accuracy"])
def test_means_over_rows_are_compared_by_row_differences(measure):
    own = lambda p: p[np.arange(150), Y]  # noqa: E731
    rank = lambda p: (p > own(p)[:, None]).sum(1)  # noqa: E731
    each = {
        "log_loss": lambda p: -np.log(own(p)),
        "brier_score": lambda p: ((p - np.eye(3)[Y]) ** 2).sum(1),
        "top_2_accuracy": lambda p: (rank(p) < 2).astype(float),
    }[measure]
    gaps = each(A) - each(B)
    found = EV.compare("a", "b", measure=measure)
    z = gaps.mean() / (gaps.std(ddof=1) / math.sqrt(150))
    assert found.difference == pytest.approx(gaps.mean())
    assert found.statistic == pytest.approx(z)
    assert found.method == "z test of paired means"
    assert found.p_value == pytest.approx(math.erfc(abs(z) / math.sqrt(2)))


@pytest.mark.parametrize("measure", ["hand_till", "macro_auc", "kappa", "mcc", "macro_f1", "micro_recall", "log_loss"])
def test_everything_is_compared_by_drawing_the_same_rows_for_both(measure):
    found = EV.compare("a", "b", measure=measure, bootstrap=80)
    assert found.difference == pytest.approx(found.values[0] - found.values[1])
    assert "paired bootstrap percentile, 80 replicates of rows" in found.method
    assert found.low <= found.difference <= found.high
    assert found == EV.compare("a", "b", measure=measure, bootstrap=80)
    same = th.evaluate(Y, {"a": A, "b": A}).compare("a", "b", measure=measure, bootstrap=20)
    assert (same.difference, same.p_value) == (0.0, 1.0)


@pytest.mark.parametrize("measure", ["hand_till", "hand_till_weighted", "macro_auc", "weighted_auc", "micro_auc"])
def test_averages_of_aucs_are_compared_by_what_each_row_adds(measure):
    found = EV.compare("a", "b", measure=measure)
    want = multiclass_auc_test(Y, A, B, measure=measure)
    assert (found.p_value, found.low, found.high) == pytest.approx((want.p_value, want.low, want.high), rel=1e-12)
    assert found.method == ("z test of structural components" if measure == "micro_auc" else BY_CLASS)
    assert found.difference == pytest.approx(found.values[0] - found.values[1])
    drawn = EV.compare("a", "b", measure=measure, bootstrap=400)
    assert found.standard_error == pytest.approx(drawn.standard_error, rel=0.15)
    halves = th.evaluate(Y, {"a": A}, by=np.where(np.arange(150) % 2, "x", "y")).compare(
        "a", measure=measure, by="group"
    )
    x, y = np.arange(150) % 2 == 1, np.arange(150) % 2 == 0
    apart = multiclass_auc_test_unpaired(Y[x], A[x], Y[y], A[y], measure=measure)
    assert abs(halves[0].difference) == pytest.approx(abs(apart.estimate))
    assert halves[0].p_value == pytest.approx(apart.p_value)
    assert th.evaluate(Y, {"a": A, "b": A}).compare(measure=measure).p_value == 1


def test_a_bootstrap_replicate_is_the_evaluation_of_the_drawn_rows():
    from thresher.evaluation.several_classes import statistic

    times = RNG.multinomial(150, np.full(150, 1 / 150))
    names = ["hand_till", "micro_auc", "macro_f1", "weighted_recall", "cohen_kappa", "log_loss", "classwise_ece", "vus"]
    index = np.repeat(np.arange(150), times)
    drawn = th.evaluate(Y[index], A[index], labels=range(3))["model"]
    [got] = statistic(EV["a"], names)(times[None].astype(np.uint8))
    assert got == pytest.approx([getattr(drawn, name).value for name in names])


def test_a_volume_without_a_variance_is_resampled_when_that_was_asked_for():
    """One row of a class: no formula has the variance between its rows, and the bootstrap draws that row always."""
    keep = np.r_[np.flatnonzero(Y == 0)[:10], np.flatnonzero(Y == 1)[:10], np.flatnonzero(Y == 2)[:1]]
    model = th.evaluate(Y[keep], {"a": A[keep]}, labels=range(3), bootstrap=50)["a"]
    assert "50 replicates" in (model.vus.method or "")
    assert model.vus.low <= model.vus.value <= model.vus.high


@pytest.mark.slow
def test_volumes_are_compared_by_what_each_row_adds():
    rows = th.load_example("wine")
    ev = th.evaluate(rows, label="cultivar", probabilities=["logistic_*", "bayes_*"], by="color")
    found = ev.compare("bayes", "logistic", measure="vus")
    assert found.difference == pytest.approx(ev["bayes"].vus.value - ev["logistic"].vus.value)
    order = [np.flatnonzero(ev.predictions.truth == k) for k in range(3)]
    from thresher.multiclass import posterior_volume

    def volume(model, kept):
        part = ev.predictions.take(kept)
        return posterior_volume(part.truth, part.posteriors[model], labels=[0, 1, 2]).value

    variance = 0.0
    for members in order:
        some = members[:: max(1, len(members) // 12)]
        left = [np.delete(np.arange(178), row) for row in some]
        gaps = np.array([volume("bayes", kept) - volume("logistic", kept) for kept in left])
        variance += (len(members) - 1) ** 2 / len(members) * gaps.var(ddof=1)
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=0.35)
    assert not ev.compare("bayes", measure="vus", by="color")[0].is_paired
    same = th.evaluate(Y, {"a": A, "b": A}).compare("a", "b", measure="vus")
    assert (same.difference, same.p_value) == (0.0, 1.0)
    drawn = ev.compare("bayes", "logistic", measure="vus", bootstrap=100)
    assert "paired bootstrap" in drawn.method
    assert drawn.standard_error == pytest.approx(found.standard_error, rel=0.25)
    with pytest.raises(OptionError, match="does not serve"):
        ev.compare("bayes", "logistic", measure="vus", test="permutation")


def test_labels_of_several_classes_are_compared_too():
    ev = th.evaluate(Y, predicted={"a": A.argmax(1), "b": B.argmax(1)})
    assert ev.compare("a", "b").p_value == EV.compare("a", "b").p_value
    assert ev.compare("a", "b", measure="kappa", bootstrap=20).difference == pytest.approx(
        EV.compare("a", "b", measure="kappa", bootstrap=20).difference
    )


@pytest.mark.parametrize(
    "measure", ["log_loss", "brier_score", "top_2_accuracy", "macro_auc", "accuracy", "macro_f1", "top_label_ece"]
)
def test_a_resampled_difference_is_that_of_the_weighted_measures(measure):
    weights = np.random.default_rng(9).random(150) * 3
    weighted = th.evaluate(Y, {"a": A, "b": B}, weights=weights)
    want = getattr(weighted["a"], measure).value - getattr(weighted["b"], measure).value
    assert weighted.compare(measure=measure, bootstrap=20).difference == pytest.approx(want)


@pytest.mark.parametrize("measure", ["hand_till", "macro_auc", "micro_auc"])
def test_bca_intervals_are_those_of_the_function_of_arrays(measure):
    from thresher.evaluation.several_classes import resampled_estimates

    config = Bootstrap(n=200, method="bca")
    model = th.evaluate(Y, {"a": A}, bootstrap=config)["a"]
    found = resampled_estimates(model, {measure: getattr(model, measure)})[measure]
    want = multiclass_bootstrap(Y, A, config, statistics=[measure])[measure]
    assert (found.low, found.high, found.method) == (want.low, want.high, want.method)
    assert "BCa" in found.method


def test_everything_of_several_classes_has_a_bca_interval():
    config = Bootstrap(n=100, method="bca")
    model = th.evaluate(Y, {"a": A}, bootstrap=config)["a"]
    assert model.top_label_ece.method.startswith("bootstrap BCa, 100 replicates")
    found = EV.compare("a", "b", measure="macro_f1", bootstrap=config)
    assert found.method.startswith("paired bootstrap BCa")
    plain = EV.compare("a", "b", measure="macro_f1", bootstrap=replace(config, method="percentile"))
    assert found.standard_error == plain.standard_error
    assert found.low != plain.low


def _evaluation(**options: Any) -> Any:
    rows = th.load_example("breast_cancer")
    models = {"forest": rows["random_forest"], "bayes": rows["naive_bayes"]}
    return th.evaluate(rows["diagnosis"], models, positive="malignant", **options)


def test_the_evaluations_own_settings_serve_where_no_formula_does() -> None:
    own = th.Bootstrap(n=60, rng=3)
    found = _evaluation(bootstrap=own).compare("forest", "bayes", measure="h_measure")
    asked = _evaluation().compare("forest", "bayes", measure="h_measure", bootstrap=own)
    assert asked.method == "paired bootstrap percentile, 60 replicates of rows, seed 3"
    assert (found.method, found.low, found.high) == (asked.method, asked.low, asked.high)


def test_a_formula_is_kept_and_what_is_asked_for_comes_first() -> None:
    evaluation = _evaluation(bootstrap=60)
    assert "DeLong" in evaluation.compare("forest", "bayes").method
    assert "80 replicates" in evaluation.compare("forest", "bayes", bootstrap=80).method
    assert "80 replicates" in evaluation.compare("forest", "bayes", measure="average_precision", bootstrap=80).method


@pytest.mark.parametrize("by", [None, "size"])
def test_without_settings_the_default_stands(by: str | None) -> None:
    rows = th.load_example("breast_cancer")
    frame = {"y": rows["diagnosis"], "a": rows["random_forest"], "b": rows["naive_bayes"], "size": rows["nucleus_size"]}
    evaluation = th.evaluate(frame, label="y", scores=["a", "b"], positive="malignant", by="size")
    found = evaluation.compare("a", "b", measure="expected_calibration_error", by=by)
    assert "2,000 replicates" in (found if by is None else found[0]).method


def _replicates(evaluation: Any, measure: str) -> list[int]:
    """How many replicates each bootstrap of a comparison drew."""
    told: list[int] = []
    with progress_scope(lambda done, wanted: told.append(done) if done == wanted else None):
        evaluation.compare("a", "b", measure=measure)
    return told


def test_replicates_are_drawn_for_the_difference_alone() -> None:
    """The values of both models need no interval, whatever the evaluation was told to resample."""
    rng = np.random.default_rng(0)
    truth, score = rng.integers(0, 2, 60), rng.random(60)
    two = th.evaluate(truth, {"a": score, "b": score**2}, bootstrap=20)
    assert _replicates(two, "ks_statistic") == _replicates(two, "f1") == [], "intervals of both have formulas"
    assert 20 in _replicates(two, "h_measure")
    labels, scores = rng.integers(0, 2, (60, 3)), rng.random((60, 3))
    several = th.evaluate(labels, {"a": scores, "b": scores**2}, bootstrap=20)
    assert _replicates(several, "macro_f1") == [20], "one for both models"
    classes, posteriors = rng.integers(0, 3, 60), rng.dirichlet(np.ones(3), 60)
    wine = th.evaluate(classes, probabilities={"a": posteriors, "b": posteriors[::-1]}, bootstrap=20)
    assert _replicates(wine, "top_label_ece") == [20]


@pytest.mark.parametrize("asked", [True, False])
def test_groups_are_compared_by_resampling_the_column_that_the_bootstrap_names(asked: bool) -> None:
    rng = np.random.default_rng(0)
    truth, site = rng.integers(0, 2, 80), np.arange(80) // 4
    scores = {"a": rng.random(80), "b": rng.random(80)}
    columns, config = {"arm": np.arange(80) % 2, "site": site}, th.Bootstrap(n=20, clusters="site")
    named = th.evaluate(truth, scores, by=columns, bootstrap=None if asked else config)
    found = named.compare("a", "b", measure="ks_statistic", by="arm", bootstrap=config if asked else None)
    own = th.evaluate(truth, scores, by=columns, cluster=site, bootstrap=20)
    assert [c.low for c in found] == [c.low for c in own.compare("a", "b", measure="ks_statistic", by="arm")]
    assert all("clusters" in c.method for c in found)
