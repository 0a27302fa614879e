"""`thresher calibrate`."""

import csv
import io
import json

import numpy as np
import pytest

from thresher.calibration import fit_map, map_from_json


def write(path, seed, n=300, extra=()):
    rng = np.random.default_rng(seed)
    s = rng.random(n).round(4)
    y = np.where(rng.random(n) < s**2, "ill", "well")
    lines = ["id,truth,a,b", *(f"{i:03d},{t},{v},{v * 20 - 3:g}" for i, (t, v) in enumerate(zip(y, s, strict=True)))]
    path.write_text("\n".join([*lines, *extra]) + "\n")
    return (y == "ill").astype(int), s


@pytest.fixture
def files(tmp_path):
    return write(tmp_path / "fit.csv", 0), write(tmp_path / "test.csv", 1)


COMMON = ("calibrate", "fit.csv", "--label", "truth", "--positive", "ill")


@pytest.mark.parametrize("method", ["isotonic", "interpolation", "platt", "logistic", "beta"])
def test_rows_are_passed_on_with_the_mapped_score(run, files, method):
    (y, s), (_, s1) = files
    done = run(*COMMON, "--score", "a", "--method", method, "--apply", "test.csv")
    assert done.code == 0
    rows = list(csv.reader(io.StringIO(done.out)))
    assert rows[0] == ["id", "truth", "a", "b", "a_calibrated"]
    assert rows[1][0] == "000"  # the text as it stood
    mapped = np.array([float(row[4]) for row in rows[1:]])
    np.testing.assert_array_equal(mapped, fit_map(y, s, method=method).transform(s1))
    assert "Brier score" in done.err
    assert "calibration slope" in done.err


def test_without_apply_the_map_is_written(run, files, tmp_path):
    (y, s), _ = files
    done = run(*COMMON, "--score", "a", "--method", "beta")
    assert map_from_json(done.out) == fit_map(y, s, method="beta")
    both = run(*COMMON, "--score", "b", "--method", "platt", "-o", "map.json")
    assert (both.code, both.out) == (0, f"platt map of b, fitted to {len(y)} rows\n")
    assert json.loads((tmp_path / "map.json").read_text())["method"] == "platt"


@pytest.mark.usefixtures("files")
def test_counts_have_their_rows(run):
    run("count", "fit.csv", "--label", "truth", "--positive", "ill", "--score", "a", "-o", "c.parquet")
    assert "fitted to 300 rows" in run("calibrate", "c.parquet", "-o", "map.json").out
