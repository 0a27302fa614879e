"""What is added from outside the package, in one or two places, is seen everywhere."""

import json
import math
from contextlib import nullcontext

import numpy as np
import pytest
from click.testing import CliRunner

import thresher as th
from thresher.cli.main import cli
from thresher.cli.measures import _catalogue_text, _row_of
from thresher.errors import OptionError, UnknownMeasureError
from thresher.inference import register_interval, register_test, serve
from thresher.inference.estimates.methods import METHODS, methods_of
from thresher.measures import measures, register
from thresher.measures.averaging import class_average
from thresher.measures.catalogue import catalogue
from thresher.measures.registry import COUNTED, NEEDS, Ratio, known
from thresher.results import NO_INTERVAL

RNG = np.random.default_rng(11)
Y = np.repeat([1, 0], [40, 60])
A, B = (np.clip(0.3 + 0.4 * Y + RNG.normal(size=100) * spread, 0.01, 0.99) for spread in (0.2, 0.3))
EV = th.evaluate(Y, {"a": A, "b": B})


def burden(c):
    """Rows that are looked at for each positive that is found."""
    return (c.tp + c.fp) / c.tp


def share_of_alarms(c) -> Ratio:
    """Share of rows that raise an alarm."""
    return c.tp + c.fp, c.n


def distance(t):
    """Mean distance of the score from the truth."""
    return float((t.positive @ (1 - t.scores) + t.negative @ t.scores) / (t.P + t.N))


FACTS = {"text": "(TP + FP)/TP", "bounds": (1.0, math.inf), "better": "lower", "source": "nobody 2026"}
OF_SCORES = {"text": "mean of |y − s|", "needs": "table", "better": "lower", "source": "nobody 2026"}


def test_a_decision_measure_is_seen_everywhere():
    with register(burden, "work per hit", title="work per hit", **FACTS) as entry:
        matrix = EV["a"].confusion_matrix
        expected = (matrix.cells.tp + matrix.cells.fp) / matrix.cells.tp
        assert matrix.burden == matrix.work_per_hit == expected
        assert "burden" in dir(matrix)
        found = EV["a"].estimate("work per hit")
        assert found.value == expected
        assert 1 <= found.low < found.value < found.high
        assert EV["a"].burden.value == expected
        assert "burden" in th.evaluate(Y, {"a": A})["a"].measures
        assert EV.compare("a", "b", measure="burden", bootstrap=30).title == "work per hit"
        assert th.find("work per hit").name == "burden"
        assert json.loads(json.dumps(_row_of("burden")))["title"] == "work per hit"
        assert "\n  burden " in _catalogue_text(catalogue())
        assert EV["a"].curve(x="recall", y="burden").y_name == "burden"
        three = th.ConfusionMatrix.from_counts([[5, 1, 2], [2, 3, 1], [1, 1, 4]])
        assert three.average("burden").value == pytest.approx(np.mean([8 / 5, 5 / 3, 7 / 4]))
        assert known("burden") is entry
    assert known("burden") is None
    assert not hasattr(EV["a"].confusion_matrix, "burden")


def test_a_measure_of_several_classes_has_an_interval():
    def kappa_again(m):
        """Agreement beyond chance, another way."""
        return known("cohen_kappa", "matrix").formula(m)

    matrix = th.ConfusionMatrix.from_counts([[50, 6, 4], [8, 30, 2], [6, 4, 20]])
    with register(kappa_again, needs="matrix", text="κ", bounds=(-1.0, 1.0), source="nobody 2026"):
        found, theirs = matrix.estimate("kappa_again"), matrix.estimate("cohen_kappa")
        assert found.value == theirs.value
        assert found.standard_error == pytest.approx(theirs.standard_error, rel=1e-6)
        assert found.low < found.value < found.high


def test_a_proportion_has_the_intervals_and_tests_of_proportions():
    with register(share_of_alarms, **FACTS | {"bounds": (0.0, 1.0), "text": "(TP + FP)/n"}):
        found = EV["a"].estimate("share_of_alarms")
        assert found.method == "Wilson"
        alike = EV["a"].predicted_prevalence
        assert (found.low, found.high) == (alike.low, alike.high)
        ours, theirs = (EV.compare("a", "b", measure=m) for m in ("share_of_alarms", "predicted_prevalence"))
        assert (ours.difference, ours.p_value, ours.method) == (theirs.difference, theirs.p_value, theirs.method)


@pytest.mark.parametrize("is_at_once", [True, False])
def test_a_measure_with_interval_and_test_of_means(is_at_once):
    rows = {"rows": lambda score, truth: np.abs(score - truth)}
    own = rows if is_at_once else {}
    with register(distance, **OF_SCORES, **own), nullcontext() if own else serve("distance", **rows):
        losses = {name: np.abs(score - Y) for name, score in (("a", A), ("b", B))}
        found = EV["a"].estimate("distance")
        assert found.value == pytest.approx(losses["a"].mean())
        assert found.standard_error == pytest.approx(losses["a"].std(ddof=1) / 10)
        compared = EV.compare("a", "b", measure="distance")
        apart = losses["a"] - losses["b"]
        assert compared.difference == pytest.approx(apart.mean())
        assert compared.statistic == pytest.approx(apart.mean() / (apart.std(ddof=1) / 10))
        assert EV["a"].distance.value == found.value
        weights = RNG.integers(1, 4, 100)
        same = [
            th.evaluate(Y, {"a": A}, weights=weights, weight_kind="frequency"),
            th.evaluate(np.repeat(Y, weights), {"a": np.repeat(A, weights)}),
        ]
        one, two = (ev["a"].estimate("distance") for ev in same)
        assert (one.low, one.high) == pytest.approx((two.low, two.high))
    assert "distance" not in METHODS


