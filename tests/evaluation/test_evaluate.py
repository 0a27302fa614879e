"""`evaluate`: what it takes, what it says, and that what it derives is what the counts say."""

import json
import math
import pickle

import numpy as np
import pytest

import thresher as th
from thresher.errors import InputError, OptionError, UndefinedError, UndefinedMeasureWarning
from thresher.predictions import Predictions

Y = np.array([1, 0, 1, 0, 1, 1, 0, 0])
S = np.array([0.9, 0.6, 0.4, 0.1, 0.8, 0.3, 0.3, 0.2])


def test_one_model_reads_as_the_evaluation():
    ev = th.evaluate(Y, S)
    assert list(ev) == ["score"]
    assert ev.auc == ev["score"].auc
    pairs = [(p > n) + 0.5 * (p == n) for p in S[Y == 1] for n in S[Y == 0]]
    assert ev.auc.value == np.mean(pairs)


def test_several_models_must_be_named():
    ev = th.evaluate(Y, {"a": S, "b": -S}, threshold={"a": 0.5, "b": -0.5})
    assert ev["a"].auc.value == 1 - ev["b"].auc.value


def test_a_threshold_is_assumed_only_for_scores_in_0_1_and_said():
    assumed = th.evaluate(Y, S)
    assert assumed["score"].threshold == 0.5
    assert "assumed-threshold" in [note.code for note in assumed.notes]
    none = th.evaluate(Y, 10 * S)["score"]
    assert none.threshold is None
    assert none.confusion_matrix is None
    assert math.isnan(none.recall.value)
    assert none.recall.reason_code == "no-threshold"
    given = th.evaluate(Y, 10 * S, threshold=5)["score"]
    assert given.confusion_matrix.counts.tolist() == [[2, 2], [1, 3]]


@pytest.mark.parametrize(
    ("direction", "threshold", "said"),
    [
        ("higher", 50, "no score reaches the threshold 50, as they go from 0.1 to 0.9: every row is predicted “0”"),
        ("higher", 0.90000001, "no score reaches the threshold 0.90000001, as they go from 0.1 to 0.9:"),
        ("higher", 0.901, "no score reaches"), ("higher", 0.9, None), ("higher", 0.101, None),
        ("higher", -1, "every score reaches the threshold -1, as they go from 0.1 to 0.9: every row is predicted “1”"),
        ("lower", 0.099, "no score reaches"), ("lower", 0.1, None), ("lower", 0.899, None),
        ("lower", 0.9, "every score reaches"), ("higher", 0.1, "every score reaches"), ("higher", None, None),
    ],
)  # fmt: skip
def test_a_threshold_that_all_scores_lie_on_one_side_of_is_said(direction, threshold, said):
    ev = th.evaluate([1, 0, 1, 0], [0.9, 0.4, 0.6, 0.1], threshold=threshold, direction=direction)
    notes = [note for note in ev.notes if note.code == "threshold-beyond-scores"]
    assert len(notes) == (said is not None)
    assert all(said in note for note in notes)


