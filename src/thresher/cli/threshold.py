"""`thresher threshold`: where to put the threshold, and the costs for which it stays the best."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from thresher.cli.deciding import COSTS, CRITERIA, ONE_SCORE, decide_classes, evaluated, how_of, reject_of
from thresher.cli.exit import CommandError
from thresher.cli.label_columns import GUESSED, say_flags
from thresher.cli.options import WITH_GROUPS, Arguments, command, files
from thresher.cli.outputs import Outputs
from thresher.cli.reading import bootstrap_of, say_notes
from thresher.errors import Note

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
      --max tpr --bound 'fpr<=0.01' --where "country = 'DE'"
  thresher threshold predictions.csv --label outcome --score a --top 5%
  thresher threshold predictions.csv --label outcome --score a \\
      --cost-fp 1 --cost-fn 5 --reject deferral=0.2
  thresher threshold predictions.csv --label outcome --score a --non-dominated
  thresher threshold digits.csv --label digit --proba forest_ --max macro_f1

\b
If thresholds tie, the one that predicts the fewest positives is chosen; the others are
listed. A cost ratio is the cost of a false positive ÷ the cost of a false negative.
"""

FORMS = ("text", "json", "csv", "markdown", "html")


def criteria() -> dict[str, str]:
    """One-word criteria, those of one meaning together, and their meaning."""
    from thresher.decisions.criteria import NAMED, OwnCriterion
    from thresher.decisions.objective import goal_words

    found: dict[str, list[str]] = {}
    for name, each in NAMED.items():
        found.setdefault(each.text if isinstance(each, OwnCriterion) else goal_words(each), []).append(name)
    return {", ".join(names): text for text, names in found.items()}


@command(
    f"{WITH_GROUPS} list {CRITERIA} {COSTS} prevalence cost_matrix reject level rate_interval bootstrap seed form "
    "outputs non_dominated resolution memory conditions quiet",
    files(), forms=FORMS, epilog=EPILOG, listed=criteria,
)  # fmt: skip
def threshold(args: Arguments) -> None:
    """Choose the threshold: by costs, a measure, a bound or a budget.

    FILE is CSV, TSV, JSON lines or Parquet, gzipped or not, a pattern such as 'part-*.csv', or - for stdin.
    Each model gets its own threshold, its confusion matrix and measures, and the costs for which it is the cheapest.
    With --reject there are two thresholds, and rows between them stay undecided. With --proba a cost matrix or a
    measure of all classes decides the class of each row.
    """
    from thresher.decisions.criterion_options import CriterionOptions, criterion_of

    where = Outputs.of(args, FORMS)
    # Only the rows tell whether --proba has two classes; other calls are refused before the first byte is read.
    evaluation = evaluated(args) if args.probabilities and not args.labels else None
    if evaluation is not None and evaluation.predictions.task != "binary":
        decide_classes(args, where, evaluation)
        return
    if args.cost_matrix is not None:
        raise CommandError(ONE_SCORE)
    how = how_of(args)
    if args.non_dominated and (how or args.reject):
        raise CommandError("--non-dominated lists all thresholds worth a look, so no criterion goes with it.")
    if args.non_dominated and (flag := args.first_of("by", "bootstrap")):
        raise CommandError(f"--non-dominated lists the thresholds of all rows, so {flag} does not go with it.")
    rule = None if args.reject is None else reject_of(args, how)
    if not args.non_dominated and rule is None:
        if not {*how} - {"where"}:
            raise CommandError(NO_CRITERION)
        criterion_of(CriterionOptions.of(None, how))
    evaluation = evaluation or evaluated(args)
    if args.non_dominated:
        say_notes(evaluation, args, needs_threshold=False)
        where.write(lambda form, _: "".join(_listing(evaluation, form, args.prevalence)))
        return
    from thresher.evaluation.estimate import remarks
    from thresher.report.render.values import cards_form

    notes = [note for note in remarks(evaluation) if note.parameter != "threshold" and note.code != GUESSED]
    wanted = {**how, "prevalence": args.prevalence, "bootstrap": bootstrap_of(args)}
    found = list(_chosen(evaluation, lambda m: m.choose(**wanted) if rule is None else m.with_reject(**rule), notes))
    if where.forms != {"json"}:
        say_flags(notes, quiet=args.quiet)
    where.write(lambda form, _: cards_form(found, form, notes, rejecting=rule is not None))


NO_CRITERION = (
    "a threshold is chosen by one criterion, and none was given: give one of --max, --min, --cost-fp with --cost-fn, "
    "--closest-corner, --match-prevalence and --top, or --reject for two thresholds."
)


COST_RATIO = (
    "cost_ratio: cost of a false positive ÷ cost of a false negative, from low to high, for which the\n"
    "threshold is the cheapest; undefined: never the cheapest.\n"
)


def _chosen(evaluation: Evaluation, choose: Callable[[ModelEvaluation], Any], notes: list[Note]) -> Iterator[Any]:
    """Choice of every model on all rows, then in every group; the reason for a missing one goes to the notes."""
    from thresher.analysis.thresholds import scored_models
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
                notes.append(Note("no-threshold", f"{model.name}, {group}: {error}"))


def _listing(evaluation: Evaluation, form: str, prevalence: float | None) -> Iterator[str]:
    from thresher.analysis.thresholds import scored_models
    from thresher.cli.rows import WRITERS

    models = scored_models(evaluation, "a threshold").values()
    yield from WRITERS[form]([undominated(model, prevalence) for model in models])
    if form == "text":
        yield COST_RATIO


def undominated(model: ModelEvaluation, prevalence: float | None) -> ModelRows:
    """Rows of one model: see `decisions.undominated`; ratios of a threshold off the hull are undefined."""
    from thresher.cli.rows import ModelRows
    from thresher.decisions import undominated as rows_of

    return ModelRows.of(
        model.name, rows_of(model.table if prevalence is None else model.table.with_prevalence(prevalence))
    )
