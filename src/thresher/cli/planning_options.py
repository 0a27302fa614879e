"""Rows of the option table about planned studies, and about rows without labels."""

from __future__ import annotations

from thresher.cli.kinds import COLUMN, CORRELATION, FILE, RATE, Option, Text, whole_number

# fmt: off
PLANNED = {
    "rate": Option("--rate", RATE, "Expected rate, such as a recall of 0.9; with --width.", elsewhere="--recall"),
    "width": Option("--width", RATE, "Width of the rate's interval, such as 0.1 for ± 5 points.",
        variants={"gold": {"help": "Width of the measure's interval, such as 0.1 for ± 5 points."}}),
    "assurance": Option("--assurance", RATE, "Probability that a study reaches this width.  [default: about half]"),
    "auc": Option("--auc", RATE, "Expected AUC."),
    "other": Option("--other", RATE, "AUC of another model on the same rows, to compare with --auc."),
    "correlation": Option("--correlation", CORRELATION, "Correlation of the two estimated AUCs.  [default: 0.5]"),
    "power": Option("--power", RATE, "Probability that the study shows the difference.  [default: 0.8]"),
    "known": Option("--label", COLUMN, "Column of the labels known so far, empty elsewhere.",
        variants={"expected": {"help": "Column of the labels of the --fitted-on rows."}}),
    "fitted_on": Option("--fitted-on", FILE, "Labelled rows that the --map was fitted on, with the same --score: "
        "intervals then allow for the map's error, and drift of the scores is reported."),
    "judge_column": Option("--judge", COLUMN, "Column of a judge's labels, such as a language model's."),
    "difference": Option("--difference", RATE, "Difference to show between two models, with --power."),
    "budget": Option("--rows", whole_number("a number of rows", least=1), "Number of rows to label."),
    "planned_measure": Option("--measure", Text("NAME"), default="accuracy", accepts="--measures",
        elsewhere="--metric --metrics",
        help="Threshold metric to plan for, such as recall, precision or f1."),
    "positives": Option("--positives", whole_number("a number of rows", least=1), "Positives, to compute the power."),
}
# fmt: on
