"""From the options of the command to checked predictions: guess what was not said, then let the engine read."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from thresher.cli.classes import class_columns, class_names
from thresher.cli.exit import CommandError
from thresher.cli.guess import Guess, guess_label, guess_posteriors, guess_score
from thresher.cli.options import Reading
from thresher.cli.progress import progress
from thresher.cli.streams import say

if TYPE_CHECKING:
    from thresher.predictions import Predictions


def read(reading: Reading) -> Predictions:
    """Checked rows of the files; what was guessed is said on stderr and noted in the result."""
    if (reading.truth is None) != (reading.key is None) and reading.model_column is None:
        missing = "--key" if reading.key is None else "--truth"
        raise CommandError(f"--truth FILE and --key COLUMN go together: {missing} is missing.")
    known, guesses = _guessed(reading)
    for guess in guesses:
        say(guess.said)
    rows = _load(known)
    return replace(rows, notes=(*(guess.said for guess in guesses), *rows.notes)) if guesses else rows


def _guessed(reading: Reading) -> tuple[Reading, list[Guess]]:
    """The options with label and score filled in; files are looked at only when something is missing."""
    from thresher.engines.stream import describe

    if reading.labels:
        _several(reading)
        return reading, []
    described = cache(describe)  # the same files are looked at once for both
    guesses: list[Guess] = []
    if reading.label is None:
        source = reading.files if reading.truth is None else (reading.truth,)
        guesses.append(guess_label(described(source), reading.spoken_for, _where(source)))
        reading = replace(reading, label=guesses[-1].column)
    if not reading.scores and not reading.predicted and not reading.probabilities:
        source = reading.files
        of_classes = guess_posteriors(described(source), reading.spoken_for)
        guesses.append(of_classes or guess_score(described(source), reading.spoken_for, _where(source)))
        found = (guesses[-1].column,)
        reading = replace(reading, scores=found) if of_classes is None else replace(reading, probabilities=found)
    return reading, guesses


def _several(reading: Reading) -> None:
    """Check what goes with several columns of labels: nothing is guessed there."""
    if not reading.scores and not reading.predicted and not reading.probabilities:
        raise CommandError(
            "with several columns of labels name those to judge, one for every label: --score 'net_*', or --predicted."
        )
    if reading.scores and reading.probabilities:
        raise CommandError("with several columns of labels --score and --proba mean the same: use one of them.")
    odd = [("--positive", reading.positive), ("--rest", reading.rest), ("--normalize", reading.normalize)]
    odd += [("--classes", reading.classes), ("--lower-is-positive", reading.lower_is_positive)]
    odd += [("--truth", reading.truth), ("--key", reading.key), ("--model-column", reading.model_column)]
    if flag := next((flag for flag, value in odd if value), None):
        raise CommandError(f"{flag} is not for several columns of labels, in which a row may have any of them.")


def _where(paths: tuple[str, ...]) -> str:
    return "stdin" if paths == ("-",) else paths[0] if len(paths) == 1 else f"the {len(paths)} files"


def _load(reading: Reading) -> Predictions:
    from thresher import engines

    several = bool(reading.labels)
    with progress(quiet=reading.quiet) as report:
        return engines.load(
            list(reading.files),
            class_columns(reading.scores, "--score") if several else list(reading.scores) or None,
            label=list(reading.labels) if several else reading.label,
            positive=reading.positive,
            rest=reading.rest,
            predicted=class_columns(reading.predicted, "--predicted") if several else list(reading.predicted) or None,
            probabilities=class_columns(reading.probabilities),
            labels=class_names(reading.classes),
            normalize=reading.normalize,
            weights=reading.weight,
            weight_kind=reading.weight_kind,
            by=list(reading.by) or None,
            fold=reading.fold,
            cluster=reading.cluster,
            direction="lower" if reading.lower_is_positive else "higher",
            missing=reading.missing,
            truth=reading.truth,
            key=reading.key,
            model_column=reading.model_column,
            progress=report,
        )
