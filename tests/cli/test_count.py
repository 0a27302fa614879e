"""`thresher count` and `merge`, and the commands that read what they write."""

from __future__ import annotations

import json

import numpy as np
import pytest

import thresher as th
from thresher.counts import Counts
from thresher.examples import example_bytes
from written_files import parquet

COLUMNS = ("--label", "diagnosis", "--positive", "malignant")
FOREST = ("--score", "random_forest")


@pytest.fixture(autouse=True)
def _file(tmp_path):
    (tmp_path / "p.csv").write_bytes(example_bytes("breast_cancer"))


def counted(run, *more, name="c.parquet"):
    done = run("count", "p.csv", *COLUMNS, *FOREST, *more, "-o", name)
    assert done.code == 0
    return done


def test_a_report_of_counts_has_the_numbers_of_the_rows(run):
    said = counted(run)
    assert "random_forest: 212 positive, 357 negative at 26 distinct scores, exact" in said.out
    reports = [
        json.loads(run("report", *what, "--format", "json", "--quiet").out)
        for what in (("c.parquet",), ("p.csv", *COLUMNS, *FOREST))
    ]
    assert [(report["n"], report["class_counts"]) for report in reports] == [
        (569, {"malignant": 212, "benign": 357})
    ] * 2
    one, other = (report["models"][0] if isinstance(report["models"], list) else report["models"]["random_forest"]
                  for report in reports)  # fmt: skip
    assert one["measures"]["auc"]["value"] == pytest.approx(other["measures"]["auc"]["value"])
    assert one["measures"]["true_positive_rate"] == pytest.approx(other["measures"]["true_positive_rate"])


def test_merged_counts_are_reported_and_a_repeated_file_is_said(run):
    counted(run)
    counted(run, name="d.parquet")
    done = run("merge", "c.parquet", "d.parquet", "-o", "e.parquet")
    assert (done.code, "warning: d.parquet holds the same counts" in done.err) == (0, True)
    assert "1,138 rows" in done.out
    assert Counts.load("e.parquet")["random_forest"].P == 424
    assert run("merge", "?.parquet", "-o", "f.parquet", "--quiet").out == ""
    assert "569 rows in 1 group by site;" in run("merge", "c.parquet", "--by", "site", "-o", "one.parquet").out
    for command in (("table", "e.parquet"), ("threshold", "e.parquet", "--cost-fp", "1", "--cost-fn", "9")):
        assert run(*command).code == 0


def test_groups_and_least_cells(run):
    assert "distinct scores" in counted(run, "--min-cell", "10").out
    table = Counts.load("c.parquet")["random_forest"]
    assert (np.add(table.positive, table.negative) >= 10).all()
    assert "groups by nucleus_size" in counted(run, "--by", "nucleus_size").out
    report = run("report", "c.parquet")
    assert (report.code, "nucleus_size" in report.out) == (0, True)
    few = run("merge", "c.parquet", "--min-cell", "50", "-o", "d.parquet")
    assert (few.code, "groups have fewer than 50 rows of a class. Use a smaller --min-cell" in few.err) == (2, True)


@pytest.mark.parametrize("by", ["group", "group,h"])
def test_groups_that_are_too_small_are_left_out(run, tmp_path, by):
    lines = [f"{i % 2},{i / 1000},g{i % 3 if i < 300 else i % 7:02},{1 if i < 700 else 2}" for i in range(340)]
    (tmp_path / "g.csv").write_text("\n".join(["y,s,group,h", *lines, ""]))
    asked = ("count", "g.csv", "--label", "y", "--score", "s", "--min-cell", 10, "-o", "c.parquet")
    asked += tuple(part for name in by.split(",") for part in ("--by", name))
    done = run(*asked)
    assert "4 groups with fewer than 10 rows of a class left out (22 rows)." in done.err
    assert (done.code, "in 3 groups by" in done.out) == (0, True)


