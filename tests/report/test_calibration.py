"""The report's section on calibration: diagrams, table, JSON."""

import json

import numpy as np
import pytest

import thresher as th
from lean_pages import full
from thresher.calibration import cox_calibration, decomposition
from thresher.report.blocks import Table
from thresher.report.build import build
from thresher.report.numbers import p_number
from thresher.report.render.html.page import document_page
from thresher.report.sections.calibration import DRAWN, TESTS
from thresher.report.sections.order import sections_of


def evaluation(models=1, n=400, **options):
    rng = np.random.default_rng(0)
    s = rng.beta(1, 2, n).clip(0.001, 0.999)
    y = (rng.random(n) < s).astype(int)
    return th.evaluate(y, {f"m{i}": s ** (1 + i / 4) for i in range(models)}, **options)


def table_of(found):
    return next((s for s in sections_of(build(found)) if isinstance(s, Table) and s.key == "calibration"), None)


def test_the_numbers_are_those_of_the_functions():
    found = evaluation()
    row, cox = table_of(found).rows[0], cox_calibration(found.scores)
    assert (row[0], row[3].value, row[2].value) == ("m0", cox.slope, cox.in_the_large)
    assert row[1].value == found.observed_expected_ratio.value
    assert row[5] == decomposition(found.scores).miscalibration
    tests = build(found).models[0].calibration.tests
    assert row[6:] == tuple(p_number(tests[name].p_value) for name in TESTS)


def test_scores_that_rank_have_no_section_and_a_reason():
    rng = np.random.default_rng(0)
    s, y = rng.normal(size=100), rng.integers(0, 2, 100)
    found = th.evaluate(y, {"a": s})
    assert table_of(found) is None
    part = json.loads(found.to_json())["models"]["a"]["calibration"]
    assert list(part) == ["reason", "reason_code"]
    assert part["reason_code"] == "not-probabilities"
    both = th.evaluate(y, {"a": s, "b": 1 / (1 + np.exp(-s))})
    table = table_of(both)
    assert [row[0] for row in table.rows] == ["b"]
    assert any(remark.startswith("a: the scores run from") for remark in table.remarks)


def test_a_class_that_is_absent_draws_nothing():
    found = th.evaluate([1, 1, 1], {"a": [0.2, 0.3, 0.9]})
    assert 'id="plot-reliability-0"' not in full(document_page(build(found, points=True)))
    assert any("there are no negatives" in remark for remark in table_of(found).remarks)


@pytest.mark.slow
def test_only_some_of_many_models_are_drawn():
    page = full(document_page(build(evaluation(DRAWN + 2, n=60), points=True)))
    assert f'id="plot-reliability-{DRAWN - 1}"' in page
    assert f'id="plot-reliability-{DRAWN}"' not in page
    assert f"The first {DRAWN} of {DRAWN + 2} models are drawn." in page
