"""What other packages get wrong about intervals and tests, each once; the rest stands beside the method it is about."""

import math

import numpy as np
import pytest

import thresher as th
from thresher.inference import bootstrap_interval
from thresher.inference.bootstrap.replicates import bootstrap_replicates


def test_a_group_of_one_class_has_no_difference_of_aucs():
    """Elsewhere the difference to such a group is 0."""
    rng = np.random.default_rng(0)
    y, group = np.append(rng.integers(0, 2, 40), np.zeros(20, int)), np.repeat(["both", "one"], [40, 20])
    ev = th.evaluate(y, {"a": rng.random(60), "b": rng.random(60)}, by={"site": group})
    found = {(item.models, item.group, item.groups): item for item in ev.compare("a", "b", measure="auc", by="site")}
    assert len(found) == 1 + 2 + 2
    lacking = [item for item in found.values() if item.group == "site one" or item.groups is not None]
    assert len(lacking) == 3
    for item in lacking:
        assert math.isnan(item.difference)
        assert math.isnan(item.p_value)
        assert (item.low, item.high, item.adjusted_p_value) == (None, None, None)
        assert item.reason_code == "no-rows"
        assert "cannot be compared" in item.sentence
        assert item.to_dict()["difference"] is None
    assert all(item.is_defined for item in found.values() if item not in lacking)
    assert ev.groups["one"]["a"].auc.reason_code == "no-rows"


@pytest.mark.parametrize("sign", [1, -1])
def test_the_direction_is_not_guessed_in_resamples(sign):
    """Elsewhere each resample is turned so that its AUC is above ½, and that of a useless score is, too."""
    rng = np.random.default_rng(3)
    y, score = np.arange(200) % 2, sign * rng.random(200)
    rows = th.evaluate(y, {"a": score}).predictions
    found = bootstrap_replicates(rows, "auc", th.Bootstrap(n=2000))
    values, observed = found.values[:, 0, 0], float(found.observed[0, 0])
    assert values.min() < 0.45
    assert values.max() > 0.5
    assert abs(values.mean() - observed) < 5 * values.std() / math.sqrt(2000)
    lower = bootstrap_interval(rows, "auc", th.Bootstrap(n=200)).low
    assert lower is not None
    assert lower < 0.5
    worse = th.evaluate(y, {"a": -y + 0.5 * rng.random(200)})["a"]
    assert worse.auc.value < 0.1
    assert any("reversed" in note or "AUC" in note for note in worse.notes)
