"""A report of several classes with a cost matrix: what deciding by it costs, before and after, in every form."""

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner

import thresher as th
from thresher.cli.main import cli
from thresher.decisions import Costs
from thresher.errors import OptionError, TaskError
from thresher.report.build import build
from thresher.report.numbers import number
from thresher.report.render.html.page import document_page
from thresher.report.render.json import document_dict, schema
from thresher.report.render.markdown import document_markdown
from thresher.report.render.text import document_text
from thresher.report.request import DecisionOptions
from thresher.report.sections.order import sections_of

COSTS = [[0, 1, 1], [5, 0, 1], [5, 1, 0]]


def wine():
    return th.evaluate(th.load_example("wine"), label="cultivar", probabilities="bayes_")


def sections(document):
    return {each.key: each for each in sections_of(document)}


@pytest.mark.parametrize("gains", [False, True])
def test_mean_costs_are_those_of_the_rows(gains):
    evaluation = wine()
    model = evaluation["bayes"]
    document = build(evaluation, deciding=DecisionOptions.of(COSTS, None, gains=gains))
    table = np.array(COSTS, dtype=float)
    expected = model.posteriors.matrix @ (-table if gains else table)
    truth = model.posteriors.codes
    by_costs, before = (
        table[truth, codes] for codes in (expected.argmin(axis=1), model.posteriors.matrix.argmax(axis=1))
    )
    found = sections(document)
    ((name, after, first, changed, *measures),) = found["costed"].rows
    assert (name, after.value, first.value) == ("bayes", pytest.approx(by_costs.mean()), pytest.approx(before.mean()))
    assert found["costed"].columns[1] == ("Mean gain" if gains else "Mean cost")
    assert changed.value == pytest.approx((expected.argmin(axis=1) != model.posteriors.matrix.argmax(axis=1)).mean())
    assert measures[0].value == pytest.approx((expected.argmin(axis=1) == truth).mean())
    assert found["cost-matrix"].title == ("Gains" if gains else "Costs")
    for k, row in enumerate(found["costed-bayes"].rows):
        assert row[3] == (expected.argmin(axis=1) == k).sum()
        assert row[5] == pytest.approx((expected.argmin(axis=1) == k)[truth == k].mean())
    kept = document_dict(document)["models"]["bayes"]["decided_by_costs"]
    assert (kept["costs"], kept["benefit"], kept["mean"]["value"]) == (COSTS, gains, pytest.approx(by_costs.mean()))
    assert kept["confusion_matrix"]["counts"] == model.decide(costs=COSTS, benefit=gains).matrix.counts.tolist()


def test_every_form_says_it_and_the_schema_takes_it():
    document = build(wine(), points=True, deciding=DecisionOptions.of({"1": {"2": 3}}, None))
    want = number(wine()["bayes"].decide(costs={"1": {"2": 3}}).cost.value, 3)
    for text in (document_text(document, width=200), document_markdown(document), document_page(document)):
        assert "Decided by costs" in text
        assert want in text
    pytest.importorskip("jsonschema").validate(json.loads(json.dumps(document_dict(document))), schema())
    plain = build(wine())
    assert "costed" not in sections(plain)
    assert "decided_by_costs" not in document_dict(plain)["models"]["bayes"]


def test_files_and_the_command_say_the_same(tmp_path):
    path = tmp_path / "report.json"
    wine().report(path, costs=COSTS)
    found = json.loads(path.read_text("utf-8"))["models"]["bayes"]["decided_by_costs"]
    with (tmp_path / "costs.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["truth", 1, 2, 3], *([k + 1, *row] for k, row in enumerate(COSTS))])
    rows = tmp_path / "wine.csv"
    with rows.open("w", newline="") as file:
        example = th.load_example("wine")
        names = ["cultivar", "bayes_1", "bayes_2", "bayes_3"]
        csv.writer(file).writerows([names, *zip(*(list(example[name]) for name in names), strict=True)])
    base = ["report", str(rows), "--label", "cultivar", "--proba", "bayes_*", "--format", "json"]
    told = CliRunner().invoke(cli, [*base, "--cost-matrix", str(tmp_path / "costs.csv")])
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["models"]["bayes"]["decided_by_costs"] == found
    both = CliRunner().invoke(cli, [*base, "--cost-matrix", "x.csv", "--cost-fp", "1", "--cost-fn", "2"])
    assert both.exit_code == 2
    assert "do not go with it" in both.output
    tp = CliRunner().invoke(cli, [*base, "--cost-matrix", str(tmp_path / "costs.csv"), "--cost-tp", "1"])
    assert (tp.exit_code, "--cost-tp was given without" in tp.output) == (2, True)
    alone = CliRunner().invoke(cli, ["report", str(rows), "--label", "cultivar", "--cost-matrix", "x.csv"])
    assert alone.exit_code == 2
    assert "--proba" in alone.output


def test_a_matrix_needs_posteriors_and_is_one():
    two = th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
    with pytest.raises(TaskError, match="cost matrix decides by the posteriors of several classes"):
        build(two, deciding=DecisionOptions.of(COSTS, None))
    with pytest.raises(OptionError, match="rows the truth and columns the decision"):
        DecisionOptions.of("cheap", None)
    with pytest.raises(OptionError, match="benefit=True is of a cost matrix"):
        DecisionOptions.of(Costs(fp=1, fn=2), None, gains=True)
    assert DecisionOptions.of(np.array(COSTS), None) == DecisionOptions.of(COSTS, None) != DecisionOptions()
    assert DecisionOptions.of(Costs(fp=1, fn=2), None).cost_matrix is None
