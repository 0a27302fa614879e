"""Checking of arguments as scikit-learn does it, at a few microseconds for what is an array already.

Every function has its quick way first: a one-dimensional NumPy array of the right type is looked at, not
copied and not searched. Everything else (lists, columns of dataframes, Arrow, sparse) takes the slow way after it.
"""

from thresher.metrics.inputs.arrays import (
    as_array,
    as_float64,
    as_numbers,
    as_vector,
    check_finite,
    check_lengths,
    is_sparse,
    sample_count,
)
from thresher.metrics.inputs.labels import binary_truth, encode, positive_label, zero_one
from thresher.metrics.inputs.options import as_range, check_choice, check_flag, check_positive_label_type
from thresher.metrics.inputs.targets import target_type
from thresher.metrics.inputs.weights import as_weights

__all__ = [
    "as_array",
    "as_float64",
    "as_numbers",
    "as_range",
    "as_vector",
    "as_weights",
    "binary_truth",
    "check_choice",
    "check_finite",
    "check_flag",
    "check_lengths",
    "check_positive_label_type",
    "encode",
    "is_sparse",
    "positive_label",
    "sample_count",
    "target_type",
    "zero_one",
]
