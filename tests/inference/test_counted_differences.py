"""Differences of losses and decisions from sums over counted rows: those of the rows themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher import gate
from thresher.errors import OptionError, TaskError
from thresher.evaluation import counting
from thresher.evaluation.intervals import side_of
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.sample import cells_drawn
from thresher.inference.comparing import resampled_bins as by_bins
from thresher.inference.comparing.compare import Question
from thresher.measures import average_precision
from thresher.watched import watched

MEASURES = (
    "brier_score", "log_loss", "mean_score", "accuracy", "error_rate", "recall", "specificity", "fpr",
    "false_negative_rate", "auc", "gini",
)  # fmt: skip
share = st.integers(0, 8).map(lambda i: i / 8)
some_rows = st.lists(st.tuples(st.integers(0, 1), share, share, st.integers(1, 3)), min_size=4, max_size=25)


def same(one, two):
    for name in ("difference", "low", "high", "p_value", "standard_error"):
        ours, theirs = getattr(one, name), getattr(two, name)
        assert (ours is None) == (theirs is None), (one.measure, name)
        if ours is not None:
            assert ours == pytest.approx(theirs, abs=1e-7, nan_ok=True), (one.measure, name)
    assert (one.method, one.n, one.is_defined) == (two.method, two.n, two.is_defined)


@given(some_rows, st.booleans())
def test_counts_compare_as_the_rows_do(found, weighted):
    y, a, b, w = (list(column) for column in zip(*found, strict=True))
    if len(set(y)) < 2:
        y[0] = 1 - y[0]
    rows = {"y": y, "a": a, "b": b, "w": w}
    options = {"label": "y"} | ({"weights": "w", "weight_kind": "frequency"} if weighted else {})
    exact = th.evaluate(rows, scores=["a", "b"], threshold={"a": 0.5, "b": 0.375}, **options)
    counts = th.count(rows, ["a", "b"], pairs=True, thresholds={"a": [0.9, 0.5], "b": [0.375]}, **options)
    counted = th.evaluate(counts, threshold={"a": 0.5, "b": 0.375})
    for measure in MEASURES:
        one, two = counted.compare("a", "b", measure=measure), exact.compare("a", "b", measure=measure)
        if "alike" not in one.method + two.method:
            same(one, two)
    for test in ("mcnemar-exact", "means"):
        same(*(each.compare("a", "b", measure="accuracy", test=test) for each in (counted, exact)))


def columns(n=1500):
    rng = np.random.default_rng(8)
    y = (rng.random(n) < 0.4).astype(int)
    scores = {name: 1 / (1 + np.exp(-rng.normal(lift * y, 1.0))) for name, lift in (("a", 0.9), ("b", 1.0), ("c", 0.8))}
    return {"y": y, **scores}


@pytest.fixture(scope="module")
def binned():
    """Rows with three scores, and their counts in bins."""
    rows = columns()
    with pytest.MonkeyPatch.context() as patch:
        for name, size in (("EXACT_ROWS", 64), ("BINS", 512), ("LEAST", 64)):
            patch.setattr(f"thresher.evaluation.group_tables.{name}", size)
        patch.setattr(counting, "PASSES", 0)
        return rows, th.count(rows, ["a", "b", "c"], label="y", tolerance=1e-2, pairs=True)


@pytest.mark.slow
def test_a_report_of_bins_compares_what_one_of_rows_does(binned, tmp_path):
    rows, counts = binned
    exact = th.evaluate(rows, scores=["a", "b", "c"], label="y").to_dict()["comparisons"]
    counts.save(tmp_path / "c.parquet")
    for each in (counts, th.Counts.load(tmp_path / "c.parquet")):
        found = th.evaluate(each).to_dict()["comparisons"]
        assert [(c["measure"], c["models"]) for c in found] == [(c["measure"], c["models"]) for c in exact]
        for one, two in zip(found, exact, strict=True):
            if one["measure"] != "auc":
                assert one["difference"] == pytest.approx(two["difference"], abs=1e-9)
                assert one["p_value"] == pytest.approx(two["p_value"], abs=1e-7)
                assert "bins" not in one["assumptions"]
    assert counts.of_scores(["c", "a"]).pairs.sums.cuts == (("a", 0.5), ("c", 0.5))


def test_a_gate_compares_counts_by_their_pairs(binned):
    """It took the rows that stand for two scores' bins as the same rows, and said what was far too sure."""
    rows, counts = binned
    exact, found = th.evaluate(rows, scores=["a", "b", "c"], label="y"), th.evaluate(counts)
    for text in ("auc=0.01", "brier_score=0.001", "accuracy=0.01"):
        one, two = (gate.no_drop(each["c"], each["b"], gate.limit(text)) for each in (found, exact))
        assert (one.low, one.high) == pytest.approx((two.low, two.high), abs=0.01)
        assert one.passed == two.passed
    assert gate.no_drop(found["c"], found["b"], gate.limit("expected_calibration_error=0.01")).passed is not None
    with pytest.raises(OptionError, match=r"decisions; recall at false positive rate 0.1 needs the rows"):
        found.compare("c", "b", measure="recall@fpr=0.1")
    apart = th.evaluate(th.count(rows, ["b", "c"], label="y"))
    with pytest.raises(OptionError, match="do not say which values of two scores belong to one row"):
        gate.no_drop(apart["c"], apart["b"], gate.limit("auc=0.01"))


