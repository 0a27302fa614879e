"""A report of several classes with a cost matrix: what deciding by it costs, before and after, in every form."""

import numpy as np
import pytest

import thresher as th
from thresher.decisions import Costs
from thresher.report.build import build
from thresher.report.render.json import document_dict
from thresher.report.request import DecisionOptions
from thresher.report.sections.order import sections_of
from thresher.report.sections.verdict import findings_of

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
    (finding,) = (each for each in findings_of(document) if each.code == "cost-matrix")
    assert f" of {by_costs.mean():.2f} [" in finding.text
    assert f", {before.mean():.2f} by the most probable class" in finding.text
    kept = document_dict(document)["models"]["bayes"]["decided_by_costs"]
    assert (kept["costs"], kept["benefit"], kept["mean"]["value"]) == (COSTS, gains, pytest.approx(by_costs.mean()))
    assert kept["confusion_matrix"]["counts"] == model.decide(costs=COSTS, benefit=gains).matrix.counts.tolist()


def test_a_matrix_needs_posteriors_and_is_one():
    assert DecisionOptions.of(np.array(COSTS), None) == DecisionOptions.of(COSTS, None) != DecisionOptions()
    assert DecisionOptions.of(Costs(fp=1, fn=2), None).cost_matrix is None
