"""Costs, class weights and probabilities that have names go by them, in every form and function, or are refused."""

import numpy as np
import pytest

from named_forms import MATRICES, TABLES, VALUES, indexed, pd, pl, shuffled
from thresher import evaluate
from thresher.calibration import fit_classwise
from thresher.decisions import ClassRule, Costs, cheapest_labels, weighted_labels
from thresher.errors import InputError, OptionError
from thresher.inference import mcnemar_test
from thresher.inference.proportions.differences import newcombe_paired_difference
from thresher.multiclass import Posteriors, multilabel_counts, optimize_class_weights

pytestmark = pytest.mark.peer

RNG = np.random.default_rng(4)
NAMES, MOVED = ("ash", "birch", "cedar"), ("cedar", "ash", "birch")
CODES = np.repeat([0, 1, 2], 20)
TRUTH = [NAMES[k] for k in CODES]
P = RNG.dirichlet(np.ones(3), 60) * 0.5 + np.eye(3)[CODES] * 0.5
ARRAY = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 3.0], [9.0, 5.0, 0.5]])
COSTS = {a: dict(zip(NAMES, row, strict=True)) for a, row in zip(NAMES, ARRAY.tolist(), strict=True)}
WEIGHTS = {"cedar": 3.0, "ash": 0.5, "birch": 1.0}
IN_ORDER = [0.5, 1.0, 3.0]
ORDERS = [(NAMES, NAMES), (NAMES, MOVED), (MOVED, ("birch", "cedar", "ash"))]
PLACES = [NAMES.index(name) for name in MOVED]


def model():
    return evaluate(TRUTH, probabilities=P)["model"]


@pytest.mark.parametrize("form", TABLES)
@pytest.mark.parametrize(("rows", "columns"), ORDERS)
def test_costs_go_by_name(form, rows, columns):
    costs = TABLES[form](shuffled(COSTS, rows, columns))
    want = cheapest_labels(P, ARRAY).codes.tolist()
    assert model().decide(costs=costs).codes.tolist() == want
    assert ClassRule(labels=NAMES, costs=costs).costs == tuple(map(tuple, ARRAY.tolist()))
    assert cheapest_labels(pd.DataFrame(P, columns=list(NAMES)), costs).codes.tolist() == want
    moved = cheapest_labels(pl.DataFrame(P[:, PLACES], schema=[f"p_{name}" for name in MOVED]), costs)
    assert [PLACES[k] for k in moved.codes] == want
    chosen = optimize_class_weights(TRUTH, P, costs=costs, folds=None)
    assert chosen.weights.tolist() == optimize_class_weights(TRUTH, P, costs=ARRAY, folds=None).weights.tolist()


@pytest.mark.parametrize("form", TABLES)
@pytest.mark.parametrize("columns", [("well", "ill"), ("ill", "well")])
def test_costs_of_two_classes_go_by_name(form, columns):
    costs = TABLES[form](
        shuffled({"ill": {"ill": 0, "well": 20}, "well": {"ill": 1, "well": 0}}, ("well", "ill"), columns)
    )
    assert Costs.from_matrix(costs, positive="ill") == Costs(fp=1, fn=20)
    assert Costs.from_matrix(costs, positive="well") == Costs(fp=20, fn=1)
    with pytest.raises(OptionError, match="which of the labels 'well', 'ill' is positive"):
        Costs.from_matrix(costs)


def test_costs_of_two_classes_that_speak_for_themselves():
    assert Costs.from_matrix(indexed({0: {0: 0, 1: 1}, 1: {0: 20, 1: 0}})) == Costs(fp=1, fn=20)
    with pytest.raises(OptionError, match="the array is unnamed"):
        Costs.from_matrix([[0, 1], [20, 0]], positive="ill")
    with pytest.raises(OptionError, match="2×2, and this one has the shape"):
        Costs.from_matrix(indexed(COSTS))


@pytest.mark.parametrize("form", VALUES)
def test_class_weights_go_by_name(form):
    weights = VALUES[form](WEIGHTS)
    want = weighted_labels(P, IN_ORDER).tolist()
    assert model().decide(weights=weights).weights.tolist() == IN_ORDER
    assert ClassRule(labels=NAMES, weights=weights).weights == tuple(IN_ORDER)
    moved = weighted_labels(pd.DataFrame(P[:, PLACES], columns=list(MOVED)), weights)
    assert [PLACES[k] for k in moved] == want


