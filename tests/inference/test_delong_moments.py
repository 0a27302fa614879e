"""DeLong's comparison from moments of placements: as of the rows, and from bins within their bound."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.counts import ScoreTable
from thresher.counts.pairs import Placing
from thresher.errors import OptionError
from thresher.inference.auc.delong_rows import PlacedMoments, placed_rows
from thresher.inference.auc.delong_tests import paired_difference
from thresher.inference.auc.score_tests import paired_auc_difference

MODELS = ("a", "b", "c")
tied = st.integers(-3, 6).map(lambda i: i / 4)
some_rows = st.lists(st.tuples(st.integers(0, 1), tied, tied, tied, st.integers(1, 3)), min_size=4, max_size=30)


def placed(truth, scores, weights, tables, parts=2):
    placing = Placing(tables)
    for rows in np.array_split(np.arange(truth.size), parts):
        placing.add(
            truth[rows], {name: s[rows] for name, s in scores.items()}, None if weights is None else weights[rows]
        )
    return PlacedMoments(placing.moments())


@given(some_rows, st.booleans(), st.sampled_from(["higher", "lower"]))
def test_moments_give_what_the_rows_give(found, weighted, direction):
    truth = np.array([row[0] for row in found], dtype=np.uint8)
    scores = {name: np.array([row[i + 1] for row in found]) for i, name in enumerate(MODELS)}
    weights = np.array([row[4] for row in found], dtype=float) if weighted else None
    options = {"weights": weights, "weight_kind": "frequency", "direction": direction}
    tables = {name: ScoreTable.from_scores(truth, s, **options) for name, s in scores.items()}
    rows, moments = placed_rows(truth, list(scores.values()), **options), placed(truth, scores, weights, tables)
    assert (moments.reason() is None) == (rows.reason() is None)
    if rows.reason() is not None:
        return
    for i in range(3):
        assert moments.auc(i) == pytest.approx(rows.auc(i), abs=1e-12)
        for j in range(3):
            assert np.array(moments.covariances(i, j)) == pytest.approx(np.array(rows.covariances(i, j)), abs=1e-12)
            for test in (paired_auc_difference, paired_difference):
                one, two = test(moments, i, j), test(rows, i, j)
                assert one.value == pytest.approx(two.value, abs=1e-12)
                if "alike" not in one.method + two.method:
                    assert one.p("two-sided") == pytest.approx(two.p("two-sided"), abs=1e-6, nan_ok=True)


def files(tmp_path, n=3000):
    rng = np.random.default_rng(2)
    truth = (rng.random(n) < 0.3).astype(int)
    score = {name: np.clip(rng.normal(0.3 + lift * truth, 0.15), 0, 1) for name, lift in zip("abc", (0.2, 0.17, 0.1))}  # noqa: B905
    lines = ["y,a,b,c", *(",".join(map(str, row)) for row in zip(truth, *score.values(), strict=True))]
    (tmp_path / "rows.csv").write_text("\n".join(lines))
    return str(tmp_path / "rows.csv"), {"y": truth, **score}


@pytest.mark.slow
@pytest.mark.parametrize("tolerance", [0, 1e-3])
def test_a_file_is_compared_without_its_rows(tmp_path, monkeypatch, tolerance):
    monkeypatch.setattr("thresher.evaluation.group_tables.EXACT_ROWS", 64)
    monkeypatch.setattr("thresher.evaluation.group_tables.BINS", 1024)
    monkeypatch.setattr("thresher.evaluation.group_tables.LEAST", 64)
    monkeypatch.setattr("thresher.engines.parts.ROWS", 500)
    path, rows = files(tmp_path)
    counts = th.count(path, ["a", "b", "c"], label="y", tolerance=tolerance, pairs=True, thresholds=[0.37])
    assert counts["a"].binned == (tolerance > 0)
    exact = th.evaluate(rows, label="y", scores=["a", "b", "c"]).compare()
    found = th.evaluate(counts).compare()
    assert [item.models for item in found] == [item.models for item in exact]
    for one, two in zip(found, exact, strict=True):
        bound = sum(float(counts[name].error_bound) for name in one.models)
        assert abs(one.difference - two.difference) <= bound + 1e-12
        assert one.standard_error == pytest.approx(two.standard_error, rel=1e-2 if tolerance else 1e-9)
        assert one.method == two.method
        assert ("scores are in bins" in one.assumptions) == (tolerance > 0)
    assert th.evaluate(counts, ["a", "b"]).compare("a", "b").difference == found[0].difference
    assert th.evaluate(counts).to_dict()["comparisons"]
    counts.save(tmp_path / "c.parquet")
    assert th.Counts.load(tmp_path / "c.parquet").pairs == counts.pairs
    twice = (counts + counts).pairs
    assert twice.totals.tolist() == (2 * counts.pairs.totals).tolist()


def test_what_needs_the_rows_is_refused(tmp_path):
    path, _ = files(tmp_path, 200)
    found = th.evaluate(th.count(path, ["a", "b"], label="y", pairs=True))
    for options in (
        {"measure": "brier_score", "test": "delong"},
        {"bootstrap": 10},
        {"measure": "recall@fpr=0.1"},
        {"test": "venkatraman"},
    ):
        with pytest.raises(OptionError, match="needs the rows"):
            found.compare("a", "b", **options)
    groups = th.evaluate(th.count({"y": [1, 0] * 6, "a": range(12), "b": range(12, 0, -1), "g": ["x", "z"] * 6},
                                  ["a", "b"], label="y", by="g", pairs=True))  # fmt: skip
    assert groups.compare("a", "b").p_value >= 0


def test_damaged_moments_are_refused(tmp_path):
    from thresher.counts.pairs import moments_form, moments_from
    from thresher.errors import InputError

    path, _ = files(tmp_path, 200)
    form = moments_form(th.count(path, ["a", "b"], label="y", pairs=True).pairs)
    assert moments_from(None, ("a", "b")) is None
    for change in ({"names": ["a"]}, {"first": ["0x1"]}, {"totals": ["nan", "0x1p0"]}, {"second": None},
                   {"sums": {}}, {"sums": form["sums"] | {"first": ["-0x1p0"] * 6}},
                   {"sums": form["sums"] | {"cuts": [["c", "0x1p0"]] * 2}}):  # fmt: skip
        with pytest.raises(InputError, match=r"its (placements|sums of pairs)"):
            moments_from(form | change, ("a", "b"))


@given(st.lists(st.tuples(st.integers(0, 1), tied, tied), min_size=4, max_size=30))
def test_covariances_of_rows_that_count_once_are_rounded_once(found):
    table = np.array(found)
    truth, scores = table[:, 0].astype(np.uint8), [table[:, 1], table[:, 2]]
    rows = placed_rows(truth, scores)
    if rows.reason() is not None:
        return
    ranks = [[Fraction(0)] * truth.size for _ in scores]
    for k, score in enumerate(scores):
        for i in range(truth.size):
            others = np.flatnonzero(truth != truth[i])
            over = [Fraction(2 * int(score[i] > score[j]) + int(score[i] == score[j]), 2) for j in others]
            share = sum(over) / len(others)
            ranks[k][i] = share if truth[i] else 1 - share
    for side, covariances in zip((1, 0), rows.covariances(0, 1), strict=True):
        members = np.flatnonzero(truth == side)
        n = len(members)
        means = [sum(rank[i] for i in members) / n for rank in ranks]
        for k in range(2):
            for m in range(2):
                products = sum((ranks[k][i] - means[k]) * (ranks[m][i] - means[m]) for i in members)
                assert covariances[k, m] == float(products / n / (n - 1))
