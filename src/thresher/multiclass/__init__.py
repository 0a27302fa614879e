"""More than two classes: measures of one score column per class, by pair and as a whole.

Every function takes `y_true` (n,) and `posteriors` (n, K) with `labels=`, `weights=`, `weight_kind=`, `normalize=` and
`scores=`; or, in place of all of them, a `Posteriors`: rows that were checked once.

Classes without rows: their measures are undefined; plain means over classes or pairs are then undefined,
with the class named; means weighted by the rows of the classes give it weight 0.

>>> from thresher.multiclass import Posteriors, conditional_auc, loss_sums, top_k_accuracy
>>> rows = Posteriors.of(["a", "c", "b", "a"], [[0.6, 0.3, 0.1], [0.2, 0.3, 0.5], [0.5, 0.4, 0.1], [0.3, 0.3, 0.4]])
>>> round(conditional_auc(rows).hand_till, 4), round(loss_sums(rows)["log_loss"].mean, 4)
(0.9167, 0.8311)
>>> top_k_accuracy(rows, k=2)[2].mean
0.875
"""

from thresher._util.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
