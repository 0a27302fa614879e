"""`--format latex` and .tex files of the commands that have tables."""

import pytest

ROWS = "y,a_1,b\n" + "".join(f"{i % 2},{0.1 * (i % 7)},{0.1 * (i % 5)}\n" for i in range(20))


def test_comparisons(run, write) -> None:  # type: ignore[no-untyped-def]
    write("t.csv", ROWS)
    done = run(
        "compare", "t.csv", "--label", "y", "--positive", "1", "--score", "a_1", "--score", "b", "--format", "tex"
    )
    assert done.code == 0
    assert r"a\_1 $-$ b & " in done.out
    assert done.out.count(r"\bottomrule") == 1


def test_runs(run, write) -> None:  # type: ignore[no-untyped-def]
    write("q.txt", "q1 0 d1 1\nq2 0 d1 1\n")
    write("r.txt", "q1 Q0 d1 1 2 bm_25\nq2 Q0 d2 1 2 bm_25\n")
    done = run("rank", "q.txt", "r.txt", "-m", "map", "--format", "latex")
    assert done.code == 0
    assert r"bm\_25" in done.out
    assert done.out.startswith("% The document needs \\usepackage{booktabs}.\n\n\\begin{table}")


@pytest.mark.slow
@pytest.mark.peer
def test_an_assessment_and_a_report(run, write) -> None:  # type: ignore[no-untyped-def]
    write("t.csv", ROWS)
    done = run("report", "t.csv", "--label", "y", "--positive", "1", "--score", "a_1", "-o", "all.tex")
    assert done.code == 0
    models = [f"sklearn.{name}()" for name in ("linear_model:LogisticRegression", "naive_bayes:GaussianNB")]
    done = run("assess", "t.csv", "--label", "y", "--positive", "1", "--estimator", models[0],
               "--estimator", models[1], "--compare", "--format", "latex")  # fmt: skip
    assert done.code == 0, done.err
    assert done.out.count(r"\toprule") == 4  # estimates, comparisons, pooled values, splits
