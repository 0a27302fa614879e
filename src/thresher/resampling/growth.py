"""Growth exponents: how a time or a size grows with the rows, from a straight line on log-log axes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from thresher.conventions import LEVEL, confidence_level
from thresher.dataclass import dataclass
from thresher.errors import InputError
from thresher.plain import as_dict

ROUNDING = 1e-12
"""Logarithms that differ by less are those of one value."""

CURVED = 0.05
"""p value below which a quadratic term says that the line is bent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """Exponent b of y = a·n^b with its interval, from the regression of log y on log n.

    1 is linear, 2 quadratic growth: twice the rows take 2^b times as much. `r_squared` is the share of the variance of
    log y explained. `last` is the exponent between the two largest sizes alone; `is_curved` tells whether a quadratic
    term is significant at 5 %, in which case the exponent depends on the sizes. `reason` says why something is None.
    """

    exponent: float
    low: float | None
    high: float | None
    level: float
    factor: float
    r_squared: float
    last: float
    is_curved: bool
    n: int
    reason: str | None = None
    method: str = "least squares on log-log axes, t interval"

    def predict(self, n: ArrayLike) -> Any:
        """Value at n rows by the fitted line; far outside the sizes measured it is a guess."""
        found = self.factor * np.asarray(n, dtype=np.float64) ** self.exponent
        return float(found) if np.ndim(found) == 0 else found

    to_dict = as_dict

    def __str__(self) -> str:
        if math.isnan(self.exponent):
            return f"undefined: {self.reason}"
        interval = "" if self.low is None or self.high is None else f" [{self.low:.3g}, {self.high:.3g}]"
        bent = f", bent: {self.last:.3g} between the largest two" if self.is_curved else ""
        return f"n^{self.exponent:.3g}{interval}{bent}"


def growth_exponent(n: ArrayLike, y: ArrayLike, *, level: float = LEVEL) -> Growth:
    """Exponent of growth: slope b̂ of log y on log n, with b̂ ± t(m − 2)·s/√Σ(log n − mean)² over m sizes.

    The interval takes the scatter about the line as the error, so that a line that does not fit has a wide one. With
    two sizes there is no interval.

    Raises:
        InputError: lengths differ, fewer than two different sizes, or a size that is not positive.
        OptionError: `level` is not strictly between 0 and 1.

    >>> print(growth_exponent([100, 200, 400, 800], [1.0, 2.1, 3.9, 8.2]))
    n^1 [0.892, 1.11]
    """
    level = confidence_level(level)
    sizes, values = np.asarray(n, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if sizes.shape != values.shape or sizes.ndim != 1:
        raise InputError(f"n has shape {sizes.shape} and y {values.shape}: one value for each size is needed.")
    if len(np.unique(sizes)) < 2 or not (sizes > 0).all():
        raise InputError("growth needs at least two different sizes, all positive.")
    if not (np.isfinite(values).all() and (values > 0).all()):
        nothing: dict[str, Any] = {"exponent": math.nan, "factor": math.nan, "r_squared": math.nan, "last": math.nan}
        reason = "a value is not positive, so it has no logarithm"
        return Growth(low=None, high=None, level=level, is_curved=False, n=len(sizes), reason=reason, **nothing)
    logs = np.log(values)
    if np.ptp(logs) <= ROUNDING:
        logs[:] = 0.0
        return replace(_fitted(np.log(sizes), logs, level), factor=float(values[0]))
    return _fitted(np.log(sizes), logs, level)


def _fitted(x: Any, y: Any, level: float) -> Growth:
    from scipy.special import stdtrit

    m, center = len(x), x - x.mean()
    slope = float(center @ y / (center @ center))
    residual = y - y.mean() - slope * center
    total = float(((y - y.mean()) ** 2).sum())
    low = high = None
    if m > 2:
        error = math.sqrt(float(residual @ residual) / (m - 2) / float(center @ center))
        half = float(stdtrit(m - 2, (1 + level) / 2)) * error
        low, high = slope - half, slope + half
    return Growth(
        exponent=slope,
        low=low,
        high=high,
        level=level,
        factor=math.exp(float(y.mean()) - slope * float(x.mean())),
        r_squared=1.0 if total == 0 else 1 - float(residual @ residual) / total,
        last=_last_step(x, y),
        is_curved=_is_curved(center, y),
        n=m,
        reason=None if m > 2 else "two sizes have no scatter about a line, so there is no interval",
    )


def _last_step(x: Any, y: Any) -> float:
    """Slope between the two largest sizes; repeated sizes are averaged."""
    sizes, places = np.unique(x, return_inverse=True)
    means = np.bincount(places, y) / np.bincount(places)
    return float((means[-1] - means[-2]) / (sizes[-1] - sizes[-2]))


def _is_curved(center: Any, y: Any) -> bool:
    """Whether a quadratic term is significant: its t test with m − 3 degrees of freedom."""
    from scipy.special import stdtr

    m, away = len(y), y - y.mean()
    if float(np.abs(away - center * (center @ away / (center @ center))).max()) <= ROUNDING:
        return False
    if m < 5 or len(np.unique(center)) < 4:  # with fewer, chance bends any line
        return False
    design = np.column_stack([np.ones(m), center, center**2])
    coefficients, *_ = np.linalg.lstsq(design, y, rcond=None)
    rest = y - design @ coefficients
    variance = float(rest @ rest) / (m - 3) * float(np.linalg.inv(design.T @ design)[2, 2])
    if variance <= 0:
        return bool(abs(coefficients[2]) > 1e-12)
    t = abs(float(coefficients[2])) / math.sqrt(variance)
    return bool(2 * float(stdtr(m - 3, -t)) < CURVED)
