"""`thresher assess`: how good a model will be on rows it has not seen, from a table of features and labels.

An assessment in the forms that the command writes: text, JSON, CSV, Markdown, and a report of its predictions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thresher._util.atomic_file import OTHER_SUFFIXES
from thresher._util.json_text import to_json
from thresher.cli import search_as_usual
from thresher.cli.exit import INTERRUPTED, CommandError, as_flags, warned_once
from thresher.cli.options import Arguments, command, files
from thresher.cli.outputs import Outputs
from thresher.cli.streams import say, terminal_width
from thresher.errors import note_forms
from thresher.resampling.method_forms import METHODS

if TYPE_CHECKING:
    from thresher.cli.assess_data import Prepared
    from thresher.inference.comparing.comparison import Comparison
    from thresher.resampling import Assessment, Series
    from thresher.resampling.estimator_text import EstimatorText


FORMS = ("text", "json", "csv", "markdown", "html", "latex")

EPILOG = """
\b
Examples:
  thresher assess train.csv --label outcome --positive yes \\
      --estimator "sklearn.ensemble:RandomForestClassifier(n_estimators=200)"
  thresher assess train.csv --label outcome --compare --method repeated:5x10 \\
      --estimator "nb=sklearn.naive_bayes:GaussianNB()" \\
      --estimator "svm=sklearn.pipeline:make_pipeline(
                     sklearn.preprocessing:StandardScaler(), sklearn.svm:SVC(C=2))"

\b
An estimator is an import path with literal arguments, module:Name(argument=value), or
other estimators as arguments. No other code is run. For a class of your own, put its
directory on the path: PYTHONPATH=. thresher assess --estimator "mine:Model()"
"""


def _methods() -> str:
    """Methods that there are now, for the end of the help."""
    return f"Methods: {', '.join(row.example for row in METHODS.values())}."


@command(
    "estimators label positive features drop groups weight weight_kind text missing decimal method measures "
    "level seed is_compared correction is_learning corruptions jobs on_error form outputs save quiet",
    files(), forms=FORMS, epilog=EPILOG, ending=_methods,
)  # fmt: skip
def assess(args: Arguments) -> int | None:
    """Estimate how good a model will be on rows it has not seen.

    FILE is a table of features and labels: CSV, TSV, JSON lines or Parquet, gzipped or not, a pattern, or - for stdin.
    Models are fitted and evaluated on the splits of --method. The intervals allow for the overlap of the splits.
    """
    from thresher.resampling import assess as assessed

    search_as_usual()
    if args.save and Path(args.save).suffix.lower() in OTHER_SUFFIXES:
        better = Path(args.save).with_suffix(".parquet")
        raise CommandError(f"--save {args.save}: an assessment is saved as Parquet, so name the file {better}.")
    where = Outputs.of(args, FORMS, others={"--save": args.save})
    named = named_texts(args.estimators)
    if args.is_compared and len(named) < 2:
        raise CommandError("--compare takes two models or more: name them with --estimator.")
    method = _method(args)
    made = {name: spec.build() for name, spec in named.items()}
    prepared = _prepared(args)
    for sentence in () if args.quiet else prepared.said:
        say(sentence)
    what = (made, prepared.X, prepared.y)
    options = args.select("positive", "weight_kind", "level", "on_error") | {
        "method": method, "groups": prepared.groups,
        "weights": prepared.weights, "rng": args.seed, "n_jobs": args.jobs, "progress": not args.quiet,
    }  # fmt: skip
    kept = "html" in where.forms and args.jobs in (None, 1)  # for facts of the models; other processes' stay there
    with warned_once():
        found = assessed(*what, measures=args.measures or None, keep_models=kept, **options)
        found = replace(found, rows=replace(found.rows, label=args.label))
        curves = [] if found.is_interrupted else list(_curves(what, options | {"measures": found.measures}, args))
    _shown(found, prepared, {name: str(spec) for name, spec in named.items()}, tuple(curves), args, where)
    is_short = len(curves) < args.is_learning + len(args.corruptions)
    return INTERRUPTED if found.is_interrupted or is_short else None


def _method(args: Arguments) -> Any:
    """Method of resampling; that and the measures are checked before the first byte is read."""
    from thresher.measures.measure_text import parse_measure
    from thresher.resampling.method_forms import method_of
    from thresher.resampling.study import check_separate

    for name in args.measures:
        parse_measure(name)
    method = method_of(args.method)
    if type(method).__name__ == "GroupKFold" and args.groups is None:
        raise CommandError(f"--method {args.method} takes --groups COLUMN, which names the group of each row.")
    if args.is_compared and type(method).__name__ == "Nested":
        raise CommandError(f"--compare does not go with --method {args.method}, which judges the choice as one model.")
    if args.is_learning or args.corruptions:
        check_separate(method)
    return method


def _curves(what: tuple[Any, Any, Any], options: dict[str, Any], args: Arguments) -> Iterator[Series]:
    """Learning curve and robustness curves of the measures shown, on the same splits; Ctrl-C keeps those before."""
    from thresher import resampling

    kinds = {
        "noise": resampling.FeatureNoise,
        "labels": resampling.LabelNoise,
        "missing": resampling.MissingValues,
        "prevalence": resampling.PrevalenceShift,
    }
    made = [("--learning-curve", partial(resampling.learning_curve, *what))] if args.is_learning else []
    made += [
        (f"--robustness {name}", partial(resampling.robustness, *what, kinds[name]())) for name in args.corruptions
    ]
    for flag, make in made:
        try:
            yield make(**options)
        except KeyboardInterrupt:
            say(f"interrupted: {flag} and everything after it is not shown.")
            return


def named_texts(given: tuple[str, ...]) -> dict[str, EstimatorText]:
    """Parse estimators from their texts, by the given name or their class name, numbered when it repeats.

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
            raise CommandError(f"--estimator {text!r} lacks a name before its equals sign.")
        if split and name in found:
            raise CommandError(f"two models are called {name!r}: give each --estimator a name of its own.")
        number = 2
        while name in found:
            name, number = f"{spec.short} {number}", number + 1
        found[name] = spec
    return found


