"""The mean of several curves of one model with their spread: ROC and precision–recall over folds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.json_values import with_codes
from thresher.conventions import LEVEL, confidence_level, option
from thresher.curves.averaging import MAKERS, Averaged, CurveAverage, How, average_curves
from thresher.curves.curve import Curve, Floats, Table
from thresher.errors import Note, OptionError, Reasoned
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.limits import quantile
from thresher.inference.curves.bands import Band, BandKind, precision_recall_band, roc_band, widened
from thresher.inference.limits import student_quantile
from thresher.results import Estimate, frame_columns

Spread = Literal["t", "normal", "quantile", "bootstrap"]
NAMES: dict[Averaged, str] = {"roc": "auc", "precision_recall": "pr_auc_davis_goadrich"}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AveragedCurve(Reasoned):
    """A mean curve with its bands; `average` has the single curves.

    `band` covers the ordinates. `x_band` covers the abscissas for an average by threshold, with points that move both
    ways, and for a horizontal one, which lacks a `band`; else None. `area` is the mean of the curves' areas with limits
    by the same spread (pooled: the pooled area). `reason` says why the band is missing.
    """

    average: CurveAverage
    area: Estimate
    band: Band | None
    x_band: Band | None
    reason: Note | None = None

    @property
    def curve(self) -> Curve:
        """Mean curve."""
        return replace(self.average.curve, summary=self.area)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes for the reader."""
        return self.average.notes

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the curve and its band with matplotlib, on `ax` or on a new figure; return the axes.

        Raises:
            MissingDependencyError: matplotlib is not installed.
        """
        ax = self.curve.plot(ax, **options)
        color = ax.lines[-1].get_color() if options.get("color") is None else options["color"]
        if self.band is not None:
            ax.fill_between(self.band.x, self.band.low, self.band.high, color=color, alpha=0.18, linewidth=0)
        if self.x_band is not None:
            heights = self.x_band.x if self.band is None else self.band.y
            ax.fill_betweenx(heights, self.x_band.low, self.x_band.high, color=color, alpha=0.1, linewidth=0)
        return ax

    def to_dict(self) -> dict[str, Any]:
        """Curve, bands and area as JSON types."""
        bands = {name: None if (b := getattr(self, name)) is None else b.to_dict() for name in ("band", "x_band")}
        rest: dict[str, Any] = {
            "how": self.average.how,
            "curves": len(self.average.tables),
            "left_out": self.average.left_out,
        }
        rest |= {"curve": self.curve.to_dict(), "area": self.area.to_dict(), "reason": self.reason}
        return with_codes(bands | rest)

    def columns(self) -> dict[str, Any]:
        """One row for each point: x, y, low and high, with a band of abscissas also x_low and x_high; NaN without."""
        points, nothing = self.curve if self.band is None else self.band, np.full(self.curve.x.size, np.nan)
        columns = {"x": points.x, "y": points.y}
        columns |= {name: nothing if self.band is None else getattr(self.band, name) for name in ("low", "high")}
        if self.x_band is not None:
            columns |= {"x_low": self.x_band.low, "x_high": self.x_band.high}
        return columns

    to_frame = frame_columns

    def __repr__(self) -> str:
        return (
            f"AveragedCurve({self.average.curve.name}, {self.average.how}, {len(self.average.tables)} curves, "
            f"{self.area.name} {self.area.format()})"
        )


def averaged_curve(
    tables: Iterable[Table] | Mapping[Any, Table],
    *,
    curve: Averaged = "roc",
    how: How = "vertical",
    interval: Spread | None = None,
    simultaneous: bool = False,
    level: float = LEVEL,
    x: ArrayLike | None = None,
    config: Bootstrap | None = None,
    dependence: float = 0.0,
) -> AveragedCurve:
    """Mean of the curves of several tables (`average_curves`), with a band at each point of it.

    "t": y̅ ± t(k − 1)·s/√k over the k curves, s² = Σ (yᵢ − y̅)²/(k − 1); "normal": z in place of t; both are intervals
    of the mean. "quantile": limits of the middle `level` of the curves, for bootstrap resamples. "bootstrap", for a
    pooled curve only: pointwise `roc_band` of the rows of all tables. The default is "t", and none for a pooled curve.
    Limits stay in [0, 1]; if all curves agree they are Wilson's, from the positives of all tables. Folds share training
    rows, so a band over folds is too narrow by an unknown amount; `method` names its basis. Their `dependence`, ρ/(1 −
    ρ) of the correlation ρ of two curves, is added to 1/k if given (Nadeau & Bengio).

    A pointwise band covers each point with probability `level`. With `simultaneous` it covers all points at once: by
    Bonferroni's inequality each has the level 1 − (1 − level)/m, m points (in both directions for an average by
    threshold), which is conservative; a pooled curve has `roc_band`'s.

    Raises:
        InputError, OptionError: as for `average_curves`; an interval that does not go with `how` or `simultaneous`.

    Fawcett (2006), section 9; Macskassy and Provost (2004).

    >>> from thresher.counts import ScoreTable
    >>> folds = [ScoreTable.from_scores([1, 1, 0, 0], s) for s in ([4, 3, 2, 1], [4, 1, 3, 2], [4, 2, 3, 1])]
    >>> averaged_curve(folds)
    AveragedCurve(roc, vertical, 3 curves, auc 0.75 [0.129, 1])
    """
    option("interval", interval, (None, "t", "normal", "quantile", "bootstrap"))
    if interval is not None and (how == "pooled") != (interval == "bootstrap"):
        raise OptionError(
            f"interval={interval!r} does not go with how={how!r}: a pooled curve has 'bootstrap' or None."
        )
    if simultaneous and interval == "quantile":
        raise OptionError("interval='quantile' does not give a simultaneous band: the quantiles are pointwise.")
    if not 0 <= dependence < math.inf:
        raise OptionError(f"dependence={dependence!r}: give a number of at least 0.")
    confidence_level(level)
    average = average_curves(tables, curve=curve, how=how, x=x)
    spread: Spread | None = interval or (None if how == "pooled" else "t")
    k = len(average.tables)
    if how == "pooled":
        kind: BandKind = "simultaneous" if simultaneous else "pointwise"
        return _pooled(average, curve, spread, level, config, kind)
    share = 1 / k + dependence if k else math.nan
    words = _words(spread, k, dependence)
    area = _area(average, curve, spread, level, share, words)
    if k < 2:
        reason = Note("no-spread", f"{k} curve{'s are' if k != 1 else ' is'} defined, and a spread needs two")
        return AveragedCurve(average=average, area=area, band=None, x_band=None, reason=reason)
    trials = _trials(average, curve)
    points = average.y.shape[1] * (2 if how == "threshold" else 1) if simultaneous else 1
    words += f", Bonferroni over {points} limits" if simultaneous else ""
    told: dict[str, Any] = {"level": level, "points": points, "share": share, "words": words}
    # A mean of equal abscissas is rounded.
    x_mean = average.x[0] if how == "vertical" else average.x.mean(axis=0)
    band = None if how == "horizontal" else _band(curve, x_mean, average.y, trials, spread, **told)
    across = None
    if how in ("threshold", "horizontal"):
        rows = float(sum(float(part.N if curve == "roc" else part.P) for part in average.tables))
        cuts = average.y[0] if average.thresholds is None else average.thresholds
        trials = np.full(average.x.shape[1], max(rows, 1.0))
        across = _band(average.curve.x_name, cuts, average.x, trials, spread, **told)
    return AveragedCurve(average=average, area=area, band=band, x_band=across)


def _pooled(
    average: CurveAverage,
    curve: Averaged,
    spread: Spread | None,
    level: float,
    config: Bootstrap | None,
    kind: BandKind,
) -> AveragedCurve:
    value = average.curve.area()
    why = None if math.isfinite(value) else Note("no-rows", "a class is empty")
    area = Estimate(name=NAMES[curve], value=value, reason=why)
    if spread is None or not average.tables:
        text = "a pooled curve does not vary over tables; interval='bootstrap' resamples its rows"
        reason = Note("no-spread", text)
        return AveragedCurve(average=average, area=area, band=None, x_band=None, reason=reason)
    whole = average.tables[0]
    for part in average.tables[1:]:
        whole = whole + part
    make = roc_band if curve == "roc" else precision_recall_band
    return AveragedCurve(
        average=average, area=area, band=make(whole, kind=kind, level=level, config=config), x_band=None
    )


def _words(spread: Spread | None, k: int, dependence: float) -> str:
    if dependence and spread != "quantile":
        return f"corrected resampled {spread} over {k} curves"
    middle = {"t": f"t with {k - 1} degrees of freedom", "normal": "normal"}
    if spread in middle:
        return f"{middle[spread]}, over {k} curves taken as independent"
    return f"quantiles of {k} curves"


def _area(
    average: CurveAverage, curve: Averaged, spread: Spread | None, level: float, share: float, words: str
) -> Estimate:
    values = np.array([[MAKERS[curve](part).area()] for part in average.tables])
    name, k = NAMES[curve], len(values)
    if not k:
        return Estimate(
            name=name, value=math.nan, reason=Note("undefined", "the curve is undefined in every table"), n=0
        )
    mean = float(values.mean())
    if k < 2:
        return Estimate(name=name, value=mean, n=k, reason=Note("no-spread", "a single curve shows no spread"))
    low, high = _limits(values, spread, level, share)
    error = float(values.std(ddof=1)) * math.sqrt(share)
    return Estimate(
        name=name, value=mean, standard_error=error, low=float(low[0]), high=float(high[0]), level=level,
        method=words, n=k,
    )  # fmt: skip


def _limits(values: Floats, spread: Spread | None, level: float, share: float) -> tuple[Floats, Floats]:
    """Limits of every column, over its rows, inside [0, 1]; a mean has this share of the variance of a row."""
    k, tail = len(values), (1 - level) / 2
    if spread == "quantile":
        ordered = np.sort(values, axis=0)
        low, high = (np.array([quantile(column, share) for column in ordered.T]) for share in (tail, 1 - tail))
        return low, high
    times = student_quantile(1 - tail, k - 1 if spread == "t" else math.inf)
    mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) * math.sqrt(share)
    return np.maximum(mean - times * error, 0.0), np.minimum(mean + times * error, 1.0)


def _trials(average: CurveAverage, curve: Averaged) -> Floats:
    """Trials of the mean value at each point: the positives, or the predicted positives."""
    positives = float(sum(float(part.P) for part in average.tables))
    x, y = average.x.mean(axis=0), average.y.mean(axis=0)
    if curve == "roc":
        return np.full(x.size, positives)
    return np.asarray(np.maximum(x * positives, 1.0) / np.maximum(y, 1e-12))


def _band(
    name: str,
    x: Floats,
    values: Floats,
    trials: Floats,
    spread: Spread | None,
    *,
    level: float,
    points: int,
    share: float,
    words: str,
) -> Band:
    """Band of the mean of `values` that covers `points` limits together."""
    y, own = values.mean(axis=0), 1 - (1 - level) / points
    # Equal values with a rounded mean have a spread in the last digit only.
    same = np.ptp(values, axis=0) <= 1e-12
    low, high = _limits(values, spread, own, share)
    low, high = widened(y, np.where(same, y, low), np.where(same, y, high), trials, own)
    if name == "roc":
        # If all rows are predicted positive, the curve is at 1 for any rows.
        ends = (x >= 1) & (y >= 1)
        low, high = np.where(ends, y, low), np.where(ends, y, high)
    return Band(name=name, x=x, y=y, low=low, high=high, level=level, method=words, is_simultaneous=points > 1)
