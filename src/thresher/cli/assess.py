"""`thresher assess`: how good a model will be on rows it has not seen, from a table of features and labels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.cli import search_as_usual
from thresher.cli.exit import INTERRUPTED, CommandError
from thresher.cli.kinds import Whole
from thresher.cli.options import (
    COLUMNS,
    GENERAL,
    NUMBERS,
    OUTPUT,
    ROWS,
    GroupedCommand,
    correction_option,
    debug_option,
    decimal_option,
    level_option,
    option,
    output_options,
    quiet_option,
    seed_option,
    together,
    weight_kind_option,
    words,
)
from thresher.cli.outputs import Outputs
from thresher.cli.streams import say
from thresher.dataclass import dataclass
from thresher.resampling.method_forms import METHODS
from thresher.whole import OTHER_SUFFIXES

if TYPE_CHECKING:
    from thresher.cli.assess_data import Prepared
    from thresher.resampling import Assessment, Series
    from thresher.resampling.estimator_text import EstimatorText

MODELS = "Which models"

FORMS = ("text", "json", "csv", "markdown", "html", "latex")

EPILOG = """
\b
Examples:
  thresher assess --data train.csv --label outcome --positive yes \\
      --estimator "sklearn.ensemble:RandomForestClassifier(n_estimators=200)"
  thresher assess --data train.csv --label outcome --compare --method repeated:5x10 \\
      --estimator "nb=sklearn.naive_bayes:GaussianNB()" \\
      --estimator "svm=sklearn.pipeline:make_pipeline(
                     sklearn.preprocessing:StandardScaler(), sklearn.svm:SVC(C=2))"

\b
An estimator is an import path and literal arguments, module:Name(argument=value);
estimators may be arguments of others. Nothing is evaluated. For a class of your own,
put its directory on the path: PYTHONPATH=. thresher assess --estimator "mine:Model()"
"""


def _methods(_ctx: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """Methods as they are written, for the shell's completion."""
    return [row.example for row in METHODS.values() if row.example.startswith(start)]


class WithMethods(GroupedCommand):
    """The command whose help ends with the methods that there are now."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, then the methods."""
        super().format_epilog(ctx, formatter)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(f"Methods: {', '.join(row.example for row in METHODS.values())}.")


