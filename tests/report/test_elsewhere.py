"""Decisions at other prevalences and spreads over folds: report, JSON and library say the same."""

import json
from pathlib import Path

import numpy as np
import pytest

import thresher as th
from thresher.analysis.thresholds import joint_hull_of_findings, threshold_findings, usual_criteria
from thresher.errors import OptionError

RNG = np.random.default_rng(8)
Y = np.repeat([1, 0], [20, 30])
S = np.clip(0.3 * Y + RNG.random(50) * 0.7, 0, 1)
FOLD = np.arange(50) % 4
CLUSTER = np.arange(50) // 2


@pytest.mark.parametrize(
    "options",
    [{}, {"cluster": CLUSTER}, {"rate_interval": "jeffreys", "level": 0.9}, {"weights": 1 + np.arange(50) % 3}],
)
def test_other_prevalences_agree(options, tmp_path):
    ev = th.evaluate(Y, {"a": S}, **options)
    ours = ev["a"].at_prevalence(0.1)
    ev.report(tmp_path / "r.json", prevalence=[0.1, 0.3])
    shown = json.loads((tmp_path / "r.json").read_text("utf-8"))["models"]["a"]["at_prevalences"]
    assert [each["prevalence"] for each in shown] == [0.1, 0.3]
    for name, estimate in ours.measures.items():
        written = shown[0]["measures"][name]
        assert (written["value"], written["low"], written["method"]) == (estimate.value, estimate.low, estimate.method)
    tpr, fpr = ev["a"].recall.value, ev["a"].false_positive_rate.value
    assert ours["positive_predictive_value"].value == pytest.approx(0.1 * tpr / (0.1 * tpr + 0.9 * fpr))
    assert json.dumps(ours.to_dict())


@pytest.mark.slow
def test_spreads_over_folds_agree():
    ev = th.evaluate(Y, {"a": S, "b": S[::-1]}, fold=FOLD)
    for name in ("auc", "f1"):
        found = ev.fold_spread(name)
        values = {m: [getattr(fold[m], name).value for fold in ev.folds.values()] for m in ev}
        for model, spread in found.items():
            expected = (np.mean(values[model]), np.std(values[model], ddof=1), min(values[model]), max(values[model]))
            assert (spread.mean, spread.standard_deviation, spread.smallest, spread.largest) == pytest.approx(expected)
            written = ev.to_dict()["models"][model]["fold_spread"][name]
            assert written["value"] == spread.mean
            assert {k: v for k, v in spread.to_dict().items() if k in written}.items() <= written.items()
            assert written["reason"].startswith("no interval, as folds share rows")
    with pytest.raises(OptionError, match="needs folds"):
        th.evaluate(Y, {"a": S}).fold_spread("auc")


def test_a_fold_that_defines_nothing_has_a_reason():
    ev = th.evaluate([1, 1, 0, 0], {"a": [0.9, 0.8, 0.2, 0.4]}, fold=[1, 1, 2, 2])
    assert ev.fold_spread("auc")["a"].defined == 0
    written = ev.to_dict()["models"]["a"]["fold_spread"]["auc"]
    assert (written["value"], written["reason"]) == (None, "no fold defines it")


def test_hull_and_curves_of_what_is_kept_are_those_of_all_rows(monkeypatch):
    for name in ("SMALL", "SPREAD"):
        monkeypatch.setattr(f"thresher.decisions.objective.{name}", 5)
    ev = th.evaluate(Y, {"a": S, "b": S[::-1]})
    kept = {name: threshold_findings(model, usual_criteria()) for name, model in ev.items()}
    assert len(kept["a"].table) < len(ev["a"].table)
    for name, found in kept.items():
        for one, two in ((found.hull, ev[name].hull), (found.cost_curve, ev[name].cost_curve)):
            assert one.thresholds.tolist() == two.thresholds.tolist()
        assert found.cost_curve.y == pytest.approx(ev[name].cost_curve.y)
        assert found.decision_curve().area_name == ev[name].decision_curve.area_name
    assert joint_hull_of_findings(kept).area == pytest.approx(ev.joint_hull.area)


def test_no_section_counts_curves_or_hulls():
    """Sections lay out what was found; curves, hulls and means come from analysis/."""
    made = ("cost_curve(", "decision_curve(", "roc_hull(", "joint_hull(", "statistics.")
    found = []
    for file in (Path(th.__file__).parent / "report" / "sections").glob("*.py"):
        for line in file.read_text("utf-8").splitlines():
            found += [f"{file.name}: {call}" for call in made if call in line and f".{call}" not in line]
    assert not found
