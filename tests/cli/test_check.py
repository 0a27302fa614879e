"""`thresher check`: exit codes, forms, baselines, and what it refuses."""

import json
import pickle

import numpy as np
import pytest

import thresher as th
from thresher.gate import limit
from thresher.measures.several_classes import LabelSets

pytestmark = pytest.mark.usefixtures("rows")


@pytest.fixture
def rows(write):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(0)
    y = (rng.random(1000) < 0.4).astype(int)
    shared = rng.normal(size=1000)
    good, bad = (1 / (1 + np.exp(-(k * (y - 0.5) + 0.9 * shared + 0.4 * rng.normal(size=1000)))) for k in (2.0, 1.2))
    site = np.where(rng.random(1000) < 0.5, "east", "west")
    lines = "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in zip(y, good, bad, site, strict=True))
    return write("rows.csv", "outcome,good,bad,site\n" + lines)


HEAD = ("check", "rows.csv", "--label", "outcome")


def test_a_bootstrap_draws_clusters_for_every_check(run) -> None:  # type: ignore[no-untyped-def]
    given = (*HEAD, "--score", "bad", "--baseline-score", "good", "--cluster", "site", "--threshold", "0.5")
    given += ("--fail-under", "auc=0.1", "--fail-under", "accuracy=0.1", "--max-drop", "f1=0.9")
    drawn = run(*given, "--fail-under", "recall@fpr=0.1:0.01", "--bootstrap", "50", "--format", "json")
    assert drawn.err == ""
    assert all("50 replicates of clusters" in check["method"] for check in json.loads(drawn.out)["checks"])


def test_a_limit_on_the_wrong_side_names_the_right_option(run) -> None:  # type: ignore[no-untyped-def]
    for option, measure, instead in (("under", "brier_score", "over"), ("over", "recall", "under")):
        done = run(*HEAD, "--score", "bad", f"--fail-{option}", f"{measure}=0.1")
        assert (done.code, done.out) == (2, "")
        assert f"Use --fail-{instead}." in done.err


@pytest.fixture
def of_labels(write):  # type: ignore[no-untyped-def]
    """One model of two labels a row, in a file and in Python."""
    drawn = np.random.default_rng(0)
    truth = (drawn.random((60, 2)) < 0.5).astype(int)
    scores = np.round(np.clip(truth * 0.3 + drawn.random((60, 2)) * 0.7, 0, 1), 3)
    lines = [",".join(map(str, [*t, *s])) for t, s in zip(truth, scores, strict=True)]
    write("tags.csv", "\n".join(["tag_a,tag_b,net_a,net_b", *lines]) + "\n")
    return th.evaluate(truth, {"net": scores})["net"]


TAGS = ("check", "tags.csv", "--label", "tag_*", "--score", "net_*", "--on", "value", "--format", "json")


@pytest.mark.parametrize("measure", [
    "macro_average_precision", "micro_ap", "weighted_average_precision", "macro_auc", "micro_f1", "samples_f1",
    "samples_sensitivity", "subset_accuracy",
])  # fmt: skip
def test_every_average_over_labels_is_checked(run, of_labels, measure) -> None:  # type: ignore[no-untyped-def]
    """Averages of average precision, and those over the labels of each row, were said to be no measures."""
    (found,) = json.loads(run(*TAGS, "--fail-under", f"{measure}=0").out)["checks"]
    known = measure.replace("_ap", "_average_precision").replace("sensitivity", "recall")
    expected = getattr(of_labels, known).value
    assert found["value"] == (None if np.isnan(expected) else expected)
    assert of_labels.estimate(measure).value == pytest.approx(expected, nan_ok=True)
    assert pickle.loads(pickle.dumps(limit(f"{measure}=0.5"))).spec.title == limit(f"{measure}=0.5").spec.title


def test_a_mean_over_rows_is_that_of_its_own_formula() -> None:
    truth, decided = np.array([[1, 0, 1], [0, 1, 1]]), np.array([[1, 1, 1], [0, 0, 1]])
    sets = LabelSets(truth, decided, np.array([3.0, 1.0]))
    assert limit("samples_precision=1").spec.entry(sets) == pytest.approx((3 * 2 / 3 + 1) / 4)
