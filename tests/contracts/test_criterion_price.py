"""A criterion costs a value and its row: a user's own chooses in Python, in the command and in reports."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import thresher as th
from thresher.cli.main import cli
from thresher.decisions import register_criterion
from thresher.decisions.criteria import own_criteria
from thresher.report.files import render

RNG = np.random.default_rng(5)
Y = np.repeat([1, 0], [15, 25])
SCORE = (Y * 0.3 + RNG.random(40) * 0.7).round(3)
EV = th.evaluate(Y, {"a": SCORE})


def misses_and_alarms(c):
    """Three for a miss, and the square of the alarms."""
    return 3 * c.fn + c.pred_pos**2 / 10


def cost(y, score, cut):
    """What a cut costs, counted row by row."""
    return 3 * (y[score < cut] == 1).sum() + (score >= cut).sum() ** 2 / 10


def brute(y, score):
    """Cheapest cut, the most conservative of them, and its cost."""
    cuts = [np.inf, *sorted(set(score.tolist()), reverse=True)]
    costs = [cost(y, score, cut) for cut in cuts]
    return cuts[int(np.argmin(costs))], min(costs)


@pytest.fixture
def name():
    with register_criterion(misses_and_alarms, lowest=True):
        yield "misses_and_alarms"


def test_python_chooses_by_it(name):
    found = EV["a"].choose(name)
    assert (found.threshold, found.value) == pytest.approx(brute(Y, SCORE))
    assert EV["a"].choose(maximize="misses and alarms".replace(" ", "_")) == found
    assert found.criterion == "misses and alarms"
    bounded = EV["a"].choose(name, where="fpr<=0.05")
    assert bounded.value >= found.value
    assert bounded.point.fpr <= 0.05


def test_a_bootstrap_chooses_by_it_again(name):
    again = EV["a"].choose(name, bootstrap=20).resampled
    for threshold, value in zip(again.thresholds, again.whole, strict=True):
        assert value == pytest.approx(cost(Y, SCORE, threshold))


def test_the_command_chooses_by_it_and_lists_it(name, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("y,a\n" + "".join(f"{y},{a}\n" for y, a in zip(Y, SCORE, strict=True)))
    asked = ["threshold", str(rows), "--label", "y", "--score", "a", "--format", "json", "--criterion", name]
    found = json.loads(CliRunner().invoke(cli, asked).stdout)
    assert found["thresholds"][0]["threshold"] == brute(Y, SCORE)[0]
    listed = CliRunner().invoke(cli, ["threshold", "--list"]).stdout
    assert "misses_and_alarms Three for a miss, and the square of the alarms." in " ".join(listed.split())
    assert "youden" in listed
    refused = CliRunner().invoke(cli, [*asked[:-1], "nothing"])
    assert refused.exit_code == 2
    assert "chi_squared, misses_and_alarms" in " ".join(refused.stderr.split())


def test_reports_have_it(name):
    found = json.loads(EV.to_json())["models"]["a"]["chosen"][name]
    assert (found["threshold"], found["value"]) == pytest.approx(brute(Y, SCORE))
    assert "Misses and alarms" in render(EV, "text")


def test_large_tables_are_read_whole(monkeypatch, name):
    monkeypatch.setattr("thresher.decisions.objective.SMALL", 3)
    monkeypatch.setattr("thresher.decisions.objective.SPREAD", 3)
    found = EV.to_dict()["models"]["a"]["chosen"][name]
    assert found["threshold"] == brute(Y, SCORE)[0]


def test_without_it_nothing_is_left():
    assert own_criteria() == {}