def test_a_threshold_that_was_not_counted_is_said():
    rows = columns(60)
    found = th.evaluate(th.count(rows, ["a", "b"], label="y", pairs=True), threshold=0.3)
    compared = found.compare("a", "b", measure="accuracy")
    assert not compared.is_defined
    assert "its decisions at 0.3 were not counted together with those of other scores, but at 0.5" in compared.reason


def test_scores_that_are_no_probabilities_have_no_losses():
    rows = {"y": [0, 1, 0, 1], "a": [0.1, 0.2, 0.3, 1.5], "b": [0.1, 0.9, 0.3, 0.8]}
    found = th.evaluate(th.count(rows, ["a", "b"], label="y", pairs=True), threshold=0.5)
    with pytest.raises(TaskError, match="needs probabilities"):
        found.compare("a", "b", measure="brier_score")
    assert {c["measure"] for c in found.to_dict()["comparisons"]} <= {"auc", "accuracy"}
    certain = th.count({"y": [0, 1, 0, 1], "a": [0, 0, 1, 1], "b": [0, 1, 0.3, 0.8]}, ["a", "b"], label="y", pairs=True)
    assert "infinite" in th.evaluate(certain).compare("a", "b", measure="log_loss").reason


def test_measures_of_ranking_are_compared_by_resamples_of_counts(binned):
    """The same bins of both scores, drawn within each class, scatter as the rows do."""
    rows, counts = binned
    exact, found = th.evaluate(rows, scores=["a", "b", "c"], label="y"), th.evaluate(counts)
    for measure in ("average_precision", "ks_statistic"):
        one, two = (each.compare("a", "b", measure=measure, bootstrap=200) for each in (exact, found))
        assert two.method == "paired bootstrap percentile, 200 replicates of rows of each class, by bins of both " + (
            "scores, seed 0"
        )
        assert two.standard_error == pytest.approx(one.standard_error, rel=0.25)
        assert two.difference == pytest.approx(one.difference, abs=0.01)
        turned = found.compare("b", "a", measure=measure)
        assert turned.difference == -two.difference
        assert turned.standard_error == pytest.approx(two.standard_error, rel=0.25)
    sums = th.evaluate(counts + counts).compare("a", "b", measure="average_precision")
    assert sums.standard_error < found.compare("a", "b", measure="average_precision").standard_error
    assert found.compare("a", "b", measure="average_precision") == found.compare("a", "b", measure="average_precision")


def test_decisions_are_compared_by_resamples_of_how_both_decide():
    rows = columns(400)
    how = {"label": "y", "scores": ["a", "b"], "threshold": 0.5}
    exact = th.evaluate(rows, **how)
    found = th.evaluate(th.count(rows, ["a", "b"], label="y", pairs=True), threshold=0.5)
    draws, places = np.random.default_rng(2), [np.flatnonzero(rows["y"] == side) for side in (0, 1)]
    for measure, formula in (("f1", f1), ("precision", lambda tp, fp, _: tp / (tp + fp))):
        one, two = (each.compare("a", "b", measure=measure, bootstrap=2000) for each in (exact, found))
        assert two.difference == pytest.approx(one.difference, abs=1e-15)
        drawn = []
        for _ in range(200):
            some = np.concatenate([draws.choice(side, side.size) for side in places])
            y, decided = rows["y"][some], [rows[name][some] >= 0.5 for name in "ab"]
            cells = [((each & (y == 1)).sum(), (each & (y == 0)).sum(), y.sum()) for each in decided]
            drawn.append(formula(*cells[0]) - formula(*cells[1]))
        assert two.standard_error == pytest.approx(np.std(drawn, ddof=1), rel=0.25)


