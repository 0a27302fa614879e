"""Dask dataframes are counted on the workers, and only counts reach the client: a real cluster of two processes."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import thresher as th
from doc_blocks import blocks
from engine_cases import CASES, Case, check, check_refused, every_case, every_error
from thresher.counts.rounding import as_counted, rounded
from thresher.errors import InputError, OptionError
from thresher.evaluation.partitions import Tabling, count_partition
from thresher.readers.roles import roles

pytestmark = [pytest.mark.peer, pytest.mark.slow, pytest.mark.filterwarnings("ignore::ResourceWarning")]

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")
pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
distributed = pytest.importorskip("dask.distributed")


@pytest.fixture(scope="module")
def cluster():
    made = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", processes=True)
    with made, distributed.Client(made) as client:
        yield client


def _frame(case: Case, rows: int = 2) -> Any:
    """Partitions of so many rows, with an empty one among them and one at the end."""
    whole = pd.DataFrame(case.columns)
    for name in whole.columns[[{bool, type(None)} <= set(map(type, values)) for values in case.columns.values()]]:
        whole[name] = whole[name].astype("boolean")  # Dask makes text of objects
    kinds = {Decimal: pa.decimal128(38, 10), date: pa.date32()}
    for name, kind in ((name, kinds.get(type(values[0]))) for name, values in case.columns.items()):
        whole[name] = whole[name] if kind is None else whole[name].astype(pd.ArrowDtype(kind))
    parts = [whole.iloc[i : i + rows] for i in range(0, len(whole), rows)]
    empty = whole.iloc[:0]
    return dd.concat(
        [dd.from_pandas(part, npartitions=1, sort=False) for part in (*parts[:1], empty, *parts[1:], empty)]
    )


@every_case
@pytest.mark.usefixtures("cluster")
def test_counts_are_those_of_arrays(case):
    check(_frame(case), case, resolution="exact")


def test_every_distinct_score_is_kept_as_far_as_a_worker_has_room():
    rows = _rows()
    frame = dd.from_pandas(rows, npartitions=20)
    with dask.config.set(scheduler="synchronous"):
        assert th.count(frame, "s", label="y", resolution="exact") == th.count(rows, "s", label="y", resolution="exact")
        with pytest.raises(InputError, match=r"more than the 0\.0005 GB of memory allowed"):
            th.count(frame, "s", label="y", resolution="exact", memory=500_000)
        with pytest.raises(OptionError, match="there is no such score, but s"):
            th.count(frame, "s", label="y", thresholds={"t": [0.5]})


@every_error
@pytest.mark.usefixtures("cluster")
def test_what_is_wrong_is_said_as_of_arrays(case, said):
    check_refused(_frame(case), case, said)


def _rows(n: int = 60_000) -> Any:
    draws = np.random.default_rng(3)
    y = draws.integers(0, 2, n)
    return pd.DataFrame({"y": y, "s": draws.normal(y, 1.0), "g": np.arange(n) % 3})


def test_only_counts_reach_the_client_and_the_workers_made_them(cluster):
    before = cluster.run(lambda dask_worker: dask_worker.state.executed_count)
    rows = _rows()
    found = th.count(dd.from_pandas(rows.round({"s": 2}), npartitions=20), "s", label="y", by="g", resolution="exact")
    after = cluster.run(lambda dask_worker: dask_worker.state.executed_count)
    assert all(after[worker] > before[worker] for worker in after)
    want = th.count(rows.round({"s": 2}), "s", label="y", by="g")
    assert {key: found.groups[key]["s"] for key in found.groups} == {key: want.groups[key]["s"] for key in want.groups}


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_rounded_counts_are_those_of_rounded_scores(direction):
    rows, cuts = _rows(), [0.3, -0.71]
    frame = dd.from_pandas(rows, npartitions=7)
    with dask.config.set(scheduler="synchronous"):
        found = th.count(frame, "s", label="y", direction=direction, thresholds={"s": cuts})["s"]
        model = th.evaluate(frame, "s", label="y", direction=direction, threshold=0.123)["s"]
    y, s = rows["y"].to_numpy(), rows["s"].to_numpy()
    near = as_counted(s, 16, sorted(cuts), direction)
    assert found == replace(th.ScoreTable.from_scores(y, near, direction=direction), resolution=16)
    exact = th.ScoreTable.from_scores(y, s, direction=direction)
    for threshold in cuts:
        assert found.at(threshold).counts.tolist() == exact.at(threshold).counts.tolist()
    assert model.confusion_matrix.counts.tolist() == exact.at(0.123).counts.tolist()


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("weights", [{}, {"weights": "w", "weight_kind": "frequency"}])
def test_pairs_of_scores_are_those_of_the_rows(weights):
    rows = _rows(3000).assign(t=lambda f: f["s"].round(1) + f["y"] / 9, w=lambda f: 1 + f["g"])
    frame = dd.from_pandas(rows, npartitions=4)
    asked = {"label": "y", "pairs": True, "resolution": "exact", **weights}
    found, exact = (th.count(data, ["s", "t"], **asked).pairs for data in (frame, rows))
    assert found == exact
    compared = th.evaluate(frame, ["s", "t"], label="y", **weights).compare("s", "t")
    want = th.evaluate(rows, scores=["s", "t"], label="y", **weights).compare("s", "t")
    assert (compared.low, compared.high) == pytest.approx((want.low, want.high), rel=1e-4)


def test_a_worker_that_dies_changes_nothing(cluster):
    """The first attempt kills a process; the retry counts the same rows."""
    import pathlib
    import tempfile

    marks = pathlib.Path(tempfile.mkdtemp())

    def deadly(frame):
        import os

        if len(frame) and frame["s"].iloc[0] == 7:
            visit = len(list(marks.iterdir())) + 1
            (marks / str(visit)).write_text("")
            if visit == 1:
                os._exit(1)
        return frame

    rows = pd.DataFrame({"y": [0, 1] * 20, "s": np.arange(40.0), "t": np.arange(40.0) % 7})
    frame = dd.from_pandas(rows, npartitions=40)
    found = th.count(frame.map_partitions(deadly, meta=rows), ["s", "t"], label="y", pairs=True)
    assert len(list(marks.iterdir())) == 2
    want = th.count(rows, ["s", "t"], label="y", pairs=True)
    for name, table in want.groups[()].items():
        assert found.groups[()][name] == replace(table, resolution=16)
    assert found.pairs == want.pairs
    cluster.wait_for_workers(2)


@pytest.mark.usefixtures("cluster")
def test_evaluate_takes_counts_of_a_cluster():
    rows = _rows(3_000)
    frame = dd.from_pandas(rows, npartitions=3)
    found = th.evaluate(frame, "s", label="y", by="g")
    assert found["s"].auc.value == pytest.approx(th.evaluate(rows, "s", label="y")["s"].auc.value, abs=3e-6)
    assert "counts" in [note.code for note in found.notes]
    with pytest.raises(OptionError, match="fold=… needs the rows, and of a dataframe on a cluster only counts"):
        th.evaluate(frame, "s", label="y", fold="g")
    with pytest.raises(OptionError, match="name the columns to judge"):
        th.count(frame, label="y")


@pytest.mark.usefixtures("cluster")
def test_the_row_of_a_gap_is_named_with_its_partition():
    with pytest.raises(InputError, match="'s' is empty in row 2 of partition 2"):
        th.count(dd.from_pandas(pd.DataFrame({"y": [0, 1, 0, 1], "s": [1, 2, 3, None]}), npartitions=2), "s", label="y")


def test_the_cases_have_what_partitions_get_wrong():
    assert {"batches of which nothing counts", "one class", "minus one"} <= set(CASES)


@pytest.mark.filterwarnings("default")  # Dask's own, of its reader of Parquet
def test_the_block_of_the_page_runs(tmp_path, monkeypatch):
    [text] = [block.text for block in blocks("docs/questions/too-large.md") if "dask.dataframe" in block.text]
    monkeypatch.chdir(tmp_path)
    rows = _rows(300).rename(columns={"y": "outcome", "s": "score", "g": "country"})
    dd.from_pandas(rows, npartitions=2).to_parquet("logs/")
    names: dict[str, Any] = {"th": th}
    exec(text, names)
    rows["score"] = rounded(rows["score"].to_numpy())
    want = th.count(rows, "score", label="outcome", by="country")
    for key, tables in want.groups.items():
        assert names["counts"].groups[key]["score"] == replace(tables["score"], resolution=16)


def test_labels_that_cannot_be_read_are_what_is_wrong_with_a_partition():
    """They were read once more for what the other partitions may say, and the error left the worker as a traceback."""
    asked = {"label": "y", "scores": "s", "weights": None, "by": None}
    found = roles(**asked, **dict.fromkeys(("predicted", "probabilities", "fold", "cluster")))
    options = {"positive": 1, "rest": None, "weight_kind": "importance", "direction": "higher", "missing": "error"}
    how = Tabling(16)
    rows = pa.table({"y": [[1], [0]], "s": [0.1, 0.2]})
    part = count_partition(rows, partition_info={"number": 0}, found=found, options=options, how=how)
    assert isinstance(part.failure, InputError)
    assert part.labels == ()
