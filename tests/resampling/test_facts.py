"""Facts of fitted estimators: counted again by hand, from stand-ins with known shape and from the real libraries."""

from types import SimpleNamespace

import numpy as np
import pytest

from thresher.errors import InputError
from thresher.resampling.facts import ModelFacts, model_facts
from thresher.resampling.nearest_mean import NearestMean

# Root asks feature 2; its left child asks feature 0; leaves 2, 3, 4.
TREE = SimpleNamespace(
    n_leaves=3, max_depth=2, feature=np.array([2, 0, -2, -2, -2]),
    children_left=np.array([1, 3, -1, -1, -1]), children_right=np.array([2, 4, -1, -1, -1]),
)  # fmt: skip
LEAF = SimpleNamespace(
    n_leaves=1, max_depth=0, feature=np.array([-2]), children_left=np.array([-1]), children_right=np.array([-1])
)


def fitted(**attributes):
    return SimpleNamespace(predict=None, **attributes)


def values(facts: ModelFacts):
    return {fact.name: fact.value for fact in facts}


def test_one_tree():
    assert values(model_facts(fitted(tree_=TREE))) == {"leaves": 3, "depth": 2, "features used": 2}
    assert values(model_facts(fitted(tree_=LEAF))) == {"leaves": 1, "depth": 0, "features used": 0}


@pytest.mark.parametrize("shape", [(2,), (2, 1)])
def test_trees_together(shape):
    held = np.empty(2, dtype=object)
    held[:] = [SimpleNamespace(tree_=TREE), SimpleNamespace(tree_=LEAF)]
    assert values(model_facts(fitted(estimators_=held.reshape(shape)))) == {
        "trees": 2, "leaves": 4, "leaves a tree": 2.0, "depth": 2, "mean depth": 1.0, "features used": 2,
    }  # fmt: skip


def test_bagged_trees_number_their_own_columns():
    held = [SimpleNamespace(tree_=TREE), SimpleNamespace(tree_=TREE)]
    found = model_facts(fitted(estimators_=held, estimators_features_=[[5, 6, 7], [5, 6, 8]]))
    assert found["features used"] == 3  # columns 5, 7 and 8


def test_coefficients():
    found = values(model_facts(fitted(coef_=np.array([[0.0, 1.5, 0.0], [0.0, -2.0, 1e-12]]), n_features_in_=3)))
    assert found == {"coefficients": 6, "non-zero coefficients": 3, "features used": 2, "features": 3}
    assert model_facts(fitted(coef_=np.array([0.0, 1.0])))["non-zero coefficients"] == 1


def test_support_vectors_in_all_and_by_class():
    found = model_facts(fitted(n_support_=np.array([3, 1004]), classes_=np.array(["a", "b"]), shape_fit_=(2000, 4)))
    assert found["support vectors"] == 1007
    assert found["support vectors by class"] == "a: 3, b: 1,004"
    assert found["training rows"] == 2000


def test_neighbors_networks_and_bayes():
    assert model_facts(fitted(n_samples_fit_=7, n_neighbors=3))["rows stored"] == 7
    net = fitted(coefs_=[np.zeros((4, 3)), np.zeros((3, 1))], intercepts_=[np.zeros(3), np.zeros(1)], n_iter_=9)
    assert values(model_facts(net)) == {"layers": "4 → 3 → 1", "weights": 19, "iterations": 9}
    bayes = fitted(theta_=np.zeros((2, 5)), var_=np.ones((2, 5)), class_prior_=np.ones(2))
    assert model_facts(bayes)["parameters"] == 22


def test_what_is_not_revealed_is_not_there():
    found = model_facts(NearestMean().fit([[0.0], [1.0]], [0, 1]))
    assert "leaves" not in found
    assert found.note == "it reveals nothing about its size or shape"
    with pytest.raises(KeyError, match="does not reveal 'leaves'; it reveals 'classes'"):
        found["leaves"]


def test_wrappers_are_taken_off():
    inner = fitted(coef_=np.array([1.0]))
    pipeline = SimpleNamespace(steps=[("a", NearestMean()), ("skip", "passthrough"), ("m", inner)], named_steps={})
    found = model_facts(SimpleNamespace(best_estimator_=SimpleNamespace(predict=None, **vars(pipeline))))
    assert found.wrapped == ("SimpleNamespace", "NearestMean")
    assert found["coefficients"] == 1
    assert str(found).splitlines()[0] == "SimpleNamespace → NearestMean → SimpleNamespace"


