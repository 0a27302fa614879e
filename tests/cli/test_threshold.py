"""`thresher threshold`: the values of Python in every form, and what it refuses."""

import csv
import io
import json

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


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
@pytest.mark.parametrize("how", [("--top", "0"), ("--cost-fp", "100", "--cost-fn", "1"), ("--max", "youden")])
def test_a_threshold_beyond_all_scores_is_no_infinity(run, write, form, how) -> None:  # type: ignore[no-untyped-def]
    write("worse.csv", "y,s\n0,1\n0,0.9\n1,0.8\n0,0.7\n1,0.1\n")
    done = run("threshold", "worse.csv", "--label", "y", "--score", "s", *how, "--format", form)
    assert (done.code, "∞" in done.out) == (0, False)
