"""Methods of a measure: small values for its limits, comparisons and resampling."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import Floats
from thresher.counts import ScoreTable
from thresher.errors import Note
from thresher.inference.estimates.ranking import Slopes
from thresher.inference.limits import on_line
from thresher.measures.registry import OfRows
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.multiclass.posteriors import Posteriors

OfScores = Callable[..., Estimate]
"""Estimate of a measure on a score table at a `level`."""


@dataclass(frozen=True, slots=True)
class RowMean:
    """A measure that is the mean of its rows' contributions, `of` their scores and truths."""

    of: OfRows


@dataclass(frozen=True, slots=True)
class AreaLine:
    """A measure that is scale·AUC + shift, with placements as contributions."""

    scale: float = 1.0
    shift: float = 0.0


@dataclass(frozen=True, slots=True)
class Derivatives:
    """A smooth measure with derivatives by the rows' weights as contributions, alike for rows of a class and score."""

    of: Callable[[ScoreTable], Slopes]


@dataclass(frozen=True, slots=True)
class Combined:
    """A difference from both sides' own intervals (MOVER).

    `simulated` says that groups of very different size were simulated (docs/comparing.md), `by_prevalence` that groups
    are compared at one share of positives.
    """

    simulated: bool = False
    by_prevalence: bool = False


@dataclass(frozen=True, slots=True)
class DifferenceOfShares:
    """Limits of scale·d + shift, or of a falling function `mapped` of d; d = p₁ − p₂ of different rows."""

    first: str
    second: str
    scale: float = 1.0
    shift: float = 0.0
    mapped: Callable[[float], float] | None = None


@dataclass(frozen=True, slots=True)
class AboveLeast:
    """Limits above the least value that the margins allow; the measure is (n·s − Σ p·q) `over` a function of them.

    `over` takes the sums p of rows and q of columns, and the sums of all others.
    """

    over: Callable[..., float]


Limited = DifferenceOfShares | AboveLeast | Literal["mean over cells", "log", "information"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """Behaviour of a measure's replicates (docs/coverage.md).

    `summarized` reads them from the kernel's summaries, at any prevalence if it `ignores_prior`. With fewer rows of the
    smaller class than `min_rows_for_bootstrap` they shift away from the value, as a maximum does; noise moves a measure
    that `is_biased`, and keeps a calibration error (`is_error`) above 0. `of_means` marks a function of means over
    rows.
    """

    summarized: Callable[[Floats], Any] | None = None
    ignores_prior: bool = False
    is_biased: bool = False
    is_error: bool = False
    min_rows_for_bootstrap: int = 0
    of_means: bool = False

    @property
    def is_extreme(self) -> bool:
        """Whether it is a maximum over thresholds, which resampling shifts even with many rows."""
        return self.min_rows_for_bootstrap >= 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Methods:
    """Methods of one measure of scores or decisions.

    A measure of scores has an `interval` and contributions (`adds`), a threshold metric `limits` and, with several
    classes, derivatives by each cell (`slopes`). Without limits, a proportion has a proportion's interval and any other
    measure MOVER, of several classes the delta method. `mean_of` names the measure it averages over several classes.
    `refused` is the reason if it has neither interval nor test of a difference, not even by a bootstrap.
    """

    interval: OfScores | None = None
    adds: RowMean | AreaLine | Derivatives | None = None
    difference: Combined | None = None
    limits: Limited | None = None
    slopes: Callable[..., tuple[float, Floats]] | None = None
    mean_of: str | None = None
    resampling: Resampling = Resampling()
    refused: Note | None = None

    @property
    def linear_in_auc(self) -> tuple[float, float] | None:
        """Scale and shift of a linear function of the AUC."""
        return (self.adds.scale, self.adds.shift) if isinstance(self.adds, AreaLine) else None

    @property
    def rows(self) -> OfRows | None:
        """Function of the rows' contributions to a mean."""
        return self.adds.of if isinstance(self.adds, RowMean) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PosteriorMethods:
    """Methods of one measure of multiclass probabilities.

    `of_pairs` gives, from the rows of each class, the weights of the areas of pairs of classes. `is_pooled` is the area
    of all probabilities together, `of_tuples` a measure of tuples with one row of each class. `of_truth` gives each
    row's contribution for each possible true class, `losses` its actual contribution. `resampling` says how replicates
    of the measure behave.
    """

    of_pairs: Callable[[Floats], Floats] | None = None
    is_pooled: bool = False
    of_tuples: bool = False
    of_truth: Callable[[Floats], Floats] | None = None
    losses: Callable[[Posteriors], Floats] | None = None
    resampling: Resampling = Resampling()

    @property
    def of_areas(self) -> bool:
        """Whether it uses the areas of pairs of classes."""
        return self.of_pairs is not None or self.is_pooled


def as_benefit(cost: Estimate) -> Estimate:
    """Estimate of the mean gain of a decision, the negated expected cost; larger is better."""
    return on_line(cost, "expected_benefit", (-1.0, 0.0))
