"""A curve costs one file and a row: a user's own is seen in Python, in pictures, in the command, and in reports."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import thresher as th
from thresher.cli.main import cli
from thresher.curves import measure_curve, register_curve
from thresher.curves.kinds import CURVES
from thresher.errors import OptionError

Y = np.array([1, 0, 1, 0, 1, 1, 0, 0, 1, 0])
SCORE = np.array([0.9, 0.6, 0.4, 0.1, 0.8, 0.7, 0.3, 0.2, 0.55, 0.45])
EV = th.evaluate(Y, {"a": SCORE, "b": SCORE[::-1]})


def gain_over_chance(table):
    """True positive rate less the share predicted positive, against that share."""
    return measure_curve(table, x="predicted_prevalence", y="true_positive_rate")


@pytest.fixture
def kind():
    with register_curve(gain_over_chance, estimate="auc"):
        yield "gain_over_chance"


def test_python_has_it(kind):
    curve = EV["a"].curve(kind)
    assert EV["a"].gain_over_chance.x.tolist() == curve.x.tolist() == EV["a"].gain_curve.x.tolist()
    assert curve.y.tolist() == EV["a"].gain_curve.y.tolist()
    assert curve.summary == EV["a"].auc


def test_reports_have_it(kind, tmp_path):
    found = json.loads(EV.to_json())["sections"]["own_curves"]["plots"]
    assert [line["name"] for line in found[0]["lines"]] == ["a", "b"]
    assert found[0]["lines"][0]["y"] == EV["a"].curve(kind).y.tolist()
    assert "own_curves" in EV.report(tmp_path / "r.json").read_text("utf-8")
    page = EV.report(tmp_path / "r.html").read_text("utf-8")
    assert ">Further curves</h2>" in page
    assert "True positive rate less the share predicted positive" in page


def test_the_command_lists_it(kind):
    listed = CliRunner().invoke(cli, ["plot", "--list"]).stdout
    assert f"{kind}  true positive rate less the share" in listed
    assert kind in CliRunner().invoke(cli, ["plot", "nothing", "x.csv", "-o", "x.svg"]).stderr


@pytest.mark.peer
def test_pictures_and_the_command_draw_it(kind, tmp_path):
    assert any(line.get_label().startswith("a") for line in EV.plot(kind).get_lines())
    rows = tmp_path / "rows.csv"
    rows.write_text("y,s\n" + "".join(f"{y},{s}\n" for y, s in zip(Y, SCORE, strict=True)))
    asked = ["plot", kind, str(rows), "--label", "y", "--score", "s", "-o", str(tmp_path / "p.svg")]
    assert CliRunner().invoke(cli, asked).exit_code == 0
    assert "</svg>" in (tmp_path / "p.svg").read_text("utf-8")


@pytest.mark.usefixtures("kind")
def test_it_is_registered_once():
    with pytest.raises(OptionError, match="registered already"):
        register_curve(gain_over_chance)

    def sensitivity(table):
        """Another name of recall."""
        return measure_curve(table, x="threshold", y="recall")

    with pytest.raises(OptionError, match="a measure has this name"):
        register_curve(sensitivity)

    def hull(table):
        """What an attribute of a model is called."""
        return measure_curve(table, x="threshold", y="recall")

    with register_curve(hull):
        assert EV["a"].curve("hull").y_name == "recall"
        assert len(EV["a"].hull.thresholds)
    with pytest.raises(OptionError, match="one sentence"):
        register_curve(lambda table: replace(EV["a"].roc, notes=(str(table),)))


def test_without_it_nothing_is_left():
    assert not any(row.is_own for row in CURVES.values())
    with pytest.raises(OptionError, match="kind='gain_over_chance' is not one of its values: 'roc', 'pr'"):
        EV["a"].curve("gain_over_chance")
    with pytest.raises(AttributeError):
        _ = EV["a"].gain_over_chance
    assert "sections" not in EV.to_dict()


@pytest.mark.parametrize("row", CURVES.values(), ids=list(CURVES))
def test_every_kind_is_an_attribute(row):
    kinds = {each.attribute: name for name, each in CURVES.items()}
    assert EV["a"].curve(kinds[row.attribute]) == getattr(EV["a"], row.attribute)