def test_what_least_cells_leave_out_is_said(run):
    run("count", "p.csv", *COLUMNS, *FOREST, "--score", "naive_bayes", "--pairs", "-o", "c.parquet")
    done = run("merge", "c.parquet", "--min-cell", "10", "-o", "d.parquet")
    assert "Pairs are left out, as they would reveal counts below the least count." in done.err
    assert "Compare models before applying it" in run("compare", "d.parquet").err
    assert "left out" not in run("merge", "c.parquet", "-o", "d.parquet").err


def test_pairs_that_a_merge_leaves_out_are_said(run):
    columns = (*COLUMNS, *FOREST, "--score", "naive_bayes")
    run("count", "p.csv", *columns, "--pairs", "-o", "c.parquet")
    run("count", "p.csv", *columns, "-o", "bare.parquet")
    advice = "Count every part with pairs"
    for options in (("--by", "site"), ()):
        done = run("merge", "c.parquet", "bare.parquet", *options, "-o", "d.parquet")
        assert advice in done.err
        refused = run("compare", "d.parquet").err
        assert (advice in refused, "--pairs" in refused) == (True, False)


def test_rows_that_are_not_counted_are_no_counted_rows(run, tmp_path):
    (tmp_path / "gap.csv").write_text("y,s\n1,.9\n0,.6\n1,.4\n0,\n")
    done = run(
        "count", "gap.csv", "--label", "y", "--positive", "1", "--score", "s", "--missing", "drop", "-o", "c.parquet"
    )
    assert done.out.startswith("3 rows, 1 dropped; y: 1 (positive), 0")


def test_the_only_threshold_that_was_counted_is_the_one_of_a_report(run):
    """A report assumed 0.5, of which pairs knew nothing, and wrote rates without intervals."""
    named = ("--threshold", "0.3", "--threshold", "naive_bayes=0.6")
    scores = (*FOREST, "--score", "naive_bayes", "--pairs")
    run("count", "p.csv", *COLUMNS, *scores, *named[:2], "-o", "c.parquet")
    found = json.loads(run("report", "c.parquet", "--format", "json").out)
    given = json.loads(run("report", "c.parquet", "--threshold", "0.3", "--format", "json").out)
    for name, model in found["models"].items():
        assert (model["threshold"], model["measures"]) == (0.3, given["models"][name]["measures"])
        assert model["measures"]["true_positive_rate"]["low"] is not None
        assert model["threshold_reason"] == "0.3, the only one that was named when the rows were counted"
    said = " ".join(run("report", "c.parquet").out.split())
    assert "Threshold 0.3, the only one that was named when the rows were counted, is taken; --threshold" in said
    assert "0.5 was assumed" not in said
    run("merge", "c.parquet", "c.parquet", "-o", "d.parquet")
    assert json.loads(run("report", "d.parquet", "--format", "json").out)["models"]["naive_bayes"]["threshold"] == 0.3
    run("count", "p.csv", *COLUMNS, *scores, *named, "-o", "e.parquet")
    several = json.loads(run("report", "e.parquet", "--format", "json").out)["models"]
    assert [several[name]["threshold"] for name in ("random_forest", "naive_bayes")] == [0.3, 0.5]
    checked = json.loads(run("check", "c.parquet", "--score", "naive_bayes", "--fail-under", "recall=0.5",
                             "--format", "json").out)  # fmt: skip
    assert checked["checks"][0]["value"] == pytest.approx(
        given["models"]["naive_bayes"]["measures"]["true_positive_rate"]["value"]
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("count", "p.csv", *COLUMNS, *FOREST, "--pairs", "-o", "c.parquet"), "and there is one score"),
        (("count", "p.csv", *COLUMNS, *FOREST, "--pairs", "--min-cell", "5", "-o", "c.parquet"), "count again with"),
        (("count", "p.csv", "--from-sql", "--pairs", "-o", "c.parquet"), "--pairs was chosen when"),
        (("count", "p.csv", "--from-sql", "--resolution", "8", "-o", "c.parquet"), "--resolution was chosen when"),
        (("count", "p.csv", "--from-sql", "--threshold", "0.3", "-o", "c.parquet"), "--threshold was chosen when"),
        (("count", "p.csv", *COLUMNS, *FOREST, "--threshold", "net=0.3", "-o", "c.parquet"), "there is no such score"),
        (("count", "p.csv", *COLUMNS, *FOREST, "--threshold", "x", "-o", "c.parquet"), "is neither a number"),
        (("count", "p.csv", *COLUMNS, *FOREST, "-o", "c.csv"), "write -o c.parquet"),
        (
            ("count", "p.csv", *COLUMNS, *FOREST, "--cluster", "id", "-o", "c.parquet"),
            "--cluster needs the rows, which counts lack. Report on the rows, or count one row for each cluster.",
        ),
        (("count", "p.csv", *COLUMNS, *FOREST, "-o", "-"), "write -o counts.parquet"),
        (("count", "p.csv", *COLUMNS, *FOREST, "--weight", "id", "-o", "c.parquet"), "with --weight-kind frequency if"),
        (("count", "p.csv", *COLUMNS, "--proba", "p_", "-o", "c.parquet"), "so --proba does not go with it"),
        (("count", "p.csv", *COLUMNS, *FOREST, "--resolution", "2", "-o", "c.parquet"), "8 to 24 bits, or exact"),
        (("count", "p.csv", *COLUMNS, *FOREST, "--tolerance", "0", "-o", "c.parquet"), "Did you mean --resolution?"),
        (
            ("merge", "p.csv", "-o", "c.parquet"),
            "it is not a Parquet file; `thresher count` makes a file of counts from rows",
        ),
        (("merge", "none.parquet", "-o", "c.parquet"), "there is no file"),
        (("merge", "a.parquet", "--by", "x", "--by", "y", "-o", "c.parquet"), "--by x --by y: files are told apart by"),
        (("report", "c.parquet", "--label", "diagnosis"), "--label was chosen when they were made"),
        (("report", "c.parquet", "--lower-is-positive"), "--lower-is-positive was chosen when they were made"),
        (("report", "c.parquet", "--score", "other"), "no score 'other'"),
        (("compare", "c.parquet"), "a comparison takes two models"),
    ],
)
def test_what_cannot_be_done_is_a_sentence(run, options, said):
    if options[0] in ("report", "compare"):
        counted(run)
    done = run(*options)
    assert done.code == 2
    assert said in done.err


