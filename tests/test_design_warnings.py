"""Warnings about designs: raised below their numbers, on every result, and said once in every view."""

import json

import numpy as np
import pytest

import thresher as th
from thresher import Bootstrap, ConfusionMatrix
from thresher.counts import ScoreTable
from thresher.design_warnings import (
    CONDITIONS,
    DesignWarning,
    distinct,
    few_clusters,
    few_errors,
    few_folds,
    few_for_bootstrap,
    few_of_class,
    few_outcomes,
    moved_by_resampling,
    unequal_groups,
)
from thresher.evaluation.estimate import design_warnings
from thresher.inference import bootstrap_interval, multiclass_bootstrap
from thresher.report.files import render

SCORE = np.linspace(0.05, 0.95, 60)


def rows(positives: int, total: int = 60) -> list[int]:
    return [int(i < positives) for i in range(total)]


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda n: few_of_class(n, "positives"), "few-positives"),
        (lambda n: few_of_class(n, "negatives"), "few-negatives"),
        (lambda n: few_of_class(n, "rows of class 'x'"), "few-rows-of-class"),
        (few_clusters, "few-clusters"),
        (few_folds, "few-folds"),
        (moved_by_resampling, "moved-by-resampling"),
        (few_for_bootstrap, "few-for-bootstrap"),
    ],
)
def test_warned_below_its_number_and_not_at_it_nor_at_none(make, code: str) -> None:  # type: ignore[no-untyped-def]
    least = int(CONDITIONS[code].least)
    assert [warning.code for warning in make(least - 1)] == [code]
    assert make(least) == () == make(0)


def test_no_errors_are_few_too_and_unknown_ones_are_not_counted() -> None:
    assert [bool(few_errors(found)) for found in (29.9, 0)] == [True, True]
    assert few_errors(30) == () == few_errors(float("nan"))


def test_decisions_nearly_turned_around_are_warned_of_their_agreement() -> None:
    turned, mixed = (
        ConfusionMatrix.from_counts([[*one, 0], [*two, 0], [0, 0, 1]])
        for one, two in (([3, 47], [40, 10]), ([20, 30], [30, 20]))
    )
    for name in ("cohen_kappa", "matthews_correlation"):
        assert [warning.code for warning in turned.estimate(name).warnings] == ["below-chance"]
        assert mixed.estimate(name).warnings == ()


def test_rates_are_few_near_either_end_up_to_rounding() -> None:
    assert few_outcomes(0)
    assert few_outcomes(49 * (1 / 49))
    assert few_outcomes(2) == () == few_outcomes(49 * (2 / 49))
    assert few_outcomes(7, least=8)


def test_the_rarer_outcome_of_a_rate_is_named_and_counted() -> None:
    matrix = ConfusionMatrix.from_counts([[50, 0], [49, 1]], labels=(1, 0))
    said = {name: [warning.text.partition(":")[0] for warning in matrix.estimate(name).warnings]
            for name in ("recall", "specificity", "precision", "npv", "accuracy")}  # fmt: skip
    assert said == {
        "recall": ["0 false negatives, fewer than 2"], "specificity": ["1 true negative, fewer than 2"],
        "precision": [], "npv": ["0 false negatives, fewer than 2"], "accuracy": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("measure", "rows_of_class", "codes"),
    [
        ("ks_statistic", 200, ["moved-by-resampling"]), ("equal_error_rate", 200, ["moved-by-resampling"]),
        ("average_precision", 199, ["moved-by-resampling"]), ("average_precision", 200, []), ("auc", 100, []),
        ("auc", 99, ["few-for-bootstrap"]),
    ],
)  # fmt: skip
def test_a_bootstrap_is_warned_of_where_it_falls_short(measure: str, rows_of_class: int, codes: list[str]) -> None:
    total = 2 * rows_of_class
    score = np.random.default_rng(0).normal(size=total)
    table = ScoreTable.from_scores(rows(rows_of_class, total), score)
    estimate = bootstrap_interval(table, measure, Bootstrap(n=20))
    assert [warning.code for warning in estimate.warnings] == codes


def test_unequal_groups_are_warned_of_in_either_order() -> None:
    assert unequal_groups(30, 200)
    assert unequal_groups(200, 30)
    assert unequal_groups(50, 200) == () == unequal_groups(0, 200)


def test_one_is_not_written_as_several() -> None:
    assert few_of_class(1, "positives")[0].text.startswith("1 positive, fewer")
    assert few_of_class(1, "rows of class 'cats'")[0].text.startswith("1 row of class 'cats', fewer")
    assert few_clusters(1, what="clusters with positives")[0].text.startswith("1 cluster with positives, fewer")


def test_what_says_the_same_is_kept_once_in_order() -> None:
    a, b = DesignWarning("a", "x", "here"), DesignWarning("b", "y")
    assert distinct([a, b, DesignWarning("a", "x", "there"), b]) == (DesignWarning("a", "x", "here, there"), b)


