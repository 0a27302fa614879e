"""Evaluations of binned counts: every number within the bound that it carries of that of the rows."""

import json
import math
import re

import numpy as np
import pytest

import thresher as th
from thresher.analysis.calibration import calibration_findings
from thresher.calibration import apply_map, fit_map
from thresher.decisions.inside_bins import hidden_words
from thresher.errors import InputError, OptionError
from thresher.evaluation.bounding import bound_of
from thresher.evaluation.subject import Subject
from thresher.inference.auc.delong import auc_interval
from thresher.measures import find
from thresher.report.build import build
from thresher.report.render.cards import cards_form
from thresher.report.render.html.page import document_page
from thresher.report.render.json import document_dict, schema
from thresher.report.render.markdown import document_markdown
from thresher.report.render.text import document_text
from thresher.results import WIDENED

N = 3000
RNG = np.random.default_rng(17)
TRUTH = RNG.random(N) < 0.2
A = np.round(1 / (1 + np.exp(-(RNG.normal(size=N) + 1.5 * TRUTH - 1.5))), 5)
B = np.round(np.clip(A + RNG.normal(size=N) / 10, 0.001, 0.999), 5)
ROWS = {"y": TRUTH.astype(int), "a": A, "b": B, "site": RNG.integers(0, 3, N)}
MEASURES = [
    "auc", "average_precision", "ks_statistic", "gini", "log_loss", "brier_score", "f1", "mcc", "recall", "precision",
    "relative_classifier_information", "recall@fpr=0.05", "specificity@recall=0.9", "expected_calibration_error",
]  # fmt: skip


@pytest.fixture(name="few")
def _few(monkeypatch):
    """Memory for a few bins only, so that 3,000 rows are too many."""
    monkeypatch.setattr("thresher.evaluation.group_tables.EXACT_ROWS", 64)
    monkeypatch.setattr("thresher.evaluation.group_tables.BINS", 256)
    monkeypatch.setattr("thresher.evaluation.group_tables.LEAST", 32)


@pytest.mark.usefixtures("few")
def test_every_estimate_is_within_its_bound():
    exact = th.evaluate(ROWS, label="y", scores=["a", "b"], threshold=0.3)
    found = th.evaluate(th.count(ROWS, ["a", "b"], label="y"), threshold=0.3)
    assert list(found) == ["a", "b"]
    for name in found:
        assert found[name].scores.binned
        for measure in MEASURES:
            rows, bins = exact[name].estimate(measure), found[name].estimate(measure)
            assert rows.error_bound is None
            assert 0 <= bins.error_bound < 0.2, measure
            assert abs(rows.value - bins.value) <= bins.error_bound + 1e-9, measure
        assert found[name].log_loss.error_bound == 0
        for measure, each in found[name].measures.items():
            assert abs(each.value - exact[name].measures[measure].value) <= each.error_bound + 1e-9 or (
                math.isnan(each.value)
            )


@pytest.mark.usefixtures("few")
def test_what_is_infinite_wherever_the_rows_of_a_bin_lie_is_exact():
    against = {"y": (RNG.random(N) < 1 - A).astype(int), "a": A}
    found = th.evaluate(th.count(against, ["a"], label="y"), threshold=float(np.quantile(A, 0.5)))
    needed = found["a"].estimate("number_needed_to_diagnose")
    assert (needed.value, needed.error_bound) == (math.inf, 0.0)


@pytest.mark.usefixtures("few")
def test_thresholds_that_are_named_have_exact_matrices():
    counts = th.count(ROWS, ["a", "b"], label="y", thresholds={"a": [0.3], "b": [0.123]})
    found = th.evaluate(counts, threshold={"a": 0.3, "b": 0.123})
    exact = th.evaluate(ROWS, label="y", scores=["a", "b"], threshold={"a": 0.3, "b": 0.123})
    for name in found:
        assert found[name].confusion_matrix == exact[name].confusion_matrix
        assert found[name].f1.error_bound == 0


@pytest.mark.usefixtures("few")
def test_groups_of_several_scores_have_their_own_bins():
    counts = th.count(ROWS, ["a", "b"], label="y", by="site", thresholds=[0.5])
    found = th.evaluate(counts).groups
    exact = th.evaluate(ROWS, label="y", scores=["a", "b"], by="site").groups
    assert list(found) == list(exact)
    for key, part in found.items():
        for name in part:
            for measure in ("auc", "brier_score", "recall"):
                rows, bins = exact[key][name].estimate(measure), part[name].estimate(measure)
                assert abs(rows.value - bins.value) <= bins.error_bound + 1e-9
    chosen = th.evaluate(counts, "b").groups
    assert chosen[0]["b"].auc == found[0]["b"].auc


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("part", ["fpr<=0.1", "tpr>=0.9", "fpr<=0.2,tpr>=0.5"])
def test_areas_over_a_part_are_within_their_bound(part):
    exact = th.evaluate(ROWS, label="y", scores="a")["a"].partial_area(part)
    found = th.evaluate(th.count(ROWS, "a", label="y"))["a"].partial_area(part)
    assert 0 < found.raw.error_bound < 0.05
    assert abs(found.raw.value - exact.raw.value) <= found.raw.error_bound


