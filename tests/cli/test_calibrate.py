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


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("cell", ["0_5", "１２", "x"])
def test_a_score_that_is_no_number(run, tmp_path, cell):
    (tmp_path / "new.csv").write_text(f"a\n0.5\n{cell}\n", encoding="utf-8")
    done = run(*COMMON, "--score", "a", "--apply", "new.csv")
    assert (done.code, f"row 2 of the file it is applied to: a is '{cell}', which is not a number" in done.err) == (
        2,
        True,
    )


def test_without_apply_the_map_is_written(run, files, tmp_path):
    (y, s), _ = files
    done = run(*COMMON, "--score", "a", "--method", "beta")
    assert map_from_json(done.out) == fit_map(y, s, method="beta")
    both = run(*COMMON, "--score", "b", "--method", "platt", "-o", "map.json")
    assert (both.code, both.out) == (0, f"platt map of b, fitted to {len(y)} rows\n")
    assert json.loads((tmp_path / "map.json").read_text())["method"] == "platt"


@pytest.mark.usefixtures("files")
def test_rows_and_map_are_written_by_their_suffixes(run, tmp_path):
    rows = run(*COMMON, "--score", "a", "--apply", "fit.csv", "--same-rows").out
    done = run(*COMMON, "--score", "a", "--apply", "fit.csv", "--same-rows", "-o", "new.csv", "-o", "map.json", "-q")
    assert (done.code, done.out) == (0, "")
    assert (tmp_path / "new.csv").read_text() == rows
    assert json.loads((tmp_path / "map.json").read_text())["method"] == "isotonic"
    over = run(*COMMON, "--score", "a", "--apply", "fit.csv", "-o", "fit.csv")
    assert (over.code, over.out) == (2, "")
    assert "would overwrite a file that is read" in over.err


@pytest.mark.usefixtures("files")
def test_the_same_rows_are_refused(run):
    done = run(*COMMON, "--score", "a", "--apply", "fit.csv")
    assert done.code == 2
    assert "evaluated on the rows that it was fitted to" in done.err
    assert done.out == ""
    assert run(*COMMON, "--score", "a", "--apply", "fit.csv", "--same-rows").code == 0


@pytest.mark.usefixtures("files")
def test_rows_without_truth_or_score(run, tmp_path):
    (tmp_path / "new.csv").write_text("a,note\n0.5,x\n,y\n0.9,z\n")
    done = run(*COMMON, "--score", "a", "--apply", "new.csv")
    rows = list(csv.reader(io.StringIO(done.out)))
    assert [row[1] for row in rows] == ["note", "x", "y", "z"]
    assert rows[2][2] == ""
    assert "1 of 3 rows have no a" in done.err
    assert "Brier" not in done.err


@pytest.mark.usefixtures("files")
def test_what_cannot_be_done_is_said(run, tmp_path):
    (tmp_path / "bad.csv").write_text("a\n0.5\nhigh\n")
    done = run(*COMMON, "--score", "a", "--apply", "bad.csv")
    assert done.code == 2
    assert "row 2" in done.err
    assert "'high'" in done.err
    (tmp_path / "twice.csv").write_text("a,a_calibrated\n0.5,1\n")
    assert "a_calibrated already" in run(*COMMON, "--score", "a", "--apply", "twice.csv").err
    assert "give one --score" in run(*COMMON, "--score", "a", "--score", "b").err
    done = run(*COMMON, "--score", "b", "--method", "beta")
    assert "they are not probabilities" in done.err
    assert "fit_map" not in done.err
    assert "does not apply" in run(*COMMON, "--score", "a", "--lower-is-positive").err
    assert run(*COMMON, "--score", "a", "--apply", "none.csv").code == 2


@pytest.mark.usefixtures("files")
def test_a_score_that_is_no_probability_is_named_with_its_row(run, tmp_path):
    (tmp_path / "new.csv").write_text("id,a\n1,0.5\n2,\n3,0.7\n4,1.5\n")
    done = run(*COMMON, "--score", "a", "--method", "logistic", "--apply", "new.csv")
    assert done.code != 0
    assert "row 4 of the file it is applied to: a is 1.5" in done.err


@pytest.mark.parametrize("missing", ["", "NA", "N/A", "#N/A", "nan", "<NA>", "null"])
def test_a_score_that_is_missing_when_read_is_missing_when_mapped(run, tmp_path, missing):
    (tmp_path / "fit.csv").write_text("y,p\n1,0.9\n0,0.2\n1,0.6\n")
    (tmp_path / "new.csv").write_text(f"p,note\n0.9,a\n{missing},b\n")
    done = run("calibrate", "fit.csv", "--label", "y", "--score", "p", "--apply", "new.csv")
    assert done.code == 0, done.err
    assert done.out.splitlines()[-1] == f"{missing},b,"
    assert "1 of 2 rows have no p" in done.err
