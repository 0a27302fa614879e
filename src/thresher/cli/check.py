"""`thresher check`: fails a build when a model misses a number or is worse than a baseline, surely enough."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from thresher.cli.exit import CHECK_FAILED, FINE, CommandError
from thresher.cli.label_columns import class_columns
from thresher.cli.options import WITH_JUDGE, Arguments, command, files
from thresher.cli.outputs import Outputs
from thresher.cli.reading import bootstrap_of, evaluation_of, say_notes, say_warnings
from thresher.cli.streams import say

if TYPE_CHECKING:
    from thresher.evaluation import Evaluation
    from thresher.gate import Baseline, Check, Limit

EPILOG = """
\b
Examples:
  thresher check predictions.csv --label outcome --score new --fail-under auc=0.80
  thresher check predictions.csv --label outcome --score new \\
      --fail-under recall@fpr=0.01:0.6 --fail-over brier_score=0.1
  thresher check predictions.csv --label outcome --score new \\
      --baseline-score old --max-drop auc=0.01 --junit gate.xml
  thresher check predictions.csv --label outcome --score new \\
      --baseline main.json --max-drop auc=0.01 --format github

\b
Exit codes: 0 all checks passed, 1 one failed or could not be decided, 2 usage or
unreadable input.
"""

FORMS = ("text", "json", "csv", "markdown")


@command(
    f"{WITH_JUDGE} fail_under fail_over on max_drop baseline_score baseline thresholds level rate_interval bootstrap "
    "seed form outputs junit resolution memory conditions quiet",
    files(), forms=(*FORMS, "github"), epilog=EPILOG,
    short_help="Gate for CI: exit 1 when a measure misses a limit.",
)  # fmt: skip
def check(args: Arguments) -> int:
    """Check models against numbers and against a baseline; exit 1 when a check fails.

    FILE is CSV, TSV, JSON lines or Parquet, gzipped or not, a pattern such as 'part-*.csv', or - for stdin.
    Every model of --score is checked, and with --by every group too; drops are checked on all rows. A check that cannot
    be decided fails.
    """
    from thresher.gate import FORMS as WRITERS
    from thresher.gate import junit_text, no_drop, no_drop_from_baseline
    from thresher.report.files import write_whole

    bounds = _bounds(args)
    if args.missing == "bounds" and args.by:
        raise CommandError("--missing bounds does not bound groups: leave --by out.")
    where = Outputs.of(args, FORMS, others={"--junit": args.junit})
    args, column = _with_baseline(args)
    saved = None if args.baseline is None else _loaded(args, bounds[2])
    evaluation = evaluation_of(args)
    wanted = [bound.spec for several in bounds for bound in several]
    drawn = bootstrap_of(args)
    checks = _numbers(evaluation, column, bounds, args.on, drawn)
    checks += [
        no_drop(model, evaluation[str(column)], bound, bootstrap=drawn)
        if saved is None
        else no_drop_from_baseline(model, saved, bound)
        for model in evaluation.values()
        if model.name != column
        for bound in bounds[2]
    ]
    needs_threshold = any(w.needs_threshold and w.cut is None for w in wanted)
    say_notes(evaluation, args, needs_threshold=needs_threshold, measures=[w.text for w in wanted])
    _say_groups(evaluation, args)
    if args.junit is not None:
        write_whole(Path(args.junit), junit_text(checks))
        if not args.quiet:
            say(f"wrote {args.junit}")
    where.write(lambda form, _: WRITERS[form](checks))
    return FINE if all(found.passed for found in checks) else CHECK_FAILED


Bounds = tuple[list["Limit"], list["Limit"], list["Limit"]]


def _bounds(args: Arguments) -> Bounds:
    """Limits from their texts, before the first byte is read."""
    from thresher.gate import limit
    from thresher.gate.check import check_side

    has_baseline = args.baseline is not None or args.baseline_score is not None
    if not args.first_of("fail_under", "fail_over", "max_drop"):
        raise CommandError("there is nothing to check: give --fail-under, --fail-over or --max-drop.")
    if args.max_drop and not has_baseline:
        raise CommandError("--max-drop takes a baseline: --baseline-score COLUMN (the same rows) or --baseline FILE.")
    if not args.max_drop and has_baseline:
        raise CommandError("a baseline is compared by --max-drop, such as --max-drop auc=0.01.")
    under, over, drop = ([limit(text) for text in texts] for texts in (args.fail_under, args.fail_over, args.max_drop))
    for bounds, is_floor in ((under, True), (over, False)):
        for bound in bounds:
            check_side(bound, ("--fail-under", "--fail-over"), is_floor=is_floor)
    for bound in drop:
        if bound.value < 0:
            raise CommandError(f"--max-drop {bound.text}: the drop that is allowed is not negative.")
    return under, over, drop


def _with_baseline(args: Arguments) -> tuple[Arguments, str | None]:
    """Return the options with the baseline's column, or the columns of its posteriors, and the name of that model."""
    column = args.baseline_score if args.baseline is None else None
    if column is None:
        return args, None
    if args.probabilities:
        [model] = class_columns([column]) or {}
        return args.replace(probabilities=(*args.probabilities, column)), model
    if not args.scores:
        raise CommandError("name the score to check with --score, beside --baseline-score.")
    if column in args.scores:
        raise CommandError(f"--baseline-score {column} is also given as --score: a model is not its own baseline.")
    return args.replace(scores=(*args.scores, column)), column


def _loaded(args: Arguments, bounds: list[Limit]) -> Baseline:
    """Read the baseline from a file with the measures to compare, before the first byte of rows."""
    from thresher.gate import load_baseline

    checked = (*args.scores, *(class_columns(args.probabilities) or ()))
    found = load_baseline(args.baseline, args.baseline_score, checked=checked)
    for bound in bounds:
        found.estimate(bound)
    return found


def _numbers(evaluation: Evaluation, column: str | None, bounds: Bounds, on: Any, bootstrap: Any) -> list[Check]:
    from thresher.gate import at_least, at_most

    places: list[tuple[str | None, Evaluation]] = [(None, evaluation), *_groups(evaluation)]
    return [
        test(model, bound, on=on, bootstrap=bootstrap, place=place)
        for place, part in places
        for model in part.values()
        if model.name != column
        for test, given in ((at_least, bounds[0]), (at_most, bounds[1]))
        for bound in given
    ]


def _groups(evaluation: Evaluation) -> list[tuple[str, Evaluation]]:
    """Groups by their names in sentences."""
    names, found = list(evaluation.predictions.by), []
    for key, part in evaluation.groups.items():
        values = key if isinstance(key, tuple) else (key,)
        found.append((", ".join(f"{name} {value}" for name, value in zip(names, values, strict=True)), part))
    return found


def _say_groups(evaluation: Evaluation, args: Arguments) -> None:
    """Write which groups have few gold rows."""
    from thresher.design_warnings import few_gold
    from thresher.evaluation.estimate import design_warnings

    few = [name for name, part in _groups(evaluation) if any(w.code == few_gold.code for w in design_warnings(part))]
    say_warnings((w for name in few for w in few_gold.warning("few gold rows", name)), args, said=())
