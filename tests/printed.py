"""Results as `print` and a notebook show them, by name: what the approved texts of values are made from."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import thresher as th
from thresher.counts import ConfusionMatrix
from thresher.decisions import Costs

MATRIX = ConfusionMatrix.from_counts([[6954, 46], [412, 2588]], labels=["yes", "no"], positive="yes")
LARGE = 3 * np.eye(200, dtype=int) + np.eye(200, k=1, dtype=int)
COSTS = Costs(fp=1, fn=5)


def matrices() -> dict[str, Any]:
    """Return confusion matrices: at another prevalence, weighted, empty, wide, of many classes, in a batch."""
    wide = [f"a rather long name {i}" for i in range(12)]
    return {
        "matrix": MATRIX,
        "prevalence": MATRIX.with_prevalence(0.001),
        "weighted": ConfusionMatrix.from_counts([[12.25, 0.5], [3, 100.125]], labels=(1, 0), weight_kind="importance"),
        "tiny": ConfusionMatrix.from_counts([[0.00012, 0], [0.00001, 0.0003]], labels=(1, 0)),
        "empty": ConfusionMatrix.empty(["a", "b"]),
        "many classes": ConfusionMatrix.from_counts(LARGE),
        "wide": ConfusionMatrix.from_counts(np.ones((12, 12), dtype=int), labels=wide),
        "batch": ConfusionMatrix(counts=np.arange(24).reshape(3, 2, 2, 2)[:, :1], labels=("ill", "well")),
    }


def values() -> dict[str, Any]:
    """Return results of the bundled data, and of scores below 0."""
    rows = th.load_example("breast_cancer")
    names = ["random_forest", "naive_bayes"]
    ev = th.evaluate(rows, label="diagnosis", positive="malignant", scores=names, by="nucleus_size", fold="fold")
    forest, wine = ev["random_forest"], th.evaluate(th.load_example("wine"), label="cultivar", probabilities="bayes_")
    draws = np.random.default_rng(7)
    y = (draws.random(300) < 0.4).astype(int)
    signed = th.evaluate(y, {"a": draws.normal(1.2 * y, 1.0).round(2) - 5})["a"]
    return {
        "evaluation": ev, "model": forest, "estimate": forest.auc, "undefined": th.evaluate([1, 1], [0.9, 0.2]).auc,
        "curve": forest.roc, "baselines": forest.baselines, "groups": ev.groups, "no groups": signed_groups(),
        "comparison": ev.compare(*names, measure="auc"), "comparisons": ev.compare(), "calibration": forest.calibration,
        "uncalibrated": signed.calibration, "classes": wine, "class model": wine["bayes"],
        "choice": signed.choose(maximize="f1"), "rare choice": signed.choose(costs=COSTS, prevalence=0.001),
        "reject": signed.with_reject("deferral=0.2", costs=COSTS),
        "rare reject": signed.with_reject("deferral=0.2", costs=COSTS, prevalence=0.001),
        "open reject": signed.with_reject(upper=np.inf, lower=-4.0), "listing": signed.listing(), "walk": signed.walk(),
        "decision": wine["bayes"].decide(costs=[[0, 1, 1], [5, 0, 1], [5, 1, 0]]),
    }  # fmt: skip


def signed_groups() -> Any:
    """Return groups by two columns, which have no gaps."""
    places = np.arange(40)
    return th.evaluate(places % 2, places % 7 / 7, by={"site": places % 3, "half": places // 20}).groups


def printed() -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield a name of each form and what makes its text."""
    for name, value in (matrices() | values()).items():
        yield f"print({name})", value.__str__
        if hasattr(value, "_repr_html_"):
            yield f"notebook: {name}", value._repr_html_
