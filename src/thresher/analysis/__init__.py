"""Findings: pure functions from one or several aligned subjects to frozen values.

The order, lowest last, each file importing only from below itself:

* report, gate, cli: views that show findings, without computing;
* `evaluation.front`, `models`, `model`: the surface, with methods that call this package;
* `analysis`: chosen thresholds, comparisons, dominance, subgroups, calibration, baselines, warnings;
* `evaluation.subject` and its estimates: the rows or counts of one model with its threshold and options;
* `inference` and below.

So a function here takes a `thresher.evaluation.subject.Subject`, or several by name that share their rows:
`ModelEvaluation` is a subject and `Evaluation` a mapping of subjects, without imports of either.
"""

from thresher._util.lazy import lazy_names

# The surface explains wrong calls of it.
__all__, __getattr__, __dir__ = lazy_names(__name__, is_guarded=False)
