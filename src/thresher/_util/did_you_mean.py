"""Similar names, and the names here of other tools' keywords and attributes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any


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


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The question to end a sentence with, a blank before it; empty when nothing is near.

    >>> did_you_mean("RF", ["random_forest", "id"])
    " Did you mean 'random_forest'?"
    """
    near = nearest(name, known)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""


def _folded(name: str) -> str:
    return " ".join(name.casefold().replace("_", " ").replace("-", " ").replace(".", " ").split())


KEYWORDS = {
    "pos_label": ("positive",), "sample_weight": ("weights",),
    "y_true": ("data", "truth", "y"), "y_score": ("scores", "score"), "y_pred": ("predicted",),
    "y_prob": ("probabilities", "scores"), "y_proba": ("probabilities", "scores"), "probas_pred": ("scores",),
    "cv": ("method",), "scoring": ("measures", "measure"), "metric": ("measure", "measures", "maximize"),
    "metrics": ("measures", "measure"), "random_state": ("rng",), "average": ("how",),
    "zero_division": ("undefined",), "drop_intermediate": ("drop_collinear",), "n_bins": ("bins",),
    "strategy": ("method",), "groups": ("cluster", "by"), "confidence_level": ("level",), "conf_level": ("level",),
    "n_resamples": ("bootstrap",), "n_boot": ("bootstrap",), "return_estimator": ("keep_models",),
    "n_bootstrap": ("bootstrap",), "ci": ("level",), "confidence": ("level",),
    "y": ("label",), "target": ("label",), "patient": ("cluster",), "patient_id": ("cluster",),
    "group": ("by", "cluster"),
    "probas": ("probabilities",), "logits": ("scores",), "cutoff": ("threshold",), "response": ("data",),
    "predictor": ("scores",), "estimator_name": ("label",),
    "name": ("label", "names"), "tolerance": ("resolution",),
}  # fmt: skip
"""Keyword of another tool → its names here; the first that a function takes is meant."""

SEVERAL = dict.fromkeys(("group", "groups"), "by= names subgroups, cluster= rows that depend on each other")
"""Keyword elsewhere → the keywords here that it may mean, for a function that takes them all."""

ALIASES = {"weight": "weights", "seed": "rng", "proba": "probabilities", "score": "scores"}
"""Options of the command, as keywords → the keyword that they are here; functions that take it take both."""

ALIASES_OF = {"assess": {"cv": "method"}}
"""Function → keywords that it alone takes under another name."""

CELLS = {"tp", "fp", "fn", "tn"}


def own_names(function: Callable[..., Any], named: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return keyword arguments under the function's names; None if they are, or if it takes any.

    >>> def draw(*, rng): ...
    >>> own_names(draw, {"seed": 3}), own_names(draw, {"rng": 3})
    ({'rng': 3}, None)
    """
    from inspect import Parameter, signature

    if function.__qualname__ == "ConfusionMatrix.__init__":
        return of_cells(named)
    taken = signature(function).parameters
    if any(one.kind is Parameter.VAR_KEYWORD for one in taken.values()):
        return None
    names = ALIASES | ALIASES_OF.get(function.__name__, {})
    given = [name for name in named if name in names and name not in taken]
    other = {name: own for name in given if (own := names[name]) in taken and own not in named}
    return {other.get(name, name): value for name, value in named.items()} if other else None


def of_cells(named: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the arguments of `ConfusionMatrix` for its four cells; None for anything but four numbers.

    >>> of_cells({"tp": 3, "fp": 1, "fn": 2, "tn": 5})
    {'counts': [[3, 2], [1, 5]], 'labels': (1, 0)}
    """
    if named.keys() != CELLS or any(getattr(cell, "ndim", 0) or isinstance(cell, list) for cell in named.values()):
        return None
    return {"counts": [[named["tp"], named["fn"]], [named["fp"], named["tn"]]], "labels": (1, 0)}


BY_PLACE = {
    "evaluate": "Write th.evaluate(y, {'a': …, 'b': …}) for models, th.evaluate(df, label='y', scores='a') for columns",
    "ConfusionMatrix": "Write th.ConfusionMatrix.from_counts([[…], […]]) or .from_predictions(y_true, y_pred)",
}
"""Function → the call that is meant when too many values are given by their places."""

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
    "alpha": "the confidence level, 1 − alpha, is level=",
    **dict.fromkeys(CELLS, "write th.ConfusionMatrix.from_cells(tp=…, fp=…, fn=…, tn=…)"),
    **dict.fromkeys(("metrics", "measures"), "every measure is an attribute, .estimate('recall@fpr=0.01') reads more"),
    **dict.fromkeys(("judge", "sampling"), "th.evaluate(…, judge=…) alone combines gold rows with a judge's labels"),
    "random_state": "this call is not random; random calls take rng=…",
}
"""Keyword of another tool → the alternative, for a function without such a keyword."""


