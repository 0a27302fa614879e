"""Every number of a table of bins against every placement of its rows: exact, or no farther off than it says."""

import csv
import math
import re
from dataclasses import replace

import numpy as np
import pytest

import thresher as th
from bin_placements import REFINED, TABLES, placements
from thresher.calibration import (
    binned_decomposition,
    cox_calibration,
    decomposition,
    murphy_curve,
    score_histogram,
)
from thresher.counts import Counts, ScoreTable
from thresher.counts.hidden import known_to
from thresher.curves import (
    cost_curve,
    decision_curve,
    gain_curve,
    ks_test,
    pairs,
    precision_recall_curve,
    precision_recall_gain_curve,
    roc_curve,
    value_at,
)
from thresher.decisions import (
    Costs,
    choose,
    dominance,
    h_measure,
    joint_hull,
    reject_option,
    roc_hull,
    slide,
)
from thresher.evaluation.estimating import estimate
from thresher.evaluation.subject import Subject
from thresher.inference import (
    BestF1,
    Bootstrap,
    RocAt,
    auc_interval,
    average_precision_interval,
    averaged_curve,
    binormal_roc,
    bootstrap_interval,
    delong_interval,
    delong_variance,
    difference_interval,
    estimate_of_scores,
    gain_band,
    jackknife_interval,
    kernel_roc,
    loss_interval,
    mann_whitney_test,
    partial_area,
    partial_auc_interval,
    ratio_interval,
    roc_band,
    summary_of_scores,
)
from thresher.measures import measures
from thresher.measures.error_bounds import orders
from thresher.report.render.cards import cards_form
from thresher.results import estimate_columns

PARTS = ("fpr<=0.3", "fpr=0.2:0.7", "tpr>=0.6", "fpr<=0.6,tpr>=0.4", "recall>=0.5", "recall=0.2:0.7")
AT = [
    "recall@fpr=0.3", "specificity@recall=0.7", "fpr@tpr=0.6", "recall@fpr=0.3,interpolated", "precision@recall=0.6",
    "recall@precision=0.6", "f1@specificity=0.5", "npv@recall=0.5", "fnr@fpr=0.4", "f_beta:beta=2@fpr=0.5",
    "mcc@recall=0.5", "precision@top=0.3", "recall@top=50%", "precision@k=4", "recall@k=3", "mutual_information@k=5",
    "precision@recall=0.6,interpolated", "recall@predicted_prevalence=0.5,interpolated",
]  # fmt: skip
PLAIN = [m.name for m in measures("table") if not m.needs_parameters]
GIVEN = [
    "h_measure:distribution=hand_2009", "h_measure:distribution=severity_ratio,severity_ratio=0.4",
    "minimum_weighted_loss:severity_ratio=3", "expected_calibration_error:bins=4", "maximum_calibration_error:bins=3",
]  # fmt: skip
DECISIONS = [m.name for m in measures("cells", "matrix") if not m.needs_parameters]


def _pair(found):
    return float(found.value), found.error_bound


def _of_summary(table):
    return {name: _pair(each) for name, each in summary_of_scores(table).items()}


def _of_part(text):
    def read(table):
        found = partial_area(table, text)
        return {form: _pair(getattr(found, form)) for form in ("raw", "normalized", "corrected")}

    return read


def _of_text(text, threshold=None):
    def read(table):
        return {"": _pair(estimate(Subject.of_counts(table, threshold=threshold), text))}

    return read


def _alone(function, *args, **options):
    return lambda table: {"": _pair(function(table, *args, **options))}


def _of_fields(function, *fields, **options):
    """Numbers of a result, each with the field that has its bound."""

    def read(table):
        found = function(table, **options)
        return {name: (float(getattr(found, name)), getattr(found, bound)) for name, bound in fields}

    return read


def _of_area(make, **options):
    """Area under a curve."""

    def read(table):
        curve = make(table, **options)
        return {"area": (curve.area(), curve.error_bound)}

    return read


def _joined(table):
    return joint_hull({"a": table, "published": (0.2, 0.6)})


def _slid(table, measure="accuracy", **options):
    return slide(_joined(table) if "prevalence" in options else roc_hull(table), measure, **options)


def _of_band(make, **options):
    """Values of a band's curve."""

    def read(table):
        found = make(table, x=np.linspace(0, 1, 23), **options)
        return {str(i): (y, found.error_bound) for i, y in enumerate(found.y.tolist())}

    return read


def _of_folds(curve, how):
    def read(table):
        found = averaged_curve([table, table], curve=curve, how=how)
        mean = found.curve
        return {"area": _pair(found.area)} | (
            {} if mean.area_name is None else {"curve": (mean.area(), mean.error_bound)}
        )

    return read


