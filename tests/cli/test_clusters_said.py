"""What a command says of clusters: the note on too narrow numbers only where some number that it shows ignores them."""

import numpy as np
import pytest

NOTE = "rows of one cluster are not independent"
COLUMNS = ("rows.csv", "--label", "y", "--cluster", "c", "--score", "a")
BOTH = (*COLUMNS, "--score", "b")


@pytest.fixture
def rows(run, tmp_path):
    """Two scores of 200 rows of 40 patients."""
    rng = np.random.default_rng(3)
    patient = np.repeat(np.arange(40), 5)
    severity = rng.normal(size=40)[patient]
    y = (severity + rng.normal(size=200) > 0).astype(int)
    a, b = (1 / (1 + np.exp(-(severity + k * rng.normal(size=200)))) for k in (1, 2))
    lines = [f"{t},{s:.4f},{r:.4f},p{k}" for t, s, r, k in zip(y, a, b, patient, strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(["y,a,b,c", *lines]), "utf-8")
    return run


@pytest.mark.parametrize(
    ("asked", "is_said"),
    [
        (("compare", *BOTH), False),
        (("compare", *BOTH, "--test", "bootstrap", "--margin", "0.05"), False),
        (("compare", *BOTH, "--measure", "auc", "--measure", "brier_score"), True),
        (("compare", *BOTH, "--measure", "accuracy", "--bootstrap", "50"), False),
        (("check", *COLUMNS, "--fail-under", "auc=0.5", "--fail-under", "recall=0.1"), False),
        (("check", *COLUMNS, "--fail-under", "mcc=0.1"), True),
        (("check", *COLUMNS, "--fail-under", "mcc=0.1", "--bootstrap", "50"), False),
        (("check", *COLUMNS, "--baseline-score", "b", "--max-drop", "auc=0.1"), False),
        (("check", *COLUMNS, "--baseline-score", "b", "--max-drop", "accuracy=0.1"), True),
        (("threshold", *COLUMNS, "--non-dominated"), False),
        (("threshold", *COLUMNS, "--max", "mcc"), True),
        (("threshold", *COLUMNS, "--max", "mcc", "--bootstrap", "50"), False),
        (("threshold", *COLUMNS, "--cost-fp", "1", "--cost-fn", "3", "--bootstrap", "50"), False),
        (("threshold", *COLUMNS, "--max", "mcc", "--prevalence", "0.1", "--bootstrap", "50"), True),
        (("threshold", *COLUMNS, "--cost-fp", "1", "--cost-fn", "3", "--reject", "deferral=0.2"), True),
    ],
)
def test_clusters_are_noted_where_something_shown_ignores_them(rows, asked, is_said):
    ran = rows(*asked)
    assert ran.code in (0, 1)
    assert (NOTE in ran.err) == is_said
    assert is_said == any(words in " ".join(ran.out.split()) for words in ("clusters ignored", "needs the rows"))


def test_a_chosen_threshold_says_what_its_intervals_do_with_clusters_in_the_words_of_a_report(rows):
    asked = ("threshold", *COLUMNS, "--cost-fp", "1", "--cost-fn", "3")
    said = " ".join(rows(*asked).out.split())
    assert "• Brackets are 95 % intervals: modified Wilson, of shares of the rows, combined, clusters ignored (" in said
    assert "logit scale above the least value of these margins, clusters ignored (Matthews correlation, " in said
    drawn = " ".join(rows(*asked, "--bootstrap", "50").out.split())
    words = "bootstrap percentile, 50 replicates of clusters of both classes, seed 0, widened for 40 clusters"
    assert f"• Brackets are 95 % intervals: {words} (expected cost, " in drawn
    assert "Brackets" not in rows(*(each for each in asked if each not in ("--cluster", "c"))).out


def test_a_report_at_costs_says_that_their_interval_ignores_clusters(rows):
    report = ("report", *COLUMNS, "--cost-fp", "1", "--cost-fn", "3")
    for more in ((), ("--bootstrap", "20")):
        said = " ".join(rows(*report, *more).out.split())
        assert "], clusters ignored. " in said.partition("A row then costs")[2][:60]