def test_counts_are_written_whole_or_not_at_all(run, tmp_path):
    counted(run)
    before = (tmp_path / "c.parquet").read_bytes()
    (tmp_path / "q.csv").write_text("y,s\n1,0.5\n0,oops\n", encoding="utf-8")
    assert run("count", "q.csv", "--label", "y", "--score", "s", "-o", "c.parquet").code == 2
    assert (tmp_path / "c.parquet").read_bytes() == before


def test_a_file_that_does_not_go_with_the_others_is_named(run):
    """Of a hundred days one did not know which."""
    for name, more in (("a", ()), ("b", ("--by", "nucleus_size"))):
        counted(run, *more, name=f"{name}.parquet")
    done = run("merge", "a.parquet", "b.parquet", "-o", "c.parquet")
    assert done.code == 2
    assert "b.parquet cannot be combined with a.parquet: counts of different groups cannot be added" in done.err


@pytest.mark.parametrize("given", [("--resolution", "exact"), ("--resolution", "16"), ("--memory", "1GB")])
@pytest.mark.parametrize("command", ["report", "check"])
def test_how_exactly_counts_were_made_is_asked_for_when_they_are(run, command, given):
    counted(run, name="a.parquet")
    more = ("--fail-under", "auc=0.5") if command == "check" else ()
    done = run(command, "a.parquet", *more, *given)
    assert (done.code, done.out) == (2, "")
    assert f"a.parquet holds counts and no rows: {given[0]} was chosen when they were made" in done.err


