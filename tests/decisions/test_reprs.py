"""What the values show of themselves: one short line in the words of the field."""

import numpy as np

import thresher as th
from thresher.decisions import choose, concavities, contours, iso_accuracy, iso_precision, randomized, slide
from thresher.measures import find

SCORES = {"a": [0.9, 0.6, 0.4, 0.1], "b": [0.8, 0.3, 0.5, 0.2], "c": [0.1, 0.2, 0.3, 0.4]}
EVALUATION = th.evaluate([1, 0, 1, 0], SCORES)
HULL = EVALUATION["a"].hull


def test_one_line_each():
    point = choose(EVALUATION["a"].scores, "youden").best
    shown = {
        repr(EVALUATION.joint_hull): "JointHull(3 vertices of 3 models, area 1; never the best: a, c)",
        repr(EVALUATION.joint_hull.vertices[1]): "OwnedVertex(b at 0.5: FPR 0, TPR 1, slopes 0 to inf)",
        repr(EVALUATION.dominance("a", "b")): "Dominance(b is nowhere below a)",
        repr(th.evaluate([1, 0], {"x": [2, 1], "y": [4, 3]}).dominance("x", "y")): "Dominance(x and y are one curve)",
        repr(point): "OperatingPoint(threshold 0.9: value 0.5, FPR 0, TPR 0.5, on the hull)",
        repr(point.valid): "ValidRange(slopes 1 to inf, cost ratios 1 to inf, prevalences 0 to 0.5)",
        repr(slide(HULL, "accuracy")): "Touch(accuracy 0.75 at thresholds 0.9 and 0.4)",
        repr(randomized(HULL, fpr=0.25)):
            "RandomizedClassifier(0.4 with probability 0.5, else 0.9: FPR 0.25, TPR 0.75)",
        repr(iso_accuracy(0.8, skew=3)): "IsoLine(accuracy 0.8: TPR = 3·FPR + 0.2)",
        repr(iso_precision(1.0, skew=3)): "IsoLine(positive_predictive_value 1: FPR = 0)",
        repr(contours("f1", prevalence=0.25)): "Contours(f1 at a prevalence of 0.25, 101 × 101 points)",
    }  # fmt: skip
    for got, want in shown.items():
        assert got == want


def test_curves_that_cross_say_who_leads_where():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    scores = {"steep": np.where(y == 1, rng.normal(2, 3, 300), rng.normal(size=300)), "even": y + rng.normal(size=300)}
    found = th.evaluate(y, scores).dominance("steep", "even")
    said = repr(found)
    assert said.startswith("Dominance(steep and even cross: steep leads at FPR 0 to ")
    assert len(said) < 250
    first = next(lead for lead in found.leads if lead.leader == "steep")
    assert repr(first) == f"Lead(steep, FPR {first.fpr[0]:.4g} to {first.fpr[1]:.4g})"


def test_concavities_say_where_and_how_deep():
    y, score = [1, 1, 0, 0, 1, 0], [6, 5, 4, 3, 2, 1]
    (found,) = concavities(th.evaluate(y, score)["score"].scores)
    assert repr(found).startswith("Concavity(2 thresholds between 5 and 2, ")


def test_likelihood_ratios_are_found_by_their_usual_signs():
    table = EVALUATION["b"].scores
    signed, spelled = (choose(table, f"max {name} s.t. tpr>=0.5").thresholds.tolist() for name in ("lr+", "lr_plus"))
    assert signed == spelled
    assert choose(table, "max tpr s.t. LR+>=1").value == 1
    for minus in ("lr−", "LR-", "lr minus"):
        assert find(minus).name == "negative_likelihood_ratio"
