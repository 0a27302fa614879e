"""Recalibration maps, fitted and frozen: from a score to the probability of the positive class."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass, field, fields
from thresher._util.front_door import guarded
from thresher._util.frozen_values import ByFields, freeze
from thresher.calibration.logistic import expit
from thresher.counts.saved import checked_form, json_text, read_json, unchanged
from thresher.counts.saved_fields import WEIGHTS, check_fields
from thresher.errors import InputError, SavedFormError, ended, quoted
from thresher.predictions.probabilities import ROUNDING
from thresher.readers.arrays import columns_by_class
from thresher.results import Shown
from thresher.upward_import import upward_import

KIND = "thresher.CalibrationMap"
SCHEMA = 1
POINTS = 401
FAR = 5.0
"""Logits from −5 to 5 are probabilities of 0.7 to 99.3 %."""


@guarded
class SavedMap(Shown):
    """A fitted map, which is saved as JSON and put behind a classifier."""

    def classifier(self, estimator: Any, *, positive: Any = None) -> Any:
        """Return a fitted classifier that maps its scores, in scikit-learn's style: see `CalibratedClassifier.of`."""
        return upward_import("formulas").CalibratedClassifier.of(estimator, self, positive)

    def to_dict(self) -> dict[str, Any]:
        """Return the map as JSON types, with its kind and the version of the form."""
        found: Any = self
        values = {f.name: getattr(self, f.name) for f in fields(found)}
        plain = {name: v.tolist() if isinstance(v, np.ndarray) else v for name, v in values.items()}
        return {"kind": KIND, "schema": SCHEMA, **plain}

    def to_json(self) -> str:
        """Return the map as JSON text, which `map_from_json` reads back to the last bit."""
        return json_text(self.to_dict())


