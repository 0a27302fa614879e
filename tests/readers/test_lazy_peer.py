"""Lazy frames of the libraries that users bring count and evaluate as the same columns in memory do."""

from typing import Any

import numpy as np
import pytest

import thresher as th
from engine_cases import Case, check, check_refused, every_case, every_error, pieces
from thresher.readers import load

pytestmark = pytest.mark.peer

ibis = pytest.importorskip("ibis")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
dataset = pytest.importorskip("pyarrow.dataset")


def _arrow(case: Case) -> Any:
    return pa.table({name: pa.array(values, from_pandas=False) for name, values in case.columns.items()})


def _small_batches(case: Case) -> list[Any]:
    return _arrow(case).to_batches(max_chunksize=2)


MAKERS = {
    "Polars": lambda case: pl.LazyFrame(case.columns),
    "Polars categorical": lambda case: pl.LazyFrame(case.columns).with_columns(pl.col(pl.String).cast(pl.Categorical)),
    "PyArrow dataset": lambda case: dataset.dataset(_small_batches(case), schema=_arrow(case).schema),
    "PyArrow scanner": lambda case: dataset.dataset(_arrow(case)).scanner(batch_size=3),
    "PyArrow reader": lambda case: pa.RecordBatchReader.from_batches(_arrow(case).schema, _small_batches(case)),
    "Ibis on DuckDB": lambda case: ibis.memtable(_arrow(case)),
    "Ibis on Polars": lambda case: ibis.polars.connect({"t": pl.DataFrame(case.columns)}).table("t"),
    "iterator of pandas": lambda case: map(pd.DataFrame, pieces(case.columns, 3)),
    "iterator of categoricals": lambda case: (
        pd.DataFrame(piece).astype({k: "category" for k in case.columns if isinstance(case.columns[k][0], str)})
        for piece in pieces(case.columns, 3)
    ),
    "iterator of Polars": lambda case: (pl.DataFrame(case.columns)[i : i + 3] for i in range(0, 9, 3)),
    "iterator of batches": lambda case: iter(_small_batches(case)),
}  # fmt: skip
every_maker = pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in MAKERS.items()])


@every_maker
@every_case
def test_counts_are_those_of_arrays(make, case):
    check(make(case), case)


@every_maker
@every_error
def test_what_is_wrong_is_said_as_of_arrays(make, case, said):
    check_refused(make(case), case, said)


def test_a_lazy_frame_is_evaluated_and_gives_results_of_its_library():
    rows = np.arange(200)
    columns = {"y": (rows * 7 % 3 == 0).astype(int), "a": rows * 31 % 53 / 53, "b": rows * 17 % 71 / 71, "g": rows % 3}
    named = {"scores": ["a", "b"], "label": "y", "by": "g"}
    want = th.evaluate(columns, **named)
    for data, backend in ((pl.LazyFrame(columns), "polars"), (dataset.dataset(pa.table(columns)), "pyarrow")):
        assert load(data, **named).backend == backend
        assert th.evaluate(data, **named).to_dict()["models"] == want.to_dict()["models"]


def test_only_the_columns_that_are_needed_are_computed():
    lazy = pl.LazyFrame({"y": [1, 0], "s": [0.5, 0.4], "text": ["a", "b"]})
    odd = lazy.with_columns(other=pl.col("text").cast(pl.Int64))  # fails when it is computed
    assert th.count(odd, "s", label="y")["s"].P == 1
