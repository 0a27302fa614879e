"""Names of higher packages that the measures use: measures of posteriors, fits and calibration maps."""

from thresher.calibration.calibrated import CalibratedClassifier
from thresher.calibration.calibration_tests import cox_calibration, line_of_logits, shift_of_logits
from thresher.calibration.classes import classwise_calibration_error, top_label_calibration_error
from thresher.calibration.diagram import why_not
from thresher.calibration.distances import (
    adaptive_calibration_error,
    debiased_calibration_error,
    overall_fit,
    smooth_calibration_error,
)
from thresher.multiclass.assigned_volume import posterior_volume
from thresher.multiclass.hand_till import conditional_auc
from thresher.multiclass.losses import brier_losses, class_ranks, log_losses, shared_credit

__all__ = [
    "CalibratedClassifier",
    "adaptive_calibration_error",
    "brier_losses",
    "class_ranks",
    "classwise_calibration_error",
    "conditional_auc",
    "cox_calibration",
    "debiased_calibration_error",
    "line_of_logits",
    "log_losses",
    "overall_fit",
    "posterior_volume",
    "shared_credit",
    "shift_of_logits",
    "smooth_calibration_error",
    "top_label_calibration_error",
    "why_not",
]