def test_sites_are_called_as_files_folders_or_as_one_says(run, tmp_path):
    for place in ("berlin/day", "paris/day", "site=rome/day"):
        (tmp_path / place).parent.mkdir()
        th.count([1, 0, 1, 0], [0.9, 0.6, 0.4, len(place) / 100]).save(tmp_path / f"{place}.counts.parquet")

    def sites(*files):
        done = run("merge", *files, "--by", "site", "-o", "all.parquet")
        assert done.code == 0, done.err
        return [site for (site,) in th.Counts.load(tmp_path / "all.parquet").groups]

    assert sites("*/day.counts.parquet") == ["berlin/day", "paris/day", "site=rome/day"]
    assert sites("b=berlin/day.counts.parquet", "paris/day.counts.parquet") == ["b", "day"]
    assert sites("site=rome/day.counts.parquet", "p=paris/day.counts.parquet") == ["day", "p"]
    twice = run(
        "merge", "x=berlin/day.counts.parquet", "x=paris/day.counts.parquet", "--by", "site", "-o", "all.parquet"
    )
    assert "two files are called 'x'" in twice.err
    assert "NAME=FILE" in twice.err


def test_sites_are_merged_apart_and_summed_up(run, tmp_path):
    rng = np.random.default_rng(2)
    for name in ("north", "south", "west"):
        y = rng.integers(0, 2, 90)
        th.count({"y": y, "s": rng.normal(y)}, "s", label="y").save(tmp_path / f"{name}.counts.parquet")
    done = run("merge", "*.counts.parquet", "--by", "site", "-o", "all.parquet")
    assert done.code == 0, done.err
    found = th.Counts.load(tmp_path / "all.parquet")
    assert (found.by, list(found.groups)) == (("site",), [("north",), ("south",), ("west",)])
    summary = th.evaluate(found).groups.random_effects("auc")["s"]
    assert f"ROC AUC {summary.value:.4g} [{summary.low:.4g}, {summary.high:.4g}] over 3 groups by site" in done.out
    assert "says little" not in done.out
    two = run("merge", "north.counts.parquet", "west.counts.parquet", "--by", "site", "-o", "two.parquet").out
    assert "over 2 groups by site, of which an interval says little (" in two
    assert "Of two groups an interval says little" in run("report", "two.parquet").out
    again = run("merge", "north.counts.parquet", "north.counts.parquet", "--by", "site", "-o", "n.parquet")
    assert (again.code, "two files are called 'north'" in again.err) == (2, True)
    assert "both are added" not in again.err


@pytest.mark.parametrize(("seed", "is_said"), [(0, True), (11, False)])
def test_sites_are_alike_by_chance_only_where_they_differ_less_than_is_expected(run, tmp_path, seed, is_said):
    """It was said of sites with an I² above 0."""
    rng = np.random.default_rng(seed)
    for rows, name in ((60, "north"), (400, "south"), (900, "west")):
        y = rng.integers(0, 2, rows)
        th.count({"y": y, "s": rng.normal(y)}, "s", label="y").save(tmp_path / f"{name}.counts.parquet")
    done = run(
        "merge", *(f"{name}.counts.parquet" for name in ("north", "south", "west")), "--by", "x", "-o", "all.parquet"
    )
    found = th.evaluate(th.Counts.load(tmp_path / "all.parquet")).groups.random_effects("auc")["s"]
    assert found.modified[0] < found.low - 0.001
    assert (found.i2 == 0, "if it is chance that they are alike" in done.out) == (is_said, is_said)


def test_of_several_conditions_all_hold(run):
    parquet("p.parquet", "SELECT i % 2 AS y, i / 10 AS s, i % 3 AS day FROM range(60) t(i)")
    conditions = ("--where", "day = 1 OR day = 2", "--where", "s < 3")
    done = run("count", "p.parquet", "--label", "y", "--score", "s", *conditions, "-o", "c.parquet")
    assert done.out.startswith("20 rows; y: 1 (positive), 0")
    assert "(day = 1 OR day = 2) AND (s < 3)" in done.err


