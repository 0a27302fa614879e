"""What the section of groups against the rest says below its table."""

import numpy as np
import pytest

import thresher as th
from thresher.report.build import build
from thresher.report.sections.gaps import falling_behind, gaps


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(4)
    truth, group = np.arange(800) % 5 == 0, np.arange(800) % 9
    weights = 1 + group / 10  # so that the test of shares is one that is warned of
    return th.evaluate(truth.astype(int), {"m": rng.random(800)}, by=group, weights=weights, threshold=0.5)


def test_where_all_groups_fall_behind_it_is_said_why():
    """Sites differ in prevalence and so in scores: a rest of two sites is easier to rank than each of them."""
    rng = np.random.default_rng(0)
    site = rng.integers(0, 3, 6000)
    odds = np.array([-4.0, 0.0, 4.0])[site]
    y = (rng.random(6000) < 1 / (1 + np.exp(-odds / 1.5))).astype(int)
    ev = th.evaluate(y, {"m": odds + y + rng.normal(0, 2, 6000)}, by=site)
    (said,) = (each.text for each in falling_behind(build(ev), build(ev).models[0]))
    assert said.startswith("m falls behind in some measure for each group: group ")
    assert said.endswith(" The rest has rows of different groups, which are easier to tell apart.")


def test_where_one_threshold_costs_every_group_something_it_is_said():
    """Sites with higher scores lack specificity, those with lower ones recall: "falls behind for" all read oddly."""
    rng = np.random.default_rng(0)
    site = 2 * rng.integers(0, 2, 6000)
    y = rng.integers(0, 2, 6000)
    ev = th.evaluate(y, {"m": site - 1.0 + y + rng.normal(0, 1, 6000)}, by=site, threshold=0.5)
    (said,) = (each.text for each in falling_behind(build(ev), build(ev).models[0]))
    assert said.startswith("m falls behind in some measure for each group: group ")
    assert said.endswith(" One threshold for all costs some groups in one measure and helps them in another.")


def test_warnings_of_one_kind_are_one_sentence(many):
    found = build(many)
    warned = {each for gap in found.gaps for each in gap.warnings}
    codes = {each.code for each in warned}
    assert len({each.where for each in warned}) > len(codes) > 0
    said = [line for line in gaps(found).remarks if line.startswith("Of ")]
    assert len(said) == len(codes)
    assert any("Likewise, with their own numbers: " in line and line.endswith(" more.") for line in said)
