"""Whole outputs of every view in every form, rewritten when it is run as a program: read the difference."""

import difflib
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import thresher as th
from printed import printed
from sessions import own_folder, ran, steady

HERE = Path(__file__).parent / "views"
CANCER = "breast_cancer.csv --label diagnosis --positive malignant --score logistic_regression"
WINE = "wine.csv --label cultivar --proba bayes_ --proba logistic_"
COSTS = "--cost-fp 1 --cost-fn 5 --prevalence 0.1"
NEAREST = "thresher.resampling.nearest_mean:NearestMean()"
FORMS = ("txt", "json", "csv", "md", "html", "tex")
ONCE = ("out", "csv", "md", "html", "tex")
"""Outputs of the first command of a view only: they show the same blocks as the text and the JSON."""
VIEWS = {
    "evaluate": (
        f"report {CANCER} --score naive_bayes --where fold<4 {COSTS} --reject deferral=0.2 --top 20 --paper",
        f"report {CANCER} --by nucleus_size --fold fold --where fold<3 --partial fpr<=0.2 --smooth binormal "
        "--average vertical",
        f"report {WINE} --by color --cost-matrix costs.csv",
        "report tags.csv --label tag_* --score net_* --missing drop",
        "report ten.csv",
        "report signed.csv --label y --score m",
        "report judged.csv --label human --judge judge --score s --by half --paper",
        "report sites.parquet",
    ),
    "compare": (
        f"compare {CANCER} --score random_forest --score naive_bayes --measure auc "
        "--measure recall@fpr=0.1 --bootstrap 50",
        f"compare {CANCER} --score naive_bayes --measure accuracy --by nucleus_size --margin 0.02",
        f"compare {WINE} --measure macro_f1",
    ),
    "threshold": (
        f"threshold {CANCER} --score naive_bayes {COSTS} --bootstrap 50",
        f"threshold {CANCER} {COSTS} --reject deferral=0.2",
        f"threshold {CANCER} --score naive_bayes --max tpr --bound fpr<=0.05",
        f"threshold {WINE} --cost-matrix costs.csv",
    ),
    "assess": (
        f"assess breast_cancer.csv --label diagnosis --positive malignant --drop id --drop fold --method kfold:3 "
        f"--estimator all={NEAREST} --estimator again={NEAREST} --estimator third={NEAREST} --compare "
        "--learning-curve --measure auc --measure accuracy --save saved.parquet",
    ),
    "rank": (
        "rank digit_search.qrels digit_search.blocks.run digit_search.pixels.run --compare --margin 0.05 "
        "-m map -m ndcg_cut.10 -m P.5 -m recip_rank",
    ),
    "calibrate": (
        f"calibrate {CANCER} --method platt --apply ten_rows.csv",
        f"calibrate {CANCER} --method isotonic --apply ten_rows.csv",
        "calibrate wine.csv --label cultivar --proba bayes_ --apply few_wines.csv",
    ),
}  # fmt: skip
"""Commands by view; each writes all forms that its view has."""
SUFFIXES = dict.fromkeys(VIEWS, FORMS) | {
    "threshold": FORMS[:-1], "rank": (*FORMS, "jsonl", "tsv", "trec"), "calibrate": ("json", "csv"),
}  # fmt: skip


def prepared() -> None:
    """Write the files that the commands read."""
    for name in ("breast_cancer", "wine", "ten", "digit_search"):
        assert ran(f"example {name}").exit_code == 0
    Path("costs.csv").write_text("truth,1,2,3\n1,0,1,1\n2,5,0,1\n3,5,1,0\n", "utf-8")
    rows = ("1,0,0.9,0.2", "0,1,0.3,0.8", "1,1,0.6,0.7", "0,0,0.5,0.1", "0,1,,0.4", "1,0,0.2,0.6")
    Path("tags.csv").write_text("\n".join(["tag_a,tag_b,net_a,net_b", *rows]) + "\n", "utf-8")
    cells = [f"{i % 2},{i % 2 - i * 7 % 5 - 0.5}" for i in range(8)]
    Path("signed.csv").write_text("\n".join(["y,m", *cells]) + "\n", "utf-8")
    drawn = np.random.default_rng(12)
    truth = (drawn.random(400) < 0.3).astype(int)
    score, judge = np.round(drawn.normal(truth) / 8 + 0.5, 3), np.where(drawn.random(400) < 0.9, truth, 1 - truth)
    lines = [
        f"{y if i < 100 else ''},{j},{s},{i % 2}" for i, (y, j, s) in enumerate(zip(truth, judge, score, strict=True))
    ]
    Path("judged.csv").write_text("\n".join(["human,judge,s,half", *lines]) + "\n", "utf-8")
    th.count({"y": truth, "s": score, "site": np.arange(400) % 3}, "s", label="y", by="site").save("sites.parquet")
    for name, few in (("breast_cancer", "ten_rows"), ("wine", "few_wines")):
        lines = Path(f"{name}.csv").read_text("utf-8").splitlines(keepends=True)
        Path(f"{few}.csv").write_text("".join([lines[0], *lines[1 :: len(lines) // 10]]), "utf-8")


@cache
def printed_values() -> str:
    """Return results of Python as `print` and a notebook show them."""
    lines = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "80")
        for name, make in printed():
            lines += [f"# {name}", *steady(re.sub(r"(?=<[a-z])", "\n", make())), ""]
    return "\n".join(lines)


@cache
def shown(view: str) -> dict[str, str]:
    """Return the outputs of all commands of a view by suffix: what is printed, and the files."""
    found = {suffix: [] for suffix in ("out", *SUFFIXES[view])}
    with own_folder() as folder:
        prepared()
        for place, command in enumerate(VIEWS[view]):
            is_whole = place == 0 or view == "calibrate"
            suffixes = [suffix for suffix in SUFFIXES[view] if is_whole or suffix not in ONCE]
            files = {suffix: Path(f"shown.{suffix}") for suffix in suffixes}
            done = ran(command + "".join(f" -o {file}" for file in files.values()))
            assert done.exit_code == 0, done.stderr
            texts = {suffix: file.read_text("utf-8") for suffix, file in files.items()}
            texts |= {"out": done.stdout + done.stderr} if is_whole else {}
            for suffix, text in texts.items():
                found[suffix] += [f"$ thresher {command}", *steady(text, folder), ""]
    return {suffix: "\n".join(lines) + "\n" for suffix, lines in found.items()}


@pytest.mark.parametrize(("view", "suffix"), [(view, suffix) for view in VIEWS for suffix in ("out", *SUFFIXES[view])])
def test_a_view_is_as_it_was_approved(view, suffix):
    approved = (HERE / f"{view}.{suffix}").read_text("utf-8")
    changes = difflib.unified_diff(approved.splitlines(), shown(view)[suffix].splitlines(), lineterm="", n=0)
    assert "\n".join(list(changes)[:40]) == ""


def test_values_are_printed_as_they_were_approved():
    approved = (HERE / "printed.txt").read_text("utf-8")
    changes = difflib.unified_diff(approved.splitlines(), printed_values().splitlines(), lineterm="", n=0)
    assert "\n".join(list(changes)[:40]) == ""


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    (HERE / "printed.txt").write_text(printed_values(), "utf-8")
    for view in VIEWS:
        for suffix, text in shown(view).items():
            (HERE / f"{view}.{suffix}").write_text(text, "utf-8")
