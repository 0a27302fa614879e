"""How much the prediction tells about the truth, whatever the labels are called: entropies of the K×K matrix.

These do not change when the predicted labels are permuted, so that consistent errors are rewarded like hits: a rule
that always confuses the same two classes has the best value. Read them beside the accuracy, never alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.conventions import Floats, divide
from thresher.measures.conditions import NO_ROWS, ONE_TRUE_CLASS
from thresher.measures.registry import measure

# fmt: off


@measure("rci", text="(H(truth) − H(truth given prediction))/H(truth)", needs="matrix",
         better="neither", undefined=(ONE_TRUE_CLASS,), neutral=0.0, source="Sindhwani et al. 2001")
def relative_classifier_information(m: Any) -> Floats:
    """Share of the uncertainty about the truth that the prediction removes; consistent errors count like hits."""
    return np.maximum(1.0 - divide(_left(m), _entropy(m.sum(axis=-1))), 0.0)


@measure("mi", text="Σ p_kl·log₂(p_kl/(p_k·p_l)), in bits", needs="matrix", bounds=(0.0, np.inf),
         better="neither", undefined=(NO_ROWS,), neutral=0.0, source="Shannon 1948")
def mutual_information(m: Any) -> Floats:
    """Bits that the prediction tells about the truth, at most log₂ K; consistent errors count like hits."""
    return np.maximum(_entropy(m.sum(axis=-1)) - _left(m), 0.0)


def _left(m: Any) -> Floats:
    """Entropy of the truth given the prediction, Σ_kl p_kl·log₂(n_l/n_kl)."""
    return divide((m * _bits(m, axis=-2)).sum(axis=(-2, -1)), m.sum(axis=(-2, -1)))


def _entropy(totals: Any) -> Floats:
    """Entropy of shares given by totals over the last axis, in bits."""
    return divide((totals * _bits(totals, axis=-1)).sum(axis=-1), totals.sum(axis=-1))


def _bits(counts: Any, *, axis: int) -> Floats:
    """log₂(sum/count) of every count over an axis; from the sum of the others, as it is near 0 where a count is all."""
    ahead, behind = np.zeros_like(counts), np.zeros_like(counts)
    first, last = [slice(None)] * counts.ndim, [slice(None)] * counts.ndim
    first[axis], last[axis] = slice(1, None), slice(None, -1)
    ahead[tuple(first)] = np.cumsum(counts, axis=axis)[tuple(last)]
    behind[tuple(last)] = np.flip(np.cumsum(np.flip(counts, axis), axis=axis), axis)[tuple(first)]
    others = np.divide(ahead + behind, counts, out=np.zeros(counts.shape), where=counts > 0)
    return np.asarray(np.log1p(others) / np.log(2))
