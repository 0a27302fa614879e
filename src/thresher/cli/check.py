"""`thresher check`: fails a build when a model misses a number or is worse than a baseline, surely enough."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.classes import class_columns
from thresher.cli.evaluating import RESAMPLING_OPTIONS, THRESHOLD_OPTIONS, bootstrap_of, evaluation_of, say_notes
from thresher.cli.exit import CHECK_FAILED, FINE, CommandError
from thresher.cli.options import (
    LARGE_OPTIONS,
    OUTPUT,
    SPLIT_OPTIONS,
    GroupedCommand,
    Reading,
    option,
    output_options,
    rate_interval_option,
    reading_options,
    together,
    where_option,
    words,
)
from thresher.cli.outputs import Outputs
from thresher.cli.streams import say

if TYPE_CHECKING:
    from thresher.evaluation import Evaluation
    from thresher.gate import Baseline, Check, Limit

CHECKS = "What is checked"

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

CHECK_OPTIONS = together(
    option(
        CHECKS, "--fail-under", metavar="MEASURE=X", multiple=True,
        help="Fail when a measure is not at least X; recall@fpr=0.01:0.6 at a fixed value of another. X is a number, "
        "or a percentage such as 80% of a measure from 0 to 1. May be repeated.",
    ),
    option(
        CHECKS, "--fail-over", metavar="MEASURE=X", multiple=True, help="Fail when a measure is not at most X.",
    ),
    option(
        CHECKS, "--on", type=click.Choice(["low", "value"]), default="low", show_default=True,
        help="What is held against X: the confidence limit on the unfavorable side, or the value.",
    ),
    option(
        CHECKS, "--max-drop", metavar="MEASURE=X", multiple=True,
        help="Fail when a model is worse than the baseline by more than X, and so is all of the difference's interval.",
    ),
    option(
        CHECKS, "--baseline-score", type=words, metavar="COLUMN",
        help="Column of the old scores of the same rows (a prefix beside --proba): compared in pairs. With --baseline, "
        "the model in that file.",
    ),
    option(
        CHECKS, "--baseline", metavar="FILE",
        help="An earlier report in JSON. Its rows are gone, so the comparison is unpaired and sees less; that is said.",
    ),
    THRESHOLD_OPTIONS,
    rate_interval_option,
    RESAMPLING_OPTIONS,
    output_options(*FORMS, "github", note="; github writes annotations"),
    option(OUTPUT, "--junit", metavar="FILE", help="Also write the outcome as JUnit XML."),
)  # fmt: skip


@click.command(cls=GroupedCommand, epilog=EPILOG, short_help="Gate for CI: exit 1 when a measure misses a number.")
@reading_options(CHECK_OPTIONS, LARGE_OPTIONS, where_option, split=SPLIT_OPTIONS)
def check(
    reading: Reading,
    fail_under: tuple[str, ...],
    fail_over: tuple[str, ...],
    max_drop: tuple[str, ...],
    baseline_score: str | None,
    baseline: str | None,
    thresholds: tuple[str, ...],
    bootstrap: int | None,
    seed: int,
    on: Any,
    form: str | None,
    outputs: tuple[str, ...],
    junit: str | None,
    **made: Any,
) -> int:
    """Check models against numbers and against a baseline; exit 1 when a check fails.

    FILE is CSV, TSV, JSON lines or Parquet, gzipped or not, a pattern such as 'part-*.csv', or - for stdin.
    Every model of --score is checked, and with --by every group too. A check that cannot be decided fails.
    """
    from thresher.gate import FORMS as WRITERS

    bounds = _bounds(fail_under, fail_over, max_drop, baseline, baseline_score)
    others = {"--junit": junit}
    where = Outputs.of(outputs, form, forms=FORMS, inputs=reading.inputs, others=others, quiet=reading.quiet)
    reading, column = _with_baseline(reading, baseline_score if baseline is None else None)
    saved = None if baseline is None else _loaded(baseline, baseline_score, reading, bounds[2])
    evaluation = evaluation_of(reading, thresholds, seed=seed, undefined="nan", **made)
    wanted = [bound.wanted for given in bounds for bound in given]
    drawn = bootstrap_of(bootstrap, seed)
    checks = _numbers(evaluation, column, bounds, on, drawn)
    checks += _drops(evaluation, column, saved, bounds[2], drawn)
    say_notes(evaluation, reading, needs_threshold=any(w.needs_threshold and w.cut is None for w in wanted))
    if junit is not None:
        _write_junit(Path(junit), checks, quiet=reading.quiet)
    where.write(lambda form, _: WRITERS[form](checks))
    return FINE if all(found.passed for found in checks) else CHECK_FAILED


def _write_junit(path: Path, checks: list[Check], *, quiet: bool) -> None:
    from thresher.gate import junit_text
    from thresher.report.files import write_whole

    write_whole(path, junit_text(checks))
    if not quiet:
        say(f"wrote {path}")


Bounds = tuple[list["Limit"], list["Limit"], list["Limit"]]


def _bounds(
    under: tuple[str, ...], over: tuple[str, ...], drop: tuple[str, ...], baseline: str | None, score: str | None
) -> Bounds:
    """Limits from their texts, before the first byte is read."""
    from thresher.gate import limit

    if not (under or over or drop):
        raise CommandError("there is nothing to check: give --fail-under, --fail-over or --max-drop.")
    if drop and baseline is None and score is None:
        raise CommandError("--max-drop takes a baseline: --baseline-score COLUMN (the same rows) or --baseline FILE.")
    if not drop and (baseline is not None or score is not None):
        raise CommandError("a baseline is compared by --max-drop, such as --max-drop auc=0.01.")
    found = [limit(text) for text in under], [limit(text) for text in over], [limit(text) for text in drop]
    for bound in found[2]:
        if bound.value < 0:
            raise CommandError(f"--max-drop {bound.text}: the drop that is allowed is not negative.")
    return found


def _with_baseline(reading: Reading, column: str | None) -> tuple[Reading, str | None]:
    """Reading that takes in the baseline's column, or the columns of its posteriors, and the name of that model."""
    if column is None:
        return reading, None
    if reading.probabilities:
        [model] = class_columns([column]) or {}
        return replace(reading, probabilities=(*reading.probabilities, column)), model
    if not reading.scores:
        raise CommandError("name the score to check with --score, beside --baseline-score.")
    if column in reading.scores:
        raise CommandError(f"--baseline-score {column} is also given as --score: a model is not its own baseline.")
    return replace(reading, scores=(*reading.scores, column)), column


