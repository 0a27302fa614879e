"""The bootstrap methods as frozen values: learning from samples drawn with replacement, judging the rows left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Literal, get_args

from thresher._util.fast_dataclass import dataclass
from thresher._util.parse_number import MOST_REPLICATES
from thresher.conventions import check_whole, option
from thresher.resampling.method_forms import Combine
from thresher.resampling.splits import Split, SplitRows, all_rows, bootstrap_split

Average = Literal["row", "sample"]
Apparent = Literal["fit", "per_sample"]


@dataclass(frozen=True)
class _Bootstrap:
    b: int = 200

    def __post_init__(self) -> None:
        check_whole("b", self.b, 2, MOST_REPLICATES)
        for name, values in (("apparent", get_args(Apparent)), ("average", get_args(Average))):
            if hasattr(self, name):
                option(name, getattr(self, name), values)

    @property
    def _apparent(self) -> Apparent | None:
        return getattr(self, "apparent", None)

    @property
    def _judges_all(self) -> bool:
        return self._apparent == "per_sample"

    def count(self, rows: SplitRows) -> int:  # noqa: ARG002  every method takes the rows
        """Number of splits."""
        return self.b + (self._apparent == "fit")

    def splits(self, rows: SplitRows, rng: int) -> Iterator[Split]:
        """Yield all rows if one fit gives the apparent value, then the samples, drawn lazily."""
        if self._apparent == "fit":
            yield all_rows(rows)
        for sample in range(self.b):
            yield bootstrap_split(rows, rng, sample, judge_all=self._judges_all)


@dataclass(frozen=True)
class BootstrapOOB(_Bootstrap):
    """Leave-one-out bootstrap: `b` models learn from bootstrap samples and judge the rows that these left out.

    `average="row"` averages each row's errors over the models that did not learn from it, then the rows (Efron &
    Tibshirani); "sample" averages the values of the samples. Measures that are not means over rows, such as the AUC,
    are averaged over samples either way, and say so. Pessimistic: a sample holds 63.2 % of the rows.

    Raises:
        OptionError: `b` is not a whole number of at least 2, or `average` not one of its values.

    >>> BootstrapOOB(200)
    BootstrapOOB(b=200, average='row')

    Source: Efron & Tibshirani 1997.
    """

    average: Average = field(default="row", kw_only=True)
    combine: Combine = field(default="oob", init=False, repr=False)

    @property
    def summary(self) -> str:
        """Method in words."""
        return f"leave-one-out bootstrap, {self.b:,} samples"


@dataclass(frozen=True)
class _Weighed(_Bootstrap):
    """Base of the .632 bootstraps: out-of-bag value weighted with the apparent one."""

    apparent: Apparent = field(default="fit", kw_only=True)
    average: Average = field(default="row", kw_only=True)
    combine: Combine = field(init=False, repr=False)

    @property
    def summary(self) -> str:
        """Method in words."""
        text = "" if self.apparent == "fit" else ", apparent value per sample"
        text += "" if self.average == "row" else ", averaged over samples"
        return f".{self.combine} bootstrap, {self.b:,} samples{text}"


@dataclass(frozen=True)
class Bootstrap632(_Weighed):
    """.632 bootstrap: .632·(leave-one-out bootstrap) + .368·(apparent).

    `apparent="fit"` (default) takes the apparent value of the one model that learned from all rows, on those rows
    (Efron & Tibshirani); "per_sample" takes the mean, over the samples, of the values of the sample's model on all
    original rows, as some textbooks print it: that value contains left-out rows as well, so its weights differ from
    the theory. With `average="sample"` too (see `BootstrapOOB`) the value is exactly the textbooks', the
    mean over samples of .632·test + .368·apparent. Too optimistic for models that fit any noise (1-nearest-neighbour):
    then use `Bootstrap632Plus`.

    Raises:
        OptionError: `b` is not a whole number of at least 2, or `apparent` or `average` not one of its values.

    Sources: Efron 1983; Efron & Tibshirani 1997.
    """

    combine: Combine = field(default="632", init=False, repr=False)


@dataclass(frozen=True)
class Bootstrap632Plus(_Weighed):
    """.632+ bootstrap: the weight of the left-out rows grows from .632 to 1 with the relative overfitting rate.

    With err the apparent and Err1 the leave-one-out bootstrap error and γ the no-information rate (the error if truth
    and prediction were independent), R = (Err1′ − err)/(γ − err), Err1′ = min(Err1, γ), R = 0 unless Err1 > err and
    γ > err; the estimate is Err.632 + (Err1′ − err)·.368·.632·R/(1 − .368·R). Memory is linear in the rows. Programs
    that take Err1 itself in R (ipred) have R > 1 when Err1 > γ, and then an estimate above Err1; ours is between.
    `apparent` and `average` as of `Bootstrap632`.

    Raises:
        OptionError: `b` is not a whole number of at least 2, or `apparent` or `average` not one of its values.

    Source: Efron & Tibshirani 1997, equations 28 to 32.
    """

    combine: Combine = field(default="632+", init=False, repr=False)


@dataclass(frozen=True)
class OptimismBootstrap(_Bootstrap):
    """Apparent value minus the optimism: the mean, over `b` samples, of (value on the sample − value on all rows).

    Each model learns from a sample and is judged on that sample and on the original rows. The default of regression
    modelling; too optimistic for models that fit any noise, which no interval mends. Its interval has the standard
    error of the rows that the samples left out.

    Raises:
        OptionError: `b` is not a whole number of at least 2.

    Sources: Efron 1983; Harrell, Lee & Mark 1996.
    """

    combine: Combine = field(default="optimism", init=False, repr=False)

    @property
    def _apparent(self) -> Apparent:
        return "fit"

    @property
    def _judges_all(self) -> bool:
        return True

    @property
    def summary(self) -> str:
        """Method in words."""
        return f"optimism-corrected bootstrap, {self.b:,} samples"
