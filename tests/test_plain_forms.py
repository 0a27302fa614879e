"""Results as dictionaries of JSON types and as dataframes: what every one of them says, undefined and infinite too."""

import datetime
import json
import math
import re

import numpy as np
import pytest

import thresher as th
from thresher._util.json_values import to_jsonable
from thresher.calibration import (
    binned_decomposition,
    classwise_calibration_error,
    cox_calibration,
    decomposition,
    score_histogram,
)
from thresher.counts.loss_sums import LossSums
from thresher.curves import average_curves
from thresher.curves.partial_areas import area_over_fpr
from thresher.decisions import concavities, joint_hull
from thresher.inference import multiclass_auc_estimates
from thresher.multiclass import conditional_auc, optimize_class_weights, posterior_volume
from thresher.results import Estimate

TABLE = th.ScoreTable.from_scores([1, 0, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.4, 0.3, 0.1])
ENDLESS = th.ScoreTable.from_scores([1, 0, 1, 0], [math.inf, 0.5, 0.2, -math.inf])
CERTAIN = th.ScoreTable.from_scores([1, 0, 1], [0.9, 0.2, 0.0])
Y = np.repeat([0, 1, 2], 6)
P = np.eye(3)[np.roll(Y, 2)] * 0.6 + 0.4 / 3
DAYS = np.array([datetime.date(2024, 5, 1), datetime.date(2024, 5, 2), datetime.date(2024, 5, 3)])[Y]
MODEL = th.evaluate(Y, {"m": P})["m"]
VALUES = {
    "cox": cox_calibration(TABLE),
    "undefined cox": cox_calibration(th.ScoreTable.from_scores([1, 1], [0.2, 0.4])),
    "histogram": score_histogram(TABLE, bins=3),
    "classwise error": classwise_calibration_error(Y, P),
    "decomposition": decomposition(TABLE),
    "infinite decomposition": decomposition(CERTAIN, loss="log"),
    "binned decomposition": binned_decomposition(TABLE),
    "volume": posterior_volume(Y, P),
    "class weights": optimize_class_weights(Y, P, folds=None),
    "areas of classes": conditional_auc(Y, P),
    "areas of dates": conditional_auc(DAYS, P),
    "areas without a class": conditional_auc(Y[:12], P[:12], labels=range(3)),
    "estimates of classes": multiclass_auc_estimates(Y, P),
    "curve average": average_curves([TABLE, TABLE]),
    "partial area": area_over_fpr(np.array([0.0, 1.0]), np.array([0.0, 1.0]), 0.0, 0.5),
    "undefined partial area": area_over_fpr(np.full(2, np.nan), np.array([0.0, 1.0]), 0.0, 0.5),
    "concavity": concavities(TABLE)[0],
    "vertex": joint_hull({"a": TABLE}).vertices[0],
    "table": TABLE,
    "table of infinite scores": ENDLESS,
    "loss sums": LossSums.of(np.array([0.1, 0.7])),
    "infinite loss sums": LossSums.of(np.array([0.1, math.inf])),
    "decision": MODEL.decide(costs=1 - np.eye(3)),
    "chosen decision": MODEL.decide(maximize="accuracy"),
    "estimate": MODEL.accuracy,
    "infinite estimate": th.evaluate([1, 0, 1], [0.9, 0.2, 0.0])["score"].log_loss,
    "undefined estimate": th.evaluate([1, 1], [0.9, 0.2])["score"].auc,
    "listing": th.evaluate([1, 0, 1, 0], [math.inf, 0.5, 0.2, -math.inf])["score"].listing(),
    "curve": th.evaluate([1, 0, 1, 0], [math.inf, 0.5, 0.2, -math.inf])["score"].ks_curve,
}
FRAMES = ("histogram", "areas of classes", "estimates of classes", "curve average", "table", "decision", "listing")


@pytest.mark.parametrize("name", VALUES)
def test_dictionaries_are_json(name):
    found = VALUES[name].to_dict()
    text = json.dumps(found, allow_nan=False)
    assert json.loads(text) == found
    assert not {'"inf"', '"-inf"', '"nan"'} & set(re.findall(r'"[^"]*"', text))


def test_an_estimate_says_what_of_it_is_infinite():
    assert VALUES["infinite estimate"].to_dict()["value"] is None
    assert VALUES["infinite estimate"].to_dict()["reason"].startswith("the value is infinite (+∞); no interval, as")
    upper = Estimate(name="lr", value=2.0, low=1.0, high=math.inf, level=0.95, method="m").to_dict()
    assert (upper["low"], upper["high"], upper["reason"]) == (1.0, None, "the upper limit is infinite (+∞)")
    assert Estimate(name="x", value=math.nan).to_dict()["reason"] == "it is 0/0"
    assert MODEL.accuracy.to_dict()["reason"] is None


def test_what_the_forms_hold():
    cox = VALUES["cox"]
    assert VALUES["cox"].to_dict()["p_value"] == cox.p_value
    assert VALUES["undefined cox"].to_dict()["slope"] is None
    assert VALUES["infinite decomposition"].to_dict()["score"] is None
    assert "score is infinite (+∞)" in VALUES["infinite decomposition"].to_dict()["reason"]
    infinite = VALUES["table of infinite scores"].to_dict()
    assert infinite["scores"] == [None, 0.5, 0.2, None]
    assert infinite["reason"] == "scores[0] is infinite (+∞), scores[3] is infinite (−∞)"
    assert to_jsonable({"x": [math.inf] * 9})["reason"].endswith("x[5] is infinite (+∞) and others")
    assert VALUES["areas of dates"].to_dict()["labels"] == ["2024-05-01", "2024-05-02", "2024-05-03"]
    assert VALUES["areas without a class"].to_dict()["reason"] == "class 2 is empty"
    assert VALUES["areas of classes"].to_dict()["matrix"][0][0] is None
    assert VALUES["volume"].to_dict()["chance"] == pytest.approx(1 / 6)
    assert VALUES["class weights"].to_dict()["counts"] == VALUES["class weights"].matrix.counts.tolist()
    assert VALUES["partial area"].to_dict()["corrected"] == 0.5
    found = VALUES["estimates of classes"].to_dict()
    assert found["averages"]["hand_till"] == VALUES["estimates of classes"]["hand_till"].to_dict()
    assert [each["class"] for each in found["one_vs_rest"]] == [0, 1, 2]
    assert LossSums.from_json(VALUES["infinite loss sums"].to_json()) == VALUES["infinite loss sums"]
    assert to_jsonable({"day": datetime.date(2024, 5, 1), 3: b"x"}) == {"day": "2024-05-01", "3": "b'x'"}


@pytest.mark.peer
@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
@pytest.mark.parametrize("name", FRAMES)
def test_dataframes_of_every_library(name, library):
    module = pytest.importorskip(library)
    found = VALUES[name].to_frame(library)
    assert type(found).__module__.startswith(module.__name__)
    columns = found.column_names if library == "pyarrow" else list(found.columns)
    rows = {"histogram": 3, "areas of classes": 6, "estimates of classes": 8, "table": 6, "listing": 4}
    assert len(found) == rows.get(name, len(found)) > 0
    assert (
        columns[:2]
        == {
            "histogram": ["low", "high"],
            "areas of classes": ["class", "given"],
            "estimates of classes": ["measure", "class"],
            "curve average": ["threshold", "false_positive_rate"],
            "table": ["score", "positive"],
            "decision": ["measure", "value"],
            "listing": ["rank", "row"],
        }[name]
    )
