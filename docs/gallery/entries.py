"""What the gallery shows: a figure is one entry, of which its picture, its part of the page and its tests are made."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One figure: the code that draws it, at most five lines from the shipped examples, and what it shows in words."""

    name: str
    title: str
    code: str
    alt: str
    part: str


PARTS = (
    "ROC",
    "Lines, hulls and costs",
    "Rare positives",
    "Scores and probabilities",
    "Comparing",
    "Many classes",
    "Models",
)

THREE = """import thresher as th
names = ["logistic_regression", "random_forest", "naive_bayes"]
ev = th.evaluate(th.load_example("breast_cancer"), label="diagnosis", positive="malignant", scores=names)
"""

TWO = """import thresher as th
names = ["random_forest", "naive_bayes"]
ev = th.evaluate(th.load_example("breast_cancer"), label="diagnosis", positive="malignant", scores=names)
"""

ONE = """import thresher as th
rows = th.load_example("breast_cancer")
model = th.evaluate(rows, label="diagnosis", positive="malignant", scores=["naive_bayes"])["naive_bayes"]
"""

TEN = """import thresher as th
ten = th.load_example("ten")
model = th.evaluate(ten["truth"], ten["score"])["score"]
"""


ENTRIES = (
    Entry(
        name="roc_space",
        part="ROC",
        title="Rules in ROC space",
        code="""import thresher as th
ax = th.load_example("clinic").plot(space="roc", label="clinic")
for name in ("credit", "cancer"):
    th.load_example(name).plot(ax, space="roc", label=name)
""",
        alt="Three points above the diagonal of chance: credit at (0.14, 0.99), clinic at (0.3, 0.9), and cancer at "
        "(0.02, 0.3), near the lower left, which calls few rows positive.",
    ),
    Entry(
        name="roc_stairs",
        part="ROC",
        title="The stairs of ten rows, every score marked",
        code=TEN + 'model.plot("roc", band=False, at=ten["score"])\n',
        alt="A staircase from (0, 0) to (1, 1) in ten steps, five up and five to the right, with the score of the row at "
        "the end of each step; its area is 0.76.",
    ),
    Entry(
        name="roc_tie",
        part="ROC",
        title="Three equal scores are one slanted step",
        code="""import thresher as th
tied = th.load_example("tied")
th.evaluate(tied["truth"], tied["score"])["score"].plot("roc", band=False, at=[0.54])
""",
        alt="The stairs of ten rows in which one step, at the score 0.54, runs diagonally up and to the right.",
    ),
    Entry(
        name="roc_area",
        part="ROC",
        title="A ROC with its area and its band",
        code=ONE + 'model.plot("roc", fill=True)\n',
        alt="The ROC of naive Bayes, shaded below, with a narrow 95% band around it; the area is 0.908.",
    ),
    Entry(
        name="roc_mirror",
        part="ROC",
        title="A curve below the diagonal, and its mirror",
        code="""import thresher as th
rows = th.load_example("breast_cancer")
model = th.evaluate(rows["diagnosis"], -rows["naive_bayes"], positive="malignant")["score"]
ax = model.roc.plot(label="score")
model.flipped().roc.plot(ax, label="its mirror")
""",
        alt="Two curves that are each other's mirror in the center of the square: one sags below the diagonal with area "
        "0.092, the other bulges above it with area 0.908.",
    ),
    Entry(
        name="roc_models",
        part="ROC",
        title="Several models on one axis",
        code=THREE + 'ev.plot("roc")\n',
        alt="The ROC curves of three models with their areas: random forest 0.981 lies "
        "highest, then logistic regression 0.948 and naive Bayes 0.908.",
    ),
    Entry(
        name="roc_band",
        part="ROC",
        title="A band that holds the whole curve",
        code=ONE + "from thresher.inference import roc_band\nroc_band(model.predictions).plot()\n",
        alt="The ROC of naive Bayes in the middle of a shaded 95% simultaneous band.",
    ),
    Entry(
        name="roc_binormal",
        part="ROC",
        title="The binormal model over the points",
        code=ONE
        + """from thresher.inference import binormal_roc
binormal_roc(model.scores).plot(model.plot("roc", band=False))
""",
        alt="A ROC in small steps and, along it, the smooth dash-dotted curve of two normal distributions.",
    ),
    Entry(
        name="roc_mean",
        part="ROC",
        title="The mean of the curves of folds",
        code="""import thresher as th
from thresher.inference import averaged_curve
rows = th.load_example("breast_cancer")
ev = th.evaluate(rows["diagnosis"], rows["naive_bayes"], positive="malignant", fold=[i % 5 for i in range(569)])
averaged_curve(fold["score"].scores for fold in ev.folds.values()).plot()
""",
        alt="The mean ROC of five folds with a pointwise 95% band that is widest at the left.",
    ),
    Entry(
        name="det",
        part="ROC",
        title="Misses against false alarms on normal-deviate axes",
        code=THREE + 'ev.plot("det")\n',
        alt="Three falling curves, nearly straight, on axes from 0.1 to 99.9 percent; the lowest is the random forest.",
    ),
    Entry(
        name="ks",
        part="ROC",
        title="Both rates against the threshold",
        code=ONE + 'model.plot("ks")\n',
        alt="True and false positive rate as they fall with the threshold, and a bar where they are farthest apart.",
    ),
    Entry(
        name="iso_lines",
        part="Lines, hulls and costs",
        title="Lines of equal accuracy at skew 1 and ½",
        code="""import thresher as th
from thresher.decisions import iso_accuracy
ax = th.evaluate(*th.load_example("ten").values())["score"].plot("roc", band=False)
for skew, style in ((1, "-."), (0.5, ":")):
    iso_accuracy(0.7, skew=skew).plot(ax, label=f"accuracy 0.7, skew {skew}", linestyle=style)
""",
        alt="The stairs of ten rows and two straight lines of accuracy 0.7: one of slope 1, one of slope one half.",
    ),
    Entry(
        name="iso_precision",
        part="Lines, hulls and costs",
        title="Lines of equal precision and of equal cost",
        code="""import thresher as th
from thresher.decisions import Costs, iso_cost, iso_precision
ax = th.evaluate(*th.load_example("ten").values())["score"].plot("roc", band=False)
iso_precision(0.75, skew=1).plot(ax)
iso_cost(0.25, Costs(fp=1, fn=1), prevalence=0.5).plot(ax, linestyle=":")
""",
        alt="The stairs of ten rows, a line of precision 0.75 through the origin, and a dotted line of equal cost.",
    ),
    Entry(
        name="contours",
        part="Lines, hulls and costs",
        title="Contours of any measure",
        code=ONE
        + """from thresher.decisions import contours
contours("f1", prevalence=0.37).plot(model.plot("roc", band=False))
""",
        alt="A ROC over nine contour lines of F1, which fan out from a point left of the origin; higher values lie at the "
        "upper left.",
    ),
    Entry(
        name="touch",
        part="Lines, hulls and costs",
        title="A line slid until it touches the curve",
        code=TEN
        + """from thresher.decisions import slide
slide(model.hull, "accuracy", skew=1).plot(model.plot("roc", band=False))
""",
        alt="The stairs of ten rows and the highest line of equal accuracy that meets them, with the points it touches.",
    ),
    Entry(
        name="hull",
        part="Lines, hulls and costs",
        title="The hull of one curve, with its slopes",
        code=TEN + 'ax = model.plot("roc", band=False)\nmodel.hull.plot(ax)\n',
        alt="The stairs of ten rows under their convex hull, whose edges carry their slopes, from infinity to 0.",
    ),
    Entry(
        name="joint_hull",
        part="Lines, hulls and costs",
        title="The hull of several models, and whose each vertex is",
        code=TWO + 'ax = ev.plot("roc", legend=False)\nev.joint_hull.plot(ax)\n',
        alt="Two ROC curves and the hull over both; its vertices are colored by the model that they belong to.",
    ),
    Entry(
        name="cost_curve",
        part="Lines, hulls and costs",
        title="Cost curves",
        code=THREE + 'ev.plot("cost")\n',
        alt="The least expected cost of three models against the share of cost that positives carry: arches between two "
        "corners under the triangle of the trivial rules.",
    ),
    Entry(
        name="decision_curve",
        part="Lines, hulls and costs",
        title="Decision curves",
        code=THREE + 'ev.plot("decision")\n',
        alt="The net benefit of three models against the threshold probability, with treating everyone and no one.",
    ),
    Entry(
        name="cost_by_threshold",
        part="Lines, hulls and costs",
        title="Any measures against the threshold",
        code=ONE + 'model.curve(x="threshold", y="average_cost(cost_fp=1, cost_fn=5)").plot()\n',
        alt="The average cost, a miss five times as dear as a false alarm, against the threshold: lowest at small ones.",
    ),
    Entry(
        name="pr",
        part="Rare positives",
        title="Precision–recall",
        code="""import thresher as th
names = ["gradient_boosting", "logistic_regression", "knn"]
ev = th.evaluate(th.load_example("digit_eight"), label="is_eight", positive=1, scores=names)
ev.plot("pr")
""",
        alt="Precision against recall of three models where one row in ten is positive, and the line of chance at 0.1.",
    ),
    Entry(
        name="pr_interpolated",
        part="Rare positives",
        title="Interpolated precision",
        code=TEN + 'ax = model.plot("pr", band=False)\nmodel.interpolated_precision.plot(ax)\n',
        alt="The precision–recall curve of ten rows, and above it the falling stairs of interpolated precision.",
    ),
    Entry(
        name="pr_prevalence",
        part="Rare positives",
        title="Precision–recall at 50, 10 and 1 % positives",
        code=ONE
        + """from thresher.plot import plot_curves
plot_curves({f"{share:.0%} positive": model.pr_at(share) for share in (0.5, 0.1, 0.01)}, references=False)
""",
        alt="Three precision–recall curves of one model: the rarer the positives, the lower the curve.",
    ),
    Entry(
        name="prevalence",
        part="Rare positives",
        title="What prevalence changes, and what it does not",
        code="""import thresher as th
measures = ("recall", "false_positive_rate", "accuracy", "precision", "f1")
th.load_example("clinic").plot(space="prevalence", measures=measures)
""",
        alt="Five measures of one matrix against the prevalence: true and false positive rate are level, accuracy rises "
        "slowly, precision and F1 rise steeply from near 0.",
    ),
    Entry(
        name="prg",
        part="Rare positives",
        title="Precision–recall gain",
        code=ONE + 'model.plot("prg")\n',
        alt="Precision gain against recall gain of naive Bayes.",
    ),
    Entry(
        name="lift",
        part="Rare positives",
        title="Lift",
        code=THREE + 'ev.plot("lift")\n',
        alt="The lift of three models against the share of rows predicted positive: near 2.6, then falling to 1.",
    ),
    Entry(
        name="gain",
        part="Rare positives",
        title="Cumulative gain, with its band",
        code=ONE
        + """from thresher.inference import gain_band
gain_band(model.predictions).plot(model.plot("gain"))
""",
        alt="The share of positives found against the share of rows taken, with a 95% band, over the diagonal.",
    ),
    Entry(
        name="lift_chart",
        part="Rare positives",
        title="Lift chart in counts",
        code=TEN + "model.lift_chart.plot()\n",
        alt="True positives from 0 to 5 against predicted positives from 0 to 10: the path of ten rows.",
    ),
    Entry(
        name="scores",
        part="Scores and probabilities",
        title="Scores of both classes, and the threshold",
        code=ONE + 'model.plot("scores", threshold=0.5)\n',
        alt="Two histograms of the score: malignant rows pile up near 1, benign ones near 0; the threshold is dashed.",
    ),
    Entry(
        name="matrix",
        part="Scores and probabilities",
        title="The matrix at a threshold",
        code=ONE + "model.at(0.5).plot()\n",
        alt="A table of two by two shaded cells with counts, and beside each row the share of it that was recognized.",
    ),
    Entry(
        name="calibration",
        part="Scores and probabilities",
        title="Reliability, with the band of consistency",
        code=ONE + 'model.plot("calibration")\n',
        alt="The isotonic reliability curve of naive Bayes leaves the shaded band around the diagonal: small scores "
        "say too little, middle ones are all alike.",
    ),
    Entry(
        name="calibration_histogram",
        part="Scores and probabilities",
        title="The histogram of a reliability diagram",
        code=ONE + "from thresher.calibration import score_histogram\nscore_histogram(model.scores).plot()\n",
        alt="The share of each class in bins of the score.",
    ),
    Entry(
        name="panel",
        part="Scores and probabilities",
        title="Five pictures in one",
        code=TWO + "from thresher.plot import plot_panel\nplot_panel(ev)\n",
        alt="ROC, precision–recall, score distributions, reliability and cost curves of two models in one figure.",
    ),
    Entry(
        name="comparison",
        part="Comparing",
        title="Differences with their intervals",
        code=THREE + "ev.compare().plot()\n",
        alt="Three differences of the ROC AUC as points with intervals: one lies below 0 and two above, none of them across it.",
    ),
    Entry(
        name="groups",
        part="Comparing",
        title="A measure by group",
        code="""import thresher as th
rows = th.load_example("breast_cancer")
ev = th.evaluate(rows, label="diagnosis", positive="malignant", scores=["random_forest"], by="nucleus_size")
ev.groups.plot()
""",
        alt="The AUC of the random forest in three groups of nucleus size, as points with intervals.",
    ),
    Entry(
        name="critical_difference",
        part="Comparing",
        title="Mean ranks and the critical difference",
        code="""import numpy as np, thresher as th
from thresher.inference import critical_difference
scores = np.array([[0.9, 0.8, 0.7, 0.6], [0.8, 0.85, 0.7, 0.6], [0.9, 0.7, 0.8, 0.5]] * 4)
critical_difference(scores, models=list("ABCD")).plot()
""",
        alt="An axis of mean ranks from 4 to 1 with four models; bars join those whose ranks are not told apart.",
    ),
    Entry(
        name="matrix_classes",
        part="Many classes",
        title="Ten classes as a heat map",
        code="""import thresher as th
digits = th.evaluate(th.load_example("digits"), label="digit", probabilities=["forest_*", "logistic_*"])
digits["forest"].confusion_matrix.plot()
""",
        alt="A table of ten by ten cells, dark on its diagonal, with counts, and the share recognized of each digit.",
    ),
    Entry(
        name="roc_classes",
        part="Many classes",
        title="A ROC for each class against the rest",
        code="""import thresher as th
from thresher.plot import plot_curves
wine = th.evaluate(th.load_example("wine"), label="cultivar", probabilities=["logistic_*", "bayes_*"])["bayes"]
plot_curves({str(label): model.roc for label, model in wine.classes.items()})
""",
        alt="Three ROC curves, one for each cultivar against the other two.",
    ),
    Entry(
        name="retrieval",
        part="Many classes",
        title="Ranked lists: precision at eleven recalls",
        code="""import thresher as th
found = th.rank(**th.load_example("digit_search"))
found.plot()
""",
        alt="Interpolated precision at recalls from 0 to 1 of two runs; pixels lies above blocks.",
    ),
    Entry(
        name="learning",
        part="Models",
        title="A learning curve",
        code="""from thresher import load_example, resampling
from thresher.resampling.nearest_mean import NearestMean
rows = load_example("digits")
X, y = [list(row) for row in zip(*(rows[name] for name in rows if "_" in name))], rows["digit"] == 8
resampling.learning_curve(NearestMean(), X, y, sizes=[8, 16, 32, 64, 128, 512], measures=["auc"]).plot("auc")
""",
        alt="The AUC against 8 to 512 training rows on a logarithmic axis: it rises, and its band narrows.",
    ),
    Entry(
        name="robustness",
        part="Models",
        title="Robustness to noise",
        code="""import thresher as th
from thresher.resampling import FeatureNoise, robustness
from thresher.resampling.nearest_mean import NearestMean
rows = th.load_example("breast_cancer")
robustness(NearestMean(), rows["naive_bayes"][:, None], rows["diagnosis"], FeatureNoise(), positive="malignant").plot()
""",
        alt="The AUC falls as noise is added to the feature.",
    ),
    Entry(
        name="display",
        part="Models",
        title="scikit-learn's displays, with a band",
        code="""import thresher as th
from thresher.displays import RocCurveDisplay
rows = th.load_example("breast_cancer")
RocCurveDisplay.from_predictions(rows["diagnosis"], rows["naive_bayes"], pos_label="malignant", band=True)
""",
        alt="A ROC as scikit-learn draws it, labels and legend in its words, with a shaded 95% simultaneous band.",
    ),
    Entry(
        name="coverage",
        part="ROC",
        title="The same path in counts, every row named",
        code=TEN + 'model.plot("coverage", labels="rows")\n',
        alt="A coverage plot: true positives from 0 to 5 against false positives from 0 to 5 over a grid, the number of "
        "the row at each step.",
    ),
    Entry(
        name="coverage_tie",
        part="ROC",
        title="A tie between its best and its worst order",
        code="""import thresher as th
tied = th.load_example("tied")
th.evaluate(tied["truth"], tied["score"]).plot("coverage", labels="rows")
""",
        alt="A coverage plot in which three rows with one score are a slanted step inside a shaded rectangle.",
    ),
    Entry(
        name="leaves",
        part="ROC",
        title="The leaves of a tree",
        code="""import thresher as th
from thresher.curves import coverage_curve
leaves = th.load_example("leaves")
table = th.ScoreTable.from_counts(leaves["score"], leaves["positive"], leaves["negative"])
coverage_curve(table).plot(labels="thresholds")
""",
        alt="A coverage plot of five slanted segments, one for each leaf, steep at the left and flat at the right.",
    ),
    Entry(
        name="partial_areas",
        part="ROC",
        title="A part of the area",
        code=ONE + 'model.partial_area("fpr<=0.2").plot()\n',
        alt="A ROC with the region below it shaded where the false positive rate is at most 0.2.",
    ),
    Entry(
        name="two_way_area",
        part="ROC",
        title="A part of the area, two-way",
        code=ONE + 'model.roc.plot(region="fpr<=0.3,tpr>=0.7")\n',
        alt="A ROC with the region below it shaded where the false positive rate is at most 0.3 and the true positive "
        "rate at least 0.7.",
    ),
    Entry(
        name="dominance",
        part="ROC",
        title="Two crossing curves, and who leads where",
        code="""import thresher as th
names = ["gradient_boosting", "knn"]
ev = th.evaluate(th.load_example("digit_eight"), label="is_eight", positive=1, scores=names)
ev.dominance(*names).plot(ev.plot("roc"))
""",
        alt="Two ROC curves that cross, stretches of the false positive rate in the color of the model that leads, and "
        "the crossing marked.",
    ),
    Entry(
        name="iso_f1",
        part="Lines, hulls and costs",
        title="Lines of equal F1 behind a precision–recall curve",
        code=ONE + 'model.pr.plot(iso="f1")\n',
        alt="A precision–recall curve over curved gray lines of equal F1 with their values.",
    ),
    Entry(
        name="slopes",
        part="Lines, hulls and costs",
        title="Which model is the best at which slope",
        code=THREE + 'ev.joint_hull.plot(space="slopes")\n',
        alt="A ruler of slopes: the random forest is the best in the middle, logistic regression at both ends, naive Bayes never.",
    ),
    Entry(
        name="randomized",
        part="Lines, hulls and costs",
        title="A point between two rules, reached by a coin",
        code=TEN
        + """from thresher.decisions import randomized
randomized(model.hull, fpr=0.5).plot(model.hull.plot(model.plot("roc", band=False)))
""",
        alt="The stairs of ten rows, two vertices of their hull, its convex hull, and a point on an edge of the hull.",
    ),
    Entry(
        name="chosen",
        part="Lines, hulls and costs",
        title="A chosen threshold, chosen again on resamples",
        code=ONE + 'model.choose("max f1", bootstrap=200).plot()\n',
        alt="F1 against the threshold with the best one marked, and the histogram of the thresholds of 200 resamples.",
    ),
    Entry(
        name="thresholds",
        part="Lines, hulls and costs",
        title="Several measures against the threshold",
        code=ONE + 'model.plot("thresholds", measures=("precision", "recall", "f1"))\n',
        alt="Precision, recall and F1 of naive Bayes against the threshold.",
    ),
    Entry(
        name="people",
        part="Rare positives",
        title="A thousand people as dots",
        code="""import thresher as th
th.load_example("cancer").plot(space="people")
""",
        alt="A thousand dots in four colors: true and false positives, true and false negatives, most of them true "
        "negatives.",
    ),
    Entry(
        name="pairs",
        part="Scores and probabilities",
        title="Every positive beside every negative",
        code=TEN + 'model.plot("pairs")\n',
        alt="A grid of five positives by five negatives in the order of their scores: 19 cells are concordant, 6 "
        "discordant; the border between them is the ROC.",
    ),
    Entry(
        name="calibration_map",
        part="Scores and probabilities",
        title="A calibration map",
        code=ONE
        + """from thresher.calibration import fit_map
fit_map(rows["diagnosis"] == "malignant", rows["naive_bayes"], method="isotonic").plot()
""",
        alt="The isotonic map from scores to probabilities, a staircase that is level at 0.66 from a score of 0.2 on.",
    ),
    Entry(
        name="t_test",
        part="Comparing",
        title="Student's distribution, the rejection region and the observed t",
        code="""import numpy as np, thresher as th
from thresher.inference import paired_t_test
paired_t_test(np.array([0.81, 0.79, 0.84, 0.80, 0.83]), np.array([0.78, 0.79, 0.80, 0.78, 0.82])).plot()
""",
        alt="The t distribution with 4 degrees of freedom, both ends of its tails shaded, and the observed t as a line.",
    ),
    Entry(
        name="pairs_classes",
        part="Many classes",
        title="The AUC of every class given every other",
        code="""import thresher as th
wine = th.evaluate(th.load_example("wine"), label="cultivar", probabilities=["logistic_*", "bayes_*"])
wine["bayes"].plot("pairs")
""",
        alt="A table of three by three cells, empty on its diagonal and not symmetric, with the AUC of each pair.",
    ),
    Entry(
        name="surface",
        part="Many classes",
        title="The ROC surface of three ordered classes",
        code="""import thresher as th
from thresher.multiclass import roc_surface
wine = th.load_example("wine")
roc_surface(wine["cultivar"], -wine["bayes_1"] + wine["bayes_3"]).plot()
""",
        alt="Contours of the share of the middle class that is recognized against those of the two outer ones; the title "
        "has the volume.",
    ),
    Entry(
        name="splits",
        part="Models",
        title="Which rows train and which test: five folds",
        code="""import thresher as th
from thresher.plot import plot_splits
from thresher.resampling import KFold
plot_splits(KFold(k=5), th.load_example("wine")["cultivar"])
""",
        alt="Five lines of 178 rows; in each another fifth of the rows, scattered, is the test part.",
    ),
    Entry(
        name="splits_bootstrap",
        part="Models",
        title="The same for a bootstrap",
        code="""import thresher as th
from thresher.plot import plot_splits
from thresher.resampling import BootstrapOOB
plot_splits(BootstrapOOB(10), th.load_example("wine")["cultivar"])
""",
        alt="Ten lines of 178 rows: about 63 percent train, some of them several times, the others test.",
    ),
    Entry(
        name="splits_time",
        part="Models",
        title="The same in the order of time",
        code="""import thresher as th
from thresher.plot import plot_splits
from thresher.resampling import TimeSplits
plot_splits(TimeSplits(k=5), th.load_example("wine")["cultivar"])
""",
        alt="Five lines of 178 rows: the training part grows from the left, and the test part is the block after it.",
    ),
)
