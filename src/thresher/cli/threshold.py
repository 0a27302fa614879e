"""`thresher threshold`: where to put the threshold, and for what it stays the best."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.class_decisions import ONE_SCORE, cost_matrix_option, decide_classes, evaluated
from thresher.cli.deciding import CRITERION_OPTIONS, bounds_and_conditions, how_of, reject_of, reject_option
from thresher.cli.evaluating import say_notes
from thresher.cli.exit import CommandError
from thresher.cli.guess import GUESSED, say_flags
from thresher.cli.options import (
    LARGE_OPTIONS,
    OUTPUT,
    SPLIT_OPTIONS,
    GroupedCommand,
    Reading,
    bootstrap_option,
    level_option,
    option,
    output_options,
    rate_interval_option,
    reading_options,
    seed_option,
    together,
)
from thresher.cli.outputs import Outputs

if TYPE_CHECKING:
    from thresher.cli.rows import ModelRows
    from thresher.evaluation import Evaluation, ModelEvaluation

EPILOG = """
\b
Examples:
  thresher threshold predictions.csv --label outcome --score a --max youden
  thresher threshold predictions.csv --label outcome --score a \\
      --cost-fp 1 --cost-fn 20 --prevalence 0.001 --bootstrap 2000
  thresher threshold predictions.csv --label outcome --score a \\
      --max tpr --where 'fpr<=0.01' --where "country = 'DE'"
  thresher threshold predictions.csv --label outcome --score a --top-share 5%
  thresher threshold predictions.csv --label outcome --score a \\
      --cost-fp 1 --cost-fn 5 --reject deferral=0.2
  thresher threshold predictions.csv --label outcome --score a --non-dominated
  thresher threshold digits.csv --label digit --proba forest_ --max macro_f1

