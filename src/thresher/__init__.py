"""thresher: how good a classifier is, how sure you can be, and where to put the threshold.

It counts once how predictions fall against the truth, and derives every measure, curve, interval, decision
and picture from those counts.
"""

from thresher._util.lazy import lazy_names

__version__ = "0.1.0"

# Loading at first use keeps `import thresher` a few milliseconds above the start of Python.
__all__, __getattr__, __dir__ = lazy_names(__name__)
__all__ += ["__version__"]
