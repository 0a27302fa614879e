"""Every public function and method with calls that cannot work, and the values that a call is made of."""

import importlib
import inspect
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import thresher as th
from thresher._util.front_door import MARK
from thresher.counts import Cells, RankedLists

PACKAGES = (
    "thresher", "thresher.calibration", "thresher.counts", "thresher.curves", "thresher.decisions",
    "thresher.evaluation", "thresher.gate", "thresher.inference", "thresher.measures", "thresher.multiclass",
    "thresher.plot",
    "thresher.predictions", "thresher.ranking", "thresher.resampling", "thresher.testing",
)  # fmt: skip
TRUTH = np.array([1, 0, 1, 0, 1, 0, 0, 1])
SCORE = np.array([0.9, 0.6, 0.8, 0.1, 0.4, 0.3, 0.2, 0.5])
WRONG = {
    "none": None,
    "text": "no such thing",
    "number": -3.5,
    "function": len,
    "object": object(),
    "dictionary": {"a": 1},
    "mixed": [1, "x", None],
    "short": np.array([1.0, 0.0, 1.0]),
    "cube": np.zeros((2, 2, 2)),
    "foreign": th.Estimate(name="auc", value=0.5),
}
"""Values that hardly any parameter takes."""


@cache
def values() -> dict[str, Any]:
    """Values that methods are called on, and arguments that fit by the name of their parameter."""
    table = th.ScoreTable.from_scores(TRUTH, SCORE)
    binary = th.evaluate(TRUTH, {"a": SCORE, "b": SCORE[::-1]}, by={"g": list("xxyyxxyy")}, fold=np.arange(8) % 2)
    classes = th.evaluate(list("abcabcab"), np.random.default_rng(0).dirichlet(np.ones(3), 8))
    ranked = th.rank({"q": {"a": 1, "b": 0}, "r": {"a": 1}}, {"q": {"a": 1, "b": 2}, "r": {"a": 1}})
    model = binary["a"]
    return {
        "evaluation": binary, "model": model, "classes": classes["model"], "several": classes, "table": table,
        "thresholds": model.table, "matrix": model.confusion_matrix, "curve": model.roc, "hull": model.hull,
        "chosen": model.choose(maximize="mcc"), "comparison": binary.compare("a", "b"),
        "calibration": model.calibration, "joint": binary.joint_hull, "estimate": model.auc, "ranked": ranked,
        "run": ranked.run,
        "lists": RankedLists.from_lists({"q": [1, 0]}), "partial": model.partial_area("fpr<=0.5"),
        "cells": Cells(tp=1.0, fp=2.0, fn=3.0, tn=4.0), "predictions": binary.predictions,
    }  # fmt: skip


def functions() -> Iterator[tuple[str, Any]]:
    """Public functions, constructors and class methods of every package, by their full name."""
    seen: set[int] = set()
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in module.__all__:
            value = getattr(module, name)
            is_error = isinstance(value, type) and issubclass(value, Exception)
            if not callable(value) or id(value) in seen or is_error or getattr(value, "_is_protocol", False):
                continue
            seen.add(id(value))
            yield f"{package}.{name}", value
            if isinstance(value, type):
                for inner, member in vars(value).items():
                    is_made = isinstance(member, classmethod | staticmethod) and is_guarded(member.__func__)
                    if is_made and not inner.startswith("_"):
                        yield f"{package}.{name}.{inner}", getattr(value, inner)


def is_guarded(member: Any) -> bool:
    """Whether a method is not left to the package itself."""
    return not hasattr(member, MARK) or hasattr(member, "__wrapped__")


def methods() -> Iterator[tuple[str, Any]]:
    """Public methods of the values that one works with."""
    for owner, value in values().items():
        for name in dir(type(value)):
            member = None if name.startswith("_") else inspect.getattr_static(type(value), name, None)
            if inspect.isfunction(member) and member.__module__.startswith("thresher") and is_guarded(member):
                yield f"{owner}.{name}", getattr(value, name)


FITTING = {
    "y_true": TRUTH, "truth": TRUTH, "y_score": SCORE, "scores": SCORE, "score": SCORE, "y_prob": SCORE, "a": SCORE,
    "b": SCORE[::-1], "first": SCORE, "second": SCORE[::-1], "y_pred": TRUTH[::-1], "x": 0.5, "measure": "auc",
    "threshold": 0.5, "level": 0.9, "positive": 1, "at": "false_positive_rate", "value": 0.5, "prevalence": 0.1,
    "data": TRUTH, "path": "/nonexistent/there", "criterion": "youden", "n": 20, "bootstrap": 20, "part": "fpr<=0.5",
}  # fmt: skip


KINDS = {
    "ScoreTable": "table", "Table": "table", "ConfusionMatrix": "matrix", "Curve": "curve", "JointHull": "joint",
    "Hull": "hull", "ModelEvaluation": "model", "Evaluation": "evaluation", "Predictions": "predictions",
    "Cells": "cells", "Posteriors": "classes", "Data": "table",
}  # fmt: skip
"""Word of an annotation → the value of `values` that is such."""


def fitting(parameter: inspect.Parameter) -> Any:
    """A value that fits a parameter, by its name or the name of its type."""
    if parameter.name in FITTING:
        return FITTING[parameter.name]
    known = values()
    for word, owner in KINDS.items():
        if word in str(parameter.annotation):
            return known[owner].posteriors if owner == "classes" else known[owner]
    return known.get(parameter.name, 1)


def calls(function: Any) -> Iterator[tuple[str, tuple[Any, ...], dict[str, Any]]]:
    """Calls that are wrong in one thing: a keyword, the number of values, or the kind of one argument."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return
    single = [p for p in parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    needed = {p.name: fitting(p) for p in single if p.default is p.empty and p.kind is not p.POSITIONAL_ONLY}
    needed |= {name: 20 for name in ("n", "permutations") if name in parameters}
    yield "unknown keyword", (), {**needed, "no_such_keyword": 1}
    yield "too many values", tuple(range(30)), {}
    yield "nothing", (), {}
    for parameter in single:
        if parameter.kind is parameter.POSITIONAL_ONLY:
            continue
        for what, wrong in WRONG.items():
            yield f"{parameter.name} = {what}", (), {**needed, parameter.name: wrong}