def test_shares_of_classes_in_the_order_of_their_frequency():
    shares = pd.Series(["cedar"] * 5 + ["ash"] * 3 + ["birch"] * 2).value_counts(normalize=True)
    assert model().decide(weights=shares).weights.tolist() == [0.3, 0.2, 0.5]


@pytest.mark.parametrize("form", MATRICES)
@pytest.mark.parametrize("name", ["{}", "p_{}", "P({})"])
def test_probabilities_go_by_the_names_of_their_columns(form, name):
    moved = MATRICES[form](P[:, PLACES], [name.format(label) for label in MOVED])
    assert np.array_equal(Posteriors.of(TRUTH, moved).matrix, P)
    assert np.array_equal(Posteriors.of(TRUTH, moved, labels=MOVED).matrix, P[:, PLACES])
    assert np.array_equal(evaluate(TRUTH, probabilities=moved)["model"].posteriors.matrix, P)
    rule = ClassRule(labels=NAMES, costs=ARRAY)
    assert rule.decide(moved).tolist() == rule.decide(P).tolist()
    rule = ClassRule(labels=NAMES, weights=IN_ORDER)
    assert rule.decide(moved).tolist() == rule.decide(P).tolist()
    chosen = optimize_class_weights(TRUTH, P, folds=None)
    assert chosen.decide(moved).tolist() == chosen.decide(P).tolist()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cheapest_labels(pd.DataFrame(P, columns=list("xyz")), COSTS), "the columns of the probabilities"),
        (lambda: model().decide(costs=indexed(COSTS).drop(columns="ash")), "the costs lack a column for class 'ash'"),
        (lambda: model().decide(costs=indexed(COSTS).drop(index="ash")), "the costs lack a row for class 'ash'"),
        (lambda: model().decide(costs=indexed(COSTS).reset_index(drop=True)[list(MOVED)]), "and unnamed rows"),
        (lambda: model().decide(weights=pd.concat([pd.Series(WEIGHTS)] * 2)), "the weights name a class twice"),
        (lambda: model().decide(weights=indexed(COSTS)), r"a table of shape \(3, 3\): one row named by class"),
        (lambda: Posteriors.of(TRUTH, pd.DataFrame(P, columns=list("xyz"))), "do not say which class each is for"),
    ],
)  # fmt: skip
def test_names_that_do_not_fit_are_refused(call, said):
    with pytest.raises(InputError, match=said):
        call()


@pytest.mark.parametrize("form", TABLES)
@pytest.mark.parametrize("names", [(True, False), (1, 0)])
def test_a_table_of_agreement_goes_by_its_names(form, names):
    right, wrong = names
    array = [[59, 6], [16, 80]]
    named = {right: {right: 59, wrong: 6}, wrong: {right: 16, wrong: 80}}
    for orders in ((names, names), (names[::-1], names[::-1]), (names, names[::-1])):
        table = TABLES[form](shuffled(named, *orders))
        assert mcnemar_test(table, alternative="greater") == mcnemar_test(array, alternative="greater")
        assert newcombe_paired_difference(table) == newcombe_paired_difference(array)
    with pytest.raises(InputError, match="a table of agreement is named True and False"):
        mcnemar_test(indexed({"a": {"a": 59, "b": 6}, "b": {"a": 16, "b": 80}}))


def test_a_crosstab_of_what_two_models_got_right():
    first, second = RNG.random(50) < 0.8, RNG.random(50) < 0.5
    found = mcnemar_test(pd.crosstab(first, second))
    assert found.estimate == pytest.approx(first.mean() - second.mean())


@pytest.mark.parametrize("form", MATRICES)
def test_maps_of_classes_and_tables_of_labels_go_by_name(form):
    names = [NAMES[k] for k in PLACES]
    found = fit_classwise(CODES, P, labels=NAMES)
    assert np.array_equal(found.transform(MATRICES[form](P[:, PLACES], names)), found.transform(P))
    with pytest.raises(InputError, match="named in another order than labels="):
        fit_classwise(CODES, MATRICES[form](P[:, PLACES], names), labels=NAMES)
    truth, decided = (P > 0.3).astype(int), (P > 0.5).astype(int)
    counts = multilabel_counts(MATRICES[form](truth, NAMES), MATRICES[form](decided[:, PLACES], names))
    assert counts.tp.tolist() == (truth & decided).sum(axis=0).tolist()