class DrawnMap(SavedMap):
    """A map of one score as points: a picture and a dataframe."""

    @property
    def points(self: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Scores, and the probability that the map gives each.

        Over [0, 1]; of a map of any score over its knots, or where the probabilities are 0.7 to 99.3 %.
        """
        knots = np.asarray(getattr(self, "x", []), dtype=np.float64)
        low, high = 0.0, 1.0
        if self.method == "platt":
            middle, half = (-self.intercept / self.slope, FAR / abs(self.slope)) if self.slope else (0.0, 1.0)
            low, high = middle - half, middle + half
        elif knots.size and (knots[0] < 0 or knots[-1] > 1):
            low, high = float(knots[0]), float(knots[-1])
        x = np.unique(np.concatenate([np.linspace(low, high, POINTS), knots]))
        return x, self.transform(x)

    def columns(self) -> dict[str, Any]:
        """Return the points as columns."""
        scores, probabilities = self.points
        return {"score": scores, "probability": probabilities}


Floats = NDArray[np.float64]
SMALLEST = 5e-324
"""Least number above 0."""


class CalibrationMap(Protocol):
    """Protocol of calibration maps; `fit_map` makes one, and `map_from_json` reads a saved one.

    `fitted_on` is a digest of the rows that it was fitted to, by which judging it on the same rows is noticed.
    """

    @property
    def fitted_on(self) -> str:
        """Digest of the rows."""

    def transform(self, scores: ArrayLike) -> Floats:
        """Map each score to the probability of the positive class, in the same shape."""

    def to_dict(self) -> dict[str, Any]:
        """Return the map as JSON types."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PiecewiseMap(ByFields, DrawnMap):
    """Straight lines between knots (x, y), level beyond the first and the last; x rises.

    Of method "isotonic" the knots are the ends of the blocks of the isotonic regression of truth on score; it never
    falls. Of method "interpolation" they are the mean score and the share of positives of bins, and may fall.

    >>> found = PiecewiseMap(method="isotonic", x=np.array([0.2, 0.6]), y=np.array([0.0, 0.5]))
    >>> found.transform([0.1, 0.4, 0.9]).tolist()
    [0.0, 0.25, 0.5]
    """

    method: str
    x: Floats
    y: Floats
    fitted_on: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        for name in ("x", "y"):
            object.__setattr__(self, name, freeze(np.asarray(getattr(self, name), dtype=np.float64)))
        inside = self.y.size and (self.y >= 0).all() and (self.y <= 1).all()
        rising = self.x.ndim == 1 and np.isfinite(self.x).all() and (self.x[1:] > self.x[:-1]).all()
        if self.x.shape != self.y.shape or not inside or not rising:
            raise InputError("the knots of a map are finite scores that rise, each with a probability.")
        _check_text(self, ("isotonic", "interpolation"))
        if self.method == "isotonic" and (np.diff(self.y) < 0).any():
            raise InputError("an isotonic map never falls.")

    def transform(self, scores: ArrayLike) -> Floats:
        """Map each score to the probability of the positive class.

        Raises:
            InputError: a score is NaN or no number.
        """
        return np.asarray(np.interp(_numbers(scores), self.x, self.y))

    def __repr__(self) -> str:
        return f"PiecewiseMap({self.method}, {self.x.size} knots)"


@dataclass(frozen=True, kw_only=True)
class LogisticMap(DrawnMap):
    """logit p = intercept + slope·x: x is the score ("platt"), or its logit within [clip, 1 − clip] ("logistic").

    >>> LogisticMap(method="platt", intercept=0.0, slope=1.0).transform([0.0]).tolist()
    [0.5]
    """

    method: str
    intercept: float
    slope: float
    clip: float = 0.0
    fitted_on: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        _check_text(self, ("platt", "logistic"))
        _check_numbers(self, intercept=-math.inf, slope=-math.inf, clip=0.0)

    def __repr__(self) -> str:
        of = "s" if self.method == "platt" else "logit s"
        return f"LogisticMap({self.method}: logit p = {self.intercept:.4g} + {self.slope:.4g}·{of})"

    def transform(self, scores: ArrayLike) -> Floats:
        """Map each score to the probability of the positive class.

        Raises:
            InputError: a score is NaN or no number, or outside [0, 1] for a map of logits.
        """
        s = _numbers(scores)
        if self.method == "platt":
            return expit(self.intercept + self.slope * s)
        s = _probabilities(s, self.clip)
        with np.errstate(divide="ignore"):
            return expit(self.intercept + self.slope * (np.log(s) - np.log1p(-s)))


@dataclass(frozen=True, kw_only=True)
class BetaMap(DrawnMap):
    """logit p = intercept + a·ln s − b·ln(1 − s), with a, b ≥ 0 and s within [clip, 1 − clip]; the identity is 0, 1, 1.

    >>> BetaMap(intercept=0.0, a=1.0, b=1.0).transform([0.25]).tolist()
    [0.25]
    """

    intercept: float
    a: float
    b: float
    clip: float = 2.0**-52
    fitted_on: str = field(default="", repr=False)
    method: str = "beta"

    def __post_init__(self) -> None:
        _check_text(self, ("beta",))
        _check_numbers(self, intercept=-math.inf, a=0.0, b=0.0, clip=0.0)

    def __repr__(self) -> str:
        return f"BetaMap(logit p = {self.intercept:.4g} + {self.a:.4g}·ln s − {self.b:.4g}·ln(1 − s))"

    def transform(self, scores: ArrayLike) -> Floats:
        """Map each score to the probability of the positive class.

        Raises:
            InputError: a score is NaN, no number, or outside [0, 1].
        """
        s = _probabilities(_numbers(scores), self.clip)
        return expit(self.intercept + self.a * np.log(s) - self.b * np.log1p(-s))


@dataclass(frozen=True, kw_only=True)
class TemperatureMap(DrawnMap):
    """Probabilities of K classes, sharpened or flattened alike: p_k^(1/T), divided by their sum over the classes.

    T > 1 flattens. The most probable class stays the same. With `of="logits"` rows of logits are taken in place of
    probabilities, and softmax(z/T) is returned. A probability of 0 counts as 1e-300.

    >>> TemperatureMap(temperature=2.0).transform([[0.8, 0.2]]).round(4).tolist()
    [[0.6667, 0.3333]]
    """

    temperature: float
    of: str = "probabilities"
    fitted_on: str = field(default="", repr=False)
    method: str = "temperature"

    def __post_init__(self) -> None:
        _check_text(self, ("temperature",))
        _check_numbers(self, temperature=SMALLEST)
        if self.of not in ("probabilities", "logits"):
            raise InputError(f"a temperature is of probabilities or logits, and not of {quoted(self.of)}.")

    @property
    def points(self) -> tuple[Floats, Floats]:
        """Points of a map of probabilities (or logits) of two classes, for the first."""
        x = np.linspace(0.0, 1.0, POINTS) if self.of == "probabilities" else np.linspace(-FAR, FAR, POINTS)
        other = 1.0 - x if self.of == "probabilities" else np.zeros(POINTS)
        return x, self.transform(np.column_stack([x, other]))[:, 0]

    def __repr__(self) -> str:
        return f"TemperatureMap(T = {self.temperature:.4g}{', of logits' if self.of == 'logits' else ''})"

    def transform(self, scores: ArrayLike) -> Floats:
        """Map rows of probabilities or logits (n, K) to probabilities (n, K).

        Raises:
            InputError: the rows are not a table, or hold a value that is not a probability.
        """
        return softmax(log_scores(scores, self.of) / self.temperature)


@dataclass(frozen=True, kw_only=True)
class ClasswiseMap(SavedMap):
    """A map for each of K probabilities, one class against the rest; then each row is divided by its sum.

    `maps` are in the order of the columns, `labels` are the classes as text, empty when they were not named. A row
    in which every map gives 0 becomes 1/K for all classes. The most probable class may change.

    >>> sure = PiecewiseMap(method="isotonic", x=np.array([0.2, 0.6]), y=np.array([0.0, 0.5]))
    >>> ClasswiseMap(maps=(sure, sure)).transform([[0.4, 0.6], [0.1, 0.1]]).round(3).tolist()
    [[0.333, 0.667], [0.5, 0.5]]
    """

    maps: tuple[Any, ...]
    labels: tuple[str, ...] = ()
    fitted_on: str = field(default="", repr=False)
    method: str = "classwise"

    def __post_init__(self) -> None:
        object.__setattr__(self, "maps", tuple(_class_map(m) for m in self.maps))
        if not isinstance(self.labels, list | tuple):
            raise InputError(f"labels {quoted(self.labels)} are not a list of texts.")
        object.__setattr__(self, "labels", tuple(self.labels))
        _check_text(self, ("classwise",))
        if not all(isinstance(label, str) for label in self.labels) or len(set(self.labels)) < len(self.labels):
            raise InputError("the labels of a map are distinct texts.")
        if len(self.maps) < 2 or len(self.labels) not in (0, len(self.maps)):
            raise InputError("a map of K classes has a map for each of them, K ≥ 2, and labels for all or none.")

    def transform(self, scores: ArrayLike) -> Floats:
        """Return probabilities (n, K), each row adding up to 1, for probabilities (n, K); named columns go by name.

        Raises:
            InputError: another number of columns, or values that do not fit the map of a class.
        """
        p = _numbers(columns_by_class(scores, self.labels or range(len(self.maps))))
        if p.ndim != 2 or p.shape[1] != len(self.maps):
            raise InputError(
                f"a map of {len(self.maps)} classes takes {len(self.maps)} columns, not an array of shape {p.shape}."
            )
        mapped = np.stack([m.transform(p[:, k]) for k, m in enumerate(self.maps)], axis=1)
        sums = mapped.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(mapped, sums, out=np.full_like(mapped, 1 / len(self.maps)), where=sums > 0))

    def to_dict(self) -> dict[str, Any]:
        """Return the map as JSON types."""
        return super().to_dict() | {"maps": [m.to_dict() for m in self.maps], "labels": list(self.labels)}

    def __repr__(self) -> str:
        return f"ClasswiseMap({len(self.maps)} classes, {self.maps[0].method})"


