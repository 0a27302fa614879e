"""Ways in which a test set can be worse than the training set, as frozen values with growing levels.

Each names its level, and `corrupt` makes one test set of one level. Draws of one seed are nested: a label
that is flipped at 10 % is also flipped at 20 %, and noise only grows, so that curves are smooth and levels comparable.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, field
from thresher._util.parse_number import MOST_REPLICATES
from thresher.conventions import check_whole, option
from thresher.errors import InputError, Note, OptionError
from thresher.resampling.data import Column, features, is_missing
from thresher.resampling.fitting import fresh

SHARES = (0.0, 0.05, 0.1, 0.2, 0.4)
"""Default levels where they are shares of the values."""

IMPUTATIONS = ("median", "mean", "zero", "none")


class HeldOut(NamedTuple):
    """A test set: features, labels as codes, and weights (None: all 1)."""

    X: Any
    truth: NDArray[Any]
    weights: NDArray[np.float64] | None = None


CORRUPTED = "corrupted-rows"
"""Code of the note on how test sets are made."""


@dataclass(frozen=True, kw_only=True)
class Corruption(ABC):
    """Protocol of corruptions: rising `levels`, with scores averaged over random `draws` at each.

    `title` names it in words, `level_name` names its level as a column does and `axis` in words with its unit;
    `notes` say how the test sets are made. `most` is the largest level there may be.
    """

    levels: tuple[float, ...] = SHARES
    draws: int = 10
    title: ClassVar[str]
    level_name: ClassVar[str]
    axis: ClassVar[Any] = ""
    notes: ClassVar[Any] = ()
    most: ClassVar[Any] = 1.0

    def __post_init__(self) -> None:
        check_whole("draws", self.draws, 1, MOST_REPLICATES)
        given: Any = self.levels if isinstance(self.levels, Sequence | np.ndarray) else (self.levels,)
        for level in given:
            is_number = isinstance(level, int | float | np.number) and not isinstance(level, bool)
            if not is_number or not 0 <= level <= self.most or not np.isfinite(level):
                allowed = "of at least 0" if self.most == np.inf else f"between 0 and {self.most:g}"
                raise OptionError(f"levels={self.levels!r}: {level!r} is not a number {allowed}.")
        if not len(given):
            raise OptionError("levels is empty: give at least one.")
        object.__setattr__(self, "levels", tuple(sorted({float(level) for level in given})))

    @abstractmethod
    def corrupt(self, part: HeldOut, learned: Any, level: float, classes: int, random: np.random.Generator) -> HeldOut:
        """Return the test set of one level; `learned` are the features that the model was fitted to."""


@dataclass(frozen=True, kw_only=True)
class FeatureNoise(Corruption):
    """Noise in the features of the test rows.

    `kind="normal"` adds normal noise of `level` standard deviations of the column among the training rows to every
    column of numbers. `kind="replaced"` replaces each value, of any column, with probability `level` by a
    random training row's. Values that are missing stay missing. Levels are by default 0 to 2, or 0 to 0.4.

    Raises:
        OptionError: a level is negative (or above 1 for "replaced"), or `draws` no whole number of at least 1.

    >>> FeatureNoise(levels=(0, 1)).axis
    'noise added (standard deviations of each feature)'
    """

    levels: tuple[float, ...] = ()
    kind: Literal["normal", "replaced"] = "normal"
    title = "feature noise"
    level_name = "noise"

    def __post_init__(self) -> None:
        option("kind", self.kind, ("normal", "replaced"))
        if self.levels == ():
            object.__setattr__(self, "levels", (0, 0.1, 0.25, 0.5, 1, 2) if self.kind == "normal" else SHARES)
        super().__post_init__()

    @property
    def most(self) -> float:
        """Largest level there may be."""
        return np.inf if self.kind == "normal" else 1.0

    @property
    def axis(self) -> str:
        """Quantity that the level measures."""
        if self.kind == "normal":
            return "noise added (standard deviations of each feature)"
        return "share of feature values replaced"

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on the noise."""
        if self.kind == "normal":
            text = (
                "Normal noise is added to each numeric feature of the test rows; its unit is that feature's standard "
                "deviation among the training rows; other features stay as they are."
            )
        else:
            text = "Feature values of the test rows are replaced by values of random training rows, each by itself."
        return (Note(CORRUPTED, text),)

    def corrupt(self, part: HeldOut, learned: Any, level: float, classes: int, random: np.random.Generator) -> HeldOut:  # noqa: ARG002
        """Test set with noise of one level."""
        table, source = features(part.X), features(learned)
        if self.kind == "normal" and not table.numeric:
            raise InputError('no feature is numeric, so normal noise changes none: take kind="replaced".')
        if level == 0:
            return part
        change, places = (
            (_with_noise, table.numeric) if self.kind == "normal" else (_replaced, range(len(table.columns)))
        )
        changed = {i: change(table.columns[i], source.columns[i], level, random) for i in places}
        return part._replace(X=table.with_columns(changed))


