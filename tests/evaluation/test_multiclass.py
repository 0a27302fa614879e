"""Models with posteriors of every class: all that the JSON says, by definition; weights, groups, views, errors."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import class_definitions as defined
import thresher as th
from shares import examples

EXAMPLES = {"wine": ("cultivar", ["logistic", "bayes"]), "digits": ("digit", ["forest", "logistic"])}
RNG = np.random.default_rng(5)
Y = RNG.integers(0, 4, 60)
P = RNG.dirichlet(np.ones(4), 60).round(2)
P[:, 3] = 1 - P[:, :3].sum(axis=1)
P = np.clip(P, 0, None)
P /= P.sum(axis=1, keepdims=True)


def example(name, **options):
    label, models = EXAMPLES[name]
    return th.evaluate(th.load_example(name), label=label, probabilities=[f"{m}_*" for m in models], **options)


def columns(name, model):
    """Codes and posteriors straight from the example's columns."""
    rows, label = th.load_example(name), EXAMPLES[name][0]
    classes = sorted(set(rows[label].tolist()))
    codes = np.array([classes.index(value) for value in rows[label].tolist()])
    return codes, np.column_stack([rows[f"{model}_{c}"].astype(float) for c in classes]), classes


@pytest.mark.parametrize(
    ("name", "model"), [(name, model) for name, (_, models) in EXAMPLES.items() for model in models]
)
def test_everything_in_the_json_is_what_the_definitions_say(name, model):
    result = json.loads(example(name).to_json())
    found = result["models"][model]
    codes, posteriors, classes = columns(name, model)
    k = len(classes)
    decided = np.array([next(j for j in range(k) if row[j] == max(row)) for row in posteriors])
    counts, of_matrix, each = defined.decisions(codes, decided, k)
    auc = defined.fast_auc if name == "digits" else defined.auc_of_pair
    pairs = [
        [None if i == j else auc(posteriors[codes == i, i], posteriors[codes == j, i]) for j in range(k)]
        for i in range(k)
    ]
    rest = [auc(posteriors[codes == i, i], posteriors[codes != i, i]) for i in range(k)]
    own = np.eye(k, dtype=bool)[codes]
    want = of_matrix | defined.probabilities(codes, posteriors)
    want |= {
        "hand_till": np.mean([value for row in pairs for value in row if value is not None]),
        "macro_auc": np.mean(rest),
        "weighted_auc": np.average(rest, weights=np.bincount(codes)),
        "micro_auc": defined.fast_auc(posteriors[own], posteriors[~own]),
    }
    if name == "wine":
        want["vus"] = defined.volume(codes, posteriors)
    others = {"relative_classifier_information", "mutual_information"}
    assert set(found["measures"]) - others == set(want)
    for measure, value in want.items():
        got = found["measures"][measure]["value"]
        assert got is None if math.isinf(value) else got == pytest.approx(value, abs=1e-10), measure
    assert found["confusion_matrix"] == {"labels": classes, "counts": counts.tolist()}
    assert (found["task"], found["threshold"], result["positive"], result["n"]) == (
        "multiclass",
        None,
        None,
        len(codes),
    )
    assert result["class_counts"] == {str(c): int((codes == i).sum()) for i, c in enumerate(classes)}
    assert found["classes"]["auc_of_pairs"] == [pytest.approx(row, abs=1e-12) for row in pairs]
    for i, c in enumerate(classes):
        row = found["classes"]["one_vs_rest"][str(c)]
        assert (row["rows"], row["predicted"]) == (counts[i].sum(), counts[:, i].sum())
        assert row["measures"]["auc"]["value"] == pytest.approx(rest[i], abs=1e-12)
        for measure, values in each.items():
            assert row["measures"][measure]["value"] == pytest.approx(values[i], abs=1e-12)
    wrong = counts - np.diag(np.diag(counts))
    confused = found["classes"]["confused"]
    assert [c["rows"] for c in confused] == sorted(wrong[wrong > 0].tolist(), reverse=True)[:20]
    assert all(wrong[classes.index(int(c["truth"])), classes.index(int(c["predicted"]))] == c["rows"] for c in confused)


@settings(max_examples=examples(40))
@given(st.integers(0, 10**6), st.integers(3, 5), st.integers(5, 25))
def test_few_rows_with_many_ties_are_what_the_definitions_say(seed, k, n):
    rng = np.random.default_rng(seed)
    parts = rng.multinomial(4, np.full(k, 1 / k), n) / 4
    codes = np.concatenate([np.arange(k), rng.integers(0, k, n - k)]) if n >= k else np.arange(k)[:n]
    model = th.evaluate(codes, {"m": parts}, labels=range(k))["m"]
    if n >= k:
        pairs = [v for row in defined.pair_matrix(codes, parts) for v in row if v is not None]
        assert model.hand_till.value == pytest.approx(np.mean(pairs))
    own = np.eye(k, dtype=bool)[codes]
    assert model.micro_auc.value == pytest.approx(defined.auc_of_pair(parts[own], parts[~own]))
    for name, value in defined.probabilities(codes, parts).items():
        assert getattr(model, name).value == pytest.approx(value, abs=1e-12), name
    right = np.mean([codes[i] == max(range(k), key=lambda j: (parts[i][j], -j)) for i in range(n)])
    assert model.accuracy.value == pytest.approx(right)


