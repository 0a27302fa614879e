"""Rows of weight 0 are left out once: counts of rows say how many there are, whatever they were read from."""

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import thresher as th
from thresher.counts import Counts
from thresher.counts.remarks import size_of

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
pytestmark = pytest.mark.peer

ROWS = {"y": [1, 0, 1, 0, 1, 0], "s": [0.9, 0.2, 0.8, 0.3, 0.7, 0.1], "w": [1, 2, 0, 0, 3, 1], "g": list("xxxyyy")}
FREQUENCY: dict[str, Any] = {"label": "y", "weights": "w", "weight_kind": "frequency"}
FRAME = pd.DataFrame(ROWS)


def _gzipped(path: Path) -> str:
    path.with_suffix(".csv.gz").write_bytes(gzip.compress(FRAME.to_csv(index=False).encode()))
    return str(path.with_suffix(".csv.gz"))


def _written(write: Callable[[Path], Any], ending: str) -> Callable[[Path], str]:
    def form(path: Path) -> str:
        write(path.with_suffix(ending))
        return str(path.with_suffix(ending))

    return form


FORMS: dict[str, Callable[[Path], Any]] = {
    "arrays": lambda _: ROWS, "pandas": lambda _: FRAME, "Polars": lambda _: pl.DataFrame(ROWS),
    "lazy": lambda _: pl.LazyFrame(ROWS), "PyArrow": lambda _: pa.table(ROWS),
    "DuckDB": lambda _: duckdb.sql("SELECT * FROM FRAME"),
    "CSV": _written(lambda path: FRAME.to_csv(path, index=False), ".csv"),
    "TSV": _written(lambda path: FRAME.to_csv(path, index=False, sep="\t"), ".tsv"),
    "JSON lines": _written(lambda path: FRAME.to_json(path, orient="records", lines=True), ".jsonl"),
    "Parquet": _written(lambda path: pl.DataFrame(ROWS).write_parquet(path), ".parquet"), "gzip": _gzipped,
    "stream": lambda _: pa.table(ROWS).to_reader(max_chunksize=2),
}  # fmt: skip


@pytest.mark.parametrize("by", [None, "g"])
@pytest.mark.parametrize("resolution", ["exact", 16])
@pytest.mark.parametrize("form", FORMS)
def test_they_are_subtracted_once(form: str, resolution: Any, by: str | None, tmp_path: Path) -> None:
    found = th.count(FORMS[form](tmp_path / "rows"), "s", resolution=resolution, by=by, **FREQUENCY)
    assert (found.read, found.dropped, found.weightless) == (4, 0, 2)
    assert size_of(found) == "4 rows, sum of weights 7"
    assert any("counts of 4 rows, sum of weights 7" in note for note in th.evaluate(found).notes)
    found.save(tmp_path / "counts.parquet")
    assert size_of(Counts.load(tmp_path / "counts.parquet")) == size_of(found)
    assert size_of(found + found) == "8 rows, sum of weights 14"


def test_of_some_groups_only_the_weights_are_known() -> None:
    """Rows are counted over all groups: those of one are not said to be as many."""
    found = th.count(ROWS, "s", by="g", **FREQUENCY).only({"g": "x"})
    assert size_of(found) == "sum of weights 3"
    assert (found.read, found.weightless) == (0, 0)


@pytest.mark.parametrize("resolution", ["exact", 16])
def test_counts_are_those_of_the_rows_that_weigh_something(resolution: Any) -> None:
    for seed in range(20):
        draws = np.random.default_rng(seed)
        rows: dict[str, Any] = {
            "y": np.arange(40) % 2,
            "s": draws.integers(0, 15, 40) / 8,
            "w": draws.integers(0, 3, 40),
        }
        rows["g"], kept = draws.integers(0, 4, 40), rows["w"] > 0
        asked: Any = {"label": "y", "weights": "w", "weight_kind": "frequency", "by": "g", "resolution": resolution}
        whole, without = (th.count({k: v[some] for k, v in rows.items()}, "s", **asked) for some in (slice(None), kept))
        assert replace(whole, weightless=0) == without, seed


def test_an_estimate_without_interval_has_the_effective_rows_of_importance_weights() -> None:
    rng = np.random.default_rng(0)
    weights, truth = rng.gamma(1, size=60), rng.integers(0, 2, (60, 3))
    effective = pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    classes = th.evaluate(truth.sum(axis=1) % 3, probabilities=rng.dirichlet([1, 1, 1], 60), weights=weights)
    labels, score = th.evaluate(truth, {"m": rng.random((60, 3))}, weights=weights), rng.random(60)
    two = th.evaluate(truth[:, 0], score, weights=weights)
    found = [next(iter(classes.values())).top_label_ece, labels["m"].macro_f1, labels["m"].samples_recall,
             two.estimate("sensitivity@specificity=0.5"), two.estimate("f1@specificity=0.5")]  # fmt: skip
    assert [each.n for each in found] == [effective] * 5
    score[:30] = 0
    text = th.evaluate(truth[:, 0], score, weights=weights).calibration_slope.method
    share, n = weights[:30].sum() / weights.sum(), two.auc.n
    assert text.endswith(f"({share * n:.1f} of {n:.1f} effective rows)")
