"""thresher: how good a classifier is, how sure you can be, and where to put the threshold.

It counts once how predictions fall against the truth, and derives every measure, curve, interval, decision
and picture from those counts.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Public name → module. Loading at first use keeps `import thresher` a few milliseconds above `import numpy`.
_PLACES = {
    "Assessment": "thresher.resampling",
    "Bootstrap": "thresher.inference.bootstrap.config",
    "Bootstrap632": "thresher.resampling",
    "Bootstrap632Plus": "thresher.resampling",
    "BootstrapOOB": "thresher.resampling",
    "ConfusionMatrix": "thresher.counts",
    "Counts": "thresher.counts",
    "Curve": "thresher.curves.curve",
    "Estimate": "thresher.results",
    "Evaluation": "thresher.evaluation",
    "GroupKFold": "thresher.resampling",
    "Holdout": "thresher.resampling",
    "InputError": "thresher.errors",
    "KFold": "thresher.resampling",
    "LeaveOneOut": "thresher.resampling",
    "Nested": "thresher.resampling",
    "OptimismBootstrap": "thresher.resampling",
    "Predictions": "thresher.predictions",
    "RandomSubsampling": "thresher.resampling",
    "RankedLists": "thresher.counts",
    "Resubstitution": "thresher.resampling",
    "ScoreTable": "thresher.counts",
    "ThresherError": "thresher.errors",
    "ThresholdTable": "thresher.counts",
    "TimeSplits": "thresher.resampling",
    "assess": "thresher.resampling",
    "count": "thresher.evaluation",
    "evaluate": "thresher.evaluation",
    "evaluate_estimator": "thresher.evaluation",
    "find": "thresher.terms",
    "load_example": "thresher.examples",
    "rank": "thresher.ranking",
}

# Public packages, each an attribute at its first use, so that `th.inference.…` needs no import of its own.
_PACKAGES = (
    "calibration", "counts", "curves", "decisions", "displays", "errors", "evaluation", "gate", "inference",
    "measures", "metrics", "multiclass", "plot", "predictions", "ranking", "resampling", "testing",
)  # fmt: skip

# Type checkers read the stub beside this file, which is generated.
__all__ = [*sorted(_PLACES), "__version__"]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"thresher.{name}")
    if name not in _PLACES:
        raise AttributeError(f"module 'thresher' has no attribute {name!r}")
    value = getattr(import_module(_PLACES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, *_PACKAGES]
