"""What may serve a measure: small values that say how it is limited, compared and resampled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import Floats
from thresher.counts import ScoreTable
from thresher.measures.registry import OfRows
from thresher.multiclass.posteriors import Posteriors
from thresher.results import Estimate

OfScores = Callable[..., Estimate]
"""Estimate of a measure on a score table at a `level`."""

Contributions = Callable[[ScoreTable, Any, Any, Floats], Floats]
"""From a table, and the place among its scores, the truth and the weight of each row, to what it adds to the value."""


@dataclass(frozen=True, slots=True)
class RowMean:
    """A measure that is the mean of what each row adds, `of` its score and truth."""

    of: OfRows


@dataclass(frozen=True, slots=True)
class AreaLine:
    """A measure that is scale·AUC + shift, to which rows add their placements."""

    scale: float = 1.0
    shift: float = 0.0


@dataclass(frozen=True, slots=True)
class Derivatives:
    """A smooth measure, to which rows add its derivative by their weights: `of` a table and each row in it."""

    of: Contributions


@dataclass(frozen=True, slots=True)
class Combined:
    """A difference made of both sides' own intervals (MOVER).

    `simulated` says that groups of very different size were simulated (docs/comparing.md), `by_prevalence` that groups
    are compared at one share of positives.
    """

    simulated: bool = False
    by_prevalence: bool = False


@dataclass(frozen=True, slots=True)
class DifferenceOfShares:
    """Limits of scale·d + shift, or of what `mapped` makes of d and falls with it; d = p₁ − p₂ of different rows."""

    first: str
    second: str
    scale: float = 1.0
    shift: float = 0.0
    mapped: Callable[[float], float] | None = None


@dataclass(frozen=True, slots=True)
class RootOfProduct:
    """Limits of √(p₁·p₂), two proportions of different rows."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class AboveLeast:
    """Limits above the least value that the margins allow; the measure is (n·s − Σ p·q) `over` what these decide.

    `over` takes the sums p of rows and q of columns, and the sums of all the others.
    """

    over: Callable[..., float]


Limited = DifferenceOfShares | RootOfProduct | AboveLeast | Literal["mean over cells", "log", "information"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """How replicates of a measure of scores behave (docs/coverage.md).

    `summarized` reads them from the kernel's summaries, at any prevalence if it `ignores_prior`. With fewer rows of the
    smaller class than `min_rows_for_bootstrap` they lie apart from the value, as an extreme does; noise adds to what
    `is_biased`. `of_means` says that the measure is made of means over rows.
    """

    summarized: Callable[[Floats], Any] | None = None
    ignores_prior: bool = False
    is_biased: bool = False
    min_rows_for_bootstrap: int = 0
    of_means: bool = False

    @property
    def is_extreme(self) -> bool:
        """Whether it is an extreme over thresholds, which resampling moves even with many rows."""
        return self.min_rows_for_bootstrap >= 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Methods:
    """What serves one measure of scores or decisions.

    `interval` at a level and what each row `adds` are of a measure of scores; `limits` and the derivatives `slopes` by
    each cell of a matrix of several classes of one of decisions. Without limits a proportion has those of one, and any
    other measure the delta method; `mean_of` names the measure whose mean over several classes it is. `refused` says
    why it has neither interval nor test of a difference, not even by a bootstrap.
    """

    interval: OfScores | None = None
    adds: RowMean | AreaLine | Derivatives | None = None
    difference: Combined | None = None
    limits: Limited | None = None
    slopes: Callable[..., tuple[float, Floats]] | None = None
    mean_of: str | None = None
    resampling: Resampling = Resampling()
    refused: str | None = None

    @property
    def linear_in_auc(self) -> tuple[float, float] | None:
        """Scale and shift of a measure that is linear in the AUC."""
        return (self.adds.scale, self.adds.shift) if isinstance(self.adds, AreaLine) else None

    @property
    def rows(self) -> OfRows | None:
        """What each row adds to the mean that the measure is."""
        return self.adds.of if isinstance(self.adds, RowMean) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PosteriorMethods:
    """What serves one measure of the posteriors of several classes.

    `of_pairs` gives, from the rows of each class, the weight of each area of two classes in it; `is_pooled` says that
    it is that of the posteriors of all classes together, `of_tuples` that it is about tuples with one row of each
    class; `of_truth` gives, from probabilities, what each row adds were its truth each of the classes, `losses` what
    it adds; noise adds to what `is_biased`.
    """

    of_pairs: Callable[[Floats], Floats] | None = None
    is_pooled: bool = False
    of_tuples: bool = False
    of_truth: Callable[[Floats], Floats] | None = None
    losses: Callable[[Posteriors], Floats] | None = None
    is_biased: bool = False

    @property
    def of_areas(self) -> bool:
        """Whether it is read from the areas of pairs of classes."""
        return self.of_pairs is not None or self.is_pooled
