"""Pages of the product that the site shows live: the report of the example, and explorers to teach with."""

from __future__ import annotations

from pathlib import Path

import thresher as th
from thresher.report.build import build
from thresher.report.render.html.page import document_page
from thresher.report.sections.kinds import Charts, Decisions
from thresher.report.sections.order import sections_of

TAUGHT = ("ten", "tied")
"""Examples of a few rows that pages to teach with explore."""
MODELS = ["logistic_regression", "random_forest", "naive_bayes"]


def write_live(folder: Path) -> None:
    """Write `report.html` and `live/NAME.html`, each of which is whole and loads nothing."""
    rows = th.load_example("breast_cancer")
    found = th.evaluate(rows, label="diagnosis", positive="malignant", scores=MODELS, by="nucleus_size")
    found.report(folder / "report.html")
    (folder / "live").mkdir(exist_ok=True)
    shown = {name: th.evaluate(*th.load_example(name).values()) for name in TAUGHT}
    shown["tumours"] = th.evaluate(rows, label="diagnosis", positive="malignant", scores=MODELS[1:])
    for name, evaluation in shown.items():
        (folder / "live" / f"{name}.html").write_text(explorer(evaluation, name), encoding="utf-8")


def explorer(evaluation: th.Evaluation, name: str) -> str:
    """Page of what moves in a report and of nothing else: curves, threshold, matrix, costs and prevalence."""
    document = build(evaluation, title=f"Explore: {name}", points=True)
    kept = [each for each in sections_of(document) if isinstance(each, Charts | Decisions) or each.key == "all-costs"]
    return document_page(document, kept)
