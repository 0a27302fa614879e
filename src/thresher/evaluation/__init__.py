"""From predictions to an `Evaluation`: every value with its interval, frozen."""

from thresher.lazy import lazy_names

PLACES: dict[str, tuple[str, ...]] = {
    "counting": ("count",),
    "estimators": ("evaluate_estimator",),
    "front": ("evaluate",),
    "model": ("ModelEvaluation",),
    "models": ("Evaluation",),
}

__all__, __getattr__, __dir__ = lazy_names(__name__, PLACES)
