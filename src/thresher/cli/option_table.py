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
    "help": "Count exactly at this threshold, of all models or of one; may be repeated. A report of the counts uses it "
    "if it is the only one; with --pairs models can be compared at it. Default: none.",
}
BITS_HELP = "Significant bits that scores are rounded to, 8 to 24, or exact. "
USUAL_RESOLUTION = "exact up to about a million distinct scores, then at 16 bits (reported)."
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
            help="Column of the true labels. Default: the only column called label, target, y, y_true, outcome, truth "
            "or class (reported). For multi-label rows, one column of 0 and 1 per label: repeat it, or give a pattern "
            "such as 'tag_*', with scores to match, such as --score 'net_*'."),
        "label": Option("--label", COLUMN, "Column of the labels.", required=True, elsewhere=TRUTH_ELSEWHERE,
            variants={"sql": {"help": "Column of the true labels."}}),
        "scores": Option("--score", COLUMN, many=True, keyword="scores score", accepts="--scores",
            elsewhere="--y-score --prob --probs --probability --score-column",
            help="Column of a model's scores; repeat it for several models. Default: the only other column that can be "
            "a score (reported).",
            variants={
                "apply": {"help": "Column of the scores. Default: the column that the threshold was chosen for.",
                          "many": False},
                "expected": {"help": "Column of the scores.", "required": True},
                "gold": {"help": "Column of a model's scores; of two models for --difference."},
                "rank": {"help": "Column of the scores, in a table file; repeat it when one table holds several runs."},
                "sql": {"help": "Column of a model's scores; repeat it for several models.", "required": True},
            }),
        "probabilities": Option("--proba --probabilities", Text("[MODEL=]PREFIX", decode=True), many=True,
            help="Columns of a model's class probabilities: a prefix (proba_ for proba_1, proba_2, …), a pattern with "
            "* for the class ('p(*)'), or the columns themselves (A,B,C). Repeat it for several models.",
            variants={"apply": {"kind": Text("PREFIX", decode=True), "many": False, "help":
                "Columns of the probabilities, one for every class, as for `thresher threshold`. Default: the columns "
                "that MODEL.json was made from."}}),
        "classes": Option("--classes", Text("A,B,C", decode=True), keyword="labels",
            help="All classes in order, also classes without a row. Default: the labels, sorted."),
        "normalize": Option("--normalize", FLAG,
            help="Divide the probabilities of each row by their sum. Default: a sum other than 1 is an error.",
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
            help="Model to apply, if MODEL.json has thresholds of several; may be repeated. Default: all."),
        "features": Option("--features", COLUMN, many=True,
            help="Column to learn from; may be repeated. Default: all columns without another role."),
        "drop": Option("--drop", COLUMN, "Column to leave out; may be repeated.", many=True),
        "groups": Option("--groups", COLUMN, "Column of groups, such as patients; no split divides one."),
        "weight": Option("--weight", COLUMN, "Column of row weights.", keyword="weights", accepts="--weights",
            elsewhere="--sample-weight --sample-weights",
            variants={"assess": {"help": "Column of row weights, for fit and for measures."}}),
        "weight_kind": Option("--weight-kind", ("importance", "frequency"), default="importance",
            help="Meaning of a weight of 3: importance, a row that matters three times as much; frequency, three equal "
            "rows. `thresher count` accepts frequency weights only."),
        "model_column": Option("--model-column", COLUMN,
            help="Column that names the model, when each line holds the score of one model (long format)."),
        "predicted": Option("--predicted", COLUMN, "Column of a model's predicted labels; may be repeated.", many=True,
            elsewhere="--pred --preds --prediction --predictions --y-pred"),
        "by": Option("--by", COLUMN, "Column of subgroups; may be repeated.", many=True,
            elsewhere="--group --groups --groupby --group-by --subgroup --subgroups --slice",
            variants={"merge": {"help":
                "Keep every file as a group; this names the column of groups. A group has the name of its file, or the "
                "name before it: berlin=day1.counts.parquet."}}),
        "fold": Option("--fold", COLUMN, "Column of the cross-validation fold.", elsewhere="--folds --cv"),
        "cluster": Option("--cluster", COLUMN, "Column of clusters: rows that belong together, such as a patient's.",
            elsewhere="--clusters --patient --subject"),
        "judge": Option("--judge", COLUMN, many=True, elsewhere="--judges --rater --llm-judge",
            help="Column of a judge's labels, such as a language model's, for all rows. Rows with a --label too (gold) "
            "correct the judge. Repeat it for the majority vote of several judges."),
        "judge_qrels": Option("--judge", Text("QRELS|COLUMN"), "Judgements of all queries by a judge, such as a "
            "language model; in one table, its column. Queries judged in full by people correct it.", many=True),
        "sampling": Option("--sampling", COLUMN,
            help="Column of each row's probability of being labelled; with --judge."),
        "verified": Option("--verified", COLUMN,
            help="Column of 0 and 1: whether the truth of a row was verified. Verified rows are weighted to represent "
            "the others; with --missing bounds, every possible label of the others is tried."),
        "applied": Option("--apply", FILE, many=True,
            help="File to calibrate: its rows are written as CSV with a column SCORE_calibrated for each score; may be "
            "repeated. Without it, or with -o FILE.json, the map itself is written."),
        "saved": Option("--map", Text("MAP.json"), keyword="map",
            help="Apply this map, saved earlier, instead of fitting one. FILE then needs no label.",
            variants={"expected": {"help": "Map from scores to probabilities, written by `thresher calibrate`."}}),
        "query": Option("--query", COLUMN, "Column of the queries, in a table file."),
        "document": Option("--document", COLUMN, "Column of the documents, in a table file."),
        "relevance": Option("--relevance", COLUMN, "Column of the relevance, in a table file."),
    },
    "How the rows are read": {
        "dialect": Option("--dialect", DIALECT, "SQL dialect of the database; tsql is SQL Server's.", required=True),
        "table": Option("--table", Text("TABLE", decode=True), "Table to count, as named in the query.", required=True),
        "truth": Option("--truth", FILE,
            help="File of the true labels, if they are not in FILE; needs --key."),
        "key": Option("--key", COLUMN, "Column by which the rows of FILE and of --truth are matched."),
        "lower_is_positive": Option("--lower-is-positive", FLAG, elsewhere="--lower --lower-is-better",
            help="Low scores mean positive. Default: high scores do; it is never guessed from the data.",
            variants={"sql": {"help": "Low scores mean positive."}}),
        "directions": Option("--direction", Text("[MODEL=]higher|lower", decode=True), many=True, keyword="direction",
            help="Whether high or low scores mean positive, for one model or for all others: --direction marker=lower. "
            "A threshold is on the original scale of its model."),
        "text": Option("--text", ("one-hot", "keep", "error"), default="one-hot",
            help="Text columns: one-hot: one indicator for each value (reported). keep: a dataframe with the text, for "
            "pipelines that encode it. error: refused."),
        "missing": Option("--missing", ("error", "drop", "weight", "bounds"), default="error",
            help="Rows with a missing label or score: an error, or dropped (their number is reported). weight: rows "
            "with a label are weighted to represent those without. bounds: labelled rows alone; `thresher report` also "
            "shows the lowest and highest value over all possible labels, and `thresher check` tests them.",
            variants={
                "assess": {"kind": ("error", "drop"), "help": "Rows with a missing label: an error, or dropped (their "
                                                              "number is reported). Missing features are NaN."},
                "count": {"kind": ("error", "drop"), "help": "Rows with a missing label or score: an error, or dropped "
                                                             "(their number is reported)."},
            }),
        "decimal": Option("--decimal", (",", "."),
            help="Decimal mark in text files. Default: a comma too (reported), unless commas separate columns."),
        "conditions": Option("--where", Text("CONDITION", decode=True), many=True,
            help="Read only rows that satisfy this SQL condition: \"day >= '2026-01-01' AND site <> 'x'\". Repeat to "
            "combine with AND. Columns of numbers compare by value: 1.10 = 1.1.",
            variants={"sql": {"help": "Count only rows that satisfy this SQL condition.", "many": False}}),
        "complete": Option("-c --complete", FLAG,
            help="Count judged queries without results as 0. Default: they are left out (reported)."),
        "no_relevant": Option("--no-relevant", ("zero", "skip"), "Queries without relevant documents: 0, or left out.",
            default="zero"),
        "judged_only": Option("-J --judged-only", FLAG, "Remove results without a judgement from the lists."),
        "most": Option("-M --most", whole_number("a number of results", least=1), "Use only the first N results."),
        "collection": Option("-N --collection", whole_number("a number of documents", least=0), default=0,
            help="Number of documents in the collection, for the measure utility."),
        "from_sql": Option("--from-sql", FLAG, "FILE is the result of the query of `thresher sql`, as CSV or Parquet."),
        "pairs": Option("--pairs", FLAG,
            help="Also count rows by the rounded scores of all models together, to compare models from counts. Not "
            "with --min-cell, as it discloses single rows.",
            variants={"sql": {"help": "Also count rows by the scores of all models together, rounded to 6 bits each, "
                                      "to compare models from counts."}}),
    },
    "Checks": {
        "fail_under": Option("--fail-under", Text("MEASURE=X"), many=True,
            help="Fail when a measure is below X, a number or a percentage: auc=0.8, recall=80%, or for the recall at "
            "a false positive rate of 0.01 recall@fpr=0.01:0.6. May be repeated."),
        "fail_over": Option("--fail-over", Text("MEASURE=X"), "Fail when a measure is above X.", many=True),
        "on": Option("--on", ("low", "value"), default="low",
            help="Number to compare with X: low, the less favorable confidence limit; or the value."),
        "max_drop": Option("--max-drop", Text("MEASURE=X"), many=True,
            help="Fail when a model is significantly worse than the baseline by more than X: the whole confidence "
            "interval of the difference is beyond X. May be repeated."),
        "baseline_score": Option("--baseline-score", COLUMN, keyword="model",
            help="Column of the baseline's scores on the same rows (with --proba, a prefix), for a paired comparison. "
            "With --baseline, the model in that file."),
        "baseline": Option("--baseline", FILE,
            help="An earlier report in JSON. It has no rows, so the comparison is unpaired and less sensitive."),
    },
    "Choosing the threshold": {
        "criterion": Option("--criterion", CRITERION,
            help="Name of a criterion (--list shows them), or its words, such as 'max tpr s.t. fpr<=0.01'."),
        "maximize": Option("--max", Text("MEASURE"),
            help="The highest value of a measure, such as mcc, f1, f_beta:beta=2 or youden; --bound limits others."),
        "minimize": Option("--min", Text("MEASURE"), "The lowest value of a measure, such as error_rate."),
        "cost_fp": Option("--cost-fp", COST, "Cost of a false positive; with --cost-fn."),
        "cost_fn": Option("--cost-fn", COST, "Cost of a false negative; with --cost-fp."),
        "cost_tp": Option("--cost-tp", COST, "Cost of a true positive.", default="0"),
        "cost_tn": Option("--cost-tn", COST, "Cost of a true negative.", default="0"),
        "cost_fixed": Option("--cost-fixed", COST, "Cost of every decision.", default="0"),
        "benefit": Option("--benefit", FLAG, "The costs are gains; enter a loss as a negative number."),
        "closest_corner": Option("--closest-corner", FLAG, "The point of the ROC nearest to its upper left corner."),
        "match_prevalence": Option("--match-prevalence", FLAG, "As many rows predicted positive as are positive."),
        "top": Option("--top", BUDGET, "Predict at most the K highest scores positive, or at most a share such as 5%; "
            "with importance weights a weight of K, or a share of the weight.",
            keyword="top_k top_share top", elsewhere="--top-share --top-k --budget -k --k",
            variants={"report": {"many": True, "help": "Also show precision, recall and lift of the K highest scores, "
                                                       "or of a share such as 5%."}}),
        "bounds": Option("--bound", Text("BOUND"), 'A bound to keep, such as "fpr<=0.01"; may be repeated.', many=True,
            keyword="where", elsewhere="--subject-to --st --constraint"),
        "prevalence": Option("--prevalence", PREVALENCE,
            help="Share of positives where the model will be used, such as 0.1%. Default: that in the rows.",
            variants={"sample-size": {"help": "Share of positives to collect, such as 0.1%.  [default: half]",
                                      "heading": "Planning"}}),
        "prevalences": Option("--prevalence", PREVALENCE, many=True, keyword="prevalence",
            help="Share of positives where the model will be used, such as 0.1%; may be repeated. The "
            "first one chooses the threshold."),
        "cost_matrix": Option("--cost-matrix", Text("FILE.csv"),
            help="With --proba: decide for the class with the lowest expected cost. A header of the decisions, then a "
            "line per true class: truth,a,b / a,0,1 / b,5,0. With --benefit they are gains."),
        "reject": Option("--reject", Text("RULE"),
            help="Leave rows between two thresholds undecided, by deferral=0.2 (the cost of an undecided row, with "
            "--cost-fp and --cost-fn), accuracy=0.99 (of the decided rows), or a bound or number for each threshold, "
            "such as upper=precision>=0.98,lower=0.1."),
    },
    "Planning": PLANNED,
    "How the numbers are made": {
        "method": Option("--method", METHOD, "How rows are split; the methods are listed below.", default="kfold:10"),
        "map_method": Option("--method", ("isotonic", "interpolation", "platt", "logistic", "beta", "temperature"),
            help="Kind of map. isotonic, interpolation and platt accept any score, the others need probabilities. With "
            "--proba: temperature is one map for all classes; the others have one per class, and rows are divided by "
            "their sum.  [default: isotonic; temperature with --proba]"),
        "bins": Option("--bins", whole_number("a number of bins", least=1),
            help="Bins of --method interpolation.  [default: 10]"),
        "same_rows": Option("--same-rows", FLAG, "Allow an evaluation on the rows that the map was fitted on."),
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
            help="Lowest grade that counts as relevant in binary measures."),
        "ties": Option("--ties", ("trec_eval", "expected"),
            help="Order of equal scores: by document name, descending, as in trec_eval; or the mean over all orders."),
        "score_type": Option("--score-type", ("float32", "float64"), default="float32",
            help="Precision in which scores are compared; trec_eval uses float32."),
        "trec_eval": Option("--trec-eval", ("9", "10"), default="9",
            help="Version of trec_eval to follow; 9 and 10 differ in recall levels, rbp, all_trec and -c --per-query."),
        "margin": Option("--margin", MARGIN,
            help="Also test whether the first is worse by less than M (noninferiority), and both ways (equivalence).",
            variants={"rank": {"help": "With --compare: also test whether the first is worse by less than M "
                                       "(noninferiority), and both ways (equivalence)."}}),
        "alternative": Option("--alternative", ("two-sided", "less", "greater"), default="two-sided",
            help="Alternative hypothesis; greater: the first has the higher value."),
        "test": Option("--test", ("auto", "delong", "mcnemar", "mcnemar-exact", "means", "bootstrap", "permutation",
                                  "venkatraman"), default="auto",
            help="Method; auto uses the best one for the measure; venkatraman compares whole ROC curves.",
            variants={"rank": {"kind": ("t", "randomization", "bootstrap", "wilcoxon", "sign"), "default": None,
                               "help": "Test of --compare, over queries.  [default: t]"}}),
        "thresholds": Option("--threshold", Text("[MODEL=]T", decode=True), many=True, keyword="threshold",
            elsewhere="--cutoff --cut --thresholds",
            help="Predict positive from this score on: for all models, or for one. Default: 0.5 for a model with all "
            "scores in [0, 1] (reported), else none.",
            variants={"count": COUNTED_CUTS, "sql": COUNTED_CUTS}),
        "level": Option("--level", LEVEL, "Confidence level of the intervals, such as 0.9 or 90%.", default=0.95,
            elsewhere="--alpha --confidence --confidence-level --ci"),
        "rate_interval": Option("--rate-interval", RATE_INTERVAL, "Method of the intervals of proportions and of F1.",
            default="wilson"),
        "undefined": Option("--undefined", POLICY, default="nan",
            help="How to show 0/0: nan: as undefined; warn: also with a warning; raise: as an error; or a number."),
        "bootstrap": Option("--bootstrap", RESAMPLES,
            elsewhere="--n-boot --n-bootstrap --bootstraps --replicates --resamples",
            help=RESAMPLES_HELP + "for intervals and tests. Default: formulas; 2000 resamples without a formula.",
            variants={
                "report": {"help": RESAMPLES_HELP + "for intervals without a formula. Default: no such intervals."},
                "threshold": {"help": RESAMPLES_HELP + "choose again on each, to show how far the threshold moves and "
                    "how optimistic its value is. With --cluster whole clusters are drawn, for intervals too."},
                "rank": {"help": "Draw N resamples of the queries, such as 2000, for intervals. Default: Student's t "
                                 "intervals; 2000 resamples for --test bootstrap."},
            }),
        "seed": Option("--seed", SEED, "Random seed.", default=0, keyword="rng", accepts="--rng",
            elsewhere="--random-state"),
        "is_compared": Option("--compare", FLAG,
            help="Also compare every two models on the same splits by the corrected resampled t test.",
            variants={"rank": {"help":
                "Also compare every two runs by every measure; p values are adjusted for each measure."}}),
        "correction": Option("--correction", ("holm", "hochberg", "hommel", "bonferroni", "bh", "by"), default="holm",
            help="How p values of several comparisons are adjusted; bh and by control the share of false "
            "discoveries."),
        "is_learning": Option("--learning-curve", FLAG,
            help="Also show the scores of models that learned from 10, 20, 40, 70 and 100 % of the training rows."),
        "corruptions": Option("--robustness", ("noise", "labels", "missing", "prevalence"), many=True,
            help="Also show the scores on test rows with growing feature noise, wrong labels, missing values (replaced "
            "by the median of the training rows) or another prevalence; may be repeated."),
        "resolution": Option("--resolution", BITS, elsewhere="--tolerance --bits",
            help=BITS_HELP + "Rows are then counted, not kept, in memory that does not grow. Default: rows are kept "
            "while they fit in memory; then they are counted, " + USUAL_RESOLUTION,
            variants={"count": {"help": BITS_HELP + "Default: " + USUAL_RESOLUTION},
                "sql": {"help": BITS_HELP + "With exact, rows are grouped by the score itself.", "default": 16}}),
        "memory": Option("--memory", MEMORY,
            help="Memory for rows or counts, such as 2GB. The program needs 0.2 to 0.4 GB more; a report of counts can "
            "need twice this size. Default: half of the machine's for rows, 1GB for counts."),
        "rows": Option("--rows", whole_number("a number of rows", least=4), default=12,
            help="Rows on the handout, at most 30; a random sample, stratified by class, if FILE has more."),
    },
    "Optional sections": {
        "partial": Option("--partial", Text("WHERE"), many=True,
            help="The area over a part of a curve: 'fpr<=0.1', 'tpr>=0.9', 'specificity>=0.9', both rates as in "
            "'fpr<=0.1,tpr>=0.9', 'recall>=0.8' of the precision–recall curve, or a range 'fpr=0.05:0.2'. May be "
            "repeated."),
        "smooth": Option("--smooth", ("binormal",), "Add a smooth ROC, fitted by the binormal model."),
        "average": Option("--average", ("vertical", "threshold", "pooled"),
            help="With --fold: one curve with a band for all folds, averaged at each rate or threshold, or of the "
            "pooled rows."),
        "paper": Option("--paper", FLAG, keyword="style",
            help="Add a sentence, a table and the items of STARD 2015 and TRIPOD+AI for a paper; two classes only."),
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
            help="Also write to a file; its suffix sets the format. May be repeated. A summary still goes to stdout, "
            "unless --quiet."),
        "output": Option("-o --output", Text("FILE.parquet"), "File to write the counts to.", required=True,
            elsewhere=OUTPUT_ELSEWHERE,
            variants={
                "plot": {"kind": FILE, "help":
                    "Where to write the picture; its suffix sets the format: .svg, .pdf, .png and others."},
                "example": {"kind": FILE, "required": False, "help":
                    "Where to write it, - for stdout.  [default: NAME.csv]"},
            }),
        "least": Option("--min-cell", whole_number("a number of rows", least=1), keyword="cell",
            help="Disclose no count from 1 to N-1: neighbouring scores are merged until each has N rows of a class or "
            "none. Groups with fewer rows of a class are left out."),
        "title": Option("--title", Text("TEXT", decode=True), "Title of the report.",
            variants={"plot": {"help": "Title of the picture."}}),
        "band": Option("--band/--no-band", FLAG,
            help="A bootstrap band around ROC, precision–recall and gain curves, a consistency band of calibration.  "
            "[default: calibration, and ROC and precision–recall of one model of up to 100,000 rows]"),
        "look": Option("--style", ("default", "paper", "slides"), default="default",
            help="paper: one column, 8-point text; slides: 16:9, large text."),
        "per_query": Option("--per-query", FLAG,
            help="Also show every query; in csv, tsv and jsonl, only these."),
        "plot": Option("--plot", FILE,
            help="Draw the interpolated precision of every run at eleven recalls (PNG, SVG, PDF; needs matplotlib)."),
        "thin": Option("--thin", whole_number("a number of thresholds", least=2),
            help="Show at most N thresholds, up to half of them vertices of the ROC convex hull; counts are exact."),
        "by_row": Option("--by-row", FLAG, "One line for each row of the data, with its rank, truth and score."),
        "walk": Option("--walk", FLAG, "One line for each step along the ROC, with the area so far."),
        "columns": Option("--measure", Text("NAME[:PARAMETER=VALUE]"), many=True, accepts="--measures",
            elsewhere="--metric --metrics",
            help="Add a column: any threshold metric that `thresher measures` lists; may be repeated."),
        "non_dominated": Option("--non-dominated", FLAG,
            help="List the thresholds that no other beats in both recall and specificity."),
        "save": Option("--save", Text("FILE.parquet"),
            help="Save every prediction with its split; Assessment.load(FILE) computes other measures without a fit."),
        "junit": Option("--junit", FILE, "Also write the outcome as JUnit XML."),
        "answers": Option("--answers", FILE,
            help="Write the answer key to a separate .html or .txt file. Default: a folded page after the exercises."),
        "force": Option("--force", FLAG, "Overwrite an existing file."),
    },
    "General": {
        "list": Option("--list", FLAG, "List the examples.", variants={"plot": {"help": "List the kinds of picture."},
            "threshold": {"help": "List the criteria of --criterion."}}),
        "jobs": Option("--jobs", whole_number("a number of fits at a time", least=-1),
            help="Parallel fits; -1: one per processor. Needs joblib."),
        "on_error": Option("--on-error", ("raise", "skip"), default="raise",
            help="When a fit fails: stop, or continue and report which failed."),
        "quiet": Option("-q --quiet", FLAG, "Only assumptions, warnings and errors on stderr: no progress bar.",
            variants={"rank": {"help": "Only warnings and errors on stderr: no notes, no progress bar."}}),
        "debug": Option("--debug", FLAG, "Show the traceback of an error."),
    },
}
# fmt: on


OPTIONS: dict[str, Option] = {
    name: replace(row, name=name, heading=heading) for heading, rows in _TABLE.items() for name, row in rows.items()
}
"""Every option by the name that a command reads it by."""
