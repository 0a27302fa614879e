"""Public names, each imported from its module at its first use."""

from thresher.displays.curves import (
    CalibrationDisplay as CalibrationDisplay,
    ConfusionMatrixDisplay as ConfusionMatrixDisplay,
    DetCurveDisplay as DetCurveDisplay,
    PrecisionRecallDisplay as PrecisionRecallDisplay,
    RocCurveDisplay as RocCurveDisplay,
)
