"""Pages of the product that the site shows live: the report of the example, and explorers to teach with."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import thresher as th
from thresher.report.build import build
from thresher.report.render.html.page import document_page
from thresher.report.sections.order import sections_of

MODELS = ["logistic_regression", "random_forest", "naive_bayes"]

TITLES = {
    "five": "Five rows", "ten": "Ten rows", "tied": "Ten rows, three of one score", "leaves": "Five leaves of a tree",
    "tumours": "Two models of 569 tumours", "eights": "Is it an eight?", "wine": "Cultivar 2 against the others",
}  # fmt: skip
"""Titles of what pages to teach with explore, by the name of the live page."""


def write_live(folder: Path) -> None:
    """Write `report.html` and `live/NAME.html`, each of which is whole and loads nothing."""
    rows = th.load_example("breast_cancer")
    found = th.evaluate(rows, label="diagnosis", positive="malignant", scores=MODELS, by="nucleus_size")
    found.report(folder / "report.html")
    (folder / "live").mkdir(exist_ok=True)
    for name, evaluation in taught().items():
        (folder / "live" / f"{name}.html").write_text(explorer(evaluation, TITLES[name]), encoding="utf-8")


def taught() -> dict[str, th.Evaluation]:
    """What they show."""
    few = {name: th.evaluate(*th.load_example(name).values()) for name in ("five", "ten", "tied")}
    leaves, tumours, wine = map(th.load_example, ("leaves", "breast_cancer", "wine"))
    truth = np.repeat(np.tile([1, 0], 5), np.column_stack([leaves["positive"], leaves["negative"]]).ravel())
    score = np.repeat(leaves["score"], leaves["positive"] + leaves["negative"])
    return {
        **few,
        "leaves": th.evaluate(truth, score),
        "tumours": th.evaluate(tumours, label="diagnosis", positive="malignant", scores=MODELS[1:]),
        "eights": th.evaluate(th.load_example("digit_eight"), label="is_eight", scores="logistic_regression"),
        "wine": th.evaluate(np.where(wine["cultivar"] == 2, "2", "1 or 3"), wine["bayes_2"], positive="2"),
    }


def explorer(evaluation: th.Evaluation, title: str) -> str:
    """Page of what moves in a report and of nothing else: curves, threshold, matrix, costs and prevalence."""
    document = build(evaluation, title=title, points=True)
    kept = [each for each in sections_of(document) if each.key in ("curves", "decisions", "all-costs")]
    return document_page(document, kept)
