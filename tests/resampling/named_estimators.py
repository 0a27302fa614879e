"""What the tests of estimators from text name."""

from __future__ import annotations

from typing import Any, NoReturn


class Mean:
    """Looks like an estimator."""

    def __init__(self, inner: Any = None, size: Any = 1) -> None:
        self.inner, self.size = inner, size

    def fit(self, X: Any, y: Any) -> Mean:  # noqa: ARG002
        return self


class Trap:
    """Is none, and must never be made."""

    def __init__(self) -> None:
        trap()


class _Hidden(Mean):
    pass


def trap() -> NoReturn:
    raise AssertionError("this was called")


def make_pipeline() -> NoReturn:
    """Called like scikit-learn's, but not from there."""
    trap()
