"""`thresher assess`: its numbers are those of Python, its forms, what it says of the data, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import signal
import time
from html import unescape

import numpy as np
import pytest

import thresher as th
from lean_pages import full
from thresher.cli.assess_data import indicators
from thresher.report.numbers import decimals, estimated, p_text
from thresher.resampling.nearest_mean import NearestMean
from thresher.results import Estimate

MEAN = "thresher.resampling.nearest_mean:NearestMean()"
RANDOM = np.random.default_rng(0)
Y = np.tile(["ill", "well"], 60)
X = RANDOM.normal(size=(120, 2)) + (Y == "ill")[:, None]
SITE = np.array(["a", "b", "c"] * 40)
LINES = [f"{y},{a:.6f},{b:.6f},{s},{i}" for i, (y, (a, b), s) in enumerate(zip(Y, X, SITE, strict=True))]
GIVEN = ("t.csv", "--label", "y", "--positive", "ill", "--estimator", MEAN)


@pytest.fixture(autouse=True)
def table(write):
    return write("t.csv", "y,a,b,site,id\n" + "\n".join(LINES) + "\n")


def by_hand(**options):
    rounded = np.round(X, 6)
    options = {"method": th.KFold(5), "measures": ["auc", "accuracy"], "positive": "ill", "progress": False} | options
    return th.assess(NearestMean(), rounded, Y, **options)


def test_numbers_are_those_of_python(run):
    done = run("assess", *GIVEN, "--drop", "id", "--drop", "site", "--method", "kfold:5", "--measure", "auc",
               "--measure", "accuracy", "--format", "json")  # fmt: skip
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    want = json.loads(json.dumps(by_hand().to_dict()))
    model = found["models"]["NearestMean"]
    assert model["estimates"] == want["models"]["NearestMean"]["estimates"]
    assert model["folds"]["auc"] == want["models"]["NearestMean"]["folds"]["auc"]
    assert model["estimator"] == MEAN
    assert found["data"] == {"features": ["a", "b"], "encoded": {}, "dropped": 0, "notes": []}


def test_text_shows_estimates_and_how_they_were_made(run):
    done = run("assess", *GIVEN, "--features", "a", "--features", "b", "--method", "kfold:5")
    assert done.out.startswith("120 rows, stratified 5-fold cross-validation\n")
    assert "corrected resampled t over 5 folds" in done.out
    assert f"NearestMean = {MEAN}" in done.out
    assert done.err == ""


def test_text_columns_are_coded_and_that_is_said(run):
    done = run("assess", *GIVEN, "--drop", "id", "--format", "json", "--method", "holdout:0.3")
    assert "text is coded by an indicator (0 or 1) for each value: site (3 columns)." in done.err
    found = json.loads(done.out)["data"]
    assert found["features"] == ["a", "b", "site=a", "site=b", "site=c"]
    assert found["encoded"] == {"site": ["a", "b", "c"]}
    refused = run("assess", *GIVEN, "--drop", "id", "--text", "error")
    assert refused.code == 2
    assert "'site' of t.csv is text" in refused.err
    assert "--text one-hot" in refused.err


def test_indicators_of_two_values_are_one_column_and_a_gap_is_a_value():
    two = indicators(np.array(["b", "a", "b"], dtype=object), "x", "t")
    assert {name: column.tolist() for name, column in two.items()} == {"b": [1.0, 0.0, 1.0]}
    gap = indicators(np.array(["b", None], dtype=object), "x", "t")
    assert list(gap) == ["(missing)"]


def test_a_column_that_looks_like_bookkeeping_is_pointed_at(run):
    done = run("assess", *GIVEN, "--drop", "site", "--method", "kfold:3")
    assert done.err == "thresher: 'id' is taken as a feature; leave it out with --drop id.\n"
    named = run("assess", *GIVEN, "--features", "id", "--method", "kfold:3")
    assert named.err == ""
    assert run("assess", *GIVEN, "--drop", "site", "--method", "kfold:3", "-q").err == ""


def test_groups_are_kept_whole_and_are_no_feature(run):
    done = run("assess", *GIVEN, "--drop", "id", "--groups", "site", "--method", "groups:3", "--measure", "auc",
               "--format", "json")  # fmt: skip
    found = json.loads(done.out)
    assert found["data"]["features"] == ["a", "b"]
    want = by_hand(method=th.GroupKFold(3), groups=SITE, measures=["auc"])["auc"]
    assert found["models"]["NearestMean"]["estimates"]["auc"]["value"] == want.value


def test_models_are_compared_on_the_same_splits(run):
    done = run("assess", *GIVEN, "--estimator", f"again={MEAN}", "--estimator", MEAN, "--features", "a", "--compare",
               "--measure", "auc", "--method", "repeated:2x3")  # fmt: skip
    assert "NearestMean − again" in done.out
    assert "again − NearestMean 2" in done.out
    verdict, _, compared = done.out.partition("\nConclusions\n")
    assert verdict.partition("Estimates")[0].count("have the same ROC AUC") == 1
    assert compared.partition("\n\n")[0].count("•") == 3
    assert "1.0000" in done.out  # p of a model against itself


def test_the_correction_is_that_of_python(run):
    near, same = "b=resampling_definitions:NearestNeighbour()", f"c={MEAN}"
    given = ("--estimator", near, "--estimator", same, "--features", "a", "--compare", "--measure", "f1")
    done = run("assess", *GIVEN, *given, "--method", "kfold:3", "--correction", "bonferroni", "--format", "json")
    found = json.loads(done.out)["comparisons"]
    assert [one["adjusted_p_value"] for one in found] == [min(1, 3 * one["p_value"]) for one in found]
    assert {one["correction"] for one in found} == {"bonferroni"}
    assert min(one["adjusted_p_value"] for one in found) < 1


@pytest.mark.slow
def test_series_come_beside_the_estimates_in_every_form(run):
    base = ("assess", *GIVEN, "--features", "a", "--features", "b", "--method", "kfold:3", "--measure", "auc",
            "--learning-curve", "--robustness", "labels", "--robustness", "prevalence", "--format")  # fmt: skip
    found = json.loads(run(*base, "json").out)["series"]
    assert [one["title"] for one in found] == [
        "learning curve", "robustness to label noise", "robustness to prevalence shift",
    ]  # fmt: skip
    rounded = np.round(X, 6)
    options = {"method": th.KFold(3), "measures": "auc", "positive": "ill", "progress": False}
    want = th.resampling.learning_curve(NearestMean(), rounded, Y, **options)
    assert found[0]["lines"] == json.loads(json.dumps(want.to_dict()["lines"]))
    text = run(*base, "text").out
    assert "Learning curve" in text
    assert "Robustness to label noise" in text
    rows = list(csv.DictReader(io.StringIO(run(*base, "csv").out)))
    assert [row["against"] for row in rows[:3]] == ["", "learning curve", "learning curve"]
    assert [float(row["value"]) for row in rows[1:6]] == want["auc"].values.tolist()
    page = run(*base, "markdown").out
    assert "## Robustness to prevalence shift" in page
    assert "| 0.01 | 0." in page
    refused = run("assess", *GIVEN, "--features", "a", "--method", "loo", "--learning-curve")
    assert refused.code == 2
    assert "does not judge each split by itself" in refused.err


def test_forms_and_files(run, tmp_path):
    base = (*GIVEN, "--features", "a", "--method", "kfold:3", "--measure", "auc")
    rows = list(csv.DictReader(io.StringIO(run("assess", *base, "--format", "csv").out)))
    assert [(row["model"], row["measure"]) for row in rows] == [("NearestMean", "auc")]
    done = run("assess", *base, "-o", "a.json", "-o", "a.md", "-o", "a.csv", "-o", "a.txt", "-o", "a.html",
               "--save", "p.parquet", "--format", "markdown")  # fmt: skip
    assert done.err.count("wrote ") == 6
    assert (tmp_path / "a.md").read_text(encoding="utf-8") == done.out
    assert done.out.partition("## Verdict\n\n")[2].startswith(
        "- 3 folds, fewer than 5: intervals may cover less than they say (see Notes)."
    )
    assert "\n\n| Measure | NearestMean |\n| --- | --- |\n| ROC AUC | 0." in done.out
    value = float(rows[0]["value"])
    form = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert form["models"]["NearestMean"]["estimates"]["auc"]["value"] == value
    assert "<html" in (tmp_path / "a.html").read_text(encoding="utf-8")
    from thresher.resampling import Assessment

    assert Assessment.load(tmp_path / "p.parquet")["auc"].value == value


def test_rows_without_a_label_are_refused_or_dropped(run, write):
    write("gap.csv", "y,a,b,site,id\n,1,1,a,1\n" + "\n".join(LINES) + "\n")
    given = ("assess", "gap.csv", *GIVEN[1:], "--features", "a", "--method", "kfold:3", "--format", "json")
    refused = run(*given)
    assert refused.code == 2
    assert "is empty in row 1 of gap.csv" in refused.err
    dropped = run(*given, "--missing", "drop")
    assert "1 of 121 rows without a label are dropped." in dropped.err
    assert json.loads(dropped.out)["data"]["dropped"] == 1
    assert json.loads(dropped.out)["rows"] == 120


@pytest.mark.parametrize(("flag", "said"), [("--groups", "is empty in row 2"), ("--weight", "no value in row 2")])
def test_rows_are_counted_as_in_the_file_where_some_are_dropped(run, write, flag, said):
    write("gap.csv", "y,a,b,w\n,1,1,1\nill,1,1,\n" + "\n".join(f"{line.rpartition(',')[0]}" for line in LINES) + "\n")
    given = ("assess", "gap.csv", *GIVEN[1:], "--features", "a", "--missing", "drop", flag, "w")
    refused = run(*given)
    assert refused.code == 2
    assert said in refused.err


def test_missing_features_are_said(run, write):
    write("nan.csv", "y,a,b,site,id\nill,,1,a,1\n" + "\n".join(LINES) + "\n")
    done = run("assess", "nan.csv", *GIVEN[1:], "--features", "a", "--method", "kfold:3")
    assert "missing values go to the estimator as NaN, which not every estimator takes: a (1)." in done.err
    assert done.code == 2
    assert "--on-error skip" in done.err
    more = ("--learning-curve", "--robustness", "labels", "--on-error", "skip")
    skipped = run("assess", "nan.csv", *GIVEN[1:], "--features", "a", "--method", "kfold:3", *more)
    assert skipped.code == 0, skipped.err
    assert skipped.out.count("fits failed and are left out; first the fit of") == 2


@pytest.mark.parametrize("form", ["d", ".2f"])
def test_weights_of_rows(run, write, form):
    weights = RANDOM.integers(1, 4, 120)
    write("w.csv", "y,a,b,w\n" + "\n".join(f"{y},{a:.6f},{b:.6f},{w:{form}}" for y, (a, b), w in zip(Y, X, weights,
          strict=True)) + "\n")  # fmt: skip
    done = run("assess", "w.csv", *GIVEN[1:], "--weight", "w", "--weight-kind", "frequency", "--method",
               "kfold:5", "--measure", "accuracy", "--format", "json")  # fmt: skip
    want = by_hand(weights=weights, weight_kind="frequency", measures=["accuracy"])["accuracy"]
    assert json.loads(done.out)["models"]["NearestMean"]["estimates"]["accuracy"]["value"] == want.value


def test_weights_with_decimal_commas_are_numbers_however_they_are_spelled(run, write):
    found = []
    for mark, flags in ((",", ("--decimal", ",")), (".", ())):
        rows = zip(Y, X, ["1.50", "2", "1.25"] * 40, strict=True)
        cells = [f"{y};{a:.6f};{b:.6f};{w}".replace(".", mark) for y, (a, b), w in rows]
        write("w.csv", "y;a;b;w\n" + "\n".join(cells))
        done = run("assess", "w.csv", *GIVEN[1:], "--weight", "w", *flags, "--format", "csv")
        assert done.code == 0
        found.append(done.out)
    assert found[0] == found[1]


def test_labels_that_are_numbers_are_named_as_numbers(run, write):
    write("n.csv", "y,a\n" + "\n".join(f"{1 + (y == 'ill')},{a:.6f}" for y, (a, _) in zip(Y, X, strict=True)) + "\n")
    done = run("assess", "n.csv", "--label", "y", "--positive", "2", "--estimator", MEAN, "--format", "json")
    assert json.loads(done.out)["classes"] == [1, 2]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--estimator", "os:system('true')"), "not the class of an estimator"),
        (("--estimator", "a:b(c=d)"), "character 7: 'd' is not allowed"),
        (("--estimator", f"x={MEAN}", "--estimator", f"x={MEAN}"), "two models are called 'x'"),
        (("--estimator", f"={MEAN}"), "lacks a name before its equals sign"),
        (("--compare",), "takes two models"),
        (("--method", "kfld"), "Did you mean kfold?"),
        (("--method", "groups:3"), "takes --groups COLUMN"),
        (("--compare", "--estimator", f"b={MEAN}", "--method", "nested:3x2"), "judges the choice as one model"),
        (("--measure", "aucc"), "no measure is called 'aucc'"),
        (("--features", "a", "--drop", "a"), "given to --features and to --drop"),
        (("--features", "site", "--groups", "site"), "given to --groups and to --features"),
        (("--drop", "z"), "has no column 'z'"),
        (("-o", "x.pdf"), "ends in none of"),
        (("-o", "no/x.json"), "there is no directory no"),
        (("--save", "t.csv"), "an assessment is saved as Parquet"),
        (("-o", "t.csv"), "would overwrite a file that is read"),
        (("--weight", "site"), "the weight column 'site' has 'a' in row 1"),
        (("--positive", "sick"), "not among the labels"),
        (("--label", "id", "--features", "a"), "looks like an identifier"),
        (("--level", "2"), "--level"),
    ],
)
def test_usage_is_refused_in_one_line(run, given, words):
    done = run("assess", *GIVEN, *given)
    assert done.code == 2
    assert words in done.err.splitlines()[0] or words in done.err
    assert done.out == ""


def test_a_column_of_free_text_is_refused(run, write):
    write("free.csv", "y,note\n" + "\n".join(f"{y},note {i}" for i, y in enumerate(Y)) + "\n")
    done = run("assess", "free.csv", *GIVEN[1:])
    assert done.code == 2
    assert "text with 120 values" in done.err
    assert "--drop note" in done.err


@pytest.mark.peer
def test_pipelines_that_code_text_themselves_get_a_dataframe(run):
    spec = (
        "sklearn.pipeline:make_pipeline(sklearn.compose:make_column_transformer("
        "(sklearn.preprocessing:OneHotEncoder(), ['site']), ('passthrough', ['a', 'b'])), "
        "sklearn.linear_model:LogisticRegression())"
    )
    done = run("assess", *GIVEN[:5], "--estimator", spec, "--text", "keep", "--drop", "id", "--method", "kfold:3")
    assert done.code == 0, done.err
    assert "text is left to the estimator: 'site'." in done.err
    assert "LogisticRegression" in done.out


SLOW = """
import pathlib, time
from thresher.resampling.nearest_mean import NearestMean

