"""A threshold meets scores in their own precision: decimals against float32 and float16, in every form and command."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from thresher.conventions import in_precision, is_positive
from thresher.counts import ScoreTable
from thresher.decisions.rules import ScoreRule

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
pytestmark = pytest.mark.peer

RNG = np.random.default_rng(6)
DECIMALS = RNG.integers(0, 11, 400) / 10
TRUTH = (RNG.random(400) < 0.2 + 0.6 * DECIMALS).astype(int)
SINGLE = DECIMALS.astype(np.float32)
HALF = DECIMALS.astype(np.float16)
CUTS = (0.1, 0.2, 0.3, 0.6, 0.7, 0.9)


def matrix(score: Any, cut: float, direction: str = "higher") -> list[list[int]]:
    """By NumPy, which compares in the type of the array."""
    yes = score >= cut if direction == "higher" else score <= cut
    return [[int((yes & (t == TRUTH)).sum()), int((~yes & (t == TRUTH)).sum())] for t in (1, 0)]


def forms(folder: Path, score: Any) -> dict[str, Any]:
    polars = pl.DataFrame({"y": TRUTH, "s": score.astype(np.float32) if score.dtype == np.float16 else score})
    polars.write_parquet(folder / "rows.parquet")
    polars.write_csv(folder / "rows.csv")
    polars.write_ndjson(folder / "rows.jsonl")
    pandas = pd.DataFrame({"y": TRUTH, "s": score})
    found = {"pandas": pandas, "dictionary": {"y": TRUTH, "s": score}, "polars": polars, "lazy": polars.lazy(),
             "arrow": pa.table({"y": TRUTH, "s": score}), "parquet": str(folder / "rows.parquet")}  # fmt: skip
    texts = {name: str(folder / f"rows.{name}") for name in ("csv", "jsonl")}
    return found if score.dtype == np.float16 else found | texts


@pytest.mark.parametrize("score", [SINGLE, HALF, DECIMALS], ids=["float32", "float16", "float64"])
@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_every_form_decides_as_numpy_does(tmp_path: Path, score: Any, direction: str) -> None:
    for form, data in forms(tmp_path, score).items():
        model = th.evaluate(data, label="y", scores="s", direction=direction)["s"]
        for cut in CUTS:
            expected = matrix(score, cut, direction)
            assert model.at(cut).counts.tolist() == expected, (form, cut)
            assert model.scores.at(cut).counts.tolist() == expected, (form, cut)
            assert model.table.at(cut).counts.tolist() == expected, (form, cut)
            given = th.evaluate(data, label="y", scores="s", direction=direction, threshold=cut)["s"]
            assert given.confusion_matrix.counts.tolist() == expected, (form, cut)


def test_counts_and_saved_counts_do_too(tmp_path: Path) -> None:
    for form, data in forms(tmp_path, SINGLE).items():
        found = th.count(data, label="y", scores="s", thresholds=[0.7])
        found.save(tmp_path / "counts.parquet")
        for counts in (found, th.Counts.load(tmp_path / "counts.parquet")):
            assert counts["s"].at(0.7).counts.tolist() == matrix(SINGLE, 0.7), form
            assert th.evaluate(counts)["s"].confusion_matrix.counts.tolist() == matrix(SINGLE, 0.7), form


def test_pairs_of_counts_are_decided_in_float32() -> None:
    other = np.roll(DECIMALS, 7)
    rows = {"y": TRUTH, "a": SINGLE, "b": other.astype(np.float32)}
    counts = th.count(rows, label="y", scores=["a", "b"], pairs=True, thresholds=[0.7])
    wanted = th.evaluate(TRUTH, {"a": DECIMALS, "b": other}, threshold=0.7).compare("a", "b", measure="accuracy")
    found = th.evaluate(counts).compare("a", "b", measure="accuracy")
    assert (found.difference, found.p_value) == pytest.approx((wanted.difference, wanted.p_value))


def test_clusters_groups_folds_and_bootstraps_are_alike() -> None:
    part = np.arange(400) % 3
    rows = {"y": TRUTH, "s": SINGLE, "part": part, "unit": np.arange(400) // 5}
    options: dict[str, Any] = {"label": "y", "scores": "s", "by": "part", "fold": "part", "cluster": "unit",
                               "threshold": 0.7}  # fmt: skip
    single, double = th.evaluate(rows, **options), th.evaluate(rows | {"s": DECIMALS}, **options)
    for name in ("recall", "accuracy", "f1"):
        one, two = single["s"].estimate(name), double["s"].estimate(name)
        assert (one.value, one.low, one.high) == pytest.approx((two.value, two.low, two.high))
        drawn = [each["s"].estimate(name, bootstrap=30) for each in (single, double)]
        assert drawn[0].low == pytest.approx(drawn[1].low)
        assert single.fold_spread(name)["s"].mean == pytest.approx(double.fold_spread(name)["s"].mean)
        for key, group in single.groups.items():
            assert group["s"].estimate(name).value == pytest.approx(double.groups[key]["s"].estimate(name).value)
    assert single["s"].listing(at=0.7)["prediction"].sum() == (SINGLE >= 0.7).sum()
    for cut in ("decision_curve",):
        assert getattr(single["s"], cut).y == pytest.approx(getattr(double["s"], cut).y)


def test_rules_and_reject_options_decide_a_few_rows_alike() -> None:
    rule = ScoreRule(upper=0.7, lower=0.3)
    for score in (SINGLE, HALF, DECIMALS):
        at_cuts = np.where(score >= 0.7, 0, np.where(score >= 0.3, -1, 1))
        assert (rule.codes(score) == at_cuts).all()
    assert rule.codes(np.array([0.7], dtype=np.float32)).tolist() == [0]


def test_labels_of_several_are_decided_in_float32() -> None:
    truth = np.array([[1, 0], [0, 1], [1, 1]])
    scores = np.array([[0.7, 0.3], [0.6, 0.7], [0.1, 0.9]], dtype=np.float32)
    found, wanted = (th.evaluate(truth, each, threshold=0.7) for each in (scores, scores.astype(np.float64).round(6)))
    assert next(iter(found.values())).macro_f1.value == next(iter(wanted.values())).macro_f1.value


@given(st.lists(st.floats(0, 1, width=64), min_size=1, max_size=30), st.floats(0, 1, width=64))
@settings(max_examples=200, deadline=None)
def test_doubles_are_compared_as_they_are(scores: list[float], cut: float) -> None:
    values = np.array(scores) * (1 + 2**-40)
    assert is_positive(values, cut, "higher").tolist() == (values >= cut).tolist()


@given(
    st.lists(st.integers(1, 9999), min_size=1, max_size=30), st.integers(1, 9999), st.sampled_from(["higher", "lower"])
)
@settings(max_examples=300, deadline=None)
def test_decimals_in_float32_are_compared_as_decimals(scores: list[int], cut: int, direction: Any) -> None:
    values = (np.array(scores) / 10_000).astype(np.float32).astype(np.float64)
    wanted = np.array(scores) >= cut if direction == "higher" else np.array(scores) <= cut
    if len(set(scores)) > 4:  # of one coarse score nothing tells its type
        assert is_positive(values, cut / 10_000, direction).tolist() == wanted.tolist()
        table = ScoreTable.from_scores(np.arange(values.size) % 2, values, direction=direction)
        assert table.at(cut / 10_000).counts[:, 0].sum() == wanted.sum()


@pytest.mark.parametrize(("scores", "threshold"), [
    ([0.5, 0.25, 0.75], 0.50000001), ([k / 1024 for k in range(1025)], 0.544),
    ([k / 2048 for k in range(2049)], 0.30005), ([1.0, 2.0**24, 2.0**25, 2e8, 1e8], 100_000_001.0),
    ([4096.0, 8192.0, 2048.0, 4098.0], 4097.0), ([0.6999999880790712, 0.7], 0.7),
], ids=["dyadic", "1,024 trees", "2,048 trees", "whole", "whole as float16", "nearly float32"])  # fmt: skip
def test_numbers_of_every_type_are_compared_exactly(scores: list[float], threshold: float) -> None:
    values = np.array(scores)
    assert in_precision(values, threshold, "higher") == threshold
    assert is_positive(values, threshold, "higher").tolist() == (values >= threshold).tolist()
