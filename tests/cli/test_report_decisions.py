"""`thresher report` with costs and prevalences."""

import json

import pytest

import thresher as th
from thresher.decisions import Costs
from thresher.report.build import build
from thresher.report.render.json import document_dict
from thresher.report.request import DecisionOptions

ROWS = "y,p,q\n1,0.9,0.1\n1,0.8,0.4\n0,0.7,0.6\n1,0.6,0.3\n0,0.2,0.9\n0,0.1,0.2\n"
GIVEN = ("report", "rows.csv", "--label", "y", "--score", "p", "--score", "q")
pytestmark = pytest.mark.usefixtures("rows")


@pytest.fixture
def rows(write):  # type: ignore[no-untyped-def]
    return write("rows.csv", ROWS)


@pytest.mark.parametrize(
    ("flags", "costs", "prevalence"),
    [
        ((), None, None),
        (("--cost-fp", "1", "--cost-fn", "20"), Costs(fp=1, fn=20), None),
        (("--cost-fp", "1", "--cost-fn", "20", "--prevalence", "0.1%", "--prevalence", "0.2"),
         Costs(fp=1, fn=20), [0.001, 0.2]),
        (("--cost-fp", "-1", "--cost-fn", "-9", "--cost-tp", "3", "--cost-fixed", "1", "--benefit"),
         Costs(fp=-1, fn=-9, tp=3, fixed=1, benefit=True), None),
    ],
)  # fmt: skip
def test_chosen_thresholds_are_those_of_python(run, flags, costs, prevalence) -> None:  # type: ignore[no-untyped-def]
    done = run(*GIVEN, *flags, "--format", "json")
    found = json.loads(done.out)["models"]
    evaluation = th.evaluate(
        [1, 1, 0, 1, 0, 0], {"p": [0.9, 0.8, 0.7, 0.6, 0.2, 0.1], "q": [0.1, 0.4, 0.6, 0.3, 0.9, 0.2]}
    )
    expected = document_dict(build(evaluation, deciding=DecisionOptions.of(costs, prevalence)))["models"]
    for name in ("p", "q"):
        assert found[name]["chosen"] == json.loads(json.dumps(expected[name]["chosen"]))
        assert ("cost" in found[name]["chosen"]) == (costs is not None)


def test_the_summary_beside_a_file_has_the_requested_sections_and_no_more(run) -> None:  # type: ignore[no-untyped-def]
    bare = run(*GIVEN, "-o", "a.md").out
    asked = run(*GIVEN, "--cost-fp", "1", "--cost-fn", "5", "--top", "50%", "-o", "b.md").out
    chosen, top = "\nWhere to put the threshold\n", "\nHighest scores\n"
    assert chosen not in bare
    assert chosen in asked
    assert top in asked
    assert "\nCompared with trivial baselines\n" not in asked
    assert asked.endswith("The whole report is in b.md.\n")
