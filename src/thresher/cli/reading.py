"""From the options of the command to checked predictions, guessing missing options, and to their evaluation."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from thresher._util.parse_number import parse_number_or_infinity
from thresher.cli.deciding import is_bound
from thresher.cli.exit import CommandError, as_flags
from thresher.cli.label_columns import (
    Guess,
    class_columns,
    class_names,
    columns_of_classes,
    guess_label,
    guess_posteriors,
    guess_score,
    say_flags,
)
from thresher.cli.options import DIRECTIONS, Arguments, by_model
from thresher.cli.streams import progress, say
from thresher.design_warnings import DesignWarning, distinct
from thresher.errors import InputError, Note

if TYPE_CHECKING:
    from thresher.counts import Counts
    from thresher.evaluation import Evaluation
    from thresher.inference.bootstrap.config import Bootstrap
    from thresher.predictions import Predictions


def data_of(args: Arguments) -> Any:
    """Return the files, or their rows that satisfy `--where`."""
    if not args.conditions:
        return list(args.files)
    if odd := args.first_of("truth", "model_column", "labels"):
        raise CommandError(f"--where filters the rows of files, so it cannot be used with {odd}.")
    if "-" in args.files:
        raise CommandError("--where reads files more than once: name them instead of -.")
    from thresher.readers.where import rows_where

    first, *more = args.conditions
    try:
        return rows_where(args.files, " AND ".join(f"({each})" for each in args.conditions) if more else first)
    except InputError as problem:
        if bound := next((each for each in args.conditions if is_bound(each)), None):
            raise CommandError(f"{problem} A bound on a measure is `thresher threshold --bound {bound!r}`.") from None
        raise


def read(args: Arguments) -> Predictions:
    """Read checked rows of the files, or rows in place of counted ones, of one score."""
    from thresher.counts import Counts

    found = rows_or_counts(args)
    if not isinstance(found, Counts):
        return found
    from thresher.evaluation.counted_rows import predictions_of

    if len(found) > 1:
        raise CommandError("counts are evaluated one score at a time here: choose one with --score.")
    return predictions_of(found)


def rows_or_counts(args: Arguments, cuts: Cuts = ()) -> Predictions | Counts:
    """Read checked rows of the files, or counts of the requested scores, exact at the thresholds of each model.

    Rows are counted where a resolution is args, and where they are too many to keep, which is noted in the result, as
    are guesses, which are reported on stderr too.
    """
    if (args.truth is None) != (args.key is None) and args.model_column is None:
        missing = "--key" if args.key is None else "--truth"
        raise CommandError(f"--truth FILE and --key COLUMN go together: {missing} is missing.")
    if are_counts(args.files):
        others = ("probabilities", "positive", "rest", "classes", "normalize", *DIRECTIONS, "truth", "conditions",
                  "resolution", "memory")  # fmt: skip
        if odd := next(iter(args.assigned_columns.values()), None) or args.first_of(*others):
            raise CommandError(f"{args.files[0]} holds counts and no rows: {odd} was chosen when they were made.")
        found = counts_of(args.files)
        if unknown := next((name for name in args.scores if name not in found), None):
            raise CommandError(f"these counts have no score {unknown!r}: they are of {', '.join(found)}.")
        return found.of_scores(args.scores or tuple(found))
    known, guesses = guessed(args)
    for guess in guesses:
        say(guess.note)
    if (counts := counted(known, cuts)) is not None:
        return replace(counts, notes=(*(guess.note for guess in guesses), *counts.notes))
    rows = _load(known)
    return replace(rows, notes=(*(guess.note for guess in guesses), *rows.notes)) if guesses else rows


def by_column(rows: Predictions, args: Arguments) -> Predictions:
    """Name each score from the probabilities of two classes by its column, which a saved rule or map then reads."""
    if not args.probabilities or not rows.scores or rows.predicted or args.normalize:
        return rows
    from thresher.predictions.labels import sorted_labels

    classes = [str(label) for label in sorted_labels(rows.classes)]
    order, positive = class_names(args.classes) or classes, str(rows.classes[1])
    found = {
        columns_of_classes([given], args.assigned_columns, order, args.files)[order.index(positive)]: rows.scores[model]
        for model, given in zip(class_columns(args.probabilities) or (), args.probabilities, strict=True)
    }
    return replace(rows, scores=found)


def guessed(args: Arguments) -> tuple[Arguments, list[Guess]]:
    """The options with label and score filled in; files are looked at only when something is missing."""
    if args.labels:
        if not args.scores and not args.predicted and not args.probabilities:
            raise CommandError(
                "with several columns of labels name those to judge, one for every label: --score 'net_*', or "
                "--predicted."
            )
        if args.scores and args.probabilities:
            raise CommandError("with several columns of labels --score and --proba mean the same: use one of them.")
        others = ("positive", "rest", "normalize", "classes", *DIRECTIONS, "truth", "key", "model_column")
        if flag := args.first_of(*others):
            raise CommandError(f"{flag} does not apply to several columns of labels.")
        return args, []

    @cache  # the same files are looked at once for both
    def described(source: tuple[str, ...]) -> list[tuple[str, str]]:
        from thresher.readers.duckdb_files import describe

        return describe(source)

    guesses: list[Guess] = []
    if args.label is None:
        source = args.files if args.truth is None else (args.truth,)
        guesses.append(guess_label(described(source), args.assigned_columns, _where(source)))
        args = args.replace(label=guesses[-1].column)
    if not args.scores and not args.predicted and not args.probabilities:
        source = args.files
        of_classes = guess_posteriors(described(source), args.assigned_columns)
        guesses.append(of_classes or guess_score(described(source), args.assigned_columns, _where(source)))
        found = (guesses[-1].column,)
        args = args.replace(scores=found) if of_classes is None else args.replace(probabilities=found)
    return args, guesses


def are_counts(files: tuple[str, ...]) -> bool:
    """Return whether the first file is one of counts; no other is looked at."""
    from thresher.counts.saved import COUNTS, saved_kind

    matching = [] if files[0] == "-" else glob.glob(files[0], recursive=True) or [files[0]]
    return bool(matching) and saved_kind(matching[0]) == COUNTS


def named(given: str) -> tuple[str, str]:
    """Name and file of NAME=FILE; the name is empty where there is none, as in a folder called site=berlin."""
    name, _, path = given.partition("=") if "=" in given and not glob.glob(given) else ("", "", given)
    return name, path


def named_files(files: Iterable[str]) -> dict[str, str]:
    """Name of each file: the one before it, as in NAME=FILE, else its own, with the folders that tell it apart."""
    found = [(path, name) for name, given in map(named, files) for path in _matching(given)]
    plain = [Path(path) for path, name in found if not name]
    if len({path.name for path in plain}) < len({path.resolve() for path in plain}):
        root = os.path.commonpath([path.resolve().parent for path in plain])
        own = {str(path): path.resolve().relative_to(root).as_posix() for path in plain}
    else:
        own = {str(path): path.name for path in plain}
    names = [name or own[str(Path(path))].removesuffix(".parquet").removesuffix(".counts") for path, name in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise CommandError(f"two files are called {twice!r}, so their counts have the same name: name them, NAME=FILE.")
    return dict(zip((path for path, _ in found), names, strict=True))


def _matching(given: str) -> list[str]:
    return sorted(glob.glob(given, recursive=True)) or [given]


def counts_of(files: Iterable[str], by: str | None = None, names: Mapping[str, str] | None = None) -> Counts:
    """Sum the counts in files and patterns, with `by` each as its own group; duplicates are reported."""
    from thresher.counts import Counts

    paths = [path for given in files for path in _matching(given)]
    parts = [Counts.load(path) for path in paths]
    for i, path in enumerate(paths):
        if parts[i] in parts[:i]:
            say(f"warning: {path} holds the same counts as another of the files, and both are added.")
    if by is not None:
        return Counts.of_parts({(names or {})[path]: part for path, part in zip(paths, parts, strict=True)}, by=by)
    found = parts[0]
    for path, part in zip(paths[1:], parts[1:], strict=True):
        try:
            found = found + part
        except InputError as error:
            raise CommandError(f"{paths[0]} cannot be combined with {path}: {error}") from None
    return found


def _where(paths: tuple[str, ...]) -> str:
    return "stdin" if paths == ("-",) else paths[0] if len(paths) == 1 else f"the {len(paths)} files"


def _load(args: Arguments) -> Predictions:
    from thresher import readers

    several = bool(args.labels)
    same = args.select("positive", "rest", "normalize", "weight_kind", "fold", "cluster", "direction", "missing",
                       "truth", "key", "model_column", "sampling", "verified")  # fmt: skip
    with progress(quiet=args.quiet) as report:
        return readers.load(
            data_of(args),
            class_columns(args.scores, "--score") if several else list(args.scores) or None,
            label=list(args.labels) if several else args.label,
            predicted=class_columns(args.predicted, "--predicted") if several else list(args.predicted) or None,
            probabilities=class_columns(args.probabilities),
            labels=class_names(args.classes),
            weights=args.weight,
            by=list(args.by) or None,
            judge=list(args.judge) or None,
            progress=report,
            **same,
        )


Cuts: TypeAlias = Sequence[tuple[str | None, float]]
"""Thresholds, each for a model or, with None, for all."""

INSTEAD = "count one row for each cluster"
"""How counts serve rows in clusters."""

OF_A_ROW = 20
"""Bytes that a report takes for each row, and for each score in it."""


def counted(args: Arguments, cuts: Cuts = ()) -> Counts | None:
    """Return counts of the rows where these are not kept; None where they are."""
    from thresher.readers.files import pipe_beyond

    others = ("predicted", "probabilities", "fold", "truth", "model_column", "labels", "classes", "normalize", "judge",
              "verified")  # fmt: skip
    is_importance = args.weight is not None and args.weight_kind == "importance"
    odd = args.first_of(*others) or ("a --weight of importance" if is_importance else None)
    flag = odd or (args.cluster and "--cluster")
    instead = f", or {INSTEAD}." if args.cluster else "."
    if args.resolution is not None:
        if flag:
            raise CommandError(f"--resolution counts rows instead of keeping them, and {flag} needs the rows. "
                               f"Leave --resolution out{instead}")  # fmt: skip
        return count_rows(args, cuts)
    pipe = pipe_beyond(args.files)
    if flag and pipe is not None:
        raise CommandError(f"{flag} needs the rows: {pipe.refusal}")
    if odd or (pipe is None and (rows := _too_many(args)) is None):
        return None
    if flag:
        raise CommandError(f"{rows:,} rows are too many for the memory, and --cluster needs the rows. "
                           f"Allow more --memory{instead}")  # fmt: skip
    found = count_rows(args, cuts)
    text = (
        f"{rows:,} rows are too many for the memory, so they are counted"
        if pipe is None
        else f"{pipe.too_long}, so its rows are counted as they come"
    )
    how = "--memory sets how much memory rows may take, --resolution how counted scores are rounded"
    return replace(found, notes=(Note("too-many-rows", f"{text}: {how}", parameter="memory"), *found.notes))


def count_rows(args: Arguments, cuts: Cuts = (), *, pairs: bool = True) -> Counts:
    """Count how the scores of the files fall; matrices at the cuts are exact, and `pairs` of scores are compared."""
    from thresher.evaluation.counting import count

    thresholds = {name: [cut for model, cut in cuts if model in (None, name)] for name in args.scores}
    same = args.select("label", "positive", "rest", "weight_kind", "direction", "missing", "resolution", "memory")
    with progress(quiet=args.quiet) as report:
        return count(
            data_of(args), list(args.scores), weights=args.weight, by=list(args.by) or None,
            thresholds=thresholds, pairs=pairs, progress=report, **same,
        )  # fmt: skip


def _too_many(args: Arguments) -> int | None:
    """Number of rows when their report would exceed the memory limit."""
    from thresher._util.threads import machine_memory
    from thresher.readers import known_rows

    rows = known_rows(args.files)
    most = machine_memory() // 2 if args.memory is None else args.memory
    return rows if rows is not None and rows * OF_A_ROW * (1 + len(args.scores)) > most else None


def evaluation_of(args: Arguments, *, bootstrap: int | None = None) -> Evaluation:
    """Read and evaluate; thresholds are checked before the first byte is read."""
    kinds = "a number on the scale of the scores, such as 0.5, nor MODEL=NUMBER"
    cuts = by_model("--threshold", args.thresholds, parse_number_or_infinity, kinds)
    found = rows_or_counts(args, list(cuts.items()))
    options = args.select("level", "undefined", "rate_interval") | {"bootstrap": bootstrap, "rng": args.seed}
    return evaluated_any(found, cuts, **options)


def evaluated_any(
    found: Predictions | Counts, cuts: Mapping[str | None, float] = MappingProxyType({}), **options: Any
) -> Evaluation:
    """Evaluate rows or counts, at the cut of each model or, under None, of the others."""
    from thresher.evaluation.front import evaluate_counts, evaluate_predictions
    from thresher.predictions import Predictions

    models = found.models if isinstance(found, Predictions) else tuple(found)
    own = {model: cut for model, cut in cuts.items() if model is not None}
    if cuts:
        options["threshold"] = dict.fromkeys(models, cuts[None]) | own if own and None in cuts else own or cuts[None]
    if isinstance(found, Predictions):
        return evaluate_predictions(found, **options)
    return evaluate_counts(found, models, **options)


def bootstrap_of(args: Arguments) -> Bootstrap | None:
    """Return the settings of the bootstrap, None without --bootstrap."""
    if args.bootstrap is None:
        return None
    from thresher.inference.bootstrap.config import Bootstrap

    return Bootstrap(n=args.bootstrap, rng=args.seed)


def say_notes(
    evaluation: Evaluation,
    args: Arguments,
    *,
    needs_threshold: bool,
    without: tuple[str, ...] = (),
    measures: Iterable[str] = (),
) -> None:
    """Write the notes; those on thresholds only when some number needs one, the worth of a judge for the `measures`."""
    from thresher.errors import of_each_model
    from thresher.evaluation.estimate import remarks, worth_of_labels

    names = tuple(dict.fromkeys(measures))
    kept = [n for n in remarks(evaluation) if n not in without and not (names and n.code == "judge-weight")]
    kept += of_each_model(
        {m.name: [n for each in names for n in worth_of_labels(m, each)] for m in evaluation.values()}
    )
    say_flags((note for note in kept if needs_threshold or note.parameter != "threshold"), quiet=args.quiet)


def say_warnings(warnings: Iterable[DesignWarning], args: Arguments, *, said: tuple[str, ...]) -> None:
    """Write warnings about a design for which a test falls short, unless they were written already."""
    for warning in () if args.quiet else distinct(warnings):
        if warning.text not in said:
            say(replace(warning, text=as_flags(warning.text)).said)
