"""Estimators, splitters and numbers of scikit-learn, dataframes and sparse matrices."""

import numpy as np
import pytest

import thresher as th
from resampling_definitions import three_classes, two_classes
from thresher.errors import InputError
from thresher.resampling.splits import SplitRows

pytestmark = pytest.mark.peer

X, y = two_classes(90, shift=0.8)


def linear(**options):
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(**options)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_values_are_those_of_cross_validate_on_the_same_splits(n_jobs):
    from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate

    splitter = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=5)
    scoring = {
        "accuracy": "accuracy", "auc": "roc_auc", "average_precision": "average_precision", "f1": "f1",
        "balanced_accuracy": "balanced_accuracy", "log_loss": "neg_log_loss", "brier_score": "neg_brier_score",
    }  # fmt: skip
    theirs = cross_validate(linear(), X, y, cv=splitter, scoring=scoring)
    a = th.assess(linear(), X, y, method=splitter, n_jobs=n_jobs, progress=False)["LogisticRegression"]
    for name in scoring:
        assert a.values(name).tolist() == pytest.approx(np.abs(theirs[f"test_{name}"]).tolist()), name
    assert a.source.splits.repeats == 2
    assert a.source.splits.folds == 4


def test_several_classes_too():
    from sklearn.model_selection import StratifiedKFold, cross_validate

    rows, labels = three_classes()
    splitter = StratifiedKFold(4, shuffle=True, random_state=1)
    scoring = {"macro_f1": "f1_macro", "log_loss": "neg_log_loss", "hand_till": "roc_auc_ovo", "accuracy": "accuracy"}
    theirs = cross_validate(linear(), rows, labels, cv=splitter, scoring=scoring)
    a = th.assess(linear(), rows, labels, method=splitter, progress=False)["LogisticRegression"]
    for name in scoring:
        assert a.values(name).tolist() == pytest.approx(np.abs(theirs[f"test_{name}"]).tolist()), name


@pytest.mark.parametrize("name", ["GroupKFold", "StratifiedGroupKFold", "LeaveOneGroupOut", "GroupShuffleSplit"])
def test_splitters_get_the_groups(name):
    import sklearn.model_selection as selection

    groups = np.array(list("abcdefghi"))[np.arange(90) // 10]
    splitter = getattr(selection, name)(**({"random_state": 3} if name == "GroupShuffleSplit" else {}))
    a = th.assess(linear(), X, y, groups=groups, method=splitter, progress=False)
    expected = [test.tolist() for _, test in splitter.split(X, y, groups)]
    assert [a.splits.row[a.splits.part(s)].tolist() for s in range(len(a.splits))] == expected


def test_a_splitter_without_a_seed_gets_ours_and_stays_as_it_is():
    from sklearn.model_selection import KFold, ShuffleSplit

    splitter = ShuffleSplit(4)
    a, b = (th.assess(linear(), X, y, method=splitter, progress=False) for _ in range(2))
    assert np.array_equal(a.splits.row, b.splits.row)
    assert splitter.random_state is None
    assert [a.splits.repeats, a.splits.folds] == [4, 1]
    plain = th.assess(linear(), X, y, method=KFold(3), progress=False)
    assert plain.splits.row.tolist() == list(range(90))


def test_pipelines_sparse_matrices_and_dataframes_give_the_same():
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from scipy import sparse
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler

    index = np.random.default_rng(0).permutation(90) + 1000
    columns = {"a": X[:, 0], "b": X[:, 1]}
    forms = {
        "array": X,
        "list": X.tolist(),
        "pandas": pd.DataFrame(columns, index=index),
        "repeated index": pd.DataFrame(columns, index=np.zeros(90)),
        "polars": pl.DataFrame(columns),
        "csr": sparse.csr_matrix(X),
        "coo": sparse.coo_matrix(X),
        "csc array": sparse.csc_array(X),
    }
    expected = None
    for name, form in forms.items():
        labels = pd.Series(y, index=index) if name == "pandas" else pl.Series(y) if name == "polars" else y
        for method in ("kfold:5", "632plus:5"):
            model = make_pipeline(MaxAbsScaler(), linear())
            a = th.assess(model, form, labels, method=method, progress=False)
            assert list(a) == ["LogisticRegression"]
            scores = a.judged["LogisticRegression"].scores
            expected = {**(expected or {}), **({method: scores} if name == "array" else {})}
            assert scores == pytest.approx(expected[method], rel=1e-9), name
    table = th.assess(
        make_pipeline(FunctionTransformer(lambda t: np.column_stack(t.columns)), linear()),
        pa.table(columns), y, method="kfold:3", progress=False,
    )  # fmt: skip
    assert table["accuracy"].value > 0.5
    assert type(th.assess(linear(), forms["pandas"], y, progress=False).folds).__module__.startswith("pandas")
    assert type(th.assess(linear(), forms["polars"], y, progress=False).to_frame()).__module__.startswith("polars")


def test_columns_of_a_dataframe_are_read_by_name_in_every_fold():
    import pandas as pd
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    frame = pd.DataFrame({"kind": np.where(X[:, 0] > 0.4, "up", "down"), "size": X[:, 1]})
    encode = make_column_transformer((OneHotEncoder(), ["kind"]), remainder="passthrough")
    assert th.assess(make_pipeline(encode, linear()), frame, y, progress=False)["accuracy"].value > 0.6


def test_weights_reach_the_last_step_of_a_pipeline():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    weights = np.where(y == 1, 20.0, 1.0)
    models = {"pipe": make_pipeline(StandardScaler(with_mean=False, with_std=False), linear()), "bare": linear()}
    a = th.assess(models, X, y, weights=weights, progress=False)
    plain = th.assess(models, X, y, progress=False)
    assert np.allclose(a.judged["pipe"].scores, a.judged["bare"].scores)
    assert not np.allclose(a.judged["pipe"].scores, plain.judged["pipe"].scores)
    assert not [note for note in a.notes if "sample_weight" in note]
    from sklearn.neighbors import KNeighborsClassifier

    unweighted = th.assess({"near": KNeighborsClassifier(3), "svc": SVC()}, X, y, weights=weights, progress=False)
    assert [note for note in unweighted.notes if "sample_weight" in note] == [
        "near: fit takes no sample_weight, so it learned unweighted; weights count in the measures."
    ]
    assert unweighted.judged["svc"].source == "decision_function"


def test_weights_reach_the_estimator_that_a_search_tunes():
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    weights = np.where(y == 1, 20.0, 1.0)
    piped = make_pipeline(StandardScaler(with_mean=False, with_std=False), LogisticRegression())
    models = {
        "bare": linear(),
        "search": GridSearchCV(linear(), {"C": [1.0]}, cv=2),
        "piped": GridSearchCV(piped, {"logisticregression__C": [1.0]}, cv=2),
        "near": GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [3]}, cv=2),
    }
    a = th.assess(models, X, y, weights=weights, method="kfold:3", progress=False)
    for name in ("search", "piped"):
        assert np.allclose(a.judged[name].scores, a.judged["bare"].scores)
        assert any(note.startswith(f"{name}: the search fits with weights, but compares") for note in a.notes)
    assert any(note.startswith("near: fit takes no sample_weight") for note in a.notes)
    tuned = th.assess(models["search"], X, y, weights=weights, method=th.Nested(3, 2), progress=False)
    assert np.allclose(tuned.judged["GridSearchCV"].scores, a.judged["bare"].scores)
    assert "unweighted-search" in [note.code for note in tuned.notes]


