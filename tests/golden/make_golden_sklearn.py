"""Write ``sklearn.json``: what scikit-learn returns for weighted rows and for three classes.

Run ``python tests/golden/make_golden_sklearn.py`` before ``make_golden.R``, which reads the wine labels
written here. Every value is the result of evaluating the ``call`` that stands beside it.
"""

import csv
import json
import math
import platform
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "src" / "thresher" / "data"
SETUP = (
    "rows of the CSV file in order; id = 1, 2, …; y = 1 for the positive class; s = the model's column",
    "w = {'none': None, 'frequency': 1 + id % 3, 'importance': 0.5 + ((7 * id) % 10) / 10}",
    "hard = (s >= 0.5); positive_first = [1, 0]; functions are those of sklearn.metrics",
    "wine: y, p (probabilities, 178 x 3) and hard labels are under 'data'; w as above from the row number",
    "blind = hard with label 2 renamed to 1: a class that is never predicted",
)
BINARY_FILES = {
    "breast_cancer": ("diagnosis", "malignant"),
    "digit_eight": ("is_eight", "1"),
}
SCORE_CALLS = (
    "roc_auc_score(y, s, sample_weight=w)", "roc_auc_score(y, s, sample_weight=w, max_fpr=0.1)",
    "average_precision_score(y, s, sample_weight=w)", "brier_score_loss(y, s, sample_weight=w)",
    "d2_brier_score(y, s, sample_weight=w)", "log_loss(y, s, sample_weight=w)",
)  # fmt: skip
LABEL_CALLS = (
    "confusion_matrix(y, hard, sample_weight=w, labels=positive_first)", "accuracy_score(y, hard, sample_weight=w)",
    "balanced_accuracy_score(y, hard, sample_weight=w)", "precision_score(y, hard, sample_weight=w)",
    "recall_score(y, hard, sample_weight=w)", "recall_score(y, hard, sample_weight=w, pos_label=0)",
    "f1_score(y, hard, sample_weight=w)", "fbeta_score(y, hard, sample_weight=w, beta=2)",
    "fbeta_score(y, hard, sample_weight=w, beta=0.5)", "jaccard_score(y, hard, sample_weight=w)",
    "matthews_corrcoef(y, hard, sample_weight=w)", "cohen_kappa_score(y, hard, sample_weight=w)",
    "zero_one_loss(y, hard, sample_weight=w)", "class_likelihood_ratios(y, hard, sample_weight=w)",
)  # fmt: skip
CURVE_CALLS = (
    "roc_curve(y, s, sample_weight=w, drop_intermediate=False)",
    "precision_recall_curve(y, s, sample_weight=w)",
    "det_curve(y, s, sample_weight=w)",
)
AVERAGED = ("precision_score", "recall_score", "f1_score", "jaccard_score")
WINE_CALLS = (
    "confusion_matrix(y, hard, sample_weight=w)",
    "accuracy_score(y, hard, sample_weight=w)",
    "balanced_accuracy_score(y, hard, sample_weight=w)",
    "matthews_corrcoef(y, hard, sample_weight=w)",
    "cohen_kappa_score(y, hard, sample_weight=w)",
    "cohen_kappa_score(y, hard, sample_weight=w, weights='linear')",
    "cohen_kappa_score(y, hard, sample_weight=w, weights='quadratic')",
    "log_loss(y, p, sample_weight=w)",
    "brier_score_loss(y, p, sample_weight=w)",
    "brier_score_loss(y, p, sample_weight=w, scale_by_half=True)",
    "top_k_accuracy_score(y, p, sample_weight=w, k=2)",
    "roc_auc_score(y, p, sample_weight=w, multi_class='ovr', average='macro')",
    "roc_auc_score(y, p, sample_weight=w, multi_class='ovr', average='weighted')",
    "roc_auc_score(y, p, sample_weight=w, multi_class='ovr', average='micro')",
)
UNWEIGHTED_WINE_CALLS = (
    "roc_auc_score(y, p, multi_class='ovr', average=None)",
    "roc_auc_score(y, p, multi_class='ovo', average='macro')",
    "roc_auc_score(y, p, multi_class='ovo', average='weighted')",
    "mutual_info_score(y, hard)",
    "multilabel_confusion_matrix(y, hard)",
)


def weights(n: int) -> dict[str, np.ndarray | None]:
    """The three weightings, from the row numbers 1 to n."""
    row = np.arange(1, n + 1)
    return {"none": None, "frequency": 1 + row % 3, "importance": 0.5 + ((7 * row) % 10) / 10}


