"""Make the example data: out-of-fold predictions of real models on three public data sets.

Run ``python examples/make_examples.py`` from anywhere; it needs scikit-learn and rewrites the CSV files
and the README in ``src/thresher/data``. Every random choice is seeded, and scores are written with four
significant digits (posteriors of several classes as multiples of 10⁻⁶ that add up to 1), so that last-bit
differences between machines rarely reach the file.
"""

from __future__ import annotations

import csv
import platform
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import sklearn
from sklearn.base import ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

SEED = 0
FOLDS = 10
SIGNIFICANT_DIGITS = 4
UNIT = 10**6
DATA = Path(__file__).resolve().parents[1] / "src" / "thresher" / "data"
README = """\
# Example predictions

Made by `examples/make_examples.py` with @VERSIONS@; this file too.

Each row is one case that the models had **not** seen: the rows were cut into ten folds with equal class
ratio (seed 0, column `fold`), and the score of a row comes from the model fitted to the other nine
folds. Scores are rounded to four significant digits, so that ties are ties in the file as well;
posteriors of several classes are multiples of 10⁻⁶, rounded so that each row adds up to 1. `id` is
the row number in scikit-learn's data, from 1. The models are ordinary on purpose: some see few columns,
one is badly calibrated, two have heavy ties. They show what a report can show; they say nothing about
the best model for these data.

@FILES@
In `breast_cancer.csv`, `nucleus_size` is the tercile of *mean radius*, the mean radius of the cell
nuclei in the image (not the size of the tumor); the naive Bayes and logistic models do not see it, the
random forest does. In `digit_eight.csv` and `digits.csv`, `ink` says whether the sum of all pixels is
above (`high`) or not above (`low`) its median. In `wine.csv`, `color` says whether the color intensity is
above (`dark`) or not above (`light`) its median; no model sees it.

## Sources and licence

The labels and subgroups come from the three data sets below, all licensed under [Creative Commons
Attribution 4.0 International](https://creativecommons.org/licenses/by/4.0/) (CC BY 4.0) and read through
scikit-learn (`load_breast_cancer`, `load_digits`, `load_wine`). Changes: the measurements and images were
replaced by model scores and one derived subgroup column; in `digit_eight.csv` the digit was reduced to
"is it an 8". The four CSV files are offered under the same licence.

* W. Wolberg, O. Mangasarian, N. Street and W. Street (1993). Breast Cancer Wisconsin (Diagnostic). UCI
  Machine Learning Repository. <https://doi.org/10.24432/C5DW2B>
* E. Alpaydin and C. Kaynak (1998). Optical Recognition of Handwritten Digits. UCI Machine Learning
  Repository. <https://doi.org/10.24432/C50P49> (scikit-learn ships the test part, 1797 images)
* S. Aeberhard and M. Forina (1992). Wine. UCI Machine Learning Repository.
  <https://doi.org/10.24432/C5PC7J>
"""


@dataclass(frozen=True)
class Model:
    """A classifier, the columns it may see, and a sentence for the README."""

    classifier: ClassifierMixin
    features: np.ndarray
    description: str


@dataclass(frozen=True)
class Example:
    """One example file: truth (1 is positive), how the truth is written, its models and a subgroup column."""

    name: str
    label: str
    truth: np.ndarray
    written: tuple[str, str]
    models: dict[str, Model]
    group: str
    groups: np.ndarray
    group_order: tuple[str, ...]


def standardized_logistic(**options: float) -> ClassifierMixin:
    """A logistic regression on columns scaled to mean 0 and variance 1."""
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000, **options))


def breast_cancer() -> Example:
    """Is the tumor malignant? Three models that see different measurements of the cell nuclei."""
    bunch = load_breast_cancer()
    column = {name: index for index, name in enumerate(bunch.feature_names)}
    shape = bunch.data[:, [column["mean texture"], column["mean smoothness"], column["mean concavity"]]]
    means = bunch.data[:, [i for name, i in column.items() if name.startswith("mean ")]]
    spread = bunch.data[:, [i for name, i in column.items() if name.endswith(" error")]]
    radius = bunch.data[:, column["mean radius"]]
    tercile = np.searchsorted(np.quantile(radius, [1 / 3, 2 / 3]), radius)
    sizes = ("small", "medium", "large")
    models = {
        "logistic_regression": Model(
            standardized_logistic(), shape, "logistic regression on mean texture, smoothness and concavity"
        ),
        "random_forest": Model(
            RandomForestClassifier(n_estimators=25, random_state=SEED),
            means,
            "random forest, 25 fully grown trees, on the ten mean measurements (scores: multiples of 1/25)",
        ),
        "naive_bayes": Model(
            GaussianNB(),
            spread,
            "Gaussian naive Bayes on the ten standard errors (strongly dependent columns, so over-confident)",
        ),
    }
    return Example(
        name="breast_cancer",
        label="diagnosis",
        truth=(bunch.target == list(bunch.target_names).index("malignant")).astype(int),
        written=("benign", "malignant"),
        models=models,
        group="nucleus_size",
        groups=np.array(sizes)[tercile],
        group_order=sizes,
    )