TESTS = {
    "ks_test": _of_fields(ks_test, ("statistic", "error_bound"), ("p_value", "p_value_bound")),
    **{
        f"mann_whitney_test {method} {side}": _of_fields(
            mann_whitney_test,
            ("estimate", "error_bound"),
            ("p_value", "p_value_bound"),
            method=method,
            alternative=side,
        )
        for method in ("exact", "normal")
        for side in ("two-sided", "greater", "less")
    },
    "pairs": _of_fields(pairs, ("u", "error_bound"), ("rank_sum", "error_bound")),
    "roc_hull": _of_fields(roc_hull, ("area", "error_bound")),
    "joint_hull": _of_fields(_joined, ("area", "error_bound")),
    **{
        f"slide {name} {options}": _of_fields(_slid, ("value", "error_bound"), measure=name, **options)
        for name, options in (
            ("accuracy", {}),
            ("accuracy", {"prevalence": 0.2}),
            ("precision", {"prevalence": 0.7}),
            ("f1", {}),
            ("f_beta", {"beta": 2}),
            ("accuracy", {"costs": Costs(fp=1, fn=4)}),
        )
    },
    "hull curve": _of_area(lambda table: roc_hull(table).curve),
    **{
        f"{make.__name__} {given}": _of_area(make, **given)
        for make, given in (
            (roc_curve, {}),
            (gain_curve, {}),
            (cost_curve, {}),
            (precision_recall_gain_curve, {}),
            (murphy_curve, {}),
            *((precision_recall_curve, {"interpolation": rule}) for rule in ("davis-goadrich", "step", "trapezoid")),
        )
    },
}


def _kernel_curve(table):
    return kernel_roc(table, bandwidth=0.1).curve


def _of_binormal(method):
    def read(table):
        found = binormal_roc(table, method=method)
        return {"area": _pair(found.area), "curve": (found.curve.full_area, found.curve.error_bound)}

    return read


TERMS = ("score", "miscalibration", "discrimination", "uncertainty")
NUMBERS = ("in_the_large", "intercept", "slope", "statistic", "in_the_large_error")


def _of_terms(function, *names, **options):
    """Numbers of a result that have one bound."""
    return _of_fields(function, *((name, "error_bound") for name in names), **options)


def _of_histogram(**options):
    def read(table):
        found = score_histogram(table, **options)
        return {str(i): (count, found.error_bound) for i, count in enumerate(found.positive.tolist())}

    return read


READS = {
    **TESTS,
    "decomposition": _of_terms(decomposition, *TERMS),
    "decomposition log": _of_terms(decomposition, *TERMS, loss="log"),
    "binned_decomposition": _of_terms(binned_decomposition, "score", "reliability", "resolution", "within"),
    "cox_calibration": _of_terms(cox_calibration, *NUMBERS),
    "delong_variance": _of_terms(delong_variance, "auc", "variance"),
    "score_histogram": _of_histogram(bins=3),
    "kernel_roc": lambda table: {"": _pair(kernel_roc(table).area)},
    "kernel_roc curve": _of_area(_kernel_curve),
    "roc_band": _of_band(roc_band, kind="kolmogorov"),
    "gain_band": _of_band(gain_band, config=Bootstrap(n=9)),
    **{
        f"averaged_curve {curve} {how}": _of_folds(curve, how)
        for curve in ("roc", "precision_recall")
        for how in ("vertical", "threshold", "pooled")
    },
    "averaged_curve roc horizontal": _of_folds("roc", "horizontal"),
    **{f"binormal_roc {m}": _of_binormal(m) for m in ("likelihood", "deviates")},
    **{
        f"{interval.__name__} {n}": _alone(interval, n, **given)
        for n in (
            "auc",
            "calibration_slope",
            "average_precision",
            "brier_score",
            "expected_calibration_error",
            "log_loss",
        )
        for interval, given in ((bootstrap_interval, {"config": Bootstrap(n=5)}), (jackknife_interval, {}))
    },
    "bootstrap_interval RocAt": _alone(bootstrap_interval, RocAt(0.3), config=Bootstrap(n=5)),
    **{
        f"jackknife_interval {name}": _alone(jackknife_interval, statistic, **given)
        for name, statistic, given in (
            ("at edge", "recall", {"threshold": 0.5}),
            ("inside", "recall", {"threshold": 0.6}),
            ("RocAt", RocAt(0.3), {}),
            ("BestF1", BestF1(), {}),
            ("own", lambda table: float(table.P), {}),
        )
    },
    "summary": _of_summary,
    **{part: _of_part(part) for part in PARTS},
    **{f"estimate {part}": _of_text(part) for part in PARTS},
    **{text: _of_text(text) for text in (*AT, *GIVEN)},
    **{f"estimate {name}": _of_text(name) for name in PLAIN},
    **{f"{name} at 0.55": _of_text(name, 0.55) for name in DECISIONS},
    "partial_auc_interval": _alone(partial_auc_interval, fpr_range=(0.1, 0.6)),
    "partial_auc_interval of recall": _alone(partial_auc_interval, tpr_range=(0.5, 1), corrected=True),
    "auc_interval": _alone(auc_interval),
    "delong_interval": _alone(delong_interval),
    "average_precision_interval": _alone(average_precision_interval),
    "difference_interval": _alone(difference_interval),
    "ratio_interval": _alone(ratio_interval),
    **{f"loss_interval {n}": _alone(loss_interval, n) for n in ("brier_score", "log_loss", "root_brier_score")},
    **{f"estimate_of_scores {n}": _alone(estimate_of_scores, n) for n in PLAIN},
    "estimate_of_scores with bins": _alone(estimate_of_scores, "expected_calibration_error", bins=4),
    **{f"h_measure {d}": _alone(h_measure, distribution=d) for d in ("hand_2009", "severity_ratio")},
    "value_at": _alone(value_at, "recall", at="fpr", value=0.3),
    "value_at best": _alone(value_at, "fpr", at="recall", value=0.6, rule="best"),
    "value_at of precision": _alone(value_at, "precision", at="recall", value=0.6),
}
"""How to get the numbers of a table, each with its bound, by what they are called."""