def test_an_evaluation_says_each_warning_once_in_notes_json_and_text() -> None:
    evaluation = th.evaluate(rows(8), {"a": SCORE, "b": SCORE[::-1]}, positive=1)
    codes = ["few-positives", "few-outcomes", "few-rows-of-class", "few-outcomes"]
    assert [warning.code for warning in evaluation.warnings] == codes
    warning = evaluation.warnings[0]
    assert evaluation.notes.count(warning.text) == 1
    found = json.loads(evaluation.to_json())
    assert [each["code"] for each in found["warnings"]] == codes
    assert [note["code"] for note in found["notes"]].count(warning.code) == 1
    assert " ".join(render(evaluation, "text").split()).count("8 positives, fewer than 10: intervals that rest") == 1


def test_enough_rows_are_not_warned_of() -> None:
    mixed = np.random.default_rng(0).permutation(SCORE)
    evaluation = th.evaluate(rows(30), {"a": mixed, "b": mixed[::-1]})
    assert evaluation.warnings == () == evaluation.compare().warnings
    assert json.loads(evaluation.to_json())["warnings"] == []


def test_a_comparison_names_its_models_or_groups() -> None:
    site = ["x"] * 40 + ["y"] * 160
    truth = np.arange(200) % 2
    score = np.linspace(0, 1, 200)
    evaluation = th.evaluate(truth, {"a": score, "b": score**2}, by={"site": site})
    found = evaluation.compare("a", "b", by="site")
    assert [c.warnings for c in found] == [()] * 5
    small = th.evaluate(truth[5:], {"a": score[5:]}, by={"site": site[5:]}).compare("a", by="site", test="delong")[0]
    assert [(w.code, w.where) for w in small.warnings] == [
        ("few-errors", "ROC AUC of a in site x and site y"),
        ("unequal-groups", "site x and site y"),
    ]
    assert small.to_dict()["warnings"][1]["code"] == "unequal-groups"


@pytest.mark.parametrize(
    ("options", "is_warned"),
    [
        ({"measure": "auc"}, False), ({"measure": "gini"}, False), ({"measure": "auc", "margin": 0.1}, False),
        ({"measure": "auc", "test": "permutation"}, False), ({"measure": "auc", "test": "delong"}, True),
        ({"measure": "auc", "test": "bootstrap"}, True), ({"measure": "average_precision"}, False),
        ({"measure": "f1"}, False), ({"measure": "cohen_kappa"}, False),
        ({"measure": "f1", "test": "bootstrap"}, True), ({"measure": "brier_score"}, False),
    ],
)  # fmt: skip
def test_unequal_groups_are_warned_of_where_the_test_was_seen_to_fail_or_not_tried(options, is_warned) -> None:  # type: ignore[no-untyped-def]
    """The score test of AUCs rejected at most 6.5 % of equal groups of any size, a permutation keeps its level."""
    site, truth = np.repeat(["x", "y"], [30, 170]), np.arange(200) % 2
    by_site = th.evaluate(truth, {"a": np.linspace(0, 1, 200)}, by={"site": site}, bootstrap=th.Bootstrap(n=20))
    plain = th.evaluate(truth, {"a": np.linspace(0, 1, 200)}, by={"site": site})
    found = (by_site if options.get("test") == "bootstrap" else plain).compare(by="site", **options)[0]
    assert ("unequal-groups" in [w.code for w in found.warnings]) is is_warned


@pytest.mark.parametrize(("rows_of_class", "codes"), [(99, ["few-for-bootstrap"]), (100, [])])
def test_a_bootstrap_of_classes_is_warned_of_below_the_same_number(rows_of_class: int, codes: list[str]) -> None:
    truth = np.repeat([0, 1, 2], [150, 150, rows_of_class])
    posteriors = np.eye(3)[truth] + np.random.default_rng(0).normal(size=(truth.size, 3))
    estimate = multiclass_bootstrap(truth, posteriors, Bootstrap(n=20), scores=True)["hand_till"]
    assert [warning.code for warning in estimate.warnings] == codes


def test_few_clusters_are_warned_of_where_they_are_drawn() -> None:
    truth, cluster = np.arange(60) % 2, np.repeat(np.arange(20), 3)
    plain = th.evaluate(truth, SCORE, cluster=cluster)
    drawn = th.evaluate(truth, SCORE, cluster=cluster, bootstrap=20)
    assert [w.code for w in design_warnings(plain)] == []
    assert [w.code for w in design_warnings(drawn)] == ["few-clusters"]


def test_an_estimate_carries_warnings_into_its_dictionary() -> None:
    estimate = th.results.Estimate(name="auc", value=0.9, warnings=few_folds(3, where="auc"))
    assert estimate.to_dict()["warnings"] == [few_folds(3, where="auc")[0].to_dict()]