@pytest.mark.parametrize("options", [{}, {"bootstrap": 50, "cluster": np.arange(60) // 2}])
def test_the_order_is_called_reversed_only_when_the_interval_lies_below_a_half(options):
    truth, said = np.arange(60) % 2, []
    for strength in (-0.1, -3.0):
        ev = th.evaluate(truth, strength * truth + np.random.default_rng(3).normal(size=60), **options)
        said.append((ev.auc.value < 0.5, ev.auc.high < 0.5, "reversed-scores" in [note.code for note in ev.notes]))
    assert said == [(True, False, False), (True, True, True)]


def test_groups_are_the_rows_of_each_value_and_an_incomplete_one_is_shown():
    site = np.array(["x", "x", "x", "x", "y", "y", "z", "z"])
    ev = th.evaluate(Y, S, by=site)
    assert list(ev.groups) == ["x", "y", "z"]
    assert [group.n for group in ev.groups.values()] == [4, 2, 2]
    assert ev.groups["x"].auc == th.evaluate(Y[:4], S[:4]).auc
    assert math.isnan(ev.groups["y"].auc.value)
    assert ev.groups["y"].auc.reason_code == "no-rows"
    assert ev.groups["y"]["score"].confusion_matrix.counts.tolist() == [[1, 1], [0, 0]]


def test_several_group_columns_are_crossed():
    one, two = np.array(list("aabbaabb")), np.array(list("uuuuvvvv"))
    ev = th.evaluate(Y, S, by={"one": one, "two": two})
    assert set(ev.groups) == {("a", "u"), ("b", "u"), ("a", "v"), ("b", "v")}
    for (i, j), group in ev.groups.items():
        rows = (one == i) & (two == j)
        assert group["score"].scores == th.evaluate(Y[rows], S[rows], positive=1)["score"].scores


def test_folds_add_up_to_the_whole():
    fold = np.array([1, 1, 1, 2, 2, 2, 3, 3])
    ev = th.evaluate(Y, S, fold=fold)
    tables = [part["score"].scores for part in ev.folds.values()]
    assert tables[0] + tables[1] + tables[2] == ev["score"].scores


def test_undefined_policy():
    with pytest.warns(UndefinedMeasureWarning, match="ROC AUC is undefined: there are no negatives"):
        _ = th.evaluate([1, 1], [0.9, 0.6], undefined="warn").auc
    with pytest.raises(UndefinedError, match="there are no negatives"):
        _ = th.evaluate([1, 1], [0.9, 0.6], undefined="raise").auc
    assert th.evaluate([1, 1], [0.9, 0.6], undefined=0.5).auc.value == 0.5


def test_notes_do_not_depend_on_the_policy():
    policies = [th.evaluate([1, 1], [0.9, 0.6], undefined=policy).notes for policy in ("nan", "raise", 0)]
    assert policies[0] == policies[1] == policies[2]


def test_values_are_frozen_and_survive_pickling_without_their_caches():
    ev = th.evaluate(Y, S, by=np.array(list("xxyyxxyy")))
    _ = ev["score"].table, ev.groups, ev["score"].roc
    with pytest.raises(AttributeError):
        ev.level = 0.9
    bare = pickle.dumps(th.evaluate(Y, S, by=np.array(list("xxyyxxyy"))))
    assert pickle.dumps(ev) == bare
    assert pickle.loads(bare).auc == ev.auc


def test_curves_carry_their_estimate_and_library():
    ev = th.evaluate(Y, S)
    assert ev.roc.summary == ev.auc
    assert ev.roc.area() == pytest.approx(ev.auc.value)
    assert ev.pr.area() == pytest.approx(ev.pr_auc_davis_goadrich.value)
    assert ev["score"].curve(x="recall", y="precision").x.tolist() == ev["score"].table.recall.tolist()
    assert {"roc", "auc", "true_positive_rate"} <= set(dir(ev["score"]))


class Estimator:
    """What evaluate_estimator needs of scikit-learn's interface."""

    classes_ = np.array(["ill", "well"])

    def predict_proba(self, x):
        return np.column_stack([x, 1 - x])

    def predict(self, x):
        return np.where(x >= 0.5, "ill", "well")


class Margins(Estimator):
    predict_proba = property()  # reading it raises AttributeError, as scikit-learn does without probabilities

    def decision_function(self, x):
        return 0.5 - x


@pytest.mark.parametrize("estimator", [Estimator(), Margins()])
def test_estimator_scores_of_the_positive_class(estimator):
    labels = np.where(Y == 1, "ill", "well")
    ev = th.evaluate_estimator(estimator, S, labels, positive="ill")
    assert ev.auc.value == th.evaluate(Y, S).auc.value
    assert list(ev) == [type(estimator).__name__]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.peer
def test_tables_of_a_model_come_in_the_users_library(library):
    made = pytest.importorskip(library)
    frame = (made.table if library == "pyarrow" else made.DataFrame)({"y": Y, "a": S, "b": -S})
    ev = th.evaluate(frame, label="y", scores=["a", "b"])
    for shown in (ev["a"].table.to_frame(), ev["a"].to_frame(), ev["a"].roc.to_frame()):
        assert type(shown) is type(frame)
    assert ev["a"].table.to_frame().shape == (np.unique(S).size + 1, 7)
    # The library is no part of what a table says.
    assert ev["a"].table == th.evaluate(Y, S)["score"].table


def test_a_seed_is_a_whole_number():
    assert th.evaluate(Y, S, rng=np.int64(3)).to_dict()["seed"] == 3


def test_a_bootstrap_fills_only_the_intervals_without_a_formula():
    plain, drawn = th.evaluate(Y, S), th.evaluate(Y, S, bootstrap=50)
    assert drawn.auc == plain.auc
    assert plain.maximum_informedness.low is None
    assert plain.maximum_informedness.reason_code == "no-formula"
    from thresher.inference import Bootstrap, bootstrap_interval

    expected = bootstrap_interval(plain["score"].scores, "maximum_informedness", Bootstrap(n=50))
    assert drawn.maximum_informedness == drawn["score"].measures["maximum_informedness"]
    assert (drawn.maximum_informedness.low, drawn.maximum_informedness.high) == (expected.low, expected.high)
    assert th.evaluate(Y, S, bootstrap=Bootstrap(n=50, rng=7)).maximum_informedness != drawn.maximum_informedness


def test_the_seed_of_an_evaluation_is_that_of_everything_its_models_draw():
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 60), rng.random(60)
    model = th.evaluate(y, score, rng=5)["score"]
    assert model.choose("youden", bootstrap=20).resampled.config.rng == 5
    assert "seed 5" in model.partial_area("recall>=0.5", bootstrap=20).raw.method
    assert "seed 5" in model.estimate("maximum_informedness", bootstrap=20).method
    assert model.choose("youden", bootstrap=th.Bootstrap(n=20, rng=3)).resampled.config.rng == 3
    assert json.loads(th.evaluate(y, score, rng=5).to_json())["seed"] == 5
    posteriors = rng.dirichlet(np.ones(3), 60)
    net = th.evaluate(rng.integers(0, 3, 60), probabilities={"net": posteriors}, rng=5)["net"]
    assert net.decide(maximize="macro_f1").to_dict() == net.decide(maximize="macro_f1", rng=5).to_dict()
    assert net.decide(maximize="macro_f1").to_dict() != net.decide(maximize="macro_f1", rng=6).to_dict()


def test_groups_are_resampled_by_the_column_that_the_bootstrap_names():
    """It ended in an error, as a group has no columns; the same clusters as a column of their own are the reference."""
    rng = np.random.default_rng(0)
    y, score, sites = rng.integers(0, 2, 80), rng.random(80), np.arange(80) // 40
    columns = {"arm": np.arange(80) % 2, "site": sites}
    named = th.evaluate(y, score, by=columns, bootstrap=th.Bootstrap(n=20, clusters="site"))
    own = th.evaluate(y, score, by=columns, cluster=sites, bootstrap=20)
    assert "clusters" in named.ks_statistic.method
    assert [part.ks_statistic for part in named.groups.values()] == [e.ks_statistic for e in own.groups.values()]
    by_arm = th.evaluate(y, score, by={"arm": columns["arm"]}, cluster=np.arange(80) // 8, bootstrap=20)
    assert "clusters" in by_arm.groups[0].ks_statistic.method


def test_a_threshold_beside_predicted_labels_is_not_taken_in_silence():
    y, s, p = [1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1], [1, 0, 0, 0]
    both = th.evaluate(y, {"m": s}, predicted={"m": p}, threshold=0.3)
    assert both.confusion_matrix.counts.tolist() == [[1, 1], [0, 2]]
    assert "m: the matrix is of its predicted labels, not of the threshold that was given" in both.notes
    assert "unused-threshold" not in [note.code for note in th.evaluate(y, {"m": s}, threshold=0.3).notes]
    assert "unused-threshold" not in [note.code for note in th.evaluate(y, {"m": s}, predicted={"m": p}).notes]


def test_checked_rows_are_evaluated_as_they_are(tmp_path):
    """It was said that there is nothing to judge."""
    given = {"scores": {"a": [0.1, 0.8, 0.6, 0.7], "b": [0.3, 0.2, 0.9, 0.1]}, "weights": [1, 2, 1, 3]}
    before = th.evaluate([0, 1, 1, 0], **given, direction={"a": "higher", "b": "lower"}, threshold={"a": 0.65})
    before.predictions.save(tmp_path / "rows.parquet")
    rows = Predictions.load(tmp_path / "rows.parquet")
    after = th.evaluate(rows, threshold={"a": 0.65}, level=0.9)
    assert {name: model.auc.value for name, model in after.items()} == {n: m.auc.value for n, m in before.items()}
    assert after["a"].threshold == 0.65
    assert after.level == 0.9
    for option in ({"label": "y"}, {"positive": 1}, {"direction": "lower"}, {"weights": [1] * 4}, {"normalize": True}):
        with pytest.raises(OptionError, match=rf"^{next(iter(option))}=… was chosen when these Predictions were made"):
            th.evaluate(rows, **option)
    with pytest.raises(OptionError, match=r"^scores=… was chosen"):
        th.evaluate(rows, "a")
    with pytest.raises(InputError, match=r"already checked rows\. .* count one score with ScoreTable\.of_rows"):
        th.count(rows)


@pytest.fixture(scope="module")
def ev() -> th.Evaluation:
    return th.evaluate([1, 0, 1, 0], {"a": [0.9, 0.6, 0.4, 0.1]})


ROCK = r"kind='rock' is not one of its values: .* Did you mean 'roc'\?"


@pytest.mark.peer
def test_a_kind_of_picture_that_was_meant_is_named(ev: th.Evaluation) -> None:
    for ask in (ev["a"].plot, ev.plot):
        with pytest.raises(OptionError, match=ROCK):
            ask("rock")


def model(task):
    if task == "binary":
        return th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])["score"]
    if task == "multilabel":
        return th.evaluate(np.array([[1, 0], [0, 1]]), {"m": np.array([[0.9, 0.1], [0.2, 0.8]])})["m"]
    return th.evaluate(th.load_example("wine"), label="cultivar", probabilities="bayes_")["bayes"]


def test_hard_labels_of_three_classes():
    ev = th.evaluate(["a", "b", "c", "a"], predicted=["a", "b", "a", "a"])
    assert ev.accuracy.value == 0.75
    assert ev["predicted"].task == "labels"


def test_one_model_of_several_prints_alone():
    ev = th.evaluate(Y, {"first": S, "second": S**2})
    assert "second" not in str(ev["first"])
    assert str(ev["first"]) == str(th.evaluate(Y, {"first": S}))
    assert ev["first"]._repr_html_() == th.evaluate(Y, {"first": S})._repr_html_()