CLASSES: dict[str, Any] = {
    "isotonic": PiecewiseMap,
    "interpolation": PiecewiseMap,
    "platt": LogisticMap,
    "logistic": LogisticMap,
    "beta": BetaMap,
    "temperature": TemperatureMap,
    "classwise": ClasswiseMap,
}
"""Class of each method."""


def map_from_dict(form: Any) -> Any:
    """Read a map from JSON types; a checksum may be missing, and must fit otherwise. Its columns may be given.

    Raises:
        SavedFormError: it is not a saved map, is damaged, or of an unknown version.
    """
    if not isinstance(form, dict) or form.get("kind") != KIND:
        raise SavedFormError("this is not a saved calibration map.")
    schema, method = form.get("schema"), form.get("method")
    if type(schema) is not int or schema != SCHEMA or not isinstance(method, str) or method not in CLASSES:
        raise SavedFormError(f"cannot read a calibration map of schema {quoted(schema)} and method {quoted(method)}.")
    with checked_form(KIND):
        whole = unchanged(form, f"this {KIND}") if "checksum" in form else form
        values = {name: whole[name] for name in whole if name not in ("kind", "schema", "score", "probabilities")}
        check_fields(values, [f.name for f in fields(CLASSES[method])])
        return CLASSES[method](**values)


