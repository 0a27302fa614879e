"""`thresher calibrate` with the probabilities of several classes, with a saved map, and options that are not heeded."""

import csv
import io

import numpy as np
import pytest

import thresher as th
from thresher.calibration import fit_classwise, fit_map, fit_temperature, map_from_json

NAMES = ["ash", "birch", "cedar"]


def write(path, seed, n=400, columns=(2, 0, 1)):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    p = np.exp(3 * (np.eye(3)[codes] + rng.normal(size=(n, 3))))
    p /= p.sum(1, keepdims=True)
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["id", "tree", *(f"net_{NAMES[k]}" for k in columns)])
        out.writerows([i, NAMES[c], *row[list(columns)]] for i, (c, row) in enumerate(zip(codes, p, strict=True)))
    return codes, p


@pytest.fixture
def files(tmp_path):
    return write(tmp_path / "fit.csv", 0), write(tmp_path / "test.csv", 1, columns=(1, 2, 0))


COMMON = ("calibrate", "fit.csv", "--label", "tree", "--proba", "net_")


def mapped(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    return np.array([[float(row[f"net_{name}_calibrated"]) for name in NAMES] for row in rows])


@pytest.mark.parametrize("method", [None, "temperature", "isotonic", "beta"])
def test_columns_are_found_by_class_and_mapped(run, files, method):
    (codes, p), (codes1, p1) = files
    done = run(*COMMON, "--apply", "test.csv", *(["--method", method] if method else []))
    assert done.code == 0, done.err
    found = fit_temperature(codes, p) if method in (None, "temperature") else fit_classwise(codes, p, method=method)
    want = found.transform(p1)
    np.testing.assert_allclose(mapped(done.out), want, atol=1e-12)
    after = th.evaluate(codes1, {"net": want})["net"]
    assert (
        f"accuracy {th.evaluate(codes1, {'net': p1})['net'].accuracy.value:.4f} → {after.accuracy.value:.4f}"
        in done.err
    )


@pytest.mark.parametrize("method", ["temperature", "beta"])
def test_a_saved_map_is_applied_to_a_file_without_labels(run, files, tmp_path, method):
    run(*COMMON, "--method", method, "-o", "map.json", "-q")
    found = map_from_json((tmp_path / "map.json").read_text())
    lines = [line.split(",") for line in (tmp_path / "test.csv").read_text().splitlines()]
    (tmp_path / "bare.csv").write_text("\n".join(",".join([i, *rest]) for i, _, *rest in lines) + "\n")
    done = run("calibrate", "bare.csv", "--proba", "net_", "--map", "map.json")
    np.testing.assert_allclose(mapped(done.out), found.transform(files[1][1]), atol=1e-12)
    assert run("apply", "map.json", "bare.csv").out == done.out  # the file names the columns
    assert "accuracy" not in done.err
    told = run("calibrate", "test.csv", "--label", "tree", "--proba", "net_", "--map", "map.json")
    assert told.out.replace("\r", "").count("\n") == 401
    assert "log loss" in told.err


def test_a_saved_map_of_one_score(run, tmp_path):
    (tmp_path / "fit.csv").write_text("y,s\n0,1\n0,2\n1,3\n1,2.5\n0,2.7\n")
    run("calibrate", "fit.csv", "--label", "y", "--score", "s", "-o", "map.json", "-q")
    (tmp_path / "new.csv").write_text("s\n2.6\n\n9\n")
    done = run("calibrate", "new.csv", "--score", "s", "--map", "map.json", "-o", "out.csv")
    assert (done.code, done.out) == (0, "isotonic map applied\n")
    want = fit_map([0, 0, 1, 1, 0], [1, 2, 3, 2.5, 2.7]).transform([2.6, 9])
    rows = list(csv.reader(io.StringIO((tmp_path / "out.csv").read_text())))
    assert [rows[1][1], rows[-1][1]] == [repr(float(v)) for v in want]
