"""The verdict of ranked results: its codes, its tests as one family, and the same findings in every view."""

import numpy as np

import thresher as th
from thresher.ranking.evaluation import RankEvaluation
from thresher.report.render.results import ranking_form

RNG = np.random.default_rng(1)
QRELS = {f"q{i}": {f"d{j}": int(RNG.random() < 0.3) for j in range(12)} for i in range(30)}


def run(skill: float) -> dict[str, dict[str, float]]:
    return {q: {d: RNG.normal() + skill * r for d, r in docs.items()} for q, docs in QRELS.items()}


RUNS = {"weak": run(0.2), "strong": run(3.0), "fair": run(1.0)}
TWINS = {"a": run(1.0), "b": run(1.01)}


def evaluated(runs: dict[str, dict[str, dict[str, float]]]) -> RankEvaluation:
    return th.rank(QRELS, runs, measures=["map", "P.5", "recip_rank"])


def test_the_best_run_and_how_sure():
    found = evaluated(RUNS)
    (first,) = [each for each in found.findings if each.question == "better" and each.code != "tested-by"]
    assert (first.code, first.severity) == ("best-model", "good")
    pairs = {frozenset(c.models): c for c in found.compare(measure="map")}
    for name in ("weak", "fair"):
        p = pairs[frozenset(("strong", name))].adjusted_p_value
        assert p < 0.05
    assert first.text.startswith("strong is better than both others in mean average precision")
    value = found["strong"].mean("map").value
    assert found.findings[0].text.startswith(f"strong: mean average precision {value:.3f} [")


def test_ties_are_named_and_one_run_is_no_comparison():
    (tied, *_) = [each for each in evaluated(TWINS).findings if each.question == "better" and each.code != "tested-by"]
    assert tied.code == "tied-models"
    assert tied.text.startswith("No significant difference in mean average precision between ")
    alone, sure = evaluated({"a": TWINS["a"]}).findings
    assert sure.question == "sure"
    assert (alone.code, alone.evidence) == ("quality", "means")


def test_what_disagrees_is_said():
    qrels = {f"q{i}": {"a": 1, "b": 1, "c": 0} for i in range(9)}
    early = {q: {"a": 3.0, "c": 2.0, "b": 1.0} for q in qrels}
    late = {q: ({"c": 3.0, "a": 2.0, "b": 1.0} if i < 8 else {"a": 3.0, "b": 2.0}) for i, q in enumerate(qrels)}
    both = {q: {"c": 3.0, "a": 2.0, "b": 1.0} for q in list(qrels)[:5]}
    found = th.rank(qrels, {"early": early, "late": late, "few": both}, measures=["map", "recall.2"])
    codes = {each.code: each for each in found.findings}
    assert "The runs cover different queries (early 9, late 9, few 5)" in codes["other-queries"].text
    agreeing = th.rank(qrels, {"x": early, "y": late}, measures=["map"]).findings
    assert {each.code for each in agreeing} <= {"quality", "interval", "best-model", "tested-by"}


def test_the_script_of_a_page_only_sorts():
    found = evaluated(RUNS)
    assert "<script" not in ranking_form(found, form="html")
    page = ranking_form(found, form="html", per_query=True)
    assert page.count("<script>") == 1
    assert 'class="data sorts"' in page


def test_another_measure_s_winner_is_named():
    qrels = {f"q{i}": {"a": 1, "b": 1, "c": 1, "d": 0, "e": 0} for i in range(8)}
    top = {q: {"a": 5.0, "d": 4.0, "e": 3.0, "b": 2.0, "c": 1.0} for q in qrels}
    wide = {q: {"d": 5.0, "a": 4.0, "b": 3.0, "c": 2.0, "e": 1.0} for q in qrels}
    wide["q7"] = {"d": 5.0, "e": 4.0, "a": 3.0, "b": 2.0, "c": 1.0}
    found = th.rank(qrels, {"top": top, "wide": wide}, measures=["recip_rank", "P.3"])
    (other,) = [each for each in found.findings if each.code == "measures-disagree"]
    assert other.text == "Better by other measures: wide by P_3."
    few = th.rank({"q0": qrels["q0"], "q7": qrels["q7"]}, {"top": top, "wide": wide}, measures=["recip_rank", "P.3"])
    assert not [each for each in few.findings if each.code == "measures-disagree"]
