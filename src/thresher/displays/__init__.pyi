"""Public names, each imported from its module at its first use."""

from thresher.displays.confusion import ConfusionMatrixDisplay as ConfusionMatrixDisplay
from thresher.displays.curves import (
    CalibrationDisplay as CalibrationDisplay,
    DetCurveDisplay as DetCurveDisplay,
    PrecisionRecallDisplay as PrecisionRecallDisplay,
    RocCurveDisplay as RocCurveDisplay,
)
