"""Every option of the command, one row each: flags, kind, help, and its names in Python and in other tools.

click's options, the help, the checks of values, did-you-mean and the flags in sentences of the library come from here.
"""

from __future__ import annotations

from dataclasses import replace

from thresher.cli.kinds import (
    BITS,
    BUDGET,
    COLUMN,
    COST,
    CRITERION,
    DIALECT,
    FILE,
    FLAG,
    LEVEL,
    MARGIN,
    MEMORY,
    METHOD,
    POLICY,
    PREVALENCE,
    RATE_INTERVAL,
    RESAMPLES,
    SEED,
    Option,
    Text,
    whole_number,
)
from thresher.cli.planning_options import PLANNED

COUNTED_CUTS = {
    "help": "Keep the counts on both sides of this threshold exact, for all models or for one; repeat it. A report of "
    "the counts uses it if it is the only one. Decisions at it can be compared with --pairs. Default: none.",
}
BITS_HELP = "Significant bits that scores are rounded to, 8 to 24, or exact. "
USUAL_RESOLUTION = "exact up to about a million distinct scores, beyond that 16 (and reported)."
RESAMPLES_HELP = "Draw N resamples of the rows, such as 2000: "
TRUTH_ELSEWHERE = "--target --y-true --y --labels --outcome --label-column --class --truth-column"
OUTPUT_ELSEWHERE = "--out --html --output-file --save"

