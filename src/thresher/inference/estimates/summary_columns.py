"""Columns of the summary that the kernel gives of each replicate (`thresher.kernel.replicates`)."""

POSITIVES, NEGATIVES, AUC, AP, BEST_F1, BEST_STEP, ABOVE, BELOW = range(8)