def digit_eight() -> Example:
    """Is the handwritten digit an 8? About one image in ten is."""
    bunch = load_digits()
    image = bunch.images
    blocks = image.reshape(-1, 4, 2, 4, 2).sum(axis=(2, 4)).reshape(-1, 16)
    ink = bunch.data.sum(axis=1)
    models = {
        "gradient_boosting": Model(
            GradientBoostingClassifier(n_estimators=50, max_depth=2, random_state=SEED),
            blocks,
            "gradient boosting, 50 trees of depth 2, on the image reduced to 4 × 4 blocks",
        ),
        "logistic_regression": Model(
            standardized_logistic(C=0.1), bunch.data, "logistic regression (C = 0.1) on all 64 pixels"
        ),
        "knn": Model(
            KNeighborsClassifier(n_neighbors=10),
            image.sum(axis=2),
            "10 nearest neighbors on the ink of the eight rows of pixels (at most 11 distinct scores)",
        ),
    }
    return Example(
        name="digit_eight",
        label="is_eight",
        truth=(bunch.target == 8).astype(int),
        written=("0", "1"),
        models=models,
        group="ink",
        groups=np.where(ink > np.median(ink), "high", "low"),
        group_order=("low", "high"),
    )


@dataclass(frozen=True)
class ClassExample:
    """One example file of several classes: truth as codes into `written`, models by the prefix of their columns."""

    name: str
    label: str
    truth: np.ndarray
    written: tuple[str, ...]
    models: dict[str, Model]
    group: str
    groups: np.ndarray
    group_order: tuple[str, ...]


def digits() -> ClassExample:
    """Which digit is it? Ten classes of about the same size."""
    bunch = load_digits()
    blocks = bunch.images.reshape(-1, 4, 2, 4, 2).sum(axis=(2, 4)).reshape(-1, 16)
    ink = bunch.data.sum(axis=1)
    models = {
        "forest_": Model(
            RandomForestClassifier(n_estimators=50, min_samples_leaf=2, random_state=SEED),
            bunch.data,
            "random forest, 50 trees, on all 64 pixels (under-confident)",
        ),
        "logistic_": Model(
            standardized_logistic(C=0.1), blocks, "logistic regression (C = 0.1) on the image reduced to 4 × 4 blocks"
        ),
    }
    return ClassExample(
        name="digits",
        label="digit",
        truth=bunch.target,
        written=tuple(map(str, range(10))),
        models=models,
        group="ink",
        groups=np.where(ink > np.median(ink), "high", "low"),
        group_order=("low", "high"),
    )


def wine() -> ClassExample:
    """Which of three cultivars is the wine made of? Two models that see few of the measurements."""
    bunch = load_wine()
    column = {name: index for index, name in enumerate(bunch.feature_names)}
    color = bunch.data[:, column["color_intensity"]]
    models = {
        "logistic_": Model(
            standardized_logistic(),
            bunch.data[:, [column["malic_acid"], column["ash"], column["alcalinity_of_ash"]]],
            "logistic regression on malic acid, ash and its alcalinity",
        ),
        "bayes_": Model(
            GaussianNB(),
            bunch.data[:, [column["magnesium"], column["total_phenols"], column["flavanoids"]]],
            "Gaussian naive Bayes on magnesium, phenols and flavanoids (strongly dependent columns)",
        ),
    }
    return ClassExample(
        name="wine",
        label="cultivar",
        truth=bunch.target,
        written=("1", "2", "3"),
        models=models,
        group="color",
        groups=np.where(color > np.median(color), "dark", "light"),
        group_order=("light", "dark"),
    )


def fold_numbers(truth: np.ndarray) -> np.ndarray:
    """The fold, 1 to 10, in which each row is held out; every fold has the class ratio of the whole."""
    folds = np.empty(len(truth), dtype=int)
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    for number, (_, held_out) in enumerate(splitter.split(truth, truth), start=1):
        folds[held_out] = number
    return folds


