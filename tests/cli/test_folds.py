"""`--fold`: scores of different fits are ranked within folds, in every form and command."""

import json

import numpy as np
import pytest

from thresher.evaluation.within_folds import ONE_CLASS

roc_auc_score = pytest.importorskip("sklearn.metrics").roc_auc_score
pytestmark = pytest.mark.peer

Y = np.arange(60) % 2
SHARE = (Y.sum() - Y) / 59
"""Share of positives among the other rows: what a learner that knows nothing says of the row left out."""
FIT = np.arange(60) // 2 % 6
LEVELS = np.random.default_rng(1).normal(size=60) + Y + 9 * FIT


@pytest.fixture(autouse=True)
def table(write):
    rows = zip(Y, SHARE, np.arange(60), LEVELS, FIT, strict=True)
    write("t.csv", "y,s,row,t,fit\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))


@pytest.mark.parametrize("form", ["json", "text", "markdown", "csv", "html"])
def test_one_row_left_out_ranks_nothing(run, form):
    done = run("report", "t.csv", "--label", "y", "--score", "s", "--fold", "row", "--format", form)
    said = " ".join(done.out.split())
    assert done.code == 0
    assert "wrong way" not in said
    assert "its interval lies below" not in said
    assert ONE_CLASS in said


def test_a_comparison_and_a_check_read_the_same_mean(run):
    of = ("t.csv", "--label", "y", "--fold", "fit")
    mean = np.mean([roc_auc_score(Y[f == FIT], LEVELS[f == FIT]) for f in range(6)])
    pair = json.loads(run("compare", *of, "--score", "t", "--score", "s", "--format", "json").out)["comparisons"][0]
    assert pair["values"][0] == pytest.approx(mean)
    assert "mean of 6 folds" in pair["method"]
    for limit, code in ((mean - 1e-6, 0), (mean + 1e-6, 1)):
        assert run("check", *of, "--score", "t", "--on", "value", "--fail-under", f"auc={limit}").code == code