@pytest.mark.peer
def test_frame_has_a_row_for_each_fact():
    frame = model_facts(fitted(n_support_=np.array([3, 4]), classes_=np.array([0, 1]))).to_frame("pandas")
    assert list(frame["fact"]) == ["support vectors", "support vectors by class", "classes"]
    assert frame["value"][0] == 7
    assert np.isnan(frame["value"][1])
    assert frame["text"][1] == "0: 3, 1: 4"


@pytest.fixture(scope="module")
def rows():
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return X[:, :8], y


@pytest.mark.peer
def test_scikit_learn_trees_agree_with_their_own_methods(rows):
    from sklearn.ensemble import BaggingClassifier, GradientBoostingClassifier, RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(random_state=0).fit(*rows)
    found = model_facts(tree)
    assert (found["leaves"], found["depth"]) == (tree.get_n_leaves(), tree.get_depth())
    assert found["features used"] == np.count_nonzero(tree.feature_importances_)
    for ensemble in (
        RandomForestClassifier(5, random_state=0), BaggingClassifier(n_estimators=3, max_features=0.5, random_state=0),
        GradientBoostingClassifier(n_estimators=4, random_state=0),
    ):  # fmt: skip
        members = np.ravel(np.asarray(ensemble.fit(*rows).estimators_, dtype=object))
        found = model_facts(ensemble)
        assert found["trees"] == len(members)
        assert found["leaves"] == sum(member.get_n_leaves() for member in members)
        assert found["depth"] == max(member.get_depth() for member in members)


@pytest.mark.peer
def test_other_scikit_learn_estimators(rows):
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.ensemble import HistGradientBoostingClassifier, StackingClassifier, VotingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    lasso = make_pipeline(StandardScaler(), LogisticRegression(l1_ratio=1, solver="liblinear", C=0.05)).fit(*rows)
    found = model_facts(lasso)
    assert found.wrapped == ("StandardScaler",)
    assert 0 < found["non-zero coefficients"] == np.count_nonzero(lasso[-1].coef_) < 8
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [1, 2]}, cv=2).fit(*rows)
    found = model_facts(search)
    assert found.wrapped == ("GridSearchCV", "StandardScaler")
    assert found["support vectors"] == len(search.best_estimator_[-1].support_vectors_)
    assert model_facts(HistGradientBoostingClassifier(max_iter=7).fit(*rows))["trees"] == 7
    pair = [("tree", DecisionTreeClassifier(max_depth=1)), ("bayes", GaussianNB())]
    assert model_facts(VotingClassifier(pair).fit(*rows)).members["tree"]["leaves"] == 2
    assert list(model_facts(StackingClassifier(pair).fit(*rows)).members) == ["tree", "bayes", "final estimator"]
    calibrated = CalibratedClassifierCV(DecisionTreeClassifier(max_depth=1), cv=2).fit(*rows)
    assert [member["leaves"] for member in model_facts(calibrated).members.values()] == [2, 2]


@pytest.mark.peer
def test_lightgbm_agrees_with_its_table_of_nodes(rows):
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(n_estimators=3, verbose=-1).fit(*rows)
    nodes = model.booster_.trees_to_dataframe()
    found = model_facts(model)
    assert found["trees"] == 3
    assert found["leaves"] == nodes["split_feature"].isna().sum()
    assert found["depth"] == nodes["node_depth"].max() - 1  # it counts nodes
    assert found["features used"] == nodes["split_feature"].nunique()
    with pytest.raises(InputError, match="not fitted"):
        model_facts(LGBMClassifier())


@pytest.mark.peer
def test_xgboost_agrees_with_its_table_of_nodes(rows):
    from xgboost import XGBClassifier

    model = XGBClassifier(n_estimators=3, max_depth=4).fit(*rows)
    nodes = model.get_booster().trees_to_dataframe()
    found = model_facts(model)
    assert found["trees"] == 3
    assert found["leaves"] == (nodes["Feature"] == "Leaf").sum()
    assert found["features used"] == nodes["Feature"].nunique() - 1
    assert 1 <= found["depth"] <= 4
    with pytest.raises(InputError, match="not fitted"):
        model_facts(XGBClassifier())


def test_forms_hold_the_same_facts():
    held = [fitted(coef_=np.array([1.0])), fitted(tree_=TREE)]
    found = model_facts(fitted(estimators_=held, estimators=[("linear", None), ("tree", None)]))
    assert list(found.members) == ["linear", "tree"]
    assert found.to_dict()["members"]["tree"]["facts"]["leaves"] == 3
    assert [(part, fact.name) for part, fact in found.rows()][-1] == ("tree", "features used")
