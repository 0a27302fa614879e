"""Calibration of one score: estimates with intervals, decompositions and tests as one value, and bands of its curve."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from thresher import kernel
from thresher._util.fast_dataclass import dataclass, field
from thresher._util.front_door import guarded
from thresher._util.parse_number import MOST_REPLICATES
from thresher.calibration.calibration_tests import (
    CoxCalibration,
    cox_calibration,
    hosmer_lemeshow_test,
    spiegelhalter_test,
)
from thresher.calibration.decompositions import Decomposition, decomposition
from thresher.calibration.diagram import readable, why_not
from thresher.conventions import LEVEL, SEED, Floats, check_seed, check_whole, confidence_level, option
from thresher.counts.groups import Groups, joined_at
from thresher.counts.scores import ScoreTable
from thresher.curves.curve import Table, score_table
from thresher.errors import Note, Reasoned, capital
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.curves.bands import Band
from thresher.inference.estimates.methods import estimate_of_scores
from thresher.inference.estimates.row_means import LOGITS, logit_estimates
from thresher.measures.calibration import sums
from thresher.measures.fitted import CLIP
from thresher.measures.measure_text import title_of
from thresher.measures.registry import measures
from thresher.results import Estimate, Shown, TestResult, estimate_columns
from thresher.upward_import import as_html

if TYPE_CHECKING:
    from thresher.inference.bootstrap.sample import Data

LARGE = ("calibration_difference", "observed_expected_ratio")
BINNED = ("expected_calibration_error", "maximum_calibration_error")
DISTANCES = tuple(e.name for e in measures("table") if e.group == "calibration" and e.fitted and e.name not in LOGITS)
NAMES = (*LARGE, *LOGITS, *BINNED, *DISTANCES)
TESTS = ("recalibration", "spiegelhalter", "hosmer_lemeshow")
PARTS = (*TESTS, "brier_score", "log_loss")
ROUNDING = 1e-12
"""A smaller statistic is rounding error."""

SHORT = {"intercept": LOGITS[0], "slope": LOGITS[1], "ece": BINNED[0]}
"""Short names in print, which are attributes too."""


@guarded
@dataclass(frozen=True, kw_only=True, eq=False)
class CalibrationSummary(Shown, Reasoned):
    """Calibration of one score; every printed name is an attribute: `calibration_slope`, `spiegelhalter`.

    The calibration intercept is the one at slope 1, `in_the_large` of `cox_calibration`; the intercept with a free
    slope is only tested, with it. `brier` (or `brier_score`) and `log_loss` are the decompositions by the isotonic fit,
    None for scores that are not probabilities; then every estimate is undefined, and `reason` says why. `tests` holds
    "recalibration" (intercept 0 and slope 1), "spiegelhalter" and "hosmer_lemeshow" (10 groups, test rows).
    """

    estimates: Mapping[str, Estimate]
    brier: Decomposition | None = None
    log_loss: Decomposition | None = None
    tests: Mapping[str, TestResult] = field(default_factory=dict)
    level: float = LEVEL
    reason: Note | None = None

    def __getattr__(self, name: str) -> Any:
        if name == "brier_score":
            return self.brier
        if name in SHORT or name in NAMES:
            return self.estimates[SHORT.get(name, name)]
        if name in TESTS and name in self.tests:
            return self.tests[name]
        raise AttributeError(f"a calibration summary lacks {name!r}; it has {', '.join((*NAMES, *PARTS))}.")

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self.estimates, *self.tests, *SHORT, *PARTS})

    def columns(self) -> dict[str, Any]:
        """One row for each estimate."""
        named: dict[str, Any] = {"measure": list(self.estimates)}
        return named | estimate_columns(self.estimates.values())

    def __str__(self) -> str:
        if self.reason is not None:
            return f"Calibration is undefined: {self.reason}."
        width = max(map(len, map(_words, (*NAMES, *self.tests))))
        why = {name: "" if e.is_defined else f": {e.reason}" for name, e in self.estimates.items()}
        lines = [f"{_words(name):<{width}}  {e.format()}{why[name]}" for name, e in self.estimates.items()]
        lines += [_test_line(name, test, width) for name, test in self.tests.items()]
        lines += [f"{_words(found.loss):<{width}}  {_terms(found)}" for found in (self.brier, self.log_loss) if found]
        return "\n".join(lines)

    def __repr__(self) -> str:
        if self.reason is not None:
            return f"CalibrationSummary(undefined: {self.reason})"
        shown = [f"{name.removeprefix('calibration_')} {self.estimates[name].format()}" for name in LOGITS]
        return f"CalibrationSummary({', '.join(shown)}, ECE {self.estimates[BINNED[0]].format()})"

    _repr_html_ = as_html


def calibration_summary(
    table: Table, *, level: float = LEVEL, clip: float | None = CLIP, bootstrap: Bootstrap | int | None = None
) -> CalibrationSummary:
    """Calibration of one score: in the large, intercept and slope, distances, decompositions and tests.

    The difference and the ratio have intervals from the rows' spread, intercept and slope Student's. The distances are
    biased upwards and have intervals by `bootstrap` only. Intercept and slope move scores within `clip` of 0 or 1 to
    that distance, and report their number, as the numbers depend on it; with `clip=None` they are undefined if a score
    is 0 or 1. For scores that are not probabilities the summary is empty, with the reason.

    Raises:
        InputError: the table is a batch.
        OptionError: the level is not between 0 and 1, or the clip not between 0 and ½.
        RowsNeededError: the table is thinned, or has importance weights and a bootstrap is asked for.

    Van Calster et al. (2019); `thresher.calibration` has the sources of each part.

    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1] * 20, [0.1, 0.2, 0.3, 0.6, 0.7, 0.9] * 20)
    >>> found = calibration_summary(table)
    >>> found
    CalibrationSummary(intercept 0.1992 [-0.2483, 0.6468], slope 1.123 [0.8655, 1.381], ECE 0.3333)
    >>> found.observed_expected_ratio
    Estimate(observed_expected_ratio = 1.071 [0.9256, 1.24], 95% delta method, log scale)
    """
    scores = score_table(table)
    confidence_level(level)
    if reason := why_not(scores):
        nothing = {name: Estimate(name=name, value=math.nan, reason=reason) for name in NAMES}
        return CalibrationSummary(estimates=nothing, level=float(level), reason=reason)
    cox = cox_calibration(scores, clip=clip)
    estimates = {name: estimate_of_scores(scores, name, level=level) for name in LARGE}
    estimates |= logit_estimates(scores, cox, level)
    if bootstrap is not None:
        estimates |= resampled_distances(scores, bootstrap, level=level)
    else:
        estimates |= {name: estimate_of_scores(scores, name, level=level) for name in (*BINNED, *DISTANCES)}
    return CalibrationSummary(
        estimates=estimates,
        brier=decomposition(scores),
        log_loss=decomposition(scores, loss="log"),
        tests=calibration_tests(scores, cox, hosmer_lemeshow=hosmer_lemeshow_test(scores)),
        level=float(level),
    )


def calibration_tests(scores: ScoreTable, cox: CoxCalibration, **more: TestResult) -> dict[str, TestResult]:
    """Return tests of calibration by name."""
    return {"recalibration": recalibration_test(scores, cox), "spiegelhalter": spiegelhalter_test(scores)} | more


def recalibration_test(scores: ScoreTable, cox: CoxCalibration) -> TestResult:
    """Test of calibration intercept 0 and slope 1: a likelihood ratio, scaled for weighted rows.

    Cox (1958); Miller, Hui & Tierney (1991); Rao & Scott (1981) for weights.
    """
    is_scaled = scores.positive_squares is not None or scores.prior is not None
    return TestResult(
        method=f"recalibration, likelihood ratio{' over its design effect' if is_scaled else ''}",
        statistic=cox.statistic,
        p_value=math.nan if math.isnan(cox.statistic) else cox.p_value,
        df=2,
        assumptions="rows are independent",
        source="Cox 1958; Rao & Scott 1981" if is_scaled else "Cox 1958",
        reason=cox.slope_reason,
    )


def resampled_distances(
    data: Data, bootstrap: Bootstrap | int, *, level: float = LEVEL, model: str | None = None
) -> dict[str, Estimate]:
    """Calibration errors with bootstrap intervals, from a table, or from rows with weights or clusters."""
    from thresher.inference.bootstrap.config import as_bootstrap
    from thresher.inference.bootstrap.intervals import estimates_of
    from thresher.inference.bootstrap.replicates import bootstrap_replicates

    wanted = [*BINNED, *DISTANCES]
    found = estimates_of(bootstrap_replicates(data, wanted, as_bootstrap(bootstrap), models=(model,)), level=level)
    return dict(zip(wanted, found, strict=True))


WORDS = {
    "calibration_difference": "Prevalence − mean score",
    "observed_expected_ratio": "Observed : expected",
    "recalibration": "Recalibration test",
    "spiegelhalter": "Spiegelhalter's Z",
    "hosmer_lemeshow": "Hosmer–Lemeshow test",
}


def _words(name: str) -> str:
    return WORDS.get(name) or capital(title_of(name))


def _test_line(name: str, test: TestResult, width: int) -> str:
    if math.isnan(test.p_value):
        return f"{_words(name):<{width}}  undefined: {test.reason}"
    df = "" if test.df is None else f", {test.df:g} df"
    statistic = 0.0 if abs(test.statistic) < ROUNDING else test.statistic
    p = "p < 0.0001" if test.p_value < 1e-4 else f"p = {test.p_value:.3g}"
    return f"{_words(name):<{width}}  {statistic:.4g}{df}, {p}"


def _terms(found: Decomposition) -> str:
    return (
        f"{found.score:.4g} = miscalibration {found.miscalibration:.4g} − discrimination "
        f"{found.discrimination:.4g} + uncertainty {found.uncertainty:.4g}"
    )


Kind = Literal["consistency", "confidence"]

REPLICATES = 1000
MOST = 1024
"""Groups of scores in the simulation; the isotonic fit of n rows has about n^(1/3) blocks, many fewer."""

AT_PREVALENCE = Note("other-prevalence", "no band at another prevalence, as truths are drawn for the rows as they are")


def calibration_band(
    table: Table,
    *,
    kind: Kind = "consistency",
    level: float = LEVEL,
    n: int = REPLICATES,
    groups: int = MOST,
    rng: int = SEED,
) -> Band:
    """Pointwise band of the isotonic reliability curve, at the scores that occur.

    "consistency": the range of the curve in a share `level` of samples if the scores are true probabilities; a curve
    outside it is not calibrated there. "confidence": around the estimate, from samples in which the isotonic fit is
    true. Truths are drawn `n` times for the scores as they are, each time with its own fit; the limits are quantiles.
    More than `groups` distinct scores are joined to groups, single scores at both ends and larger groups farther
    inside. With importance weights a group counts as its effective number of rows. At another prevalence the band is
    missing, with a reason.

    Raises:
        InputError: the scores are not probabilities of the positive class, there are no rows, or the table is a batch.
        OptionError: no such kind, a level not between 0 and 1, fewer than 2 samples or groups, or a bad seed.

    Dimitriadis, Gneiting & Jordan (2021); Bröcker & Smith (2007) for consistency.

    >>> from thresher.counts import ScoreTable
    >>> table = ScoreTable.from_scores([0, 0, 1, 0, 1, 1] * 20, [0.1, 0.2, 0.3, 0.6, 0.7, 0.9] * 20)
    >>> band = calibration_band(table)
    >>> band
    Band(calibration: 6 points, 95% pointwise consistency, 1,000 samples, seed 0)
    >>> bool(band.low[1] < 0.2 < band.high[1])
    True
    """
    option("kind", kind, ("consistency", "confidence"))
    confidence_level(level)
    check_seed(rng)
    check_whole("n", n, 2, MOST_REPLICATES)
    check_whole("groups", groups, 2)
    scores = readable(table, "a reliability diagram")
    g = neighbors(sums(scores), groups)
    fit = isotonic(g.positive, g.negative)
    method = f"pointwise {kind}, {n:,} samples, seed {rng}"
    if scores.prior is not None:
        low = high = np.full(len(g), np.nan)
    else:
        low, high = _limits(g, g.score if kind == "consistency" else fit, level, n, rng)
        if kind == "confidence":
            low, high = np.minimum(low, fit), np.maximum(high, fit)
    return Band(
        name="calibration",
        x=g.score,
        y=fit,
        low=low,
        high=high,
        level=level,
        method=method,
        is_simultaneous=False,
        reason=None if scores.prior is None else AT_PREVALENCE,
    )


def neighbors(g: Groups, most: int = MOST) -> Groups:
    """Groups joined to at most `most`, the lowest and the highest score alone.

    Half of the places are shared equally among the effective rows and half among their ranks from either end on the
    logarithmic scale: at an end of the curve the fit may rest on a single row.
    """
    if len(g) <= most:
        return g
    before, total = np.cumsum(g.size) - g.size / 2, g.size.sum()
    from_ends = np.log1p(before) - np.log1p(total - before)
    share = (before / total + (1 + from_ends / np.log1p(total)) / 2) / 2
    place = np.clip(1 + ((most - 2) * share).astype(np.int64), 1, most - 2)
    place[0], place[-1] = 0, most - 1
    return joined_at(g, place)


def isotonic(positive: Floats, negative: Floats) -> Floats:
    """Isotonic fit of each of several groups, by rising score."""
    if not positive.any() or not negative.any():
        return np.full(positive.size, float(positive.any()))
    ends = np.asarray(kernel.hull(positive[::-1], negative[::-1]))
    starts = np.zeros_like(ends)
    starts[1:] = ends[:-1] + 1
    p, q = (np.add.reduceat(c[::-1], starts) for c in (positive, negative))
    return np.asarray(np.repeat(p / (p + q), ends + 1 - starts)[::-1])


def _limits(g: Groups, chance: Floats, level: float, n: int, rng: int) -> tuple[Floats, Floats]:
    """Quantiles over samples of the isotonic fit at each group."""
    rows = np.maximum(1, np.rint(g.size)).astype(np.int64)[:, None]
    # All samples of a group are drawn together: a change of the chance costs ten draws.
    drawn = np.random.default_rng(rng).binomial(rows, chance[:, None], (len(g), n))
    positive = np.ascontiguousarray((g.weight[:, None] * (drawn / rows)).T)
    negative = np.ascontiguousarray((g.weight[:, None] * (1 - drawn / rows)).T)
    fits = np.array([isotonic(*sample) for sample in zip(positive, negative, strict=True)])
    fits.sort(axis=0)
    # The limit is the order statistic that leaves at most (1 − level)/2 of the samples outside.
    out = int((1 - level) / 2 * (n + 1) + 1e-9)
    return fits[max(out - 1, 0)], fits[min(n - out, n - 1)]
