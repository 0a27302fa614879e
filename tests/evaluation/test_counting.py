"""Counts: the same numbers as the rows, whatever they were read from, in how many parts, in whichever order."""

import pickle

import duckdb
import numpy as np
import pytest

import thresher as th
from thresher.counts import Counts, ScoreTable
from thresher.errors import OptionError
from thresher.readers.parts import load_parts

RNG = np.random.default_rng(7)
N = 300
ROWS = {
    "y": RNG.integers(0, 2, N), "a": RNG.integers(0, 40, N) / 40, "b": RNG.normal(0, 1, N).round(1),
    "site": np.array(["north", "south", "west"])[RNG.integers(0, 3, N)], "w": RNG.integers(0, 4, N),
}  # fmt: skip
FREQUENCY = {"weights": "w", "weight_kind": "frequency"}


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A file of several batches, sorted by label, with all that a count takes; and its columns."""
    path = tmp_path_factory.mktemp("large") / "p.parquet"
    query = (
        "SELECT CASE WHEN range < 200000 THEN 'well' ELSE 'ill' END AS y, (range * 7919) % 1000 / 1000 AS a, "
        "(range * 31) % 17 AS b, ['north', 'south'][1 + range % 2] AS site, range % 3 AS w FROM range(300000)"
    )
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 50000)")
        return str(path), connection.execute(f"SELECT * FROM '{path}'").fetchnumpy()


def test_files_are_counted_in_parts(large, monkeypatch):
    path, columns = large
    named = {"label": "y", "positive": "ill", "by": "site"}
    assert len(list(load_parts(path, ["a", "b"], label="y", positive="ill", most=100_000))) > 1
    monkeypatch.setattr("thresher.readers.parts.ROWS", 100_000)
    for options in ({}, FREQUENCY):
        in_memory = th.count(columns, ["a", "b"], **named, **options)
        from_file = th.count(path, ["a", "b"], **named, **options)
        assert from_file == in_memory
        assert from_file.classes == ("well", "ill")
        assert from_file.remarks == (("100,000 rows of weight 0 left out.",) if options else ())


def test_labels_that_come_late_are_not_guessed_at(large, monkeypatch):
    path, _ = large
    monkeypatch.setattr("thresher.readers.parts.ROWS", 100_000)
    with pytest.raises(OptionError, match="positive"):
        th.count(path, "a", label="y")


def test_missing_values_are_said_once(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y,a\n1,0.5\n0,\n,0.2\n0,0.1\n", encoding="utf-8")
    found = th.count(str(path), "a", label="y", missing="drop")
    assert (found.read, found.dropped, found.remarks) == (4, 2, ("2 of 4 rows lack a value and are not counted.",))


def test_counts_are_saved_whole(tmp_path):
    for options in ({}, {"by": "site"}, FREQUENCY, {"direction": "lower"}):
        counts = th.count(ROWS, ["a", "b"], label="y", **options)
        counts.save(tmp_path / "c.counts.parquet")
        back = Counts.load(tmp_path / "c.counts.parquet")
        assert back == counts
        assert pickle.loads(pickle.dumps(counts)) == counts
        assert back.notes == counts.notes
        assert (back.direction, back.weight_kind) == (counts.direction, counts.weight_kind)


def test_what_is_left_out_adds_up():
    """Two days of which each lacks rows: the sum says both together."""
    day = th.count([1, 0, 1, None], [0.5, 0.2, None, 0.4], missing="drop")
    assert (day + day).remarks == ("4 of 8 rows lack a value and are not counted.",)
    light = th.count([1, 0, 1], [0.5, 0.2, 0.1], weights=[1, 1, 0], weight_kind="frequency")
    assert (light + light).remarks == ("2 rows of weight 0 left out.",)


def test_memory_is_written_as_the_command_takes_it():
    """It was refused as text, which `--memory` alone took."""
    rows = {"y": [1, 0, 1, 0], "s": [0.9, 0.6, 0.4, 0.1]}
    assert th.count(rows, "s", label="y", memory="100MB") == th.count(rows, "s", label="y", memory=100_000_000)


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_a_score_that_no_row_has_is_no_threshold(direction):
    """It decides as the score above it does, and was named as another of the equally good thresholds."""
    scores, positive, negative = [0.9, 0.8, 0.6, 0.5, 0.4, 0.2], [3, 0, 4, 0, 1, 0], [1, 0, 1, 0, 4, 2]
    every, some = (
        th.evaluate(Counts(groups={(): {"s": ScoreTable.from_counts(*columns, direction=direction)}}), threshold=0.55)[
            "s"
        ]
        for columns in ((scores, positive, negative), np.array([scores, positive, negative])[:, [0, 2, 4, 5]])
    )
    for criterion in ("youden", "f1", "matthews_correlation", "accuracy"):
        one, two = (each.choose(criterion) for each in (every, some))
        assert one.thresholds.tolist() == two.thresholds.tolist()
    assert every.table.thresholds.size == some.table.thresholds.size


def test_groups_with_the_same_value_in_two_columns_are_saved(tmp_path):
    """They were refused as a label that stands twice, so that what was counted could not be read."""
    by = {"first": [0, 0, 1, 1], "second": [0, 0, 1, 1]}
    found = th.count([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1], by=by)
    found.save(tmp_path / "c.parquet")
    assert list(th.Counts.load(tmp_path / "c.parquet").groups) == [(0, 0), (1, 1)]


def test_groups_of_other_resolutions_keep_named_thresholds():
    """A group with more distinct scores than are counted exactly is rounded; the others are, in the sum."""
    rng = np.random.default_rng(4)
    y, score = rng.integers(0, 2, 4000), rng.random(4000)
    parts = [
        th.count(y[part], score[part], resolution=resolution, thresholds=[0.3337])
        for part, resolution in ((slice(2000), 8), (slice(2000, None), "exact"))
    ]
    exact = ScoreTable.from_scores(y, score)
    whole = th.count(y, score, resolution=8, thresholds=[0.3337])
    for found in (parts[0] + parts[1], parts[1] + parts[0], Counts.of_parts({"a": parts[0], "b": parts[1]}, by="day")):
        assert found["score"] == whole["score"]
        assert found["score"].at(0.3337).counts.tolist() == exact.at(0.3337).counts.tolist()


def test_scores_side_by_side_are_counted_as_alone(monkeypatch):
    rng, n = np.random.default_rng(5), 200_000
    data = {"y": np.arange(n) % 2, **{f"s{i}": rng.random(n).round(4 + i) for i in range(3)}}
    monkeypatch.setenv("THRESHER_THREADS", "3")
    for resolution in ("exact", 12):
        found = th.count(data, ["s0", "s1", "s2"], label="y", resolution=resolution)
        assert all(found[name] == th.count(data, name, label="y", resolution=resolution)[name] for name in found)
