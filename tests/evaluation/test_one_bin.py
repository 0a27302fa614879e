"""Counts whose rows are all in one bin of scores: nothing is known of their order, nor of a cut inside of the bin."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import thresher as th
from thresher.counts import ScoreTable
from thresher.curves import gain_curve, precision_recall_curve, roc_curve
from thresher.errors import InputError, OptionError
from thresher.inference import delong_interval, estimate_of_scores
from thresher.measures.areas import ONE_BIN
from thresher.measures.registry import measures
from thresher.results import rounded_up

CUT = "the threshold 0.5 lies inside of a bin of the counts, so that no decision is known; exact are the thresholds"


def rows(seed, n=40):
    draws = np.random.default_rng(seed)
    y = (np.arange(n) % 5 < 2).astype(int)
    return {"y": y, "s": 1 / (1 + np.exp(-draws.normal(1.5 * y - 0.7, 1.0)))}


@pytest.fixture
def alone():
    return th.count(rows(1), "s", label="y").with_least(16)


@pytest.fixture
def grouped():
    """One site of many rows, and three of a single bin each."""
    sizes = enumerate({"a": 2000, "b": 40, "c": 45, "d": 50}.items())
    sites = {name: th.count(rows(seed, n), "s", label="y").with_least(16) for seed, (name, n) in sizes}
    return th.Counts.of_parts(sites, by="g")


def test_what_any_ranking_is_possible_of_is_undefined(alone):
    """The AUC was 0.5 [0.42, 0.58], and the average precision the prevalence."""
    table = alone["s"]
    assert table.scores.size == 1
    model = th.evaluate(alone)["s"]
    for entry in measures("table"):
        if entry.needs_parameters:
            continue
        found = estimate_of_scores(table, entry.name)
        hidden = ONE_BIN in entry.undefined
        assert math.isnan(found.value) == hidden == (found.reason == ONE_BIN), entry.name
        if not entry.fitted:
            assert model.measures[entry.name].error_bound == math.inf or not hidden
    assert {"auc", "average_precision", "ks_statistic", "h_measure", "equal_error_rate"} <= {
        entry.name for entry in measures("table") if ONE_BIN in entry.undefined
    }
    asked = [model.estimate(name) for name in ("auc", "recall@fpr=0.1", "precision@top=10%")]
    for found in (
        *asked,
        model.estimate("auc", bootstrap=20),
        delong_interval(table),
        model.partial_area("fpr<=0.1").raw,
    ):
        assert math.isnan(found.value)
        assert (found.low, found.high, found.reason) == (None, None, ONE_BIN)
    with pytest.raises(InputError, match="no threshold between its edges is known"):
        model.choose("youden")
    assert model.calibration.reason == ONE_BIN
    for kind in ("roc", "pr", "gain"):
        assert math.isnan(model.curve(kind).area())
        assert ONE_BIN in model.curve(kind).notes


def test_a_class_without_rows_hides_no_order():
    table = th.count([1] * 40, rows(2)["s"], positive=1).with_least(16)["score"]
    assert estimate_of_scores(table, "average_precision").value == 1


def test_a_cut_inside_of_the_only_bin_decides_nothing(alone):
    """All rows were called negative: recall 0 with an interval, and an accuracy."""
    model = th.evaluate(alone)["s"]
    assert model.threshold is None
    assert model.threshold_reason.startswith(CUT)
    assert (model.recall.low, model.accuracy.reason) == (None, model.threshold_reason)
    for ask in (lambda: model.at(0.5), lambda: model.with_reject(lower=0.4, upper=2.0)):
        with pytest.raises(InputError, match="lies inside of a bin of the counts, so that no decision is known"):
            ask()
    edge = float(alone["s"].scores[0])
    assert th.evaluate(alone, threshold=edge)["s"].recall.value == 1
    assert th.evaluate(alone, threshold=1.5)["s"].recall.value == 0


def test_every_view_says_so(alone, tmp_path):
    evaluation = th.evaluate(alone)
    evaluation.report(tmp_path / "report.txt")
    text = (tmp_path / "report.txt").read_text()
    assert "All scores of s are in one bin: the AUC is not known." in text
    assert "ROC AUC               undefined" in text
    assert "chance" not in text
    found = json.loads(evaluation.to_json())["models"]["s"]["measures"]["auc"]
    assert (found["value"], found["reason"]) == (None, ONE_BIN)
    evaluation.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "area under the ROC curve" not in page
    assert ONE_BIN in page


def test_gaps_of_such_groups_have_no_test(grouped, tmp_path):
    """A p of 1 for the AUC, and one below 0.0001 for a recall of 0 against 0."""
    groups = th.evaluate(grouped).groups
    for gap in groups.gaps():
        whole = [value for value in gap.values if not math.isnan(value)]
        assert len(whole) < 2
        assert math.isnan(gap.p_value)
        assert gap.low is None
        assert ONE_BIN in gap.reason or CUT in gap.reason
    th.evaluate(grouped).report(tmp_path / "report.txt")
    assert "Which groups differ" not in (tmp_path / "report.txt").read_text()


def test_gaps_are_of_the_tables_that_are_shown():
    """The rest's rows were ranked by bins of different groups, as if these did not overlap."""
    parts = [rows(seed, 400) | {"g": [name] * 400} for seed, name in enumerate("ab")]
    data = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    extra = rows(5, 150) | {"g": ["c"] * 150}
    sites = {name: th.count({k: np.asarray(v)[np.asarray(data["g"]) == name] for k, v in data.items()}, "s", label="y")
             for name in "ab"} | {"c": th.count(extra, "s", label="y").with_least(16)}  # fmt: skip
    for gap in th.evaluate(th.Counts.of_parts(sites, by="g")).groups.gaps():
        assert gap.difference == pytest.approx(gap.values[0] - gap.values[1])


