"""`thresher threshold --proba`: decisions among several classes."""

import csv
import io
import json

import numpy as np
import pytest

import thresher as th
from thresher.examples import example_bytes

COSTS = "truth,3,1,2\n1,1,0,1\n\n2,1,5,0\n3,0,5,1\n"
ROWS = ("threshold", "wine.csv", "--label", "cultivar", "--proba", "bayes_")


@pytest.fixture
def model(write):
    write("wine.csv", example_bytes("wine"))
    write("costs.csv", COSTS.encode())
    return th.evaluate(th.load_example("wine"), label="cultivar", probabilities="bayes_")["bayes"]


def test_a_cost_matrix_names_its_classes_in_any_order(run, model):
    done = run(*ROWS, "--cost-matrix", "costs.csv", "--format", "json")
    found = json.loads(done.out)["decisions"][0]
    assert done.code == 0, done.err
    want = model.decide(costs=[[0, 1, 1], [5, 0, 1], [5, 1, 0]])
    assert found["counts"] == want.matrix.counts.tolist()
    assert found["cost"]["value"] == want.cost.value
    gain = run(*ROWS, "--cost-matrix", "costs.csv", "--benefit", "--format", "json")
    assert json.loads(gain.out)["decisions"][0]["rule"] == "largest expected gain"


def test_weights_by_a_measure_in_every_form(run, model):
    want = model.decide(maximize="macro_f1")
    text = run(*ROWS, "--max", "macro_f1")
    assert text.out == f"{want}\n"
    assert f"{want.chosen.cross_fitted:.4g} when each of 5 folds" in text.out
    rows = list(csv.DictReader(io.StringIO(run(*ROWS, "--max", "macro_f1", "--format", "csv").out)))
    assert [float(row["weight"]) for row in rows] == want.weights.tolist()
    np.testing.assert_allclose(
        [float(row["recall"]) for row in rows], np.diag(want.matrix.counts) / want.matrix.row_totals
    )
    for form in ("markdown", "html"):
        assert "optimistic" in run(*ROWS, "--max", "macro_f1", "--format", form).out
    low = run(*ROWS, "--min", "error_rate", "--proba", "logistic_", "-o", "d.json", "-q")
    assert (low.code, low.out) == (0, "")


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "say in one way how to decide"),
        (("--max", "macro_f1", "--cost-matrix", "costs.csv"), "say in one way how to decide"),
        (("--top", "5"), "--top is for one score"),
        (("--cost-fp", "1", "--cost-fn", "2"), "--cost-fp is for one score"),
        (("--max", "macro_f1", "--by", "color"), "--by is for one score"),
        (("--max", "auc"), "cannot be chosen by ROC AUC"),
        (("--cost-matrix", "none.csv"), "none.csv cannot be read"),
        (("--cost-matrix", "wine.csv"), "line 2 of wine.csv: 'dark' is not a cost"),
    ],
)
def test_what_does_not_serve_is_said(run, given, said):
    done = run(*ROWS, *given)
    assert done.code == 2
    assert said in done.err


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("truth,1,2\n1,0,1\n2,5\n", "line 3 of c.csv has 1 costs, and there are 2 decisions"),
        ("truth,1,2\n1,0,x\n2,5,0\n", "line 2 of c.csv: 'x' is not a cost, a finite number."),
        ("truth,1,2\n\n1,0,1\n\n2,nan,0\n", "line 5 of c.csv: 'nan' is not a cost, a finite number."),
        ("truth,1,1\n1,0,1\n2,5,0\n", "two columns of the decision '1'"),
        ("truth,1,2\n1,0,1\n3,5,0\n", "has a line or a column, but not both"),
        ("truth,1,2\n1,0,1\n1,5,0\n", "line 3 of c.csv is for '1', as one before it"),
        ("truth,1\n", "lacks costs"),
        ("truth,1,9\n1,0,1\n9,5,0\n", "the class '9'. The classes are 1, 2, 3"),
    ],
)
def test_a_cost_matrix_that_cannot_be_read_names_its_line(run, write, text, said):
    write("c.csv", text.encode())
    done = run(*ROWS, "--cost-matrix", "c.csv")
    assert done.code == 2
    assert said in done.err
