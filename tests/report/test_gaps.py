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


def test_a_shift_of_the_trade_off_is_told_with_both_sides():
    """A site with higher scores lacks specificity and has the more recall: it is not served worse."""
    rng = np.random.default_rng(0)
    site = 2 * rng.integers(0, 2, 6000)
    y = rng.integers(0, 2, 6000)
    ev = th.evaluate(y, {"m": site - 1.0 + y + rng.normal(0, 1, 6000)}, by={"site": site}, threshold=0.5)
    (found,) = falling_behind(build(ev), build(ev).models[0])
    rates = {key: (g["m"].recall.value, g["m"].specificity.value) for key, g in ev.groups.items()}
    worst = max(rates, key=lambda key: max(rates[2 - key][0] - rates[key][0], rates[2 - key][1] - rates[key][1]))
    (recall, specificity), (other_recall, other_specificity) = rates[worst], rates[2 - worst]
    assert found.headline == f"Trade-off shifts for site = {worst}"
    assert found.text.startswith(f"The trade-off of m shifts for site = {worst}: ")
    assert f"recall {recall:.2f} (others {other_recall:.2f})" in found.text
    assert f"specificity {specificity:.2f} (others {other_specificity:.2f})" in found.text
    assert found.text.endswith(": 1 more group.")


def test_the_better_rate_of_a_group_served_worse_is_not_among_the_worse():
    """Fewer of its positives are found, and a few more of its negatives."""
    counts = [2, 18, 7, 3, 180, 20, 240, 160]
    y, score = (np.repeat(each * 2, counts) for each in ([1, 1, 0, 0], [1.0, 0.0, 0.0, 1.0]))
    ev = th.evaluate(y, {"m": score}, by={"g": np.repeat(["x"] * 4 + ["rest"] * 4, counts)}, threshold=0.5)
    document = build(ev)
    (found,) = falling_behind(document, document.models[0])
    assert "recall 0.10 (others 0.90), but specificity 0.70 (others 0.60)" in found.text


def test_warnings_of_one_kind_are_one_sentence(many):
    found = build(many)
    warned = {each for gap in found.gaps for each in gap.warnings}
    codes = {each.code for each in warned}
    assert len({each.where for each in warned}) > len(codes) > 0
    said = [line for line in gaps(found).remarks if line.startswith("For ")]
    assert len(said) == len(codes)
    assert any(" Also, with other numbers: " in line and line.endswith(" more.") for line in said)


def test_a_model_without_gaps_is_named_beside_others_with_some():
    """The ranking leader serves both groups alike; the other one is reversed in one of them."""
    rng = np.random.default_rng(1)
    site, y = rng.integers(0, 2, 2000), rng.integers(0, 2, 2000)
    scores = {"even": y + rng.normal(0, 0.3, 2000), "odd": np.where(site, y, 1 - y) + rng.normal(0, 1, 2000)}
    document = build(th.evaluate(y, scores, by={"site": site}, threshold=0.5))
    tests = [gap.models[0] for gap in document.gaps if np.isfinite(gap.p_value)]
    (found,) = falling_behind(document, document.models[0])
    assert (found.code, found.severity) == ("no-group-gap", "neutral")
    assert found.text.startswith("even ")
    assert f"({tests.count('even')} of {len(tests)} comparisons); odd does" in found.text