def test_intervals_lie_around_their_values_and_inside_the_range():
    for name, estimate in example("wine")["bayes"].measures.items():
        if estimate.low is None:
            assert estimate.reason, name
        else:
            assert estimate.low <= estimate.value <= estimate.high, name
            assert estimate.low >= (-1 if name in ("matthews_correlation", "cohen_kappa") else 0)
            assert name == "log_loss" or estimate.high <= (
                2 if name == "brier_score" else 1 if "inform" not in name else 9
            )


def test_what_has_no_formula_says_so_until_a_bootstrap_is_given():
    bare = example("wine")["bayes"].classwise_ece
    assert bare.low is None
    assert bare.reason_code == "no-formula"
    drawn = example("wine", bootstrap=60)["bayes"].classwise_ece
    assert drawn.low <= drawn.high
    assert "60 replicates of rows" in drawn.method
    assert drawn == example("wine", bootstrap=60)["bayes"].classwise_ece


def test_order_of_classes_changes_no_value():
    order = [2, 0, 3, 1]
    one, two = th.evaluate(Y, P)["model"], th.evaluate(Y, P[:, order], labels=order)["model"]
    for name, estimate in one.measures.items():
        assert two.measures[name].value == pytest.approx(estimate.value, abs=1e-12), name
    assert two.confusion_matrix.labels == tuple(order)
    assert two.classes[3].auc == one.classes[3].auc


def test_a_model_of_posteriors_and_one_of_labels_stand_side_by_side():
    guess = RNG.integers(0, 4, 60)
    ev = th.evaluate(Y, {"a": P}, predicted={"b": guess})
    assert [model.task for model in ev.values()] == ["multiclass", "labels"]
    assert ev["b"].accuracy.value == np.mean(guess == Y)
    own = th.evaluate(Y, {"a": P}, predicted={"a": guess})["a"]
    assert own.accuracy.value == np.mean(guess == Y)
    assert own.hand_till == ev["a"].hand_till


def test_a_class_without_rows_follows_one_rule_and_is_said():
    wide = np.column_stack([P * 0.9, np.full(60, 0.1)])
    ev = th.evaluate(Y, wide, labels=[0, 1, 2, 3, 4])
    model = ev["model"]
    for found in (model.hand_till, model.macro_auc):
        assert math.isnan(found.value)
        assert "class 4 is empty" in found.reason
    assert model.weighted_auc.value == pytest.approx(th.evaluate(Y, P)["model"].weighted_auc.value)
    assert "class 4" in model.macro_recall.reason
    assert model.log_loss.is_defined
    assert "absent-class" in [note.code for note in ev.notes]
    assert th.evaluate(Y, wide, labels=range(5), undefined=0.5)["model"].hand_till.value == 0.5


def test_tied_posteriors_are_decided_by_order_and_said():
    ev = th.evaluate([0, 1, 2], [[0.4, 0.4, 0.2], [0.2, 0.4, 0.4], [0.1, 0.1, 0.8]])
    assert ev["model"].confusion_matrix.counts.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert "tied-classes" in [note.code for note in ev.notes]


def test_groups_and_folds_are_evaluations_of_their_rows():
    group = np.where(np.arange(60) < 25, "x", "y")
    ev = th.evaluate(Y, P, by=group, fold=np.arange(60) % 3)
    part = th.evaluate(Y[:25], P[:25], labels=range(4), fold=np.arange(25) % 3)
    for name, estimate in part["model"].measures.items():
        got = ev.groups["x"]["model"].measures[name]
        assert got == estimate or (math.isnan(got.value) and math.isnan(estimate.value)), name
    matrices = [fold["model"].confusion_matrix for fold in ev.folds.values()]
    assert matrices[0] + matrices[1] + matrices[2] == ev["model"].confusion_matrix


def test_each_class_is_a_binary_model_made_when_asked_for():
    model = th.evaluate(Y, P)["model"]
    view = model.classes[2]
    alone = th.evaluate(Y == 2, P[:, 2])["score"]
    assert (view.task, view.name, view.n) == ("binary", "model: 2", 60)
    assert view.auc == alone.auc
    assert view.roc.x.tolist() == alone.roc.x.tolist()
    assert view.choose(maximize="f1").threshold == alone.choose(maximize="f1").threshold
    assert view.recall.value == model.confusion_matrix.one_vs_rest(2).recall
    assert view.confusion_matrix.labels == (2, "not 2")
    assert model.classes["2"].auc == view.auc
    assert list(model.classes) == [0, 1, 2, 3]
    assert len(model.classes) == 4
    assert model.classes[2] is not view


@pytest.mark.peer
def test_classes_as_a_dataframe():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(th.load_example("wine"))
    model = th.evaluate(frame, label="cultivar", probabilities="bayes_")["bayes"]
    found = model.classes.to_frame()
    assert list(found["class"].unique()) == ["1", "2", "3"]
    auc = found[(found["class"] == "2") & (found["measure"] == "auc")].iloc[0]
    assert (auc["value"], auc["low"]) == pytest.approx((model.classes[2].auc.value, model.classes[2].auc.low))
    assert len(found) == 12


def test_averages_of_any_measure_are_attributes():
    model = th.evaluate(Y, P)["model"]
    assert model.macro_specificity.value == model.confusion_matrix.average("specificity").value
    assert model.micro_f1.value == model.accuracy.value
    assert model.top_1_accuracy.value == pytest.approx(model.accuracy.value)
