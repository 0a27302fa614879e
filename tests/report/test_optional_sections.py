"""What a report is asked for beyond the usual: the evaluation's values in every form, and nothing when not asked."""

import json

import jsonschema
import numpy as np
import pytest

import thresher as th
from report_cases import CASES, breast_cancer, breast_cancer_in_parts, case, fresh_breast_cancer, named
from shares import few
from thresher.decisions import Costs
from thresher.errors import TaskError
from thresher.report.build import build
from thresher.report.files import FORMS, render
from thresher.report.render.html.page import document_page
from thresher.report.render.json import document_csv, document_dict, schema
from thresher.report.render.markdown import document_markdown
from thresher.report.render.text import document_text
from thresher.report.request import DecisionOptions
from thresher.report.sections.optional import optional_sections

COSTS = Costs(fp=1, fn=5)
PARTS = ["fpr<=0.1", "tpr>=0.9", "fpr<=0.1,tpr>=0.6", "recall>=0.8"]
EVERYTHING = {
    "partial": PARTS, "smooth": "binormal", "average": "vertical", "reject": "deferral=0.2", "top": [50, "5%"],
}  # fmt: skip
KEYS = {"partial_areas", "binormal", "fold_average", "reject_option", "top"}
VALIDATOR = jsonschema.Draft202012Validator(schema())


@pytest.fixture(scope="module")
def evaluation():
    return breast_cancer_in_parts()


@pytest.fixture(scope="module")
def asked(evaluation):
    return build(evaluation, points=True, deciding=DecisionOptions.of(COSTS, None, **EVERYTHING))


def section(document, key):
    return next(each for each in optional_sections(document) if each is not None and each.key == key)


def test_values_are_those_of_the_evaluation(evaluation, asked):
    for part in asked.models:
        model, optional = evaluation[part.name], part.optional
        assert optional.areas == tuple(model.partial_area(text) for text in PARTS)
        assert optional.smooth == model.binormal_roc()
        assert optional.means["roc"].area == model.average_roc().area
        assert optional.means["pr"].band.low.tolist() == model.average_pr().band.low.tolist()
        want = model.with_reject(costs=COSTS, deferral=0.2)
        for name in ("reportable_rate", "reportable_positives", "expected_cost", "undeferred_cost", "notes", "matrix"):
            assert getattr(optional.reject, name) == getattr(want, name)
        assert optional.reject.option.zone == want.option.zone
        assert optional.reject.option.deferrals == want.option.deferrals
        assert str(optional.reject) == str(want)


def test_a_document_holds_no_more_counts_than_it_shows():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 20_000)
    evaluation = th.evaluate(y, {"m": rng.normal(size=y.size) + y}, fold=np.arange(y.size) % 5)
    deciding = DecisionOptions.of(COSTS, None, reject="accuracy=0.9", average="threshold")
    (model,) = build(evaluation, points=True, deciding=deciding).models
    assert len(model.optional.reject.option.table) <= 4
    assert max(len(mean.curve) for mean in model.optional.means.values()) <= 400
    assert "table" not in vars(evaluation["m"])


def test_json_has_all_of_it_and_keeps_to_the_schema(evaluation, asked):
    found = json.loads(json.dumps(document_dict(asked), allow_nan=False))
    VALIDATOR.validate(found)
    own = found["models"]["random_forest"]
    assert set(own) >= KEYS
    model = evaluation["random_forest"]
    assert [a["part"] for a in own["partial_areas"]] == [str(model.partial_area(p).part) for p in PARTS]
    assert own["binormal"]["a"] == model.binormal_roc().a
    assert own["fold_average"]["roc"]["band"]["high"] == model.average_roc().band.high.tolist()
    want = model.with_reject("deferral=0.2", costs=COSTS).to_dict()
    assert own["reject_option"] == {k: v for k, v in json.loads(json.dumps(want)).items() if k in own["reject_option"]}


