"""Demšar's diagram: every model at its mean rank, and bars over the models that do not differ."""

import numpy as np
import pytest

from thresher.inference import critical_difference

pytestmark = pytest.mark.peer

MODELS = ["tree", "forest", "bayes", "logistic", "nearest"]
VALUES = np.random.default_rng(2).random((14, 5)) + np.array([0.0, 0.5, 0.1, 0.45, 0.2])


@pytest.fixture(autouse=True)
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def spans(ax, gid):
    return [(min(line.get_xdata()), max(line.get_xdata())) for line in ax.lines if line.get_gid() == gid]


def test_models_stand_at_their_mean_ranks_and_the_best_is_at_the_right():
    found = critical_difference(VALUES, models=MODELS)
    ax = found.plot()
    at = [line.get_xdata()[0] for line in ax.lines if line.get_gid() == "thresher-model"]
    assert at == pytest.approx(found.mean_ranks)
    low, high = ax.get_xlim()
    assert low > high
    texts = {text.get_text() for text in ax.texts}
    assert {f"{name}  {rank:.2f}" for name, rank in zip(found.models, found.mean_ranks, strict=True)} <= texts
    assert f"CD = {found.critical_difference:.2f}" in texts


def test_bars_join_the_models_that_do_not_differ():
    found = critical_difference(VALUES, models=MODELS)
    rank = dict(zip(found.models, found.mean_ranks, strict=True))
    want = [(rank[group[0]], rank[group[-1]]) for group in found.groups if len(group) > 1]
    assert len(want) > 1
    ax = found.plot()
    assert spans(ax, "thresher-group") == want
    assert spans(ax, "thresher-cd") == [pytest.approx((1, 1 + found.critical_difference))]


def test_against_a_control_only_its_interval_is_drawn():
    found = critical_difference(VALUES, models=MODELS, control="bayes")
    ax = found.plot()
    center, cd = dict(zip(found.models, found.mean_ranks, strict=True))["bayes"], found.critical_difference
    assert spans(ax, "thresher-group") == [pytest.approx((center - cd, center + cd))]


def test_it_draws_on_given_axes(pyplot):
    given = pyplot.subplots()[1]
    assert critical_difference(VALUES, models=MODELS).plot(given) is given


@pytest.mark.parametrize("control", [None, "tree"])
def test_ranks_as_a_dictionary_and_a_frame(control):
    found = critical_difference(VALUES, models=MODELS, control=control)
    told = found.to_dict()
    assert told["mean_ranks"] == dict(zip(found.models, found.mean_ranks, strict=True))
    assert told["groups"] == [list(group) for group in found.groups]
    assert (told["control"], told["critical_difference"]) == (control, found.critical_difference)
    pytest.importorskip("polars")
    frame = found.to_frame("polars")
    assert frame["model"].to_list() == list(found.models)
    assert frame["mean_rank"].to_list() == list(found.mean_ranks)