# fmt: off
_TABLE: dict[str, dict[str, Option]] = {
    "Which models": {
        "estimators": Option("--estimator", Text("[NAME=]MODULE:NAME(…)"), many=True, required=True,
            help="A model by its import path with literal arguments; repeat it for several models."),
    },
    "Input": {
        "qrels": Option("--qrels", FILE, "Relevance judgements; else the first FILE holds them.", many=True),
        "runs": Option("--run", FILE, "Results of a system; repeat it for several.", many=True),
    },
    "Which columns": {
        "labels": Option("--label", COLUMN, many=True, keyword="label", elsewhere=TRUTH_ELSEWHERE,
            help="Column of the true labels. When it is not given, a single column called label, target, y, y_true or "
            "outcome is used (and reported). Rows that may have several labels have a column of 0 and 1 for each: "
            "repeat it, or give a pattern such as 'tag_*', and name the other columns alike, --score 'net_*'."),
        "label": Option("--label", COLUMN, "Column of the labels.", required=True, elsewhere=TRUTH_ELSEWHERE,
            variants={"sql": {"help": "Column of the true labels."}}),
        "scores": Option("--score", COLUMN, many=True, keyword="scores score", accepts="--scores",
            elsewhere="--y-score --prob --probs --probability --score-column",
            help="Column of a model's scores; repeat it for several models. When it is not given, the only column left "
            "that can be a score is used (and reported).",
            variants={
                "apply": {"help": "Column of the scores. Default: the column that the threshold was chosen for.",
                          "many": False},
                "expected": {"help": "Column of the scores.", "required": True},
                "gold": {"help": "Column of a model's scores; of two models for --difference."},
                "rank": {"help": "Column of the scores, in a table file; repeat it when one table holds several runs."},
                "sql": {"help": "Column of a model's scores; repeat it for several models.", "required": True},
            }),
        "probabilities": Option("--proba --probabilities", Text("[MODEL=]PREFIX", decode=True), many=True,
            help="Columns of a model's probabilities, one for every class and called PREFIX and the class, as in "
            "proba_3; 'p(*)' is a pattern, * the class, and A,B,C are columns. Repeat it for several models.",
            variants={"apply": {"kind": Text("PREFIX", decode=True), "many": False, "help":
                "Columns of the probabilities, one for every class, as for `thresher threshold`."}}),
        "classes": Option("--classes", Text("A,B,C", decode=True), keyword="labels",
            help="All classes in order, those that no row has included. Default: the labels, sorted."),
        "normalize": Option("--normalize", FLAG,
            help="Divide the probabilities of each row by their sum. Default: a row that does not add up to 1 is an "
            "error.",
            variants={"apply": {"help": "Divide the probabilities of each row by their sum."}}),
        "positive": Option("--positive", Text("LABEL", decode=True),
            elsewhere="--pos-label --pos --positive-label --positive-class",
            help="The positive label. Needed unless the labels are 0 and 1, -1 and 1, or false and true.",
            variants={
                "assess": {"help": "The positive label. Needed for two labels, unless they are 0 and 1, -1 and 1, or "
                                   "false and true."},
                "sql": {"help": "The positive label.", "required": True},
            }),
        "rest": Option("--rest", ("negative",), "With three or more labels: take all but --positive as negative."),
        "models": Option("--model", Text("NAME", decode=True), many=True,
            help="Which of several models whose thresholds MODEL.json has; may be repeated. Default: all."),
        "features": Option("--features", COLUMN, many=True,
            help="Column to learn from; may be repeated. Default: all columns without another part."),
        "drop": Option("--drop", COLUMN, "Column to leave out; may be repeated.", many=True),
        "groups": Option("--groups", COLUMN, "Column of groups (a patient) that no split tears apart."),
        "weight": Option("--weight", COLUMN, "Column of row weights.", keyword="weights", accepts="--weights",
            elsewhere="--sample-weight --sample-weights",
            variants={"assess": {"help": "Column of row weights, for fit and for measures."}}),
        "weight_kind": Option("--weight-kind", ("importance", "frequency"), default="importance",
            help="A weight of 3: a row that matters three times as much, or three equal rows (frequency). "
            "Counts need frequency."),
        "model_column": Option("--model-column", COLUMN,
            help="Column that names the model, when each line holds the score of one model (long format)."),
        "predicted": Option("--predicted", COLUMN, "Column of a model's predicted labels; may be repeated.", many=True,
            elsewhere="--pred --preds --prediction --predictions --y-pred"),
        "by": Option("--by", COLUMN, "Column of subgroups; may be repeated.", many=True,
            elsewhere="--group --groups --groupby --group-by --subgroup --subgroups --slice",
            variants={"merge": {"help":
                "Keep the counts of every file apart, as a group by a column of this name. A group is called as its "
                "file, or as you say: berlin=day1.counts.parquet."}}),
        "fold": Option("--fold", COLUMN, "Column of the cross-validation fold.", elsewhere="--folds --cv"),
        "cluster": Option("--cluster", COLUMN, "Column that says which rows belong together (a patient).",
            elsewhere="--clusters --patient --subject"),
        "judge": Option("--judge", COLUMN, many=True, elsewhere="--judges --rater --llm-judge",
            help="Column of a judge's labels, such as a language model's, for all rows; rows with a --label are gold "
            "and correct it. Repeat it for the majority vote of several judges."),
        "judge_qrels": Option("--judge", Text("QRELS|COLUMN"), "Judgements of all queries by a judge, such as a "
            "language model; of one table its column. Queries people judged whole are gold and correct it.", many=True),
        "sampling": Option("--sampling", COLUMN,
            help="Column of the probability that a row had of being labelled; with --judge."),
        "verified": Option("--verified", COLUMN,
            help="Column of 0 and 1: whether the truth of a row was checked. Checked rows are weighted to represent "
            "the others, or with --missing bounds all their possible labels are tried."),
        "applied": Option("--apply", FILE, many=True,
            help="File whose rows are written as CSV with one column more for each that is mapped, SCORE_calibrated; "
            "may be repeated. Without it, and to a .json file, the map itself is written."),
        "saved": Option("--map", Text("MAP.json"), keyword="map",
            help="Fit nothing: apply this map, which the command wrote before, to the rows of FILE, which need no "
            "label.",
            variants={"expected": {"help": "Map from scores to probabilities, written by `thresher calibrate`."}}),
        "query": Option("--query", COLUMN, "Column of the queries, in a table file."),
        "document": Option("--document", COLUMN, "Column of the documents, in a table file."),
        "relevance": Option("--relevance", COLUMN, "Column of the relevance, in a table file."),
    },
    "How the rows are read": {
        "dialect": Option("--dialect", DIALECT, "SQL of which system; tsql is SQL Server's.", required=True),
        "table": Option("--table", Text("TABLE", decode=True), "Table, as the query is to name it.", required=True),
        "truth": Option("--truth", FILE,
            help="File that holds the true labels, when they are not beside the scores; needs --key."),
        "key": Option("--key", COLUMN, "Column that matches the lines of --truth."),
        "lower_is_positive": Option("--lower-is-positive", FLAG, elsewhere="--lower --lower-is-better",
            help="Low scores mean positive. Default: high scores do; it is never guessed from the data.",
            variants={"sql": {"help": "Low scores are positive."}}),
        "directions": Option("--direction", Text("[MODEL=]higher|lower", decode=True), many=True, keyword="direction",
            help="Which scores mean positive, for one model, or for all others: --direction marker=lower. Thresholds "
            "are on each model's own scale."),
        "text": Option("--text", ("one-hot", "keep", "error"), default="one-hot",
            help="How text columns are coded: one indicator for each value (reported), left as they are in a dataframe "
            "for pipelines that code text themselves, or refused."),
        "missing": Option("--missing", ("error", "drop", "weight", "bounds"), default="error",
            help="Rows with a missing label or score: an error, or dropped (and their number reported). weight: rows "
            "with a label are weighted to represent those without. bounds: the lowest and highest value over all "
            "possible labels are shown too.",
            variants={
                "assess": {"kind": ("error", "drop"), "help": "Rows with a missing label: an error, or dropped (and "
                                                              "their number reported). Missing features are NaN."},
                "count": {"kind": ("error", "drop"), "help": "Rows with a missing label or score: an error, or dropped "
                                                             "(and their number reported)."},
            }),
        "decimal": Option("--decimal", (",", "."),
            help="Decimal mark in text files. Default: commas are read (and reported) unless they separate columns."),
        "conditions": Option("--where", Text("CONDITION", decode=True), many=True,
            help="Read only rows that satisfy this SQL condition: \"day >= '2026-01-01' AND site <> 'x'\". Repeat to "
            "combine with AND. In text files a column of numbers compares by value: 1.10 = 1.1, though they are two "
            "groups for --by.",
            variants={"sql": {"help": "Rows that are counted, in SQL.", "many": False}}),
        "complete": Option("-c --complete", FLAG,
            help="Count judged queries without results as 0. Default: they are left out (and reported)."),
        "no_relevant": Option("--no-relevant", ("zero", "skip"), "Queries without relevant documents: 0, or left out.",
            default="zero"),
        "judged_only": Option("-J --judged-only", FLAG, "Take results that nobody judged out of the lists."),
        "most": Option("-M --most", whole_number("a number of results", least=1), "At most N results of a query."),
        "collection": Option("-N --collection", whole_number("a number of documents", least=0), default=0,
            help="Documents in the collection, for utility."),
        "from_sql": Option("--from-sql", FLAG, "FILE is the result of the query of `thresher sql`, as CSV or Parquet."),
        "pairs": Option("--pairs", FLAG,
            help="Also count rows by the rounded scores of all models, to compare models from counts. Not with "
            "--min-cell, as this discloses counts of single rows.",
            variants={"sql": {"help": "Also count rows by the scores of all models, rounded to 6 bits each, to compare "
                                      "models from counts."}}),
    },
    "Checks": {
        "fail_under": Option("--fail-under", Text("MEASURE=X"), many=True,
            help="Fail when a measure is not at least X; recall@fpr=0.01:0.6 at a fixed value of another. X is a "
            "number, or a percentage such as 80% of a measure from 0 to 1. May be repeated."),
        "fail_over": Option("--fail-over", Text("MEASURE=X"), "Fail when a measure is not at most X.", many=True),
        "on": Option("--on", ("low", "value"), default="low",
            help="Number to compare with X: the confidence limit on the unfavorable side, or the value."),
        "max_drop": Option("--max-drop", Text("MEASURE=X"), many=True,
            help="Fail when a model is worse than the baseline by more than X, and so is all of the difference's "
            "interval."),
        "baseline_score": Option("--baseline-score", COLUMN,
            help="Column of the old scores of the same rows (a prefix beside --proba): compared in pairs. With "
            "--baseline, the model in that file."),
        "baseline": Option("--baseline", FILE,
            help="An earlier report in JSON. Its rows are gone, so the comparison is unpaired and less sensitive "
            "(reported)."),
    },
    "Choosing the threshold": {
        "criterion": Option("--criterion", CRITERION,
            help="A criterion by its name or in words, such as youden or 'max tpr s.t. fpr<=0.01'."),
        "maximize": Option("--max", Text("MEASURE"),
            help="The highest value of a measure, such as mcc, f1, f_beta:beta=2 or youden; with --bound for others."),
        "minimize": Option("--min", Text("MEASURE"), "The lowest value of a measure, such as error_rate."),
        "cost_fp": Option("--cost-fp", COST, "Cost of a false positive; with --cost-fn."),
        "cost_fn": Option("--cost-fn", COST, "Cost of a false negative; with --cost-fp."),
        "cost_tp": Option("--cost-tp", COST, "Cost of a true positive.", default="0"),
        "cost_tn": Option("--cost-tn", COST, "Cost of a true negative.", default="0"),
        "cost_fixed": Option("--cost-fixed", COST, "Cost of every decision.", default="0"),
        "benefit": Option("--benefit", FLAG, "The costs are gains, and losses are negative."),
        "closest_corner": Option("--closest-corner", FLAG, "The point of the ROC nearest to its upper left corner."),
        "match_prevalence": Option("--match-prevalence", FLAG, "As many predicted positives as there are positives."),
        "top": Option("--top", BUDGET, "At most the K highest scores, or a share such as 5%, are predicted positive.",
            keyword="top_k top_share top", elsewhere="--top-share --top-k --budget -k --k",
            variants={"report": {"many": True, "help": "Also show measures of the K highest scores, or of 5%."}}),
        "bounds": Option("--bound", Text("BOUND"), 'A bound to keep, such as "fpr<=0.01"; may be repeated.', many=True,
            keyword="where", elsewhere="--subject-to --st --constraint"),
        "prevalence": Option("--prevalence", PREVALENCE,
            help="Share of positives where decisions are made, such as 0.001 or 0.1%. Default: in the rows.",
            variants={"sample-size": {"help": "Share of positives to collect, such as 0.1%.  [default: half]"}}),
        "prevalences": Option("--prevalence", PREVALENCE, many=True, keyword="prevalence",
            help="Share of positives where decisions are made, such as 0.1%; the first of several chooses thresholds."),
        "cost_matrix": Option("--cost-matrix", Text("FILE.csv"),
            help="With --proba: decide for the class of least expected cost. A line for each true class, which comes "
            "first on it, and a column for each decision: truth,a,b / a,0,1 / b,5,0. --benefit: they are gains."),
        "reject": Option("--reject", Text("RULE"),
            help="Leave rows between two thresholds undecided: deferral=0.2 (cost of such a row, with --cost-fp and "
            "--cost-fn), accuracy=0.99 of the decided rows, or upper=precision>=0.98,lower=npv>=0.99, where either is "
            "a bound or a threshold."),
    },
    "Planning": PLANNED,
    "How the numbers are made": {
        "method": Option("--method", METHOD, "How rows are split; the methods are listed below.", default="kfold:10"),
        "map_method": Option("--method", ("isotonic", "interpolation", "platt", "logistic", "beta", "temperature"),
            help="Kind of map. isotonic, interpolation and platt take any score, the others probabilities. With "
            "--proba each class has such a map and rows are divided by their sum, or one temperature serves all.  "
            "[default: isotonic; temperature with --proba]"),
        "bins": Option("--bins", whole_number("a number of bins", least=1),
            help="Bins of --method interpolation.  [default: 10]"),
        "same_rows": Option("--same-rows", FLAG, "Do not refuse to judge the map on the rows it was fitted to."),
        "measures": Option("--measure", Text("NAME"), many=True, accepts="--measures", elsewhere="--metric --metrics",
            help="Measure to show, such as auc, f_beta:beta=2 or recall@fpr=0.01; may be repeated.  [default: a "
            "standard set]",
            variants={
                "compare": {"help":
                    "Measure to compare, such as auc, accuracy, f_beta:beta=2, recall@fpr=0.01 or, of several classes, "
                    "log_loss, hand_till or macro_f1; may be repeated.  [default: auc; accuracy with several classes]"},
                "rank": {"flags": "-m --measure", "help": "Measure or group of measures; may be repeated.  [default: "
                                                          "summary; official with --format trec]"},
            }),
        "relevance_level": Option("-l --relevance-level", whole_number("a relevance", least=1), default=1,
            help="Least relevance that counts as relevant in binary measures."),
        "ties": Option("--ties", ("trec_eval", "expected"),
            help="Equal scores: by falling document, as trec_eval does, or the mean over all orders of them."),
        "score_type": Option("--score-type", ("float32", "float64"), default="float32",
            help="How scores are compared; trec_eval takes float32."),
        "trec_eval": Option("--trec-eval", ("9", "10"), default="9",
            help="Version of trec_eval to follow where two differ: recall levels, rbp, all_trec, -c --per-query."),
        "margin": Option("--margin", MARGIN,
            help="Also test whether the first is not worse by M, and whether both are equivalent within M.",
            variants={"rank": {"help": "With --compare: also test whether the first is not worse by M, and whether "
                                       "both are equivalent within M."}}),
        "alternative": Option("--alternative", ("two-sided", "less", "greater"), default="two-sided",
            help="Hypothesis tested against no difference; greater: the first has more."),
        "test": Option("--test", ("auto", "delong", "mcnemar", "mcnemar-exact", "means", "bootstrap", "permutation",
                                  "venkatraman"), default="auto",
            help="Method; auto takes the best one for the measure, venkatraman compares whole ROC curves.",
            variants={"rank": {"kind": ("t", "randomization", "bootstrap", "wilcoxon", "sign"), "default": None,
                               "help": "Test over queries that --compare takes.  [default: t]"}}),
        "thresholds": Option("--threshold", Text("[MODEL=]T", decode=True), many=True, keyword="threshold",
            elsewhere="--cutoff --cut --thresholds",
            help="Predict positive from this score on: for all models, or for one. Default: 0.5 where every score of a "
            "model is in [0, 1] (and reported), else none.",
            variants={"count": COUNTED_CUTS, "sql": COUNTED_CUTS}),
        "level": Option("--level", LEVEL, "Confidence level of the intervals, such as 0.9 or 90%.", default=0.95,
            elsewhere="--alpha --confidence --confidence-level --ci"),
        "rate_interval": Option("--rate-interval", RATE_INTERVAL, "Method of the intervals of proportions and of F1.",
            default="wilson"),
        "undefined": Option("--undefined", POLICY, default="nan",
            help="How to show 0/0: as undefined (nan), that and a warning, an error, or this number."),
        "bootstrap": Option("--bootstrap", RESAMPLES,
            elsewhere="--n-boot --n-bootstrap --bootstraps --replicates --resamples",
            help=RESAMPLES_HELP + "intervals and tests rest on them. Default: formulas where there are, else 2000 "
            "resamples.",
            variants={
                "report": {"help": RESAMPLES_HELP + "the intervals without a formula rest on them. Default: those "
                                                    "are left out (and reported)."},
                "threshold": {"help": RESAMPLES_HELP + "the choice is made again on each: how far the threshold moves, "
                    "how optimistic its value is. With --cluster the intervals are of whole clusters too."},
                "rank": {"help": "Draw N resamples of the queries, such as 2000: the intervals and --test bootstrap "
                                 "rest on them. Default: Student's t; 2000."},
            }),
        "seed": Option("--seed", SEED, "Seed of everything random.", default=0, keyword="rng", accepts="--rng",
            elsewhere="--random-state"),
        "is_compared": Option("--compare", FLAG,
            help="Also compare every two models on the same splits, by the corrected resampled t test.",
            variants={"rank": {"help":
                "Also compare every two runs on every mean, p values adjusted for each measure."}}),
        "correction": Option("--correction", ("holm", "hochberg", "hommel", "bonferroni", "bh", "by"), default="holm",
            help="How p values of several comparisons are adjusted; bh and by control the share of false "
            "discoveries."),
        "is_learning": Option("--learning-curve", FLAG,
            help="Also show the scores of models that learned from 10, 20, 40, 70 and 100 % of the training rows."),
        "corruptions": Option("--robustness", ("noise", "labels", "missing", "prevalence"), many=True,
            help="Also show the scores on test rows with growing feature noise, wrong labels, missing values (replaced "
            "by the median of the training rows) or another prevalence; may be repeated."),
        "resolution": Option("--resolution", BITS, elsewhere="--tolerance --bits",
            help=BITS_HELP + "Counts the rows instead of keeping them, in memory that does not grow with them. "
            "Default: rows are kept; if they are too many for the memory, they are counted, " + USUAL_RESOLUTION,
            variants={"count": {"help": BITS_HELP + "Default: " + USUAL_RESOLUTION},
                "sql": {"help": BITS_HELP + "With exact, rows are grouped by the score itself.", "default": 16}}),
        "memory": Option("--memory", MEMORY,
            help="Memory that rows or counts may take, such as 2GB; the program itself takes 0.2 to 0.4 GB more, a "
            "report of counts up to as much again. Default: half of the machine's for rows, 1GB for counts."),
        "rows": Option("--rows", whole_number("a number of rows", least=4), default=12,
            help="Rows on the handout, at most 30, drawn within the classes if FILE has more."),
    },
    "Optional sections": {
        "partial": Option("--partial", Text("WHERE"), many=True,
            help="The area over a part of a curve: 'fpr<=0.1', 'tpr>=0.9', 'specificity>=0.9', both rates as in "
            "'fpr<=0.1,tpr>=0.9', 'recall>=0.8' of the precision–recall curve, or a range 'fpr=0.05:0.2'. May be "
            "repeated."),
        "smooth": Option("--smooth", ("binormal",), "The smooth ROC of a model, beside the data."),
        "average": Option("--average", ("vertical", "threshold", "pooled"),
            help="The curves of the folds as one with a band, averaged at each rate or at each threshold, or of all "
            "rows together; with --fold."),
        "paper": Option("--paper", FLAG, keyword="style",
            help="The sentence, table and items of STARD 2015 and TRIPOD+AI for a paper; two classes only."),
    },
    "Output": {
        "form": Option("--format", None, "Format of stdout.  [default: text]",
            variants={
                "assess": {"help": "Format of stdout; html also shows the held-out predictions.  "
                                   "[default: text]"},
                "check": {"help": "Format of stdout; github writes annotations.  [default: text]"},
                "table": {"help": "Format of stdout.  [default: csv]"},
            }),
        "outputs": Option("-o --output", FILE, many=True, elsewhere=OUTPUT_ELSEWHERE,
            help="Also write to a file, in the form of its suffix; may be repeated. A summary still goes to stdout, "
            "unless --quiet."),
        "output": Option("-o --output", Text("FILE.parquet"), "File that the counts go to.", required=True,
            elsewhere=OUTPUT_ELSEWHERE,
            variants={
                "plot": {"kind": FILE, "help":
                    "Where to write the picture; its suffix says the kind: .svg, .pdf, .png and others."},
                "example": {"kind": FILE, "required": False, "help":
                    "Where to write it, - for stdout.  [default: NAME.csv]"},
            }),
        "least": Option("--min-cell", whole_number("a number of rows", least=1), keyword="cell",
            help="Merge neighbouring scores until each has at least N rows of a class, or none, so that no smaller "
            "count is disclosed. Groups with fewer rows of a class are left out."),
        "title": Option("--title", Text("TEXT", decode=True), "Title of the report.",
            variants={"plot": {"help": "Title of the picture."}}),
        "band": Option("--band/--no-band", FLAG,
            help="A bootstrap band around ROC, precision–recall and gain curves, a consistency band of calibration.  "
            "[default: calibration, and ROC and precision–recall of one model of up to 100,000 rows]"),
        "look": Option("--style", ("default", "paper", "slides"), default="default",
            help="paper: one column, 8-point text; slides: 16:9, large text."),
        "per_query": Option("--per-query", FLAG,
            help="Also the values of every query (instead, in csv, tsv, jsonl)."),
        "plot": Option("--plot", FILE,
            help="Draw mean interpolated precision at eleven recalls of every run (PNG, SVG, PDF; needs matplotlib)."),
        "thin": Option("--thin", whole_number("a number of thresholds", least=2),
            help="No more than N thresholds, the vertices of the ROC convex hull among them; their counts are exact."),
        "by_row": Option("--by-row", FLAG, "One line for each row of the data, with its rank, truth and score."),
        "walk": Option("--walk", FLAG, "One line for each step along the ROC, with the area so far."),
        "columns": Option("--measure", Text("NAME[:PARAMETER=VALUE]"), many=True, accepts="--measures",
            elsewhere="--metric --metrics",
            help="A further column: any measure of a decision that `thresher measures` lists; may be repeated."),
        "non_dominated": Option("--non-dominated", FLAG,
            help="List the thresholds that no other beats in both rates, for choosing by eye."),
        "save": Option("--save", Text("FILE.parquet"),
            help="Save every prediction with its split; Assessment.load(FILE) and other measures need no new fit."),
        "junit": Option("--junit", FILE, "Also write the outcome as JUnit XML."),
        "answers": Option("--answers", FILE,
            help="Write the answer key to a separate .html or .txt file. Default: a folded page after the exercises."),
        "force": Option("--force", FLAG, "Overwrite a file that is there."),
    },
    "General": {
        "list": Option("--list", FLAG, "List the examples.", variants={"plot": {"help": "List the kinds of picture."},
            "threshold": {"help": "List the criteria that go by one word."}}),
        "jobs": Option("--jobs", whole_number("a number of fits at a time", least=-1),
            help="Parallel fits; -1: one per processor. Needs joblib."),
        "on_error": Option("--on-error", ("raise", "skip"), default="raise",
            help="When a fit fails: end, or go on and say which failed."),
        "quiet": Option("-q --quiet", FLAG, "Only assumptions, warnings and errors on stderr: no progress bar.",
            variants={"rank": {"help": "Only warnings and errors on stderr: no notes, no bar."}}),
        "debug": Option("--debug", FLAG, "Show the traceback of an error."),
    },
}
# fmt: on


OPTIONS: dict[str, Option] = {
    name: replace(row, name=name, heading=heading) for heading, rows in _TABLE.items() for name, row in rows.items()
}
"""Every option by the name that a command reads it by."""