@pytest.mark.parametrize("name", few(named(name for name, given in CASES.items() if "scores" in given), 2))
def test_every_case_can_be_asked(name):
    evaluation = case(name)
    if all(model.task != "binary" for model in evaluation.values()):
        with pytest.raises(TaskError, match=r"scores of two classes|class weights or costs decide"):
            build(evaluation, deciding=DecisionOptions.of(None, None, partial="fpr<=0.1"))
        return
    average = "threshold" if evaluation.predictions.fold is not None else None
    deciding = DecisionOptions.of(None, 0.3, partial=PARTS, smooth="binormal", reject="accuracy=0.9", average=average)
    document = build(evaluation, points=True, every=True, deciding=deciding)
    VALIDATOR.validate(json.loads(json.dumps(document_dict(document), allow_nan=False)))
    for form in (document_text, document_csv, document_markdown, document_page):
        assert form(document)


def test_a_reject_option_that_no_model_can_keep_is_said():
    rng = np.random.default_rng(0)
    evaluation = th.evaluate(rng.integers(0, 2, 200), {"noise": np.round(rng.normal(size=200))})
    document = build(evaluation, deciding=DecisionOptions.of(None, None, reject="accuracy=1"))
    assert section(document, "reject").sentences == ("noise: No row can be decided with an accuracy of 1.",)
    for form in FORMS:
        assert "o row can be decided" in render(evaluation, form, deciding=document.deciding) or form in (
            "csv",
            "latex",
        )
    assert "no row can be decided" in document_dict(document)["models"]["noise"]["reject_option"]["reason"]


@pytest.mark.slow
def test_pooled_curves_have_a_band_with_a_bootstrap(evaluation):
    deciding, folds = DecisionOptions.of(None, None, average="pooled"), evaluation.predictions.fold.codes
    bare, resampled = (
        build(fresh_breast_cancer(fold=folds, **more), deciding=deciding) for more in ({}, {"bootstrap": 20})
    )
    assert bare.models[0].optional.means["roc"].band is None
    assert "bootstrap" in resampled.models[0].optional.means["roc"].band.method
    assert section(bare, "means").columns[2] == "AUC, pooled"


def test_an_average_needs_folds(tmp_path):
    path = breast_cancer_in_parts().report(tmp_path / "r.md", average="vertical", reject={"accuracy": 0.95})
    assert "## Leaving rows undecided" in path.read_text()
    assert isinstance(optional_sections(build(breast_cancer())), tuple)


def test_models_that_cannot_have_it_are_told():
    y, score = np.array([1, 0, 1, 0]), np.array([0.9, 0.6, 0.4, 0.1])
    both = th.evaluate(y, {"m": score}, predicted={"p": y})
    deciding = DecisionOptions.of(None, None, partial="fpr<=0.5", reject="accuracy=0.5")
    assert (
        "p: no partial areas or reject option, as it is without a score of two classes"
        in build(both, deciding=deciding).notes
    )
    one = th.evaluate(np.ones(4, dtype=int), {"m": score})
    assert "m: no partial areas or reject option, as one class is empty" in build(one, deciding=deciding).notes
    assert "left-out" not in [note.code for note in build(both).notes]


def test_a_pooled_curve_of_weighted_rows_has_no_band_and_says_why():
    rng = np.random.default_rng(0)
    truth, fold, weights = rng.random(60) < 0.4, np.arange(60) % 3, rng.random(60)
    options = {"positive": True, "fold": fold, "weights": weights, "bootstrap": 20}
    evaluation = th.evaluate(truth, {"m": rng.random(60)}, **options)
    document = build(evaluation, points=True, deciding=DecisionOptions.of(None, None, average="pooled"))
    assert {mean.band for mean in document.models[0].optional.means.values()} == {None}
    assert "no band: weighted rows cannot be resampled" in document_text(document)


def test_a_style_is_of_two_classes_and_has_a_name(tmp_path):
    case("plain").report(tmp_path / "a.txt", style="paper")
    assert "For a paper" in (tmp_path / "a.txt").read_text("utf-8")
