"""Every interval of rows in clusters allows for them, whichever view shows it; none is said to ignore them."""

import json

import numpy as np
import pytest

import thresher as th
from thresher import gate
from thresher.decisions import Costs

DRAWS = np.random.default_rng(3)
N = 72
CLUSTER = np.arange(N) // 6
SHIFT = DRAWS.normal(size=12)[CLUSTER]
Y = (SHIFT + DRAWS.normal(size=N) > 0).astype(int)
A, B = (1 / (1 + np.exp(-(SHIFT + k * DRAWS.normal(size=N)))) for k in (1, 2))
TWO = {"a": A, "b": B}
Y3 = DRAWS.integers(0, 3, N)
P, Q = (np.eye(3)[Y3] * k + DRAWS.dirichlet(np.ones(3), N) * (1 - k) for k in (0.4, 0.2))
MEASURES = ("auc", "accuracy", "f1", "mcc", "brier_score", "average_precision", "fpr<=0.3", "recall@fpr=0.2")
COSTS = Costs(fp=1, fn=3)


def two(**named):
    return th.evaluate(Y, TWO, by={"g": CLUSTER % 2}, **named)


def folds(**named):
    return th.evaluate(Y, TWO, fold=np.arange(N) % 4, **named)


def labels(**named):
    return th.evaluate(Y, predicted={"a": A > 0.5, "b": B > 0.5}, positive=1, **named)


def classes(**named):
    return th.evaluate(Y3, {"a": P, "b": Q}, **named)


def sets(**named):
    return th.evaluate(np.eye(3, dtype=int)[Y3] | (P > 0.4), {"a": P, "b": Q}, threshold=0.3, **named)


MADE = {"two": two, "folds": folds, "labels": labels, "classes": classes, "sets": sets}
CLASS_COSTS = [[0, 1, 1], [2, 0, 1], [1, 1, 0]]
VIEWS = {
    "compare": lambda **n: [two(**n).compare("a", "b", measure=m) for m in MEASURES],
    "groups compared": lambda **n: list(two(**n).compare(by="g", measure="f1")),
    "gaps": lambda **n: two(**n).groups.gaps("recall"),
    "compare in folds": lambda **n: [folds(**n).compare("a", "b", measure=m) for m in ("auc", "accuracy")],
    "compare classes": lambda **n: [classes(**n).compare("a", "b", measure=m) for m in ("macro_f1", "log_loss")],
    "choose": lambda **n: two(**n)["a"].choose(COSTS),
    "choose at prevalence": lambda **n: two(**n)["a"].choose(COSTS, prevalence=0.1),
    "other costs": lambda **n: two(**n)["a"].choose(COSTS).expected_cost(Costs(fp=2, fn=1)),
    "prevalence": lambda **n: two(**n)["a"].at_prevalence(0.1),
    "matrix at prevalence": lambda **n: list(two(**n)["a"].at(0.3).with_prevalence(0.1).summary().values()),
    "reject": lambda **n: two(**n)["a"].with_reject(costs=COSTS, deferral=0.2),
    "reject in words": lambda **n: str(two(**n)["a"].with_reject(costs=COSTS, deferral=0.2)),
    "partial": lambda **n: [two(**n)["a"].partial_area(p) for p in ("fpr<=0.3", "fpr<=0.5,tpr>=0.3", "recall>=0.5")],
    "binormal": lambda **n: two(**n)["a"].binormal_roc(),
    "calibration": lambda **n: [two(**n)["a"].calibration, str(two(**n)["a"].calibration)],
    "calibration curve": lambda **n: [two(**n)["a"].calibration_curve, *two(**n)["a"].calibration_curve.notes],
    "folds": lambda **n: folds(**n)["a"].cross_validated_auc(),
    "decide by costs": lambda **n: classes(**n)["a"].decide(costs=CLASS_COSTS),
    "decide by weights": lambda **n: [d := classes(**n)["a"].decide(weights=[0.2, 0.4, 0.4]), str(d)],
    "areas of classes": lambda **n: classes(**n)["a"].auc_estimates,
    "a class": lambda **n: list(classes(**n)["a"].classes[0].measures.values()),
    "gate": lambda **n: [
        *(gate.at_least(two(**n)["a"], gate.limit(f"{m}=0.1")) for m in ("auc", "mcc")),
        *(
            gate.no_drop(two(**n)["a"], two(**n)["b"], gate.limit(f"{m}=0.9"))
            for m in ("auc", "accuracy", "brier_score")
        ),
    ],
    **{f"{name} evaluated": make for name, make in MADE.items()},
}


def plain(found):
    if isinstance(found, (list, tuple)):
        return [plain(each) for each in found]
    return found.to_dict() if hasattr(found, "to_dict") else found


def intervals(found):
    """Every dictionary with an interval."""
    if isinstance(found, dict):
        if found.get("low") is not None and "method" in found:
            yield found
        found = list(found.values())
    for each in found if isinstance(found, list) else ():
        yield from intervals(each)


WITHOUT = ("reject in words", "calibration curve")
"""Views without an interval as JSON has it: a text, and a band."""


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(
    "drawn", [{}, pytest.param({"bootstrap": 15}, marks=pytest.mark.slow)], ids=["formulas", "drawn"]
)
def test_every_interval_names_clusters(view, drawn):
    found = plain(VIEWS[view](cluster=CLUSTER, **drawn))
    methods = [each["method"] for each in intervals(found)]
    assert bool(methods) == (view not in WITHOUT)
    assert [method for method in methods if "cluster" not in method] == []
    assert "ignored" not in json.dumps(found, default=str)


@pytest.mark.parametrize("measure", ["average_precision", "auc", "recall"])
def test_sites_are_weighed_by_errors_that_allow_for_clusters(measure):
    found, plain = (two(**named).groups.random_effects(measure)["a"] for named in ({"cluster": CLUSTER}, {}))
    assert (found.low, found.high) != (plain.low, plain.high)
    assert "ignored" not in found.method


@pytest.mark.parametrize("is_nested", [True, False])
def test_sites_that_share_clusters_have_no_interval_of_their_mean(is_nested):
    """Simulated, such an interval held the mean 74 % of the time; that of sites with clusters of their own 95.5 %."""
    site = CLUSTER % 2 if is_nested else np.arange(N) % 2
    found = th.evaluate(Y, TWO, by={"g": site}, cluster=CLUSTER).groups.random_effects("recall")["a"]
    assert (found.low is not None) == (found.modified is not None) == is_nested
    assert bool(found.reason and "share clusters" in found.reason) != is_nested
    assert len(found.each) == 2


ONE, BOTH = ("--score", "a"), ("--score", "a", "--score", "b")