def test_cells_that_are_drawn_scatter_as_rows_do_and_as_poisson_counts_of_rows():
    """Shares of cells: multinomial, drawn row by row, and by independent counts of each row's own."""
    draws, cell, n = np.random.default_rng(4), np.repeat(np.arange(4), (3, 9, 12, 26)), 4000
    of_cell, share = np.eye(4)[cell], np.bincount(cell) / cell.size
    by_row = np.stack([np.bincount(row, minlength=4) for row in cell[draws.integers(0, cell.size, (n, cell.size))]])
    poisson = draws.poisson(1.0, (n, cell.size)) @ of_cell
    found = cells_drawn(draws, np.bincount(cell).reshape(2, 2), n).reshape(n, 4)
    expected = (np.diag(share) - np.outer(share, share)) / cell.size
    for each in (by_row, poisson, found):
        shares = each / each.sum(axis=1, keepdims=True)
        assert shares.mean(axis=0) == pytest.approx(share, abs=4 * np.sqrt(expected.max() / n))
        assert np.cov(shares.T) == pytest.approx(expected, rel=0, abs=0.1 * expected.max())


def test_a_weight_is_as_many_rows_and_as_many_draws():
    rows, weights = columns(200), np.random.default_rng(1).integers(1, 4, 200)
    options = {"label": "y", "pairs": True}
    weighted = th.count({**rows, "w": weights}, ["a", "b"], weights="w", weight_kind="frequency", **options)
    repeated = th.count({name: np.repeat(values, weights) for name, values in rows.items()}, ["a", "b"], **options)
    for measure in ("average_precision", "f1", "calibration_difference"):
        one, two = (th.evaluate(each).compare("a", "b", measure=measure, bootstrap=20) for each in (weighted, repeated))
        assert (one.low, one.high, one.p_value) == pytest.approx((two.low, two.high, two.p_value), abs=1e-12)


def test_measures_of_probabilities_are_compared_by_resamples_of_counts(binned):
    rows, counts = binned
    y, scores = rows["y"], np.stack([rows["a"], rows["b"]])
    draws, places = np.random.default_rng(3), [np.flatnonzero(y == side) for side in (0, 1)]
    some = np.concatenate([draws.choice(side, (400, side.size)) for side in places], axis=1)
    score, truth = scores[:, some], y[some]
    brier = ((score - truth) ** 2).mean(axis=-1)
    expected = {
        "root_brier_score": np.sqrt(brier),
        "observed_expected_ratio": truth.mean(axis=-1) / score.mean(axis=-1),
    }
    observed = {
        "root_brier_score": np.sqrt(((scores - y) ** 2).mean(axis=1)),
        "observed_expected_ratio": y.mean() / scores.mean(axis=1),
    }
    found = th.evaluate(counts)
    for measure, (one, two) in expected.items():
        each = found.compare("a", "b", measure=measure)
        assert each.standard_error == pytest.approx(np.std(one - two, ddof=1), rel=0.2), measure
        assert each.difference == pytest.approx(np.subtract(*observed[measure]), abs=1e-9), measure
        assert each.method.endswith("by bins of both scores, seed 0")


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["expected_calibration_error", "calibration_slope"])
def test_calibration_scatters_by_bins_as_by_rows(measure):
    rows = columns(800)
    exact, found = (
        th.evaluate(each, **options).compare("a", "b", measure=measure, bootstrap=120)
        for each, options in (
            (rows, {"scores": ["a", "b"], "label": "y"}),
            (th.count(rows, ["a", "b"], label="y", pairs=True), {}),
        )
    )
    assert found.difference == pytest.approx(exact.difference, abs=1e-9)
    assert found.standard_error == pytest.approx(exact.standard_error, rel=0.3)


def f1(tp, fp, p):
    return 2 * tp / (tp + fp + p)


