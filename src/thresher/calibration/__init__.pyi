"""Public names, each imported from its module at its first use."""

# fmt: off
from thresher.calibration.calibrated import CalibratedClassifier as CalibratedClassifier
from thresher.calibration.classes import (
    ClasswiseError as ClasswiseError, classwise_calibration_error as classwise_calibration_error,
    top_label_calibration_error as top_label_calibration_error, top_label_table as top_label_table,
)
from thresher.calibration.calibration_tests import (
    CoxCalibration as CoxCalibration, cox_calibration as cox_calibration, hosmer_lemeshow_test as hosmer_lemeshow_test,
    spiegelhalter_test as spiegelhalter_test,
)
from thresher.calibration.decompositions import (
    BinnedDecomposition as BinnedDecomposition, Decomposition as Decomposition,
    binned_decomposition as binned_decomposition, decomposition as decomposition, murphy_curve as murphy_curve,
)
from thresher.calibration.diagram import (
    Reliability as Reliability, ScoreHistogram as ScoreHistogram, calibration_curve as calibration_curve,
    reliability as reliability, score_histogram as score_histogram,
)
from thresher.calibration.distances import (
    adaptive_calibration_error as adaptive_calibration_error, calibration_error as calibration_error,
    debiased_calibration_error as debiased_calibration_error, smooth_calibration_error as smooth_calibration_error,
)
from thresher.calibration.fitting import (
    SameRowsError as SameRowsError, SameRowsWarning as SameRowsWarning, apply_map as apply_map,
    fit_classwise as fit_classwise, fit_map as fit_map, fit_map_table as fit_map_table,
    fit_temperature as fit_temperature,
)
from thresher.calibration.maps import (
    BetaMap as BetaMap, CalibrationMap as CalibrationMap, ClasswiseMap as ClasswiseMap, LogisticMap as LogisticMap,
    PiecewiseMap as PiecewiseMap, TemperatureMap as TemperatureMap, map_from_dict as map_from_dict,
    map_from_json as map_from_json,
)
