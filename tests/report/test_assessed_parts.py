"""What a report of an assessment shows beside its numbers: splits, mean ranks over folds, facts of the models."""

import json
import re

import numpy as np
import pytest
from scipy.stats import rankdata

import thresher as th
from lean_pages import full
from thresher.report.blocks import SplitParts
from thresher.report.render.html.pictures import picture_of
from thresher.report.render.results import assessment_page
from thresher.report.sections.assessment import facts, in_order, ranks, ranks_dict, sections, splits
from thresher.resampling import BootstrapOOB, KFold, TimeSplits, learning_curve
from thresher.resampling.data import splits_of_seed
from thresher.resampling.nearest_mean import NearestMean
from thresher.resampling.splits import BOTH, NEITHER, TESTS, TRAINS, row_parts

RNG = np.random.default_rng(20)
Y = RNG.integers(0, 2, 90)
X = RNG.normal(size=(90, 3)) + Y[:, None] * np.array([1.2, 0.5, 0.0])


class Column(NearestMean):
    """Nearest mean of one column, which leaves a mark of having been fitted."""

    def __init__(self, place=0):
        self.place = place

    def fit(self, X, y):
        self.coef_ = np.eye(3)[[self.place]]
        return super().fit(X[:, [self.place]], y)

    def decision_function(self, X):
        return super().decision_function(X[:, [self.place]])


def assessed(models=3, method=None, **options):
    named = {name: Column(place) for place, name in enumerate(("first", "second", "third")[:models])}
    options = {"method": method or KFold(5), "measures": ["accuracy", "auc"], "progress": False} | options
    return th.assess(named, X, Y, positive=1, **options)


@pytest.fixture(scope="module")
def three():
    return assessed(keep_models=True)


def test_print_begins_with_the_verdict_and_html_too(three):
    first, *_ = three.findings
    lines = str(three).splitlines()
    assert lines[2] == "Verdict"
    assert first.text[:60] in lines[3]
    assert three._repr_html_().partition(">")[2].startswith("<ul><li>")


@pytest.mark.parametrize("method", [KFold(5), TimeSplits(k=4, gap=3, window=30), BootstrapOOB(3)])
def test_parts_of_rows_are_those_of_the_splits(method):
    found = assessed(1, method)
    parts = row_parts(splits_of_seed(found.method, found.rows, found.rng), found.n, 20)
    assert len(parts) == len(found.pairs())
    for line, (train, test) in zip(parts, found.pairs(), strict=True):
        often = {row: int((train == row).sum()) for row in range(found.n)}
        expected = [
            (BOTH if often[r] else TESTS) if r in set(test.tolist()) else min(often[r], 2) for r in range(found.n)
        ]
        assert line.tolist() == expected


def test_models_keep_their_names(three):
    (told,) = (each for each in sections(three, texts=["nb = a.b:NB()"]) if each.key == "models")
    assert told.sentences == ("nb = a.b:NB()",)


def test_rows_stand_in_the_order_in_which_they_are_judged():
    parts = np.array([[TRAINS, TESTS, NEITHER, TRAINS], [TESTS, TRAINS, NEITHER, TESTS]], dtype=np.int8)
    assert in_order(parts).tolist() == [[NEITHER, TESTS, TRAINS, TRAINS], [NEITHER, TRAINS, TESTS, TESTS]]
    assert in_order(np.tile(parts, 100), most=8).tolist() == np.repeat(in_order(parts), 2, axis=1).tolist()


def test_a_picture_of_splits_has_a_run_for_every_part():
    parts = np.array([[TRAINS, TRAINS, TESTS], [TESTS, TRAINS, TRAINS]], dtype=np.int8)
    drawn = picture_of(SplitParts(parts=parts, description="two"), "x")
    assert 'class="part p1" d="M0 7h480M240 21h480"' in drawn
    assert 'class="part p3" d="M480 7h240M0 21h240"' in drawn
    assert "does both" not in drawn


def test_the_table_of_splits_counts_rows(three):
    table = splits(three)
    assert [row[1:] for row in table.rows] == [(len(a), len(b)) for a, b in three.pairs()]
    assert "learns from 80 % of the rows and judges 20 %." in table.picture.description


def test_ranks_over_folds_are_those_of_scipy(three):
    values = np.column_stack([three[name].values("auc") for name in three])
    expected = dict(zip(three, rankdata(-values, axis=1).mean(axis=0), strict=True))
    found = ranks_dict(three)
    assert found["measure"] == "auc"
    assert found["mean_ranks"] == pytest.approx(expected)
    assert found["n"] == 5
    assert "Compare two models to learn which is better" in ranks(three).remarks[-1]


def test_repeats_do_not_count_rows_twice_and_two_models_have_no_ranks():
    assert ranks_dict(assessed(method=KFold(5, repeats=2)))["n"] == 5
    assert ranks(assessed(2)) is None
    assert ranks(assessed(method=BootstrapOOB(4))) is None


def test_facts_are_those_of_every_fit(three):
    rows = {row[:2]: row[2].text for row in facts(three).rows}
    assert rows[("second", "non-zero coefficients")] == "1"
    assert facts(assessed(1)) is None


def test_page_and_json_show_all_of_it(three, tmp_path):
    page = assessment_page(three)
    titles = re.findall(r"<h2[^>]*>([^<]*)", page)
    for title in ("Mean ranks over folds by ROC AUC", "How rows were split", "Facts of the models"):
        assert titles.count(title) == 1
    assert len(re.findall('class="joined"', full(page))) == sum(len(g) > 1 for g in ranks_dict(three)["groups"])
    three.report(tmp_path / "a.json")
    written = json.loads((tmp_path / "a.json").read_text())
    assert written["mean_ranks"]["models"] == ranks_dict(three)["models"]


def test_series_stand_in_every_form(three, tmp_path):
    curve = learning_curve(Column(), X, Y, positive=1, method=KFold(3), measures=["auc"], progress=False)
    for suffix, said in (("html", "Learning curve"), ("txt", "Learning curve"), ("tex", "Learning curve")):
        three.report(tmp_path / f"a.{suffix}", series=curve)
        assert said in (tmp_path / f"a.{suffix}").read_text()
    three.report(tmp_path / "a.json", series=[curve])
    assert json.loads((tmp_path / "a.json").read_text())["series"] == [curve.to_dict()]
