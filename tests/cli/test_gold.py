"""`thresher gold`."""

import csv
import json

import numpy as np
import pytest

from thresher.inference import gold_budget

RNG = np.random.default_rng(2)
N = 400
TRUTH = RNG.random(N) < 0.4
RISK = np.clip(0.5 * TRUTH + RNG.random(N) * 0.6, 0, 1).round(3)
JUDGE = np.where(RNG.random(N) < 0.9, TRUTH, ~TRUTH)
HUMAN = ["" if i >= 40 else "yes" if y else "no" for i, y in enumerate(TRUTH.tolist())]


@pytest.fixture
def rows(tmp_path):
    lines = [
        f"{i:03d},{r},{'yes' if j else 'no'},{int(j)},{h}"
        for i, (r, j, h) in enumerate(zip(RISK.tolist(), JUDGE.tolist(), HUMAN, strict=True))
    ]
    (tmp_path / "rows.csv").write_text("id,risk,judge,flag,human\n" + "\n".join(lines) + "\n")


@pytest.mark.usefixtures("rows")
def test_the_sample_is_written_with_its_probabilities(run, tmp_path):
    done = run("gold", "rows.csv", "--score", "risk", "--judge", "flag", "--width", "0.1", "-o", "next.csv")
    assert done.code == 0
    assert done.out.startswith("Label ")
    plan = gold_budget(RISK >= 0.5, judge=JUDGE, score=RISK, width=0.1)
    with (tmp_path / "next.csv").open() as file:
        chosen = list(csv.DictReader(file))
    assert [int(row["id"]) for row in chosen] == plan.chosen.tolist()
    assert "threshold 0.5 was assumed" in done.err
    weights = [float(row["sampling_weight"]) for row in chosen]
    np.testing.assert_allclose(weights, 1 / plan.probabilities[plan.chosen])
    np.testing.assert_allclose([float(r["sampling_probability"]) for r in chosen], plan.probabilities[plan.chosen])


@pytest.mark.usefixtures("rows")
def test_known_labels_and_a_positive_label(run):
    words = ("--predicted", "judge", "--label", "human", "--positive", "yes", "--rows", "50", "--measure", "f1")
    done = run("gold", "rows.csv", *words, "--format", "json")
    found = json.loads(done.out)
    assert found["rows"] == 50
    assert sum(each["labelled"] for each in found["strata"]) == 40
    assert min(found["chosen"]) > 40


@pytest.mark.usefixtures("rows")
def test_a_second_round_has_the_labelled_rows_too(run, tmp_path):
    words = ("--score", "risk", "--threshold", "0.5", "--label", "human", "--positive", "yes")
    done = run("gold", "rows.csv", *words, "--rows", "100", "-o", "next.csv")
    assert "assumed" not in done.err
    with (tmp_path / "next.csv").open() as file:
        found = list(csv.DictReader(file))
    assert sum(bool(row["human"]) for row in found) == 40
    plan = gold_budget({"risk": RISK >= 0.5}, score=RISK, labels=[*TRUTH[:40], *[None] * 360], rows=100)
    places = [int(row["id"]) for row in found]
    assert places == sorted([*range(40), *plan.chosen.tolist()])
    np.testing.assert_allclose([float(row["sampling_probability"]) for row in found], plan.probabilities[places])
    # Without a judge the inverse is the weight, and sampling_probability is refused with that way out.
    options = ("--label", "human", "--score", "risk", "--positive", "yes", "--missing", "drop")
    assert run("report", "next.csv", *options, "--weight", "sampling_weight").code == 0
    done = run("report", "next.csv", *options, "--sampling", "sampling_probability")
    assert (done.code, "--weight" in done.err) == (2, True)
