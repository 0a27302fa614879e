"""How sure a number is: intervals, and tests of differences, as plain functions. Each method is a file.

>>> from thresher.inference import wilson_interval
>>> interval = wilson_interval(9, 10)
>>> round(float(interval.low), 3), round(float(interval.high), 3)
(0.596, 0.982)
"""

from thresher._util.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
