"""Values behind the pictures of triples, bootstrap samples, splits and folds, against a slow count of the same rows."""

import itertools
import math

import numpy as np
import pytest

import thresher as th
from thresher.multiclass import ordinal_volume, triples
from thresher.resampling import KFold, Nested, distinct_rows, split_roles
from thresher.resampling.method_forms import METHODS
from thresher.resampling.nearest_mean import NearestMean
from thresher.resampling.split_roles import ROLES

TWENTY = th.load_example("twenty")


@pytest.mark.parametrize("seed", range(4))
def test_triples_are_those_of_a_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, s = np.repeat(["a", "b", "c"], (4, 5, 3)), rng.integers(0, 6, 12)
    found = triples(y, s, order=["c", "a", "b"])
    rows = [[s[i] for i in range(12) if y[i] == label] for label in "cab"]
    every = list(itertools.product(*rows))
    for order, count in zip(itertools.permutations(range(3)), found.counts, strict=True):
        assert count == sum(t[order[0]] < t[order[1]] < t[order[2]] for t in every)
    assert found.orders[0] == ("c", "a", "b")
    assert found.tied == sum(len(set(t)) < 3 for t in every)
    assert found.total == len(every) == 60
    assert found.volume == ordinal_volume(y, s, order=["c", "a", "b"]).value
    pairs = [3 - len(set(t)) for t in every]
    credit = [(t[0] <= t[1] <= t[2]) / math.factorial(ties + 1) for t, ties in zip(every, pairs, strict=True)]
    assert found.volume == pytest.approx(np.mean(credit))


def test_different_rows_of_a_sample() -> None:
    found = distinct_rows([1, 2, 3, 7, 4000])
    assert found.expected[:4] == pytest.approx([1 - (1 - 1 / n) ** n for n in (1, 2, 3, 7)])
    # Every sample of three rows, each as likely: 27 of them.
    assert found.expected[2] == pytest.approx(np.mean([len(set(t)) / 3 for t in itertools.product(range(3), repeat=3)]))
    assert found.expected[4] == pytest.approx(1 - 1 / math.e, abs=1e-4)
    assert found.sampled[4] == pytest.approx(found.expected[4], abs=0.03)


@pytest.mark.parametrize("name", [name for name in METHODS if name != "nested"])
def test_every_method_has_the_roles_of_its_splits(name: str) -> None:
    groups = np.arange(20) // 2 if name == "groups" else None
    text = {"groups": "groups:5", "kfold": "kfold:4", "repeated": "repeated:2x5"}.get(name, METHODS[name].example)
    found = split_roles(text, TWENTY["truth"], groups=groups, rng=3)
    assert len(found.codes) == min(found.count, 40)
    method = th.resampling.method_of(text)
    from thresher.resampling.splits import SplitRows

    rows = SplitRows(truth=TWENTY["truth"], groups=groups)
    for codes, split in zip(found.codes, method.splits(rows, 3), strict=False):
        for row, code in enumerate(codes):
            times, tests = (split.train == row).sum(), (split.test == row).any()
            trains = "" if not times else "train" if times == 1 or tests else "train, drawn more than once"
            assert ROLES[code] == (" and ".join(filter(None, (trains, "test" * bool(tests)))) or "neither")


def test_nested_splits_show_those_inside() -> None:
    found = split_roles(Nested(KFold(4), KFold(3)), TWENTY["truth"])
    assert (found.count, found.codes.shape) == (12, (12, 20))
    assert {ROLES[code] for code in np.unique(found.codes)} == {"train", "test", "test inside"}
    for lines in found.codes.reshape(4, 3, 20):
        assert ((lines == 3).all(axis=0) == (lines == 3).any(axis=0)).all()
        assert ((lines == 5).sum(axis=0) == (lines[0] != 3)).all()


def test_the_path_of_twenty_rows_has_its_published_area() -> None:
    model = th.evaluate(TWENTY["truth"], TWENTY["score"])["score"]
    assert model.auc.value == pytest.approx(0.68)
    assert (model.scores.P, model.scores.N, len(model.roc)) == (10, 10, 21)


def test_differences_are_those_of_the_splits() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    X[:, 0] += y

    class Other(NearestMean):
        """By the second feature alone, which says nothing."""

        def fit(self, X, y):
            return super().fit(np.asarray(X)[:, 1:], y)

        def decision_function(self, X):
            return super().decision_function(np.asarray(X)[:, -1:])

    found = th.assess({"a": NearestMean(), "b": Other()}, X, y, method="repeated:2x5", measures=["auc"], progress=False)
    shown = found.differences("a", "b")
    assert shown.differences.tolist() == (found["a"].values("auc") - found["b"].values("auc")).tolist()
    assert shown.comparison == found.compare("a", "b", measure="auc")
    assert shown.differences.mean() == pytest.approx(shown.comparison.difference)
    assert shown.repeat.tolist() == [0] * 5 + [1] * 5
    assert shown.to_dict()["comparison"]["measure"] == "auc"
    assert found.differences("a", "b", test="paired").comparison.method != shown.comparison.method
    with pytest.raises(KeyError, match="no model"):
        found.differences("a", "c")


def test_lift_and_precision_move_with_the_prevalence_and_the_roc_stays() -> None:
    model = th.evaluate(TWENTY["truth"], TWENTY["score"])["score"]
    for share in (0.5, 0.1):
        lift, pr = model.lift_at(share), model.pr_at(share)
        tpr, fpr = model.roc.y[1:], model.roc.x[1:]
        taken = share * tpr + (1 - share) * fpr
        assert lift.x[-20:] == pytest.approx(taken)
        assert lift.y[-20:] == pytest.approx(tpr / taken)
        assert pr.y[-20:] == pytest.approx(share * tpr / taken)
    assert model.lift_at(skew=1).y.tolist() == model.lift_at(0.5).y.tolist()
