"""Values of decisions as dictionaries of JSON types and as dataframes: what they hold, undefined and infinite too."""

import json
import math

import numpy as np
import pytest

import thresher as th
from thresher._util.json_values import to_jsonable
from thresher.decisions import (
    Costs,
    choose,
    contours,
    dominance,
    h_measure,
    iso_accuracy,
    iso_precision,
    joint_hull,
    randomized,
    roc_hull,
    slide,
)
from thresher.inference.curves.smooth import binormal_roc

Y = [1, 1, 0, 1, 0, 0, 1, 0]
TABLE = th.ScoreTable.from_scores(Y, [10, 7, 5, 1, -3, 1, 2, 0])
OTHER = th.ScoreTable.from_scores(Y, [3, 8, 9, 2, 1, 4, 7, 5])
HULL = roc_hull(TABLE)
MODELS = {"a": TABLE, "b": OTHER}
EVALUATION = th.evaluate(Y, {"a": [10, 7, 5, 1, -3, 1, 2, 0]})
VALUES = {
    "dominance": dominance(TABLE, OTHER), "lead": dominance(TABLE, OTHER).leads[0], "hull": HULL,
    "joint hull": joint_hull(MODELS), "h measure": h_measure(TABLE),
    "undefined h measure": h_measure(th.ScoreTable.from_scores([1, 1], [1, 2])),
    "choice": choose(TABLE, Costs(fp=1, fn=20)), "tied choice": choose(TABLE, "max accuracy"),
    "choice off the hull": choose(OTHER, "top 1"), "point": choose(TABLE, "youden").best,
    "valid range": choose(TABLE, "youden").best.valid, "randomized": randomized(HULL, fpr=0.1),
    "line": iso_accuracy(0.8, skew=3), "upright line": iso_precision(1.0, skew=3), "touch": slide(HULL),
    "contours": contours("precision", prevalence=0.25, points=3), "binormal": binormal_roc(TABLE),
    "resampled threshold": EVALUATION.choose("youden", bootstrap=50).resampled, "chosen": EVALUATION.choose("youden"),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_dictionaries_are_json(name):
    found = VALUES[name].to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_undefined_and_infinite_are_none_with_a_reason():
    assert VALUES["undefined h measure"].to_dict() | {"distribution": "", "prevalence": 1.0} == {
        "value": None, "distribution": "", "alpha": None, "beta": None, "loss": None, "reference": None,
        "prevalence": 1.0, "reason": "there are no negatives", "reason_code": "no-rows",
    }  # fmt: skip
    assert VALUES["upright line"].to_dict()["slope"] is None
    assert "slope is infinite (+∞)" in VALUES["upright line"].to_dict()["reason"]
    vertex = VALUES["joint hull"].to_dict()["vertices"][0]
    assert vertex["slope_high"] is None
    assert "slope_high is infinite (+∞)" in vertex["reason"]
    assert VALUES["contours"].to_dict()["values"][0][0] is None
    found = to_jsonable([math.nan, -math.inf, np.float64(2), np.int8(1), True, "x", None])
    assert found == [None, None, 2.0, 1, True, "x", None]
    assert to_jsonable(np.array(math.nan)) is None


@pytest.mark.peer
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_hold_the_same(library):
    pytest.importorskip(library)

    def columns(name):
        frame = VALUES[name].to_frame(library)
        assert type(frame).__module__.startswith(library)
        return {column: list(frame[column]) for column in frame.columns}

    leads = VALUES["dominance"].leads
    found = columns("dominance")
    assert [x if isinstance(x, str) else None for x in found["leader"]] == [lead.leader for lead in leads]
    assert found["fpr_from"] == [lead.fpr[0] for lead in leads]
    assert found["tpr_to"] == [lead.tpr[1] for lead in leads]
    joint = columns("joint hull")
    owners = [(v, name) for v in VALUES["joint hull"].vertices for name in v.thresholds]
    assert joint["model"] == [name for _, name in owners]
    assert joint["threshold"] == [v.thresholds[name] for v, name in owners]
    assert joint["slope_low"] == [v.slope_low for v, _ in owners]
    tied = VALUES["tied choice"]
    assert columns("tied choice")["threshold"] == tied.thresholds.tolist()
    assert columns("tied choice")["tp"] == [int(p.matrix.counts[0, 0]) for p in tied.points]
    assert columns("hull")["threshold"] == HULL.thresholds.tolist()
    assert columns("touch")["fpr"] == list(VALUES["touch"].fpr)
    surface = columns("contours")
    assert surface["fpr"][:4] == [0.0, 0.5, 1.0, 0.0]
    assert surface["tpr"][:4] == [0.0, 0.0, 0.0, 0.5]
    np.testing.assert_array_equal(surface["value"], VALUES["contours"].values.ravel())
    assert columns("resampled threshold")["threshold"] == VALUES["resampled threshold"].thresholds.tolist()
