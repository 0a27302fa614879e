"""Names that someone may have meant, and what keywords and attributes of other tools are called here."""

from __future__ import annotations

from collections.abc import Collection, Iterable


def nearest(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Up to `most` of the known names that one may have meant, the nearest first.

    >>> nearest("Diagnosi", ["id", "diagnosis"]), nearest("size", ["nucleus_size", "age"]), nearest("x", ["y", "z"])
    (['diagnosis'], ['nucleus_size'], [])
    """
    import difflib  # asked for by mistakes only

    folded: dict[str, list[str]] = {}
    for each in known:
        folded.setdefault(_folded(each), []).append(each)
    asked = _folded(name)
    found = difflib.get_close_matches(asked, folded, n=most, cutoff=0.6)
    if len(asked) > 2:
        found += sorted((each for each in folded if asked in each), key=len)
    if not found and len(asked) > 1:
        found = [each for each in folded if asked == "".join(word[:1] for word in each.split())]
    return [each for key in dict.fromkeys(found) for each in folded[key]][:most]


def did_you_mean(name: str, known: Iterable[str], most: int = 3) -> str:
    """The question to end a sentence with, a blank before it; empty when nothing is near.

    >>> did_you_mean("RF", ["random_forest", "id"])
    " Did you mean 'random_forest'?"
    """
    near = nearest(name, known, most)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""


def _folded(name: str) -> str:
    return " ".join(name.casefold().replace("_", " ").replace("-", " ").replace(".", " ").split())


KEYWORDS = {
    "pos_label": ("positive",), "sample_weight": ("weights",),
    "y_true": ("data", "truth", "y"), "y_score": ("scores", "score"), "y_pred": ("predicted",),
    "y_prob": ("probabilities", "scores"), "y_proba": ("probabilities", "scores"), "probas_pred": ("scores",),
    "cv": ("method",), "scoring": ("measures", "measure"), "metric": ("measure", "measures"),
    "metrics": ("measures", "measure"), "random_state": ("rng",), "average": ("how",),
    "zero_division": ("undefined",), "drop_intermediate": ("drop_collinear",), "n_bins": ("bins",),
    "strategy": ("method",), "groups": ("cluster", "by"), "confidence_level": ("level",), "conf_level": ("level",),
    "n_resamples": ("bootstrap",), "n_boot": ("bootstrap",), "return_estimator": ("keep_models",),
    "cutoff": ("threshold",), "response": ("data",), "predictor": ("scores",), "estimator_name": ("label",),
    "name": ("label", "names"), "tolerance": ("resolution",),
}  # fmt: skip
"""Keyword elsewhere → what it is here, the first that a function takes."""

ALIASES = {"weight": "weights", "seed": "rng", "proba": "probabilities"}
"""Options of the command, as keywords → the keyword that they are here; functions that take it take both."""

OF_COUNTS = "and th.evaluate evaluates the counts"

ELSEWHERE = {
    "cv": "th.assess(estimator, X, y, method=…) fits and judges by resampling",
    "scoring": "every measure is an attribute of a model's evaluation, and th.assess takes measures=…",
    "average": "matrix.average(measure, how=…) is the mean over classes, macro_f1 and the like are measures",
    "max_fpr": 'a part of the area is model.partial_area("fpr<=0.1")',
    "multi_class": "averages over several classes are measures: macro_auc, ovo_macro_auc and others",
    "n_jobs": "it uses all processors by itself",
    "pos_label": "the positive class is named when rows are evaluated: th.evaluate(…, positive=…)",
    "sample_weight": "weights are given with the rows: th.evaluate(…, weights=…)",
    **dict.fromkeys(("resolution", "tolerance"), f"th.count(…, resolution=…) rounds scores, {OF_COUNTS}"),
    "memory": f"th.count(…, memory=…) keeps no rows, {OF_COUNTS}",
    "pairs": f"th.count(…, pairs=True) counts pairs of scores, {OF_COUNTS}",
    **dict.fromkeys(("min_cell", "least"), "counts.with_least(k) merges scores until no count of a class is below k"),
    "random_state": "nothing is drawn here; what is drawn takes rng=…",
}
"""Keyword elsewhere → what serves in its place, for a function that takes nothing like it."""


def called_here(name: str, taken: Collection[str]) -> str | None:
    """What a keyword of another library is among those that a function takes, or where it is; None if it is unknown.

    >>> called_here("pos_label", ["data", "positive"]), called_here("cv", ["data"])
    ('here it is positive=', 'th.assess(estimator, X, y, method=…) fits and judges by resampling')
    """
    found = next((own for own in KEYWORDS.get(name, ()) if own in taken), None)
    return f"here it is {found}=" if found else ELSEWHERE.get(name)


ATTRIBUTES = {
    "to_html": "evaluation.report('report.html') writes the page",
    "to_markdown": "evaluation.report('report.md') writes it",
    "to_csv": "evaluation.report('report.csv') writes it",
    "save": "evaluation.report('report.json') or .to_json() keeps the results, pickle the evaluation itself",
    "show": "str(evaluation) is the report as text, .plot() a picture",
    "score": "every measure is an attribute: .auc, .f1, .recall",
    "fit": "th.assess(estimator, X, y) fits and judges an estimator",
    "predict": ".choose(…).classifier(estimator) is an estimator that predicts by the chosen threshold",
    "confusion": ".confusion_matrix, or .at(threshold)",
    "cm": ".confusion_matrix, or .at(threshold)",
    "thresholds": ".table has all thresholds",
    "curves": ".roc, .pr, .gain_curve and others are curves",
    "pr_curve": ".pr is the precision–recall curve",
    "roc_curve": ".roc is the ROC",
    "bootstrap_ci": "th.evaluate(…, bootstrap=…) gives intervals by resampling",
    "ci": "an estimate has .low, .high and .interval",
}
"""Attribute elsewhere, or that one tries first, → what serves here."""


def attribute_here(name: str) -> str:
    """The end of a sentence about an attribute that an evaluation has not; empty for one that is not known.

    >>> attribute_here("to_html")
    ": evaluation.report('report.html') writes the page"
    """
    return f": {ATTRIBUTES[name]}" if name in ATTRIBUTES else ""
