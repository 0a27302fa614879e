"""From predictions to an `Evaluation`: every value with its interval, frozen."""

from thresher._util.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
