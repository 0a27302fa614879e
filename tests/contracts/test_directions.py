"""A direction for each model: negated scores whose low ones are positive give the numbers of the scores as they were.

Every view is held to it: the report's data, comparisons by every kind of test, chosen thresholds, curves, walks, hulls,
counts of rows that are not kept, and the command.
"""

import math
import pickle
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher import gate
from thresher.cli.exit import as_flags
from thresher.errors import OptionError

RNG = np.random.default_rng(8)
N = 60
TRUTH = RNG.integers(0, 2, N)
SCORES = {name: np.round(3 + TRUTH + spread * RNG.normal(size=N), 1) for name, spread in (("a", 2), ("b", 1), ("c", 3))}
"""Rounded, so that there are ties, and no probabilities, of which no negative number is one."""

CUTS = {"a": 3.0, "b": 3.2, "c": 2.5}
TURNED: dict[str, Any] = {"a": "higher", "b": "lower", "c": "lower"}
SIGN = {"a": 1.0, "b": -1.0, "c": -1.0}

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "importance": {"weights": np.linspace(0.5, 2, N)},
    "frequency": {"weights": RNG.integers(1, 4, N), "weight_kind": "frequency"},
    "groups": {"by": {"site": np.arange(N) % 2}},
    "folds": {"fold": np.arange(N) % 3},
    "clusters": {"cluster": np.arange(N) // 2, "bootstrap": 30},
}

QUESTIONS: list[dict[str, Any]] = [
    {}, {"test": "delong"}, {"measure": "recall"}, {"measure": "f1"}, {"measure": "fpr<=0.2"},
    {"measure": "recall@fpr=0.2"}, {"measure": "average_precision", "bootstrap": 30}, {"test": "permutation"},
    {"test": "permutation", "measure": "recall"}, {"test": "venkatraman"},
]  # fmt: skip


def alike(models: str = "ab", **options: Any) -> th.Evaluation:
    """Models of which all high scores are positive."""
    return th.evaluate(TRUTH, {m: SCORES[m] for m in models}, threshold={m: CUTS[m] for m in models}, **options)


def turned(models: str = "ab", **options: Any) -> th.Evaluation:
    """The same models, the scores of some negated."""
    return th.evaluate(
        TRUTH,
        {m: SIGN[m] * SCORES[m] for m in models},
        threshold={m: SIGN[m] * CUTS[m] for m in models},
        direction={m: TURNED[m] for m in models},
        **options,
    )


def apart(one: Any, two: Any, where: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any, Any]]:
    """Where two values of JSON types differ, and both values there."""
    if isinstance(one, dict) and isinstance(two, dict):
        assert list(one) == list(two), where
        return [found for key in one for found in apart(one[key], two[key], (*where, str(key)))]
    if isinstance(one, list) and isinstance(two, list):
        assert len(one) == len(two), where
        return [f for i, pair in enumerate(zip(one, two, strict=True)) for f in apart(*pair, (*where, str(i)))]
    alike = isinstance(one, float) and isinstance(two, float) and math.isclose(one, two, rel_tol=1e-12)
    return [] if alike or one == two else [(where, one, two)]


SLOW = [
    pytest.param(options, id=name, marks=pytest.mark.slow) for name, options in OPTIONS.items() if name != "frequency"
]


@pytest.mark.parametrize("options", [pytest.param(OPTIONS["frequency"], id="frequency"), *SLOW])
def test_all_that_a_report_holds_is_the_same_but_for_the_thresholds(options: dict[str, Any]) -> None:
    one, two = alike(**options).to_dict(), turned(**options).to_dict()
    assert (one["direction"], two["direction"]) == ("higher", None)
    assert [two["models"][name]["direction"] for name in "ab"] == ["higher", "lower"]
    for where, before, after in apart(one, two):
        if where[-1] in ("direction", "checksum") or where[-2:] == ("calibration", "reason"):
            continue
        if where[0] == "findings":
            assert before.replace("3.2", "-3.2") == after
        else:
            assert "b" in where, (where, before, after)
            assert {"threshold", "thresholds"} & {*where[-2:]}, (where, before, after)
            assert before == -after


@pytest.mark.parametrize(
    "options", [pytest.param(each, marks=[pytest.mark.slow] if "test" in each else []) for each in QUESTIONS], ids=str
)
def test_comparisons_are_the_same(options: dict[str, Any]) -> None:
    one, two = (evaluation.compare("a", "b", **options).to_dict() for evaluation in (alike(), turned()))
    assert apart(one, two) == []