def held_out_probabilities(model: Model, truth: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """The probability of the positive class of every row, by the model fitted to the other folds."""
    scores = np.empty(len(truth))
    for number in range(1, FOLDS + 1):
        test = folds == number
        model.classifier.fit(model.features[~test], truth[~test])
        scores[test] = model.classifier.predict_proba(model.features[test])[:, 1]
    return scores


def held_out_posteriors(model: Model, truth: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """Posteriors of all classes for every row, by the model fitted to the other folds, in whole millionths."""
    found = np.empty((len(truth), truth.max() + 1))
    for number in range(1, FOLDS + 1):
        test = folds == number
        model.classifier.fit(model.features[~test], truth[~test])
        found[test] = model.classifier.predict_proba(model.features[test])
    return whole_parts(found)


def whole_parts(posteriors: np.ndarray) -> np.ndarray:
    """Multiples of 10⁻⁶ that add up to 1: rounded down, what is left going to the largest remainders."""
    parts = np.floor(posteriors * UNIT).astype(int)
    left = UNIT - parts.sum(axis=1)
    order = np.argsort(parts - posteriors * UNIT, axis=1, kind="stable")
    rank = np.argsort(order, axis=1, kind="stable")
    return parts + (rank < left[:, None])


def write_classes(example: ClassExample) -> str:
    """Write the CSV file of several classes and return its section of the README."""
    folds = fold_numbers(example.truth)
    parts = {name: held_out_posteriors(model, example.truth, folds) for name, model in example.models.items()}
    header = [f"{name}{label}" for name in parts for label in example.written]
    columns = [[f"{value / UNIT:.6f}".rstrip("0").rstrip(".") for value in each] for part in parts.values()
               for each in part.T]  # fmt: skip
    labels = [example.written[y] for y in example.truth]
    with (DATA / f"{example.name}.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", example.label, *header, "fold", example.group])
        writer.writerows(zip(range(1, len(labels) + 1), labels, *columns, folds, example.groups, strict=True))
    lines = ["| columns | posteriors of each class by | accuracy |", "|---|---|--:|"]
    for name, part in parts.items():
        right = (part.argmax(axis=1) == example.truth).mean()
        span = f"`{name}{example.written[0]}` … `{name}{example.written[-1]}`"
        lines.append(f"| {span} | {example.models[name].description} | {right:.4f} |")
    heading = f"### {example.name}.csv"
    return "\n".join([heading, "", *lines, "", *class_table(example), ""])


def class_table(example: ClassExample) -> list[str]:
    """Lines of a Markdown table: rows of each class in each subgroup."""
    head = " | ".join(f"`{example.label}` {word}" for word in example.written)
    lines = [f"| `{example.group}` | {head} |", "|---|" + "--:|" * len(example.written)]
    for group in (*example.group_order, "all"):
        inside = example.truth if group == "all" else example.truth[example.groups == group]
        counts = np.bincount(inside, minlength=len(example.written))
        lines.append(f"| {group} | {' | '.join(map(str, counts))} |")
    return lines


def shortest(value: float) -> str:
    """The value with four significant digits, written as short as it reads back."""
    return repr(float(f"{value:.{SIGNIFICANT_DIGITS}g}")).removesuffix(".0")


def write(example: Example) -> str:
    """Write the CSV file and return its section of the README."""
    folds = fold_numbers(example.truth)
    scores = {
        name: [shortest(p) for p in held_out_probabilities(model, example.truth, folds)]
        for name, model in example.models.items()
    }
    labels = [example.written[y] for y in example.truth]
    ids = range(1, len(labels) + 1)
    with (DATA / f"{example.name}.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", example.label, *scores, "fold", example.group])
        writer.writerows(zip(ids, labels, *scores.values(), folds, example.groups, strict=True))
    heading = f"### {example.name}.csv"
    return "\n".join([heading, "", *model_table(example, scores), "", *group_table(example), ""])


def model_table(example: Example, scores: dict[str, list[str]]) -> list[str]:
    """Lines of a Markdown table: what each score column is, its distinct values and its AUC."""
    lines = ["| column | probability of the positive class by | distinct | ROC AUC |", "|---|---|--:|--:|"]
    for name, column in scores.items():
        auc = roc_auc_score(example.truth, np.array(column, dtype=float))
        lines.append(f"| `{name}` | {example.models[name].description} | {len(set(column))} | {auc:.4f} |")
    return lines


def group_table(example: Example) -> list[str]:
    """Lines of a Markdown table: rows of each class in each subgroup."""
    negative, positive = (f"`{example.label}` {word}" for word in example.written)
    lines = [f"| `{example.group}` | {positive} | {negative} |", "|---|--:|--:|"]
    for group in example.group_order:
        inside = example.truth[example.groups == group]
        lines.append(f"| {group} | {inside.sum()} | {len(inside) - inside.sum()} |")
    lines.append(f"| all | {example.truth.sum()} | {len(example.truth) - example.truth.sum()} |")
    return lines


def versions() -> str:
    """The software that made the files, in one phrase."""
    return f"Python {platform.python_version()}, NumPy {np.__version__}, scikit-learn {sklearn.__version__}"


def main() -> None:
    """Write the CSV files and the README beside them."""
    sections = "\n".join(
        [*(write(example) for example in (breast_cancer(), digit_eight())),
         *(write_classes(example) for example in (digits(), wine()))]
    )  # fmt: skip
    text = README.replace("@VERSIONS@", versions()).replace("@FILES@", sections)
    (DATA / "README.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
