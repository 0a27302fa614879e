"""A page of user code. Type checkers accept every line of it but those that end in `# wrong`."""

from typing import assert_type

import thresher as th
from thresher import metrics
from thresher.analysis.chosen import ChosenThreshold
from thresher.calibration import reliability
from thresher.curves.curve import Curve
from thresher.inference import Comparison, Comparisons, wilson_interval
from thresher.inference.proportions.intervals import Interval
from thresher.metrics import no_such_function  # wrong
from thresher.resampling import KFold

ev = th.evaluate([1, 0, 1, 0], {"a": [0.9, 0.6, 0.4, 0.1], "b": [0.8, 0.3, 0.5, 0.2]})
model = ev["a"]
assert_type(model.auc, th.Estimate)
assert_type(model.auc.value, float)
assert_type(ev.auc, th.Estimate)
assert_type(model.macro_f1.low, float | None)
assert_type(model.roc, Curve)
assert_type(ev.compare("a", "b"), Comparison)
assert_type(ev.compare("a", "b", measure="f1").p_value, float)
assert_type(ev.compare("a", "b", by="site"), Comparisons)
assert_type(ev.compare(), Comparison | Comparisons)
assert_type(ev.compare("a", "b", correction="by"), Comparison)
assert_type(model.choose(cost_fp=1, cost_fn=20), ChosenThreshold)
assert_type(model.choose("youden").threshold, float)
assert_type(model.at(0.3), th.ConfusionMatrix)
found = th.assess(object(), [[0.0], [1.0]], [0, 1], method=KFold(2))
assert_type(found, th.Assessment)
assert_type(th.inference.wilson_interval(9, 10), Interval)
print(metrics.roc_auc_score([0, 1], [0.1, 0.9]), wilson_interval(9, 10), reliability(model.scores), no_such_function)
print(model.acu)  # wrong
alone = th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
assert_type(alone.roc, Curve)
assert_type(alone.threshold, float | None)
assert_type(alone.at(0.3), th.ConfusionMatrix)
assert_type(alone.at(0.3).recall, float)
assert_type(alone.at(0.3).f_beta(beta=2.0), float)
assert_type(len(alone.table.recall.tolist()), int)
print(alone.acu)  # wrong
print(alone.at(0.3).recal)  # wrong
print(alone.curve(kin="roc"))  # wrong
print(th.no_such_name)  # wrong
print(ev.compare("a", "b", mesure="auc"))  # wrong
