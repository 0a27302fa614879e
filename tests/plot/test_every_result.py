"""Every result has a picture and a table of it: what stands on the canvas is what the values say."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from plot_parts import of
from thresher import calibration, curves, decisions, inference, resampling
from thresher.errors import InputError, OptionError
from thresher.gate.check import at_least, limit
from thresher.measures.baselines import baselines
from thresher.plot.bars import BARS
from thresher.plot.drawing import DRAWERS
from thresher.plot.forests import FORESTS
from thresher.resampling.nearest_mean import NearestMean

WITHOUT = {
    "CalibrationMap": "a protocol: the maps that follow it are drawn",
    "DesignWarning": "a sentence with a code",
    "Expected": "measures of rows without labels, as a table",
    "Finding": "a sentence about other results, which are drawn",
    "FoldSpread": "a summary of the folds, which Evaluation.folds draws one by one",
    "GoldBudget": "a plan of rows to label",
    "Growth": "a power of the rows, which the legend of Scalability names",
    "JudgeQuality": "a table beside the judge's evaluation, which is drawn",
    "KsTest": "a distance that the curve of ks_curve marks",
    "Lead": "a part of Dominance",
    "LossSums": "sums that are added up, of which the estimates are drawn",
    "OwnedVertex": "a part of JointHull",
    "PartialArea": "a number without its curve; PartialAreaEstimate has the curve",
    "Ranked": "a part of a report, whose ranks are drawn",
    "ScoreRule": "settings of a decision",
    "ClassRule": "settings of a decision",
    "Note": "a sentence",
    "ValidRange": "limits that the title of Choice names",
    "ValueAt": "a point of a curve, which at= marks",
    "Verified": "estimates of partly verified rows, as a table",
    "Volume": "a number that Triples and RocSurface draw",
}
"""Public classes with a table or a dictionary that are no picture, and why."""

LISTS = {"q1": [1, 0, -1, 2], "q2": [0, 1], "q3": [0, 0, 3]}


def classes() -> dict[str, ast.ClassDef]:
    src = Path(th.__file__).parent
    parsed = (ast.parse(path.read_text(encoding="utf-8")) for path in src.rglob("*.py"))
    nodes = [node for tree in parsed for node in tree.body if isinstance(node, ast.ClassDef)]
    # Of two classes of one name the larger is the result.
    return {node.name: node for node in sorted(nodes, key=lambda node: len(node.body))}


def has(node: ast.ClassDef, wanted: str, known: dict[str, ast.ClassDef]) -> bool:
    """Whether a class or one of its bases defines a name."""
    names = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    names |= {n.id for part in node.body if isinstance(part, ast.Assign) for n in ast.walk(part.targets[0])
              if isinstance(n, ast.Name)}  # fmt: skip
    bases = (known.get(ast.unparse(base)) for base in node.bases)
    return wanted in names or any(has(base, wanted, known) for base in bases if base is not None)


@pytest.mark.peer
def test_every_public_result_has_a_picture_or_a_reason() -> None:
    known = classes()
    results = {name for name, node in known.items()
               if not name.startswith("_") and (has(node, "to_dict", known) or has(node, "to_frame", known))
               and "thresher" not in name}  # fmt: skip
    drawn = {name for name in results if has(known[name], "plot", known)}
    assert len(drawn) > 60
    assert results - drawn - set(WITHOUT) == set()
    assert not drawn & set(WITHOUT)
    assert set(WITHOUT) <= results
    assert {name for name in drawn if not has(known[name], "to_frame", known)} == set()


@pytest.fixture(scope="module")
def wine() -> Any:
    return th.evaluate(th.load_example("wine"), label="cultivar", probabilities="bayes_")["bayes"]


@pytest.fixture(scope="module")
def ranked() -> Any:
    judged = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1, "b": 0}, "q3": {"a": 0, "b": 1, "c": 1}}
    runs = {"x": {"q1": {"a": 3, "b": 2, "c": 1}, "q2": {"a": 2, "b": 1}, "q3": {"a": 1, "b": 2, "c": 3}},
            "y": {"q1": {"a": 1, "b": 2, "c": 3}, "q2": {"a": 1, "b": 2}, "q3": {"a": 1, "b": 2, "c": 3}}}  # fmt: skip
    return th.rank(judged, runs)


def model_of(ev: th.Evaluation) -> Any:
    return ev["random_forest"]


def speed() -> Any:
    ticks = iter(np.cumsum(np.arange(1, 400)) * 0.01)
    return resampling.speed(NearestMean(), [[0.0], [1.0]] * 8, [0, 1] * 8, clock=lambda: float(next(ticks)))


def facts() -> Any:
    model = NearestMean().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    model.coef_ = np.array([[0.0, 2.5]])
    return resampling.model_facts(model)


def assessed() -> Any:
    X = np.random.default_rng(5).normal(size=(40, 1)) + np.arange(40)[:, None] % 2
    return th.assess({"a": NearestMean()}, X, np.arange(40) % 2, method="kfold:4", measures=["auc"], progress=False)


def sites() -> dict[str, Any]:
    rng = np.random.default_rng(3)
    y, site = np.arange(240) % 2, np.repeat(list("abcd"), [90, 70, 50, 30])
    s = rng.normal(size=240) + y * np.repeat([1.5, 1.0, 2.0, 1.2], [90, 70, 50, 30])
    return th.evaluate({"y": y, "s": s, "site": site}, "s", label="y", by="site").groups.random_effects("auc")


SCORES = th.ScoreTable.from_scores([1, 1, 0, 1, 1, 0, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.6, 0.6, 0.5, 0.4, 0.3, 0.2])
FIT = [0.81, 0.79, 0.84, 0.80], [0.78, 0.77, 0.80, 0.79]

MADE: dict[str, Callable[..., Any]] = {
    "AtPrevalence": lambda ev, **_: model_of(ev).at_prevalence(0.1),
    "AucCovariance": lambda **_: inference.delong_covariance([1, 1, 0, 0], {"a": [4, 2, 3, 1], "b": [4, 1, 2, 3]}),
    "AucEstimates": lambda wine, **_: wine.auc_estimates,
    "Baselines": lambda **_: baselines(th.load_example("cancer")),
    "BinnedDecomposition": lambda **_: calibration.binned_decomposition(SCORES),
    "CalibrationSummary": lambda ev, **_: model_of(ev).calibration,
    "Check": lambda ev, **_: at_least(model_of(ev), limit("auc=0.9")),
    "ClassDecision": lambda wine, **_: wine.decide(weights=[0.4, 0.3, 0.3]),
    "ClassViews": lambda wine, **_: wine.classes,
    "ClassWeights": lambda wine, **_: wine.decide(maximize="macro_f1", folds=None).chosen,
    "ClasswiseError": lambda **_: calibration.classwise_calibration_error([0, 1], [[0.7, 0.3], [0.4, 0.6]]),
    "ClasswiseMap": lambda **_: calibration.fit_classwise(
        [0, 1, 2] * 4, np.tile([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6]], (4, 1)), method="isotonic"),
    "Concavity": lambda **_: decisions.concavities(th.ScoreTable.from_scores([1, 0, 0, 1, 1, 0], range(6, 0, -1)))[0],
    "Counts": lambda **_: th.count([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]),
    "CoxCalibration": lambda **_: calibration.cox_calibration(SCORES),
    "Decomposition": lambda **_: calibration.decomposition(SCORES),
    "Estimate": lambda ev, **_: model_of(ev).auc,
    "HMeasure": lambda **_: decisions.h_measure(SCORES),
    "Listing": lambda **_: th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.1])["score"].listing(),
    "ModelAssessment": lambda **_: assessed()["a"],
    "ModelFacts": lambda **_: facts(),
    "OperatingPoint": lambda ev, **_: model_of(ev).choose("youden").choice.best,
    "Outcomes": lambda ranked, **_: ranked.outcomes("x", "y"),
    "Pairs": lambda **_: curves.pairs(SCORES),
    "Posterior": lambda **_: inference.bayesian_correlated_t_test(*FIT, rope=0.01, test_size=1, train_size=3),
    "RandomEffects": lambda **_: sites()["s"],
    "RankEvaluation": lambda ranked, **_: ranked,
    "RankedLists": lambda **_: th.RankedLists.from_lists(LISTS),
    "Reclassification": lambda **_: inference.reclassification(
        [1, 1, 1, 0, 0, 0], [0.3, 0.6, 0.4, 0.2, 0.6, 0.3], [0.6, 0.7, 0.3, 0.1, 0.4, 0.3]),
    "RejectOption": lambda **_: decisions.reject_option(SCORES, lower=0.4, upper=0.8),
    "RejectSummary": lambda **_: inference.reject_summary(decisions.reject_option(SCORES, lower=0.4, upper=0.8)),
    "Reliability": lambda **_: calibration.reliability(SCORES, method="equal_width", bins=4),
    "ResampledThreshold": lambda ev, **_: model_of(ev).choose("max f1", bootstrap=30).resampled,
    "RunEvaluation": lambda ranked, **_: ranked["x"],
    "ScoreTable": lambda **_: SCORES,
    "Speed": lambda **_: speed(),
    "TemperatureMap": lambda **_: calibration.TemperatureMap(temperature=2.0),
    "ThresholdTable": lambda **_: th.ThresholdTable.from_table(SCORES),
}  # fmt: skip


@pytest.fixture
def made(request: pytest.FixtureRequest, ev: th.Evaluation, wine: Any, ranked: Any) -> Any:
    return MADE[request.param](ev=ev, wine=wine, ranked=ranked)


@pytest.mark.peer
@pytest.mark.parametrize("made", MADE, indirect=True, ids=list(MADE))
def test_a_result_draws_itself_and_has_a_table_of_it(made: Any) -> None:
    from matplotlib import pyplot

    assert type(made).__name__ in DRAWERS or hasattr(made, "plot")
    ax = made.plot()
    assert ax.has_data()
    on = pyplot.subplots()[1]
    assert made.plot(ax=on) is on
    ax.figure.draw_without_rendering()
    if hasattr(made, "to_frame"):
        assert len(made.to_frame(backend="pandas"))


def test_every_list_of_estimates_and_numbers_is_tried() -> None:
    assert set(FORESTS) | set(BARS) <= set(MADE)


@pytest.mark.peer
@pytest.mark.parametrize("made", [n for n in FORESTS if n not in ("RankEvaluation", "RunEvaluation")], indirect=True)
def test_a_forest_has_each_estimate_with_its_interval(made: Any) -> None:
    rows = FORESTS[type(made).__name__](made).rows
    ax = made.plot(color="#123456")
    known = [each for each in rows.values() if each.is_defined]
    assert known
    assert [dot.get_xdata()[0] for dot in of(ax, "thresher-value")] == [each.value for each in known]
    assert [tuple(line.get_xdata()) for line in of(ax, "thresher-interval")] == [
        each.interval for each in known if each.interval
    ]
    assert [label.get_text() for label in ax.get_yticklabels()] == list(rows)


@pytest.mark.peer
@pytest.mark.parametrize("made", list(BARS), indirect=True)
def test_bars_are_as_long_as_their_numbers(made: Any) -> None:
    numbers = BARS[type(made).__name__](made).numbers
    assert [bar.get_width() for bar in of(made.plot(), "thresher-bar")] == list(numbers.values())
    if type(made).__name__ == "Pairs":
        assert made.to_frame(backend="pandas", counts=True)["count"].tolist() == list(numbers.values())
    if "Decomposition" in type(made).__name__:
        *terms, total = numbers.values()
        assert sum(terms) == pytest.approx(total)


@pytest.mark.peer
def test_runs_are_curves_or_means(ranked: Any) -> None:
    assert len(of(ranked["x"].plot(), "thresher-curve")) == 1
    (dots,) = {len(of(ranked["x"].plot(kind="means"), "thresher-value"))}
    assert len(of(ranked.plot(kind="means"), "thresher-value")) == 2 * dots > 0
    with pytest.raises(OptionError, match="'means'"):
        ranked["x"].plot(kind="pie")


@pytest.mark.peer
def test_outcomes_are_the_differences_by_size(ranked: Any) -> None:
    found = ranked.outcomes("x", "y")
    ax = found.plot()
    bars = [bar.get_height() for run in found.runs for bar in of(ax, f"thresher-wins {run}")]
    assert sorted(bars) == sorted(value for value in found.difference if value)
    assert f"x better: {found.wins}" in [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.peer
def test_lists_have_a_cell_for_each_result() -> None:
    ax = th.RankedLists.from_lists(LISTS).plot()
    (image,) = of(ax, "thresher-lists")
    assert image.get_array().tolist() == [[3, 2, 1, 4], [2, 3, 0, 0], [2, 2, 5, 0]]
    many = th.RankedLists.from_lists({f"q{i}": [1] * 120 for i in range(50)})
    assert many.plot().get_title() == "the first 40 of 50 queries; the first 100 ranks"


@pytest.mark.peer
def test_a_listing_is_the_path_that_names_its_rows() -> None:
    model = th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.1])["score"]
    by_threshold = curves.threshold_listing(model.scores)
    for listing, names in ((model.listing(), ["1", "2, 3", "4"]), (by_threshold, ["0.9", "0.6", "0.1"])):
        ax = listing.plot()
        (line,) = of(ax, "thresher-curve")
        assert (line.get_xdata().tolist(), line.get_ydata().tolist()) == ([0, 0, 1, 2], [0, 1, 2, 2])
        assert [text.get_text() for text in of(ax, "thresher-name")] == names


@pytest.mark.peer
def test_groups_of_a_reliability_diagram_have_wilson_intervals() -> None:
    found = calibration.reliability(SCORES, method="equal_width", bins=2)
    ax = found.plot()
    z, n, p = 1.959963984540054, found.rows, found.share
    center, reach = p + z**2 / (2 * n), z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    (intervals,) = of(ax, "thresher-interval")
    ends = np.array([part[:, 1] for part in intervals.get_segments()]).T
    assert np.allclose(ends, np.array([center - reach, center + reach]) / (1 + z**2 / n))
    (dots,) = of(ax, "thresher-point")
    assert dots.get_offsets()[:, 1].tolist() == found.share.tolist()


@pytest.mark.peer
def test_the_posterior_has_the_areas_that_it_names() -> None:
    found = MADE["Posterior"]()
    (line,) = of(found.plot(), "thresher-density")
    x, y = (np.asarray(values) for values in line.get_data())
    for where, area in ((x >= 0.01, found.better), (abs(x) <= 0.01, found.equivalent)):
        assert np.trapezoid(y[where], x[where]) == pytest.approx(area, abs=0.04)
    same = inference.bayesian_correlated_t_test([0.5, 0.6], [0.4, 0.5], rope=0.0, test_size=1, train_size=3)
    if not same.scale:
        with pytest.raises(InputError, match="without spread"):
            same.plot()


@pytest.mark.peer
def test_thresholds_chosen_again_are_counted() -> None:
    model = th.evaluate([1, 1, 0, 1, 0, 0] * 5, np.linspace(1, 0, 30))["score"]
    found = model.choose("youden", bootstrap=40).resampled
    ax = found.plot()
    assert sum(bar.get_height() for bar in of(ax, "thresher-resampled")) == np.isfinite(found.thresholds).sum()
    assert of(ax, "thresher-mark")[0].get_xdata()[0] == found.threshold
    assert f"{found.corrected:.3g} corrected" in ax.get_title()


@pytest.mark.peer
def test_an_assessment_without_its_first_split_is_drawn() -> None:
    X = np.random.default_rng(5).normal(size=(40, 1)) + np.arange(40)[:, None] % 2
    found = th.assess({"a": NearestMean()}, X, np.arange(40) % 2, method="632:5", measures=["auc"], progress=False)
    for ax in (found.plot(), found["a"].plot()):
        assert len(of(ax, "thresher-values 0")[0].get_xdata()) == len(found["a"].values("auc")) == 5


@pytest.mark.peer
def test_a_batch_of_tables_has_no_picture() -> None:
    batch = th.ScoreTable(scores=np.array([0.9, 0.1]), positive=np.ones((2, 2), int), negative=np.ones((2, 2), int))
    for table in (batch, th.ThresholdTable.from_table(batch)):
        with pytest.raises(InputError, match="batch"):
            table.plot()


@pytest.mark.peer
def test_sites_have_squares_by_weight_and_their_mean_a_diamond() -> None:
    found = sites()["s"]
    ax = found.plot()
    (squares,) = of(ax, "thresher-weight")
    areas = squares.get_sizes()
    assert areas / areas.sum() == pytest.approx([each.weight for each in found.each])
    assert [tuple(line.get_xdata()) for line in of(ax, "thresher-interval")] == [(e.low, e.high) for e in found.each]
    (diamond,) = of(ax, "thresher-mean")
    assert sorted(set(diamond.get_xy()[:, 0])) == [found.low, found.value, found.high]
    assert tuple(of(ax, "thresher-prediction")[0].get_xdata()) == found.prediction
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == [*(f"{e.site} ({100 * e.weight:.3g} %)" for e in found.each), "mean of sites", "a site to come"]
    assert f"I² = {100 * found.i2:.3g} %" in ax.get_title()
    frame = found.to_frame(backend="pandas")
    assert frame["part"].tolist() == ["site"] * 4 + ["mean", "prediction"]


@pytest.mark.peer
def test_one_site_has_a_mark_without_an_interval_and_many_are_the_heaviest() -> None:
    (mark,) = of(inference.random_effects([0.8], [0.1]).plot(), "thresher-mean")
    assert mark.get_xdata()[0] == pytest.approx(0.8)
    many = inference.random_effects(np.linspace(0, 1, 70), [0.1] * 35 + [0.2] * 35).plot()
    assert "the 60 sites of the largest weight of 70" in many.get_title()
