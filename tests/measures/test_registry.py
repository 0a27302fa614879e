"""Names, parameters and errors of the registry."""

import inspect

import numpy as np
import pytest

from thresher.counts import Cells, ConfusionMatrix, ScoreTable, ThresholdTable
from thresher.errors import ThresherError, UnknownMeasureError
from thresher.measures import find, measures
from thresher.measures.measure_text import parse_measure
from thresher.measures.registry import REGISTRY, Ratio, attribute_names, measure, reason_undefined

MATRIX = ConfusionMatrix.from_counts([[90, 210], [140, 9560]], labels=["yes", "no"], positive="yes")
THREE = ConfusionMatrix.from_counts([[5, 1, 0], [2, 3, 0], [1, 1, 0]], labels=["a", "b", "c"])

ALIASES = {
    "accuracy": ["recognition rate"], "error rate": ["misclassification rate"],
    "true positive rate": ["sensitivity", "recall", "hit rate", "power"],
    "true negative rate": ["specificity", "selectivity"],
    "false positive rate": ["fall-out", "false alarm rate", "type I error rate"],
    "false negative rate": ["miss rate", "type II error rate"], "positive predictive value": ["precision"],
    "prevalence": ["base rate"], "predicted prevalence": ["detection prevalence", "alert rate"],
    "informedness": ["Youden J"], "Matthews correlation": ["phi"],
    "jaccard": ["critical success index", "threat score"], "average cost": ["expected cost"],
}  # fmt: skip


@pytest.mark.parametrize(("name", "aliases"), ALIASES.items())
def test_the_literature_s_names_are_known(name: str, aliases: list[str]) -> None:
    assert all(find(alias) is find(name) for alias in aliases)


def test_an_unknown_name_offers_the_nearest() -> None:
    assert issubclass(UnknownMeasureError, ThresherError)


def test_measures_of_scores_are_no_attributes_of_decisions() -> None:
    assert not hasattr(MATRIX, "auc")


def test_measures_of_scores_read_either_table() -> None:
    scores = ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
    assert find("auc")(scores) == find("auc")(ThresholdTable.from_table(scores)) == 0.75


def test_measures_with_parameters_are_functions_of_them() -> None:
    assert MATRIX.f_beta(beta=1) == MATRIX.f1
    assert MATRIX.average_cost(cost_fp=1, cost_fn=20) == (140 + 20 * 210) / 10_000
    assert THREE.weighted_kappa(weights="linear") != THREE.weighted_kappa(weights="quadratic")


def test_parameters_spread_over_the_batch_axes() -> None:
    table = ThresholdTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
    chosen = np.array([0.0, 0.9, 0.6, 0.4, 0.1])
    got = table.net_benefit(threshold_probability=chosen)
    assert got.tolist() == [table.row(i).net_benefit(threshold_probability=p) for i, p in enumerate(chosen.tolist())]


def test_no_name_is_used_twice() -> None:
    names = [name for entry in measures() for name in (entry.name, *entry.aliases)]
    assert len(names) == len(set(names))
    assert all(name.isidentifier() for name in attribute_names())
    with pytest.raises(ValueError, match="two measures are called recall"):
        measure("recall", text="x", source="nobody 2000")(lambda c: c.tp)
    assert "<lambda>" not in REGISTRY


def test_a_formula_with_annotation_ratio_is_a_proportion_either_way() -> None:
    def evaluated(c: Cells) -> Ratio:
        return c.tp, c.pos

    evaluated.__annotations__["return"] = Ratio
    for formula in (evaluated, find("recall").formula):
        assert inspect.signature(formula).return_annotation in (Ratio, "Ratio")
    assert find("recall").proportion
    assert not find("f1").proportion


def test_reasons_are_in_words() -> None:
    nothing = ConfusionMatrix.empty((1, 0))
    assert reason_undefined(find("precision"), ConfusionMatrix.from_cells(tp=0, fp=0, fn=3, tn=5)) == (
        "nothing is predicted positive"
    )
    assert reason_undefined(find("mcc"), nothing) == (
        "fewer than two classes occur and fewer than two classes are predicted"
    )
    assert reason_undefined(find("f1"), MATRIX) is None
    one_class = ConfusionMatrix.from_cells(tp=0, fp=3, fn=0, tn=5).with_prevalence(0.2)
    assert reason_undefined(find("accuracy"), one_class) == ("a prevalence was set, and one class is empty")
    assert one_class.specificity == 5 / 8


@pytest.mark.parametrize(("written", "name"), [
    ("LR+", "positive_likelihood_ratio"), ("LR-", "negative_likelihood_ratio"), ("LR−", "negative_likelihood_ratio"),
    ("Youden's J", "informedness"), ("Youden’s J", "informedness"), ("Cohen's kappa", "cohen_kappa"),
    ("Fowlkes–Mallows", "fowlkes_mallows"), ("Type I error rate", "false_positive_rate"),
])  # fmt: skip
def test_names_are_understood_as_the_literature_prints_them(written: str, name: str) -> None:
    assert find(written).name == name


@pytest.mark.parametrize(
    "text", ["recall@fpr=0", "recall@fpr=1", "recall@specificity=100%", "lift@k=1000", "f1@mcc=-1"]
)
def test_the_ends_of_a_range_are_in_it(text: str) -> None:
    assert parse_measure(text).at is not None