def read_example(name: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Truth (1 is positive) and the score columns of an example file."""
    label, positive = BINARY_FILES[name]
    with (EXAMPLES / f"{name}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    columns = list(rows[0])
    truth = np.array([row[label] == positive for row in rows], dtype=int)
    models = columns[columns.index(label) + 1 : columns.index("fold")]
    return truth, {model: np.array([float(row[model]) for row in rows]) for model in models}


def wine() -> dict[str, np.ndarray]:
    """Out-of-fold posteriors of a logistic regression on two columns; each row of p sums to 1."""
    from sklearn.datasets import load_wine
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    bunch = load_wine()
    two = bunch.data[:, [bunch.feature_names.index(c) for c in ("malic_acid", "color_intensity")]]
    model = make_pipeline(StandardScaler(), LogisticRegression())
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    p = cross_val_predict(model, two, bunch.target, cv=folds, method="predict_proba").round(4)
    p[:, 2] = (1 - p[:, 0] - p[:, 1]).round(4)
    return {"y": bunch.target, "p": p, "hard": p.argmax(axis=1)}


def thinned(curve: tuple[np.ndarray, ...], count: int = 60) -> dict[str, Any]:
    """About `count` evenly spaced entries of the arrays of a curve, with their positions from 0.

    Positions count along the first array; an array that is one shorter has no entry at the last position.
    """
    keep = np.unique(np.linspace(0, len(curve[0]) - 1, count).round().astype(int))
    return {
        "length": [len(part) for part in curve],
        "positions": keep,
        "arrays": [part[keep[keep < len(part)]] for part in curve],
    }


def call_name(call: str) -> str:
    """The call without what every entry shares, as an id: ``fbeta_score/beta=2``."""
    function, _, arguments = call.rstrip(")").partition("(")
    shared = {"y", "s", "p", "hard", "blind", "sample_weight=w", "labels=positive_first"}
    return "/".join([function, *(o.replace("'", "") for o in arguments.split(", ") if o not in shared)])


def evaluated(prefix: str, calls: tuple[str, ...], names: dict[str, Any]) -> Iterator[tuple[str, dict]]:
    """The id and the entry (call, value, warnings) of each call."""
    import sklearn.metrics

    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = eval(call, vars(sklearn.metrics) | names)
        entry = {"call": call, "value": thinned(value) if call in CURVE_CALLS else value}
        if caught:
            entry["warnings"] = sorted({str(w.message).splitlines()[0] for w in caught})
        yield f"{prefix}/{call_name(call)}", entry


def binary_results() -> Iterator[tuple[str, dict]]:
    """Everything about the two example files, unweighted and with both kinds of weights."""
    shown = {"positive_first": [1, 0]}
    for name in BINARY_FILES:
        truth, models = read_example(name)
        for model, s in models.items():
            for kind, w in weights(len(truth)).items():
                names = {"y": truth, "s": s, "hard": (s >= 0.5).astype(int), "w": w} | shown
                calls = SCORE_CALLS + LABEL_CALLS + (CURVE_CALLS if kind != "none" else ())
                yield from evaluated(f"{name}/{model}/{kind}", calls, names)


def wine_results(data: dict[str, np.ndarray]) -> Iterator[tuple[str, dict]]:
    """Three classes; and the same with a class that is never predicted, under both policies for 0/0."""
    averages = ("None", "'macro'", "'micro'", "'weighted'")
    averaged = tuple(f"{f}(y, hard, sample_weight=w, average={a})" for f in AVERAGED for a in averages)
    blind = tuple(
        f"{f}(y, blind, average={a}, zero_division={z})"
        for f in ("precision_score", "f1_score")
        for a in averages
        for z in ("0.0", "nan")
    )
    names = data | {"blind": np.minimum(data["hard"], 1), "nan": math.nan}
    for kind, w in weights(len(data["y"])).items():
        yield from evaluated(f"wine/{kind}", WINE_CALLS + averaged, names | {"w": w})
    yield from evaluated("wine/none", UNWEIGHTED_WINE_CALLS, names)
    yield from evaluated("wine/blind", blind, names)


def plain(value: Any) -> Any:
    """The value as JSON can hold it: lists, and non-finite numbers as the strings NaN, Inf and -Inf."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Inf" if value > 0 else "-Inf")
    return value


def main() -> None:
    """Write ``sklearn.json``, one entry a line, so that a change of one value is a change of one line."""
    import sklearn

    data = wine()
    versions = {
        "Python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }
    head = {
        "dataset": "sklearn",
        "title": "weighted values on both example files, and wine (three classes)",
        "software": versions,
        "setup": SETUP,
        "data": {"wine": data},
    }
    lines = [f"{json.dumps(key)}: {json.dumps(plain(item), ensure_ascii=False)}" for key, item in head.items()]
    results = dict([*binary_results(), *wine_results(data)])
    entries = [f"  {json.dumps(key)}: {json.dumps(plain(entry))}" for key, entry in results.items()]
    body = ",\n".join([*lines, '"results": {\n' + ",\n".join(entries) + "\n}"])
    (HERE / "sklearn.json").write_text("{\n" + body + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
