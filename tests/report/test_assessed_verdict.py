"""The verdict of an assessment rests on its splits: pooled rows find a winner where the corrected test finds none."""

import html
import json
import re

import numpy as np
import pytest

import thresher as th
from lean_pages import full
from thresher.finding import in_short
from thresher.report.render.results import assessment_page
from thresher.resampling.nearest_mean import NearestMean

RNG = np.random.default_rng(30)
Y = RNG.integers(0, 2, 240)
X = RNG.normal(size=(240, 3)) + Y[:, None] * np.array([0.9, 0.35, 0.0])


class First(NearestMean):
    """Nearest mean of some columns."""

    columns = slice(0, 1)

    def fit(self, X, y):
        return super().fit(X[:, self.columns], y)

    def predict(self, X):
        return super().predict(X[:, self.columns])

    def decision_function(self, X):
        return super().decision_function(X[:, self.columns])


class Noise(First):
    columns = slice(2, 3)


def assessed(models=None, x=X, y=Y, **options):
    options = {"method": th.KFold(5), "measures": ["auc", "accuracy"], "progress": False} | options
    return th.assess(models or {"all": NearestMean(), "first": First()}, x, y, positive=1, **options)


def said(assessment):
    return {each.code: each.text for each in assessment.findings}


def of_page(page):
    section = re.search(r'<section class="verdict".*?</section>', full(page), re.DOTALL)[0]
    items = re.findall(r"<li[^>]*>(.*?)</li>", section, re.DOTALL)
    return [html.unescape(re.sub(r"<[^>]+>", "", item.rpartition("<a")[0])).replace("−", "-").strip() for item in items]


def test_a_winner_of_the_pooled_rows_is_none_of_the_assessment(tmp_path):
    found = assessed()
    corrected = found.compare(measure="auc")
    assert found.evaluation.compare("all", "first").p_value < corrected.p_value
    assert corrected.p_value > 0.05
    texts = [each.text for each in found.findings]
    (tied,) = [each for each in found.findings if each.question == "better" and each.code != "tested-by"]
    assert tied.code == "tied-models"
    assert texts[0].startswith(f"all ranks better than chance: ROC AUC {found['all']['auc'].value:.2f} [")
    assert f"No significant difference in ROC AUC between all and first ({corrected.difference:.3f} [" in tied.text
    assert f"p = {corrected.p_value:.4f})." in tied.text
    for compare in (False, True):
        names = [tmp_path / f"a.{end}" for end in ("txt", "json", "html")]
        for name in names:
            found.report(name, compare=compare)
        text, form, page = (name.read_text(encoding="utf-8") for name in names)
        told = [each.text for each in in_short(found.findings)]
        assert set(told) <= set(of_page(page))
        assert "no test says" not in page
        assert [each["text"] for each in json.loads(form)["findings"]] == texts
        assert all(each in " ".join(text.split()) for each in told)
        assert all(f'id="about-{each["evidence"]}"' in full(page) for each in json.loads(form)["findings"])


def test_a_winner_of_the_splits_is_said_with_their_test():
    found = assessed({"all": NearestMean(), "noise": Noise()})
    assert found.compare(measure="auc").is_significant
    assert said(found)["best-model"].startswith("all is better than noise: ROC AUC higher by ")
    lower = assessed({"all": NearestMean(), "noise": Noise()}, measures=["balanced_accuracy", "f1"])
    assert said(lower)["best-model"].startswith("all is better than noise: balanced accuracy higher by ")


def test_less_is_better_where_a_measure_says_so():
    found = assessed({"all": NearestMean(), "noise": Noise()}, measures=["zero_one_loss"])
    assert found.compare().is_significant
    assert re.match(r"all is better than noise: error rate lower by 0\.", said(found)["best-model"])


def test_chance_is_told_from_the_interval_of_the_folds():
    found = assessed({"noise": Noise()})
    low, high = found["noise"]["auc"].low, found["noise"]["auc"].high
    assert low <= 0.5 <= high
    assert f"[{low:.2f}, {high:.2f}]" in said(found)["no-better-than-chance"]
    assert "accuracy-not-above-base-rate" in said(found)
    good = said(assessed({"all": NearestMean()}))
    assert good["quality"].startswith("all ranks better than chance: ROC AUC ")
    assert "accuracy-not-above-base-rate" not in good


@pytest.mark.parametrize("method", ["holdout:0.4", "resubstitution"])
def test_without_a_spread_nothing_says_which_is_better(method):
    assert "highest-untested" in said(assessed(method=method))


def test_comparisons_given_are_those_of_the_verdict():
    from thresher.report.sections.assessment import assessed_findings

    found = assessed()
    paired = found.compare(measure="auc", test="paired")
    (better,) = [
        each for each in assessed_findings(found, [paired]) if each.question == "better" and each.code != "tested-by"
    ]
    assert better.evidence == "comparisons"
    assert f"{paired.difference:.3f} [{paired.low:.3f}, {paired.high:.3f}]" in better.text
    assert better.text in of_page(assessment_page(found, [paired]))