@dataclass(frozen=True, kw_only=True)
class LabelNoise(Corruption):
    """Wrong labels in the test set: each is exchanged, with probability `level`, for one of the other classes.

    All other classes are equally probable. It shows how much of a score's shortfall wrong reference labels can
    explain: the accuracy a becomes a·(1 − p) + (1 − a)·p with two classes, on average.

    Raises:
        OptionError: a level is outside [0, 1], or `draws` no whole number of at least 1.
    """

    levels: tuple[float, ...] = (0.0, 0.05, 0.1, 0.2, 0.3)
    title = "label noise"
    level_name = "wrong_labels"
    axis = "share of test labels exchanged"
    notes = (
        Note(CORRUPTED, "Labels of the test rows are exchanged for another class at random; training labels stay."),
    )

    def corrupt(self, part: HeldOut, learned: Any, level: float, classes: int, random: np.random.Generator) -> HeldOut:  # noqa: ARG002
        """Test set with a share of its labels exchanged."""
        is_wrong = random.random(len(part.truth)) < level
        other = (part.truth.astype(np.int64) + random.integers(1, classes, len(part.truth))) % classes
        return part._replace(truth=np.where(is_wrong, other, part.truth).astype(part.truth.dtype))


@dataclass(frozen=True, kw_only=True, eq=False)
class MissingValues(Corruption):
    """Values missing from the features of the test rows, completely at random, each with probability `level`.

    `imputation` is their replacement: "median" (default) or "mean" of the feature among the training rows
    (the most frequent value of text), "zero", "none" (they stay missing, for estimators that take
    that), or a transformer such as scikit-learn's `KNNImputer()`, copied and fitted to the training rows of
    each split. Values that were missing before are left to the estimator, or to the transformer.

    Raises:
        OptionError: a level is outside [0, 1], or an option has another value.
    """

    imputation: Any = "median"
    title = "missing values"
    level_name = "missing"
    axis = "share of feature values missing"

    def __post_init__(self) -> None:
        if isinstance(self.imputation, str) or not hasattr(self.imputation, "transform"):
            option("imputation", self.imputation, IMPUTATIONS)
        super().__post_init__()

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on how values go missing and on their replacement."""
        how = {
            "median": "replaced by the feature's median among the training rows (the most frequent value where it is "
            "no number)",
            "mean": "replaced by the feature's mean among the training rows (the most frequent value where it is not a "
            "number)",
            "zero": "replaced by 0 (by the most frequent value where it is not a number)",
            "none": "left missing for the estimator",
        }
        said = how.get(self.imputation) if isinstance(self.imputation, str) else None
        said = said or f"imputed by {type(self.imputation).__name__}, fitted to the training rows"
        text = f"Feature values of the test rows go missing completely at random and are {said}."
        return (Note(CORRUPTED, text),)

    def corrupt(self, part: HeldOut, learned: Any, level: float, classes: int, random: np.random.Generator) -> HeldOut:  # noqa: ARG002
        """Test set with values missing or imputed."""
        if level == 0 and isinstance(self.imputation, str):
            return part
        table = features(part.X)
        gone = random.random((len(table.columns), len(part.truth))) < level
        if not isinstance(self.imputation, str):
            changed = {i: _emptied(column, gone[i]) for i, column in enumerate(table.columns)}
            imputer = fresh(self.imputation, 0).fit(learned)
            return part._replace(X=imputer.transform(table.with_columns(changed)))
        source = features(learned)
        changed = {
            i: _emptied(column, gone[i])
            if self.imputation == "none"
            else np.where(gone[i] & ~is_missing(column), stand_in(source.columns[i], self.imputation), column)
            for i, column in enumerate(table.columns)
        }
        return part._replace(X=table.with_columns(changed))


@dataclass(frozen=True, kw_only=True)
class PrevalenceShift(Corruption):
    """Another share of positives among the test rows; within each class the rows are unchanged.

    Rows are weighted, not drawn, so that nothing is random: positives by π*/π, negatives by (1 − π*)/(1 − π). Measures
    within a class and the AUC do not change; precision, accuracy, F1 and the Brier score do. The model still believes
    in the prevalence that it was fitted at.

    Raises:
        OptionError: a level is not strictly between 0 and 1.
    """

    levels: tuple[float, ...] = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
    draws: int = field(default=1, init=False, repr=False)
    title = "prevalence shift"
    level_name = "prevalence"
    axis = "prevalence in the test set"
    notes = (Note(CORRUPTED, "Test rows are weighted so that positives have the prevalence; the model is the same."),)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < min(self.levels) <= max(self.levels) < 1:
            raise OptionError(f"levels={self.levels}: a prevalence is strictly between 0 and 1.")

    def corrupt(self, part: HeldOut, learned: Any, level: float, classes: int, random: np.random.Generator) -> HeldOut:  # noqa: ARG002
        """Test set weighted to a prevalence."""
        if classes != 2:
            raise InputError(f"a prevalence is of two classes, and there are {classes}.")
        weights = np.ones(len(part.truth)) if part.weights is None else part.weights
        share = float(weights[part.truth == 1].sum() / weights.sum())
        if not 0 < share < 1:
            raise InputError("a test set lacks one of the classes, so no weights give it another prevalence.")
        return part._replace(weights=weights * np.where(part.truth == 1, level / share, (1 - level) / (1 - share)))


def stand_in(column: Column, imputation: str) -> Any:
    """Return the replacement of a missing value: median, mean, or the most frequent value of text.

    >>> stand_in(np.array([1.0, 2.0, 9.0, np.nan]), "median"), stand_in(np.array(["b", "a", "b"], object), "mean")
    (2.0, 'b')
    """
    known = column[~is_missing(column)]
    if not len(known):
        raise InputError("a feature is empty in all training rows, so a missing value cannot be replaced.")
    if column.dtype.kind == "f":
        return 0.0 if imputation == "zero" else float(np.median(known) if imputation == "median" else np.mean(known))
    values, counts = np.unique([str(value) for value in known], return_counts=True)
    frequent = values[int(np.argmax(counts))]
    return next(value for value in known if str(value) == frequent)


def _with_noise(column: Column, learned: Column, level: float, random: np.random.Generator) -> Column:
    known = learned[np.isfinite(learned)]
    spread = float(known.std(ddof=1)) if len(known) > 1 else 0.0
    return column + level * (random.standard_normal(len(column)) * spread)


def _replaced(column: Column, learned: Column, level: float, random: np.random.Generator) -> Column:
    is_replaced = (random.random(len(column)) < level) & ~is_missing(column)
    known = learned[~is_missing(learned)]
    other = known[random.integers(0, len(known), len(column))] if len(known) else column
    return np.where(is_replaced, other, column)


def _emptied(column: Column, gone: NDArray[np.bool_]) -> Column:
    nothing: Any = np.nan if column.dtype.kind == "f" else None
    return np.where(gone, nothing, column)
