"""Draw the pictures of docs/study.md: its learning curve and its robustness curves.

Run ``python examples/make_study_pictures.py`` from anywhere; it needs scikit-learn and matplotlib, and rewrites the
pictures in ``docs/images``. Data, models and seeds are those of the page.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("agg")

from matplotlib import pyplot
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import thresher as th
from thresher.resampling import FeatureNoise, PrevalenceShift, learning_curve, robustness

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"


def main() -> None:
    data = load_breast_cancer(as_frame=True)
    X, y = data.data, data.target.map({0: "malignant", 1: "benign"})
    models = {
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
        "random forest": RandomForestClassifier(50),
        "naive Bayes": GaussianNB(),
    }
    options = {"positive": "malignant", "method": th.KFold(10), "progress": False}
    sizes = [25, 50, 100, 200, 350, 512]
    curve = learning_curve(models, X, y, sizes=sizes, measures=["auc", "brier_score"], **options)
    _, axes = pyplot.subplots(1, 2, figsize=(9.6, 3.8), layout="constrained")
    for ax, measure in zip(axes, curve.measures, strict=True):
        curve.plot(measure, ax=ax)
    axes[0].figure.savefig(IMAGES / "study_learning.png", dpi=110)
    noise = robustness(models, X, y, FeatureNoise(levels=(0, 0.25, 0.5, 1, 2), draws=5), measures="auc", **options)
    shift = robustness(models, X, y, PrevalenceShift(), measures="precision", **options)
    _, axes = pyplot.subplots(1, 2, figsize=(9.6, 3.8), layout="constrained")
    noise.plot(ax=axes[0])
    shift.plot(ax=axes[1])
    axes[0].figure.savefig(IMAGES / "study_robustness.png", dpi=110)


if __name__ == "__main__":
    main()