def test_exact_counts_have_no_bounds():
    found = th.evaluate(th.count(ROWS, "a", label="y"))
    assert found.auc.error_bound is None
    assert "error_bound" not in json.dumps(found.to_dict())


@pytest.mark.usefixtures("few")
def test_bounds_stand_in_the_data_form():
    form = th.evaluate(th.count(ROWS, "a", label="y")).to_dict()
    measures = form["models"]["a"]["measures"]
    assert measures["auc"]["error_bound"] > 0
    assert measures["brier_score"]["error_bound"] == 0


def test_scores_that_were_counted_apart_are_not_compared():
    with pytest.raises(OptionError, match="belong to one row"):
        th.evaluate(th.count(ROWS, ["a", "b"], label="y")).compare("a", "b")


@pytest.mark.usefixtures("few")
def test_counts_keep_their_losses_when_saved(tmp_path):
    counts = th.count(ROWS, ["a", "b"], label="y", by="site")
    counts.save(tmp_path / "c.parquet")
    back = th.Counts.load(tmp_path / "c.parquet")
    for key, tables in counts.groups.items():
        for name, table in tables.items():
            assert table.losses is not None
            assert back.groups[key][name].losses.tolist() == table.losses.tolist()
    counts["a"].save(tmp_path / "t.parquet")
    assert th.ScoreTable.load(tmp_path / "t.parquet").losses.tolist() == counts["a"].losses.tolist()
    assert counts.with_least(5)["a"].losses is None


def test_many_groups_add_up_to_the_table_of_all_rows():
    by = RNG.integers(0, 40, N)
    for options in ({}, {"direction": "lower"}):
        counts = th.count(ROWS | {"g": by}, "a", label="y", by="g", **options)
        assert len(counts.groups) == 40
        assert counts["a"] == th.count(ROWS, "a", label="y", **options)["a"]


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_a_threshold_inside_of_a_bin_is_said_with_the_ends_that_are_exact(direction):
    """A recall of 0.55 stood there without a word where the rows had 0.99."""
    draws = np.random.default_rng(0)
    truth = draws.integers(0, 2, 500)
    scores = (draws.normal(size=500) + 2 * truth) * (1 if direction == "higher" else -1)
    counts = th.count(truth, scores, direction=direction).with_least(10)
    table = counts["score"]
    k = int(np.argmax(table.widths * np.minimum(table.positive, table.negative)))
    away = 1 if direction == "higher" else -1
    (said,) = [note for note in th.evaluate(counts, threshold=table.scores[k] + away * table.widths[k] / 2).notes
               if "inside of a bin" in note]  # fmt: skip
    ends = [float(word) for word in re.findall(r"exact are the thresholds (\S+) and (\S+),", said)[0]]
    for end in ends:
        at_end = th.evaluate(counts, threshold=end)
        assert not any("inside of a bin" in note for note in at_end.notes)
        whole = th.evaluate(truth, scores, direction=direction, threshold=end)
        assert at_end["score"].confusion_matrix == whole["score"].confusion_matrix


def test_limits_are_moved_apart_by_what_bins_hide():
    """A group of wide bins had an interval of 0.746 to 0.802 and an AUC of 0.8125."""
    draws = np.random.default_rng(2)
    moved = 0
    for _ in range(20):
        y, group = draws.integers(0, 2, 900), draws.choice(list("abc"), 900, p=[0.6, 0.3, 0.1])
        rows = {"y": y, "s": draws.normal(1.25 * y, 1.0), "g": group}
        counts = th.count(rows, "s", label="y", by="g")
        exact, given = th.evaluate(counts), th.evaluate(counts.with_least(20))
        for key, part in given.groups.items():
            found, bare = part["s"].auc, auc_interval(part["s"].scores)
            if found.low is None:
                continue
            moved += 1
            assert found.low == pytest.approx(max(bare.low - found.error_bound, 0))
            assert found.high == pytest.approx(min(bare.high + found.error_bound, 1))
            assert found.method.endswith("wider by what bins hide")
            assert found.low <= exact.groups[key]["s"].auc.value <= found.high
    assert moved >= 20
    fine = th.evaluate(th.count(rows, "s", label="y", tolerance=1e-4))["s"].auc
    assert "wider" not in fine.method