OPTIONS = together(
    option(
        MODELS, "--estimator", "estimators", metavar="[NAME=]MODULE:NAME(…)", multiple=True, required=True,
        help="A model by its import path with literal arguments; repeat it for several models.",
    ),
    option(
        COLUMNS, "--data", "files", metavar="FILE", multiple=True, required=True,
        help="Table of features and labels: CSV, TSV, JSON lines or Parquet, gzipped or not, a pattern, or - for "
        "stdin; repeat it for several files of the same columns.",
    ),
    option(COLUMNS, "--label", type=words, metavar="COLUMN", required=True, help="Column of the labels."),
    option(
        COLUMNS, "--positive", type=words, metavar="LABEL",
        help="The positive label. Needed for two labels, unless they are 0 and 1, -1 and 1, or false and true.",
    ),
    option(
        COLUMNS, "--features", type=words, metavar="COLUMN", multiple=True,
        help="Column to learn from; may be repeated. Default: all columns without another part.",
    ),
    option(
        COLUMNS, "--drop", type=words, metavar="COLUMN", multiple=True, help="Column to leave out; may be repeated.",
    ),
    option(
        COLUMNS, "--groups", type=words, metavar="COLUMN",
        help="Column of groups (a patient) that no split tears apart.",
    ),
    option(COLUMNS, "--weight", type=words, metavar="COLUMN", help="Column of row weights, for fit and for measures."),
    weight_kind_option,
    option(
        ROWS, "--text", type=click.Choice(["one-hot", "keep", "error"]), default="one-hot", show_default=True,
        help="What becomes of text columns: an indicator for each value (said), a dataframe for pipelines that code "
        "text themselves, or an error.",
    ),
    option(
        ROWS, "--missing", type=click.Choice(["error", "drop"]), default="error", show_default=True,
        help="What a missing label is: an error, or a row to drop (how many is said). Missing features are NaN.",
    ),
    decimal_option,
    option(
        NUMBERS, "--method", default="kfold:10", show_default=True, metavar="METHOD", shell_complete=_methods,
        help="How rows are split; the methods are listed below.",
    ),
    option(
        NUMBERS, "--measure", "measures", metavar="NAME", multiple=True,
        help="Measure to show, such as auc, f_beta:beta=2 or recall@fpr=0.01; may be repeated.  [default: the usual]",
    ),
    level_option,
    seed_option,
    option(
        NUMBERS, "--compare", "is_compared", is_flag=True,
        help="Also compare every two models on the same splits, by the corrected resampled t test.",
    ),
    correction_option,
    option(
        NUMBERS, "--learning-curve", "is_learning", is_flag=True,
        help="Also show the scores of models that learned from 10, 20, 40, 70 and 100 % of the training rows.",
    ),
    option(
        NUMBERS, "--robustness", "corruptions", type=click.Choice(["noise", "labels", "missing", "prevalence"]),
        multiple=True,
        help="Also show the scores on test rows with growing feature noise, wrong labels, missing values (replaced by "
        "the median of the training rows) or another prevalence; may be repeated.",
    ),
    option(
        GENERAL, "--jobs", type=Whole("a number of fits at a time", least=-1), metavar="N",
        help="Fits at a time, -1 for one a processor; needs joblib.",
    ),
    option(
        GENERAL, "--on-error", type=click.Choice(["raise", "skip"]), default="raise", show_default=True,
        help="When a fit fails: end, or go on and say which failed.",
    ),
    output_options(*FORMS, note="; html also shows the held-out predictions"),
    option(
        OUTPUT, "--save", metavar="FILE.parquet",
        help="Save every prediction with its split; Assessment.load(FILE) and other measures need no new fit.",
    ),
    quiet_option,
    debug_option,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class AssessOptions:
    """The options of the command."""

    estimators: tuple[str, ...]
    files: tuple[str, ...]
    label: str
    positive: str | None
    features: tuple[str, ...]
    drop: tuple[str, ...]
    groups: str | None
    weight: str | None
    weight_kind: Any
    text: str
    missing: str
    method: str
    measures: tuple[str, ...]
    level: float
    seed: int
    is_compared: bool
    correction: str
    is_learning: bool
    corruptions: tuple[str, ...]
    jobs: int | None
    on_error: Any
    form: str | None
    outputs: tuple[str, ...]
    save: str | None
    quiet: bool


@click.command(cls=WithMethods, epilog=EPILOG)
@OPTIONS
def assess(**given: Any) -> int | None:
    """Estimate how good a model will be on rows it has not seen.

    Models are fitted and judged on the splits of a method of resampling, by default stratified 10-fold
    cross-validation; values have intervals that respect the dependence of the splits.
    """
    from thresher.resampling import assess as assessed

    search_as_usual()
    asked = AssessOptions(**given)
    where = _outputs(asked)
    named = named_texts(asked.estimators)
    if asked.is_compared and len(named) < 2:
        raise CommandError("--compare takes two models or more: name them with --estimator.")
    method = _method(asked)
    made = {name: spec.build() for name, spec in named.items()}
    prepared = _prepared(asked)
    for sentence in () if asked.quiet else prepared.said:
        say(sentence)
    what = (made, prepared.X, prepared.y)
    options: dict[str, Any] = {
        "method": method,
        "positive": _positive(asked.positive, prepared.y),
        "groups": prepared.groups,
        "weights": prepared.weights,
        "weight_kind": asked.weight_kind,
        "level": asked.level,
        "rng": asked.seed,
        "n_jobs": asked.jobs,
        "progress": not asked.quiet,
    }
    kept = "html" in where.forms and asked.jobs in (None, 1)  # for facts of the models; other processes' stay there
    options |= {"on_error": asked.on_error}
    found = assessed(*what, measures=asked.measures or None, keep_models=kept, **options)
    found = replace(found, rows=replace(found.rows, label=asked.label))
    curves = [] if found.is_interrupted else list(_curves(what, options | {"measures": found.measures}, asked))
    _shown(found, prepared, {name: str(spec) for name, spec in named.items()}, tuple(curves), asked, where)
    is_short = len(curves) < asked.is_learning + len(asked.corruptions)
    return INTERRUPTED if found.is_interrupted or is_short else None


def _method(asked: AssessOptions) -> Any:
    """Method of resampling; that and the measures are checked before the first byte is read."""
    from thresher.measures.measure_text import wanted
    from thresher.resampling.method_text import method_of
    from thresher.resampling.study import check_separate

    for name in asked.measures:
        wanted(name)
    method = method_of(asked.method)
    if type(method).__name__ == "GroupKFold" and asked.groups is None:
        raise CommandError(f"--method {asked.method} takes --groups COLUMN, which names the group of each row.")
    if asked.is_compared and type(method).__name__ == "Nested":
        raise CommandError(f"--compare does not go with --method {asked.method}, which judges the choice as one model.")
    if asked.is_learning or asked.corruptions:
        check_separate(method)
    return method


def _curves(what: tuple[Any, Any, Any], options: dict[str, Any], asked: AssessOptions) -> Iterator[Series]:
    """Learning curve and robustness curves of the measures shown, on the same splits; Ctrl-C keeps those before."""
    from thresher import resampling

    kinds = {
        "noise": resampling.FeatureNoise,
        "labels": resampling.LabelNoise,
        "missing": resampling.MissingValues,
        "prevalence": resampling.PrevalenceShift,
    }
    made = [("--learning-curve", partial(resampling.learning_curve, *what))] if asked.is_learning else []
    made += [
        (f"--robustness {name}", partial(resampling.robustness, *what, kinds[name]())) for name in asked.corruptions
    ]
    for flag, make in made:
        try:
            yield make(**options)
        except KeyboardInterrupt:
            say(f"interrupted: {flag} is not shown, nor what was to come after it.")
            return


def named_texts(given: tuple[str, ...]) -> dict[str, EstimatorText]:
    """Estimators read from their texts, by the name given or by that of their class, numbered when it stands twice.

    >>> list(named_texts(("a:B()", "a:B(1)", "mine=a:B(2)")))
    ['B', 'B 2', 'mine']
    """
    from thresher.resampling.estimator_text import parse_estimator

    found: dict[str, EstimatorText] = {}
    for text in given:
        split = re.fullmatch(r"([^:=(]*)=(.*)", text, re.DOTALL)
        spec = parse_estimator(split[2] if split else text)
        name = split[1].strip() if split else spec.short
        if split and not name:
            raise CommandError(f"--estimator {text!r} has no name before its equals sign.")
        if split and name in found:
            raise CommandError(f"two models are called {name!r}: give each --estimator a name of its own.")
        number = 2
        while name in found:
            name, number = f"{spec.short} {number}", number + 1
        found[name] = spec
    return found


def _prepared(asked: AssessOptions) -> Prepared:
    from thresher.cli.assess_data import prepare, refuse_both
    from thresher.engines.features import read_features

    refuse_both(asked.features, asked.drop)
    for flag, column in {"--label": asked.label, "--groups": asked.groups, "--weight": asked.weight}.items():
        if column is not None and column in asked.features:
            raise CommandError(f"{column!r} is given to {flag} and to --features.")
    others = [column for column in (asked.groups, asked.weight) if column is not None]
    chosen: dict[str, Any] = {"features": asked.features or None, "drop": asked.drop, "others": others}
    table = read_features(list(asked.files), label=asked.label, **chosen)
    return prepare(
        table,
        text=asked.text,
        label=asked.label,
        groups=asked.groups,
        weight=asked.weight,
        missing=asked.missing,
        named=bool(asked.features),
    )


def _positive(given: str | None, y: Any) -> Any:
    """The label that the text names, which may be a number or a truth value."""
    from thresher.conventions import positive_label

    if given is None:
        return None
    labels = sorted(set(y.tolist()), key=str)
    return positive_label(labels, given)


def _outputs(asked: AssessOptions) -> Outputs:
    """Where to write; refused before the work when it could not be written."""
    if asked.save and Path(asked.save).suffix.lower() in OTHER_SUFFIXES:
        better = Path(asked.save).with_suffix(".parquet")
        raise CommandError(f"--save {asked.save}: an assessment is saved as Parquet, so name the file {better}.")
    others = {"--save": asked.save}
    return Outputs.of(asked.outputs, asked.form, forms=FORMS, inputs=asked.files, others=others, quiet=asked.quiet)


def _shown(
    found: Assessment,
    prepared: Prepared,
    texts: dict[str, str],
    curves: tuple[Series, ...],
    asked: AssessOptions,
    where: Outputs,
) -> None:
    from thresher.cli.assess_forms import Result, rendered

    measures = found.measures if asked.is_compared else ()
    compared = [one for measure in measures for one in _comparisons(found, measure, asked.correction)]
    result = Result(found, prepared, texts, tuple(compared), curves)
    if asked.save:
        found.save(asked.save)
        if not asked.quiet:
            say(f"wrote {asked.save}")
    where.write(lambda form, width: rendered(result, form, width=width))


def _comparisons(found: Assessment, measure: str, correction: str) -> list[Any]:
    compared = found.compare(measure=measure, correction=correction)
    return [compared] if hasattr(compared, "models") else list(compared)