def test_counts_remember_their_condition_and_a_sum_says_where_it_is_of_a_part(run):
    """A sum listed the conditions as if all of its rows met all of them."""
    parquet("p.parquet", "SELECT i % 2 AS y, i / 10 AS s, i % 3 AS day FROM range(60) t(i)")
    for name, condition in (("a", ["--where", "day = 1"]), ("b", ["--where", "day = 2"]), ("all", [])):
        run("count", "p.parquet", "--label", "y", "--score", "s", *condition, "-o", f"{name}.parquet")
    for command in ("report", "table"):
        done = run(command, "a.parquet")
        assert "rows filtered by: day = 1" in (done.out + done.err).lower()
    apart = "rows of some parts filtered by: day = 1"
    for parts, is_apart in (("ab", True), ("aa", False), (("a", "all"), True), (("all", "all"), False), ("aba", True)):
        done = run("merge", *(f"{part}.parquet" for part in parts), "-o", "m.parquet")
        assert (done.code, apart in done.err.lower()) == (0, is_apart)
        assert (apart in " ".join(run("report", "m.parquet").out.lower().split())) is is_apart


def test_a_condition_keeps_rows_and_is_noted(run):
    parquet("p.parquet", "SELECT i % 2 AS y, i / 10 AS s, i % 3 AS day FROM range(60) t(i)")
    names = ("--label", "y", "--score", "s", "--where", "day = 1")
    done = run("count", "p.parquet", *names, "-o", "c.parquet")
    assert done.out.startswith("20 rows; y: 1 (positive), 0")
    assert "rows filtered by: day = 1" in done.err.lower()
    for command in (("report",), ("report", "--resolution", "exact"), ("compare", "--score", "day"), ("table",),
                    ("check", "--fail-under", "auc=0")):  # fmt: skip
        done = run(command[0], "p.parquet", *names, *command[1:])
        assert done.code in (0, 1)
        assert "rows filtered by: day = 1" in (done.out + done.err).lower()
    assert "20 rows" in " ".join(run("report", "p.parquet", *names).out.split())
    for wrong, said in (
        (("report", "c.parquet", "--where", "s > 1"), "c.parquet holds counts and no rows: --where was chosen"),
        (("report", "-", *names), "--where reads files more than once: name them instead of -."),
        (("report", "p.parquet", *names, "--truth", "p.csv", "--key", "day"), "cannot be used with --truth"),
    ):
        done = run(*wrong)
        assert (done.code, said in " ".join(done.err.split())) == (2, True), done.err


def test_counts_in_place_of_rows_are_named(run):
    counted(run)
    Counts.load("c.parquet")["random_forest"].save("table.parquet")
    for command in (("count", "c.parquet", *COLUMNS, *FOREST), ("count", "--from-sql", "c.parquet")):
        assert "c.parquet holds counts without rows: `thresher report`" in run(*command, "-o", "d.parquet").err
    assert "table.parquet holds a saved ScoreTable" in run("report", "table.parquet").err
    assert "it holds a saved ScoreTable" in run("merge", "table.parquet", "-o", "d.parquet").err


def test_files_are_named_beside_the_column_of_their_groups(run):
    counted(run)
    refused = run("merge", "north=c.parquet", "c.parquet", "-o", "d.parquet")
    assert (refused.code, "needs --by with the column of the groups" in refused.err) == (2, True)
    for by, said in {"": "without a name", "diagnosis": "as their label", "random_forest": "as a score"}.items():
        assert said in run("merge", "north=c.parquet", "c.parquet", "--by", by, "-o", "d.parquet").err


def test_the_help_lists_no_option_that_is_refused(run):
    said = run("count", "--help").out
    assert not any(flag in said for flag in ("--proba", "--classes", "--normalize", "--truth", "--key", "--cluster"))
    assert "--min-cell" in said


def test_merged_scores_have_one_bound_and_not_that_of_the_rounding(run):
    """A count of one class at a score is the sum of several, so that ties of the merged scores are new."""
    parquet("p.parquet", "SELECT i % 2 AS y, i % 7 / 10 AS s FROM range(60) t(i)")
    done = run("count", "p.parquet", "--label", "y", "--score", "s", "--resolution", "9", "--min-cell", "20", "-o",
               "c.parquet")  # fmt: skip
    assert "at 1 distinct score, merged" in done.out
    assert "Scores rounded" not in done.out + run("report", "c.parquet").out
    assert "neighbouring scores merged until each holds 20 rows" in done.err
