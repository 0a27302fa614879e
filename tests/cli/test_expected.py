"""`thresher expected`."""

import json

import numpy as np
import pytest

import thresher as th
from thresher.calibration import fit_map

RNG = np.random.default_rng(1)
RISK = RNG.random(60).round(3)
SITE = RNG.choice(["a", "b"], 60)


@pytest.fixture
def new(tmp_path):
    rows = [f"{r},{s}" for r, s in zip(RISK.tolist(), SITE, strict=True)]
    (tmp_path / "new.csv").write_text("risk,site\n" + "\n".join(rows) + "\n")


@pytest.mark.usefixtures("new")
def test_values_are_those_of_the_library(run):
    done = run("expected", "new.csv", "--score", "risk", "--threshold", "0.3", "--format", "json")
    assert done.code == 0
    found = json.loads(done.out)
    assert found["rows"] == 60
    assert [note["code"] for note in found["notes"]] == ["expected"]
    said = th.expected(RISK, threshold=0.3).summary()
    for row in found["expected"]:
        assert row["value"] == pytest.approx(said[row["measure"]].value)
        assert row["low"] == pytest.approx(said[row["measure"]].low)


@pytest.mark.usefixtures("new")
def test_the_error_of_the_map(run, tmp_path):
    y = (RNG.random(60) < RISK).astype(int)
    found, label = fit_map(y, RISK, method="platt"), np.where(y == 1, "ill", "well")
    (tmp_path / "map.json").write_text(found.to_json())
    rows = [f"{r},{name}" for r, name in zip(RISK.tolist(), label, strict=True)]
    (tmp_path / "old.csv").write_text("risk,outcome\n" + "\n".join(rows) + "\n")
    words = ("expected", "new.csv", "--score", "risk", "--map", "map.json", "--fitted-on", "old.csv")
    done = run(*words, "--label", "outcome", "--positive", "ill", "--format", "json")
    said = th.expected(RISK, map=found, fitted_on=(y, RISK)).summary()
    for row in json.loads(done.out)["expected"]:
        assert row["low"] == pytest.approx(said[row["measure"]].low)
        assert "map refitted" in row["method"]
    assert run(*words).code == 2
