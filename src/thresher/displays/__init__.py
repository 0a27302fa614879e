"""scikit-learn's displays of curves and matrices, with bands.

Change `from sklearn.metrics import RocCurveDisplay` to `from thresher.displays import RocCurveDisplay`: each is a
subclass, so that constructors, parameters, defaults, attributes and errors stay. `band=` shades how sure a curve is.

>>> from thresher.displays import RocCurveDisplay
>>> RocCurveDisplay(fpr=[0.0, 0.5, 1.0], tpr=[0.0, 1.0, 1.0], roc_auc=0.75).roc_auc
0.75
"""

from thresher._util.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, is_guarded=False)