class Slow(NearestMean):
    def fit(self, X, y):
        done = pathlib.Path("fits")
        count = int(done.read_text()) + 1 if done.exists() else 1
        done.write_text(str(count))
        time.sleep(0.01 if count <= 3 else 60)
        return super().fit(X, y)
"""


def interrupted_in_the_fourth_fit(started, environment, write, tmp_path, *given):
    """Exit code, stdout and stderr of a command that got Ctrl-C while the fourth fit ran."""
    write("slow.py", SLOW)
    path = f"{environment()['PYTHONPATH']}{os.pathsep}{tmp_path}"
    ran = started("assess", *GIVEN[:5], "--estimator", "slow:Slow()", "--features", "a", "--measure", "auc", *given,
                  PYTHONPATH=path)  # fmt: skip
    until = time.monotonic() + 60
    while not (tmp_path / "fits").exists() or (tmp_path / "fits").read_text() != "4":
        assert time.monotonic() < until, "the fourth fit never began"
        time.sleep(0.05)
    time.sleep(0.3)  # until the fit sleeps: Python drops an interrupt that comes while it ends an object
    ran.send_signal(signal.SIGINT)
    out, err = (stream.decode() for stream in ran.communicate(timeout=60))
    assert (tmp_path / "fits").read_text() == "4"
    return ran.returncode, out, err


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--learning-curve", "--robustness", "noise")], ids=["alone", "before curves"])
def test_ctrl_c_shows_what_is_done(started, environment, write, tmp_path, more):
    code, out, err = interrupted_in_the_fourth_fit(started, environment, write, tmp_path, *more)
    assert code == 130
    assert "Interrupted after 3 of 10 fits" in out
    assert "AUC" in out
    assert "Interrupted after 3 of 10 fits" in err


@pytest.mark.slow
def test_ctrl_c_in_a_curve_shows_the_estimates(started, environment, write, tmp_path):
    given = ("--method", "kfold:3", "--learning-curve", "--robustness", "noise")
    code, out, err = interrupted_in_the_fourth_fit(started, environment, write, tmp_path, *given)
    assert code == 130
    assert "corrected resampled t over 3 folds" in out
    assert "Interrupted" not in out
    assert "interrupted: --learning-curve and everything after it is not shown." in err


def shown(page):
    """Rows of every table of a page by its caption, as text: heads that span rows are written once."""
    tables = {}
    for table in re.findall(r"<table.*?</table>", full(page).replace("<wbr>", ""), re.DOTALL):
        caption = unescape(re.search(r"<caption[^>]*>(.*?)</caption>", table, re.DOTALL)[1])
        rows = re.findall(r"<tr.*?</tr>", table.partition("<tbody>")[2], re.DOTALL)
        cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
        words = [[unescape(re.sub(r"<[^>]+>", " ", cell)).replace("−", "-").split() for cell in row] for row in cells]
        tables[caption] = [[" ".join(cell) for cell in row] for row in words]
    return tables


def in_table(estimates):
    """Estimates of the JSON form as a table of a page writes them."""
    found = [
        Estimate(name="", value=math.nan if each["value"] is None else each["value"], low=each["low"],
                 high=each["high"]) for each in estimates
    ]  # fmt: skip
    return [estimated(each, decimals(*found)) for each in found]


@pytest.mark.parametrize("method", ["repeated:2x3", "subsampling:4", "holdout:0.4"])
def test_page_text_table_and_json_say_the_same(run, tmp_path, method):
    names = ("a.html", "a.json", "a.csv", "a.md", "a.txt")
    outputs = [part for name in names for part in ("-o", name)]
    done = run("assess", *GIVEN, "--estimator", f"again={MEAN}", "--features", "a", "--features", "b", "--measure",
               "auc", "--measure", "f_beta:beta=2", "--measure", "brier_score", "--compare", "--learning-curve",
               "--method", method, *outputs, "-q")  # fmt: skip
    assert done.code == 0
    page, form, table, markdown, text = ((tmp_path / name).read_text(encoding="utf-8") for name in names)
    want, tables = json.loads(form), shown(page)
    models = want["models"].values()
    titles = {"auc": "ROC AUC", "f_beta:beta=2": "F-beta (beta 2)", "brier_score": "Brier score"}
    assert all(f"\n| {title} |".casefold() in markdown.casefold() for title in titles.values())
    several = {"estimates": "Estimates"}
    if want["models"]["again"]["pooled"]:
        several["pooled"] = "Predictions of all folds taken together"
    for key, table in several.items():
        rows = {row[0]: row[1:] for row in tables[table]}
        known = [cell for title in titles.values() for cell in rows[title]]
        assert known == in_table([model[key][measure] for measure in titles for model in models])
    assert "Label column</dt><dd>y</dd>" in full(page)
    assert {row[1] for row in tables["Facts of the models"]} == {"classes"}
    assert len(tables["How rows were split"]) == {"r": 6, "s": 4, "h": 1}[method[0]]
    for each in (finding["text"] for finding in want["findings"] if finding["code"] != "interval"):
        assert each in " ".join(text.split())
        assert each in markdown.replace("\\", "")
        assert each in unescape(page).replace("−", "-").replace("\xa0", " ")
    assert want["label"] == "y"
    said = tables["Which is better"]
    assert [row[2] for row in said] == in_table([one | {"value": one["difference"]} for one in want["comparisons"]])
    p_values = [math.nan if one["p_value"] is None else one["p_value"] for one in want["comparisons"]]
    assert [row[3] for row in said] == [p_text(p).split()[-1] for p in p_values]
    assert [one["sentence"] for one in want["comparisons"] if one["sentence"] not in " ".join(text.split())] == []
    assert [one["sentence"] for one in want["comparisons"] if one["sentence"] not in markdown.replace("\\", "")] == []
    assert "DeLong" not in page.partition("Held-out predictions")[0] or method.startswith("holdout")
    assert "McNemar" not in page
    curve = [row[-2:] for row in tables["Learning curve: values"]]
    lines = want["series"][0]["lines"]
    points = [[line["estimates"][i] for line in lines if line["measure"] == m] for m in titles for i in range(5)]
    assert [cell for pair in curve for cell in pair] == in_table([point for pair in points for point in pair])
    written = list(csv.DictReader(io.StringIO(table)))
    compared = [row for row in written if row["against"] == "difference"]
    for row, one in zip(compared, want["comparisons"], strict=True):
        assert row["model"] == " − ".join(one["models"])
        for column, key in {"value": "difference", "low": "low", "high": "high", "p_value": "p_value"}.items():
            assert row[column] == ("" if one[key] is None else repr(one[key]))


def test_a_caveat_of_several_comparisons_stands_once_in_markdown(run, write, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(tmp_path)
    write("one_column.py", """
from thresher.resampling.nearest_mean import NearestMean

class First(NearestMean):
    def fit(self, X, y):
        return super().fit(X[:, :1], y)

    def decision_function(self, X):
        return super().decision_function(X[:, :1])
""")  # fmt: skip
    done = run("assess", *GIVEN, "--estimator", "first=one_column:First()", "--features", "a", "--features", "b",
               "--compare", "--measure", "auc", "--measure", "accuracy", "--method", "kfold:5",
               "--format", "markdown")  # fmt: skip
    assert "No significant difference in" in done.out
    assert done.out.count("not show equality") == 1
