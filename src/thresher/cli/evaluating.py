"""From the options of a command to an evaluation: thresholds, level, the policy for 0/0 and the seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from thresher._util.parse_number import parse_number_or_infinity
from thresher.cli.flags import as_flags
from thresher.cli.guess import say_flags
from thresher.cli.options import Arguments, by_model
from thresher.cli.streams import say
from thresher.design_warnings import DesignWarning, distinct

if TYPE_CHECKING:
    from thresher.counts import Counts
    from thresher.evaluation import Evaluation
    from thresher.inference.bootstrap.intervals import Bootstrap
    from thresher.predictions import Predictions


def evaluation_of(args: Arguments, *, bootstrap: int | None = None) -> Evaluation:
    """Read and evaluate; thresholds are checked before the first byte is read."""
    from thresher.cli.reading import rows_or_counts

    kinds = "a number on the scale of the scores, such as 0.5, nor MODEL=NUMBER"
    cuts = by_model("--threshold", args.thresholds, parse_number_or_infinity, kinds)
    found = rows_or_counts(args, list(cuts.items()))
    options = args.select("level", "undefined", "rate_interval") | {"bootstrap": bootstrap, "rng": args.seed}
    return evaluated_any(found, threshold=lambda models: _threshold(cuts, models), **options)


def evaluated_any(
    found: Predictions | Counts, *, threshold: Callable[[tuple[str, ...]], Any] | None = None, **options: Any
) -> Evaluation:
    """Evaluate rows or counts; `threshold` gives the cuts of the models."""
    from thresher.evaluation.front import evaluate_counts, evaluate_predictions
    from thresher.predictions import Predictions

    models = found.models if isinstance(found, Predictions) else tuple(found)
    options |= {} if threshold is None else {"threshold": threshold(models)}
    if isinstance(found, Predictions):
        return evaluate_predictions(found, **options)
    return evaluate_counts(found, models, **options)


def bootstrap_of(args: Arguments) -> Bootstrap | None:
    """Return the settings of the bootstrap, None without --bootstrap."""
    if args.bootstrap is None:
        return None
    from thresher.inference.bootstrap.intervals import Bootstrap

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
    from thresher.evaluation.estimate import worth_of_labels
    from thresher.evaluation.notes import remarks

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


def _threshold(cuts: Mapping[str | None, float], models: tuple[str, ...]) -> float | dict[str, float] | None:
    """Threshold as `evaluate` takes it: one for all models, or one by name, the rest by that for all."""
    everywhere = cuts.get(None)
    named = {model: cut for model, cut in cuts.items() if model is not None}
    if not named:
        return everywhere
    return named if everywhere is None else dict.fromkeys(models, everywhere) | named
