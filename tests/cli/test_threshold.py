"""`thresher threshold`: the values of Python in every form, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import thresher as th
from thresher.cli.threshold import undominated
from thresher.decisions import Costs, non_dominated

ROWS = [
    (1, 0.9, "x"), (0, 0.2, "x"), (1, 0.8, "y"), (0, 0.3, "y"), (1, 0.6, "x"),
    (0, 0.7, "y"), (1, 0.55, "x"), (0, 0.1, "x"), (1, 0.95, "y"), (0, 0.4, "y"),
]  # fmt: skip
TEXT = "outcome,a,site\n" + "".join(f"{y},{a},{site}\n" for y, a, site in ROWS)
GIVEN = ("threshold", "rows.csv", "--label", "outcome", "--score", "a")
pytestmark = pytest.mark.usefixtures("rows")


@pytest.fixture
def rows(write):  # type: ignore[no-untyped-def]
    return write("rows.csv", TEXT)


def model(**options):  # type: ignore[no-untyped-def]
    y, a, site = zip(*ROWS, strict=True)
    return th.evaluate(list(y), {"a": list(a)}, by={"site": list(site)}, **options)


CRITERIA = [
    (("--max", "youden"), {"maximize": "youden"}),
    (("--max", "f_beta:beta=2"), {"maximize": "f_beta(beta=2)"}),
    (("--min", "error_rate"), {"minimize": "error_rate"}),
    (("--max", "tpr", "--bound", "fpr<=0.2"), {"maximize": "tpr", "where": "fpr<=0.2"}),
    (("--max", "precision", "--bound", "tpr>=0.8", "--bound", "fpr<0.5"),
     {"maximize": "precision", "where": ["tpr>=0.8", "fpr<0.5"]}),
    (("--cost-fp", "1", "--cost-fn", "20", "--prevalence", "0.1%"), {"cost_fp": 1, "cost_fn": 20, "prevalence": 0.001}),
    (("--cost-fp", "-1", "--cost-fn", "-5", "--cost-tp", "5", "--cost-tn", "1", "--benefit"),
     {"costs": Costs(fp=-1, fn=-5, tp=5, tn=1, benefit=True)}),
    (("--top", "3"), {"top_k": 3}),
    (("--top", "30%"), {"top_share": 0.3}),
    (("--top", "0.3"), {"top_share": 0.3}),
    (("--closest-corner",), {"closest_corner": True}),
    (("--match-prevalence",), {"match_prevalence": True}),
]  # fmt: skip


@pytest.mark.parametrize(("flags", "how"), CRITERIA)
def test_json_has_the_values_of_python(run, flags, how) -> None:  # type: ignore[no-untyped-def]
    done = run(*GIVEN, *flags, "--format", "json", "--bootstrap", "30", "--seed", "4")
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    chosen = model().choose(**how, bootstrap=th.Bootstrap(n=30, rng=4))
    assert found["thresholds"] == [json.loads(json.dumps(chosen.to_dict()))]
    assert found["schema"] == 1


def test_text_says_all_there_is(run) -> None:  # type: ignore[no-untyped-def]
    done = run(*GIVEN, "--cost-fp", "1", "--cost-fn", "20", "--prevalence", "0.001", "--bootstrap", "50")
    words = " ".join(done.out.split())
    assert done.out.startswith("a: least expected cost: ")
    for said in (
        "correct",
        "Expected cost",
        "Cheapest at a prevalence of 0.001 if a miss costs",
        "Chosen again on 50 bootstrap replicates of rows within classes, seed 0",
        "corrected for optimism",
        "chosen on the same rows",
    ):
        assert said in words
    assert (
        done.out == run(*GIVEN, "--cost-fp", "1", "--cost-fn", "20", "--prevalence", "0.001", "--bootstrap", "50").out
    )


def test_text_and_json_agree(run) -> None:  # type: ignore[no-untyped-def]
    text = run(*GIVEN, "--max", "mcc").out
    found = json.loads(run(*GIVEN, "--max", "mcc", "--format", "json").out)["thresholds"][0]
    lines = {line[:24].strip(): line[24:].split()[0] for line in text.splitlines() if line.startswith(("Recall", "F1"))}
    assert lines["F1"] == f"{found['measures']['f1']['value']:.2f}"
    for sentence in found["sentences"]:
        assert " ".join(sentence.split()) in " ".join(text.replace("• ", "").split())


def test_groups_follow_and_a_group_without_a_threshold_is_told(run, write) -> None:  # type: ignore[no-untyped-def]
    write("rows.csv", TEXT + "1,0.5,z\n")
    done = run(*GIVEN, "--by", "site", "--max", "youden", "--format", "csv")
    table = list(csv.DictReader(io.StringIO(done.out)))
    assert list(dict.fromkeys(row["group"] for row in table)) == ["", "site=x", "site=y"]
    assert "a, site=z: max informedness is undefined" in done.err
    found = json.loads(run(*GIVEN, "--by", "site", "--max", "youden", "--format", "json").out)
    assert [each["group"] for each in found["thresholds"]] == [None, "site=x", "site=y"]
    assert "no-threshold" in [note["code"] for note in found["notes"]]
    expected = model().groups["x"].choose("youden")
    assert found["thresholds"][1]["threshold"] == expected.threshold


@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown"])
def test_a_file_has_what_stdout_would_have(run, tmp_path, form) -> None:  # type: ignore[no-untyped-def]
    suffix = {"text": "txt", "markdown": "md"}.get(form, form)
    done = run(*GIVEN, "--max", "mcc", "-o", f"out.{suffix}")
    assert (done.code, done.out) == (0, run(*GIVEN, "--max", "mcc").out)
    assert f"wrote out.{suffix}" in done.err
    said = run(*GIVEN, "--max", "mcc", "--format", form).out
    assert (tmp_path / f"out.{suffix}").read_text(encoding="utf-8") == said
    assert run(*GIVEN, "--max", "mcc", "--format", "md").out == run(*GIVEN, "--max", "mcc", "--format", "markdown").out


def test_thresholds_worth_a_look(run) -> None:  # type: ignore[no-untyped-def]
    done = run(*GIVEN, "--non-dominated", "--format", "csv")
    table = list(csv.DictReader(io.StringIO(done.out)))
    whole = model()["a"].table
    assert [float(row["threshold"]) for row in table] == whole.thresholds[non_dominated(whole)].tolist()
    for row in table:
        found = model().choose("max tpr", where=f"fpr<={float(row['FPR']) + 1e-9}")
        assert found.threshold == float(row["threshold"])
        if row["cost_ratio_low"]:
            low, high = found.valid.cost_ratios
            assert float(row["cost_ratio_low"]) == pytest.approx(low)
            assert float(row["cost_ratio_high"]) == pytest.approx(high)
        else:
            assert not found.is_on_hull
    rare = run(*GIVEN, "--non-dominated", "--format", "json", "--prevalence", "0.01")
    assert json.loads(rare.out)[1]["cost_ratio_low"] == pytest.approx(float(table[1]["cost_ratio_low"]) / 99)


def test_a_score_that_is_worse_than_random_is_told(run, write) -> None:  # type: ignore[no-untyped-def]
    write("worse.csv", "outcome,a\n" + 10 * "1,0.1\n0,0.9\n1,0.2\n0,0.15\n")
    given = ("threshold", "worse.csv", "--label", "outcome", "--score", "a", "--max", "youden")
    assert "below ½" in run(*given).err
    assert run(*given, "-q").err == ""


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ((), "a threshold is chosen by one criterion, and none was given: give one of --max"),
        (("--max", "mcc", "--top", "3"), "--max and --top were given"),
        (("--max", "mcc", "--cost-fp", "1", "--cost-fn", "2"), "--max and --cost-fp with --cost-fn were given"),
        (("--top", "-3"), "a budget of -3 rows"),
        (("--cost-fp", "1"), "--cost-fp was given without --cost-fn"),
        (("--cost-tp", "1"), "--cost-tp was given without --cost-fp and --cost-fn"),
        (("--max", "mccc"), "no measure is called 'mccc'"),
        (("--max", "tpr", "--bound", "fpr"), "is not a condition"),
        (("--max", "tpr", "--bound", "fpr<0"), "no threshold has"),
        (("--max", "mcc", "--prevalence", "2"), "2 is not a prevalence"),
        (("--max", "mcc", "--prevalence", "often"), "'often' is not a prevalence"),
        (("--top", "5x"), "'5x' is not a number of rows such as 100, or a share such as 5%."),
        (("--max", "mcc", "--level", "2"), "--level"),
        (("--max", "mcc", "--bootstrap", "1"), "--bootstrap"),
        (("--max", "mcc", "-o", "out.tex"), "ends in none of"),
        (("--max", "mcc", "-o", "no/out.json"), "there is no"),
        (("--non-dominated", "--max", "mcc"), "no criterion goes with it"),
    ],
)
def test_usage_is_refused_in_one_line(run, flags, words) -> None:  # type: ignore[no-untyped-def]
    done = run(*GIVEN, *flags)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert "=" not in done.err.split(":")[0]


def test_a_budget_that_ties_use_up_is_no_best_threshold(run, write) -> None:  # type: ignore[no-untyped-def]
    write("ties.csv", "y,a\n1,0.9\n0,0.9\n1,0.9\n0,0.1\n")
    done = run("threshold", "ties.csv", "--label", "y", "--score", "a", "--top", "2")
    assert "“1” is never predicted: the threshold is beyond all scores." in done.out


def test_options_are_checked_before_reading(run) -> None:  # type: ignore[no-untyped-def]
    done = run("threshold", "absent.csv", "--label", "outcome", "--score", "a", "--max", "mccc")
    assert "mccc" in done.err


@pytest.mark.parametrize(("given", "flag"), [(("--bootstrap", "20"), "--bootstrap"), (("--by", "g"), "--by")])
def test_a_list_of_thresholds_refuses_what_it_would_not_heed(run, write, given, flag) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", "y,p,g\n1,0.9,a\n0,0.2,b\n1,0.6,a\n")
    done = run("threshold", "a.csv", "--label", "y", "--score", "p", "--non-dominated", *given)
    assert (done.code, done.out) == (2, "")
    assert f"so {flag} does not go with it." in done.err


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_list_of_thresholds_says_which_rows_were_dropped(run, write, form) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", "y,p\n1,0.9\n0,\n0,0.2\n1,0.6\n")
    call = ("threshold", "a.csv", "--label", "y", "--score", "p", "--missing", "drop", "--non-dominated")
    done = run(*call, "--format", form)
    assert done.code == 0
    assert "1 of 4 rows" in done.err
    assert run(*call, "--format", form, "--quiet").err == ""


@pytest.mark.parametrize(
    ("prevalence", "low", "high"),
    [(0.0, [0.0, 0.0], [np.nan, 0.0]), (1.0, [np.inf, np.nan], [np.inf, np.inf])],
)
def test_cost_ratios_at_a_prevalence_of_0_or_1(prevalence, low, high):
    model = th.evaluate([1, 0, 1, 0, 1, 0], [0.9, 0.2, 0.3, 0.6, 0.7, 0.1])["score"]
    found = undominated(model, prevalence)
    shown = found.columns(0, found.length)
    np.testing.assert_array_equal(shown["cost_ratio_low"], low)
    np.testing.assert_array_equal(shown["cost_ratio_high"], high)


def test_the_page_has_the_numbers_of_the_text(run) -> None:  # type: ignore[no-untyped-def]
    text = run(*GIVEN, "--max", "mcc", "-o", "out.html").out
    page = Path("out.html").read_text(encoding="utf-8").replace("\N{NO-BREAK SPACE}", " ")
    assert f">{text.splitlines()[0]}</h2>" in page
    (line,) = [line.split() for line in text.splitlines() if line.startswith("Balanced accuracy")]
    assert f"<td>{line[2]}<td>{' '.join(line[3:])}" in page
    assert "<td>∞" in run(*GIVEN, "--non-dominated", "--format", "html").out.replace("+inf", "∞")
