"""First against second mirrors second against first, to the last bit; the order of rows changes no difference of 0."""

import math
from typing import Any

import numpy as np
import pytest

import thresher as th
from shares import few
from thresher.errors import ThresherError
from thresher.inference.comparing.comparison import Comparison
from thresher.inference.differences.means import mean_of, paired_mean_difference, unpaired_mean_difference
from thresher.measures.registry import measures

MEASURES = ["f1", "auc", "accuracy", "brier_score", "average_precision", "matthews_correlation", "precision@k=5"]
TESTS: dict[str, dict[str, Any]] = {
    "auto": {}, "bootstrap": {"bootstrap": th.Bootstrap(n=25)},
    "BCa": {"bootstrap": th.Bootstrap(n=25, method="bca")},
    "basic": {"bootstrap": th.Bootstrap(n=25, method="basic", stratified=False)},
    "permutation": {"test": "permutation"}, "DeLong": {"test": "delong"}, "McNemar": {"test": "mcnemar"},
    "means": {"test": "means"},
}  # fmt: skip


def rows(seed: int, n: int = 30) -> dict[str, Any]:
    draws = np.random.default_rng(seed)
    found: dict[str, Any] = {"y": np.arange(n) % 2, "c": draws.integers(0, 12, n), "g": np.repeat(["p", "q"], n // 2)}
    found["w"] = draws.integers(1, 4, n)
    return found | {k: np.clip(draws.normal(found["y"] * 0.2 + 0.4, 0.2, n).round(2), 0, 1) for k in "ab"}


def mirrored(one: Comparison, two: Comparison) -> list[str]:
    """Fields in which two comparisons do not mirror each other."""

    def turned(value: float | None) -> float | None:
        return None if value is None else 0.0 - value

    pairs: dict[str, tuple[Any, Any]] = {
        "difference": (one.difference, turned(two.difference)),
        "low": (one.low, turned(two.high)), "high": (one.high, turned(two.low)),
        "values": (one.values, two.values[::-1]),
    }  # fmt: skip
    is_count = one.method.startswith("McNemar")
    pairs["statistic"] = (one.statistic, two.statistic if is_count else turned(two.statistic))
    pairs |= {
        name: (getattr(one, name), getattr(two, name))
        for name in ("p_value", "standard_error", "equivalence_p", "method")
    }
    return [name for name, (x, y) in pairs.items() if str(x) != str(y)]


def both(model: th.Evaluation, name: str, options: dict[str, Any]) -> tuple[Comparison, Comparison]:
    asked: Any = {"measure": name, "margin": 0.1, **options}
    return model.compare("a", "b", **asked), model.compare("b", "a", **asked)


@pytest.mark.parametrize(
    ("name", "test"),
    [
        pytest.param(name, test, marks=pytest.mark.slow if test == "permutation" else ())
        for test in TESTS
        for name in MEASURES
    ],
)
def test_both_orders_mirror_each_other(name: str, test: str) -> None:
    data, tried = rows(0), 0
    frequency: dict[str, Any] = {"weights": data["w"], "weight_kind": "frequency"}
    made: list[dict[str, Any]] = [{}, frequency, {"weights": data["w"]}, {"cluster": data["c"]}]
    for options in made:
        model = th.evaluate(data["y"], {k: data[k] for k in "ab"}, threshold=0.5, **options)
        try:
            one, two = both(model, name, TESTS[test])
        except ThresherError:  # the test does not serve the measure, or these weights
            continue
        assert not mirrored(one, two), options
        tried += 1
    assert tried or test in ("DeLong", "McNemar", "means", "permutation")


@pytest.mark.slow
@pytest.mark.parametrize("name", [measure.name for measure in measures()])
def test_every_measure_is_mirrored(name: str) -> None:
    data = rows(5)
    model = th.evaluate(data["y"], {k: data[k] for k in "ab"}, threshold=0.5, bootstrap=60)
    for options in ({}, TESTS["bootstrap"]):
        try:
            one, two = both(model, name, options)
        except ThresherError:
            continue
        assert not mirrored(one, two), options


def test_equal_values_are_mirrored_too() -> None:
    """One right where the other is wrong in each class, and the other way round: replicates differ, values do not."""
    y = [1, 1, 1, 1, 0, 0, 0, 0] * 5
    model = th.evaluate(y, {"a": [1, 1, 0, 1, 0, 1, 0, 0] * 5, "b": [1, 0, 1, 1, 0, 0, 1, 0] * 5}, threshold=0.5)
    one, two = both(model, "f1", TESTS["bootstrap"])
    assert one.difference == 0 < (one.standard_error or 0)
    assert not mirrored(one, two)


@pytest.mark.parametrize("test", ["auto", "bootstrap", "BCa", "basic", "permutation"])
def test_exchanged_columns_are_mirrored(test: str) -> None:
    """Which model has which name does not matter where one of them is better."""
    data, found = rows(1), []
    for first, second in ("ab", "ba"):
        model = th.evaluate(data["y"], {"a": data[first], "b": data[second]}, threshold=0.5)
        found.append(model.compare("a", "b", measure="f1", margin=0.1, **TESTS[test]))
    assert not mirrored(*found)


def test_several_classes_and_groups_are_mirrored() -> None:
    draws = np.random.default_rng(3)
    y, parts = np.arange(60) % 3, draws.random((2, 60, 3))
    parts /= parts.sum(axis=2, keepdims=True)
    model = th.evaluate(y, probabilities={"a": parts[0], "b": parts[1]})
    for name in ("macro_f1", "hand_till", "log_loss", "accuracy"):
        assert not mirrored(*both(model, name, {})), name
    data, turned = rows(2), {"p": "q", "q": "p"}
    for name in ("f1", "auc", "precision@k=5"):
        found = [
            th.evaluate(data["y"], data["a"], threshold=0.5, by=groups).compare(by="group", measure=name)[0]
            for groups in (data["g"], [turned[g] for g in data["g"]])
        ]
        assert not mirrored(*found), name


def test_the_mean_of_equal_values_has_no_variance() -> None:
    draws = np.random.default_rng(0)
    for n in (2, 3, 7, 50, 399):
        for value in (0.1, 0.3, 1 / 3):
            for weights in (None, draws.random(n) + 0.1):
                found = mean_of(np.full(n, value), weights, weights if weights is None else "importance")
                assert (found.value, found.variance) == (value, 0.0)
    one, two = mean_of(np.full(10, 0.1)), mean_of(np.full(13, 0.1))
    assert unpaired_mean_difference(one, two).p() == 1.0
    values = draws.random(20)
    found = paired_mean_difference(values, values[::-1])
    assert (found.value, found.p()) == (0.0, 1.0)
    assert found.standard_error == pytest.approx((values - values[::-1]).std(ddof=1) / math.sqrt(20))


@pytest.mark.parametrize("seed", few(range(3), 1))
@pytest.mark.parametrize("kind", ["perfect", "reversed", "any"])
@pytest.mark.parametrize("how", ["rows", "importance", "clusters", "importance in clusters"])
def test_no_difference_is_none_in_every_order_of_rows(kind: str, how: str, seed: int) -> None:
    """Two equal groups: what is left of sums of weights was a standard error of 1e-8, or of 0, as rows came."""
    draws = np.random.default_rng(seed)
    y, n = np.tile([0, 1], 8), 16
    score = np.round(draws.random(n), 1) if kind == "any" else np.round(y * 0.5 + 0.2 + draws.random(n) * 0.1, 2)
    score = 1 - score if kind == "reversed" else score
    columns: dict[str, Any] = {"y": np.tile(y, 2), "s": np.tile(score, 2), "g": np.repeat(["p", "q"], n)}
    columns["w"] = np.tile(np.round(draws.random(n) * 3 + 0.1, 1), 2)
    columns["c"] = np.concatenate([np.arange(n) // 3, np.arange(n) // 3 + 100])
    named = {"weights": "w"} if "importance" in how else {}
    named |= {"cluster": "c"} if "clusters" in how else {}
    orders = [np.arange(2 * n), *(draws.permutation(2 * n) for _ in range(3))]
    for name in ("auc", "brier_score", "accuracy", "recall", "f1"):
        found = [
            th.evaluate(
                {k: v[order] for k, v in columns.items()}, "s", label="y", by="g", threshold=0.5, **named
            ).compare(by="g", measure=name)[0]
            for order in orders
        ]
        assert {one.difference for one in found} == {0.0}, (seed, name)
        assert len({one.p_value for one in found}) == 1, (seed, name)
        errors = {one.standard_error and float(f"{one.standard_error:.9g}") for one in found}
        assert len(errors) == 1, (seed, name, errors)


@pytest.mark.parametrize("options", [{"measure": "accuracy"}, {"measure": "accuracy", "test": "mcnemar-exact"}])
def test_a_count_of_rows_has_no_sign(options):
    """McNemar's statistic is the smaller number of discordant rows."""
    evaluation = th.evaluate(rows(1), ["a", "b"], label="y", threshold=0.5)
    one, two = evaluation.compare("a", "b", **options), evaluation.compare("b", "a", **options)
    right = [(evaluation[name].scores.at(0.5), np.asarray(rows(1)[name]) >= 0.5) for name in "ab"]
    truth = rows(1)["y"] == 1
    first, second = (decided == truth for _, decided in right)
    assert one.statistic == two.statistic == min((first & ~second).sum(), (~first & second).sum())
