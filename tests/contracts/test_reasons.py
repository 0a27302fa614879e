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
    "no-rows": lambda c: len(set(c.y)) < 2,
    "one-class": lambda c: len(set(c.y)) < 2,
    "nothing-predicted": lambda c: len(set(c.decided)) < 2,
    "constant-score": lambda c: len(set(c.s)) == 1 and len(set(c.y)) == 2,
    "no-maximum": lambda c: c.s[c.y == 1].min() > c.s[c.y == 0].max(),
    "not-probabilities": lambda c: c.s.max() > 1,
    "other-task": lambda c: c.s is None,
}
"""Meaning of the code of a reason, as a fact about the rows."""

NAMES = [entry.name for entry in measures() if not entry.needs_parameters]


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    return {name: make() for name, make in CASES.items()}


@pytest.mark.parametrize("case", CASES)
def test_the_reason_is_a_fact_about_the_rows(case: str, cases: dict[str, Case]) -> None:
    rows = cases[case]
    for name in NAMES:
        found = measured_value(rows.subject, parse_measure(name), level=0.95)
        if math.isnan(found.value):
            assert FACTS[str(found.reason_code)](rows), (name, found.reason)
        else:
            assert found.low is not None or found.reason, name


def test_every_case_leaves_something_undefined(cases: dict[str, Case]) -> None:
    for case, rows in cases.items():
        values = [measured_value(rows.subject, parse_measure(name), level=0.95).value for name in NAMES]
        assert any(map(math.isnan, values)), case


def test_labels_of_several_classes_lack_posteriors() -> None:
    model = th.evaluate(np.arange(60) % 3, predicted=np.arange(60) // 3 % 3)["predicted"]
    found = model.estimate("hand_till")
    assert found.reason_code == "other-task"
