"""Random-effects summary of a measure over sites: its mean, and its value at a new site."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from thresher._util.fast_dataclass import dataclass, field
from thresher.conventions import LEVEL, confidence_level
from thresher.errors import InputError, Note, Reasoned
from thresher.inference.limits import student_quantile
from thresher.inference.proportions.intervals import normal_quantile
from thresher.results import Shown

METHOD = "random effects (DerSimonian–Laird), Hartung–Knapp"

SHARED = Note(
    "shared-clusters",
    "the sites share clusters, so their errors are dependent; give each site's clusters names of their own",
)
"""Reason of a missing interval: simulated 95 % intervals held the mean 74 % of the time (docs/coverage.md)."""

FARTHEST = 700.0
"""Largest absolute logit, so that its exponential is finite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteValue:
    """One site: its value with its normal interval, and its share of the weight of the mean."""

    site: Hashable
    value: float
    low: float
    high: float
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomEffects(Shown, Reasoned):
    """Mean of a measure over sites with its interval, and the variation between sites.

    `prediction` is the interval for a new site, None with fewer than three sites. `tau` is the standard deviation
    between sites on the scale of the method, `q` Cochran's statistic with `sites` − 1 degrees of freedom, and `i2` the
    share of the variance between sites. Missing numbers are None, and `reason` says why. `omitted` sites lacked a value
    or a standard error. `each` are the sites of the mean. `modified` is the interval with a variation at least as large
    as the sites' own errors imply: wider if sites are alike by chance.
    """

    measure: str
    value: float
    low: float | None
    high: float | None
    level: float
    prediction: tuple[float, float] | None
    tau: float
    q: float
    i2: float
    sites: int
    method: str
    omitted: int = 0
    reason: Note | None = None
    modified: tuple[float, float] | None = None
    each: tuple[SiteValue, ...] = field(default=(), compare=False)

    @property
    def is_of_two(self) -> bool:
        """Whether the interval rests on two sites: with one degree of freedom, it is very wide."""
        return self.sites == 2 and self.low is not None

    @property
    def is_alike(self) -> bool:
        """Whether sites differ less than their own errors imply, so that `modified` is wider."""
        return self.q < self.sites - 1

    def __repr__(self) -> str:
        if self.low is None:
            return f"RandomEffects({self.measure} = {self.value:.4g} over {self.sites} sites: {self.reason})"
        limits = f"[{self.low:.4g}, {self.high:.4g}], {100 * self.level:g}%"
        return f"RandomEffects({self.measure} = {self.value:.4g} {limits} {self.method}, {self.sites} sites)"

    def columns(self) -> dict[str, list[Any]]:
        """A row for each site, then one for their mean and one for the prediction, if any.

        Columns are `part` ("site", "mean" or "prediction"), `site`, `value`, `low`, `high` and `weight`.
        """
        rows: list[tuple[Any, ...]] = [("site", str(e.site), e.value, e.low, e.high, e.weight) for e in self.each]
        rows.append(("mean", None, self.value, self.low, self.high, None))
        if self.prediction is not None:
            rows.append(("prediction", None, None, *self.prediction, None))
        names = ("part", "site", "value", "low", "high", "weight")
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def random_effects(
    values: Sequence[float],
    standard_errors: Sequence[float],
    *,
    measure: str = "value",
    is_share: bool = False,
    names: Sequence[Hashable] = (),
    omitted: int = 0,
    level: float = LEVEL,
    share_clusters: bool = False,
) -> RandomEffects:
    """Mean μ = Σw·y/Σw of sites' values y with w = 1/(s² + τ²), and its interval μ ± t·se, se² = h/Σw.

    τ² = max(0, (Q − (k − 1))/(Σv − Σv²/Σv)) with v = 1/s² and Q = Σv(y − ȳ)² about their weighted mean; t has k − 1
    degrees of freedom. h = Σw(y − μ)²/(k − 1) is the ratio of observed to expected variation, which a few sites, alike
    by chance, put near 0: the `modified` interval takes it to be at least 1. The prediction is μ ± t·√(τ² + se²) with k
    − 2. Shares are on the logit scale, with standard errors s/(y(1 − y)). `names` are the names of sites, by default
    their numbers. Sites that `share_clusters` have dependent errors, so their mean lacks an interval.

    Raises:
        InputError: unequal lengths, a value that is not finite (or not between 0 and 1), or an error that is not
            positive.
        OptionError: the level is not strictly between 0 and 1.

    >>> random_effects([0.91, 0.86, 0.94, 0.88], [0.02, 0.03, 0.015, 0.02], measure="auc", is_share=True)
    RandomEffects(auc = 0.9003 [0.8269, 0.9447], 95% random effects (DerSimonian–Laird), Hartung–Knapp, logit scale,
    4 sites)
    >>> alike = random_effects([0.86, 0.8601], [0.03, 0.03])
    >>> [round(end, 4) for end in (alike.low, alike.high, *alike.modified)], alike.is_alike
    ([0.8594, 0.8607, 0.5905, 1.1296], True)

    Source: DerSimonian & Laird 1986; Hartung & Knapp 2001; Röver, Knapp & Friede 2015; Higgins, Thompson &
    Spiegelhalter 2009.
    """
    confidence_level(level)
    y, s = (np.asarray(given, dtype=np.float64) for given in (values, standard_errors))
    if y.shape != s.shape or y.ndim != 1 or not y.size:
        raise InputError(f"a summary of sites takes as many values as errors, not {y.size} and {s.size}.")
    called = tuple(names) or tuple(range(1, y.size + 1))
    if len(called) != y.size:
        raise InputError(f"a summary of {y.size} sites takes as many names, not {len(called)}.")
    inside = (y > 0) & (y < 1) if is_share else np.isfinite(y)
    if not (inside & np.isfinite(s) & (s > 0)).all():
        place = int(np.flatnonzero(~(inside & np.isfinite(s) & (s > 0)))[0])
        raise InputError(f"site {place + 1} has the value {y[place]:g} and the error {s[place]:g}: leave it out.")
    if is_share:
        y, s = np.log(y / (1 - y)), s / (y * (1 - y))
    v, k = 1 / s**2, y.size
    q = float(v @ (y - v @ y / v.sum()) ** 2)
    spread = float(v.sum() - v @ v / v.sum())
    tau2 = max(0.0, (q - (k - 1)) / spread) if k > 1 else 0.0
    w = 1 / (s**2 + tau2)
    mean = float(w @ y / w.sum())
    apart, expected = float(w @ (y - mean) ** 2) / max(k - 1, 1), float(w.sum())
    error = math.sqrt(apart / expected)

    def on_scale(x: float) -> float:
        return 1 / (1 + math.exp(min(-x, FARTHEST))) if is_share else x

    def limits(df: int, deviation: float) -> tuple[float, float]:
        reach = student_quantile((1 + level) / 2, df) * deviation
        return on_scale(mean - reach), on_scale(mean + reach)

    z = normal_quantile(level)
    each = tuple(
        SiteValue(site=site, value=on_scale(a), low=on_scale(a - z * b), high=on_scale(a + z * b), weight=share)
        for site, a, b, share in zip(called, y.tolist(), s.tolist(), (w / w.sum()).tolist(), strict=True)
    )

    alike = "a single site shows no spread" if k < 2 else "all sites have the same value" if error == 0 else ""
    reason = SHARED if share_clusters else Note("no-spread", alike) if alike else None
    low, high = (None, None) if reason else limits(k - 1, error)
    return RandomEffects(
        measure=measure, value=on_scale(mean), low=low, high=high, level=level, tau=math.sqrt(tau2), q=q, sites=k,
        prediction=None if reason or k < 3 else limits(k - 2, math.hypot(error, math.sqrt(tau2))),
        i2=max(0.0, 1 - (k - 1) / q) if k > 1 and q else 0.0, method=METHOD + (", logit scale" if is_share else ""),
        omitted=omitted, reason=reason, each=each,
        modified=None if k < 2 or share_clusters else limits(k - 1, math.sqrt(max(apart, 1.0) / expected)),
    )  # fmt: skip
