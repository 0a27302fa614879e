"""The reason of an undefined measure is a fact about the rows, for every measure of the registry."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher.evaluation.estimate import measured_value
from thresher.evaluation.subject import Subject
from thresher.measures import measures
from thresher.measures.measure_text import parse_measure

RNG = np.random.default_rng(22)
Y = np.tile([1, 0], 30)
SCORES = RNG.random(60)


@dataclass(frozen=True)
class Case:
    """Truth (1 is positive), decisions, and scores if there are any."""

    subject: Subject
    y: Any
    decided: Any
    s: Any = None

    @classmethod
    def of(cls, y: Any, s: Any, **options: Any) -> Case:
        subject = th.evaluate(y, s, positive=1, **options)["score"]
        return cls(subject, np.asarray(y), np.asarray(s) >= (subject.threshold or 0), np.asarray(s))


def group_of_one() -> Case:
    rows = {"y": Y, "s": SCORES, "site": ["a"] * 59 + ["b"]}
    subject = th.evaluate(rows, label="y", scores="s", by="site").groups["b"]["s"]
    return Case(subject, Y[59:], SCORES[59:] >= 0.5, SCORES[59:])


def no_rows() -> Case:
    evaluation = th.evaluate(Y, SCORES)
    empty = np.zeros(0, int)
    return Case(evaluation.on(evaluation.predictions.take(empty))["score"], empty, empty, empty)


def labels_only() -> Case:
    decided = np.where(SCORES < 0.8, Y, 1 - Y)
    return Case(th.evaluate(Y, predicted=decided)["predicted"], Y, decided)


CASES: dict[str, Callable[[], Case]] = {
    "constant": lambda: Case.of(Y, np.full(60, 0.5)),
    "constant beyond 1": lambda: Case.of(Y, np.full(60, 3.0), threshold=3),
    "positives only": lambda: Case.of(np.ones(60, int), SCORES),
    "negatives only": lambda: Case.of(np.zeros(60, int), SCORES),
    "separable": lambda: Case.of(Y, np.where(Y == 1, 0.7, 0.2) + 0.2 * SCORES),
    "labels only": labels_only,
    "group of one row": group_of_one,
    "no rows": no_rows,
}

FACTS: dict[str, Callable[[Case], Any]] = {
    "there are no rows": lambda c: len(c.y) == 0,
    "there are no positives": lambda c: not (c.y == 1).any(),
    "there are no negatives": lambda c: not (c.y == 0).any(),
    "nothing is predicted positive": lambda c: not c.decided.any(),
    "nothing is predicted negative": lambda c: c.decided.all(),
    "nothing is positive, neither in truth nor predicted": lambda c: not c.decided.any() and not c.y.any(),
    "fewer than two classes occur": lambda c: len(set(c.y)) < 2,
    "fewer than two classes are predicted": lambda c: len(set(c.decided)) < 2,
    "all rows are of one class, predicted as it": lambda c: len(set(c.y)) == 1 and np.array_equal(c.y == 1, c.decided),
    "a class is empty": lambda c: len(set(c.y)) < 2,
    "all rows are of one class, so no forecast has anything to gain": lambda c: len(set(c.y)) == 1,
    "every row has the same score, which determines no slope": lambda c: len(set(c.s)) == 1 and len(set(c.y)) == 2,
    "a threshold separates the classes, so the slope is infinite": lambda c: c.s[c.y == 1].min() > c.s[c.y == 0].max(),
    "the scores are not probabilities of the positive class (0 to 1)": lambda c: c.s.max() > 1,
    "the scores run from 3 to 3: they are not probabilities without a calibration map": lambda c: (
        c.s.min() == c.s.max() == 3
    ),
    "one score of two classes is needed, 'predicted' has predicted labels only": lambda c: c.s is None,
}
"""What a reason says, and whether it is so; those of several conditions are joined by "and"."""

JOINED = {
    "rank, and are": "rank, are", "needed, and 'predicted'": "needed, 'predicted'",
    "class and predicted": "class, predicted",
}  # fmt: skip
"""Words of one condition that hold the "and" between conditions."""

NAMES = [entry.name for entry in measures() if not entry.needs_parameters]


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    return {name: make() for name, make in CASES.items()}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", NAMES)
def test_the_reason_is_a_fact_about_the_rows(name: str, case: str, cases: dict[str, Case]) -> None:
    rows = cases[case]
    found = measured_value(rows.subject, parse_measure(name), level=0.95)
    if not math.isnan(found.value):
        assert found.low is not None or found.reason
        return
    assert found.reason
    whole = found.reason
    for joined, apart in JOINED.items():
        whole = whole.replace(joined, apart)
    said = whole.split(" and ")
    for each in said:
        assert each in FACTS, each
        assert FACTS[each](rows), each


def test_every_case_leaves_something_undefined(cases: dict[str, Case]) -> None:
    for case, rows in cases.items():
        values = [measured_value(rows.subject, parse_measure(name), level=0.95).value for name in NAMES]
        assert any(map(math.isnan, values)), case


def test_labels_of_several_classes_lack_posteriors() -> None:
    model = th.evaluate(np.arange(60) % 3, predicted=np.arange(60) // 3 % 3)["predicted"]
    found = model.estimate("hand_till")
    assert found.reason == "posteriors of several classes are needed, and 'predicted' has predicted labels only"
