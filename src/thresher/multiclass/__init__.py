"""More than two classes: what one score column for every class says about each pair and about the whole."""

from thresher.multiclass.hand_till import ConditionalAuc, conditional_auc
from thresher.multiclass.top_k import top_k_credit

__all__ = ["ConditionalAuc", "conditional_auc", "top_k_credit"]
