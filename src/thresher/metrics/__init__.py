"""scikit-learn's classification and ranking metrics, an order of magnitude faster, and some it lacks.

Change `from sklearn.metrics import …` to `from thresher.metrics import …`: names, parameters, defaults, returned
types, edge values, warnings and errors stay. No mathematics here: arguments are checked, counted by
`thresher.kernel` and handed to the formulas of the core.

>>> from thresher.metrics import f1_score
>>> f1_score([1, 0, 1, 1], [1, 0, 0, 1])
0.8
"""

from thresher._util.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, is_guarded=False)