def test_sites_of_one_bin_are_left_out_of_the_mean_over_sites(grouped, tmp_path):
    """They entered as an AUC of 0.5 with a small error, and pulled the mean there."""
    groups = th.evaluate(grouped).groups
    mean = groups.random_effects("auc")["s"]
    assert (mean.sites, mean.omitted, mean.i2) == (1, 3, 0)
    assert mean.value == pytest.approx(groups["a"]["s"].auc.value)
    th.evaluate(grouped).report(tmp_path / "report.txt")
    text = " ".join((tmp_path / "report.txt").read_text().split())
    # All rows together are in one bin, and the site that is known stood in no table.
    assert "all rows 2,135 40.0 % undefined" in text
    assert f"a 2,000 40.0 % {groups['a']['s'].auc.value:.4f} [" in text
    said = "Groups without a value or its standard error are left out"
    assert f"{said} (3 for ROC AUC, 3 for Recall (sensitivity)" in text
    only = grouped.only({"g": "a"}, others=True)
    with pytest.raises(OptionError, match="a standard error in no group of 's': all rows are in one bin"):
        th.evaluate(th.Counts.of_parts({"x": only, "y": only}, by="site")).groups.random_effects("auc")


def test_groups_of_few_bins_are_not_told_apart_by_their_bins(tmp_path):
    """The AUC of one was "higher, p < 0.0001: more than chance alone would explain", and recalls 0 were pooled."""
    sizes = enumerate({"a": 2000, "b": 60, "c": 70, "d": 90}.items())
    sites = {name: th.count(rows(seed, n), "s", label="y") for seed, (name, n) in sizes}
    coarse = {name: site.with_least(10) for name, site in sites.items()}
    assert {site["s"].scores.size for name, site in coarse.items() if name != "a"} == {2, 3}
    groups = th.evaluate(th.Counts.of_parts(coarse, by="g"), threshold=0.5).groups
    for gap in groups.gaps("auc", "recall"):
        assert not gap.is_significant
        assert gap.reason is not None
        assert gap.is_defined == gap.reason.startswith("scores are in bins, which put the difference off by")
    assert groups.random_effects("recall")["s"].sites == 1
    th.evaluate(th.Counts.of_parts(coarse, by="g"), threshold=0.5).report(tmp_path / "sites.txt")
    told = " ".join((tmp_path / "sites.txt").read_text("utf-8").split())
    assert "ROC AUC: no test, as scores are in bins, which put" in told
    exact = th.evaluate(th.Counts.of_parts(sites, by="g"), threshold=0.5).groups
    assert all(gap.reason is None for gap in exact.gaps("auc", "recall"))