def test_every_two_of_three_models_are_compared_alike() -> None:
    one, two = (evaluation.compare().to_dict() for evaluation in (alike("abc"), turned("abc")))
    assert apart(one, two) == []
    again = turned("abc")
    assert again.compare("b", "c").p_value == pytest.approx(alike("abc").compare("b", "c").p_value, rel=1e-12)
    assert again.compare("b", "c", measure="f1").low == pytest.approx(alike("abc").compare("b", "c", measure="f1").low)


def test_groups_are_compared_alike() -> None:
    options = {"by": {"site": np.arange(N) % 2}}
    one, two = (
        evaluation.compare("a", "b", by="site").to_dict() for evaluation in (alike(**options), turned(**options))
    )
    assert apart(one, two) == []


@pytest.mark.parametrize(
    "criterion", [("youden",), {"cost_fp": 1, "cost_fn": 3}, {"maximize": "recall", "where": "fpr<=0.2"}], ids=str
)
def test_thresholds_are_chosen_on_the_own_scale_of_each_model(criterion: Any) -> None:
    given, options = (criterion, {}) if isinstance(criterion, tuple) else ((), criterion)
    for name in "ab":
        one, two = (evaluation[name].choose(*given, **options) for evaluation in (alike(), turned()))
        assert two.threshold == SIGN[name] * one.threshold
        assert two.matrix == one.matrix
        rule = two.decision_rule.to_dict()
        assert rule["direction"] == TURNED[name]
        assert (
            two.decision_rule.decide(SIGN[name] * SCORES[name]).tolist()
            == one.decision_rule.decide(SCORES[name]).tolist()
        )


def test_curves_walks_and_pairs_are_the_same() -> None:
    one, two = alike()["b"], turned()["b"]
    for kind in ("roc", "pr", "det", "gain_curve", "lift_curve"):
        before, after = getattr(one, kind), getattr(two, kind)
        assert np.array_equal(before.x, after.x), kind
        assert np.array_equal(before.y, after.y, equal_nan=True), kind
    assert np.array_equal(one.table.thresholds, -two.table.thresholds)
    for column, values in one.walk().to_dict().items():
        found = two.walk().to_dict()[column]
        assert (found == [-value for value in values]) if column == "score" else (found == values), column
    assert one.pairs.to_dict() == two.pairs.to_dict()
    assert one.at(3.2) == two.at(-3.2)


def test_hulls_and_dominance_are_the_same() -> None:
    one, two = alike("abc"), turned("abc")
    assert one.joint_hull.area == two.joint_hull.area
    for before, after in zip(one.joint_hull.vertices, two.joint_hull.vertices, strict=True):
        assert (before.fpr, before.tpr) == (after.fpr, after.tpr)
        assert {m: SIGN[m] * t for m, t in before.thresholds.items()} == dict(after.thresholds)
    assert one.dominance("a", "b").to_dict() == two.dominance("a", "b").to_dict()


def test_folds_and_groups_keep_the_direction_of_each_model() -> None:
    parts = turned(by={"site": np.arange(N) % 2}, fold=np.arange(N) % 3)
    for subset in (*parts.groups.values(), *parts.folds.values()):
        assert {name: model.direction for name, model in subset.items()} == {"a": "higher", "b": "lower"}


def test_a_model_that_is_flipped_or_mapped_to_probabilities_leaves_the_others_as_they_are() -> None:
    model = turned()["b"]
    assert model.flipped().auc.value == pytest.approx(1 - model.auc.value)
    fitted = th.calibration.fit_map(TRUTH[:30], -SCORES["b"][:30], method="platt")
    both = model.recalibrated(fitted).predictions
    assert {name: both.direction_of(name) for name in both.scores} == {"a": "higher", "b": "higher"}
    others = turned("abc")["b"].recalibrated(fitted).predictions
    assert {name: others.direction_of(name) for name in others.scores} == {"a": "higher", "b": "higher", "c": "lower"}


def counted(scores: Any, cuts: Any, **options: Any) -> th.Counts:
    return th.count(TRUTH, scores, pairs=True, thresholds={m: [cuts[m]] for m in scores}, **options)


def both_counts() -> tuple[th.Counts, th.Counts]:
    """Counts of the models, before some are negated and after."""
    directions = {m: TURNED[m] for m in "ab"}
    return (
        counted({m: SCORES[m] for m in "ab"}, CUTS),
        counted({m: SIGN[m] * SCORES[m] for m in "ab"}, {m: SIGN[m] * CUTS[m] for m in "ab"}, direction=directions),
    )


def test_counts_are_the_same_and_are_saved(tmp_path: Any) -> None:
    one, two = both_counts()
    assert two.direction == {"a": "higher", "b": "lower"}
    two.save(tmp_path / "c.parquet")
    assert th.Counts.load(tmp_path / "c.parquet") == two
    before = th.evaluate(one, threshold={m: CUTS[m] for m in "ab"})
    after = th.evaluate(two, threshold={m: SIGN[m] * CUTS[m] for m in "ab"})
    assert before["b"].auc == after["b"].auc
    assert before["b"].recall == after["b"].recall
    for options in ({}, {"measure": "recall"}):
        assert apart(*(each.compare("a", "b", **options).to_dict() for each in (before, after))) == []
    assert (two + two)["b"].direction == "lower"