\b
Of thresholds that tie the most conservative is taken, and all are listed.
"""

FORMS = ("text", "json", "csv", "markdown")

OTHER_OPTIONS = together(
    level_option,
    rate_interval_option,
    bootstrap_option("the choice is made again on each: how far the threshold moves, how optimistic its value is. "
                     "With --cluster the intervals are of whole clusters too."),
    seed_option,
    output_options(*FORMS),
    option(
        OUTPUT, "--non-dominated", is_flag=True,
        help="List the thresholds that no other beats in both rates, for choosing by eye.",
    ),
)  # fmt: skip


@click.command(cls=GroupedCommand, epilog=EPILOG)
@reading_options(
    CRITERION_OPTIONS, cost_matrix_option, reject_option, OTHER_OPTIONS, LARGE_OPTIONS, split=SPLIT_OPTIONS
)
def threshold(
    reading: Reading,
    form: str | None,
    outputs: tuple[str, ...],
    non_dominated: bool,
    reject: str | None,
    **options: Any,
) -> None:
    """Choose the threshold: by costs, a measure, a bound or a budget.

    FILE is CSV, TSV, JSON lines or Parquet, gzipped or not, a pattern such as 'part-*.csv', or - for stdin.
    Every model has its threshold, with the confusion matrix, the measures and for which costs it stays the cheapest;
    with --reject two, between which rows are left undecided, and what that costs. With --proba each row's class is
    decided by a cost matrix, or by class weights, a row going to the class of largest p/w, that a measure prefers.
    """
    where = Outputs.of(outputs, form, forms=FORMS, inputs=reading.inputs, quiet=reading.quiet)
    options["where"], conditions = bounds_and_conditions(options["where"])
    reading = replace(reading, conditions=conditions)
    made = {name: options.pop(name) for name in ("level", "rate_interval", "seed")}
    if reading.probabilities and not reading.labels:
        decide_classes(reading, where, {**options, "reject": reject, "non_dominated": non_dominated}, **made)
        return
    if options.pop("cost_matrix") is not None:
        raise CommandError(ONE_SCORE)
    bootstrap, prevalence, how = options.pop("bootstrap"), options.pop("prevalence"), how_of(options)
    if non_dominated:
        _check_listing(how, reading, reject, bootstrap)
    rule = None if reject is None else reject_of(reject, how, prevalence, bootstrap)
    _check_early(how, prevalence, made["level"], non_dominated or rule is not None)
    evaluation = evaluated(reading, **made)
    if non_dominated:
        say_notes(evaluation, reading, needs_threshold=False)
        where.write(lambda form, _: "".join(_listing(evaluation, form, prevalence)))
        return
    from thresher.evaluation.remarks import remarks
    from thresher.report.render.cards import cards_form

    notes = [note for note in remarks(evaluation) if "threshold" not in note and not note.endswith(GUESSED)]
    choose = _chooser(how, rule, prevalence=prevalence, bootstrap=bootstrap, seed=made["seed"])
    found = list(_chosen(evaluation, choose, notes))
    if where.forms != {"json"}:
        say_flags(notes, quiet=reading.quiet)
    where.write(lambda form, _: cards_form(found, form, notes, rejecting=rule is not None))


def _check_listing(how: dict[str, Any], reading: Reading, reject: str | None, bootstrap: int | None) -> None:
    if how or reject:
        raise CommandError("--non-dominated lists all thresholds worth a look, so no criterion goes with it.")
    if bootstrap is not None or reading.by:
        flag = "--by" if reading.by else "--bootstrap"
        raise CommandError(f"--non-dominated lists the thresholds of all rows, so {flag} does not go with it.")


def _chooser(
    how: dict[str, Any], rule: dict[str, Any] | None, *, prevalence: float | None, bootstrap: int | None, seed: int
) -> Callable[[ModelEvaluation], Any]:
    """What is read of every model: its threshold, or with a rule the two of a reject option."""
    from thresher.cli.evaluating import bootstrap_of

    if rule is not None:
        return lambda model: model.with_reject(**rule)
    wanted = {**how, "prevalence": prevalence, "bootstrap": bootstrap_of(bootstrap, seed)}
    return lambda model: model.choose(**wanted)


def _check_early(how: dict[str, Any], prevalence: float | None, level: float, is_other: bool) -> None:
    from thresher.conventions import confidence_level
    from thresher.decisions.criterion_options import CriterionOptions, criterion_of
    from thresher.frozen import check_prevalence

    confidence_level(level)
    if prevalence is not None:
        check_prevalence(prevalence)
    if not is_other:
        criterion_of(CriterionOptions.of(None, how))


def _chosen(evaluation: Evaluation, choose: Callable[[ModelEvaluation], Any], notes: list[str]) -> Iterator[Any]:
    """Choice of every model on all rows, then in every group; why a group has none goes to the notes."""
    from thresher.analysis.choosing import scored_models
    from thresher.errors import InputError, OptionError

    for model in scored_models(evaluation, "a threshold").values():
        yield choose(model)
    names = list(evaluation.predictions.by)
    for key, part in evaluation.groups.items():
        values = key if len(names) > 1 else (key,)
        group = ", ".join(f"{name}={value}" for name, value in zip(names, values, strict=True))
        for model in scored_models(part, "a threshold").values():
            try:
                yield replace(choose(model), group=group)
            except (InputError, OptionError) as error:
                notes.append(f"{model.name}, {group}: {error}")


def _listing(evaluation: Evaluation, form: str, prevalence: float | None) -> Iterator[str]:
    from thresher.analysis.choosing import scored_models
    from thresher.cli.rows import WRITERS

    models = scored_models(evaluation, "a threshold").values()
    return WRITERS[form]([undominated(model, prevalence) for model in models])


def undominated(model: ModelEvaluation, prevalence: float | None) -> ModelRows:
    """Rows of one model: see `decisions.undominated`; ratios of a threshold off the hull are undefined."""
    from thresher.cli.rows import ModelRows
    from thresher.decisions import undominated as rows_of

    shown = rows_of(model.table if prevalence is None else model.table.with_prevalence(prevalence))
    return ModelRows(
        model.name, shown.height, lambda start, stop: {name: column[start:stop] for name, column in shown.items()}
    )
