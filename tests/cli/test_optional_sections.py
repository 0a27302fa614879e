"""Reject options, partial areas, smooth and mean curves by the command: the values of Python, and what is refused."""

import csv
import io
import json

import numpy as np
import pytest

import thresher as th
from thresher.decisions import Costs
from thresher.report.build import build
from thresher.report.render.json import document_dict
from thresher.report.request import DecisionOptions

RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 2, 120)
SCORE = np.round(1 / (1 + np.exp(-RNG.normal(size=120) - 1.5 * (TRUTH - 0.5))), 2)
FOLD, SITE = np.arange(120) % 4, np.where(np.arange(120) % 3, "x", "y")
TEXT = "y,p,fold,site\n" + "".join(f"{y},{p},{f},{s}\n" for y, p, f, s in zip(TRUTH, SCORE, FOLD, SITE, strict=True))
GIVEN = ("rows.csv", "--label", "y", "--score", "p")
COST = ("--cost-fp", "1", "--cost-fn", "5")
pytestmark = pytest.mark.usefixtures("rows")


@pytest.fixture
def rows(write):  # type: ignore[no-untyped-def]
    return write("rows.csv", TEXT)


def evaluation(**options):  # type: ignore[no-untyped-def]
    return th.evaluate(TRUTH, {"p": SCORE}, by={"site": SITE}, **options)


RULES = [
    ("deferral=0.2", COST, {"costs": Costs(fp=1, fn=5), "deferral": 0.2}),
    ("accuracy>=0.9", (), {"accuracy": 0.9}),
    ("upper=precision>=0.8,lower=npv>=0.8", (), {"upper": "precision>=0.8", "lower": "npv>=0.8"}),
    ("upper=0.7,lower=0.3", ("--prevalence", "10%"), {"upper": 0.7, "lower": 0.3, "prevalence": 0.1}),
]


@pytest.mark.parametrize(("rule", "flags", "how"), RULES)
def test_reject_options_are_those_of_python(run, rule, flags, how) -> None:  # type: ignore[no-untyped-def]
    want = evaluation()["p"].with_reject(**how)
    found = json.loads(run("threshold", *GIVEN, "--reject", rule, *flags, "--format", "json").out)
    assert found["reject_options"] == [json.loads(json.dumps(want.to_dict()))]
    assert run("threshold", *GIVEN, "--reject", rule, *flags).out.strip() == str(want).strip()
    table = list(csv.DictReader(io.StringIO(run("threshold", *GIVEN, "--reject", rule, *flags, "--format", "csv").out)))
    own = {row["measure"]: row for row in table}
    assert float(own["reportable_rate"]["low"]) == want.reportable_rate.low
    assert float(own["accuracy"]["value"]) == want.measures["accuracy"].value
    assert {float(row["upper"]) for row in table} == {want.option.upper}
    said = run("threshold", *GIVEN, "--reject", rule, *flags, "--format", "markdown").out
    assert said.startswith(f"## p: {want.option.criterion}".replace(">", "\\>"))


def test_a_report_has_what_python_s_has(run) -> None:  # type: ignore[no-untyped-def]
    flags = ("--fold", "fold", "--partial", "fpr<=0.2", "--partial", "recall>=0.5", "--smooth", "binormal",
             "--average", "threshold", "--reject", "deferral=0.2", "--bootstrap", "20")  # fmt: skip
    done = run("report", *GIVEN, *flags, *COST, "--format", "json")
    rows = th.evaluate(TRUTH, {"p": SCORE}, fold=FOLD, bootstrap=20)
    asked = {"partial": ["fpr<=0.2", "recall>=0.5"], "smooth": "binormal", "average": "threshold"}
    document = build(rows, deciding=DecisionOptions.of(Costs(fp=1, fn=5), None, reject="deferral=0.2", **asked))
    want, got = json.loads(json.dumps(document_dict(document)))["models"]["p"], json.loads(done.out)["models"]["p"]
    for key in ("partial_areas", "binormal", "fold_average", "reject_option"):
        assert got[key] == want[key]
    assert got["partial_areas"][1]["raw"]["method"].startswith("mean of 4 folds, standard errors combined")
