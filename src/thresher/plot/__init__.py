"""Drawing with matplotlib, which is imported when something is drawn."""

from thresher._util.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