@pytest.mark.parametrize("options", [{}, {"bootstrap": 20}])
def test_calibration_has_the_limits_that_the_measures_have(options):
    """Those of observed over expected were not moved apart by what bins hide, as they were in the report."""
    model = th.evaluate(th.count(ROWS, "a", label="y").with_least(100), **options)["a"]
    assert WIDENED in model.measures["observed_expected_ratio"].method
    for name, found in model.calibration.estimates.items():
        assert found == model.estimate(name)
    for name, found in calibration_findings(model, drawn=False).estimates.items():
        assert found == model.estimate(name)


def test_a_slope_of_bins_is_of_their_middles():
    """The edge of the lowest is 0: its rows were taken as sure to be negative, which made slopes too flat."""
    counts = th.count(ROWS, "a", label="y")
    fine, coarse = (th.evaluate(each)["a"] for each in (counts, counts.with_least(10)))
    assert counts.with_least(10)["a"].scores[-1] == 0 < A.min()
    assert abs(coarse.calibration_slope.value - fine.calibration_slope.value) < 0.06
    assert abs(coarse.calibration_intercept.value - fine.calibration_intercept.value) < 0.06
    assert coarse.calibration_slope.interval is None
    assert coarse.calibration_slope.reason.startswith("no interval, as bins of the counts are 0.0")
    assert "moved" not in fine.calibration_slope.method


def test_the_narrowest_bins_at_0_are_moved_for_a_logit_and_not_their_scores():
    """It said that scores lay within 1e-06 of 0, of which there were none."""
    columns = {"positive": np.array([9, 3]), "negative": np.array([4, 8]), "widths": np.array([0.25, 1e-7])}
    table = th.ScoreTable(scores=np.array([0.5, 0.0]), binned=True, **columns)
    said = "middles of bins within 1e-06 of 0 or 1 moved to 1e-06 from it (11 of 24 rows)"
    model = th.evaluate(th.Counts(groups={(): {"a": table}}))["a"]
    assert calibration_findings(model, drawn=False).moved == said
    exact = th.evaluate([1, 0, 1, 0] * 500, [1.0, 0.2, 0.4, 0.6] * 500)["score"].calibration_slope
    assert exact.method.endswith("scores within 1e-06 of 0 or 1 moved to 1e-06 from it (500 of 2,000 rows)")


