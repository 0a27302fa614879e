"""From the options of a command to an evaluation: thresholds, level, the policy for 0/0 and the seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.flags import as_flags
from thresher.cli.guess import say_flags
from thresher.cli.kinds import by_model
from thresher.cli.options import (
    NUMBERS,
    Reading,
    bootstrap_option,
    level_option,
    option,
    rate_interval_option,
    seed_option,
    together,
    words,
)
from thresher.cli.streams import say
from thresher.design_warnings import DesignWarning, distinct
from thresher.written import number, number_or_infinity

if TYPE_CHECKING:
    from thresher.counts import Counts
    from thresher.evaluation import Evaluation
    from thresher.inference.bootstrap.intervals import Bootstrap
    from thresher.predictions import Predictions


def _policy(_ctx: click.Context, _parameter: click.Parameter, value: str) -> str | float:
    if value in ("nan", "warn", "raise"):
        return value
    try:
        return number(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is not nan, warn, raise or a number.") from None


THRESHOLD_OPTIONS = together(
    option(
        NUMBERS, "--threshold", "thresholds", type=words, metavar="[MODEL=]T", multiple=True,
        help="Predict positive from this score on: for all models, or for one. Default: 0.5 where every score of a "
        "model lies in [0, 1], which is said, else none.",
    ),
    level_option,
)  # fmt: skip

RESAMPLING_OPTIONS = together(
    bootstrap_option("intervals and tests rest on them. Default: formulas where there are, else 2000 resamples."),
    seed_option,
)

NUMBER_OPTIONS = together(
    THRESHOLD_OPTIONS,
    rate_interval_option,
    option(
        NUMBERS, "--undefined", callback=_policy, default="nan", show_default=True,
        metavar="nan|warn|raise|NUMBER",
        help="What becomes of 0/0: shown as undefined, that and a warning, an error, or this number.",
    ),
    bootstrap_option("the intervals that have no formula rest on them. Default: those are left out, which is said."),
    seed_option,
)  # fmt: skip


def evaluation_of(
    reading: Reading,
    thresholds: tuple[str, ...],
    *,
    level: float,
    undefined: Any,
    seed: int,
    bootstrap: int | None = None,
    rate_interval: str = "wilson",
) -> Evaluation:
    """Read and evaluate; options are checked before the first byte is read."""
    from thresher.cli.reading import rows_or_counts
    from thresher.conventions import confidence_level

    cuts = by_model(
        "--threshold",
        thresholds,
        number_or_infinity,
        "a number on the scale of the scores, such as 0.5, nor MODEL=NUMBER",
    )
    confidence_level(level)
    found = rows_or_counts(reading, list(cuts.items()))
    options: dict[str, Any] = {"level": level, "undefined": undefined, "rate_interval": rate_interval}
    options |= {"bootstrap": bootstrap, "rng": seed}
    return evaluated_any(found, threshold=lambda models: _threshold(cuts, models), **options)


def evaluated_any(
    found: Predictions | Counts, *, threshold: Callable[[tuple[str, ...]], Any] | None = None, **options: Any
) -> Evaluation:
    """Evaluate what was read, rows or counts; `threshold` gives the cuts of the models."""
    from thresher.evaluation.front import evaluate_counts, evaluate_predictions
    from thresher.predictions import Predictions

    models = found.models if isinstance(found, Predictions) else tuple(found)
    options |= {} if threshold is None else {"threshold": threshold(models)}
    if isinstance(found, Predictions):
        return evaluate_predictions(found, **options)
    return evaluate_counts(found, models, **options)


def bootstrap_of(replicates: int | None, seed: int) -> Bootstrap | None:
    """Settings of the bootstrap, when it was asked for."""
    if replicates is None:
        return None
    from thresher.inference.bootstrap.intervals import Bootstrap

    return Bootstrap(n=replicates, rng=seed)


def say_notes(
    evaluation: Evaluation,
    reading: Reading,
    *,
    needs_threshold: bool,
    without: tuple[str, ...] = (),
) -> None:
    """Say what a reader must know; what is said of thresholds only when some number needs one."""
    from thresher.evaluation.remarks import remarks

    kept = (note for note in remarks(evaluation) if note not in without)
    say_flags((note for note in kept if needs_threshold or "threshold" not in note), quiet=reading.quiet)


def say_warnings(warnings: Iterable[DesignWarning], reading: Reading, *, said: tuple[str, ...]) -> None:
    """Say for what about the design a test is known to fall short, unless it was said already."""
    for warning in () if reading.quiet else distinct(warnings):
        if warning.text not in said:
            say(replace(warning, text=as_flags(warning.text)).said)


def _threshold(cuts: Mapping[str | None, float], models: tuple[str, ...]) -> float | dict[str, float] | None:
    """Threshold as `evaluate` takes it: one for all models, or one by name, the rest by that for all."""
    everywhere = cuts.get(None)
    named = {model: cut for model, cut in cuts.items() if model is not None}
    if not named:
        return everywhere
    return named if everywhere is None else dict.fromkeys(models, everywhere) | named
