"""A method of resampling costs a value and a row: a user's own splits in Python, in the command, and when saved."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import thresher as th
from thresher.cli.main import cli
from thresher.errors import OptionError
from thresher.resampling import KFold, method_of, register_method
from thresher.resampling.foreign import Described
from thresher.resampling.method_forms import METHODS, as_method
from thresher.resampling.nearest_mean import NearestMean
from thresher.resampling.saving import method_form, method_from
from thresher.resampling.splits import Split

X = np.random.default_rng(2).normal(size=(24, 2))
Y = np.arange(24) % 2
X[:, 0] += Y
DOCS = Path(__file__).parents[2] / "docs" / "assessing.md"


@dataclass(frozen=True)
class Stripes:
    """Every k-th row is judged by a model that learned from the others."""

    k: int = 4
    combine = "mean"

    @property
    def summary(self):
        """Method in words."""
        return f"{self.k} stripes"

    def count(self, rows):
        """Number of splits."""
        return min(self.k, rows.n)

    def splits(self, rows, _rng):
        """Stripes in turn."""
        for i in range(self.k):
            mine = np.arange(rows.n) % self.k == i
            yield Split(np.flatnonzero(~mine), np.flatnonzero(mine), 0, i)


@pytest.fixture
def stripes():
    with register_method(Stripes, "stripes", "combs", default=4):
        yield "stripes:3"


def test_python_takes_its_text(stripes):
    assert method_of(stripes) == as_method(Stripes(3)) == method_of("Combs: 3".replace(" ", ""))
    found = th.assess({"m": NearestMean()}, X, Y, method=stripes)
    assert found.method == Stripes(3)
    assert len(found.splits) == 3
    values = []
    for i in range(3):
        mine = np.arange(24) % 3 == i
        fitted = NearestMean().fit(X[~mine], Y[~mine])
        values.append(np.mean(fitted.predict(X[mine]) == Y[mine]))
    assert found["m"].estimate("accuracy").value == pytest.approx(np.mean(values))
    assert "3 stripes" in str(found)


def test_it_is_held_by_others_and_saved(stripes):
    nested = as_method(f"nested:{stripes.partition(':')[2]}x2")
    assert nested.outer == KFold(3)
    again = json.loads(json.dumps(method_form(Stripes(3))))
    assert method_from(again) == Stripes(3)
    METHODS.pop("stripes")
    assert method_from(again) == Described(text="3 stripes", combine="mean")


def test_the_command_takes_and_lists_it(stripes, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("y,a,b\n" + "".join(f"{y},{a},{b}\n" for y, (a, b) in zip(Y, X, strict=True)))
    asked = ["assess", str(rows), "--label", "y", "--format", "json", "--method", stripes]
    asked += ["--estimator", "thresher.resampling.nearest_mean:NearestMean()", "--quiet"]
    found = json.loads(CliRunner().invoke(cli, asked).stdout)
    assert found["method"] == "3 stripes"
    assert "stripes:4" in CliRunner().invoke(cli, ["assess", "--help"]).stdout
    refused = CliRunner().invoke(cli, [*asked[:-3], "--method", "stripe", *asked[-3:]])
    assert "Did you mean stripes" in " ".join(refused.stderr.split())


def test_what_is_no_method_is_refused(stripes):
    for kind, name, said in (
        (dict, "maps", "lacks splits"), (Stripes, stripes.partition(":")[0], "registered already"),
        (Stripes, "montecarlo", "registered already"), (Stripes, "More Stripes", "small letters"),
        (type("KFold", (Stripes,), {}), "folds", "class KFold already"),
    ):  # fmt: skip
        with pytest.raises(OptionError, match=said):
            register_method(kind, name)
    with pytest.raises(OptionError, match="combine='median', which is not one of mean, pooled"):
        as_method(type("Odd", (Stripes,), {"combine": "median"})(3))


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_read_saved_and_documented(name):
    row = METHODS[name]
    made = method_of(row.example)
    assert type(made) is row.loaded
    assert method_from(json.loads(json.dumps(method_form(made)))) == made
    assert f"`{name}" in DOCS.read_text("utf-8")
    for alias in row.aliases:
        assert method_of(row.example.replace(name, alias, 1)) == made