NOT_KNOWN = {
    *(m.name for m in measures("table") if m.fitted), "log_loss", "value_at of precision",
    *(m.name for m in measures("cells", "matrix") if math.inf in m.bounds),
    "precision@recall=0.6,interpolated", "recall@predicted_prevalence=0.5,interpolated",
    "decomposition log", "binned_decomposition", "cox_calibration", "delong_variance", "score_histogram", "kernel_roc",
    "binormal_roc", "inside", "own",
}  # fmt: skip
"""What is said to have no bound that is known; a loss without the sums of losses may be infinite."""


@pytest.fixture(autouse=True)
def _few(monkeypatch):
    """Decisions at a threshold inside of a bin are withheld where it has more than a few rows, as here all have."""
    monkeypatch.setattr("thresher.counts.hidden.FEW", 1.0)


@pytest.mark.parametrize("name", READS)
def test_no_placement_of_the_rows_is_beyond_the_bound(name):
    for seed, table in TABLES.items():
        found = READS[name](table)
        for number, (value, bound) in found.items():
            assert bound is not None, "a number of bins is not called exact"
            assert bound < math.inf or math.isnan(value) or NOT_KNOWN & {*name.split(), number, name}, (name, number)
        for rows in REFINED[seed]:
            for number, (true, exact) in READS[name](rows).items():
                value, bound = found[number]
                assert exact is None
                if value != true and not (math.isnan(value) and math.isnan(true)):
                    off = 0.0 if bound == math.inf else abs(value - true)
                    assert off <= bound * (1 + 1e-9) + 1e-12, (name, number, seed, value, true, bound)


def test_no_bound_is_rounded_down():
    """An AUC known to ±0.0124 was said to be known to ±0.012."""
    number = r"([-.e\d]*\d)"
    said = re.compile(f"up to {number} wide.*ROC AUC ±{number}.*AUC known to ±{number}")
    for seed, few in TABLES.items():
        table = replace(few, positive=1000 * few.positive + seed)
        counts = Counts(groups={(): {"s": table}})
        notes = " ".join(th.evaluate(counts).notes)
        width, area, again = map(float, said.search(f"{notes} {known_to(table)}").groups())
        assert area == again >= table.error_bound
        assert width >= table.widths.max()


def test_bounds_end_where_the_range_of_the_measure_does():
    table = TABLES[0]
    for name in ("expected_calibration_error", "maximum_calibration_error"):
        found = estimate_of_scores(table, name)
        assert found.error_bound <= max(found.value, 1 - found.value)


def test_what_is_undefined_in_one_order_only_has_no_bound():
    """It was said to be exact."""
    table = replace(TABLES[0], positive=np.array([0, 0, 0, 1, 1, 0]), negative=np.array([0, 0, 1, 2, 0, 1]))
    found = estimate(Subject.of_counts(table), "recall@precision=0.9")
    assert (math.isnan(found.value), found.error_bound) == (True, math.inf)


def test_net_benefits_between_edges_are_known_to_what_their_notes_say():
    for seed, table in TABLES.items():
        curve = decision_curve(table)
        (said,) = [float(note.split("±")[1].split()[0]) for note in curve.notes if "net benefits" in note]
        worst = max(float(np.abs(decision_curve(rows).y - curve.y).max()) for rows in REFINED[seed])
        assert worst <= said
        assert not any("net benefits" in note for note in decision_curve(REFINED[seed][0]).notes)