def test_resamples_and_rates_at_rates_are_of_the_table_of_all_rows():
    """Rows had the scores of the wider bins of groups: a recall of 0.61 where the matrix had 0.76, and small areas."""
    parts = [rows(seed, n) | {"g": [name] * n} for seed, (name, n) in enumerate({"a": 600, "b": 40, "c": 44}.items())]
    data = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    grouped, alone = (th.evaluate(th.count(data, "s", label="y", by=by).with_least(10))["s"] for by in ("g", None))
    assert grouped.scores == alone.scores
    for name in ("recall@fpr=0.1", "recall"):
        assert grouped.estimate(name) == alone.estimate(name)
    for name in ("recall", "average_precision", "ks_statistic"):
        assert grouped.estimate(name, bootstrap=20) == alone.estimate(name, bootstrap=20)
    one, two = (model.partial_area("recall>=0.5", bootstrap=20).raw for model in (grouped, alone))
    assert one == two
    one, two = (model.choose("youden", bootstrap=20).resampled for model in (grouped, alone))
    assert np.array_equal(one.thresholds, two.thresholds)


def test_how_well_groups_are_known_is_said_where_one_has_no_positives(capsys, tmp_path):
    """Nothing was said of the others then, a report said it of all rows alone, and one class had ±nan."""
    from thresher.cli.count import write_counts

    table = rows(3, 3000)
    table["g"] = np.array(["a", "b", "c"])[np.arange(3000) // 1000]
    table["y"][:1000] = 0
    counts = th.count(table, "s", label="y", by="g").with_least(20)
    bound = max(counts.groups[(name,)]["s"].error_bound for name in "bc")
    assert bound > counts["s"].error_bound > 0
    write_counts(counts, str(tmp_path / "some.parquet"), None, quiet=False)
    assert f", of groups AUC known to ±{rounded_up(bound)} at the most" in capsys.readouterr().out
    said = f"Of groups the ROC AUC is known to ±{rounded_up(bound)} at the most."
    assert any(said in note for note in th.evaluate(counts).notes)
    write_counts(counts.only({"g": "a"}), str(tmp_path / "one.parquet"), None, quiet=False)
    assert capsys.readouterr().out.rstrip().endswith("bins and scores, AUC undefined")


def test_a_threshold_that_is_named_twice_is_the_only_one():
    counts = th.count([1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4], thresholds=[0.3, 0.3])
    assert th.evaluate(counts)["score"].threshold == 0.3


def test_empty_bins_beside_the_one_that_has_all_rows_tell_nothing():
    """The ROC was drawn as that of a score without any power."""
    for place in range(3):
        columns = {name: np.eye(3, dtype=np.int64)[place] * rows for name, rows in (("positive", 3), ("negative", 4))}
        table = ScoreTable(scores=np.array([0.5, 0.25, 0.0]), binned=True, widths=np.full(3, 0.25), **columns)
        for make in (roc_curve, gain_curve, precision_recall_curve):
            curve = make(table)
            assert np.isnan(curve.y).all()
            assert ONE_BIN in curve.notes
        exact = replace(table, binned=False, widths=None)
        assert roc_curve(exact).area() == 0.5
