"""Counts of several sites: their report sums the sites up as the merged counts do, and one of rows does not."""

import json

import jsonschema
import numpy as np
import pytest

import thresher as th
from thresher.analysis.subsets import means_over_groups
from thresher.measures.shown import OVER_GROUPS
from thresher.report.build import build
from thresher.report.numbers import decimals, heading_of, number
from thresher.report.render.json import document_json, schema
from thresher.report.sections.subsets import over_groups
from thresher.results import Estimate


def columns(sites):
    draws = np.random.default_rng(3)
    y = draws.integers(0, 2, 40 * sites)
    return {"y": y, "s": (draws.normal(size=y.size) + y) / 8 + 0.5, "site": np.repeat(np.arange(sites), 40)}


def evaluated(sites):
    return th.evaluate(th.count(columns(sites), "s", label="y", by="site"), threshold=0.5)


@pytest.fixture(scope="module")
def three():
    return evaluated(3)


def shown(mean, ends):
    """Ends of an interval with the decimals that the interval of the mean carries."""
    digits = decimals(Estimate(name=mean.measure, value=mean.value, low=mean.low, high=mean.high))
    return [number(end, digits) for end in ends]


def test_every_row_is_the_mean_of_the_sites(three):
    table = over_groups(build(three))
    assert table.columns == ("Measure", "Mean", "At another site", "I²", "Groups")
    for (name, mean, ahead, between, sites), measure in zip(table.rows, OVER_GROUPS, strict=True):
        found = three.groups.random_effects(measure)["s"]
        assert (mean.name, mean.value, mean.low, mean.high) == (measure, found.value, found.low, found.high)
        assert ahead.text == " to ".join(shown(found, found.prediction))
        assert (between.value, sites) == (found.i2, 3)
        assert name == heading_of(measure)
    assert table.remarks[0].endswith("Hartung–Knapp, logit scale.")


def test_groups_of_rows_and_one_group_are_not_summed_up():
    assert means_over_groups(th.evaluate(columns(3), "s", label="y", by="site")) == ()
    assert means_over_groups(evaluated(1)) == ()


def test_json_has_the_same_means_and_the_groups_that_they_are_of(three):
    written = json.loads(document_json(build(three)))
    jsonschema.validate(written, schema())
    assert [each["measure"] for each in written["over_groups"]] == list(OVER_GROUPS)
    for each in written["over_groups"]:
        found = three.groups.random_effects(each["measure"])["s"]
        assert each == {"model": "s", **found.to_dict()}
        assert [part["site"] for part in each["each"]] == [0, 1, 2]


def test_counts_of_rows_without_weights_speak_of_none():
    """Their report had weights: frequency, sum 120."""
    plain = build(evaluated(3))
    assert (plain.weight_kind, plain.class_weights) == (None, None)
    twice = th.count(columns(3) | {"w": np.full(120, 2)}, "s", label="y", weights="w", weight_kind="frequency")
    weighted = build(th.evaluate(twice))
    assert (weighted.weight_kind, sum(weighted.class_weights.values())) == ("frequency", 240)


def test_groups_that_are_alike_have_a_wider_interval_beside_theirs():
    own = columns(1)
    parts = {name: th.count(own["y"], own["s"]) for name in "abc"}
    evaluation = th.evaluate(th.Counts.of_parts(parts, by="site"), threshold=0.5)
    document = build(evaluation)
    means = {found.measure: found for _, found in document.over_groups}
    wider = {measure: found.modified for measure, found in means.items() if found.is_alike}
    assert "auc" in wider
    (said,) = (each for each in over_groups(document).remarks if "Groups differ less than " in each)
    for measure, (low, high) in wider.items():
        assert f"{heading_of(measure)} {' to '.join(shown(means[measure], (low, high)))}" in said
    kept = json.loads(document_json(document))["over_groups"]
    assert {each["measure"]: tuple(each["modified"]) for each in kept} == wider


def two_models(seed):
    draws = np.random.default_rng(seed)
    y = draws.integers(0, 2, 600)
    scores = {name: (draws.normal(size=y.size) + y) / 8 + 0.5 for name in ("old", "new")}
    rows = {"y": y, "site": np.arange(600) // 200} | scores
    return build(th.evaluate(th.count(rows, list(scores), label="y", by="site"), threshold=0.5))


@pytest.mark.parametrize("seed", range(4))
def test_groups_that_are_alike_are_said_of_their_model_and_only_where_the_interval_is_another(seed):
    """The last model's interval stood for all, also of groups that differ more than is expected."""
    document = two_models(seed)
    wider = {"old": [], "new": []}
    for model, found in document.over_groups:
        ends = shown(found, found.modified)
        if found.i2 == 0 and ends != shown(found, (found.low, found.high)):
            wider[model].append(f"{heading_of(found.measure)} {' to '.join(ends)}")
    said = "; ".join(f"{model}: {', '.join(texts)}" for model, texts in wider.items() if texts)
    assert any(remark.endswith(f"safer: {said}.") for remark in over_groups(document).remarks)


def test_groups_left_out_are_said_of_their_model():
    y = np.tile([0, 1], 60)
    noise = np.random.default_rng(0).normal(size=120)
    site = np.repeat([0, 1, 2], 40)
    good = np.where(site == 2, y, (noise + y) / 8 + 0.5)
    rows = {"y": y, "site": site, "sure": good, "other": (noise + y) / 8 + 0.5}
    document = build(th.evaluate(th.count(rows, ["sure", "other"], label="y", by="site"), threshold=0.5))
    (said,) = (each for each in over_groups(document).remarks if "are left out" in each)
    assert said.startswith("Groups without a value or its standard error are left out (sure: 1 for ROC AUC")
    assert "other" not in said


def test_a_whole_that_is_unlike_every_group_is_said_to_rank_rows_of_different_groups():
    """Sites differ in prevalence, and scores with it."""
    rng = np.random.default_rng(0)
    site = np.repeat(np.arange(3), 2000)
    odds = np.array([-4.0, 0.0, 4.0])[site]
    y = (rng.random(6000) < 1 / (1 + np.exp(-odds / 1.5))).astype(int)
    rows = {"y": y, "s": np.round(odds + y + rng.normal(0, 2, 6000), 1), "site": site}
    document = build(th.evaluate(th.count(rows, "s", label="y", by="site")))
    assert over_groups(document).remarks[-1] == (
        f"The ROC AUC of all rows of s, {number(document.models[0].measures['auc'].value)}, is above the value of "
        f"every group: it also ranks rows of different groups."
    )