@pytest.mark.parametrize("make", [gain_curve, cost_curve, precision_recall_gain_curve])
def test_the_bound_of_an_area_is_reached_by_the_best_or_the_worst_order(make):
    rng = np.random.default_rng(0)
    for _ in range(100):
        scores = np.array([0.8, 0.75, 0.5, 0.25, 0.2, 0.1])
        positive, negative = rng.integers(0, 4, (2, 6)) + np.eye(6, dtype=int)[rng.integers(0, 6, 2)]
        widths = np.where(rng.random(6) < 0.6, [0.0625, 0.05, 0.25, 0.25, 0.05, 0.1], 0.0)
        prior = rng.choice([None, 0.1, 0.7])
        table = ScoreTable(scores=scores, positive=positive, negative=negative, binned=True, widths=widths, prior=prior)
        curve, found = make(table), orders(table)
        farthest = max(abs(make(each).area() - curve.area()) for each in (found.best, found.worst))
        assert curve.error_bound == pytest.approx(farthest, abs=1e-12)


def test_a_thinned_curve_has_the_bound_of_the_whole():
    """To ask for a few points of the curve of gains of bins was refused, as their area is not known."""
    for make in (gain_curve, precision_recall_gain_curve, roc_curve, precision_recall_curve):
        thin, whole = make(TABLES[0], keep=2), make(TABLES[0])
        assert (thin.is_thinned, thin.error_bound) == (True, whole.error_bound)


def test_tables_of_numbers_have_their_bounds(tmp_path):
    """CSV and dataframes had the numbers alone."""
    evaluation = th.evaluate(Counts(groups={(): {"s": TABLES[0]}}))
    model = evaluation["s"]
    evaluation.report(tmp_path / "r.csv")
    rows = {row["measure"]: row for row in csv.DictReader((tmp_path / "r.csv").read_text("utf-8").splitlines())}
    assert model.auc.error_bound > 0
    for name in ("auc", "log_loss", "accuracy"):
        assert float(rows[name]["error_bound"]) == model.measures[name].error_bound
    chosen = [row["error_bound"] for row in csv.DictReader(cards_form([model.choose("f1")], "csv").splitlines())]
    assert float(chosen[0]) == model.choose("f1").error_bound
    assert estimate_columns([model.auc])["error_bound"] == [model.auc.error_bound]


@pytest.mark.peer
def test_frames_of_tests_have_their_bounds():
    found = mann_whitney_test(TABLES[0])
    frame = found.to_frame("pandas")
    assert (frame["error_bound"][0], frame["p_value_bound"][0]) == (found.error_bound, found.p_value_bound)


WIDE = ScoreTable(
    scores=np.array([0.875, 0.625, 0.375, 0.3125, 0.25, 0.0625]), positive=np.array([2, 1, 0, 3, 2, 2]),
    negative=np.array([1, 1, 2, 1, 3, 3]), binned=True, widths=np.array([0.0625, 0, 0.0625, 0, 0.0625, 0]),
)  # fmt: skip


@pytest.mark.parametrize("text", [text for text in AT if "@top" in text or "@k" in text])
def test_budgets_are_of_rows_at_the_prevalence_of_the_table(text):
    """The cut was looked for among the rows as counted, and a bin that the budget ends in was then said to be none."""
    for prior in (None, 0.02, 0.1, 0.9):
        table = replace(WIDE, prior=prior)
        found = estimate(Subject.of_counts(table), text)
        for rows in placements(table):
            true = estimate(Subject.of_counts(rows), text).value
            alike = math.isnan(true) and math.isnan(found.value)
            assert alike or found.error_bound == math.inf or abs(true - found.value) <= found.error_bound + 1e-12
    table = replace(WIDE, prior=0.1)
    assert estimate(Subject.of_counts(table), "recall@top=50%").error_bound >= 0.1
    nothing = estimate(Subject.of_counts(table), "precision@k=2")
    assert (math.isnan(nothing.value), nothing.error_bound) == (True, math.inf)


def test_pairs_of_one_class_are_none():
    """Those inside of bins were said to be nan."""
    found = pairs(replace(TABLES[0], negative=np.zeros(6, np.int64)))
    assert (found.total, found.error_bound, "nan" in str(found).split("\n\n")[0]) == (0, 0.0, False)


@pytest.mark.parametrize(
    "make", [roc_hull, _joined, _slid, lambda table: dominance(table, table), roc_curve, pairs,
             ks_test, h_measure, murphy_curve, lambda table: choose(table, "youden"),
             lambda table: reject_option(table, accuracy=0.9)],
)  # fmt: skip
def test_dictionaries_have_the_bounds_of_their_numbers(make):
    found = make(TABLES[0]).to_dict()
    assert found["error_bound"] > 0
    unknown = make(replace(TABLES[0], widths=None)).to_dict()
    assert unknown["error_bound"] or "error_bound is infinite (+∞)" in unknown["reason"]
    assert "error_bound" not in make(REFINED[0][0]).to_dict()