def _loaded(path: str, model: str | None, reading: Reading, bounds: list[Limit]) -> Baseline:
    """Baseline from a file, which has what it is compared by, before the first byte of rows is read."""
    from thresher.gate import load_baseline

    found = load_baseline(path, model, checked=(*reading.scores, *(class_columns(reading.probabilities) or ())))
    for bound in bounds:
        found.estimate(bound)
    return found


def _numbers(evaluation: Evaluation, column: str | None, bounds: Bounds, on: Any, bootstrap: Any) -> list[Check]:
    from thresher.gate import at_least, at_most

    places: list[tuple[str | None, Evaluation]] = [(None, evaluation)]
    names = list(evaluation.predictions.by)
    for key, part in evaluation.groups.items():
        values = key if isinstance(key, tuple) else (key,)
        said = ", ".join(f"{name} {value}" for name, value in zip(names, values, strict=True))
        places.append((said, part))
    return [
        test(model, bound, on=on, bootstrap=bootstrap, place=place)
        for place, part in places
        for model in part.values()
        if model.name != column
        for test, given in ((at_least, bounds[0]), (at_most, bounds[1]))
        for bound in given
    ]


def _drops(
    evaluation: Evaluation,
    column: str | None,
    saved: Baseline | None,
    bounds: list[Limit],
    bootstrap: Any,
) -> list[Check]:
    """Checks against the baseline: in pairs when it is a column, unpaired when it is a file."""
    from thresher.gate import no_drop, no_drop_from_baseline

    checked = [found for found in evaluation.values() if found.name != column]
    if column is not None:
        old = evaluation[column]
        return [no_drop(found, old, bound, bootstrap=bootstrap) for found in checked for bound in bounds]
    if saved is None:
        return []
    return [no_drop_from_baseline(found, saved, bound) for found in checked for bound in bounds]