def test_an_interval_of_ones_own_makes_a_difference_too():
    limits = {"interval": lambda t, _level: (distance(t) - 0.1, distance(t) + 0.1)}
    with register(distance, **OF_SCORES), serve("distance", **limits):
        found = EV["a"].estimate("distance")
        assert (found.low, found.high) == pytest.approx((found.value - 0.1, found.value + 0.1))
        assert "intervals of both combined" in EV.compare("a", "b", measure="distance").method


def test_a_calibration_error_is_bootstrapped():
    with register(distance, group="calibration", **OF_SCORES):
        assert EV["a"].estimate("distance").reason_code == "no-formula"
        found = EV["a"].estimate("distance", bootstrap=40)
        assert found.low < found.value < found.high
        assert "distance" in th.evaluate(Y, {"a": A})["a"].measures
        assert "distance" in json.dumps(th.evaluate(Y, {"a": A}).to_dict())


def test_an_interval_of_a_proportion():
    with register_interval("lazy", lambda _successes, _trials, level: (0.0, level)):
        found = th.evaluate(Y, {"a": A}, rate_interval="lazy")["a"].recall
        assert (found.low, found.high, found.method) == (0.0, 0.95, "lazy")
        with pytest.raises(ValueError, match="registered already"):
            register_interval("lazy", lambda _successes, _trials, level: (0.0, level))


def test_an_interval_of_a_proportion_is_one_of_the_command_and_of_pages(tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("y,a\n" + "".join(f"{y},{a}\n" for y, a in zip(Y, A.round(3), strict=True)))
    asked = ["report", str(rows), "--label", "y", "--score", "a", "--rate-interval", "lazy", "--format"]
    with register_interval("lazy", lambda _successes, _trials, level: (0.0, level)):
        shown = json.loads(CliRunner().invoke(cli, [*asked, "json"]).stdout)["models"]["a"]["measures"]
        found = shown["true_positive_rate"]
        assert (found["low"], found["high"], found["method"]) == (0.0, 0.95, "lazy")
        page = th.evaluate(Y, {"a": A}, rate_interval="lazy").report(tmp_path / "page.html").read_text("utf-8")
        assert page.count('"limits":[{"prior":null,"of":{"accuracy":') == 1
        assert "wald|lazy" in " ".join(CliRunner().invoke(cli, ["report", "--help"]).stdout.split())
    assert CliRunner().invoke(cli, [*asked, "json"]).exit_code == 2


def test_a_test_of_a_difference():
    with register_test("fixed", lambda a, b, _is_paired: (float(a.score.mean() - b.score.mean()), 0.01)):
        found = EV.compare("a", "b", measure="mean_score", test="fixed")
        assert found.difference == pytest.approx(A.mean() - B.mean())
        assert found.p_value == pytest.approx(math.erfc(abs(found.difference) / 0.01 / math.sqrt(2)))
        assert found.low == pytest.approx(found.difference - 1.959964 * 0.01, rel=1e-6)


def test_what_was_looked_for_before_is_found_after():
    for _ in range(2):
        assert class_average("macro_burden") is None
        with pytest.raises(UnknownMeasureError):
            th.find("burden")
        with register(burden, **FACTS) as entry:
            assert class_average("macro_burden").formula.entry is entry
            assert th.find("burden").name == "burden"


def test_a_taken_name_is_refused():
    with pytest.raises(ValueError, match="two measures are called recall"):
        register(burden, "recall", **FACTS)
    assert known("burden") is None


@pytest.mark.parametrize("facts", [FACTS, OF_SCORES], ids=["cells", "table"])
def test_a_formula_that_cannot_work_is_refused_and_leaves_nothing(facts):
    with pytest.raises(OptionError, match=r"the formula of len fails on 23 rows of an example: .* has no len"):
        register(len, **facts | {"group": "decision"})
    assert known("len") is None


def test_every_measure_has_methods_or_a_reason():
    model = EV["a"]
    for entry in measures(*NEEDS):
        if entry.needs not in COUNTED or entry.needs_parameters:
            continue
        found, own = model.estimate(entry.name), methods_of(entry.name)
        assert found.low is not None or found.reason is not None, entry.name
        if entry.needs == "table":
            assert (found.low is not None) == (own.interval is not None), entry.name
            assert own.interval is not None or NO_INTERVAL in found.reason, entry.name


def test_no_methods_are_of_a_measure_that_there_is_not():
    assert all(known(name) is not None and known(name).name == name for name in METHODS)
