"""Nested resampling: the choice among models, or the tuning of one, is assessed too."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from thresher._util.fast_dataclass import dataclass, field, replace
from thresher.errors import InterruptedWarning, OptionError
from thresher.resampling.fitting import fit_options, fitted_one, fresh
from thresher.resampling.method_forms import Combine, Method, as_method
from thresher.resampling.methods import KFold
from thresher.resampling.splits import Split, SplitRows

SELECTED = "selected"
"""Name of the model that inner resampling chooses among several."""

MEASURE = "accuracy"
"""Default measure to choose by."""

ALL = slice(None)

Assess = Callable[..., Any]
"""`assess` itself, for trying the candidates inside."""


@dataclass(frozen=True)
class Nested:
    """`outer` judges a model that is chosen or tuned anew, by `inner`, on the rows of each outer split to learn from.

    With a dictionary of estimators, each outer split assesses all of them by `inner`, takes the one that is best by
    `measure`, and fits it: the one model assessed is called "selected". With a single estimator that tunes itself
    (it, or a step of its pipeline, has a parameter `cv`, as scikit-learn's searches have), that parameter becomes the
    inner splits; it chooses by its own `scoring`, which `tuned_by` names once the estimator is known. Choosing and
    judging on the same folds would be optimistic.

    Raises:
        OptionError: a method is unknown; or, when it is used, there is nothing to choose or tune, or `measure` was
        given
            to an estimator that chooses by a scoring of its own.

    >>> Nested(KFold(5), KFold(3)).summary
    'stratified 5-fold cross-validation, with stratified 3-fold cross-validation inside to choose by accuracy'

    Source: Stone 1974; Varma & Simon 2006.
    """

    outer: Any = field(default_factory=KFold)
    inner: Any = field(default_factory=lambda: KFold(5))
    measure: str = field(default=MEASURE, kw_only=True)
    tuned_by: str | None = field(default=None, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        from thresher.measures.measure_text import parse_measure

        for name in ("outer", "inner"):
            object.__setattr__(self, name, as_method(getattr(self, name), holding=False))
        parse_measure(self.measure)

    @property
    def combine(self) -> Combine:
        """Combination of the values of the outer splits."""
        found: Combine = self.outer.combine
        return found

    @property
    def repeats(self) -> int:
        """Repeats of the outer method."""
        return int(getattr(self.outer, "repeats", 1))

    @property
    def k(self) -> int:
        """Folds of the outer method."""
        return int(getattr(self.outer, "k", 1))

    @property
    def summary(self) -> str:
        """Method in words."""
        chosen = f"choose by {self.measure.replace('_', ' ')}" if self.tuned_by is None else f"tune by {self.tuned_by}"
        return f"{self.outer.summary}, with {self.inner.summary} inside to {chosen}"

    def count(self, rows: SplitRows) -> int:
        """Number of outer splits."""
        return int(self.outer.count(rows))

    def splits(self, rows: SplitRows, rng: int) -> Iterator[Split]:
        """Outer splits."""
        yield from self.outer.splits(rows, rng)

    def for_estimators(self, estimators: Mapping[str, Any]) -> Nested:
        """Return the method with the scoring of an estimator that tunes itself.

        Raises:
            OptionError: there is nothing to choose or tune, or `measure` would go unused.
        """
        if len(estimators) > 1:
            return replace(self, tuned_by=None)
        ((name, estimator),) = estimators.items()
        places = _places_of_cv(estimator)
        if not places:
            raise OptionError(
                f"Nested has nothing to choose: {name!r} is one estimator without a parameter cv. Pass a dictionary of "
                f"estimators to choose among, or a search such as GridSearchCV."
            )
        if self.measure != MEASURE:
            raise OptionError(
                f"Nested(measure={self.measure!r}) chooses among several estimators, and {name!r} tunes itself by its "
                f"own scoring: name that there, such as scoring='roc_auc', and leave measure= out."
            )
        return replace(self, tuned_by=" and ".join(dict.fromkeys(_scoring(estimator, place) for place in places)))

    def prepared(self, estimators: Mapping[str, Any], rng: int, positive: Any, assess: Assess) -> dict[str, Any]:
        """Return the estimators to assess: one that chooses among them, or ones that tune themselves inside."""
        if len(estimators) > 1:
            return {SELECTED: Selecting(dict(estimators), self.inner, self.measure, rng, positive, assess)}
        ((name, estimator),) = estimators.items()
        return {name: Tuning(estimator, self.inner, rng)}


class _Inside:
    def predict(self, X: Any) -> Any:  # noqa: ARG002  the interface names it
        """Refused: `fit` gives the model that was chosen or tuned, which predicts."""
        raise TypeError("this chooses or tunes a model and predicts nothing: use what fit returns.")

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return copy.copy(self)


class Selecting(_Inside):
    """Estimator that fits the best of several, as found by resampling the rows it is given; `selected` says which."""

    def __init__(
        self, candidates: Mapping[str, Any], inner: Method, measure: str, rng: int, positive: Any, assess: Assess
    ) -> None:
        self.candidates, self.inner, self.measure = dict(candidates), inner, measure
        self.rng, self.positive, self.assess = rng, positive, assess

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Any:
        """Assess every candidate, then fit the best on all rows given; the first of equals is taken."""
        from thresher.measures.measure_text import parse_measure

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InterruptedWarning)
            found = self.assess(
                self.candidates, X, y, method=self.inner, measures=self.measure, groups=groups, weights=sample_weight,
                positive=self.positive, rng=self.rng, n_jobs=1, progress=False,
            )  # fmt: skip
        if found.is_interrupted:  # some inner splits do not make a choice; the outer splits done are kept
            raise KeyboardInterrupt
        sign = parse_measure(self.measure).sign
        values = {name: found[name][self.measure].value * sign for name in found}
        ranked = {name: -np.inf if np.isnan(value) else value for name, value in values.items()}
        if all(map(np.isnan, values.values())):
            why = next(iter(found.values()))[self.measure].reason
            raise OptionError(f"no candidate has a value of {self.measure} inside, so none can be chosen: {why}.")
        self.selected = max(ranked, key=lambda name: ranked[name])
        model = fresh(self.candidates[self.selected], self.rng)
        return fitted_one(model, model.fit(X, y, **fit_options(model, sample_weight, None, ALL)))

    def inside(self, name: str) -> dict[str, Any]:  # noqa: ARG002  the same question as to `Tuning`
        """Estimators that are fitted inside, by name."""
        return self.candidates


class Tuning(_Inside):
    """Estimator with inner splits of its training rows in its parameter `cv`, or in `cv` of a step."""

    def __init__(self, estimator: Any, inner: Method, rng: int) -> None:
        self.estimator, self.inner, self.rng = estimator, inner, rng

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Any:
        """Fit a copy with the inner splits of these rows."""
        model = fresh(self.estimator, self.rng)
        codes = np.unique(y, return_inverse=True)[1]
        rows = SplitRows(truth=codes, groups=None if groups is None else np.unique(groups, return_inverse=True)[1])
        splits = [(split.train, split.test) for split in self.inner.splits(rows, self.rng)]
        model.set_params(**{f"{place}cv": splits for place in _places_of_cv(model)})
        return model.fit(X, y, **fit_options(model, sample_weight, None, ALL))

    def inside(self, name: str) -> dict[str, Any]:
        """Estimator that is fitted inside, by name."""
        return {name: self.estimator}


def _places_of_cv(estimator: Any) -> list[str]:
    """Return where an estimator has a parameter `cv`, in scikit-learn's form: "" for its own, "step__" for a step's.

    A search inside another one is tuned by it, so that the outermost count.
    """
    if not (hasattr(estimator, "get_params") and hasattr(estimator, "set_params")):
        return []
    found = [name.removesuffix("cv") for name in estimator.get_params(True) if name == "cv" or name.endswith("__cv")]
    return [place for place in found if not any(place != outer and place.startswith(outer) for outer in found)]


def _scoring(estimator: Any, place: str) -> str:
    given = estimator.get_params(True).get(f"{place}scoring")
    if given is None:
        return "its own score"
    return given.replace("_", " ") if isinstance(given, str) else f"its scoring {getattr(given, '__name__', given)}"
