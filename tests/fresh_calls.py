"""Make each call read from standard input in a child of a process that has imported `thresher` alone."""

import json
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

import thresher as th

PLANTED = ("th.inference.no_such_test(…)", "matrix.no_such_measure")
"""Calls that must fail, so that a driver that sees no faults is seen."""


class Later(dict[str, Any]):
    """Names of the documented calls, each made when it is first read: no module is loaded before the call asks."""

    def __missing__(self, name: str) -> Any:
        if name not in VALUES:
            raise KeyError(name)
        self[name] = VALUES[name]()
        return self[name]


RNG = np.random.default_rng(1)
TRUTH = np.tile([0, 1], 30)
A, B = (1 / (1 + np.exp(-TRUTH - RNG.normal(size=60))) for _ in range(2))
FOLDS = np.repeat([0, 1, 2], 20)


def evaluation() -> Any:
    return th.evaluate(TRUTH, {"m": A, "a": A, "b": B})


def folds() -> Any:
    return th.evaluate(TRUTH, {"m": A, "a": A, "b": B}, fold=FOLDS)


def several_classes() -> Any:
    wine = th.load_example("wine")
    return th.evaluate(wine, label="cultivar", probabilities={"m": "bayes_*"})


def assessment() -> Any:
    return th.assess({name: nearest_mean() for name in "mab"}, features(), TRUTH, method="kfold:3")


def nearest_mean() -> Any:
    from thresher.resampling.nearest_mean import NearestMean

    return NearestMean()


def features() -> Any:
    return np.column_stack([A, B])


def frame() -> Any:
    import pandas as pd

    tags = {f"{kind}_{i}": TRUTH if kind == "tag" else A for kind in ("tag", "net") for i in (1, 2)}
    people = {"site": FOLDS, "patient": FOLDS, "w": np.arange(60.0) + 1, "judge": 1 - TRUTH}
    return pd.DataFrame({"y": TRUTH, "s": A, "yhat": TRUTH, **people, **tags})


def cancer() -> Any:
    return th.load_example("cancer")


VALUES: dict[str, Callable[[], Any]] = {
    "matrix": cancer, "label": lambda: "yes", "model": nearest_mean,
    "models": lambda: {"a": nearest_mean(), "b": nearest_mean()}, "X": features, "y": lambda: TRUTH,
    "g": lambda: np.arange(60) // 6, "y_true": lambda: TRUTH, "y_score": lambda: A, "old": lambda: A,
    "new": lambda: B, "y_pred": lambda: TRUTH, "a": lambda: A, "b": lambda: B,
    "values": lambda: np.column_stack([A, B, A + B]), "table": lambda: th.ScoreTable.from_scores(TRUTH, A),
    "frame": frame, "qrels": lambda: {"q": {"d": 1}}, "run": lambda: {"q": {"d": 0.5}},
}  # fmt: skip
TABLES = {
    "mcnemar_test": ("table", [[10, 5], [3, 12]]),
    "bowker_test": ("table", [[10, 5, 1], [3, 12, 2], [4, 1, 9]]),
}
"""Functions of a table of two models or raters, where others take a table of scores."""


def make(call: str, made: Later) -> object:
    """Make one documented call; where `…` stands for arguments of which nothing is said, look the function up."""
    if call.startswith("thresher "):
        return command(shlex.split(call)[1:])
    call = call.replace("th.evaluate(…", "th.evaluate(frame, scores='s', label='y'").replace("positive=…", "positive=1")
    names = Later(made | {name: table for function, (name, table) in TABLES.items() if function in call})
    return eval(re.sub(r"\(…\)", "", call), {}, names)


def command(arguments: list[str]) -> object:
    """Run a documented command on small files that stand for those that it names."""
    from pathlib import Path

    from thresher.cli.main import cli

    Path("QRELS").write_text("q 0 d 1\nq 0 e 0\n", encoding="utf-8")
    Path("RUN").write_text("q Q0 d 1 0.9 r\nq Q0 e 2 0.1 r\n", encoding="utf-8")
    Path("FILE").write_text("y,s\n" + "1,0.9\n0,0.1\n" * 30, encoding="utf-8")
    if "FILE" in arguments:
        arguments = [*arguments, "--label", "y", "--score", "s", "--format", "json"]
    return cli([*arguments, "--quiet"])


def faults(calls: list[str], made: Later) -> dict[str, str]:
    """What each call says in a child of its own, where it has no value."""
    return {call: text for call in calls if (text := in_child(lambda call=call: outcome(call, made)))}


def outcome(call: str, made: Later) -> str:
    """What is wrong with a call, nothing where it has a value."""
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    try:
        return "" if make(call, made) is not None or call.startswith("print(") else "the value is None"
    except SystemExit as end:
        return f"exit code {end.code}" if end.code else ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def in_child(function: Callable[[], Any]) -> Any:
    """Call it in a child of this process, and return its value; a child that ends before it has one says how."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        child = os.fork()
        if not child:
            try:
                json.dump(function(), file)
                file.flush()
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        file.seek(0)
        return json.loads(file.read() or f'"ended by {status} before it had a value"')


FIRST: tuple[tuple[str, str, Callable[[], Any]], ...] = (
    (r"^(th\.|thresher )", "th", lambda: th),
    (r"\b(auc_estimates|hand_till|top_2_accuracy|vus)\b", "ev", several_classes),
    (r"\b(average_roc|cross_validated_auc)\b", "ev", folds),
    (r"\bev\b", "ev", evaluation),
    (r"\bfound\b", "found", assessment),
    (r"\bmatrix\b", "matrix", cancer),
)
"""Calls, and the value that a user of them has made before: their parent makes it, and no more."""


def main() -> None:
    """Make the calls of standard input and the planted ones, and print the faults by call."""
    calls = [*json.load(sys.stdin), *PLANTED]
    found: dict[str, str] = {}
    for pattern, name, value in FIRST:
        ours = [call for call in calls if re.search(pattern, call)]
        calls = [call for call in calls if call not in ours]
        found |= in_child(lambda name=name, value=value, ours=ours: faults(ours, Later({name: value()})))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