def test_counts_and_files_are_the_same(tmp_path: Any) -> None:
    paths = {"one": tmp_path / "one.csv", "two": tmp_path / "two.csv"}
    for sign, path in ((1, paths["one"]), (-1, paths["two"])):
        rows = zip(TRUTH.tolist(), SCORES["a"].tolist(), (sign * SCORES["b"]).tolist(), strict=True)
        path.write_text("y,a,b\n" + "".join(f"{y},{a},{b}\n" for y, a, b in rows))
    one = th.evaluate(paths["one"], ["a", "b"], label="y")
    two = th.evaluate(paths["two"], ["a", "b"], label="y", direction={"a": "higher", "b": "lower"})
    assert one["b"].auc == two["b"].auc
    found = th.count(paths["two"], ["a", "b"], label="y", direction={"a": "higher", "b": "lower"})
    assert found["b"].direction == "lower"
    assert th.evaluate(found)["b"].auc == one["b"].auc


def test_saved_and_pickled_predictions_keep_it(tmp_path: Any) -> None:
    rows = turned().predictions
    rows.save(tmp_path / "rows.parquet")
    for again in (th.Predictions.load(tmp_path / "rows.parquet"), pickle.loads(pickle.dumps(rows))):
        assert again == rows
        assert dict(again.direction) == {"a": "higher", "b": "lower"}


def test_predicted_labels_beside_low_scores_are_compared_as_they_were_decided() -> None:
    labels = (SCORES["b"] >= 3.2).astype(int)
    options: dict[str, Any] = {"measure": "f1", "bootstrap": 30}
    one = th.evaluate(TRUTH, {"a": SCORES["a"]}, predicted={"b": labels}, threshold={"a": 3.0})
    two = th.evaluate(TRUTH, {"a": -SCORES["a"]}, predicted={"b": labels}, threshold={"a": -3.0}, direction="lower")
    assert apart(*(each.compare("a", "b", **options).to_dict() for each in (one, two))) == []


@pytest.mark.parametrize(
    ("direction", "said"),
    [
        ({"a": "lower"}, "direction= does not name the model 'b': say of each whether its high or its low scores"),
        ({}, "does not name the model 'a'"),
        ({"a": "lower", "b": "lower", "z": "lower"}, "direction= names 'z'; the models with scores are 'a', 'b'"),
        ({"a": "up", "b": "lower"}, "direction='up' is not one of its values: 'higher', 'lower'"),
    ],
)
def test_a_mapping_names_every_model_with_scores_and_no_other(direction: Any, said: str) -> None:
    for call in (th.evaluate, th.count):
        with pytest.raises(OptionError) as error:
            call(TRUTH, {"a": SCORES["a"], "b": SCORES["b"]}, direction=direction)
        assert said in str(error.value)


def test_a_mapping_that_says_one_thing_is_one_direction() -> None:
    rows = th.evaluate(TRUTH, {"a": SCORES["a"], "b": SCORES["b"]}, direction={"a": "lower", "b": "lower"}).predictions
    assert rows.direction == "lower"


@pytest.mark.slow
def test_gates_and_reject_options_are_the_same() -> None:
    one, two = alike(), turned()
    drops = [gate.no_drop(each["b"], each["a"], gate.limit("auc=0")) for each in (one, two)]
    assert drops[0] == drops[1]
    chosen = [each["b"].with_reject(deferral=0.2, costs=th.decisions.Costs(fp=1, fn=2)) for each in (one, two)]
    assert (chosen[0].option.upper, chosen[0].option.lower) == (-chosen[1].option.upper, -chosen[1].option.lower)
    assert chosen[0].measures == chosen[1].measures


def test_a_model_whose_order_is_reversed_is_told_its_own_direction() -> None:
    found = th.evaluate(TRUTH, {"a": SCORES["a"], "b": -SCORES["b"]})
    [hint] = [note for note in found.notes if note.code == "reversed-scores"]
    assert hint.startswith("b: the AUC is ")
    assert f"direction={{'b': 'lower', …}} would give {1 - found['b'].auc.value:.3g}" in hint
    assert as_flags(hint).endswith(f"--direction b=lower would give {1 - found['b'].auc.value:.3g}")
    [alone] = [note for note in th.evaluate(TRUTH, -SCORES["b"]).notes if note.code == "reversed-scores"]
    assert "direction='lower' would give" in alone
