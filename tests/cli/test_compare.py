"""`thresher compare`: its table and sentences, its forms, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

ROWS = [
    (1, 0.9, 0.7, "x"), (0, 0.2, 0.6, "x"), (1, 0.8, 0.4, "y"), (0, 0.3, 0.5, "y"), (1, 0.6, 0.9, "x"),
    (0, 0.7, 0.1, "y"), (1, 0.55, 0.3, "x"), (0, 0.1, 0.2, "x"), (1, 0.95, 0.8, "y"), (0, 0.4, 0.35, "y"),
]  # fmt: skip
TEXT = "outcome,a,b,site,half\n" + "".join(f"{y},{a},{b},{site},{i % 2}\n" for i, (y, a, b, site) in enumerate(ROWS))
pytestmark = pytest.mark.usefixtures("rows")


@pytest.fixture
def rows(write):  # type: ignore[no-untyped-def]
    return write("rows.csv", TEXT)


def test_two_models_have_a_line_and_a_sentence(run) -> None:  # type: ignore[no-untyped-def]
    done = run("compare", "rows.csv", "--label", "outcome", "--score", "a", "--score", "b")
    assert done.code == 0
    assert [line.partition(":")[2][:29] for line in done.err.splitlines()] == [
        " 5 positives, fewer than 10: ",
        " 5 negatives, fewer than 10: ",
    ]
    assert "a − b" in done.out
    assert "DeLong's paired score test" in " ".join(done.out.split())
    assert "not show equality" in " ".join(done.out.split())
    assert "adjusted" not in done.out


def test_numbers_are_those_of_python(run) -> None:  # type: ignore[no-untyped-def]
    import thresher as th

    given = ("--measure", "auc", "--measure", "accuracy", "--margin", "0.1", "--format", "json")
    done = run("compare", "rows.csv", "--label", "outcome", "--score", "a", "--score", "b", *given)
    found = json.loads(done.out)["comparisons"]
    y, a, b, _ = zip(*ROWS, strict=True)
    evaluation = th.evaluate(list(y), {"a": list(a), "b": list(b)})
    want = [evaluation.compare("a", "b", measure=m, margin=0.1).to_dict() for m in ("auc", "accuracy")]
    assert found == json.loads(json.dumps(want))
    assert "threshold 0.5 was assumed" in done.err
    assert "--threshold" in done.err


@pytest.mark.parametrize("correction", ["hommel", "bonferroni", "by"])
def test_the_correction_is_that_of_python(run, correction) -> None:  # type: ignore[no-untyped-def]
    from thresher.inference import adjust_p_values

    given = ("--score", "a", "--score", "b", "--score", "half", "--correction", correction, "--format", "json")
    done = run("compare", "rows.csv", "--label", "outcome", *given)
    found = json.loads(done.out)["comparisons"]
    want = adjust_p_values([one["p_value"] for one in found], method=correction)
    assert [one["adjusted_p_value"] for one in found] == pytest.approx(want.tolist())
    assert len(found) == 3


def test_groups_are_compared_within_and_between(run) -> None:  # type: ignore[no-untyped-def]
    done = run(
        "compare", "rows.csv", "--label", "outcome", "--score", "a", "--score", "b", "--by", "site", "--format", "csv"
    )
    table = list(csv.DictReader(io.StringIO(done.out)))
    assert [row["where"] for row in table] == ["", "site x", "site y", "site x / site y", "site x / site y"]
    assert [(row["first"], row["second"]) for row in table[3:]] == [("a", "a"), ("b", "b")]
    one = run("compare", "rows.csv", "--label", "outcome", "--score", "a", "--by", "site", "--format", "csv")
    assert len(one.out.splitlines()) == 2


@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown", "latex"])
def test_one_model_in_one_group_has_nothing_to_compare(run, write, form) -> None:  # type: ignore[no-untyped-def]
    """A filter may leave one group: every form ends well, and those that people read say why they are empty."""
    write("one.csv", "".join(line for line in TEXT.splitlines(keepends=True) if ",y," not in line))
    done = run("compare", "one.csv", "--label", "outcome", "--score", "a", "--by", "site", "--format", form)
    assert done.code == 0, done.err
    said = "Nothing to compare: a comparison takes two models or two groups."
    assert (said in done.out) == (form not in ("json", "csv"))
    run("count", "one.csv", "--label", "outcome", "--score", "a", "--by", "site", "-o", "one.parquet")
    assert run("compare", "one.parquet", "--by", "site", "--format", form).out == done.out


def test_counts_by_group_are_compared_as_rows_are(run) -> None:  # type: ignore[no-untyped-def]
    columns = ("--label", "outcome", "--score", "a", "--score", "b", "--by", "site")
    run("count", "rows.csv", *columns, "--pairs", "-o", "c.parquet")
    done = run("compare", "c.parquet", "--by", "site", "--format", "json")
    assert done.code == 0, done.err
    of_counts, of_rows = (
        json.loads(out)["comparisons"]
        for out in (done.out, run("compare", "rows.csv", *columns, "--format", "json").out)
    )
    assert [one["group"] for one in of_counts] == [None, "site x", "site y", None, None]
    for one, want in zip(of_counts, of_rows, strict=True):
        assert one["groups"] == want["groups"]
        for name in ("difference", "low", "p_value"):
            assert one[name] == pytest.approx(want[name], abs=1e-4)
    other = run("compare", "c.parquet", "--by", "ward")
    assert other.code == 2
    assert "these counts are not grouped by 'ward': they are by site" in other.err


def test_the_overall_comparison_stands_once_and_alone(run) -> None:  # type: ignore[no-untyped-def]
    given = ("compare", "rows.csv", "--label", "outcome", "--score", "a", "--score", "b", "--threshold", "0.5")
    alone = json.loads(run(*given, "--format", "json").out)["comparisons"]
    split = json.loads(run(*given, "--by", "site", "--by", "half", "--format", "json").out)["comparisons"]
    assert [one for one in split if one["group"] is None and one["groups"] is None] == alone
    text = " ".join(run(*given, "--by", "site").out.split())
    assert text.count("not show equality") == 1
    assert run(*given, "--by", "site", "--format", "markdown").out.count("not show equality") == 1


def test_a_small_p_value_is_no_zero_in_any_table(run, write) -> None:  # type: ignore[no-untyped-def]
    """0.0000 stood in the table where the sentence said p < 0.0001."""
    rows = [(i % 2, i % 2 + (i * 37 % 101) / 200, (i * 53 % 97) / 97) for i in range(1500)]
    write("p.csv", "y,a,b\n" + "".join(f"{y},{a},{b}\n" for y, a, b in rows))
    given = ("compare", "p.csv", "--label", "y", "--score", "a", "--score", "b", "--measure", "auc", "--quiet")
    found = json.loads(run(*given, "--format", "json").out)["comparisons"][0]
    assert found["p_value"] < 1e-5
    for form, cell in (("text", "  < 0.0001"), ("markdown", r"| \< 0.0001 |"), ("latex", r"\textless{} 0.0001")):
        table = run(*given, "--format", form).out
        assert cell in table
        assert "0.0000" not in table


def test_the_page_shows_what_the_other_forms_show(run) -> None:  # type: ignore[no-untyped-def]
    """Few conclusions stand in words above the table, many in a closed chapter below it; a gap names the group."""
    given = ("compare", "rows.csv", "--label", "outcome", "--score", "a", "--score", "b", "--measure", "auc")
    done = run(*given, "-o", "few.html")
    assert "a − b" in done.out  # the summary beside a file
    few = Path("few.html").read_text(encoding="utf-8")
    assert few.index("Conclusions") < few.index("Differences")
    many = run(*given, "--by", "site", "--format", "html").out
    assert many.index("Differences") < many.index("All conclusions in words")
    assert "a: site x − site y" in many
    assert "a − b, site x" in many


def test_markdown_and_bootstrap(run) -> None:  # type: ignore[no-untyped-def]
    given = ("--measure", "f1", "--bootstrap", "50", "--seed", "3", "--format", "markdown")
    done = run("compare", "rows.csv", "--label", "outcome", "--score", "a", "--score", "b", *given)
    assert "| Measure | First − second | Difference" in done.out
    assert "50 replicates" in done.out
    assert "seed 3" in done.out
    assert done.out == run("compare", "rows.csv", "--label", "outcome", "--score", "a", "--score", "b", *given).out


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--score", "a"), "two models"),
        (("--score", "a", "--score", "b", "--measure", "aucc"), "no measure is called 'aucc'"),
        (("--score", "a", "--score", "b", "--margin", "-1"), "--margin -1.0: a margin is"),
        (("--score", "a", "--score", "b", "--level", "2"), "--level"),
        (("--score", "a", "--score", "b", "--measure", "f1", "--test", "delong"), "--test 'delong' does not serve"),
        (("--score", "a", "--score", "b", "--bootstrap", "1"), "--bootstrap"),
    ],
)
def test_usage_is_refused_in_one_line(run, given, words) -> None:  # type: ignore[no-untyped-def]
    done = run("compare", "rows.csv", "--label", "outcome", *given)
    assert done.code == 2
    assert words in done.err
    assert done.out == ""


def test_whole_curves_are_compared_in_their_own_words(run) -> None:  # type: ignore[no-untyped-def]
    given = ("compare", "rows.csv", "--label", "outcome", "--score", "a", "--score", "b", "--test", "venkatraman")
    said = " ".join(run(*given).out.split())
    assert "between the ROC curves: a AUC 0.920, b AUC 0.800 (p" in said
    assert "Venkatraman, paired" in said
    found = json.loads(run(*given, "--format", "json").out)["comparisons"][0]
    assert (found["measure"], found["low"], found["high"]) == ("roc", None, None)
    refused = run(*given, "--measure", "accuracy")
    assert refused.code == 2
    assert "whole ROC curves" in refused.err