def map_from_json(text: str) -> Any:
    """Read a map from the text that `to_json` wrote.

    Raises:
        SavedFormError: it is not JSON, not a saved map, damaged, or of an unknown version.

    >>> found = LogisticMap(method="platt", intercept=0.25, slope=1.5)
    >>> map_from_json(found.to_json()) == found
    True
    """
    return map_from_dict(read_json(text, KIND, SCHEMA))


def log_scores(scores: ArrayLike, of: str) -> Floats:
    """Return logits of K classes: of rows of probabilities, or rows of logits as they are."""
    z = _numbers(scores)
    if z.ndim != 2 or z.shape[1] < 2:
        raise InputError(f"a temperature needs a row of K ≥ 2 numbers for each case, not an array of shape {z.shape}.")
    if of == "logits":
        if not np.isfinite(z).all():
            raise InputError("a logit is infinite.")
        return z
    return np.log(np.maximum(_probabilities(z, 0.0), 1e-300))


def softmax(z: Floats) -> Floats:
    """Compute e^z over the sum of its row."""
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def _numbers(scores: ArrayLike) -> Floats:
    try:
        s = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"the scores are not numbers: {ended(str(error))}") from error
    if np.isnan(s).any():
        row = int(np.isnan(s).reshape(len(s), -1).any(axis=1).argmax()) if s.ndim else 0
        raise InputError(f"row {row} (counted from 0): the score is NaN.")
    return s


def _probabilities(s: Floats, clip: float) -> Floats:
    bad = (s < -ROUNDING) | (s > 1 + ROUNDING)
    if bad.any():
        row = int(bad.reshape(len(s), -1).any(axis=1).argmax()) if s.ndim else 0
        raise InputError(f"row {row} (counted from 0): the score is not a probability, which this map takes.")
    return np.clip(s, clip, 1 - clip)


def _class_map(given: Any) -> Any:
    if isinstance(given, dict) and given.get("method") in ("classwise", "temperature"):
        raise InputError("the map of one class is one of two classes.")
    found = map_from_dict(given) if isinstance(given, dict) else given
    if not hasattr(found, "transform"):
        raise InputError(f"{quoted(given)} is not a map.")
    return found


def _check_text(found: Any, methods: tuple[str, ...]) -> None:
    if found.method not in methods or not isinstance(found.fitted_on, str):
        raise InputError(f"{quoted(found.method)} is not the method of such a map, or its digest is not text.")


def _check_numbers(found: Any, **least: float) -> None:
    """Check that fields are finite numbers of at least so much; scores are clipped by less than ½."""
    for name, low in least.items():
        value = getattr(found, name)
        high = 0.5 if name == "clip" else math.inf
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        if not is_number or not abs(value) <= WEIGHTS[1] or not low <= value < high:
            raise InputError(f"{name}={quoted(value)} of a {found.method} map is not a finite number that fits it.")
