"""scikit-learn's displays of curves and matrices, drawn from thresher's counts, with bands.

Change `from sklearn.metrics import RocCurveDisplay` to `from thresher.displays import RocCurveDisplay`: constructors,
parameters, defaults, attributes and errors stay. `band=` shades how sure a curve is. scikit-learn is not needed;
matplotlib is loaded when something is drawn.

>>> from thresher.displays import RocCurveDisplay
>>> RocCurveDisplay(fpr=[0.0, 0.5, 1.0], tpr=[0.0, 1.0, 1.0], roc_auc=0.75).roc_auc
0.75
"""

from thresher.lazy import lazy_names

PLACES: dict[str, tuple[str, ...]] = {
    "calibration": ("CalibrationDisplay",),
    "confusion": ("ConfusionMatrixDisplay",),
    "det": ("DetCurveDisplay",),
    "precision_recall": ("PrecisionRecallDisplay",),
    "roc": ("RocCurveDisplay",),
}
"""Module of each public name; it is loaded when the name is first used."""

__all__, __getattr__, __dir__ = lazy_names(__name__, PLACES, is_guarded=False)
