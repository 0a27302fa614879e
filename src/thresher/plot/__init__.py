"""Drawing with matplotlib, which is imported when something is drawn."""

from thresher.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
