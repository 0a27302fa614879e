"""Findings: pure functions from one or several aligned subjects to frozen values.

The order, lowest last, each file importing only from below itself:

* report, gate, cli: views, which show findings and compute none;
* `evaluation.front`, `models`, `model`: the surface, whose methods call down into this package;
* `analysis`: chosen thresholds, comparisons, dominance, subgroups, calibration, baselines, warnings;
* `evaluation.subject` and what estimates one: the rows or counts of one model with its threshold and options;
* `inference` and below.

So a function here takes a `thresher.evaluation.subject.Subject`, or several by name that share their rows:
`ModelEvaluation` is a subject and `Evaluation` a mapping of them, which neither has to be named.
"""

from thresher._util.lazy import lazy_names

# The surface says what is wrong with a call of it.
__all__, __getattr__, __dir__ = lazy_names(__name__, is_guarded=False)