def _prepared(args: Arguments) -> Prepared:
    from thresher.cli.assess_data import prepare, refuse_both
    from thresher.readers.features import read_features

    refuse_both(args.features, args.drop)
    for flag, column in {"--label": args.label, "--groups": args.groups, "--weight": args.weight}.items():
        if column is not None and column in args.features:
            raise CommandError(f"{column!r} is given to {flag} and to --features.")
    others = [column for column in (args.groups, args.weight) if column is not None]
    chosen: dict[str, Any] = {"features": args.features or None, "drop": args.drop, "others": others}
    table = read_features(list(args.files), label=args.label, **chosen)
    return prepare(table, named=bool(args.features), **args.select("text", "label", "groups", "weight", "missing"))


def _shown(
    found: Assessment,
    prepared: Prepared,
    texts: dict[str, str],
    curves: tuple[Series, ...],
    args: Arguments,
    where: Outputs,
) -> None:
    from thresher.report.render.results import assessment_form

    measures = found.measures if args.is_compared else ()
    compared: list[Any] = []
    for measure in measures:
        one_or_all = found.compare(measure=measure, correction=args.correction)
        compared += [one_or_all] if hasattr(one_or_all, "models") else list(one_or_all)
    if args.save:
        found.save(args.save)
        if not args.quiet:
            say(f"wrote {args.save}")
    found = replace(found, notes=tuple(map(as_flags, found.notes)))

    def render(form: str, width: int | None) -> str:
        if form == "json":
            return _json(found, compared, curves, prepared, texts)
        return assessment_form(
            found, compared, curves, form=form, width=width or terminal_width(), words=as_flags,
            texts=[f"{name} = {text}" for name, text in texts.items()], said=prepared.said,
        )  # fmt: skip

    where.write(render)


def _json(
    found: Assessment, compared: list[Comparison], curves: tuple[Series, ...], prepared: Prepared, texts: dict[str, str]
) -> str:
    from thresher._util.json_values import all_finite
    from thresher.report.render.results import assessment_dict

    document = assessment_dict(found, compared, curves)
    document["data"] = {
        "features": list(prepared.columns),
        "encoded": prepared.encoded,
        "dropped": prepared.dropped,
        "notes": note_forms(prepared.said),
    }
    for name, text in texts.items():
        if name in document["models"]:
            document["models"][name]["estimator"] = text
    return to_json(all_finite(document))