@pytest.mark.usefixtures("few")
def test_bins_that_part_the_classes_have_an_interval():
    """Half a row was put beyond the bins, whose widths then were too few, which was said instead of any number."""
    truth = (np.arange(N) >= N // 2).astype(int)
    found = th.evaluate(th.count(iter([{"y": truth, "s": RNG.random(N) + truth}]), "s", label="y", memory=1000))["s"]
    assert found.scores.binned
    assert (found.average_precision.value, found.average_precision.high) == (1.0, 1.0)
    assert 0.95 < found.average_precision.low < 1
    assert "½ a row of each class" in found.average_precision.method


@pytest.mark.usefixtures("few")
def test_what_bins_hide_is_not_said_of_the_rows():
    """It said that no threshold has such a precision, and one within the first bin has it."""
    top = {
        "y": np.concatenate([[1], np.zeros(999, int), [1]]),
        "s": np.linspace(0.999, 0, 1001),
    }
    rows, bins = (
        th.evaluate(top, "s", label="y")["s"],
        th.evaluate(th.count(iter([top]), "s", label="y", memory=1000))["s"],
    )
    assert rows.estimate("recall@precision=0.9").value == 0.5
    found = bins.estimate("recall@precision=0.9")
    assert (math.isnan(found.value), found.error_bound) == (True, math.inf)
    assert found.reason.endswith("is defined, as far as bins of scores tell")


@pytest.mark.usefixtures("few")
def test_what_bins_do_not_hide_is_said_as_of_the_rows():
    """That no threshold was given, and that there are no negatives, was said to be so as far as bins tell."""
    logits = {"y": TRUTH.astype(int), "s": RNG.normal(size=N), "site": np.arange(N) % 2}
    found = th.evaluate(th.count(logits, "s", label="y"))["s"]
    assert found.scores.binned
    for name in ("accuracy", "matthews_correlation", "expected_calibration_error:bins=5", "calibration_slope"):
        assert "as far as" not in found.estimate(name).reason
    one = logits | {"y": np.where(logits["site"], 1, logits["y"]), "s": RNG.random(N)}
    found = th.evaluate(th.count(one, "s", label="y", by="site")).groups[1]["s"]
    assert found.calibration_slope.reason == "there are no negatives"


def test_a_map_of_counted_scores_moves_them():
    """They stayed as they were, with the Brier score that they had before, which was called exact."""
    scores = np.round(A, 2)
    rows = {"y": TRUTH.astype(int), "s": scores, "site": ROWS["site"]}
    found = fit_map(TRUTH[:1000].astype(int), scores[:1000], method="platt")
    options = {"label": "y", "by": "site"}
    exact, counted = th.evaluate(rows, "s", **options)["s"], th.evaluate(th.count(rows, "s", **options))["s"]
    after, before = counted.recalibrated(found), counted
    want = exact.recalibrated(found)
    assert after.brier_score.value == pytest.approx(want.brier_score.value, rel=1e-12) != before.brier_score.value
    assert after.calibration_slope.value == pytest.approx(want.calibration_slope.value, rel=1e-9)
    assert (after.threshold, after.accuracy.value) == (0.5, want.accuracy.value)
    assert after.auc.value == want.auc.value


@pytest.mark.usefixtures("few")
def test_bins_are_put_through_no_map():
    found = fit_map(TRUTH[:1000].astype(int), A[:1000], method="platt")
    table = th.count(ROWS, ["a"], label="y")["a"]
    for way in (
        lambda: apply_map(found, table),
        lambda: th.evaluate(th.count(ROWS, ["a"], label="y"))["a"].recalibrated(found),
    ):
        with pytest.raises(InputError, match="were counted in bins, so that no map finds each of them"):
            way()


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("prevalence", [None, 0.02])
def test_a_threshold_that_is_chosen_from_bins_carries_its_bound(prevalence):
    """It was called the best, which it is among the edges only."""
    bins, rows, whole = (th.evaluate(each, **more)["a"] for each, more in (
        (th.count(ROWS, ["a"], label="y"), {}), (ROWS, {"label": "y", "scores": ["a"]}),
        (th.count(ROWS, ["a"], label="y", tolerance=0), {})))  # fmt: skip
    for how in ({"criterion": "youden"}, {"maximize": "f1"}, {"closest_corner": True}, {"cost_fp": 1, "cost_fn": 9}):
        found, exact, hull = (each.choose(**how, prevalence=prevalence) for each in (bins, rows, whole))
        assert 0 < found.error_bound < 0.1
        assert abs(found.value - exact.value) <= found.error_bound + 1e-12
        assert exact.error_bound is None
        assert not hull.error_bound
        assert not any("bin" in note for each in (exact, hull) for note in each.notes)
    assert bins.choose("youden").error_bound == pytest.approx(bins.ks_statistic.error_bound)


@pytest.mark.usefixtures("few")
def test_every_view_says_the_bound_of_a_chosen_threshold():
    jsonschema = pytest.importorskip("jsonschema")
    evaluation = th.evaluate(th.count(ROWS, ["a"], label="y"))
    found = evaluation["a"].choose("youden")
    said = hidden_words(found.error_bound)
    assert float(said.split()[-1]) == pytest.approx(found.error_bound, rel=0.1)
    assert float(said.split()[-1]) >= found.error_bound
    form = found.to_dict()
    assert form["error_bound"] == found.error_bound
    assert any(said in sentence for sentence in form["sentences"])
    assert form["cheapest_for"]["is_outer"] is True
    for text in (str(found), found._repr_html_(), *(cards_form([found], each) for each in ("markdown", "json"))):
        assert said in " ".join(text.split())
        assert "at the most, as only edges of bins were compared" in " ".join(text.split())
    document = build(evaluation)
    form = json.loads(json.dumps(document_dict(document)))
    jsonschema.Draft202012Validator(schema()).validate(form)
    assert form["models"]["a"]["chosen"]["youden"]["error_bound"] == found.error_bound
    for text in (document_text(document), document_page(document), document_markdown(document)):
        assert f"{said} (Youden" in " ".join(text.split())
        assert "cost ratios hold at the most, as only edges" in " ".join(text.split())


@pytest.mark.parametrize("measure", ["chi_squared", "mutual_information", "relative_classifier_information"])
def test_what_is_least_at_chance_may_be_so_inside_of_a_bin(measure):
    """Both ends of the bin at ½ tell something, and a threshold between them may tell nothing."""
    bins = th.ScoreTable(
        scores=np.array([0.75, 0.25, 0.0]), positive=np.array([4, 6, 10]), negative=np.array([10, 6, 4]), binned=True,
        widths=np.array([0.25, 0.5, 0.25]),
    )  # fmt: skip
    subject = Subject.of_counts(bins, threshold=0.5)
    assert bound_of(subject, measure) >= find(measure)(bins.at(0.5)) > 0
