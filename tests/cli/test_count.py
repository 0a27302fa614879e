"""`thresher count` and `merge`, and the commands that read what they write."""

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
        assert model["threshold_reason"] == "0.3, the only one that was kept when the rows were counted"
    said = " ".join(run("report", "c.parquet").out.split())
    assert "Threshold 0.3, the only one that was kept when the rows were counted, is taken; --threshold" in said
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


def test_counts_are_written_whole_or_not_at_all(run, tmp_path):
    counted(run)
    before = (tmp_path / "c.parquet").read_bytes()
    (tmp_path / "q.csv").write_text("y,s\n1,0.5\n0,oops\n", encoding="utf-8")
    assert run("count", "q.csv", "--label", "y", "--score", "s", "-o", "c.parquet").code == 2
    assert (tmp_path / "c.parquet").read_bytes() == before


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


def test_files_that_cannot_be_merged_are_named_in_the_order_of_the_sentence(run, tmp_path):
    for name, by in (("a", {"age": ["x", "y"]}), ("b", None)):
        th.count([1, 0], [0.9, 0.1], by=by).save(tmp_path / f"{name}.parquet")
    for first, second, words in (("a", "b", "by 'age', the second not"), ("b", "a", "not in groups, the second by")):
        done = run("merge", f"{first}.parquet", f"{second}.parquet", "-o", "c.parquet")
        assert f"{first}.parquet cannot be combined with {second}.parquet: " in done.err
        assert f"the first are {words}" in done.err


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
    assert f"ROC AUC {summary.value:.4f} [{summary.low:.4f}, {summary.high:.4f}] over 3 groups" in done.out
    assert "little" not in done.out
    two = run("merge", "north.counts.parquet", "west.counts.parquet", "--by", "site", "-o", "two.parquet").out
    assert ("over 2 groups" in two, "little" in two) == (True, True)
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
    assert (found.i2 == 0, "agree by chance" in done.out) == (is_said, is_said)


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
