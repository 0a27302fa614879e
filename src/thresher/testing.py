"""Assertions for test suites: a model must reach a number, surely enough, or must not be worse than another.

>>> from thresher.testing import assert_at_least
>>> assert_at_least([1, 0, 1, 0], [0.9, 0.2, 0.8, 0.1], measure="auc", at_least=0.3)
"""

from __future__ import annotations

import math
from typing import Any

from thresher import gate
from thresher._util.front_door import guarded
from thresher.conventions import LEVEL
from thresher.errors import OptionError
from thresher.evaluation import ModelEvaluation, evaluate
from thresher.gate.check import Limit, On
from thresher.measures.measure_text import parse_measure

__all__ = ["assert_at_least", "assert_at_most", "assert_no_drop"]


@guarded
def assert_at_least(
    y_true: Any,
    y_score: Any,
    *,
    at_least: float,
    measure: str = "auc",
    on: On = "low",
    level: float = LEVEL,
    **options: Any,
) -> None:
    """Assert that a measure is at least a number: its lower confidence limit, or with `on="value"` its value.

    `measure` is a name such as "auc", "f_beta:beta=2" or "recall@fpr=0.01"; `y_true`, `y_score` and `options` are those
    of `thresher.evaluate` (a dataframe with `label=` and `scores=` too). With several models all must pass.

    Raises:
        AssertionError: it is not, or it is undefined: says the value, its interval and the number.
        InputError, OptionError: as `thresher.evaluate`.

    >>> assert_at_least([1, 0, 1, 0], [0.9, 0.2, 0.3, 0.4], at_least=0.8, on="value")
    Traceback (most recent call last):
    AssertionError: score: ROC AUC 0.75 (95 % interval 0.1613 to 0.9791, DeLong, score limits): its value 0.75
    is below 0.8
    """
    __tracebackhide__ = True
    bound = Limit(text=f"{measure}={at_least}", spec=parse_measure(measure), value=_number("at_least", at_least))
    _hold([gate.at_least(m, bound, on=on) for m in _models(y_true, y_score, level, options)])


@guarded
def assert_at_most(
    y_true: Any,
    y_score: Any,
    *,
    at_most: float,
    measure: str = "brier_score",
    on: On = "low",
    level: float = LEVEL,
    **options: Any,
) -> None:
    """Assert that a measure is at most a number: its upper confidence limit, or with `on="value"` its value.

    Raises:
        AssertionError: it is not, or it is undefined: says the value, its interval and the number.
        InputError, OptionError: as `thresher.evaluate`.

    >>> assert_at_most([1, 0, 1, 0], [0.9, 0.2, 0.3, 0.4], at_most=0.2, on="value")
    """
    __tracebackhide__ = True
    bound = Limit(text=f"{measure}={at_most}", spec=parse_measure(measure), value=_number("at_most", at_most))
    _hold([gate.at_most(m, bound, on=on) for m in _models(y_true, y_score, level, options)])


@guarded
def assert_no_drop(
    y_true: Any,
    new: Any,
    old: Any,
    *,
    measure: str = "auc",
    allowed: float = 0.0,
    level: float = LEVEL,
    **options: Any,
) -> None:
    """Assert that new scores are not worse than old ones of the same rows, by more than is allowed.

    It fails only when the whole paired interval of the difference is beyond the allowance, so that chance alone does
    not fail a test.

    Raises:
        AssertionError: they are, or the difference is undefined: says the drop and its interval.
        InputError, OptionError: as `thresher.evaluate`.

    >>> assert_no_drop([1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1], [6, 4, 5, 3, 2, 1])
    """
    __tracebackhide__ = True
    bound = Limit(text=f"{measure}={allowed}", spec=parse_measure(measure), value=_number("allowed", allowed))
    models = evaluate(y_true, {"new": new, "old": old}, level=level, **options)
    _hold([gate.no_drop(models["new"], models["old"], bound)])


def _models(y_true: Any, y_score: Any, level: float, options: dict[str, Any]) -> list[ModelEvaluation]:
    return list(evaluate(y_true, y_score, level=level, **options).values())


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise OptionError(f"{name}={value!r} is not a number.")
    return float(value)


def _hold(checks: list[gate.Check]) -> None:
    __tracebackhide__ = True
    failed = [check.message for check in checks if not check.passed]
    if failed:
        raise AssertionError("\n".join(failed))
