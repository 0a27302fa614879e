"""Sums of the losses of rows, class by class: what bins of scores no longer tell, and what adds up by itself."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.conventions import Floats
from thresher.errors import InputError

SHAPE = (2, 11)
"""Shape of the sums: see `kernel.LossMoments`. They are NaN where a score is no probability of the positive class."""


class LossTable(Protocol):
    """What is read of a score table."""

    @property
    def scores(self) -> Floats: ...
    @property
    def positive(self) -> NDArray[Any]: ...
    @property
    def negative(self) -> NDArray[Any]: ...
    @property
    def positive_squares(self) -> Floats | None: ...
    @property
    def negative_squares(self) -> Floats | None: ...
    @property
    def binned(self) -> bool: ...
    @property
    def is_probability(self) -> bool: ...
    @property
    def losses(self) -> Floats | None: ...


def losses_of(table: LossTable) -> Floats | None:
    """Sums of the losses of the rows of a table; None where its bins do not tell them."""
    if table.losses is not None or table.binned or table.positive.ndim > 1:
        return table.losses
    if not table.scores.size:
        return np.zeros(SHAPE)
    if not table.is_probability:
        return np.full(SHAPE, np.nan)
    squares = table.positive_squares, table.negative_squares
    return kernel.loss_moments(table.scores, table.positive, table.negative, *squares).sums


def losses_of_rows(truth: NDArray[Any], scores: Floats, weights: Floats | None, *, squares: bool) -> Floats:
    """Sums of the losses of rows, of which weights have their `squares` summed too.

    >>> losses_of_rows(np.array([True, False]), np.array([0.5, 1.0]), None, squares=False)[:, [0, 2]].tolist()
    [[1.0, 0.25], [1.0, 1.0]]
    """
    try:
        return kernel.row_losses(truth, scores, weights, squares=squares).sums
    except kernel.KernelInputError:  # a score that is no probability; all else is checked before rows are counted
        return np.full(SHAPE, np.nan)


def added(first: Floats | None, second: Floats | None) -> Floats | None:
    """Sums over the rows of both; None where those of one are not known."""
    return None if first is None or second is None else first + second


def losses_form(losses: Floats | None) -> list[str] | None:
    """Sums as texts that come back to the last bit, infinite ones and NaN too.

    >>> losses_form(None)
    """
    return None if losses is None else [float(value).hex() for value in losses.ravel()]


def losses_from(form: Any) -> Floats | None:
    """Sums from their texts.

    Raises:
        InputError: they are not as `losses_form` makes them.
    """
    if form is None:
        return None
    try:
        found = np.array([float.fromhex(text) for text in form]).reshape(SHAPE)
    except (TypeError, ValueError, OverflowError):
        raise InputError("its sums of losses cannot be read") from None
    if (found < 0).any():
        raise InputError("its sums of losses are negative")
    return found