ROUTED = ("last step", "search", "one against the rest")


def routed(name):
    """A pipeline, a search, or an estimator around one, whose parts request the weights, and the classifier inside."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    inside = linear().set_fit_request(sample_weight=True)
    if name == "last step":
        return make_pipeline(StandardScaler().set_fit_request(sample_weight=False), inside)
    if name == "search":
        return GridSearchCV(inside.set_score_request(sample_weight=False), {"C": [1.0]})
    return OneVsRestClassifier(inside)


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("name", ROUTED)
def test_weights_are_routed_to_what_requests_them(name, n_jobs):
    import sklearn

    weights, other = np.where(y == 1, 20.0, 1.0), X * [1, 3]
    with sklearn.config_context(enable_metadata_routing=True):
        model = routed(name)
        options = {"weights": weights, "method": th.KFold(3), "n_jobs": n_jobs, "progress": False}
        a = th.assess({"m": model}, other, y, **options)
        want = np.empty(90)
        for split in th.KFold(3).splits(SplitRows(truth=y), 0):
            model.fit(other[split.train], y[split.train], sample_weight=weights[split.train])
            want[split.test] = model.predict_proba(other[split.test])[:, 1]
    assert a.evaluation.predictions.scores["m"].tolist() == pytest.approx(want.tolist())
    assert [note for note in a.notes if "requests sample_weight" in note] == [
        "m: the search fits with weights, but compares its candidates by unweighted scores, unless their scorer "
        "requests sample_weight."
    ] * (name == "search")


def test_weights_that_nothing_requests_are_said_not_to_arrive():
    import sklearn
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline

    weights = np.where(y == 1, 20.0, 1.0)
    options = {"method": th.KFold(3), "progress": False}
    plain = th.assess(make_pipeline(linear()), X, y, **options)
    with sklearn.config_context(enable_metadata_routing=True):
        models = {"pipe": make_pipeline(linear()), "near": KNeighborsClassifier(3)}
        found = th.assess(models, X, y, weights=weights, **options)
    assert found.judged["pipe"].scores.tolist() == plain.judged["LogisticRegression"].scores.tolist()
    assert [note for note in found.notes if "unweighted" in note] == [
        "pipe: scikit-learn's metadata routing is on, and no part of it requests sample_weight, so it learned "
        "unweighted; weights count in the measures.",
        "near: fit takes no sample_weight, so it learned unweighted; weights count in the measures.",
    ]


def test_a_search_in_the_last_step_of_a_pipeline_is_told_of():
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    models = {"m": make_pipeline(StandardScaler(), GridSearchCV(linear(), {"C": [1.0]}))}
    found = th.assess(models, X, y, weights=np.arange(1.0, 91), method="kfold:3", progress=False)
    assert "m: the search fits with weights, but compares its candidates by unweighted scores." in found.notes


def test_a_stacking_with_its_default_last_model_predicts_once_it_is_fitted():
    from sklearn.ensemble import StackingClassifier
    from sklearn.preprocessing import StandardScaler

    stacking = StackingClassifier([("a", linear()), ("b", linear(C=0.1))])
    found = th.assess(stacking, X, y, method="kfold:3", progress=False)
    assert found["auc"].value > 0.7
    with pytest.raises(InputError, match="lacks predict"):
        th.assess(StackingClassifier([("a", linear())], final_estimator=StandardScaler()), X, y)


@pytest.mark.parametrize("positive", ["no", "yes"])
def test_decision_values_of_scikit_learn_grow_with_its_second_class(positive):
    from sklearn.svm import SVC

    labels = np.array(["no", "yes"])[y]
    a = th.assess({"svc": SVC(), "linear": linear()}, X, labels, positive=positive, progress=False)
    assert a["svc"]["auc"].value > 0.6
    assert a["linear"]["auc"].value > 0.6


def test_seeds_are_set_inside_pipelines_and_the_same_for_any_workers():
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), RandomForestClassifier(5))
    serial = th.assess(model, X, y, method="kfold:4", progress=False)
    other = th.assess(model, X, y, method="kfold:4", n_jobs=2, progress=False)
    assert np.array_equal(serial.judged["RandomForestClassifier"].scores, other.judged["RandomForestClassifier"].scores)
    assert model.steps[-1][1].random_state is None


def test_nested_choice_is_that_of_grid_search_on_the_same_inner_folds():
    from sklearn.model_selection import GridSearchCV
    from sklearn.neighbors import KNeighborsClassifier

    grid = {"n_neighbors": [1, 5, 15]}
    outer, inner = th.KFold(3), th.KFold(4)
    tuned = th.assess(GridSearchCV(KNeighborsClassifier(), grid), X, y, method=th.Nested(outer, inner), progress=False)
    chosen = th.assess(
        {str(k): KNeighborsClassifier(k) for k in grid["n_neighbors"]},
        X,
        y,
        method=th.Nested(outer, inner),
        progress=False,
    )
    assert list(chosen) == ["selected"]
    for i, split in enumerate(outer.splits(SplitRows(truth=y), 0)):
        labels = y[split.train]
        cv = [(s.train, s.test) for s in inner.splits(SplitRows(truth=labels), 0)]
        search = GridSearchCV(KNeighborsClassifier(), grid, cv=cv).fit(X[split.train], labels)
        said = search.predict(X[split.test])
        assert tuned["GridSearchCV"].values("accuracy")[i] == pytest.approx((said == y[split.test]).mean())
        assert tuned.judged["GridSearchCV"].chosen[i] == str(search.best_params_)
        assert chosen["selected"].values("accuracy")[i] == pytest.approx((said == y[split.test]).mean())
        assert chosen.judged["selected"].chosen[i] == str(search.best_params_["n_neighbors"])
    assert tuned["GridSearchCV"].fold_columns()["chosen"][0].startswith("{'n_neighbors'")


def test_nested_resampling_keeps_groups_whole_inside():
    from sklearn.model_selection import GridSearchCV
    from sklearn.neighbors import KNeighborsClassifier

    groups = np.arange(90) // 5
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3]})
    a = th.assess(search, X, y, groups=groups, method=th.Nested(3, 2), keep_models=True, progress=False)
    for split, model in enumerate(a.judged["GridSearchCV"].fitted):
        mine = np.setdiff1d(np.arange(90), a.splits.row[a.splits.part(split)])
        for train, test in model.cv:
            assert not set(groups[mine][train]) & set(groups[mine][test])


@pytest.mark.parametrize("library", ["lightgbm", "xgboost", "catboost"])
def test_gradient_boosters(library):
    module = pytest.importorskip(library)
    names = {"lightgbm": "LGBMClassifier", "xgboost": "XGBClassifier", "catboost": "CatBoostClassifier"}
    quiet = {"lightgbm": {"verbose": -1}, "xgboost": {}, "catboost": {"verbose": 0, "allow_writing_files": False}}
    model = getattr(module, names[library])(n_estimators=5, **quiet[library])
    a = th.assess(model, X, y, method="kfold:3", weights=np.ones(90), progress=False)
    assert a["auc"].value > 0.6
    assert not [note for note in a.notes if "sample_weight" in note]