@pytest.mark.slow
@pytest.mark.parametrize("prevalence", [0.5, 0.05])
def test_intervals_of_resampled_counts_cover(prevalence):
    """Average precision of two scores of 800 rows, 40 rounds: at least 95 % less three standard errors."""
    draws, held = np.random.default_rng(9), 0

    def rows(n):
        y = (draws.random(n) < prevalence).astype(int)
        shared = draws.normal(size=n)
        return {"y": y} | {name: shared + draws.normal(lift * y, 0.7) for name, lift in (("a", 1.4), ("b", 1.1))}

    def difference(found):
        tables = (th.ScoreTable.from_scores(found["y"], found[name]) for name in "ab")
        one, two = (average_precision(table) for table in tables)
        return one - two

    truth = difference(rows(300_000))
    for _ in range(40):
        found = th.evaluate(th.count(rows(800), ["a", "b"], label="y", pairs=True)).compare(
            "a", "b", measure="average_precision"
        )
        held += found.low <= truth <= found.high
    assert held / 40 >= 0.95 - 3 * (0.95 * 0.05 / 40) ** 0.5


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("weighted", [False, True])
def test_many_rows_are_drawn_by_cells_of_both_scores(direction, weighted, monkeypatch):
    """With few scores a cell has two, and every replicate is one of the rows."""
    found = columns(300) | {"w": np.random.default_rng(1).integers(1, 4, 300)}
    found |= {name: np.round(found[name], 1) for name in "ab"}
    options = {"weights": "w", "weight_kind": "frequency"} if weighted else {}
    ev = th.evaluate(found, ["a", "b"], label="y", direction=direction, threshold=0.5, **options)
    seen = []
    drawn_counts = by_bins._drawn_counts
    monkeypatch.setattr(by_bins, "_drawn_counts", lambda *given: (seen.append(c) or c for c in drawn_counts(*given)))
    wanted = Question.of("average_precision", level=0.95, rng=0).wanted
    values, said = by_bins.values_by_cells(side_of(ev["a"]), side_of(ev["b"]), wanted, Bootstrap(n=50))
    assert said == "50 replicates of rows of each class, by bins of both scores, seed 0"
    scores = [np.unique(found[name]) for name in "ab"]
    scores = [each[::-1] if direction == "higher" else each for each in scores]
    for counts, pair in zip(np.concatenate(seen), values, strict=True):
        assert counts.sum(axis=(1, 2)).tolist() == list(ev.class_counts.values())
        label, one, two = (each.ravel() for each in np.indices(counts.shape))
        for at, score, value in ((one, scores[0], pair[0]), (two, scores[1], pair[1])):
            table = th.ScoreTable.from_scores(
                1 - label, score[at], weights=counts.ravel(), weight_kind="frequency", direction=direction
            )
            assert value == pytest.approx(float(average_precision(table)))


@pytest.mark.parametrize("measure", ["ks_statistic", "h_measure"])
def test_whoever_watches_is_told_of_resamples_of_cells(measure, monkeypatch):
    """Ten million rows took eight seconds in silence."""
    monkeypatch.setattr(by_bins, "MANY", 1000)
    told: list[tuple[int, int]] = []
    with watched(lambda *done: told.append(done)):
        th.evaluate(columns(), ["a", "b"], label="y").compare("a", "b", measure=measure)
    assert len(told) >= 10
    assert told[-1] == (500, 500)


def test_many_rows_are_compared_as_fewer_are(monkeypatch):
    found = columns(4000)
    ev = th.evaluate(found, ["a", "b"], label="y", threshold=0.5)
    for measure in ("average_precision", "ks_statistic", "h_measure"):
        few = ev.compare("a", "b", measure=measure)
        with monkeypatch.context() as patch:
            patch.setattr(by_bins, "MANY", 1000)
            many = ev.compare("a", "b", measure=measure)
            asked = ev.compare("a", "b", measure=measure, bootstrap=100)
        assert many.difference == few.difference
        assert many.high - many.low == pytest.approx(few.high - few.low, rel=0.15)
        assert "replicates of rows of each class, by bins of both scores" in many.method
        assert "by bins" not in few.method + asked.method
    clustered = th.evaluate(found | {"of": np.arange(4000) // 4}, ["a", "b"], label="y", cluster="of", threshold=0.5)
    monkeypatch.setattr(by_bins, "MANY", 1000)
    assert "by bins" not in clustered.compare("a", "b", measure="average_precision").method