def called_here(name: str, taken: Collection[str]) -> str | None:
    """Return the name here of another library's keyword, among the keywords of a function; None if it is unknown.

    >>> called_here("pos_label", ["data", "positive"]), called_here("cv", ["data"])
    ('here it is positive=', 'th.assess(estimator, X, y, method=…) fits and judges by resampling')
    """
    found = [own for own in KEYWORDS.get(name, ()) if own in taken]
    if len(found) > 1 and name in SEVERAL:
        return SEVERAL[name]
    return f"here it is {found[0]}=" if found else ELSEWHERE.get(name)


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
    **dict.fromkeys(("ci", "confidence_interval", "conf_int"), "an estimate has .low, .high and .interval"),
    **dict.fromkeys(("p_value", "pvalue"), "evaluation.compare('a', 'b').p_value tests a difference of two models"),
    **dict.fromkeys(("std", "se", "stderr"), "an estimate has .standard_error"),
    **dict.fromkeys(("metrics", "results"), ".to_frame() has every measure in a row, .summary() is the text"),
    "best": "evaluation.findings[0] names the best model, .best_models(cost_fp=…, cost_fn=…) the cheapest",
    "pr_auc": ".average_precision is the usual area, .pr_auc_trapezoid another",
    "recall_score": ".recall has its value",
    **dict.fromkeys(("best_threshold", "optimal_threshold"), ".choose('youden') or .choose('max f1') has .threshold"),
    "youden": ".choose('youden') is the threshold, .youden_j the value",
    "precision_at_k": ".choose(top_k=10).precision has its value and interval",
    "hosmer_lemeshow": "th.calibration.hosmer_lemeshow_test(model.scores) tests the calibration",
    "delong": ".compare('a', 'b', test='delong') tests two models",
    **dict.fromkeys(("plot_roc", "roc_plot"), ".plot('roc') draws it"),
    "sample_size": "th.inference.auc_sample_size(…) and .rate_sample_size(…) plan a study",
}
"""Attribute of another library, or a likely first guess → the name here."""


READ = "th.evaluate(data, label='y', scores='a') reads dataframes and files, such as 'rows.csv'"
JUDGED = "th.evaluate_estimator(estimator, X, y) evaluates a fitted classifier"
CHOSEN = "th.evaluate(y, scores).choose('youden').threshold"

CALLS = {
    "compare": "th.evaluate(y, {'a': …, 'b': …}).compare('a', 'b')",
    "report": "th.evaluate(y, scores).report('report.html') writes a report",
    "choose": CHOSEN,
    **dict.fromkeys(("best_threshold", "optimal_threshold", "find_threshold", "optimal_cutpoint", "cutpointr"), CHOSEN),
    "power": "th.inference.auc_power(auc=0.8, positives=50) and .paired_auc_power(…) plan a study",
    **dict.fromkeys(("cross_validate", "cross_val_score"), "th.assess(estimator, X, y, method=th.KFold(10))"),
    **dict.fromkeys(("evaluate_model", "evaluate_classifier"), JUDGED),
    **dict.fromkeys(("read_csv", "read_parquet", "load", "read"), READ),
    "load_dataset": "th.load_example('breast_cancer')",
}
"""Attribute of `thresher` that one tries first → the call that serves."""


def place_of(package: str, name: str, packages: Iterable[str] = ()) -> str:
    """End of a sentence about a name that a package lacks: the call that serves, or the nearest name.

    >>> place_of("thresher", "roc_auc_score", ["metrics"]), place_of("thresher", "mcnemar")
    (': use th.metrics.roc_auc_score', ': use th.inference.mcnemar_test(table)')
    """
    from importlib import import_module

    if package == "thresher" and name in CALLS:
        return f": {CALLS[name]}"
    if package == "thresher" and import_module("thresher.measures.registry").known(name):
        return f": th.evaluate(y, scores).{name} has its value and interval"
    public = {
        each: f"th.{home}.{each}"
        for home in sorted(packages, key="metrics".__eq__)  # scikit-learn's names are its functions
        for each in getattr(import_module(f"thresher.{home}"), "__all__", ())
    }
    if name in public:
        return f": use {public[name]}"
    try:
        call = str(import_module("thresher.terms").find(name).call)
    except KeyError:
        near = did_you_mean(name, import_module(package).__all__)
        return f".{near}" if near else ""
    return ": use " + call.replace('ev["m"]', "th.evaluate(y, scores)")


def attribute_here(name: str, models: Collection[str] | None = None) -> str:
    """End of a sentence about an attribute that a result lacks, an evaluation of some models; empty if unknown."""
    if name in ATTRIBUTES or models is None:
        return f": {ATTRIBUTES[name]}" if name in ATTRIBUTES else ""
    if name in models:
        return f": the model is evaluation[{name!r}]"
    names = [*map(repr, models), "NAME"]
    return f"; read a model's as evaluation[{names[0]}].{name}. The models are {', '.join(names[:-1]) or 'none'}"
